"""How messages name rows, columns and values."""

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

NAMED = 5  # items that a message names out of many
ALL_NAMED = 10  # so many columns are all named
_column = reprlib.Repr()
_column.maxstring = 60


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
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
