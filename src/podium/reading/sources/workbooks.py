"""Workbooks of Excel and similar programs, read by calamine; cells keep their types."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa

from podium.comparisons.messages import InputError, listed, quoted
from podium.reading.sources.counting import Counting
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import File
from podium.reading.sources.titled import header_row, names_of_columns, without_blank_end

Rows = list[list[Any]]
ALL = "*"  # for every sheet that is neither hidden nor empty; no sheet can be called so


@dataclass(frozen=True)
class Workbooks(Opened):
    """Sheets of each workbook, all with the same header."""

    files: Sequence[File]
    columns: list[str]
    rows: Rows
    first_row: int  # the number of the first of them in its sheet; 1 if there are several sheets
    is_text: ClassVar[bool] = True  # so that blanks around names are dropped

    @classmethod
    def open(cls, files: Sequence[File], sheets: Sequence[str]) -> "Workbooks":
        found = [part for file in files for part in _parts(file, sheets)]
        first, *others = found
        for other in others:
            if other.header != first.header:
                what = f"{other.name} has another header than {first.name}; "
                if other.file is first.file:
                    raise InputError(what + "choose sheets of one header with {@sheet}")
                raise ValueError(what + "read them one by one")
        rows = [row for part in found for row in part.rows]
        return cls(files, first.header, rows, 1 if others else first.first_row)

    @property
    def header(self) -> list[str]:
        return self.columns

    def counted_from(self) -> tuple[str, int]:
        return "row", self.first_row

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        place = {name: number for number, name in enumerate(self.header)}
        cells = {name: _column([row[place[name]] for row in self.rows]) for name in columns}
        return without_blank_end(pa.table(cells))


class Part(NamedTuple):
    """A sheet: its header, the rows below it, and the number that the first of them has in the sheet."""

    file: File
    name: str
    header: list[str]
    rows: Rows
    first_row: int


def _parts(file: File, sheets: Sequence[str]) -> list[Part]:
    """The sheets that were named; else the only one that is neither hidden nor empty."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_path(str(file.path))
        chosen = _chosen(workbook, file, sheets)
        return [
            _part(
                file,
                f"sheet '{one}' of '{file}'" if chosen[1:] else f"'{file}'",
                workbook.get_sheet_by_name(one),
            )
            for one in chosen
        ]
    except CalamineError as error:
        raise ValueError(f"'{file}' cannot be read as a workbook: {error}") from None


def _part(file: File, name: str, sheet: Any) -> Part:
    rows = sheet.to_python()  # from the first that is not empty
    above = sheet.start[0] if sheet.start else 0
    as_text = [[_text(cell) or "" for cell in row] for row in rows[:50]]
    first = header_row(as_text)
    if not rows or not any(as_text[first]):
        raise ValueError(f"{name} is empty; the first row of a sheet has to name the columns")
    header = names_of_columns(as_text[first], file)
    return Part(file, name, header, rows[first + 1 :], above + first + 2)


def _chosen(workbook: Any, file: File, sheets: Sequence[str]) -> list[str]:
    from python_calamine import SheetVisibleEnum

    if sheets and ALL not in sheets:
        if unknown := [name for name in sheets if name not in workbook.sheet_names]:
            has = listed(workbook.sheet_names)
            raise ValueError(f"'{file}' has no sheet {quoted(unknown[0])}; its sheets are {has}")
        return list(dict.fromkeys(sheets))
    shown = [each.name for each in workbook.sheets_metadata if each.visible == SheetVisibleEnum.Visible]
    filled = [name for name in shown if workbook.get_sheet_by_name(name).height]
    if len(filled) > 1 and not sheets:
        raise InputError(
            f"'{file}' has the sheets {listed(filled)}; choose one with {{@sheet}}, or all with {{@sheet}}'*'"
        )
    return filled or [*shown, *workbook.sheet_names][:1]


def _column(cells: Sequence[Any]) -> pa.Array:
    """Cells of one type keep it; cells of several types are text."""
    kinds = {type(cell) for cell in cells if cell != ""}
    if kinds <= {int, float}:
        values = [None if cell == "" else cell for cell in cells]
        whole = all(value is None or value == int(value) for value in values)
        return pa.array(values, pa.float64()).cast(pa.int64()) if whole else pa.array(values, pa.float64())
    if kinds <= {date, datetime}:
        moments = [datetime.combine(cell, time()) if type(cell) is date else cell for cell in cells]
        return pa.array([None if cell == "" else cell for cell in moments], pa.timestamp("us"))
    if kinds == {bool}:
        return pa.array([None if cell == "" else cell for cell in cells])
    return pa.array([_text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str | None:
    """A cell as text, None if it is blank. Workbooks have 7.0 where 7 was typed."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = cell.isoformat() if isinstance(cell, date | time) else str(cell)
    return text if text.strip() else None
