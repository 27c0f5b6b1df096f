"""A compiled function so small that tests can compile it."""

import importlib.util
from pathlib import Path

SOURCE = """
from podium.numerics.compiled import njit

@njit(cache=True)
def add_one(x):
    return x + 1
"""


def written(folder: Path) -> Path:
    """The function's module in a folder."""
    path = folder / "tiny.py"
    path.write_text(SOURCE)
    return path


def call_twice(path: Path) -> None:
    """Import the function, as a new process would, and call it."""
    spec = importlib.util.spec_from_file_location("podium.tiny", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.add_one(1) == module.add_one(1) == 2
