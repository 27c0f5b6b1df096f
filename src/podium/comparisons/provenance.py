"""How to repeat a board: the version, the options, which rows were left out and why, a hash of the rest."""

import json
from collections import Counter
from hashlib import sha256
from typing import Any

import numpy as np

from podium.comparisons.arrays import LABELLED, row_arrays
from podium.comparisons.features import distinct_rows
from podium.comparisons.table import Comparisons
from podium.version import __version__


def provenance(rows: Any, options: str) -> dict[str, Any]:
    """The version and the options, and what is known of the rows."""
    found: dict[str, Any] = {"podium": __version__, "options": " ".join(options.split())}
    if isinstance(rows, Comparisons):
        read = len(rows) + len(rows.skipped)
        found |= {"rows_read": read, "left_out": left_out(rows), "sha256": digest(rows)}
    return found


def left_out(rows: Any) -> list[str]:
    """How many rows were left out when they were read, and why."""
    why = Counter(reason for _, reason in rows.skipped)
    return [f"{n:,} with {reason}" for reason, n in why.items()] + [*getattr(rows.columns, "left_out", ())]


def digest(c: Comparisons) -> str:
    """The SHA-256 of the sorted distinct rows with their counts; neither order nor codes of labels matter.

    >>> c = Comparisons.from_arrays(["b", "a", "b"], ["c", "b", "c"], [-1, 1, -1])
    >>> digest(c) == digest(c[::-1]) == digest(c.aggregate()) != digest(c[1:])
    True
    """
    sides = c.items if c.teams is None else c.teams.labels(c.items)
    labels = {"left": sides, "right": sides} | {one: getattr(c, many) for one, many in LABELLED.items()}
    arrays = row_arrays(c)
    named: list[list[str]] = []
    columns: list[Any] = []
    if c.other_group is not None:
        del arrays["other_group"]
        arrays |= {f"group {name}": codes for name, (codes, _) in c.groupings.items()}
        labels |= {f"group {name}": known for name, (_, known) in c.groupings.items()}
    for name in sorted(arrays.keys() - {"count"}):
        values = arrays[name]
        if values.dtype.kind == "M":
            values = values.astype("datetime64[us]").astype(np.int64)
        if name in labels:
            used = np.flatnonzero(np.bincount(values))
            texts, code = np.unique([str(labels[name][k]) for k in used.tolist()], return_inverse=True)
            values, named = code[np.searchsorted(used, values)], [*named, texts.tolist()]
        columns.append(np.asarray(values, np.float64).reshape(len(c), -1))
    table = np.hstack(columns) + 0.0
    first, kind = distinct_rows(table)
    rows = np.column_stack([table[first], np.bincount(kind, c.count).round(9)]).astype("<f8")
    said = json.dumps([sorted(arrays), c.covariate_names, named]).encode()
    varied = rows[:, (rows != rows[0]).any(axis=0)] if len(rows) > 1 else rows  # fewer columns to sort by
    return sha256(said + rows[np.lexsort(varied.T[::-1])].tobytes()).hexdigest()
