"""Leaderboard: who is best, how sure that is, and on how many games it rests. What every view reads."""

import csv
import io
import json
import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.atomic import checked_path, write_whole

if TYPE_CHECKING:
    import pandas as pd

Scale = Literal["elo", "log", "skill"]
Floats = NDArray[np.float64]

SCALES: dict[str, str] = {"elo": "Elo scale", "log": "log-skill", "skill": "skill"}
SCORE_FORMATS = {"elo": "z.0f", "log": "z.2f", "skill": "#.3g"}
SHOWN_ROWS = 20
LONGEST_NAME = 40
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


class OrderEffect(NamedTuple):
    """The advantage of the left side, with its interval; on the scale "skill" the factor of its odds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Leaderboard:
    """A frozen table with a row an item, best first.

    Items that cannot be told apart may share a ``rank``. ``low`` and ``high`` bound the ``score`` at the
    confidence ``level``; all three are nan where nothing is known. ``games``, ``wins``, ``ties`` and
    ``losses`` are sums of weights. ``component`` numbers the groups of items that comparisons connect, 0
    being the largest: scores of different groups cannot be compared. ``notes`` are sentences that a reader
    of the numbers should see. ``order_effect`` is the advantage of the left side (home, White, shown first)
    if it was estimated: points on the scale of the scores, or with ``"skill"`` a factor of the odds.

    >>> board = Leaderboard(
    ...     rank=[1, 2, 2], item=["ann", "bob", "cat"],
    ...     score=[1581.2, 1490, 1428.8], low=[1520, 1420, 1350], high=[1642, 1560, 1508],
    ...     games=[12, 10, 8], wins=[8, 3, 1], ties=[2, 4, 2], losses=[2, 3, 5], component=[0, 0, 0],
    ... )
    >>> board
    Leaderboard: 3 items, Elo scale, 95 % intervals
    rank  item  score   low  high  games  wins  ties  losses
       1  ann    1581  1520  1642     12     8     2       2
       2  bob    1490  1420  1560     10     3     4       3
       2  cat    1429  1350  1508      8     1     2       5
    >>> board[board.rank == 2].item.tolist()
    ['bob', 'cat']
    """

    rank: NDArray[np.int64]
    item: NDArray[Any]
    score: Floats
    low: Floats
    high: Floats
    games: Floats
    wins: Floats
    ties: Floats
    losses: Floats
    component: NDArray[np.int64]
    scale: Scale = "elo"
    level: float = 0.95
    title: str | None = None
    notes: tuple[str, ...] = ()
    order_effect: OrderEffect | None = None

    def __post_init__(self) -> None:
        for name in COLUMNS:
            column = _column(getattr(self, name), name)
            if len(column) != len(self.item):
                raise ValueError(
                    f"'{name}' has {len(column):,} rows where {len(self.item):,} items are expected"
                )
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        object.__setattr__(self, "notes", (self.notes,) if isinstance(self.notes, str) else tuple(self.notes))
        if self.scale not in SCALES:
            raise ValueError(f"the scale {self.scale!r} is none of 'elo', 'log' and 'skill'")
        if not 0 < self.level < 1:
            raise ValueError(f"the level {self.level!r} is not between 0 and 1")
        _check_best_first(self)

    # ------------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self.item)

    def __getitem__(self, key: Any) -> Self:
        """Rows by a slice, a mask, indices or one index; the ranks stay those of the whole table."""
        if not isinstance(key, slice):
            key = np.atleast_1d(np.asarray(key))
            key = key.astype(np.intp) if key.size == 0 and key.dtype != bool else key
        return replace(self, **{name: getattr(self, name)[key] for name in COLUMNS})

    # ------------------------------------------------------------------------------------ other forms

    def to_frame(self) -> "pd.DataFrame":
        """A pandas frame with the ten columns, a row an item.

        An order effect is in three further columns, the same in every row: order_effect, order_effect_low,
        order_effect_high. The files of `save` have them too.
        """
        import pandas as pd

        frame = pd.DataFrame({name: pd.Series(getattr(self, name)).array for name in COLUMNS})
        return frame.assign(**_constants(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all; its ending says which kind.

        - ``.csv``: every digit, a missing number is an empty cell. A text that a spreadsheet would run as a
          formula, because it starts with = + - @, a tab or a line break, gets an apostrophe in front.
        - ``.json``: a list with an object an item; a missing number is null, a team a list.
        - ``.parquet``: the columns of `to_frame`; a team is a list.
        - ``.md``: a table to read, numbers rounded as on the screen, with the title and the notes.

        In CSV and Markdown the members of a team are joined by " + ".
        """
        path = checked_path(path, WRITERS)
        write_whole(path, WRITERS[path.suffix.lower()](self))

    # ------------------------------------------------------------------------------------ as a value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Leaderboard):
            return NotImplemented
        names = [field.name for field in fields(self)]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


