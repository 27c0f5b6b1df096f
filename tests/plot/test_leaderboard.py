from typing import Any

import numpy as np
import pytest

from podium import PlackettLuce, Rankings
from podium.plot import LeaderboardDisplay
from tests.plot.drawing import board, drawn, names, texts

pytest.importorskip("matplotlib")


def intervals(display: Any) -> list[list[float]]:
    return [bar[:, 0].tolist() for bar in display.ax_.collections[0].get_segments() if bar.size]


def test_leaderboard_shows_dots_intervals_names_and_ranks() -> None:
    display = LeaderboardDisplay.from_leaderboard(board(["ann", "bob", "cat"], rank=[1, 2, 2], title="Club"))
    ax = display.ax_
    assert display.figure_ is ax.figure
    assert names(ax.yaxis) == ["ann", "bob", "cat"]
    assert ax.get_yticks().tolist() == sorted(ax.get_yticks())
    assert ax.yaxis_inverted()
    assert texts(display) == ["rank", "1", "2", "2"]
    assert intervals(display) == [[-1, 1], [-2, 0], [-3, -1]]
    assert np.asarray(ax.collections[1].get_offsets())[:, 0].tolist() == [0, -1, -2]
    assert ax.get_xlabel() == "Elo scale, 95 % intervals"
    assert ax.get_title(loc="left") == "Club"


@pytest.mark.parametrize(("scale", "label"), [("elo", "Elo scale"), ("log", "log-skill"), ("skill", "skill")])
def test_leaderboard_names_its_scale(scale: str, label: str) -> None:
    b = board(["ann", "bob"], scale=scale, level=0.9)
    assert LeaderboardDisplay.from_leaderboard(b).ax_.get_xlabel() == f"{label}, 90 % intervals"


def test_leaderboard_says_what_it_leaves_out_and_grows() -> None:
    b = board([f"item {row}" for row in range(1200)])
    small, large = (LeaderboardDisplay.from_leaderboard(b, max_items) for max_items in (5, 40))
    assert "… and 1,195 more" in texts(small)
    assert "… and 1,160 more" in texts(large)
    assert len(names(large.ax_.yaxis)) == 40
    assert large.figure_.get_figheight() > 3 * small.figure_.get_figheight()
    assert not any("more" in text for text in texts(LeaderboardDisplay.from_leaderboard(b[:40])))
    with pytest.raises(ValueError, match="max_items must be at least 1"):
        LeaderboardDisplay.from_leaderboard(b, 0)


def test_a_board_of_hundreds_has_columns_on_one_scale() -> None:
    b = board([f"item {row}" for row in range(150)], component=[0] * 100 + [1] * 50)
    display = LeaderboardDisplay.from_leaderboard(b)
    assert [name for ax in display.axes_ for name in names(ax.yaxis)] == b.item.tolist()
    spans = [np.ptp(ax.get_xlim()) for ax in display.axes_]
    np.testing.assert_allclose(spans, spans[0])
    for ax in display.axes_:
        left, right = ax.get_xlim()
        dots = np.asarray(ax.collections[1].get_offsets())[:, 0]
        assert left < dots.min()
        assert dots.max() < right
    assert sum("never compared" in text.get_text() for ax in display.axes_ for text in ax.texts) == 1


def test_a_board_of_thousands_is_squeezed_between_the_best_and_the_last() -> None:
    from matplotlib.figure import Figure

    b = board([f"item {row}" for row in range(3000)])
    for ax in (None, Figure().add_subplot()):
        display = LeaderboardDisplay.from_leaderboard(b, ax=ax)
        assert names(display.ax_.yaxis) == [*b.item[:20], *b.item[-10:]]
        assert "… 2,970 more …" in texts(display)
        dots = np.asarray(display.ax_.collections[1].get_offsets())
        assert len(dots) == 3000
        assert (np.diff(dots[:, 1]) > 0).all()
    assert drawn(LeaderboardDisplay.from_leaderboard(b))


def test_leaderboard_of_a_model() -> None:
    model = PlackettLuce().fit(Rankings.from_lists([["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"]]))
    display = LeaderboardDisplay.from_model(model, 2, level=0.9, scale="log")
    assert names(display.ax_.yaxis) == model.leaderboard().item[:2].tolist()
    assert display.ax_.get_xlabel().startswith("log-skill, 90 % intervals")


def test_leaderboard_keeps_components_apart() -> None:
    b = board(list("abcdef"), rank=[1, 1, 1, 2, 2, 1], component=[0, -1, 1, 0, 1, 2])
    display = LeaderboardDisplay.from_leaderboard(b)
    assert names(display.ax_.yaxis) == ["a", "d", "c", "e", "f", "b"]
    gaps = np.diff(display.ax_.get_yticks())
    assert (gaps > 1).tolist() == [False, True, False, True, True]
    colours = [tuple(colour) for colour in np.asarray(display.ax_.collections[1].get_facecolor())]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    apart = [text for text in texts(display) if "never" in text]
    assert apart == [
        "component 1, never compared with those above",
        "component 2, never compared with those above",
        "never compared",
    ]


def test_leaderboard_draws_what_is_known() -> None:
    nan, inf = np.nan, np.inf
    b = board(list("abcd"), score=[3, 2, nan, 1], low=[-inf, 1, nan, nan], high=[4, inf, nan, nan])
    display = LeaderboardDisplay.from_leaderboard(b)
    left, right = display.ax_.get_xlim()
    assert intervals(display) == [[left, 4], [1, right]]
    assert len(names(display.ax_.yaxis)) == 4
    assert drawn(display)
    none = board(list("ab"), score=[nan] * 2, low=[nan] * 2, high=[nan] * 2)
    assert drawn(LeaderboardDisplay.from_leaderboard(none))
    assert LeaderboardDisplay.from_leaderboard(none).ax_.get_xlabel() == "Elo scale, no intervals"
    for few in (board([]), board(["alone"])):
        assert drawn(LeaderboardDisplay.from_leaderboard(few))


def test_leaderboard_of_rankings() -> None:
    rankings = Rankings.from_lists([["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"]])
    found = PlackettLuce().fit(rankings).leaderboard()
    display = LeaderboardDisplay.from_leaderboard(found)
    assert names(display.ax_.yaxis) == found.item.tolist()
    np.testing.assert_allclose(intervals(display), np.column_stack([found.low, found.high]))
