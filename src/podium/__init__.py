"""podium learns from comparisons: who is better, or is there no difference?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from podium import datasets
from podium.comparisons import Comparisons
from podium.reading import read_comparisons

if TYPE_CHECKING:
    from podium.leaderboard import Leaderboard
    from podium.models.bradley_terry import BradleyTerry
    from podium.plot import CalibrationDisplay, LeaderboardDisplay, WinMatrixDisplay
    from podium.ratings import Elo, Glicko

__version__ = "0.1.0"
__all__ = [
    "BradleyTerry",
    "CalibrationDisplay",
    "Comparisons",
    "Elo",
    "Glicko",
    "Leaderboard",
    "LeaderboardDisplay",
    "WinMatrixDisplay",
    "datasets",
    "read_comparisons",
]

# scikit-learn and scipy take a second to load; they wait until a model is asked for.
LAZY = {
    "BradleyTerry": "podium.models.bradley_terry",
    "CalibrationDisplay": "podium.plot",
    "Elo": "podium.ratings",
    "Glicko": "podium.ratings",
    "Leaderboard": "podium.leaderboard",
    "LeaderboardDisplay": "podium.plot",
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
