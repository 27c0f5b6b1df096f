"""Open anything that holds a table: files, databases, frames, relations, datasets."""

from typing import Any

from podium.comparisons.messages import InputError, quoted
from podium.reading.sources.databases import Database
from podium.reading.sources.frames import ArrowDataset, Frame, is_dataset
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.opened import Opened
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


def open_table(source: Any, encoding: str = "utf-8", sheet: str | None = None) -> Opened:
    """A frame, a relation, a database, or files as one table; a table that is open already stays as it is.

    ``encoding`` is for text and JSON, ``sheet`` for workbooks and databases.
    """
    if sheet is not None and not isinstance(sheet, str):
        raise InputError(f"{{@sheet}} takes the name of a sheet or table, not {quoted(sheet)}")
    if isinstance(source, Opened):
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
