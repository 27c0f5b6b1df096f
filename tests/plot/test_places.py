import numpy as np
import pytest

import podium as pod
from podium.plot.display import MOST_ROWS

MODEL = pod.BradleyTerry(order_effect=True).fit(pod.datasets.load_chess_club())


def test_a_league_has_a_column_per_place_and_its_chances() -> None:
    games = pod.Comparisons.from_arrays(["Ada", "Boris", "Nils"], ["Boris", "Nils", "Ada"])
    found = pod.simulate(MODEL, games, n=500, random_state=0)
    ax = pod.PlacesDisplay.from_simulation(found).ax_
    assert [text.get_text() for text in ax.get_yticklabels()] == list(found.chances.index)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "3"]
    written = {(round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in ax.texts}
    for (row, column), chance in np.ndenumerate(found.chances.to_numpy()):
        assert written.get((row, column), "0") == f"{100 * chance:.0f}"
    assert np.asarray(ax.images[0].get_array()) == pytest.approx(found.chances.to_numpy())


def test_a_cup_has_its_rounds_and_a_long_one_says_what_is_left_out() -> None:
    names = [f"player {k}" for k in range(MOST_ROWS + 92)]
    normal = pod.BradleyTerry(prior="normal").fit(pod.datasets.load_chess_club())
    found = pod.simulate(normal, pod.Comparisons.from_arrays(names[::2], names[1::2]), rules="cup", n=20)
    ax = pod.PlacesDisplay.from_simulation(found).ax_
    titles = [text.get_text() for text in ax.get_xticklabels()]
    assert titles[0] == "round 1"
    assert titles[-3:] == ["semi-final", "final", "title"]
    assert ax.get_xlabel() == "chance in %; 92 more items are left out"
