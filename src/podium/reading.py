"""Files, frames and relations become Comparisons, without a loop over rows: DuckDB, Arrow, narwhals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium import columns
from podium.columns import Roles, find_roles
from podium.comparisons import Comparisons
from podium.files import ParquetFiles, TextFiles, is_path, open_files
from podium.labels import encode, is_text
from podium.messages import first_true, listed, quoted, row_name
from podium.outcomes import OutcomeFormat, SideLabels, parse_outcomes
from podium.sides import Side, Sides, encode_sides, side_of_cells, side_of_column, side_of_columns

TIME_KINDS = (pa.int64(), pa.float64(), pa.timestamp("s"), pa.timestamp("us"))
KEY_NAMES = set("item id name label player team model school".split())


def read_comparisons(
    source: Any,
    *,
    left: columns.Side | None = None,
    right: columns.Side | None = None,
    outcome: str | tuple[str, str] | Literal[False] | None = None,
    outcome_format: OutcomeFormat | None = None,
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    team_separator: str | None = None,
    items: Any = None,
    item_key: str | None = None,
    features: Sequence[str] | None = None,
    encoding: str = "utf-8",
) -> Comparisons:
    """Read comparisons from a file, a frame or a relation.

    Parameters
    ----------
    source
        A CSV, TSV or Parquet file (``.gz`` too), a pattern such as ``"games/*.csv"``, a list of files; a
        pandas, polars or Arrow table; a DuckDB relation.
    left, right
        The columns of the two sides, several for a team. Guessed from the header when only one reading is
        possible: white/black, model_a/model_b, home/away, player1/player2, winner/loser and their like.
    outcome
        The column of the outcome; a pair of columns with the scores of the two sides; ``False`` if there is
        none. Guessed like the sides.
    outcome_format
        ``"score"`` of the left side (1, 0.5, 0), ``"sign"`` (-1 the left side is better, 1 the right),
        ``"winner"`` (a word for the side, or its label), or ``None`` to recognise what is unambiguous.
    weight, group, time
        The columns of weights, of groups (judge, prompt, season) and of time. Columns of just these names
        are used without being asked for.
    team_separator
        What stands between the members of a team in one cell, such as ``"/"``.
    items, item_key
        A table of items with their features, in any form that ``source`` may have, and its key column.
    features
        The columns to use as features, by default all: of ``items``, or x of ``left_x`` and ``right_x`` in
        a file whose sides are described by such columns alone.
    encoding
        Of text files.

    Raises
    ------
    ValueError
        In one sentence that names the column, row or item at fault.

    >>> import pandas as pd, podium
    >>> games = pd.DataFrame({"white": ["ann", "bob"], "black": ["bob", "cat"], "result": ["1-0", "1/2-1/2"]})
    >>> podium.read_comparisons(games)
    <Comparisons: 2 comparisons of 3 items, 1 tie (50.0 %), connected>
    """
    given = Roles(
        left=_names(left, "left"),
        right=_names(right, "right"),
        outcome=_names(outcome, "outcome", most=2) or None,
        weight=_name(weight, "weight"),
        group=_name(group, "group"),
        time=_name(time, "time"),
        features=_names(features, "features") if items is None else (),
    )
    if items is None and item_key is not None:
        raise ValueError("item_key= is the key of a table of items; give that with items=")
    opened = _open(source, encoding)
    roles = find_roles(opened.header, given, outcome_exists=outcome is not False)
    table, text = opened.load(roles.used()), opened.is_text
    if table.num_rows == 0:
        raise ValueError("there are no rows to read, only a header")
    rest: dict[str, Any] = {
        "weight": None if roles.weight is None else _numbers(table, roles.weight),
        "group": None if roles.group is None else _trimmed(table[roles.group]),
        "time": None if roles.time is None else _times(table, roles.time),
    }
    if roles.features:
        if items is not None or team_separator is not None:
            raise ValueError(
                "a file of left_* and right_* features names no items; drop items= and team_separator="
            )
        return Comparisons.from_features(
            _feature_matrix(table, roles.feature_columns("left")),
            _feature_matrix(table, roles.feature_columns("right")),
            _outcomes(table, roles, outcome_format, None),
            feature_names=roles.features,
            **rest,
        )
    sides = [_side(table, names, team_separator) for names in (roles.left, roles.right)]
    coded = encode_sides(sides[0], sides[1], text=text)
    signs = _outcomes(table, roles, outcome_format, _side_labels(table, roles, coded, text))
    c = Comparisons.from_codes(coded.items, coded.left, coded.right, signs, teams=coded.teams, **rest)
    return c if items is None else _with_features(c, items, item_key, features, encoding)


def _names(value: Any, argument: str, most: int | None = None) -> tuple[str, ...]:
    """An argument that names a column or several."""
    if value is None or value is False:
        return ()
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else ()
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError(f"{argument}= takes the name of a column, or different ones, not {quoted(value)}")
    if argument == "features" and isinstance(value, str):
        raise ValueError(f"features= takes a list of names, such as ['{value}']")
    if most is not None and len(names) > most:
        raise ValueError(
            f"{argument}= takes one column, or two with the scores of the sides, not {len(names)}"
        )
    return names


def _name(value: Any, argument: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{argument}= takes the name of a column, not {quoted(value)}")
    return value


# ------------------------------------------------------------------------------------------------ tables


@dataclass(frozen=True)
class Frame:
    """A narwhals frame over whatever was given: what `TextFiles` and `ParquetFiles` are for files."""

    frame: Any
    header: list[str]
    is_text: ClassVar[bool] = False

    @classmethod
    def open(cls, source: Any) -> "Frame":
        import narwhals as nw
        from narwhals.exceptions import DuplicateError

        if isinstance(source, pa.RecordBatch | pa.RecordBatchReader):
            source = pa.Table.from_batches([source] if isinstance(source, pa.RecordBatch) else source)
        try:
            frame = nw.from_native(source)
            header = list(frame.collect_schema().names())
        except TypeError:
            kind = type(source).__name__
            raise ValueError(f"a table is read from a file, a frame or a relation, not from {kind}") from None
        except DuplicateError:
            header = ["", ""]
        if len(set(header)) < len(header):
            raise ValueError("the frame has two columns of one name; rename one of them")
        if strange := [name for name in header if not isinstance(name, str)]:
            raise ValueError(f"the columns of a frame are named by strings, not by {quoted(strange[0])}")
        return cls(frame, header)

    def load(self, columns: Sequence[str]) -> pa.Table:
        import duckdb

        try:
            return self.frame.lazy().select(list(columns)).collect("pyarrow").to_native()
        except (pa.ArrowException, OverflowError):
            what = f"one of the columns {listed(columns)} mixes types"
            raise ValueError(f"{what}; make its values all strings or all numbers") from None
        except duckdb.Error as error:
            raise ValueError(f"the relation cannot be read: {str(error).partition(chr(10))[0]}") from None


def _open(source: Any, encoding: str) -> TextFiles | ParquetFiles | Frame:
    return open_files(source, encoding) if is_path(source) else Frame.open(source)


# ------------------------------------------------------------------------------------------------ columns


def _side(table: pa.Table, names: tuple[str, ...], separator: str | None) -> Side:
    if len(names) > 1:
        if separator is not None:
            raise ValueError("team_separator= is for teams in one cell; name one column a side")
        return side_of_columns([table[name] for name in names], names)
    if separator == "":
        raise ValueError("team_separator= is what stands between two names, not nothing")
    if separator is not None:
        return side_of_cells(table[names[0]], names[0], separator)
    return side_of_column(table[names[0]], names[0])


def _side_labels(table: pa.Table, roles: Roles, coded: Sides, text: bool) -> SideLabels | None:
    """What stands in the cells of the two sides, if one cell a side stands for all of it."""
    if coded.teams is None:
        return SideLabels(coded.items, coded.left, coded.right)
    cells = [table[name] for name in (*roles.left, *roles.right)]
    if len(cells) != 2 or not all(is_text(cell.type) for cell in cells):
        return None
    distinct, (left, right) = encode(cells, ("left", "right"), text=text)
    return SideLabels(distinct, left, right)


def _outcomes(
    table: pa.Table, roles: Roles, outcome_format: OutcomeFormat | None, labels: SideLabels | None
) -> NDArray[np.int8] | None:
    if roles.outcome is None:
        return None
    if roles.outcome == columns.LEFT_IS_BETTER:
        return np.full(table.num_rows, -1, dtype=np.int8)
    if len(roles.outcome) == 2:
        left_score, right_score = (
            _numbers(table, name, (pa.int64(), pa.float64())) for name in roles.outcome
        )
        return (right_score > left_score).astype(np.int8) - (right_score < left_score).astype(np.int8)
    one_each = len(roles.left) == len(roles.right) == 1
    return parse_outcomes(
        table[roles.outcome[0]],
        outcome_format,
        name=roles.outcome[0],
        side_names=(roles.left[0], roles.right[0]) if one_each else ("left", "right"),
        side_labels=labels,
    )


def _numbers(table: pa.Table, name: str, kinds: Sequence[pa.DataType] = (pa.float64(),)) -> NDArray[Any]:
    """A column of finite numbers."""
    column = table[name]
    if column.null_count:
        raise ValueError(f"column '{name}' is missing at {row_name(first_true(column.is_null()))}")
    values = _cast(column, kinds, name, "a number")
    if not (finite := np.isfinite(values)).all():
        raise ValueError(f"column '{name}' is missing or infinite at {row_name(first_true(~finite))}")
    return values


def _times(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of numbers or of moments, which text files spell out."""
    column = table[name]
    if column.null_count:
        raise ValueError(f"column '{name}' is missing at {row_name(first_true(column.is_null()))}")
    if not is_text(column.type):
        return np.asarray(column.to_numpy())
    dashed = pc.replace_substring_regex(_trimmed(column), r"^(\d{4})[./](\d{2})[./](\d{2})", r"\1-\2-\3")
    return _cast(dashed, TIME_KINDS, name, "a number or a date")