COLUMNS = ("rank", "item", "score", "low", "high", "games", "wins", "ties", "losses", "component")


def _column(values: Any, name: str) -> NDArray[Any]:
    """A copy of the values in the type that the column has."""
    if name == "item":
        labels = values.tolist() if hasattr(values, "tolist") else list(values)
        kinds = set(map(type, labels))
        if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
            return np.array(labels)
        return np.fromiter(labels, dtype=object, count=len(labels))  # np.array would take teams for a table
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' is not a column of numbers") from None
    if numbers.ndim != 1:
        raise ValueError(f"'{name}' has {numbers.ndim} dimensions; a column has one")
    if name not in ("rank", "component"):
        return numbers
    if not (np.isfinite(numbers) & (numbers == np.rint(numbers))).all():
        raise ValueError(f"'{name}' is not a column of whole numbers")
    return numbers.astype(np.int64)


def _same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, np.ndarray):
        return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
    return bool(mine == theirs)


def _check_best_first(board: Leaderboard) -> None:
    order = np.argsort(board.component, kind="stable")
    rises = (np.diff(board.rank[order]) < 0) & (np.diff(board.component[order]) == 0)
    if rises.any():
        row = int(order[1:][rises].min())
        label = one_line(board.item[row])
        raise ValueError(f"'{label}', rank {board.rank[row]}, comes after a worse rank; put the best first")


# ------------------------------------------------------------------------------------ names


def label_text(label: Any) -> str:
    """A label as text; a team is its members, joined.

    >>> label_text(("ann", "bob")), label_text(7)
    ('ann + bob', '7')
    """
    return " + ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def one_line(label: Any) -> str:
    r"""A label for one line of a table or picture: spelled out where it cannot be printed, cut if long.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    printable = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in label_text(label))
    text = "".join(printable)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def _width(text: str) -> int:
    """How many columns of a terminal the text takes: some characters take two, accents none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _pad(text: str, width: int, name: str) -> str:
    space = " " * (width - _width(text))
    return text + space if name == "item" else space + text


# ------------------------------------------------------------------------------------ tables to read


def scale_text(board: Leaderboard) -> str:
    """What the numbers are: their scale and their intervals."""
    intervals = f"{100 * board.level:g} % intervals" if _has_intervals(board) else "no intervals"
    return f"{SCALES[board.scale]}, {intervals}"


def order_effect_text(board: Leaderboard) -> str:
    """The advantage of the left side, with its interval; nothing if there is none.

    >>> columns = ("rank", "item", "score", "low", "high", "games", "wins", "ties", "losses", "component")
    >>> board = Leaderboard(**dict.fromkeys(columns, ()), order_effect=(34.6, -2, 71.2))
    >>> order_effect_text(board)
    'advantage of the left side: 35 (-2 to 71)'
    """
    if board.order_effect is None:
        return ""
    value, low, high = (format(number, SCORE_FORMATS[board.scale]) for number in board.order_effect)
    return f"advantage of the left side: {'odds × ' * (board.scale == 'skill')}{value} ({low} to {high})"


def _heading(board: Leaderboard) -> str:
    items = "1 item" if len(board) == 1 else f"{len(board):,} items"
    return f"{board.title or 'Leaderboard'}: {items}, {scale_text(board)}"


def as_text(board: Leaderboard) -> str:
    """The first rows as aligned lines, for a terminal."""
    cells = _cells(board[:SHOWN_ROWS], _columns_to_show(board), one_line)
    padded = []
    for name, column in cells.items():
        width = max(map(_width, [name, *column]))
        padded.append([_pad(cell, width, name) for cell in [name, *column]])
    lines = ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]
    return "\n".join([_heading(board), *lines, *_remarks(board)])


