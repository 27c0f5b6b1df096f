"""The code may shrink, but not grow: `ratchet.py` counts, and ``ratchet.json`` has the limits."""

import ast
from pathlib import Path

import pytest

from tests.ratchet import LIMITS, Source, code_lines, compiled_functions, counts, limits, named_numbers, walks


def test_nothing_grows() -> None:
    found, limit = counts(), limits()
    assert found.keys() == limit.keys()
    grown = [
        f"{name}: {found[name]:,} is {found[name] - limit[name]:,} more than the limit of {limit[name]:,}"
        for name in found
        if found[name] > limit[name]
    ]
    where = f"the limits are in tests/{LIMITS.name}; `python -m tests.ratchet` counts by folder"
    assert not grown, "\n".join([*grown, where])


CODE = '''"""A module."""

SMALL, WORDS = 1e-3, "a"  # one number
SIZES = (1, 2, 3)
LARGE = 2**30
lower = 3


@njit(cache=True)
def compiled():
    """A docstring
    of two lines."""
    text = """code
    of two lines"""
    return text


class Model:
    MOST: int = 5
    g = njit(lambda x: x)
'''


@pytest.fixture
def source() -> Source:
    return Source(Path("skill/x.py"), CODE, ast.parse(CODE))


def test_lines_without_comments_and_docstrings(source: Source) -> None:
    assert code_lines(source) == 12


@pytest.mark.slow  # imports of the command line take long while calls are watched
def test_walks_end_and_are_counted() -> None:
    assert all(n > 1 for n in walks().values())


def test_named_numbers(source: Source) -> None:
    assert named_numbers(source.tree.body) == 4


def test_compiled_functions(source: Source) -> None:
    assert compiled_functions(source) == 2
