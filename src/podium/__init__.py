"""podium learns from comparisons: who is better, or is there no difference?"""

from importlib import import_module

from podium.version import __version__ as __version__

TYPE_CHECKING = False  # to type checkers it is true, as that of typing is, which takes time to load
if TYPE_CHECKING:
    from typing import Any

    from podium import datasets, evaluation
    from podium.arrays.partitions.table import PartitionedComparisons
    from podium.bradley_terry.dynamic.model import DynamicBradleyTerry
    from podium.bradley_terry.model import BradleyTerry
    from podium.classes.coded_classifier import CodedClassifier
    from podium.classes.coupling.couple import couple
    from podium.classes.online_svc import OnlineSVC
    from podium.comparers.calibrated import CalibratedComparer
    from podium.comparers.grid import compare_grid
    from podium.comparers.linear_compare import LinearCompare
    from podium.comparers.online_svm_rank import OnlineSVMRank
    from podium.comparers.svm_compare import SVMCompare
    from podium.comparers.svm_compare_lp import SVMCompareLP
    from podium.comparers.svm_rank import SVMRank
    from podium.comparisons.concat import concat
    from podium.comparisons.messages import InputError
    from podium.comparisons.rankings import Rankings
    from podium.comparisons.table import Comparisons
    from podium.game.preference_game import PreferenceGame
    from podium.leaderboard.boards import Boards
    from podium.leaderboard.history import biggest_movers, highest_ever
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.ordered.herbrich import HerbrichSVM
    from podium.ordered.ordinal_svm import OrdinalSVM
    from podium.ordered.swapped_pairs import SwappedPairsSVM
    from podium.plot import (
        BoardsDisplay,
        CalibrationDisplay,
        ComparisonROCDisplay,
        EffectsDisplay,
        GainDisplay,
        HistoryDisplay,
        LeaderboardDisplay,
        WinMatrixDisplay,
    )
    from podium.rankings.model import PlackettLuce
    from podium.ratings import Elo, Glicko, Glicko2
    from podium.reading.chunks import read_chunks
    from podium.reading.comparisons import read_comparisons
    from podium.reading.features import read_rows
    from podium.reading.rankings.read import read_rankings
    from podium.saving.files import load, save
    from podium.skill.likelihood_ratio import likelihood_ratio

__all__ = [
    "Boards",
    "BoardsDisplay",
    "BradleyTerry",
    "CalibratedComparer",
    "CalibrationDisplay",
    "CodedClassifier",
    "ComparisonROCDisplay",
    "Comparisons",
    "DynamicBradleyTerry",
    "EffectsDisplay",
    "Elo",
    "GainDisplay",
    "Glicko",
    "Glicko2",
    "HerbrichSVM",
    "HistoryDisplay",
    "InputError",
    "Leaderboard",
    "LeaderboardDisplay",
    "LinearCompare",
    "OnlineSVC",
    "OnlineSVMRank",
    "OrdinalSVM",
    "PartitionedComparisons",
    "PlackettLuce",
    "PreferenceGame",
    "Rankings",
    "SVMCompare",
    "SVMCompareLP",
    "SVMRank",
    "SwappedPairsSVM",
    "WinMatrixDisplay",
    "biggest_movers",
    "compare_grid",
    "concat",
    "couple",
    "datasets",
    "evaluation",
    "highest_ever",
    "likelihood_ratio",
    "load",
    "read_chunks",
    "read_comparisons",
    "read_rankings",
    "read_rows",
    "save",
]

# They wait until they are asked for: scikit-learn and scipy take a second to load, and the command line has
# to be ready for Ctrl-C before anything takes time.
LAZY = {
    "Boards": "podium.leaderboard.boards",
    "BoardsDisplay": "podium.plot",
    "BradleyTerry": "podium.bradley_terry.model",
    "CalibratedComparer": "podium.comparers.calibrated",
    "CalibrationDisplay": "podium.plot",
    "CodedClassifier": "podium.classes.coded_classifier",
    "ComparisonROCDisplay": "podium.plot",
    "Comparisons": "podium.comparisons.table",
    "DynamicBradleyTerry": "podium.bradley_terry.dynamic.model",
    "EffectsDisplay": "podium.plot",
    "Elo": "podium.ratings",
    "GainDisplay": "podium.plot",
    "Glicko": "podium.ratings",
    "Glicko2": "podium.ratings",
    "HerbrichSVM": "podium.ordered.herbrich",
    "HistoryDisplay": "podium.plot",
    "InputError": "podium.comparisons.messages",
    "Leaderboard": "podium.leaderboard.leaderboard",
    "LeaderboardDisplay": "podium.plot",
    "LinearCompare": "podium.comparers.linear_compare",
    "OnlineSVC": "podium.classes.online_svc",
    "OnlineSVMRank": "podium.comparers.online_svm_rank",
    "OrdinalSVM": "podium.ordered.ordinal_svm",
    "PartitionedComparisons": "podium.arrays.partitions.table",
    "PlackettLuce": "podium.rankings.model",
    "PreferenceGame": "podium.game.preference_game",
    "Rankings": "podium.comparisons.rankings",
    "SVMCompare": "podium.comparers.svm_compare",
    "SVMCompareLP": "podium.comparers.svm_compare_lp",
    "SVMRank": "podium.comparers.svm_rank",
    "SwappedPairsSVM": "podium.ordered.swapped_pairs",
    "WinMatrixDisplay": "podium.plot",
    "biggest_movers": "podium.leaderboard.history",
    "compare_grid": "podium.comparers.grid",
    "concat": "podium.comparisons.concat",
    "couple": "podium.classes.coupling.couple",
    "highest_ever": "podium.leaderboard.history",
    "likelihood_ratio": "podium.skill.likelihood_ratio",
    "load": "podium.saving.files",
    "read_chunks": "podium.reading.chunks",
    "read_comparisons": "podium.reading.comparisons",
    "read_rankings": "podium.reading.rankings.read",
    "read_rows": "podium.reading.features",
    "save": "podium.saving.files",
}
MODULES = ("datasets", "evaluation", "metrics", "plot", "text")


def __getattr__(name: str) -> "Any":
    if name in LAZY:
        return getattr(import_module(LAZY[name]), name)
    if name in MODULES:
        return import_module(f"podium.{name}")
    if name.endswith("Display"):  # podium.plot says where those of the papers are now
        return getattr(import_module("podium.plot"), name)
    raise AttributeError(f"module 'podium' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, *MODULES})
