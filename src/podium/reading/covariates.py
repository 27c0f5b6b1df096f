"""Covariates of comparisons: which columns they are in, and their values, right side minus left side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError, listed, quoted
from podium.comparisons.outcomes import words_of
from podium.comparisons.summary import Columns, CovariateColumns
from podium.reading.column_pairs import BETTER_WORSE, SIDE_WORDS, WAYS, Pair, as_the_sides, pairs


def covariates_given(value: Any) -> CovariateColumns:
    """The argument ``covariates`` as names with their columns; a bare name has none yet.

    >>> covariates_given(["length"]), covariates_given({"length": ("la", "lb"), "bold": "more_bold"})
    ((('length', ()),), (('length', ('la', 'lb')), ('bold', ('more_bold',))))
    >>> covariates_given({"length": ("la", "lb"), "bold": None})  # the columns of bold are to be found
    (('length', ('la', 'lb')), ('bold', ()))
    """
    if value is None:
        return ()
    if isinstance(value, str):
        raise InputError(f"{{@covariates}} takes a list of names, such as [{quoted(value)}]")
    if isinstance(value, Mapping):
        return tuple((str(name), _columns_given(name, columns)) for name, columns in value.items())
    names: Any = value if isinstance(value, list | tuple) else [None]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InputError(
            f"{{@covariates}} takes different names, or a mapping to columns, not {quoted(value)}"
        )
    return tuple((name, ()) for name in names)


def _columns_given(name: Any, columns: Any) -> tuple[str, ...]:
    if columns is None:
        return ()
    found = (columns,) if isinstance(columns, str) else columns
    good = isinstance(found, list | tuple) and len(found) in (1, 2)
    if not good or not all(isinstance(column, str) for column in found):
        raise InputError(
            f"{{@covariates}} has {quoted(columns)} for {quoted(name)}; give the columns of the two sides, "
            "left first, or one column that has the value of the right side minus that of the left one"
        )
    return tuple(found)


def find_covariates(header: Sequence[str], columns: Columns) -> CovariateColumns:
    """Every covariate with its columns: one of each side, in the order of the sides, or their difference."""
    return tuple((name, given or _columns_of(name, header, columns)) for name, given in columns.covariates)


def _columns_of(name: str, header: Sequence[str], columns: Columns) -> tuple[str, ...]:
    noun, words = {"".join(words_of(name))}, [*SIDE_WORDS, *BETTER_WORSE]
    ways = (pairs(header, words, noun, parts_of) for parts_of in WAYS)
    found: list[Pair] = next(filter(None, ways), [])
    options = [pair for each in found for pair in as_the_sides(each, columns)]
    if len(options) == 1:
        return options[0]
    given = f"{{{quoted(name)}: (left column, right column)}}"
    if options:
        shown = " or ".join(f"{left}/{right}" for left, right in options)
        what = f"covariate {quoted(name)} could be {shown}; give {{@pair_given}}"
        raise InputError(what, pair_given=given, covariate=name)
    if name in header:
        return (name,)
    near = [column for column in header if name.casefold() in column.casefold()]
    columns_are = f" out of {listed(near)}" if near else f"; the columns are {listed(header)}"
    what = f"no column pair for covariate {quoted(name)}; give {{@pair_given}}{columns_are}"
    raise InputError(what, pair_given=given, covariate=name)


def differences(numbers: Callable[[str], Floats], covariates: CovariateColumns) -> dict[str, Floats] | None:
    """For every covariate, the value of the right side minus that of the left side."""
    found: dict[str, Floats] = {}
    for name, columns in covariates:
        values = [numbers(column) for column in columns]
        found[name] = values[1] - values[0] if len(values) == 2 else values[0]
    return found or None
