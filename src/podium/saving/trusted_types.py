"""The types that a saved model may hold.

They are checked before anything is made of them: those of podium, and of scikit-learn estimators, splitters
and kernels, which are Python objects that hold numbers. Numbers are taken at their word: a file that somebody
tampered with cannot run code, but it can predict nonsense. That is why the trees of scikit-learn are not
among these types. They follow the numbers in a file through memory without looking, and wrong ones can crash
the process.
"""

from collections.abc import Iterable
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

FAMILIES = ("bradley_terry", "classes", "comparers", "game", "ordered", "ratings")
HOMES = tuple(f"podium.{folder}." for folder in (*FAMILIES, "numerics", "skill"))
PEERS = ("numpy.", "scipy.", "sklearn.")  # whose types a file may hold
SPARSE = ("scipy.sparse._csr.csr_array",)  # kept by skops as plain arrays
# Classes of scikit-learn whose instances, and those of their subclasses in it, are made without running
# anything; what they hold is checked like everything else.
PLAIN = {
    "sklearn.base.BaseEstimator",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.gaussian_process.kernels.Kernel",
    "sklearn.model_selection._split.BaseCrossValidator",
    "sklearn.model_selection._split.BaseShuffleSplit",
    "sklearn.neural_network._stochastic_optimizers.BaseOptimizer",
}


def foreign_types(names: Iterable[str]) -> list[str]:
    """Those of the names of types that are not trusted."""
    return [name for name in names if name not in SPARSE and not is_trusted(name)]


def type_name(value: Any) -> str:
    """The name of the type of a value, with its module."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def is_trusted(name: str) -> bool:
    """Whether instances of the type of this name are made without running anything."""
    return is_ours(name) or _is_plain(name)


def is_ours(name: str) -> bool:
    """Whether a name is that of an estimator or a record that podium itself defines."""
    from sklearn.base import BaseEstimator

    found = _defined(name, HOMES)
    if found is None:
        return False
    return issubclass(found, BaseEstimator) or is_dataclass(found) or hasattr(found, "_fields")


def _is_plain(name: str) -> bool:
    """Whether a name is that of an estimator of scikit-learn, or of a plain object that one has."""
    found = _defined(name, ("sklearn.",))
    return found is not None and any(
        f"{base.__module__}.{base.__qualname__}" in PLAIN for base in found.__mro__
    )


def _defined(name: str, homes: tuple[str, ...]) -> type | None:
    """The class of this name, if one of these modules defines it; no test is imported to find out."""
    home, _, short = name.rpartition(".")
    if not f"{home}.".startswith(homes) or "__" in home or "test" in home:
        return None
    try:
        found = getattr(import_module(home), short, None)
    except ImportError:
        return None
    return found if isinstance(found, type) and found.__module__ == home else None
