import re
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from podium import (
    BradleyTerry,
    Comparisons,
    DynamicBradleyTerry,
    Elo,
    Glicko,
    LinearCompare,
    PlackettLuce,
    Rankings,
)
from podium.datasets import load_chess_club
from podium.plot import WinMatrixDisplay
from tests.plot.drawing import chances, drawn, names, texts

pytest.importorskip("matplotlib")


def test_matrix_writes_known_chances_off_the_diagonal() -> None:
    matrix = chances(4)
    matrix[0, 2] = np.nan
    display = WinMatrixDisplay.from_matrix(["a", "b", "c", "d"], matrix)
    assert names(display.ax_.xaxis) == names(display.ax_.yaxis) == ["a", "b", "c", "d"]
    assert texts(display) == [
        f"{matrix[i, j]:.2f}" for i in range(4) for j in range(4) if i != j and not np.isnan(matrix[i, j])
    ]
    image: Any = display.ax_.images[0]
    shown: Any = np.ma
    rgba = image.cmap(image.norm(shown.masked_invalid(image.get_array())))
    assert rgba[1, 1].tolist() == [1, 1, 1, 1]
    red, green, blue, _ = rgba[0, 2]
    assert max(red, green, blue) - min(red, green, blue) < 0.05
    assert rgba[0, 3][2] > rgba[0, 3][0]  # a likely winner is blue, a likely loser red
    assert rgba[3, 0][2] < rgba[3, 0][0]
    assert image.norm(0.5) == 0.5


@pytest.mark.parametrize(("n", "numbers"), [(1, 0), (15, 15 * 14), (16, 0)])
def test_matrix_has_numbers_if_there_is_room(n: int, numbers: int) -> None:
    display = WinMatrixDisplay.from_matrix(range(n), chances(n))
    assert len(texts(display)) == numbers
    assert drawn(display)


def test_matrix_says_what_it_leaves_out() -> None:
    assert len(names(WinMatrixDisplay.from_matrix(range(35), chances(35)).ax_.yaxis)) == 35
    backwards = chances(35)[::-1, ::-1]  # the best are last
    display = WinMatrixDisplay.from_matrix(range(35), backwards, 30)
    assert names(display.ax_.yaxis) == [str(k) for k in range(5, 35)]
    assert display.ax_.get_xlabel() == "30 of 35 items, those with the highest means"
    assert display.matrix.shape == (35, 35)
    with pytest.raises(ValueError, match="max_items must be at least 1"):
        WinMatrixDisplay.from_matrix(range(35), chances(35), 0)


def test_matrix_of_hundreds_has_some_names() -> None:
    display = WinMatrixDisplay.from_matrix(range(250), chances(250))
    assert names(display.ax_.xaxis) == [str(k) for k in range(0, 250, 3)]
    assert display.ax_.get_xlabel() == "one name in 3 is written"


GAMES = Comparisons.from_arrays(
    ["a", "b", "a", "c", "b", "d"], ["b", "a", "c", "a", "c", "c"], [-1, 1, -1, 0, -1, -1], time=range(6)
)
RANKINGS = Rankings.from_lists([["d", "a", "b", "c"], ["a", "b", ("d", "c")], ["c", "a", "b"]])


@pytest.mark.parametrize(
    "model",
    [BradleyTerry(prior=1.0), PlackettLuce(prior=1.0), DynamicBradleyTerry(), Elo(), Glicko()],
    ids=str,
)
def test_expected_scores_of_a_model(model: Any) -> None:
    model.fit(RANKINGS if isinstance(model, PlackettLuce) else GAMES)
    display = WinMatrixDisplay.from_model(model)
    skill = model.log_skill_ if hasattr(model, "log_skill_") else model.rating_
    assert names(display.ax_.yaxis) == model.items_[np.argsort(-skill)].tolist()
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((display.matrix + display.matrix.T)[off], 1)
    assert (np.triu(display.matrix, 1)[np.triu(off)] >= 0.5).all()
    if hasattr(model, "win_matrix"):
        place = [model.items_.tolist().index(item) for item in display.items]
        np.testing.assert_allclose(display.matrix[off], model.win_matrix()[np.ix_(place, place)][off])


