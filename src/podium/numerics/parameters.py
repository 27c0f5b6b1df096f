"""Checks of model parameters; errors are one sentence that names the parameter and its value."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

Words = tuple[str | None, ...]  # allowed in place of a number


def is_number(value: Any) -> bool:
    """Whether a value is a single real number: no text, None, bool or table."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_positive(name: str, value: Any, *, finite: bool = True, unless: Words = ()) -> None:
    good = is_number(value) and value > 0 and (value < np.inf or not finite)
    _expect(good, name, value, "positive finite number" if finite else "number above 0", unless)


def check_not_negative(name: str, value: Any, *, unless: Words = ()) -> None:
    _expect(is_number(value) and 0 <= value < np.inf, name, value, "finite number of at least 0", unless)


def check_share(name: str, value: Any) -> None:
    _expect(is_number(value) and 0 <= value <= 1, name, value, "number from 0 to 1")


def check_whole(name: str, value: Any, least: int = 1, *, unless: Words = ()) -> None:
    good = is_number(value) and value >= least and float(value).is_integer()
    _expect(good, name, value, f"whole number of at least {least}", unless)


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def check_stopping(tol: Any, max_iter: Any) -> None:
    """Check when a solver stops."""
    check_positive("tol", tol, finite=False)
    check_whole("max_iter", max_iter)


def _expect(good: bool, name: str, value: Any, what: str, unless: Words = ()) -> None:
    if good or ((value is None or isinstance(value, str)) and value in unless):
        return
    words = f"{', '.join(map(repr, unless))} or " if unless else ""
    raise ValueError(f"{name} is {words}a {what}, not {value!r}")
