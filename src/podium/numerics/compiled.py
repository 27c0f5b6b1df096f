"""`njit` of numba, for machines on which nothing can be written too, as in many containers."""

import warnings
from functools import cache
from typing import Any

import numba


def njit(**options: Any) -> Any:
    """Compile a function at its first call; it is kept for later processes, if there is a place for it.

    Numba refuses to keep it if it can write neither to ``NUMBA_CACHE_DIR`` nor beside the source nor to the
    cache folder of the user. Then every process compiles again.
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
        "compiled code cannot be kept, since neither podium's folder nor the user's cache folder can be "
        "written to; every start takes some seconds longer, unless NUMBA_CACHE_DIR names a folder that can",
        stacklevel=2,
    )
