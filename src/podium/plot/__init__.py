"""Pictures of results, comparison functions and games, one display per file."""

from podium.plot.boards import BoardsDisplay
from podium.plot.calibration import CalibrationDisplay
from podium.plot.display import Display, save_figure
from podium.plot.effects import EffectsDisplay
from podium.plot.gains import GainDisplay
from podium.plot.game import GameAccuracyDisplay, GameValueDisplay
from podium.plot.history import HistoryDisplay
from podium.plot.leaderboard import LeaderboardDisplay
from podium.plot.level_curves import LevelCurvesDisplay
from podium.plot.margin import MarginDisplay
from podium.plot.roc import ComparisonROCDisplay
from podium.plot.style import LIGHT, dark_mode, palette, style
from podium.plot.win_matrix import WinMatrixDisplay
from podium.writing.atomic import PICTURES

COLOURS = LIGHT.series

__all__ = [
    "COLOURS",
    "PICTURES",
    "BoardsDisplay",
    "CalibrationDisplay",
    "ComparisonROCDisplay",
    "Display",
    "EffectsDisplay",
    "GainDisplay",
    "GameAccuracyDisplay",
    "GameValueDisplay",
    "HistoryDisplay",
    "LeaderboardDisplay",
    "LevelCurvesDisplay",
    "MarginDisplay",
    "WinMatrixDisplay",
    "dark_mode",
    "palette",
    "save_figure",
    "style",
]
