"""How every message names a row and a value, so that nobody has to guess."""

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def row_name(index: int) -> str:
    """A row by its number, and where counting starts."""
    return f"row {index + 1:,} (counting from 1)"


def quoted(value: Any) -> str:
    """A label or cell: in quotes, and cut if it is long."""
    return reprlib.repr(value.item() if isinstance(value, np.generic) else value)


def listed(names: Iterable[Any]) -> str:
    """Some names out of possibly many."""
    names = [f"'{name}'" for name in names]
    return ", ".join(names) if len(names) <= 20 else f"{', '.join(names[:20])} and {len(names) - 20:,} more"


def first_true(mask: pa.ChunkedArray | NDArray[np.bool_]) -> int:
    """Index of the first true value."""
    return int(np.argmax(mask.to_numpy() if isinstance(mask, pa.ChunkedArray) else mask))
