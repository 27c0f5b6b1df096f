"""Read the rows that are wanted from an open table: the steps that comparisons and rankings share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import pyarrow as pa

from podium.comparisons.messages import InputError
from podium.comparisons.summary import Columns
from podium.options import DateOrder
from podium.reading.counted.decide import how_to_count
from podium.reading.files import Opened, counted_from, why_no_rows
from podium.reading.rankings.columns import RankingColumns
from podium.reading.selection import Selection, with_left_out
from podium.reading.skipped import Read, Sieve, rows_that_can_be_read
from podium.reading.sources.counting import ROWS, Counting
from podium.reading.sources.frames import ArrowDataset, Frame
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.text_files import TextFiles
from podium.reading.sources.watching import Progress

Meaning = TypeVar("Meaning", Columns, RankingColumns)
Form = TypeVar("Form")


@dataclass(frozen=True)
class Plan(Generic[Meaning]):
    """A table that was opened, what its columns mean, and which rows are wanted.

    ``skip`` leaves out rows that cannot be read. With ``counting``, equal rows are counted, not loaded.
    """

    opened: Opened
    columns: Meaning
    chosen: Selection
    skip: bool
    counting: Counting | None = None

    def counted(
        self,
        counted: bool | None,
        memory: str | int | None,
        progress: Progress | None,
        need_every_row: Mapping[str, bool],
    ) -> "Plan[Meaning]":
        """The plan after the decision whether equal rows are counted.

        ``need_every_row`` says which arguments rule counting out, besides those of the selection.
        """
        chosen = {"{@since}": self.chosen.since is not None, "{@dedup}": bool(self.chosen.dedup)}
        reasons = [name for name, is_needed in (dict(need_every_row) | chosen).items() if is_needed]
        counting = how_to_count(self.opened, counted, memory, progress, reasons)
        columns = self.columns if counting is None else _without_time(self.columns)
        return replace(self, columns=columns, counting=counting)

    def check_dates(self, dates: DateOrder | None) -> None:
        """Refuse ``dates=`` if no times are read."""
        if dates is not None and self.columns.time is None:
            raise InputError(
                "{@dates} says how times are written, and none are read; name their column with {@time}"
            )

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
        header = self.opened.header
        table = _load(self.opened, self.chosen.columns(header, self.columns), self.counting)
        if table.num_rows == 0:
            raise ValueError(why_no_rows(self.opened))
        rows = self.chosen.rows_of(table, header)
        first = counted_from(self.opened) if self.counting is None else ("distinct row", 1)

        def read(table: pa.Table, decided: Form | None = None) -> Read:
            table, left_out = self.chosen.without_repeats(table, self.columns)
            return with_left_out(parse(table, decided or form(table, False)), left_out)

        sieve = Sieve(table if rows is None else table.take(rows), *first, rows)
        return rows_that_can_be_read(sieve, read, sift, form, skip=self.skip, check=check)


def _without_time(columns: Meaning) -> Meaning:
    """The columns without that of time, which would keep equal rows apart."""
    if columns.time is None:
        return columns
    return replace(columns, time=None, unused=(*columns.unused, columns.time))


def _load(opened: Opened, columns: Sequence[str], counting: Counting | None) -> pa.Table:
    """All rows, or the distinct ones with a column of counts."""
    if counting is None:
        return opened.load(columns)
    if isinstance(opened, ArrowDataset | Frame | JsonFiles | ParquetFiles | TextFiles):
        return opened.load(columns, counting)
    table = opened.load(columns)
    found = table.group_by(list(columns)).aggregate([([], "count_all")])
    return found.select([*columns, "count_all"]).rename_columns([*columns, ROWS])
