"""Numba's `njit`, which also works if no cache folder can be written to, as in many containers.

Importing this module also makes numba report when it compiles a function of podium. It reports nothing when
it loads a function from the cache.
"""

import warnings
from functools import cache
from typing import Any

import numba
from numba.core import event

from podium.numerics.progress import compiling


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


def _doing() -> str:
    """What to say: without a cache it will not be the only time."""
    return "compiling" if _warn.cache_info().currsize else "compiling (only the first time)"


class _CompileListener(event.Listener):  # type: ignore[misc]  # numba has no types
    """Passes on when the compilation of podium's functions starts and ends."""

    def __init__(self) -> None:
        self._depth = 0  # functions that are compiled for others

    def on_start(self, event: Any) -> None:
        self._count(event, 1)

    def on_end(self, event: Any) -> None:
        self._count(event, -1)

    def _count(self, event: Any, change: int) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("podium."):
            self._depth += change
            if self._depth == max(change, 0):  # the outermost one
                compiling(_doing() if change > 0 else None)


event.register("numba:compile", _CompileListener())
