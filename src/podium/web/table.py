"""Tables that a click on a heading sorts, and that scroll inside their own box."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from podium.web.text import shown

FEWEST = 25  # rows of a table that gets a filter box


@dataclass(frozen=True)
class Column:
    """A column. ``first`` is the order in which the first click sorts it; ``head`` replaces the button."""

    title: str
    kind: str = "number"
    first: str = "descending"
    head: str = ""


def sortable_table(
    label: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[str]],
    by: int = 0,
    kind: str = "",
    filtered: bool = True,
) -> str:
    """A table whose rows are already sorted by column ``by``, ascending; -1 if they are not sorted.

    A long table has a box that filters its rows by name. ``kind`` is an additional CSS class.
    """
    # Roles, because the phone view lays rows out as cards, which would hide that they are rows of a table.
    head = "".join(_heading(column, sorted_by=i == by) for i, column in enumerate(columns))
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


def row_head(content: str) -> str:
    """The cell that names a row."""
    return f'<th role="rowheader" scope="row" class="text">{content}</th>'


def text_cell(content: str) -> str:
    """A cell that is sorted by its text."""
    return f'<td role="cell" class="text">{content}</td>'


def cell(value: float, content: str, kind: str = "number") -> str:
    """A cell with the number that it is sorted by."""
    number = f"{value:.12g}" if np.isfinite(value) else ""
    return f'<td role="cell" class="{kind}" data-value="{number}">{content}</td>'
