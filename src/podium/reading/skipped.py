"""The rows that are left out of a table, each with its line and the reason."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.labels import dictionary_encode
from podium.comparisons.messages import InputError, extended, quoted
from podium.comparisons.rankings.table import Rankings
from podium.comparisons.table import Comparisons
from podium.reading.sources.counting import ROWS

SHOWN = 3  # rows that a message names
Mask = NDArray[np.bool_]
Read = TypeVar("Read", Comparisons, Rankings)
Form = TypeVar("Form")


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
        distinct, codes = dictionary_encode(self.cells)
        times = np.bincount(codes[codes >= 0], minlength=len(distinct)).tolist()
        return Counter(dict(zip(map(quoted, distinct.to_pylist()), times, strict=True)))


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
        first = "; ".join(f"{self.noun} {line:,}, {reason}" for line, reason in self.skipped()[:SHOWN])
        return f"{self.n_skipped:,} of {self.total:,} rows cannot be read: {self._why()}; the first: {first}"

    def offer(self, row_is_named: bool) -> str:
        """How many rows would be left out, why if there are several reasons, and the first unless named."""
        rows, (line, reason) = f"{self.n_skipped:,} of {self.total:,} rows", self.skipped()[0]
        if len({fault.reason for fault in self._faults}) > 1:  # the error tells of one alone
            return f"{rows}: {self._why()}; the first: {self.noun} {line:,}, {reason}"
        first = "the first of them " if self.n_skipped > 1 else ""
        return rows if row_is_named else f"{rows}, {first}{self.noun} {line:,}"

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


def rows_that_can_be_read(
    sieve: Sieve,
    read: Callable[..., Read],
    sift: Callable[[Sieve, Form], None],
    form: Callable[[pa.Table, bool], Form],
    *,
    skip: bool,
    check: str,
) -> Read:
    """All rows, or with ``skip`` the good ones and a warning that accounts for the others.

    ``form`` says how a table is to be read, ``check`` names the arguments to look at if most rows are bad.
    """
    if not skip:
        return _all_rows(sieve, read, sift, form)
    decided = form(sieve.table, True)
    sift(sieve, decided)
    if sieve.n_skipped > sieve.total / 2:
        raise InputError(f"{sieve.account()}; more than half is too much to skip, so check {check}")
    found = read(sieve.table, decided)
    if not sieve.n_skipped:
        return found
    warnings.warn(f"{sieve.account()}; they are left out", stacklevel=5)
    return replace(found, skipped=sieve.skipped())


def _all_rows(
    sieve: Sieve,
    read: Callable[..., Read],
    sift: Callable[[Sieve, Form], None],
    form: Callable[[pa.Table, bool], Form],
) -> Read:
    """Every row; an error says how many rows are at fault, if they are few enough to be left out."""
    try:
        return read(sieve.table)
    except ValueError as error:
        with suppress(ValueError):  # what is wrong with a whole column is in the error already
            sift(sieve, form(sieve.table, True))
        if not 0 < sieve.n_skipped <= sieve.total / 2:
            raise
        offer = sieve.offer(row_is_named=isinstance(error, InputError) and error.row is not None)
        advice = f"{{@bad_rows='skip'}} leaves out what cannot be read, {offer}"
        raise extended(error, advice) from None
