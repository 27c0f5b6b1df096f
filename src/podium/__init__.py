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
    from podium.models.coded_classifier import CodedClassifier
    from podium.models.coupling import couple
    from podium.models.herbrich import HerbrichSVM
    from podium.models.linear_compare import LinearCompare
    from podium.models.online import OnlineSVMRank
    from podium.models.online_svc import OnlineSVC
    from podium.models.ordinal import OrdinalSVM
    from podium.models.preference_game import PreferenceGame
    from podium.models.svm_compare import SVMCompare
    from podium.models.svm_compare_lp import SVMCompareLP
    from podium.models.svm_rank import SVMRank
    from podium.models.swapped_pairs import SwappedPairsSVM
    from podium.plot import (
        CalibrationDisplay,
        ComparisonROCDisplay,
        GameAccuracyDisplay,
        GameValueDisplay,
        LeaderboardDisplay,
        LevelCurvesDisplay,
        MarginDisplay,
        WinMatrixDisplay,
    )
    from podium.ratings import Elo, Glicko
    from podium.saving import load, save

__version__ = "0.1.0"
__all__ = [
    "BradleyTerry",
    "CalibratedComparer",
    "CalibrationDisplay",
    "CodedClassifier",
    "ComparisonROCDisplay",
    "Comparisons",
    "Elo",
    "GameAccuracyDisplay",
    "GameValueDisplay",
    "Glicko",
    "HerbrichSVM",
    "Leaderboard",
    "LeaderboardDisplay",
    "LevelCurvesDisplay",
    "LinearCompare",
    "MarginDisplay",
    "OnlineSVC",
    "OnlineSVMRank",
    "OrdinalSVM",
    "PreferenceGame",
    "SVMCompare",
    "SVMCompareLP",
    "SVMRank",
    "SwappedPairsSVM",
    "WinMatrixDisplay",
    "couple",
    "datasets",
    "load",
    "read_comparisons",
    "save",
]

# scikit-learn and scipy take a second to load; they wait until a model is asked for.
LAZY = {
    "BradleyTerry": "podium.models.bradley_terry",
    "CalibratedComparer": "podium.models.calibrated",
    "CalibrationDisplay": "podium.plot",
    "CodedClassifier": "podium.models.coded_classifier",
    "ComparisonROCDisplay": "podium.plot",
    "Elo": "podium.ratings",
    "GameAccuracyDisplay": "podium.plot",
    "GameValueDisplay": "podium.plot",
    "Glicko": "podium.ratings",
    "HerbrichSVM": "podium.models.herbrich",
    "Leaderboard": "podium.leaderboard",
    "LeaderboardDisplay": "podium.plot",
    "LevelCurvesDisplay": "podium.plot",
    "LinearCompare": "podium.models.linear_compare",
    "MarginDisplay": "podium.plot",
    "OnlineSVC": "podium.models.online_svc",
    "OnlineSVMRank": "podium.models.online",
    "OrdinalSVM": "podium.models.ordinal",
    "PreferenceGame": "podium.models.preference_game",
    "SVMCompare": "podium.models.svm_compare",
    "SVMCompareLP": "podium.models.svm_compare_lp",
    "SVMRank": "podium.models.svm_rank",
    "SwappedPairsSVM": "podium.models.swapped_pairs",
    "WinMatrixDisplay": "podium.plot",
    "couple": "podium.models.coupling",
    "load": "podium.saving",
    "save": "podium.saving",
}


def __getattr__(name: str) -> Any:
    if name in LAZY:
        return getattr(import_module(LAZY[name]), name)
    if name in ("metrics", "plot"):
        return import_module(f"podium.{name}")
    raise AttributeError(f"module 'podium' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, "metrics", "plot"})
