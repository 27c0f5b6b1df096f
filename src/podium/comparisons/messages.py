"""Errors and warnings that carry data, and how they name rows, columns and values."""

import reprlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

NAMED = 5  # items that a message names out of many
ALL_NAMED = 10  # so many columns are all named
_column = reprlib.Repr()
_column.maxstring = 60
Spelling = Callable[[str, bool], str]  # of an argument, and whether its value follows


def row_name(index: int) -> str:
    """The number of a row, counting from 1, and a note that says so."""
    return f"row {index + 1:,} (counting from 1)"


def quoted(value: Any) -> str:
    """A label or cell in quotes, shortened if it is long."""
    return reprlib.repr(value.item() if isinstance(value, np.generic) else value)


def type_name(kind: pa.DataType) -> str:
    """The name of a type, shortened if it is long: nested types may have hundreds of fields."""
    text = str(kind)
    return text if len(text) <= 60 else f"{text[:60]}..."


def listed(names: Iterable[Any]) -> str:
    """Some names out of possibly many, in quotes.

    >>> listed(["x", "y"]), listed(range(20_000))
    ("'x', 'y'", "'0', '1', '2', '3', '4' and 19,995 more")
    """
    names = list(names)
    shown = names if len(names) <= ALL_NAMED else names[:NAMED]
    text = ", ".join(_column.repr(str(name)) for name in shown)
    return text if len(shown) == len(names) else f"{text} and {len(names) - NAMED:,} more"


def few(names: Sequence[str]) -> str:
    r"""At most a few names, without quotes; what cannot be printed is spelled out.

    >>> few(["a", "b\n"]), few([f"x{k}" for k in range(99)])
    ('a, b\\n', 'x0, x1, x2, x3, x4 and 94 more')
    """
    text = ", ".join(_column.repr(name)[1:-1] for name in names[:NAMED])
    return text if len(names) <= NAMED else f"{text} and {len(names) - NAMED:,} more"


def first_true(mask: pa.ChunkedArray | NDArray[np.bool_]) -> int:
    """Index of the first true value."""
    return int(np.argmax(mask.to_numpy() if isinstance(mask, pa.ChunkedArray) else mask))


def names_of(labels: NDArray[Any]) -> str:
    """A few of the labels, for a message.

    >>> names_of(np.array(["ann", "bob", "cat"])), names_of(np.arange(9))
    ("'ann', 'bob' and 'cat'", '0, 1, 2, 3, 4 and 4 more')
    """
    names = [reprlib.repr(label) for label in labels[:NAMED].tolist()]
    if len(labels) > NAMED:
        return f"{', '.join(names)} and {len(labels) - NAMED:,} more"
    return joined(names)


def joined(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> joined(["ann"]), joined(["ann", "bob", "cat"])
    ('ann', 'ann, bob and cat')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


# ------------------------------------------------------------------------------------ errors and warnings


def in_python(argument: str, has_value: bool = False) -> str:
    """``outcome`` is the argument outcome=; what is no name is Python as it stands."""
    return f"{argument}=" if argument.isidentifier() else argument


class Sentence(Exception):
    """What is wrong: a text with marks, and facts.

    ``{@outcome}`` marks the argument of this name, whose value may follow, ``{@order_effect=False}`` marks
    something else that only Python says so, ``{@row}`` a fact. Rows are counted from 0 in the facts.

    >>> error = InputError("nothing in 'y' at {@row}; choose with {@outcome}, or {@dates}'dmy'", row=6)
    >>> print(error)
    nothing in 'y' at row 7 (counting from 1); choose with outcome=, or dates='dmy'
    >>> error.spelled(lambda argument, has_value: f"--{argument}{' ' * has_value}")
    "nothing in 'y' at row 7 (counting from 1); choose with --outcome, or --dates 'dmy'"
    """

    def __init__(self, text: str, /, **facts: Any) -> None:
        self.text, self.facts = text, facts
        super().__init__(self.spelled(in_python))

    def __reduce__(self) -> Any:
        return partial(type(self), self.text, **self.facts), ()

    @property
    def row(self) -> int | None:
        """The row at fault, counting from 0."""
        return self.facts.get("row")

    def with_facts(self, **facts: Any) -> Self:
        """The same sentence with other facts."""
        return type(self)(self.text, **(self.facts | facts))

    def spelled(self, spelling: Spelling, **words: str) -> str:
        """The sentence with arguments spelled in another way, and with ``words`` in place of some facts."""
        shown = self.facts | words
        if self.row is not None:
            place = self.facts.get("place")  # how the source counts, if it is known
            shown["row"] = f"row {self.row + 1:,} ({place})" if place else row_name(self.row)
        said, *pieces = self.text.split("{@")
        for mark, _, rest in (piece.partition("}") for piece in pieces):
            has_value = rest[:1] in ("'", '"') or rest[:1].isalnum()
            said += f"{shown[mark] if mark in shown else spelling(mark, has_value)}{rest}"
        return said


class InputError(Sentence, ValueError):
    """An input that cannot be used: a `ValueError` that also carries where the input is wrong.

    Attributes
    ----------
    row : int or None
        The row at fault, counting from 0.
    facts : dict
        All that is known, such as ``row``, ``column`` and the ``cell`` there.

    See Also
    --------
    read_comparisons : read comparisons from files, frames and databases

    Examples
    --------
    >>> import pandas as pd, podium
    >>> games = pd.DataFrame({"white": ["ann", "bob"], "black": ["bob", None], "result": ["1-0", "0-1"]})
    >>> try:
    ...     podium.read_comparisons(games)
    ... except podium.InputError as error:
    ...     print(error.facts)
    {'column': 'black', 'row': 1}
    """

    __module__ = "podium"


class InputWarning(Sentence, UserWarning):
    """An input that is used in another way than one might think."""


def extended(error: ValueError, advice: str) -> InputError:
    """The same error with advice after it."""
    return InputError(f"{getattr(error, 'text', error)}; {advice}", **getattr(error, "facts", {}))
