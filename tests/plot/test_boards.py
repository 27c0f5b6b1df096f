from typing import Any

import numpy as np
import pytest

from podium import Boards
from podium.plot import BoardsDisplay
from tests.plot.drawing import board, drawn, names, texts

pytest.importorskip("matplotlib")


def test_ranks_by_category() -> None:
    boards = Boards(board(["a", "b", "c"]), {"de": board(["c", "a"]), "$fr": board(["b"])})
    display = BoardsDisplay.from_boards(boards)
    assert names(display.ax_.yaxis) == ["a", "b", "c"]
    assert names(display.ax_.xaxis) == ["overall", "de", "$fr"]
    assert texts(display) == ["1", "2", "2", "1", "3", "1"]
    image: Any = display.ax_.images[0]
    shown = np.ma.filled(image.get_array(), np.nan)
    np.testing.assert_array_equal(np.isnan(shown).sum(axis=0), [0, 1, 2])
    assert drawn(display)


def test_many_items_and_categories() -> None:
    items = [f"item {i}" for i in range(50)]
    boards = Boards(board(items), {f"category {i}": board(items) for i in range(30)})
    assert len(names(BoardsDisplay.from_boards(boards).ax_.yaxis)) == 50
    display = BoardsDisplay.from_boards(boards, max_items=40)
    assert len(names(display.ax_.yaxis)) == 40
    assert display.ax_.get_xlabel() == "… and 10 more"
    assert not texts(display)
    assert drawn(display)


def test_nobody_ranked() -> None:
    assert drawn(BoardsDisplay.from_boards(Boards(board(["a"], rank=[0]), {})))


def test_more_items_than_a_column_has_rows() -> None:
    boards = Boards(board([f"item {i}" for i in range(500)]), {})
    display = BoardsDisplay.from_boards(boards)
    shown = [name for ax in display.axes_ for name in names(ax.yaxis)]
    assert shown == [f"item {i}" for i in range(420)]
    assert display.axes_[-1].get_xlabel() == "… and 80 more"
