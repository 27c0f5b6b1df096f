"""podium learns from comparisons: who is better, or is there no difference?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from podium import datasets
from podium.comparisons import Comparisons
from podium.reading import read_comparisons

if TYPE_CHECKING:
    from podium.leaderboard import Leaderboard
    from podium.models.bradley_terry import BradleyTerry
    from podium.models.calibrated import CalibratedComparer
    from podium.models.linear_compare import LinearCompare
    from podium.models.svm_compare import SVMCompare
    from podium.models.svm_compare_lp import SVMCompareLP
    from podium.models.svm_rank import SVMRank
    from podium.plot import CalibrationDisplay, LeaderboardDisplay, WinMatrixDisplay
    from podium.plot_compare import ComparisonROCDisplay, LevelCurvesDisplay, MarginDisplay
    from podium.ratings import Elo, Glicko

__version__ = "0.1.0"
__all__ = [
    "BradleyTerry",
    "CalibratedComparer",
    "CalibrationDisplay",
    "ComparisonROCDisplay",
    "Comparisons",
    "Elo",
    "Glicko",
    "Leaderboard",
    "LeaderboardDisplay",
    "LevelCurvesDisplay",
    "LinearCompare",
    "MarginDisplay",
    "SVMCompare",
    "SVMCompareLP",
    "SVMRank",
    "WinMatrixDisplay",
    "datasets",
    "read_comparisons",
]

# scikit-learn and scipy take a second to load; they wait until a model is asked for.
LAZY = {
    "BradleyTerry": "podium.models.bradley_terry",
    "CalibratedComparer": "podium.models.calibrated",
    "CalibrationDisplay": "podium.plot",
    "ComparisonROCDisplay": "podium.plot_compare",
    "Elo": "podium.ratings",
    "Glicko": "podium.ratings",
    "Leaderboard": "podium.leaderboard",
    "LeaderboardDisplay": "podium.plot",
    "LevelCurvesDisplay": "podium.plot_compare",
    "LinearCompare": "podium.models.linear_compare",
    "MarginDisplay": "podium.plot_compare",
    "SVMCompare": "podium.models.svm_compare",
    "SVMCompareLP": "podium.models.svm_compare_lp",
    "SVMRank": "podium.models.svm_rank",
    "WinMatrixDisplay": "podium.plot",
}


def __getattr__(name: str) -> Any:
    if name in LAZY:
        return getattr(import_module(LAZY[name]), name)
    if name in ("metrics", "plot"):
        return import_module(f"podium.{name}")
    raise AttributeError(f"module 'podium' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *LAZY})
