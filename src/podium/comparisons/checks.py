"""Checks that every table of comparisons passes; each failure is one sentence that names the row."""

from contextlib import suppress
from datetime import UTC, date
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays.devices.boundary import from_device, to_numpy
from podium.comparisons.messages import InputError, first_true, quoted
from podium.comparisons.teams import Teams, shared_member

Ints = NDArray[np.integer[Any]]
MOST_WEIGHT = 1e15  # sums of numbers keep 16 digits
MOST_GRADE = 100
LEAST_WEIGHT = 1e-100  # its square is a number too


def check_unmasked(**arrays: Any) -> None:
    """Refuse masked values, which are missing; NumPy would use whatever lies under the mask."""
    for name, values in arrays.items():
        if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):
            mask = np.atleast_1d(values.mask)
            row = first_true(mask.reshape(len(mask), -1).any(axis=1))
            raise InputError(f"{name} is masked at {{@row}}; leave such rows out, or fill them in", row=row)


def check_length(n: int, values: Any, name: str) -> None:
    sized = hasattr(values, "__len__")
    shape: tuple[int, ...] = values.shape if hasattr(values, "shape") else (len(values),) if sized else ()
    if len(shape) != 1 or shape[0] != n:
        found = "one value" if not shape else f"the shape {shape}" if len(shape) > 1 else f"{shape[0]:,} rows"
        raise ValueError(f"'{name}' has {found} where {n:,} rows are expected")


def checked_outcome(outcome: Any, n: int) -> NDArray[np.int8]:
    """Outcomes as int8; an array of int8 is not copied."""
    check_length(n, outcome, "outcome")
    values = np.asarray(outcome)
    if n and (values.dtype.kind not in "iu" or not -1 <= values.min() <= values.max() <= 1):
        raise ValueError("'outcome' has something else than the whole numbers -1, 0 and 1")
    return values.astype(np.int8, copy=False)


