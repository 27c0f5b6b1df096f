"""Tables that a click on a heading sorts, and that scroll inside their own box."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from podium.web.text import shown


@dataclass(frozen=True)
class Column:
    """A column; ``first`` is the order in which the first click sorts it."""

    title: str
    kind: str = "number"
    first: str = "descending"


def sortable_table(label: str, columns: Sequence[Column], rows: Iterable[Sequence[str]], by: int = 0) -> str:
    """A table whose rows are already sorted by column ``by``, ascending; -1 if they are not sorted."""
    head = "".join(_heading(column, sorted_by=i == by) for i, column in enumerate(columns))
    body = "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{shown(label)}">'
        f'<table class="board sortable"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _heading(column: Column, sorted_by: bool) -> str:
    order = "ascending" if sorted_by else "none"
    return (
        f'<th scope="col" class="{column.kind}" aria-sort="{order}">'
        f'<button type="button" data-first="{column.first}">{shown(column.title)}</button></th>'
    )


def cell(value: float, content: str, kind: str = "number") -> str:
    """A cell with the number that it is sorted by."""
    number = f"{value:.12g}" if np.isfinite(value) else ""
    return f'<td class="{kind}" data-value="{number}">{content}</td>'
