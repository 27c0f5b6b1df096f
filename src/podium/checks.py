"""What every table of comparisons promises; each broken promise is one sentence that names the row."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.labels import as_column, encode, first_true, quoted, row_name
from podium.teams import Teams, shared_member

Codes = NDArray[np.int32]


def check_length(n: int, values: Any, name: str) -> None:
    if len(values) != n:
        raise ValueError(f"'{name}' has {len(values):,} rows where {n:,} are expected")


def check_two_sides(items: NDArray[Any], left: Codes, right: Codes, teams: Teams | None) -> None:
    same = left == right
    if teams is None and same.any():
        row = first_true(same)
        raise ValueError(f"item {quoted(items[left[row]])} is compared with itself at {row_name(row)}")
    if teams is not None and (shared := shared_member(teams, left, right)) is not None:
        row, item = shared
        raise ValueError(f"item {quoted(items[item])} is on both teams at {row_name(row)}")


def checked_weight(weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    if weight is None:
        return np.broadcast_to(1.0, (n,))  # looks like an array of ones and takes no memory
    try:
        weight = np.array(weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("'weight' is not a column of numbers") from None
    check_length(n, weight, "weight")
    if (bad := ~(np.isfinite(weight) & (weight > 0))).any():
        row = first_true(bad)
        raise ValueError(f"the weight {weight[row]} at {row_name(row)} is not a positive finite number")
    return weight


def encoded_group(group: Any, n: int, name: str) -> tuple[NDArray[Any], Codes]:
    check_length(n, group, name)
    groups, (codes,) = encode([as_column(group, name)], [name])
    return groups, codes


def checked_order(values: Any, n: int, name: str) -> NDArray[Any]:
    """Numbers or moments; both can be put in order."""
    array: NDArray[Any] = np.array(values)
    check_length(n, array, name)
    if array.dtype.kind not in "iufM":
        raise ValueError(f"'{name}' is neither a column of numbers nor of dates")
    if (missing := np.isnat(array) if array.dtype.kind == "M" else ~np.isfinite(array)).any():
        raise ValueError(f"'{name}' is missing or infinite at {row_name(first_true(missing))}")
    return array
