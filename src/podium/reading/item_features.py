"""A table of items with their features, joined to comparisons by its key."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from podium.comparisons.labels import encode, find_labels
from podium.comparisons.messages import InputError, first_true, listed, quoted
from podium.comparisons.table import Comparisons
from podium.reading.files import open_table
from podium.reading.formats.numbers import numbers
from podium.reading.header import names_given

KEY_NAMES = set("item id name label player team model school".split())


def with_item_features(
    c: Comparisons, items: Any, key: str | None, features: Sequence[str] | None, encoding: str
) -> Comparisons:
    """The same comparisons, the items described by the rows of a table."""
    opened = open_table(items, encoding)
    key = key or _guess_key(opened.header)
    chosen = list(names_given(features, "features")) or [name for name in opened.header if name != key]
    known = set(opened.header)
    if unknown := [name for name in [key, *chosen] if name not in known]:
        raise ValueError(f"the table of items has no column '{unknown[0]}'; it has {listed(opened.header)}")
    if not chosen:
        raise ValueError(f"the table of items has no column beside its key '{key}'")
    table = opened.load([key, *chosen])
    keys, (row_key,) = encode([table[key]], [key], text=opened.is_text)
    if len(keys) < table.num_rows:
        twice = first_true(np.bincount(row_key) > 1)
        raise ValueError(f"the table of items has item {quoted(keys[twice])} more than once")
    rows = find_labels(keys[row_key], c.items)
    if (lost := rows < 0).any():
        first = f"the first is {quoted(c.items[first_true(lost)])}"
        raise ValueError(f"the table of items lacks {lost.sum():,} of the items compared, {first}")
    c = c.with_features(np.column_stack([numbers(table, name) for name in chosen])[rows], chosen)
    return c if c.columns is None else replace(c, columns=replace(c.columns, item_features=tuple(chosen)))


def _guess_key(header: Sequence[str]) -> str:
    known = [name for name in header if name.casefold() in KEY_NAMES]
    if len(known) == 1:
        return known[0]
    raise InputError(
        f"which column names the items is not clear; choose {{@item_key}} out of {listed(header)}"
    )
