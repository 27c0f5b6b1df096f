"""The types that a saved model may hold.

Types are checked before any object is created. The types of podium are safe, and so are scikit-learn's
estimators, splitters and kernels: they are Python objects that hold numbers. The numbers are not checked: a
manipulated file cannot run code, but it can predict nonsense. Trees of scikit-learn are not safe in this
sense: they use the numbers of a file as memory offsets without a check, so wrong numbers can crash the
process.
"""

from collections.abc import Iterable
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

FAMILIES = ("bradley_terry", "classes", "comparers", "game", "ordered", "rankings", "ratings")
HOMES = tuple(f"podium.{folder}." for folder in (*FAMILIES, "core", "leaderboard", "numerics", "skill"))
PEERS = ("numpy.", "scipy.", "sklearn.")  # packages whose types a file may contain
SPARSE = ("scipy.sparse._csr.csr_array",)  # skops stores it as plain arrays
# Creating instances of these classes of scikit-learn, and of their subclasses there, runs no code. Their
# content is checked like everything else.
PLAIN = {
    "sklearn.base.BaseEstimator",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.gaussian_process.kernels.Kernel",
    "sklearn.model_selection._split.BaseCrossValidator",
    "sklearn.model_selection._split.BaseShuffleSplit",
    "sklearn.neural_network._stochastic_optimizers.BaseOptimizer",
}


def foreign_types(names: Iterable[str]) -> list[str]:
    """The names of types that are not trusted."""
    return [name for name in names if name not in SPARSE and not is_trusted(name)]


def type_name(value: Any) -> str:
    """The full name of the type of a value."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def is_trusted(name: str) -> bool:
    """Whether creating an instance of the type with this name runs no code."""
    return is_ours(name) or _is_plain(name)


def is_ours(name: str) -> bool:
    """Whether this is the name of an estimator or a record of podium."""
    from sklearn.base import BaseEstimator

    found = _defined(name, HOMES)
    if found is None:
        return False
    return issubclass(found, BaseEstimator) or is_dataclass(found) or hasattr(found, "_fields")


def _is_plain(name: str) -> bool:
    """Whether this is the name of an estimator of scikit-learn, or of a plain object inside one."""
    found = _defined(name, ("sklearn.",))
    return found is not None and any(
        f"{base.__module__}.{base.__qualname__}" in PLAIN for base in found.__mro__
    )


def _defined(name: str, homes: tuple[str, ...]) -> type | None:
    """The class with this name, if one of these packages defines it; test modules are never imported."""
    home, _, short = name.rpartition(".")
    if not f"{home}.".startswith(homes) or "__" in home or "test" in home:
        return None
    try:
        found = getattr(import_module(home), short, None)
    except ImportError:
        return None
    return found if isinstance(found, type) and found.__module__ == home else None
