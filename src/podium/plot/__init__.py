"""Pictures of results, one display per file."""

from typing import NoReturn

from podium.leaderboard.palette import LIGHT
from podium.plot.boards import BoardsDisplay
from podium.plot.calibration import CalibrationDisplay
from podium.plot.display import Display, save_figure
from podium.plot.effects import EffectsDisplay
from podium.plot.gains import GainDisplay
from podium.plot.history import HistoryDisplay
from podium.plot.leaderboard import LeaderboardDisplay
from podium.plot.places import PlacesDisplay
from podium.plot.roc import ComparisonROCDisplay
from podium.plot.style import dark_mode, palette, style
from podium.plot.win_matrix import WinMatrixDisplay
from podium.writing.atomic import PICTURES

COLOURS = LIGHT.series
PAPERS = {
    "GameAccuracyDisplay": "game",
    "GameValueDisplay": "game",
    "LevelCurvesDisplay": "level_curves",
    "MarginDisplay": "margin",
}  # displays that have moved, and the files in which they are now

__all__ = [
    "COLOURS",
    "PICTURES",
    "BoardsDisplay",
    "CalibrationDisplay",
    "ComparisonROCDisplay",
    "Display",
    "EffectsDisplay",
    "GainDisplay",
    "HistoryDisplay",
    "LeaderboardDisplay",
    "PlacesDisplay",
    "WinMatrixDisplay",
    "dark_mode",
    "palette",
    "save_figure",
    "style",
]


def __getattr__(name: str) -> NoReturn:
    if name in PAPERS:
        raise AttributeError(
            f"{name} draws a figure of a paper and is no longer part of podium; "
            f"it is in experiments/figures/{PAPERS[name]}.py of the source repository"
        )
    raise AttributeError(f"module 'podium.plot' has no attribute '{name}'")
