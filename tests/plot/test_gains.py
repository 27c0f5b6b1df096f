from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium.plot import GainDisplay
from tests.plot.drawing import drawn, names, texts

pytest.importorskip("matplotlib")

PAIRS = pd.DataFrame(
    {
        "left": ["ann", "$b", 3],
        "right": ["bob", "two\nlines", 4],
        "gain": [0.5, 0.01, 0.4],
        "probability": [0.9, 0.02, 0.95],
    }
)


def test_a_dot_for_every_pair_in_the_order_of_the_votes() -> None:
    display = GainDisplay.from_frame(PAIRS)
    ax: Any = display.ax_
    assert names(ax.yaxis) == ["ann – bob", "$b – two\\nlines", "3 – 4"]
    assert ax.yaxis_inverted()
    dots = ax.collections[-1]
    np.testing.assert_array_equal(dots.get_offsets()[:, 0], PAIRS["gain"])
    assert ax.get_xlim()[0] == 0
    assert "expected gain" in ax.get_xlabel()
    assert drawn(display)


def test_pairs_that_chance_decided_are_hollow() -> None:
    dots: Any = GainDisplay(PAIRS).plot().ax_.collections[-1]
    white = (dots.get_facecolor() == 1).all(axis=1)
    assert white.tolist() == [False, True, False]


def test_what_is_left_out_is_said() -> None:
    display = GainDisplay.from_frame(PAIRS, max_items=2)
    assert texts(display) == ["… and 1 more"]
    assert len(names(display.ax_.yaxis)) == 2
    with pytest.raises(ValueError, match="max_items must be at least 1"):
        GainDisplay.from_frame(PAIRS, 0)


def test_more_pairs_than_a_column_has_rows() -> None:
    display = GainDisplay.from_frame(pd.concat([PAIRS] * 30, ignore_index=True))
    assert [len(names(ax.yaxis)) for ax in display.axes_] == [45, 45]
    assert len({ax.get_xlim() for ax in display.axes_}) == 1


def test_drawn_on_given_axes() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert GainDisplay.from_frame(PAIRS, ax=ax).ax_ is ax


def test_other_frames_are_refused() -> None:
    with pytest.raises(ValueError, match="column 'gain' is missing; draw a frame that next_pairs returned"):
        GainDisplay.from_frame(PAIRS.drop(columns="gain"))
