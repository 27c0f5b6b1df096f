"""The rows that are left out of a table, each with its line and the reason."""

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.labels import dictionary_encode
from podium.comparisons.messages import InputError, extended, quoted
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.reading.formats import Format, Mask, is_list
from podium.reading.sources.counting import ROWS

SHOWN = 3  # rows that a message names
Read = TypeVar("Read", Comparisons, Rankings)


class Fault(NamedTuple):
    """Lines that were left out for one reason, and what stood in the cell at fault, if that says more.

    ``rows`` is their number, which is larger if a line stands for several equal rows.
    """

    lines: NDArray[np.int64]
    reason: str
    cells: pa.ChunkedArray | None
    rows: int

    def reasons(self) -> list[str]:
        if self.cells is None:
            return [self.reason] * len(self.lines)
        distinct, codes = dictionary_encode(self.cells)
        shown = [f"{self.reason}: {quoted(cell)}" for cell in distinct.to_pylist()]
        return list(np.array([*shown, self.reason], dtype=object)[codes])  # the last for an empty cell

    def words(self) -> Counter[str]:
        """What stood in the cells at fault, and in how many lines."""
        if self.cells is None:
            return Counter()
        found = pc.value_counts(self.cells.drop_null()).to_pylist()
        return Counter({quoted(each["values"]): each["counts"] for each in found})


class Sieve:
    """The rows of a table that are still good, and for every other row the first reason why it is not.

    ``first`` is the number of the source's first row as a reader sees it: 2 below the header of a text file.
    ``rows`` are the positions in the source of the rows of the table; None if it has all of them.
    """

    def __init__(self, table: pa.Table, noun: str, first: int, rows: NDArray[np.int64] | None) -> None:
        self.table = table
        self.noun = noun
        self.total = _n_rows(table)
        self._n_lines: int = table.num_rows
        self._first, self._rows = first, rows
        self._faults: list[Fault] = []

    @cached_property
    def _lines(self) -> NDArray[np.int64]:
        """The line numbers of the good rows; not needed as long as all rows are good."""
        return self._first + (np.arange(self._n_lines) if self._rows is None else self._rows)

    @property
    def n_skipped(self) -> int:
        return self.total - _n_rows(self.table)

    def drop(self, bad: Mask, reason: str, cells_of: str | None = None) -> None:
        """Leave rows out; the cells of a column may say more about the reason."""
        if bad.any():
            cells = None if cells_of is None else self.table[cells_of].filter(pa.array(bad))
            rows = _n_rows(self.table.filter(pa.array(bad)))
            self._faults.append(Fault(self._lines[bad], reason, cells, rows))
            self._lines = self._lines[~bad]
            self.table = self.table.filter(pa.array(~bad))

    def drop_unread(
        self, form: Format, wanted: str, fits: Callable[[NDArray[Any]], Mask] | None = None
    ) -> None:
        """Leave out rows that have nothing in a column, or something else than what is wanted."""
        name = form.name
        values, bad = form.apply(self.table[name])
        if fits is not None:
            bad = bad | ~fits(values)
        empty = np.asarray(self.table[name].is_null()) & bad
        self.drop(empty, f"nothing in '{name}'")
        self.drop(bad[~empty], f"no {wanted} in '{name}'", None if is_list(self.table[name].type) else name)

    def skipped(self) -> tuple[tuple[int, str], ...]:
        """The line of every row that was left out and the reason, in the order of the lines."""
        if not self._faults:
            return ()
        lines = np.concatenate([fault.lines for fault in self._faults])
        reasons = [reason for fault in self._faults for reason in fault.reasons()]
        return tuple((int(lines[k]), reasons[k]) for k in np.argsort(lines, kind="stable"))

    def account(self) -> str:
        """How many rows were left out, why, and the first few of them."""
        first = "; ".join(f"{self.noun} {line:,}, {reason}" for line, reason in self.skipped()[:SHOWN])
        return f"{self.n_skipped:,} of {self.total:,} rows cannot be read: {self._why()}; the first: {first}"

    def check_half(self, check: str) -> None:
        """Refuse to leave out more than half of the rows; ``check`` names the arguments to look at."""
        if self.n_skipped > self.total / 2:
            raise InputError(f"{self.account()}; more than half is too much to skip, so check {check}")

    def with_offer(self, error: ValueError) -> ValueError:
        """The error, and how many rows are at fault if they are few enough to be left out."""
        if not 0 < self.n_skipped <= self.total / 2:
            return error
        rows, (line, reason) = f"{self.n_skipped:,} of {self.total:,} rows", self.skipped()[0]
        if len({fault.reason for fault in self._faults}) > 1:  # the error tells of one alone
            rows += f": {self._why()}; the first: {self.noun} {line:,}, {reason}"
        elif getattr(error, "row", None) is None:
            rows += f", {'the first of them ' * (self.n_skipped > 1)}{self.noun} {line:,}"
        return extended(error, f"{{@bad_rows='skip'}} leaves out what cannot be read, {rows}")

    def _why(self) -> str:
        counts: Counter[str] = Counter()
        words: defaultdict[str, Counter[str]] = defaultdict(Counter)
        skipped = self.skipped()
        for fault in self._faults:
            counts[fault.reason] += fault.rows
            if len(skipped) > SHOWN:  # otherwise each row is named, with its cell
                words[fault.reason].update(fault.words())
        return ", ".join(
            f"{reason} ({count:,}{_common(words[reason])})" for reason, count in counts.most_common()
        )


def _common(words: Counter[str]) -> str:
    """The most common of the words, after a colon.

    >>> _common(Counter({"'won'": 2, "'same?'": 7})), _common(Counter())
    (": 'same?', 'won'", '')
    """
    shown = ", ".join(word for word, _ in words.most_common(SHOWN))
    more = ", ..." if len(words) > SHOWN else ""
    return f": {shown}{more}" if words else ""


def _n_rows(table: pa.Table) -> int:
    """The rows of a table, or those that its distinct rows stand for."""
    return int(pc.sum(table[ROWS]).as_py() or 0) if ROWS in table.column_names else int(table.num_rows)
