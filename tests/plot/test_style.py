"""Colours can be read, also by colour-blind people, on light and on dark paper."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from podium.leaderboard.palette import DARK, LIGHT, Palette
from podium.plot import CalibrationDisplay, LeaderboardDisplay, dark_mode, palette, style
from podium.plot.style import colour_map, ink_on
from tests.colour_blindness import closest, contrast
from tests.plot.drawing import board, predictions

pytest.importorskip("matplotlib")

PALETTES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
PLOT = Path(__file__).parents[2] / "src" / "podium" / "plot"


@PALETTES
def test_text_and_lines_have_contrast_with_the_paper(colours: Palette) -> None:
    for text in (colours.ink, colours.soft):
        assert contrast(text, colours.paper) >= 4.5
    for line in colours.series:
        assert contrast(line, colours.paper) >= 3


@PALETTES
def test_colours_stay_apart_for_the_colour_blind(colours: Palette) -> None:
    assert closest(colours.series)[0] > 20
    assert closest(colours.outcomes.values())[0] > 20
    assert closest((colours.chances[0], colours.chances[-1]))[0] > 30


@PALETTES
def test_numbers_can_be_read_on_every_cell(colours: Palette) -> None:
    from matplotlib.colors import to_hex

    for steps in (colours.chances, colours.ranks):
        with dark_mode() if colours is DARK else nullcontext():
            for shade in map(colour_map(steps), np.linspace(0, 1, 21)):
                assert contrast(ink_on(shade), to_hex(shade)) >= 4.4  # rounding takes 0.1 at most


def test_dark_mode_is_for_its_own_block_and_thread() -> None:
    from matplotlib.colors import to_hex

    with dark_mode():
        dark = LeaderboardDisplay.from_leaderboard(board(["a", "b"]))
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(palette).result() is LIGHT
        given = CalibrationDisplay.from_predictions(*predictions()).ax_
        assert style()["figure.facecolor"] == DARK.paper
    assert palette() is LIGHT
    light = LeaderboardDisplay.from_leaderboard(board(["a", "b"]))
    assert [to_hex(display.figure_.get_facecolor()) for display in (dark, light)] == [DARK.paper, LIGHT.paper]
    assert to_hex(given.get_facecolor()) == DARK.paper
    with pytest.raises(KeyError), dark_mode():
        raise KeyError
    assert palette() is LIGHT


def test_no_colour_is_written_elsewhere() -> None:
    for path in PLOT.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search('"(#|white|black)', text) or path.name == "style.py", path.name
