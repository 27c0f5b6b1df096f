"""Open anything that holds a table: files, databases, frames, relations, datasets."""

from collections.abc import Sequence
from typing import Any, Protocol

import pyarrow as pa

from podium.comparisons.messages import InputError, quoted
from podium.reading.sources.databases import COMPARISONS, Database
from podium.reading.sources.frames import ArrowDataset, Frame, is_dataset
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.paths import (
    DATABASE,
    JSON,
    PARQUET,
    PREFLIB,
    SVMLIGHT,
    WORKBOOK,
    address_of,
    files_of,
    is_path,
)
from podium.reading.sources.preflib import PreflibFiles
from podium.reading.sources.svmlight import SvmlightFiles, is_svmlight
from podium.reading.sources.text_files import TextFiles
from podium.reading.sources.workbooks import Workbooks


class Opened(Protocol):
    """A table whose header is known and whose columns can be loaded."""

    @property
    def header(self) -> list[str]:
        """The names of the columns; a field within a column has a dotted name."""

    @property
    def is_text(self) -> bool:
        """Whether blanks around a label are to be dropped."""

    def load(self, columns: Sequence[str]) -> pa.Table:
        """Some of the columns."""


OPENED = (
    ArrowDataset,
    Database,
    Frame,
    JsonFiles,
    ParquetFiles,
    PreflibFiles,
    SvmlightFiles,
    TextFiles,
    Workbooks,
)


def open_table(source: Any, encoding: str = "utf-8", sheet: str | None = None) -> Opened:
    """A frame, a relation, a database, or files as one table; a table that is open already stays as it is.

    ``encoding`` is for text and JSON, ``sheet`` for workbooks and databases.
    """
    if sheet is not None and not isinstance(sheet, str):
        raise InputError(f"{{@sheet}} takes the name of a sheet or table, not {quoted(sheet)}")
    if isinstance(source, OPENED):
        return source
    if not is_path(source):
        _no_sheet(sheet, "a frame")
        return ArrowDataset.open(source) if is_dataset(source) else Frame.open(source)
    if (address := address_of(source)) is not None:
        return Database.open(address, sheet)
    files = files_of(source)
    kinds = [SVMLIGHT if is_svmlight(file) else file.kind for file in files]
    kind = kinds[0]
    if others := [(file, other) for file, other in zip(files, kinds, strict=True) if other != kind]:
        file, other = others[0]
        raise ValueError(
            f"the files are partly {kind} and partly {other}, such as '{file}'; read one kind at a time"
        )
    if kind == WORKBOOK:
        return Workbooks.open(files, sheet)
    if kind == DATABASE:
        if len(files) > 1:
            raise ValueError(f"'{files[0]}' and '{files[1]}' are databases; read one at a time")
        return Database.open(files[0].path, sheet)
    _no_sheet(sheet, f"'{files[0]}'")
    if kind == PARQUET:
        return ParquetFiles(files)
    if kind == SVMLIGHT:
        return SvmlightFiles(files)
    if kind == PREFLIB:
        return PreflibFiles(files, encoding)
    return JsonFiles.open(files, encoding) if kind == JSON else TextFiles.open(files, encoding)


def _no_sheet(sheet: str | None, source: str) -> None:
    if sheet is not None:
        raise InputError(
            f"{{@sheet}} is the sheet of a workbook, or table of a database; {source} is neither"
        )


def why_no_rows(opened: Opened) -> str:
    """What to say of a table without rows."""
    if not isinstance(opened, Database):
        return "there are no rows to read, only a header"
    empty = f"there are no rows to read: the table {quoted(opened.table)} is empty"
    return f"{empty}; if this is a vote, nobody has voted yet" if opened.table == COMPARISONS else empty


def counted_from(opened: Opened) -> tuple[str, int]:
    """How a reader of the source counts rows: by the lines of a text file, the rows of a sheet, or from 1."""
    if isinstance(opened, TextFiles) and len(opened.files) == 1:
        return "line", opened.layout.titles + 2
    if isinstance(opened, PreflibFiles):
        return "line", opened.first_row
    return "row", opened.first_row if isinstance(opened, Workbooks) else 1
