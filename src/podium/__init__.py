"""podium learns from comparisons: who is better, or is there no difference?"""

from importlib import import_module

from podium.version import __version__ as __version__

TYPE_CHECKING = False  # to type checkers it is true, as that of typing is, which takes time to load
if TYPE_CHECKING:
    from typing import Any

    from podium import datasets as datasets
    from podium import evaluation as evaluation
    from podium.arrays.partitions.table import PartitionedComparisons as PartitionedComparisons
    from podium.bradley_terry.dynamic.model import DynamicBradleyTerry as DynamicBradleyTerry
    from podium.bradley_terry.model import BradleyTerry as BradleyTerry
    from podium.classes.coded_classifier import CodedClassifier as CodedClassifier
    from podium.classes.coupling.couple import couple as couple
    from podium.classes.online_svc import OnlineSVC as OnlineSVC
    from podium.comparers.calibrated import CalibratedComparer as CalibratedComparer
    from podium.comparers.grid import compare_grid as compare_grid
    from podium.comparers.linear_compare import LinearCompare as LinearCompare
    from podium.comparers.online_svm_rank import OnlineSVMRank as OnlineSVMRank
    from podium.comparers.svm_compare import SVMCompare as SVMCompare
    from podium.comparers.svm_compare_lp import SVMCompareLP as SVMCompareLP
    from podium.comparers.svm_rank import SVMRank as SVMRank
    from podium.comparisons.concat import concat as concat
    from podium.comparisons.messages import InputError as InputError
    from podium.comparisons.rankings import Rankings as Rankings
    from podium.comparisons.table import Comparisons as Comparisons
    from podium.game.preference_game import PreferenceGame as PreferenceGame
    from podium.leaderboard.boards import Boards as Boards
    from podium.leaderboard.history import biggest_movers as biggest_movers
    from podium.leaderboard.history import highest_ever as highest_ever
    from podium.leaderboard.leaderboard import Leaderboard as Leaderboard
    from podium.ordered.herbrich import HerbrichSVM as HerbrichSVM
    from podium.ordered.ordinal_svm import OrdinalSVM as OrdinalSVM
    from podium.ordered.swapped_pairs import SwappedPairsSVM as SwappedPairsSVM
    from podium.plot import BoardsDisplay as BoardsDisplay
    from podium.plot import CalibrationDisplay as CalibrationDisplay
    from podium.plot import ComparisonROCDisplay as ComparisonROCDisplay
    from podium.plot import EffectsDisplay as EffectsDisplay
    from podium.plot import GainDisplay as GainDisplay
    from podium.plot import HistoryDisplay as HistoryDisplay
    from podium.plot import LeaderboardDisplay as LeaderboardDisplay
    from podium.plot import PlacesDisplay as PlacesDisplay
    from podium.plot import WinMatrixDisplay as WinMatrixDisplay
    from podium.rankings.model import PlackettLuce as PlackettLuce
    from podium.ratings import Elo as Elo
    from podium.ratings import Glicko as Glicko
    from podium.ratings import Glicko2 as Glicko2
    from podium.ratings import performance_rating as performance_rating
    from podium.reading.chunks import read_chunks as read_chunks
    from podium.reading.comparisons import read_comparisons as read_comparisons
    from podium.reading.features import read_rows as read_rows
    from podium.reading.rankings.read import read_rankings as read_rankings
    from podium.saving.files import load as load
    from podium.saving.files import save as save
    from podium.simulation.result import Simulation as Simulation
    from podium.simulation.season import simulate as simulate
    from podium.skill.likelihood_ratio import likelihood_ratio as likelihood_ratio

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
    "PlacesDisplay": "podium.plot",
    "PlackettLuce": "podium.rankings.model",
    "PreferenceGame": "podium.game.preference_game",
    "Rankings": "podium.comparisons.rankings",
    "SVMCompare": "podium.comparers.svm_compare",
    "SVMCompareLP": "podium.comparers.svm_compare_lp",
    "SVMRank": "podium.comparers.svm_rank",
    "Simulation": "podium.simulation.result",
    "SwappedPairsSVM": "podium.ordered.swapped_pairs",
    "WinMatrixDisplay": "podium.plot",
    "biggest_movers": "podium.leaderboard.history",
    "compare_grid": "podium.comparers.grid",
    "concat": "podium.comparisons.concat",
    "couple": "podium.classes.coupling.couple",
    "highest_ever": "podium.leaderboard.history",
    "likelihood_ratio": "podium.skill.likelihood_ratio",
    "load": "podium.saving.files",
    "performance_rating": "podium.ratings",
    "read_chunks": "podium.reading.chunks",
    "read_comparisons": "podium.reading.comparisons",
    "read_rankings": "podium.reading.rankings.read",
    "read_rows": "podium.reading.features",
    "save": "podium.saving.files",
    "simulate": "podium.simulation.season",
}
MODULES = ("datasets", "evaluation", "metrics", "plot", "text")
__all__ = sorted([*LAZY, "datasets", "evaluation"])


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
