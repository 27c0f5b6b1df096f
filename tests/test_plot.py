import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.leaderboard import Leaderboard
from podium.metrics import calibration_bins
from podium.plot import (
    CalibrationDisplay,
    LeaderboardDisplay,
    WinMatrixDisplay,
    save_figure,
)

pytest.importorskip("matplotlib")

HOSTILE = ["=1+1", "a|b", "<script>", "two\nlines", "Ωmega é ½", "$\\frac$", ("ann", "bob")]
SHOWN = ["=1+1", "a|b", "<script>", "two\\nlines", "Ωmega é ½", "$\\frac$", "ann + bob"]


def board(items: Any, **changes: Any) -> Leaderboard:
    row = np.arange(len(items))
    columns: dict[str, Any] = dict.fromkeys(("games", "wins", "ties", "losses", "component"), 0 * row)
    columns |= {"rank": row + 1, "item": items, "score": -1.0 * row, "low": -1.0 * row - 1, "high": 1.0 - row}
    return Leaderboard(**columns | changes)


def texts(display: Any) -> list[str]:
    return [text.get_text() for text in display.ax_.texts]


def intervals(display: Any) -> list[list[float]]:
    return [bar[:, 0].tolist() for bar in display.ax_.collections[0].get_segments() if bar.size]


def names(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def drawn(display: Any) -> bytes:
    """The picture, which fails on texts that matplotlib cannot draw."""
    png = display._repr_png_()
    assert isinstance(png, bytes)
    return png


# ------------------------------------------------------------------------------------ leaderboard


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
    with pytest.raises(ValueError, match="max_items is 0"):
        LeaderboardDisplay.from_leaderboard(b, 0)


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


# ------------------------------------------------------------------------------------ win matrix


def chances(n: int) -> Any:
    skill = -np.arange(n) / 5
    return 1 / (1 + np.exp(skill - skill[:, None]))


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
    display = WinMatrixDisplay.from_matrix(range(35), chances(35))
    assert len(names(display.ax_.yaxis)) == 30
    assert display.ax_.get_xlabel() == "… and 5 more"
    assert display.matrix.shape == (35, 35)


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


# ------------------------------------------------------------------------------------ calibration

rows = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.integers(1, 4)),
    min_size=1,
    max_size=30,
)


@given(rows, st.integers(1, 6), st.randoms())
def test_bins_do_not_depend_on_order_and_count_weights(table: Any, n_bins: int, random: Any) -> None:
    happened, probability, weight = map(list, zip(*table, strict=True))
    bins = calibration_bins(happened, probability, n_bins, weight)
    repeated = calibration_bins(np.repeat(happened, weight), np.repeat(probability, weight), n_bins)
    random.shuffle(table)
    happened, probability, weight = map(list, zip(*table, strict=True))
    shuffled = calibration_bins(happened, probability, n_bins, weight)
    for column, same, also in zip(bins, repeated, shuffled, strict=True):
        np.testing.assert_allclose(column, same, atol=1e-12)
        np.testing.assert_allclose(column, also, atol=1e-12)
    assert len(bins.weight) <= n_bins
    assert bins.weight.sum() == sum(weight)
    assert (np.diff(bins.predicted) > 0).all()
    assert ((bins.low <= bins.observed) & (bins.observed <= bins.high)).all()


def test_bins_are_equal_if_they_can_be() -> None:
    rng = np.random.default_rng(0)
    probability = rng.random(1000)
    happened = rng.random(1000) < probability
    bins = calibration_bins(happened, probability, 10)
    assert bins.weight.tolist() == [100] * 10
    parts = np.array_split(np.argsort(probability), 10)
    np.testing.assert_allclose(bins.predicted, [probability[part].mean() for part in parts])
    np.testing.assert_allclose(bins.observed, [happened[part].mean() for part in parts])


def test_intervals_are_those_of_scipy() -> None:
    from scipy.stats import binomtest

    for wins, n in [(0, 7), (3, 7), (7, 7), (20, 400)]:
        bins = calibration_bins(np.arange(n) < wins, np.full(n, 0.4))
        expected = binomtest(wins, n).proportion_ci(method="wilson")
        np.testing.assert_allclose([bins.low[0], bins.high[0]], [expected.low, expected.high], atol=1e-6)


