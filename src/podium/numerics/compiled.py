"""Numba's `njit`, which also works if no cache folder can be written to, as in many containers."""

import warnings
from functools import cache
from typing import Any

import numba


def njit(**options: Any) -> Any:
    """Compile a function at its first call, and cache it for later processes if possible.

    Numba raises an error if it can write neither to ``NUMBA_CACHE_DIR`` nor next to the source nor to the
    user's cache folder. Then every process compiles again.
    """

    def compiled(function: Any) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:
            if not (options.get("cache") and str(error).startswith("cannot cache function")):
                raise
        _warn()
        return numba.njit(**(options | {"cache": False}))(function)

    return compiled


@cache
def _warn() -> None:
    """Once for all functions."""
    warnings.warn(
        "compiled code cannot be cached, since neither podium's folder nor the user's cache folder is "
        "writable; every start takes some seconds longer, unless NUMBA_CACHE_DIR names a writable folder",
        stacklevel=2,
    )
