from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import HistoryDisplay
from podium.leaderboard.paths import MOST_POINTS
from podium.plot import save_figure
from tests.leaderboard.histories import by_hand, history
from tests.plot.drawing import drawn, names, texts

pytest.importorskip("matplotlib")


class Model:
    """A model that has a history."""

    def history(self, items: Any = None, *, level: float, scale: str, relative: bool) -> pd.DataFrame:
        assert relative
        frame = history(3)
        frame.attrs |= {"scale": scale, "level": level}
        return frame


def lines(display: Any) -> list[Any]:
    return [line for line in display.ax_.lines if line.get_marker() == "None"]


def test_lines_bands_and_names() -> None:
    frame = history(5)
    display = HistoryDisplay.from_frame(frame)
    drawn(display)
    latest = frame.groupby("item")["score"].last().sort_values(ascending=False)
    assert texts(display) == latest.index.tolist()
    for line, item in zip(lines(display), latest.index, strict=True):
        own = frame[frame["item"] == item]
        np.testing.assert_array_equal(line.get_ydata(), own["score"])
        assert (np.asarray(line.get_xdata()) == own["time"].to_numpy()).all()
    assert len(display.ax_.collections) == 5
    assert display.ax_.get_ylabel() == "Elo scale, 95 % intervals"
    assert display.ax_.get_legend() is None
    assert not display.ax_.get_xlabel()


def test_many_items() -> None:
    display = HistoryDisplay.from_frame(history(30), max_items=10)
    assert len(texts(display)) == 10
    assert display.ax_.get_xlabel() == "the best 10 at the end of those that still play; 20 more not drawn"
    looks = {(line.get_color(), line.get_linestyle()) for line in lines(display)}
    assert len(looks) == 10


def test_names_do_not_overlap() -> None:
    from matplotlib.text import Text  # its extent is that of the text without the line that leads to it

    rows = [(t, f"item {k}", 1500 + 0.01 * k + 100 * (t == 1)) for k in range(8) for t in (0, 1)]
    display = HistoryDisplay.from_frame(by_hand(rows))
    display.figure_.draw_without_rendering()
    boxes = sorted((Text.get_window_extent(text) for text in display.ax_.texts), key=lambda box: box.y0)
    assert len(boxes) == 8
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
    assert display.figure_.bbox.x1 >= max(box.x1 for box in boxes)


def test_chosen_items_and_odd_names() -> None:
    rows = [(t, item, 1500.0 + t) for item in ("$x^2$", "x" * 100, "two\nlines", "日本") for t in (1, 2)]
    display = HistoryDisplay.from_frame(by_hand(rows), items=["$x^2$", "x" * 100, "two\nlines"])
    drawn(display)
    assert texts(display) == ["$x^2$", "x" * 20 + "…" + "x" * 19, "two\\nlines"]
    assert display.ax_.get_xlabel() == "1 more not drawn"
    assert display.ax_.get_ylabel() == "score"


def test_seasons_are_whole_numbers() -> None:
    display = HistoryDisplay.from_frame(by_hand([(2021, "a", 1500), (2022, "a", 1510), (2023, "a", 1490)]))
    drawn(display)
    assert set(names(display.ax_.xaxis)) <= {"2020", "2021", "2022", "2023", "2024"}


def test_one_moment() -> None:
    display = HistoryDisplay.from_frame(by_hand([(1.5, "a", 1500)]))
    drawn(display)
    [line] = lines(display)
    assert line.get_ydata().tolist() == [1500]


def test_a_long_history_stays_light(tmp_path: Path) -> None:
    display = HistoryDisplay.from_frame(history(4, 30_000, dates=False))
    assert all(len(line.get_xdata()) <= MOST_POINTS + 1 for line in lines(display))
    save_figure(display.figure_, tmp_path / "history.svg")
    assert (tmp_path / "history.svg").stat().st_size < 200_000


def test_of_a_model_and_on_other_axes() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    display = HistoryDisplay.from_model(Model(), ["item 1"], level=0.9, scale="log", ax=ax)
    assert display.ax_ is ax
    assert texts(display) == ["item 1"]
    assert ax.get_ylabel() == "log-skill, 90 % intervals"
