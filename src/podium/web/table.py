"""Tables that a click on a heading sorts, and that scroll inside their own box."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.web.text import name, shown

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 25  # rows of a table that gets a filter box


@dataclass(frozen=True)
class Column:
    """A column with its cells, which are HTML.

    ``kind`` is its CSS class, ``first`` is the order in which the first click sorts it, and ``head`` replaces
    the button to click on.
    """

    title: str
    cells: Sequence[str] = ()
    kind: str = "number"
    first: str = "descending"
    head: str = ""


def names(title: str, contents: Iterable[str]) -> Column:
    """The column that names the rows."""
    cells = [f'<th role="rowheader" scope="row" class="text">{content}</th>' for content in contents]
    return Column(title, cells, "text", "ascending")


def texts(title: str, contents: Iterable[str], first: str = "descending") -> Column:
    """A column that is sorted by its text."""
    return Column(title, [f'<td role="cell" class="text">{text}</td>' for text in contents], "text", first)


def numbers(
    title: str,
    values: Iterable[Any],
    text: Callable[[Any], str],
    kind: str = "number",
    first: str = "descending",
) -> Column:
    """A column of numbers; ``text`` writes one of them."""
    return Column(title, [cell(value, text(value), kind) for value in values], kind, first)


def frame_table(label: str, frame: "pd.DataFrame") -> str:
    """A frame of numbers and names, as it is sorted; its first column names the rows."""

    def column(title: str) -> Column:
        if frame[title].dtype.kind != "f":
            return texts(str(title), map(name, frame[title]))
        digits = next((k for k in (0, 1) if frame[title].sub(frame[title].round(k)).abs().max() < 1e-9), 2)
        return numbers(str(title), frame[title], lambda x: "–" if np.isnan(x) else f"{x:.{digits}f}")

    first, *others = list(frame)
    return sortable_table(label, [names(first, map(name, frame[first])), *map(column, others)], by=-1)


def intervals(
    title: str,
    low: Iterable[float],
    high: Iterable[float],
    text: Callable[[float], str],
    kind: str = "number",
) -> Column:
    """A column of intervals, sorted by their lower ends; a dash if an end is missing."""
    cells = [
        cell(start, "–" if np.isnan(start) or np.isnan(end) else f"{text(start)} to {text(end)}", kind)
        for start, end in zip(low, high, strict=True)
    ]
    return Column(title, cells, kind)


def sortable_table(
    label: str, columns: Sequence[Column], by: int = 0, kind: str = "", filtered: bool = True
) -> str:
    """A table whose rows are already sorted by column ``by``, ascending; -1 if they are not sorted.

    A long table has a box that filters its rows by name. ``kind`` is an additional CSS class.
    """
    # Roles, because the phone view lays rows out as cards, which would hide that they are rows of a table.
    head = "".join(_heading(column, sorted_by=i == by) for i, column in enumerate(columns))
    rows = zip(*(column.cells for column in columns), strict=True)
    body = [f'<tr role="row">{"".join(cells)}</tr>' for cells in rows]
    return (
        f"{filter_box(label) if filtered and len(body) >= FEWEST else ''}"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{shown(label)}">'
        f'<table role="table" class="{f"board sortable {kind}".strip()}">'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">{"".join(body)}</tbody></table></div>'
    )


def filter_box(label: str) -> str:
    """A box that filters the table after it; without its script it stays hidden."""
    return (
        f'<div class="filter" hidden><label>Filter <input type="search" aria-label="Filter: {shown(label)}" '
        'placeholder="part of a name" autocomplete="off" spellcheck="false"></label> '
        '<output aria-live="polite"></output></div>'
    )


def _heading(column: Column, sorted_by: bool) -> str:
    if column.head:
        return f'<th role="columnheader" scope="col" class="{column.kind}">{column.head}</th>'
    order = "ascending" if sorted_by else "none"
    title = shown(column.title).replace("\n", "<br>")
    return (
        f'<th role="columnheader" scope="col" class="{column.kind}" aria-sort="{order}">'
        f'<button type="button" data-first="{column.first}"><span>{title}</span></button></th>'
    )


def cell(value: float, content: str, kind: str = "number") -> str:
    """A cell with the number that it is sorted by."""
    number = f"{value:.12g}" if np.isfinite(value) else ""
    return f'<td role="cell" class="{kind}" data-value="{number}">{content}</td>'
