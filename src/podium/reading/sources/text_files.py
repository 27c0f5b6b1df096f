"""CSV and TSV files, read by DuckDB with every option set.

The dialect of a text file is read off its header, every cell stays text, and a line with too few or too many
cells is an error: DuckDB's own sniffer would rather skip the header, or lines that look like comments.
"""

import csv
import glob
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from podium.comparisons.labels import is_text
from podium.reading.sources.connection import duckdb_on, select
from podium.reading.sources.counting import Counting
from podium.reading.sources.encodings import as_utf8, blocks, checked_encoding, has_open_quote, with_even_ends
from podium.reading.sources.opened import Opened, bytes_of_text, rows_of_text
from podium.reading.sources.paths import File
from podium.reading.sources.titled import header_row, names_of_columns, without_blank_end, without_blank_rows
from podium.reading.sources.with_counts import COUNT, WithCounts

QUOTED = re.compile(r'"(?:[^"]|"")*"')
APOSTROPHE = r"^'('*[=+\-@\t\r\n])"  # keeps a spreadsheet from running a cell as a formula
LONGEST = 2_000_000  # characters: DuckDB reads no longer lines
MOST_TITLES = 50  # lines that are searched for the header


class Layout(NamedTuple):
    """What the first lines of a file say about it."""

    header: list[str]
    delimiter: str
    titles: int  # lines above the header


@dataclass(frozen=True)
class TextFiles(Opened):
    """Text files with the same header."""

    files: Sequence[File]
    encoding: str
    layout: Layout
    is_text: ClassVar[bool] = True

    @classmethod
    def open(cls, files: Sequence[File], encoding: str) -> Opened:
        encoding = checked_encoding(encoding, files[0])
        layouts = {file: _layout(file, encoding) for file in files}
        counted = [file for file in files if COUNT in layouts[file].header]
        if counted and (parts := WithCounts.of(files, counted, lambda some: cls.open(some, encoding))):
            return parts
        for file in files[1:]:
            if layouts[file] != layouts[files[0]]:
                what = f"'{file}' has another header or delimiter than '{files[0]}'"
                raise ValueError(f"{what}; read them one by one")
        return cls(files, encoding, layouts[files[0]])

    @property
    def header(self) -> list[str]:
        return self.layout.header

    def counted_from(self) -> tuple[str, int]:
        return ("line", self.layout.titles + 2) if len(self.files) == 1 else ("row", 1)

    def n_rows(self) -> int:
        return rows_of_text(self.files[0], self.encoding, "\n", self.n_bytes())

    def n_bytes(self) -> int:
        return bytes_of_text(self.files)

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        with as_utf8(self.files, self.encoding) as readable:
            try:
                return self._read(readable, columns, counting, parallel=True)
            except ValueError:  # several threads may stumble over line breaks in quotes, one does not;
                if any(map(has_open_quote, readable)):  # but it swallows a quote left open
                    raise
            with with_even_ends(readable) as even:  # and none can read lines that end in several ways
                return self._read(even, columns, counting, parallel=False)

    def _read(
        self, readable: Sequence[File], columns: Sequence[str], counting: Counting | None, *, parallel: bool
    ) -> pa.Table:
        packed = {file.packed or "none" for file in readable}
        with duckdb_on(readable, counting) as connection:
            relation = connection.read_csv(
                [glob.escape(str(file.path)) for file in readable],
                auto_detect=False,
                columns=dict.fromkeys(self.header, "VARCHAR"),
                header=True,
                skiprows=self.layout.titles,
                delimiter=self.layout.delimiter,
                quotechar='"',
                escapechar='"',
                compression=packed.pop() if len(packed) == 1 else "auto",
                hive_partitioning=False,
                parallel=parallel,
            )
            if counting is None and set(columns) == set(self.header):  # naming 20,000 columns takes long
                return _unescaped(without_blank_end(relation.to_arrow_table().select(list(columns))))
            table = select(connection, relation, {name: (name,) for name in columns}, counting)
            return _unescaped(without_blank_end(table) if counting is None else without_blank_rows(table))


def _unescaped(table: pa.Table) -> pa.Table:
    """The table with names such as =x and -x, which podium and others write as '=x and '-x."""
    for place, name in enumerate(table.column_names):
        cells = _values(table[name])
        if is_text(cells.type) and pc.any(pc.starts_with(cells, "'")).as_py():
            cells = pc.replace_substring_regex(cells, APOSTROPHE, r"\1").cast(table[name].type)
            table = table.set_column(place, name, cells)
    return table


def _values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of categories as their values."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _layout(file: File, encoding: str) -> Layout:
    """The names of the columns, the delimiter between them, and how many lines of titles are above."""
    text = ""
    for block in blocks(file, encoding):
        text = (text + block).removeprefix("\ufeff")
        lines = re.split(r"\r\n|\r|\n", QUOTED.sub("x", text), maxsplit=MOST_TITLES)[:MOST_TITLES]
        above = header_row([re.split(r"[\t,;|]", line) for line in lines])
        if above < len(lines) - 1:  # so that all of the header is there
            break
        if len(text) > LONGEST:
            raise ValueError(f"the header of '{file}' is longer than two million characters")
    if not text.strip():
        raise ValueError(f"'{file}' is empty; its first line has to name the columns")
    delimiter = max("\t,;|", key=lines[above].count)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        cells = next(islice(reader, above, None))
    except csv.Error as error:
        raise ValueError(f"the header of '{file}' cannot be read: {error}") from None
    return Layout(names_of_columns(cells, file), delimiter, above)