def _trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.utf8_trim_whitespace(column.cast(pa.large_string())) if is_text(column.type) else column


def _cast(column: pa.ChunkedArray, kinds: Sequence[pa.DataType], name: str, wanted: str) -> NDArray[Any]:
    """The column as the first kind that fits all of it; an error names the first row that does not fit."""
    column = _trimmed(column)
    for kind in kinds:
        if (values := _try_cast(column, kind)) is not None:
            return np.asarray(values.to_numpy())
    likely = next((kind for kind in kinds if _try_cast(column[:1], kind) is not None), kinds[-1])
    good, bad = 0, len(column)  # so many rows fit, so many do not
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if _try_cast(column[:middle], likely) is None else (middle, bad)
    where = f"{quoted(column[good].as_py())} at {row_name(good)}"
    raise ValueError(f"column '{name}' has {where} where {wanted} should be")


def _try_cast(values: Any, kind: pa.DataType) -> Any:
    try:
        return values.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


# ------------------------------------------------------------------------------------------------ features


def _feature_matrix(table: pa.Table, names: Sequence[str]) -> NDArray[np.float64]:
    return np.column_stack([_numbers(table, name) for name in names])


def _with_features(
    c: Comparisons, items: Any, key: str | None, features: Sequence[str] | None, encoding: str
) -> Comparisons:
    """Join a table of items by its key."""
    opened = _open(items, encoding)
    key = key or _guess_key(opened.header)
    chosen = list(_names(features, "features")) or [name for name in opened.header if name != key]
    if unknown := [name for name in [key, *chosen] if name not in opened.header]:
        raise ValueError(f"the table of items has no column '{unknown[0]}'; it has {listed(opened.header)}")
    if not chosen:
        raise ValueError(f"the table of items has no column beside its key '{key}'")
    table = opened.load([key, *chosen])
    keys, (row_key,) = encode([table[key]], [key], text=opened.is_text)
    if len(keys) < table.num_rows:
        twice = first_true(np.bincount(row_key) > 1)
        raise ValueError(f"the table of items has item {quoted(keys[twice])} more than once")
    row_of = {str(label): row for row, label in enumerate(keys[row_key].tolist())}
    rows = [row_of.get(str(label), -1) for label in c.items.tolist()]
    if lost := [label for label, row in zip(c.items.tolist(), rows, strict=True) if row < 0]:
        first = f"the first is {quoted(lost[0])}"
        raise ValueError(f"the table of items lacks {len(lost):,} of the items compared, {first}")
    return c.with_features(_feature_matrix(table, chosen)[rows], chosen)


def _guess_key(header: Sequence[str]) -> str:
    known = [name for name in header if name.casefold() in KEY_NAMES]
    if len(known) == 1:
        return known[0]
    raise ValueError(f"which column names the items is not clear; choose item_key= out of {listed(header)}")