def test_observed_rates_with_counts() -> None:
    model = BradleyTerry(prior=1.0).fit(GAMES)
    display = WinMatrixDisplay.from_model(model, GAMES, observed=True)
    place = {item: k for k, item in enumerate(display.items)}
    assert display.counts is not None
    assert display.matrix[place["a"], place["c"]] == 0.75
    assert display.counts[place["a"], place["c"]] == 2
    assert np.isnan(display.matrix[place["a"], place["d"]])
    assert "0.75\n2" in texts(display)
    with pytest.raises(ValueError, match="observed rates need data: give comparisons"):
        WinMatrixDisplay.from_model(model, observed=True)


def test_which_items_of_a_model() -> None:
    model = BradleyTerry(prior=1.0).fit(GAMES)
    ranked = WinMatrixDisplay.from_model(model).items
    best = WinMatrixDisplay.from_model(model, max_items=2)
    assert best.items == ranked[:2]
    assert best.ax_.get_xlabel() == "2 of 4 items, the best by score"
    ends = WinMatrixDisplay.from_model(model, max_items=2, spread=True)
    assert ends.items == [ranked[0], ranked[-1]]
    assert ends.ax_.get_xlabel() == "2 of 4 items, spread from the best to the last"
    assert WinMatrixDisplay.from_model(model, items=["c", "b"]).items == [x for x in ranked if x in "bc"]
    with pytest.raises(ValueError, match="the model has no item 'x'; choose from its items_"):
        WinMatrixDisplay.from_model(model, items=["a", "x"])


@pytest.mark.parametrize(
    ("items", "matrix", "sentence"),
    [
        (["a"], np.zeros((2, 2)), "the matrix has the shape (2, 2) for 1 items"),
        ([], np.zeros((0, 0)), "the matrix has no items"),
        (["a", "b\n"], [[0, 1.5], [0, 0]], "the chance 1.5 that 'a' beats 'b\\n' is not between 0 and 1"),
    ],
)
def test_matrix_refuses(items: Any, matrix: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        WinMatrixDisplay.from_matrix(items, matrix)


@pytest.mark.parametrize("n", [1, 2])
def test_the_label_of_a_small_matrix_is_not_cut(n: int) -> None:
    rate = np.full((n, n), 0.5)
    display = WinMatrixDisplay(list("ab")[:n], rate, label=r"observed $\frac{$ score of row").plot()
    display.figure_.draw_without_rendering()
    label = display.figure_.axes[1].yaxis.label.get_window_extent()
    assert 0 <= label.y0 < label.y1 <= display.figure_.bbox.height


def test_from_model_refuses_what_it_cannot_draw() -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        WinMatrixDisplay.from_model(BradleyTerry())
    with pytest.raises(ValueError, match="must rank items, such as BradleyTerry; LinearCompare does not"):
        WinMatrixDisplay.from_model(LinearCompare())
    model = BradleyTerry().fit(load_chess_club())
    with pytest.raises(ValueError, match="observed rates need data: give comparisons"):
        WinMatrixDisplay.from_model(model, load_chess_club().to_frame(), observed=True)


def test_matrix_of_rankings_has_the_chances_of_pairs() -> None:
    rankings = Rankings.from_lists([["a", "b", "c"], ["b", ("a", "c")], ["c", "a", "b"], [("a", "b")]])
    model = PlackettLuce().fit(rankings)
    matrix = model.win_matrix()
    pairs = [[one, other] for one in "abc" for other in "abc" if one != other]
    np.testing.assert_allclose(matrix[~np.eye(3, dtype=bool)], [p[0] for p in model.predict_proba(pairs)])
    display = WinMatrixDisplay.from_matrix(model.items_.tolist(), matrix)
    assert texts(display) == [f"{matrix[i, j]:.2f}" for i in range(3) for j in range(3) if i != j]
