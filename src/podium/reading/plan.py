"""Read the rows that are wanted from an open table: the steps that comparisons and rankings share."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import pyarrow as pa

from podium.comparisons.arrays import Index
from podium.comparisons.messages import InputError, InputWarning
from podium.comparisons.summary import Columns
from podium.options import AnyReading
from podium.reading import selection
from podium.reading.counting import how_to_count
from podium.reading.dates import ORDERS
from podium.reading.files import open_table
from podium.reading.header import check_choice
from podium.reading.rankings.columns import RankingColumns
from podium.reading.skipped import Read, Sieve
from podium.reading.sources.counting import LEAST, ROWS, Counting, Progress
from podium.reading.sources.opened import BYTES_OF_ROW, Opened

Given = TypeVar("Given", bound=AnyReading)
Meaning = TypeVar("Meaning", Columns, RankingColumns)
Form = TypeVar("Form")


@dataclass(frozen=True)
class Plan(Generic[Given, Meaning]):
    """A table that was opened, what was said of it, and what its columns mean.

    With ``counting``, equal rows are counted, not loaded.
    """

    opened: Opened
    given: Given
    columns: Meaning
    counting: Counting | None = None

    def counted(
        self, counted: bool | None, progress: Progress | None, need_every_row: Mapping[str, bool]
    ) -> "Plan[Given, Meaning]":
        """The plan after the decision whether equal rows are counted.

        ``need_every_row`` says which arguments rule counting out, besides those that choose rows.
        """
        chosen = {"{@since}": self.given.since is not None, "{@dedup}": bool(self.given.dedup)}
        reasons = [name for name, is_needed in (dict(need_every_row) | chosen).items() if is_needed]
        counting = how_to_count(self.opened, counted, self.given.memory, progress, reasons)
        columns: Any = self.columns
        if counting is not None and columns.time is not None:  # it would keep equal rows apart
            columns = replace(columns, time=None, unused=(*columns.unused, columns.time))
        return replace(self, columns=columns, counting=counting)

    def check_dates(self) -> None:
        """Refuse ``dates=`` if no times are read."""
        if self.given.dates is not None and self.columns.time is None:
            raise InputError(
                "{@dates} says how times are written, and none are read; name their column with {@time}"
            )

    @property
    def needed(self) -> list[str]:
        """The columns to load: those that are used, and those that choose rows."""
        header: list[str] = self.opened.header
        given: AnyReading = self.given
        keys: list[str] = selection.key_columns(given, header, self.columns)
        return list(dict.fromkeys([*self.columns.used(), *selection.named_in(given.where, header), *keys]))

    def read(
        self,
        parse: Callable[[pa.Table, Form], Read],
        sift: Callable[[Sieve, Form], None],
        form: Callable[[pa.Table, bool], Form],
        check: str,
    ) -> Read:
        """Load the columns and parse the rows that are wanted; ``sift`` leaves out those that are bad.

        ``form`` says how a table is read, and with True its good rows; ``check`` names the arguments to look
        at if most rows are bad.
        """
        table, rows = load_where(self.opened, self.needed, self.given.where, self.counting)
        first = self.opened.counted_from() if self.counting is None else ("distinct row", 1)
        sieve = Sieve(table, *first, rows)

        def read(table: pa.Table, decided: Form | None = None) -> Read:
            table, left_out = selection.without_repeats(table, self.given, self.columns)
            return selection.with_left_out(parse(table, decided or form(table, False)), left_out)

        if self.given.bad_rows == "skip":
            decided = form(sieve.table, True)
            sift(sieve, decided)
            sieve.check_half(check)
            found = read(sieve.table, decided)
            if sieve.n_skipped:
                warnings.warn(f"{sieve.account()}; they are left out", stacklevel=4)
            return replace(found, skipped=sieve.skipped())
        try:
            return read(sieve.table)
        except ValueError as found:
            is_whole = not self.given.dedup and self.counting is None  # so that rows are those of the source
            error = self.opened.placed(found, rows) if is_whole else found
            with suppress(ValueError):  # what is wrong with a whole column is in the error already
                sift(sieve, form(sieve.table, True))
            raise sieve.with_offer(error) from None


def open_for(source: Any, given: AnyReading) -> Opened:
    """Check the arguments that all tables share, and open the source."""
    check_choice(given.bad_rows, "bad_rows", ("error", "skip"))
    check_choice(given.dates, "dates", (None, *ORDERS))
    selection.check_selection(given)
    return open_table(source, given.encoding, given.sheet)


def load_where(
    opened: Opened, columns: Sequence[str], where: str | None, counting: Counting | None = None
) -> tuple[pa.Table, Index | None]:
    """The rows that meet a condition, and which rows these are; None if all are wanted.

    With ``counting``, they are the distinct rows with a column of counts.
    """
    table = opened.load(columns, counting)
    if counting is not None and ROWS not in table.column_names:
        table = table.group_by(list(columns)).aggregate([([], "count_all")])
        table = table.select([*columns, "count_all"]).rename_columns([*columns, ROWS])
    if table.num_rows == 0:
        raise ValueError(opened.why_no_rows())
    if counting is not None and counting.memory is not None:
        needed = BYTES_OF_ROW * table.num_rows
        if needed > max(counting.memory, LEAST):
            what = f"{table.num_rows:,} distinct rows are left, which take about {needed / 1e9:.1f} GB"
            warnings.warn(InputWarning(f"{what}, more than {{@memory}}"), stacklevel=5)
    if where is None:
        return table, None
    rows = selection.rows_where(table, where, opened.header)
    return table.take(rows), rows
