"""The page and matplotlib draw the same curves: every number of the page's SVG is that of the display."""

import re
from typing import Any

import numpy as np
import pytest

from podium.leaderboard.calibration import Calibration
from podium.leaderboard.palette import DARK, LIGHT
from podium.leaderboard.paths import elapsed
from podium.plot import CalibrationDisplay, HistoryDisplay
from podium.web.calibration import LEFT, SIDE, TOP, calibration_picture, calibration_table
from podium.web.history import HEIGHT, LINES, WIDTH, history_section
from tests.leaderboard.histories import history
from tests.plot.drawing import predictions

ROUNDING = 0.051  # of a place in a picture
GROUP = re.compile(r'<g[^>]* style="color:var\(--(\w+)\)">(.*?)</g>', re.DOTALL)


def places(text: str) -> Any:
    return np.array(re.findall(r"-?\d+\.\d+|-?\d+", text), dtype=float)


@pytest.mark.parametrize("ties", [True, False])
def test_calibration(ties: bool) -> None:
    outcome, probabilities = predictions()
    if not ties:
        probabilities = np.column_stack([1 - probabilities[:, 2], 0 * outcome, probabilities[:, 2]])
    weight: Any = np.arange(len(outcome)) % 3 + 1.0
    display = CalibrationDisplay(outcome, probabilities, weight=weight)
    found = Calibration.of(outcome, probabilities, weight)
    groups = GROUP.findall(calibration_picture(found))
    assert len(groups) == len(display.curves) == (3 if ties else 1)
    numbers = re.findall(r'<td class="number">(.*?)</td>', calibration_table(found))
    written = [places(cell.replace(",", "")) for cell in numbers]
    for (role, svg), curve in zip(groups, display.curves, strict=True):
        bins = curve.bins
        assert role == curve.role
        assert bins is display.bins[curve.sign]
        dots = np.array(re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg), dtype=float)
        bars = places(re.findall(r'class="bars" d="([^"]*)"', svg)[0]).reshape(-1, 3)
        line = places(re.findall(r'class="line" d="([^"]*)"', svg)[0]).reshape(-1, 2)
        x, y, low, high = (LEFT + SIDE * bins.predicted, *(TOP + SIDE * (1 - each) for each in bins[1:4]))
        for drawn, expected in ((dots, (x, y)), (line, (x, y)), (bars, (x, low, high))):
            np.testing.assert_allclose(drawn, np.column_stack(expected), atol=ROUNDING)
        for row in np.column_stack([100 * np.array(bins[:4]).T, bins.weight]):
            cells = np.concatenate([written.pop(0) for _ in range(4)])
            np.testing.assert_allclose(cells, row, atol=ROUNDING)
    assert not written


@pytest.mark.parametrize("dates", [True, False])
def test_history(dates: bool) -> None:
    frame = history(12, 900, dates=dates)
    display = HistoryDisplay(frame, max_items=LINES)
    groups = GROUP.findall(history_section(frame))
    assert len(groups) == len(display.paths) == LINES
    assert f"; {display.left_out} more are left out." in history_section(frame)
    times = np.concatenate([path.time for path in display.paths])
    scores = np.concatenate([column for path in display.paths for column in path[2:]])
    unit = elapsed(times.max(), times.min())
    for k, ((role, svg), path) in enumerate(zip(groups, display.paths, strict=True)):
        assert role == f"line{k}"
        x = LEFT + WIDTH * elapsed(path.time, times.min()) / unit
        score, low, high = (
            TOP + HEIGHT * (scores.max() - each) / (scores.max() - scores.min()) for each in path[2:]
        )
        line = places(re.findall(r'class="line" d="([^"]*)"', svg)[0]).reshape(-1, 2)
        band = places(re.findall(r'class="band" d="([^"]*)"', svg)[0]).reshape(-1, 2)
        np.testing.assert_allclose(line, np.column_stack([x, score]), atol=ROUNDING)
        around = np.column_stack([np.append(x, x[::-1]), np.append(high, low[::-1])])
        np.testing.assert_allclose(band, around, atol=ROUNDING)
        dot = places(re.findall(r'<circle cx="([^"]*)"', svg)[0])
        np.testing.assert_allclose(dot, x[-1:], atol=ROUNDING)


def test_the_roles_of_curves_are_colours_of_both() -> None:
    roles = {"left", "tie", "right", *(f"line{k}" for k in range(LINES))}
    for colours in (LIGHT, DARK):
        assert roles <= colours.roles.keys()
        assert tuple(colours.roles[f"line{k}"] for k in range(LINES)) == colours.series
