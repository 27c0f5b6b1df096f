"""Workbooks of Excel and similar programs, read by calamine; cells keep their types."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, ClassVar

import pyarrow as pa

from podium.comparisons.messages import InputError, listed, quoted
from podium.reading.sources.counting import Counting
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import File
from podium.reading.sources.titled import header_row, names_of_columns, without_blank_end

Rows = list[list[Any]]


@dataclass(frozen=True)
class Workbooks(Opened):
    """A sheet of each workbook, all with the same header."""

    files: Sequence[File]
    columns: list[str]
    rows: Rows
    first_row: int  # the number of the first of them in its sheet; 1 if there are several sheets
    is_text: ClassVar[bool] = True  # so that blanks around names are dropped

    @classmethod
    def open(cls, files: Sequence[File], sheet: str | None) -> "Workbooks":
        header, rows, first_row = _header_and_rows(files[0], sheet)
        for file in files[1:]:
            other, more, _ = _header_and_rows(file, sheet)
            if other != header:
                raise ValueError(f"'{file}' has another header than '{files[0]}'; read them one by one")
            rows += more
        return cls(files, header, rows, first_row if len(files) == 1 else 1)

    @property
    def header(self) -> list[str]:
        return self.columns

    def counted_from(self) -> tuple[str, int]:
        return "row", self.first_row

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        place = {name: number for number, name in enumerate(self.header)}
        cells = {name: _column([row[place[name]] for row in self.rows]) for name in columns}
        return without_blank_end(pa.table(cells))


def _header_and_rows(file: File, sheet: str | None) -> tuple[list[str], Rows, int]:
    """The header, the rows below it, and the number that the first of them has in the sheet."""
    rows, above = _rows(file, sheet)
    as_text = [[_text(cell) or "" for cell in row] for row in rows[:50]]
    first = header_row(as_text)
    if not rows or not any(as_text[first]):
        raise ValueError(f"'{file}' is empty; the first row of a sheet has to name the columns")
    return names_of_columns(as_text[first], file), rows[first + 1 :], above + first + 2


def _rows(file: File, sheet: str | None) -> tuple[Rows, int]:
    """The rows of a sheet from the first that is not empty, and how many empty ones are above it."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_path(str(file.path))
        chosen = workbook.get_sheet_by_name(_chosen(workbook, file, sheet))
        return chosen.to_python(), chosen.start[0] if chosen.start else 0
    except CalamineError as error:
        raise ValueError(f"'{file}' cannot be read as a workbook: {error}") from None


def _chosen(workbook: Any, file: File, sheet: str | None) -> str:
    """The sheet that was named; else the only one that is neither hidden nor empty."""
    from python_calamine import SheetVisibleEnum

    if sheet is not None:
        if sheet not in workbook.sheet_names:
            has = listed(workbook.sheet_names)
            raise ValueError(f"'{file}' has no sheet {quoted(sheet)}; its sheets are {has}")
        return sheet
    shown = [each.name for each in workbook.sheets_metadata if each.visible == SheetVisibleEnum.Visible]
    filled = [name for name in shown if workbook.get_sheet_by_name(name).height]
    if len(filled) > 1:
        raise InputError(f"'{file}' has the sheets {listed(filled)}; choose one with {{@sheet}}")
    return str((filled or shown or workbook.sheet_names)[0])


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
