"""Open anything that holds a table: files, databases, frames, relations, datasets."""

from collections.abc import Sequence
from typing import Any

from podium.comparisons.messages import InputError, quoted
from podium.reading.sources.databases import Database
from podium.reading.sources.frames import ArrayFile, ArrowDataset, Frame, is_dataset
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.opened import Opened
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.paths import (
    ARRAY,
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


def open_table(source: Any, encoding: str = "utf-8", sheet: str | Sequence[str] | None = None) -> Opened:
    """A frame, a relation, a database, or files as one table; a table that is open already stays as it is.

    ``encoding`` is for text and JSON, ``sheet`` for workbooks and databases.
    """
    sheets = [sheet] if isinstance(sheet, str) else [] if sheet is None else sheet
    if not isinstance(sheets, list | tuple) or not all(isinstance(one, str) for one in sheets):
        raise InputError(f"{{@sheet}} takes the name of a sheet or table, or a list, not {quoted(sheet)}")
    if isinstance(source, Opened):
        return source
    if not is_path(source):
        _no_sheet(sheets, "a frame")
        return ArrowDataset.open(source) if is_dataset(source) else Frame.open(source)
    if (address := address_of(source)) is not None:
        return Database.open(address, _one_table(sheets))
    files = files_of(source)
    kinds = [SVMLIGHT if is_svmlight(file) else file.kind for file in files]
    kind = kinds[0]
    if others := [(file, other) for file, other in zip(files, kinds, strict=True) if other != kind]:
        file, other = others[0]
        raise ValueError(
            f"the files are partly {kind} and partly {other}, such as '{file}'; read one kind at a time"
        )
    if kind == WORKBOOK:
        return Workbooks.open(files, sheets)
    if kind in (DATABASE, ARRAY) and len(files) > 1:
        raise ValueError(f"'{files[0]}' and '{files[1]}' are {kind}s; read one at a time")
    if kind == DATABASE:
        return Database.open(files[0].path, _one_table(sheets))
    _no_sheet(sheets, f"'{files[0]}'")
    if kind == ARRAY:
        return ArrayFile.read(files[0])
    if kind == PARQUET:
        return ParquetFiles(files)
    if kind == SVMLIGHT:
        return SvmlightFiles(files)
    if kind == PREFLIB:
        return PreflibFiles(files, encoding)
    return JsonFiles.open(files, encoding) if kind == JSON else TextFiles.open(files, encoding)


def _one_table(sheets: Sequence[str]) -> str | None:
    if len(sheets) > 1 or "*" in sheets:
        raise InputError("{@sheet} names one table of a database; only workbooks are read sheet after sheet")
    return sheets[0] if sheets else None


def _no_sheet(sheets: Sequence[str], source: str) -> None:
    if sheets:
        raise InputError(
            f"{{@sheet}} is the sheet of a workbook, or table of a database; {source} is neither"
        )
