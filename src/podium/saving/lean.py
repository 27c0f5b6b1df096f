"""Strip a model for saving: no rows, and only the solution and the certificate of the solver."""

import copy
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.arrays.devices.boundary import off_device
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.saving.trusted_types import is_trusted, type_name

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult


def lean(value: Any) -> Any:
    """A copy of a model, or of a part of it, without anything that is not saved, at any depth."""
    from podium.numerics.result import SolverResult

    if isinstance(value, Comparisons | Rankings):
        return None
    if isinstance(value, SolverResult):
        return _lean_result(value)
    value = off_device(value)  # a file should also load where there is no such device
    if type(value) in (list, tuple):
        return type(value)(lean(part) for part in value)
    if type(value) is dict:
        return {key: lean(part) for key, part in value.items()}
    if is_trusted(type_name(value)) and hasattr(value, "__dict__"):
        twin, kept = copy.copy(value), vars(value)
        if is_dataclass(value):  # cached values are computed again
            kept = {field.name: getattr(value, field.name) for field in fields(value)}
        twin.__dict__.clear()
        twin.__dict__.update({name: lean(part) for name, part in kept.items()})
        return twin
    return value


def _lean_result(result: "SolverResult") -> "SolverResult":
    """The solution and its certificate; the objective becomes a number instead of a function."""
    small = {
        name: fact for name, fact in result.details.items() if isinstance(fact, str | int | float | np.number)
    }
    kept = replace(result, objective_of=None, details=small)  # type: ignore[arg-type]
    kept.__dict__["objective"] = float(result.objective)  # the value of the cached property
    return kept
