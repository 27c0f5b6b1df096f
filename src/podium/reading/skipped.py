"""The rows that are left out of a table, each with its line and the reason."""

from collections import Counter
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import dictionary_encode
from podium.comparisons.messages import quoted

SHOWN = 3  # rows that a message names
Mask = NDArray[np.bool_]


class Fault(NamedTuple):
    """Lines that were left out for one reason, and what stood in the cell at fault, if that says more."""

    lines: NDArray[np.int64]
    reason: str
    cells: pa.ChunkedArray | None

    def reasons(self) -> list[str]:
        if self.cells is None:
            return [self.reason] * len(self.lines)
        distinct, codes = dictionary_encode(self.cells)
        shown = [f"{self.reason}: {quoted(cell)}" for cell in distinct.to_pylist()]
        return list(np.array([*shown, self.reason], dtype=object)[codes])  # the last for an empty cell


class Sieve:
    """The rows of a table that are still good, and for every other row the first reason why it is not.

    ``first`` is the number of the source's first row as a reader sees it: 2 below the header of a text file.
    ``rows`` are the positions in the source of the rows of the table; None if it has all of them.
    """

    def __init__(self, table: pa.Table, noun: str, first: int, rows: NDArray[np.int64] | None) -> None:
        self.table = table
        self.noun = noun
        self.total: int = table.num_rows
        self._first, self._rows = first, rows
        self._faults: list[Fault] = []

    @cached_property
    def _lines(self) -> NDArray[np.int64]:
        """The line numbers of the good rows; not needed as long as all rows are good."""
        return self._first + (np.arange(self.total) if self._rows is None else self._rows)

    @property
    def n_skipped(self) -> int:
        return self.total - int(self.table.num_rows)

    def drop(self, bad: Mask, reason: str, cells_of: str | None = None) -> None:
        """Leave rows out; the cells of a column may say more about the reason."""
        if bad.any():
            cells = None if cells_of is None else self.table[cells_of].filter(pa.array(bad))
            self._faults.append(Fault(self._lines[bad], reason, cells))
            self._lines = self._lines[~bad]
            self.table = self.table.filter(pa.array(~bad))

    def drop_cells(self, bad: Mask, name: str, wanted: str) -> None:
        """Leave out rows that have nothing in a column, or something else than what is wanted."""
        if bad.any():
            empty = np.asarray(self.table[name].is_null()) & bad
            self.drop(empty, f"nothing in '{name}'")
            self.drop(bad[~empty], f"no {wanted} in '{name}'", name)

    def skipped(self) -> tuple[tuple[int, str], ...]:
        """The line of every row that was left out and the reason, in the order of the lines."""
        if not self._faults:
            return ()
        lines = np.concatenate([fault.lines for fault in self._faults])
        reasons = [reason for fault in self._faults for reason in fault.reasons()]
        return tuple((int(lines[k]), reasons[k]) for k in np.argsort(lines, kind="stable"))

    def account(self) -> str:
        """How many rows were left out, why, and the first few of them."""
        counts: Counter[str] = Counter()
        for fault in self._faults:
            counts[fault.reason] += len(fault.lines)
        why = ", ".join(f"{reason} ({count:,})" for reason, count in counts.most_common())
        skipped = self.skipped()
        first = "; ".join(f"{self.noun} {line:,}, {reason}" for line, reason in skipped[:SHOWN])
        return f"{self.n_skipped:,} of {self.total:,} rows cannot be read: {why}; the first: {first}"