def graded_outcome(outcome: Any, grade: Any, n: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The outcomes that grades imply, and the grades; outcomes that say something else are an error."""
    check_unmasked(grade=grade)
    values = np.asarray(to_numpy(grade))
    check_length(n, values, "grade")
    if n and values.dtype.kind not in "iuf":
        raise ValueError("'grade' is not a column of whole numbers; outcome_format='grades' reads words")
    if (bad := ~((values % 1 == 0) & (np.abs(values) <= MOST_GRADE))).any():
        row, wanted = first_true(bad), f"a whole number from -{MOST_GRADE} to {MOST_GRADE}"
        raise InputError(f"'grade' has {values[row]} at {{@row}}, not {wanted}", row=row)
    sign = np.sign(values).astype(np.int8)
    if outcome is not None and (other := checked_outcome(outcome, n) != sign).any():
        row = first_true(other)
        raise InputError(f"'outcome' at {{@row}} is not the sign of the grade {values[row]}", row=row)
    return sign, values.astype(np.int8)


def check_codes(items: NDArray[Any], left: Ints, right: Ints, teams: Teams | None) -> None:
    n_sides = len(items) if teams is None else len(teams)
    for name, codes in (("left", left), ("right", right)):
        if codes.dtype.kind not in "iu":
            raise ValueError(f"'{name}' has codes that are not whole numbers from 0 to {n_sides - 1}")
        if len(codes) and not 0 <= codes.min() <= codes.max() < n_sides:
            row = first_true((codes < 0) | (codes >= n_sides))
            found = f"'{name}' has {codes[row]} at {{@row}}"
            raise InputError(f"{found}, not a code from 0 to {n_sides - 1}", row=row)


def check_two_sides(items: NDArray[Any], left: Ints, right: Ints, teams: Teams | None) -> None:
    """Refuse rows with the same item on both sides."""
    if teams is None and (same := left == right).any():
        row = first_true(same)
        raise InputError(f"item {quoted(items[left[row]])} is compared with itself at {{@row}}", row=row)
    if teams is not None and (shared := shared_member(teams, left, right, len(items))) is not None:
        row, item = shared
        raise InputError(f"item {quoted(items[item])} is on both teams at {{@row}}", row=row)


def checked_multiples(values: ArrayLike | None, n: int, name: str = "weight") -> NDArray[np.float64]:
    """Counts or weights, which are positive; 1 by default."""
    if values is None:
        return np.broadcast_to(1.0, (n,))  # looks like an array of ones and takes no memory
    check_unmasked(**{name: values})
    try:
        numbers = np.array(to_numpy(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' is not a column of numbers") from None
    check_length(n, numbers, name)
    if (bad := ~(np.isfinite(numbers) & (numbers > 0))).any():
        row = first_true(bad)
        raise InputError(f"the {name} {numbers[row]} at {{@row}} is not a positive finite number", row=row)
    huge = f"above {MOST_WEIGHT:g}, so large that others are lost in rounding; divide all {name}s by a number"
    tiny = f"below {LEAST_WEIGHT:g}, so small that its square is lost in rounding; multiply all {name}s by a "
    tiny += "number, or leave the row out"
    for far, what in ((numbers > MOST_WEIGHT, huge), (numbers < LEAST_WEIGHT, tiny)):
        if far.any():
            row = first_true(far)
            raise InputError(f"the {name} {numbers[row]:g} at {{@row}} is {what}", row=row)
    return numbers


def checked_flags(values: Any, n: int, name: str) -> NDArray[np.bool_]:
    """Truth values, one per row; 1 and 0 are allowed."""
    check_unmasked(**{name: values})
    check_present(values, f"'{name}'")
    array = to_numpy(values)
    check_length(n, array, name)
    if array.dtype != bool and n:
        odd = np.array([value not in (0, 1) for value in array.tolist()])
        if odd.any():
            row = first_true(odd)
            raise InputError(f"'{name}' has {quoted(array[row])} at {{@row}}, not true or false", row=row)
    return array.astype(bool)


def checked_order(values: Any, n: int, name: str) -> NDArray[Any]:
    """An array of numbers or moments, which can be put in order."""
    array: NDArray[Any] = np.array(to_numpy(values))
    if array.dtype.kind in "OU" or isinstance(values, np.ma.MaskedArray):
        check_present(values, f"'{name}'")
    if array.dtype == object and array.ndim == 1:
        array = _of_one_kind(array)
    check_length(n, array, name)
    if array.dtype.kind not in "iufM" and n:
        raise ValueError(f"'{name}' is neither a column of numbers nor of dates")
    if n and (missing := np.isnat(array) if array.dtype.kind == "M" else ~np.isfinite(array)).any():
        raise InputError(f"'{name}' is missing or infinite at {{@row}}", row=first_true(missing))
    return array


def _of_one_kind(values: NDArray[Any]) -> NDArray[Any]:
    """Objects as dates or as numbers, if all of them are; NumPy would take 3 for a moment of 1970."""
    kinds = {
        str if isinstance(v, str) else date if isinstance(v, date | np.datetime64) else Real for v in values
    }
    if kinds == {Real}:
        found = np.array(values.tolist())
        return found if found.dtype.kind in "iuf" else values
    with suppress(TypeError, ValueError):
        return values if len(kinds) > 1 else np.array([in_utc(v) for v in values], dtype="datetime64[us]")
    return values


def in_utc(moment: Any) -> Any:
    """A moment without its time zone, in UTC; anything else as it is."""
    if getattr(moment, "tzinfo", None) is None:
        return moment
    return moment.astimezone(UTC).replace(tzinfo=None)


def check_present(values: Any, name: str) -> None:
    """Refuse missing values: None, nan, NaT, pandas.NA or masked. No column at all is fine."""
    import pandas as pd

    values = values.tolist() if isinstance(values, np.ma.MaskedArray) else values
    values = from_device(values)
    array = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)  # nan is no text
    missing = np.asarray(pd.isna(array))
    if missing.ndim and missing.any():
        row = first_true(missing.reshape(len(missing), -1).any(axis=1))
        raise InputError(f"{name} is missing ({quoted(array[row])}) at {{@row}}", row=row)