def predictions(n: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet([1, 1, 1], n)
    outcome = (rng.random((n, 1)) > probabilities.cumsum(axis=1)).sum(axis=1) - 1
    return outcome, probabilities


def lines(display: CalibrationDisplay) -> dict[str, Any]:
    return {str(line.get_label()): line for line in display.ax_.lines if line.get_marker() == "o"}


def test_calibration_has_a_line_an_outcome() -> None:
    outcome, probabilities = predictions()
    display = CalibrationDisplay.from_predictions(outcome, probabilities, n_bins=6)
    assert list(lines(display)) == ["left better", "no difference", "right better"]
    for sign, line in zip((-1, 0, 1), lines(display).values(), strict=True):
        bins = calibration_bins(outcome == sign, probabilities[:, sign + 1], 6)
        np.testing.assert_allclose(line.get_xdata(), bins.predicted)
        np.testing.assert_allclose(line.get_ydata(), bins.observed)
    assert len(display.ax_.collections) == 3  # the intervals
    patches: Any = display.ax_.patches
    heights = [patch.get_height() for patch in patches]
    assert len(heights) == 3 * 25
    np.testing.assert_allclose(np.reshape(heights, (3, 25)).sum(axis=1), sum(heights) / 3)
    assert drawn(display)


def test_calibration_without_ties() -> None:
    p = np.linspace(0, 1, 50)
    probabilities = np.column_stack([1 - p, 0 * p, p])
    outcome = np.where(p > 0.4, 1, -1)
    display = CalibrationDisplay.from_predictions(outcome, probabilities, weight=np.full(50, 2.0))
    assert list(lines(display)) == ["left better", "right better"]
    assert display.bins[1].weight.sum() == 100
    predicted = CalibrationDisplay.from_predictions(outcome, np.full((50, 3), 1 / 3))
    assert list(lines(predicted)) == ["left better", "no difference", "right better"]
    assert drawn(predicted)


@pytest.mark.parametrize(
    ("outcome", "probabilities", "sentence"),
    [
        ([1, 2], [[0, 0, 1], [0, 0, 1]], "the outcome 2 at row 2 (counting from 1) is none of -1, 0 and 1"),
        ([1], [[0.5, 0.5]], "outcome has the shape (1,) and probabilities (1, 2)"),
        ([], np.zeros((0, 3)), "with at least one row"),
        ([1], [[0.9, 0.9, -0.8]], "the probabilities at row 1 (counting from 1) are not three numbers"),
        ([1], [[np.nan, 0.5, 0.5]], "the probabilities at row 1 (counting from 1) are not three numbers"),
    ],
)
def test_calibration_refuses(outcome: Any, probabilities: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        CalibrationDisplay.from_predictions(outcome, probabilities)
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------------------------ all of them


def displays() -> list[Any]:
    return [
        LeaderboardDisplay.from_leaderboard(board(HOSTILE, title="$ and $\\frac$")),
        WinMatrixDisplay.from_matrix(HOSTILE, chances(len(HOSTILE))),
        CalibrationDisplay.from_predictions(*predictions()),
    ]


def test_hostile_names_are_shown_as_they_are(tmp_path: Path) -> None:
    leaderboard, matrix, _ = displays()
    assert names(leaderboard.ax_.yaxis) == names(matrix.ax_.yaxis) == names(matrix.ax_.xaxis) == SHOWN
    for number, display in enumerate((leaderboard, matrix)):
        assert drawn(display)
        save_figure(display.figure_, tmp_path / f"{number}.svg")
        assert "<script>" not in (tmp_path / f"{number}.svg").read_text(encoding="utf-8")


def test_displays_draw_on_given_axes_and_again() -> None:
    from matplotlib.figure import Figure

    for display in displays():
        own = display.ax_
        ax = Figure().add_subplot()
        assert display.plot(ax) is display
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert display._repr_png_() is None  # pyplot shows the figures it was given
        assert len(ax.texts) == len(own.texts)


def test_displays_work_in_threads_and_without_pyplot(tmp_path: Path) -> None:
    def draw(number: int) -> bytes:
        path = tmp_path / f"{number}.png"
        save_figure(displays()[number % 3].figure_, path)
        return path.read_bytes()

    loaded = "matplotlib.pyplot" in sys.modules
    with ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(draw, range(9)))
    assert pictures[:3] == pictures[3:6] == pictures[6:]
    assert ("matplotlib.pyplot" in sys.modules) == loaded


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PNG", b"\x89PNG")]
)
def test_save_figure(name: str, start: bytes, tmp_path: Path) -> None:
    save_figure(displays()[0].figure_, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert len(list(tmp_path.iterdir())) == 1


def test_save_figure_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.png"
    path.write_bytes(b"before")
    figure = displays()[0].figure_
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        save_figure(figure, path)
    with pytest.raises(ValueError, match=re.escape("ends in none of .png and .svg; choose one of them")):
        save_figure(figure, tmp_path / "a.pdf")
    with pytest.raises(ValueError, match="there is no folder"):
        save_figure(figure, tmp_path / "no" / "a.png")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    sentence = re.escape("plots need matplotlib: pip install 'podium[plot]'")
    with pytest.raises(ImportError, match=f"^{sentence}$"):
        LeaderboardDisplay.from_leaderboard(board(["a"]))
    with pytest.raises(ImportError, match=f"^{sentence}$"):
        WinMatrixDisplay.from_matrix(["a"], [[0.5]])
    with pytest.raises(ImportError, match=f"^{sentence}$"):
        CalibrationDisplay.from_predictions(*predictions())
