from pathlib import Path

import numpy as np
import pytest

from experiments.game_grid import GameGrid

pytest.importorskip("matplotlib")

from experiments.figures.game import GameAccuracyDisplay, GameValueDisplay
from podium.plot import save_figure


def grid(exact: float = 0.5) -> GameGrid:
    rng = np.random.default_rng(0)
    tables = [1 + rng.random((2, 3)) for _ in range(4)]
    return GameGrid(np.array([0.1, 0.2]), np.array([0.0, 0.01, 0.1]), exact, 0.9, *tables)


def test_values_by_sample_size(tmp_path: Path) -> None:
    display = GameValueDisplay.from_grid(grid(), title="$5 a game")
    lines = display.ax_.get_lines()
    assert len(lines) == 1 + 2 * 3
    np.testing.assert_array_equal(lines[0].get_ydata(), [0.5, 0.5])
    np.testing.assert_array_equal(lines[1].get_ydata(), display.grid.optimal_value[:, 0])
    np.testing.assert_array_equal(lines[2].get_ydata(), display.grid.uniform_value[:, 0])
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["10%", "20%"]
    assert display.ax_.get_yscale() == "log"
    legend = display.ax_.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == [
        "exact game", "λ = 0", "λ = 0.01", "λ = 0.1", "optimal combination", "uniform combination",
    ]  # fmt: skip
    save_figure(display.figure_, tmp_path / "value.png", dpi=50)
    assert (tmp_path / "value.png").stat().st_size > 1000


def test_accuracy_by_feedback() -> None:
    display = GameAccuracyDisplay.from_grid(grid())
    lines = display.ax_.get_lines()
    assert len(lines) == 1 + 2 * 2
    np.testing.assert_array_equal(lines[1].get_ydata(), display.grid.optimal_accuracy[0])
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["0", "0.01", "0.1"]
    again = GameAccuracyDisplay.from_grid(grid(), ax=display.ax_)
    assert again.figure_ is display.figure_


def test_without_the_exact_game_and_with_values_of_zero() -> None:
    assert len(GameValueDisplay.from_grid(grid(np.nan)).ax_.get_lines()) == 6
    assert GameValueDisplay.from_grid(grid(0.0)).ax_.get_yscale() == "linear"
