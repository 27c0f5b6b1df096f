"""Open anything that holds a table: files, databases, frames, relations, datasets."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from podium.comparisons.messages import InputError, quoted
from podium.reading.sources import paths
from podium.reading.sources.databases import Database
from podium.reading.sources.frames import ArrayFile, ArrowDataset, Frame, is_dataset
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.opened import Opened
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.paths import File
from podium.reading.sources.preflib import PreflibFiles
from podium.reading.sources.svmlight import SvmlightFiles, is_svmlight
from podium.reading.sources.text_files import TextFiles
from podium.reading.sources.with_counts import COUNT, WithCounts
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
    if not paths.is_path(source):
        _no_sheet(sheets, "a frame")
        return ArrowDataset.open(source) if is_dataset(source) else Frame.open(source)
    if (address := paths.address_of(source)) is not None:
        return Database.open(address, _one_table(sheets))
    files = paths.files_of(source)
    by_kind: dict[str, list[File]] = {}
    for file in files:
        by_kind.setdefault(paths.SVMLIGHT if is_svmlight(file) else file.kind, []).append(file)
    if len(by_kind) > 1:
        return _of_two_kinds(by_kind, encoding)
    [kind] = by_kind
    if kind == paths.WORKBOOK:
        return Workbooks.open(files, sheets)
    if kind in (paths.DATABASE, paths.ARRAY) and len(files) > 1:
        raise ValueError(f"'{files[0]}' and '{files[1]}' are {kind}s; read one at a time")
    if kind == paths.DATABASE:
        return Database.open(files[0].path, _one_table(sheets))
    _no_sheet(sheets, f"'{files[0]}'")
    return _of_one_kind(kind, files, encoding)


def _of_one_kind(kind: str, files: Sequence[File], encoding: str) -> Opened:
    if kind == paths.ARRAY:
        return ArrayFile.read(files[0])
    if kind == paths.SVMLIGHT:
        return SvmlightFiles(files, encoding)
    if kind == paths.PREFLIB:
        return PreflibFiles(files, encoding)
    if kind == paths.TEXT:
        return TextFiles.open(files, encoding)
    opened = JsonFiles.open(files, encoding) if kind == paths.JSON else ParquetFiles(files)
    if len(files) > 1 and COUNT in opened.header:
        read = partial(_of_one_kind, kind, encoding=encoding)
        counted = [file for file in files if COUNT in read([file]).header]
        return WithCounts.of(files, counted, read) or opened
    return opened


def _of_two_kinds(by_kind: Mapping[str, Sequence[File]], encoding: str) -> Opened:
    """Counts in files of one kind, and rows in files of another; no other kinds are read together."""
    if len(by_kind) == 2 and by_kind.keys() <= {paths.PARQUET, paths.JSON, paths.TEXT}:
        with suppress(ValueError):  # of a broken file; that the kinds are mixed says more
            parts = [_of_one_kind(kind, files, encoding) for kind, files in by_kind.items()]
            counted, plain = sorted(parts, key=lambda part: COUNT not in part.header)
            if COUNT in counted.header and COUNT not in plain.header:
                return WithCounts(counted, plain)
    (kind, _), (other, files), *_ = by_kind.items()
    raise ValueError(
        f"the files are partly {kind} and partly {other}, such as '{files[0]}'; read one kind at a time"
    )


def _one_table(sheets: Sequence[str]) -> str | None:
    if len(sheets) > 1 or "*" in sheets:
        raise InputError("{@sheet} names one table of a database; only workbooks are read sheet after sheet")
    return sheets[0] if sheets else None


def _no_sheet(sheets: Sequence[str], source: str) -> None:
    if sheets:
        raise InputError(
            f"{{@sheet}} is the sheet of a workbook, or table of a database; {source} is neither"
        )
