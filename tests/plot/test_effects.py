from typing import Any

import numpy as np
import pytest

from podium.plot import EffectsDisplay
from tests.plot.drawing import board, drawn, names

pytest.importorskip("matplotlib")

EFFECTS = [("$length", 100, 12.0, 9.0, 15.0), ("two\nlines", 1, -1.0, -np.inf, 3.0)]


def test_a_dot_for_every_effect() -> None:
    b = board(["a", "b"], covariate_effects=EFFECTS, order_effect=(5.0, 2.0, 8.0))
    display = EffectsDisplay.from_leaderboard(b)
    assert names(display.ax_.yaxis) == ["$length, per 100", "two\\nlines, per 1", "left side"]
    dots: Any = display.ax_.collections[-1]
    np.testing.assert_array_equal(dots.get_offsets()[:, 0], [12, -1, 5])
    assert display.ax_.lines[0].get_xdata() == [0, 0]
    assert display.ax_.get_xlabel() == "Elo scale, 95 % intervals"
    left, right = display.ax_.get_xlim()
    assert left < -1
    assert 15 < right < 20
    assert drawn(display)


def test_on_the_scale_of_skills_no_effect_is_1() -> None:
    display = EffectsDisplay(board(["a"], scale="skill", order_effect=(1.5, 1.2, 1.9))).plot()
    assert display.ax_.lines[0].get_xdata() == [1, 1]
    assert "factor of the odds" in display.ax_.get_xlabel()


def test_drawn_on_given_axes() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    display = EffectsDisplay.from_leaderboard(board(["a"], covariate_effects=EFFECTS[:1]), ax=ax)
    assert display.ax_ is ax
    assert display._repr_png_() is None


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(ValueError, match="no effects to draw; fit with covariates or order_effect=True"):
        EffectsDisplay.from_leaderboard(board(["a"]))