def as_html(board: Leaderboard) -> str:
    """The first rows as an HTML table, for a notebook."""
    cells = _cells(board[:SHOWN_ROWS], _columns_to_show(board), label_text)
    head = "".join(_html_cell("th", name, name) for name in cells)
    rows = (
        "".join(_html_cell("td", cell, name) for name, cell in zip(cells, row, strict=True))
        for row in zip(*cells.values(), strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    remarks = "".join(f"<p>{escape(remark)}</p>" for remark in _remarks(board))
    return (
        f"<table><caption>{escape(_heading(board))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{remarks}"
    )


def _html_cell(tag: str, cell: str, name: str) -> str:
    side = "left" if name == "item" else "right"
    return f"<{tag} style='text-align:{side}'>{escape(cell)}</{tag}>"


def _remarks(board: Leaderboard) -> list[str]:
    left_out = len(board) - SHOWN_ROWS
    more = [f"… and {left_out:,} more"] if left_out > 0 else []
    return more + [f"Note: {note}" for note in board.notes]


def _has_intervals(board: Leaderboard) -> bool:
    return not bool(np.isnan(board.low).all() and np.isnan(board.high).all())


def _columns_to_show(board: Leaderboard) -> list[str]:
    """All columns but those that say nothing: the component if there is one, intervals if there are none."""
    silent = set() if _has_intervals(board) else {"low", "high"}
    if len(set(board.component.tolist())) <= 1:
        silent.add("component")
    return [name for name in COLUMNS if name not in silent]


def _cells(board: Leaderboard, columns: Sequence[str], name_of: Callable[[Any], str]) -> dict[str, list[str]]:
    """The columns as text, numbers rounded for a reader; a missing number is a dash."""
    cells = {name: _numbers(getattr(board, name), board, name) for name in columns if name != "item"}
    cells["item"] = [name_of(label) for label in board.item]
    return {name: cells[name] for name in columns}


def _numbers(column: NDArray[Any], board: Leaderboard, name: str) -> list[str]:
    if name in ("score", "low", "high"):
        spec = SCORE_FORMATS[board.scale]
    else:
        spec = ",.0f" if np.array_equal(column, np.rint(column), equal_nan=True) else ",.1f"
    return ["–" if np.isnan(number) else format(number, spec) for number in column]


# ------------------------------------------------------------------------------------ files


def _records(board: Leaderboard) -> list[dict[str, Any]]:
    """A record an item, in plain Python: None where a number is missing or infinite."""
    columns = [
        [number if np.isfinite(number) else None for number in column.tolist()]
        if (column := getattr(board, name)).dtype.kind == "f"
        else column.tolist()
        for name in COLUMNS
    ]
    same = {name: value if np.isfinite(value) else None for name, value in _constants(board).items()}
    return [dict(zip(COLUMNS, row, strict=True)) | same for row in zip(*columns, strict=True)]


def _constants(board: Leaderboard) -> dict[str, float]:
    """Further columns that are the same in every row."""
    names = ("order_effect", "order_effect_low", "order_effect_high")
    return {} if board.order_effect is None else dict(zip(names, board.order_effect, strict=True))


def _csv(board: Leaderboard) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)  # ends lines as RFC 4180 has it, which also quotes every line break in a name
    writer.writerow([*COLUMNS, *_constants(board)])
    for record in _records(board):
        label = record["item"]
        if not isinstance(label, int):
            name = label_text(label)
            record["item"] = f"'{name}" if name.startswith(FORMULA_STARTS) else name
        writer.writerow(record.values())
    return text.getvalue().encode()


def _json(board: Leaderboard) -> bytes:
    def plain(label: Any) -> Any:
        return label.item() if isinstance(label, np.generic) else str(label)

    records = json.dumps(_records(board), ensure_ascii=False, allow_nan=False, indent=1, default=plain)
    return f"{records}\n".encode()


def _parquet(board: Leaderboard) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    columns = {name: pa.array(getattr(board, name), from_pandas=True) for name in COLUMNS if name != "item"}
    try:
        columns["item"] = pa.array(board.item.tolist())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # labels of several types
        columns["item"] = pa.array([label_text(label) for label in board.item])
    in_order = {name: columns[name] for name in COLUMNS}
    in_order |= {name: pa.array(np.full(len(board), value)) for name, value in _constants(board).items()}
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(in_order), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _markdown(board: Leaderboard) -> bytes:
    cells = _cells(board, _columns_to_show(board), label_text)
    rows = [list(cells), [":---" if name == "item" else "---:" for name in cells]]
    rows += [[_markdown_text(cell) for cell in row] for row in zip(*cells.values(), strict=True)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    remarks = [_markdown_text(order_effect_text(board))] if board.order_effect else []
    remarks += [f"Note: {_markdown_text(note)}" for note in board.notes]
    return ("\n\n".join([_markdown_text(_heading(board)), table, *remarks]) + "\n").encode()


def _markdown_text(text: str) -> str:
    """Text that Markdown shows as it is, in one cell of a table."""
    plain = re.sub(r"([\\`*_~|\[\]])", r"\\\1", escape(text, quote=False))
    return "<br>".join(plain.splitlines())


WRITERS: dict[str, Callable[[Leaderboard], bytes]] = {
    ".csv": _csv,
    ".json": _json,
    ".parquet": _parquet,
    ".md": _markdown,
}
