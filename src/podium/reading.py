"""Files, frames and relations become Comparisons, without a loop over rows: DuckDB, Arrow, narwhals."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.columns import Roles, Side, find_roles
from podium.comparisons import Comparisons
from podium.files import is_path, open_files
from podium.labels import dictionary_encode, encode, first_true, quoted, row_name
from podium.outcomes import OutcomeFormat, SideLabels, parse_outcomes
from podium.sides import encode_sides

TIME_KINDS = (pa.int64(), pa.float64(), pa.timestamp("s"), pa.timestamp("us"))
KEY_NAMES = ("item", "id", "name", "label")


def read_comparisons(
    source: Any,
    *,
    left: Side | None = None,
    right: Side | None = None,
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
        The columns to use as features: of ``items``, or x of ``left_x`` and ``right_x``. By default all.
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
        left=left,
        right=right,
        outcome=outcome or None,
        weight=weight,
        group=group,
        time=time,
        features=tuple(features or ()) if items is None else (),
    )
    with _open(source, encoding) as (frame, is_text):
        roles = find_roles(_header(frame), given, with_outcome=outcome is not False)
        table = _load(frame, roles.used())
    if table.num_rows == 0:
        raise ValueError("there are no rows to read, only a header")
    rest: dict[str, Any] = {
        "weight": None if roles.weight is None else _numbers(table, roles.weight),
        "group": None if roles.group is None else table[roles.group],
        "time": None if roles.time is None else _times(table, roles.time),
    }
    if roles.features:
        left_columns, right_columns = (
            [f"{side}_{name}" for name in roles.features] for side in ("left", "right")
        )
        return Comparisons.from_features(
            _feature_matrix(table, left_columns),
            _feature_matrix(table, right_columns),
            _outcomes(table, roles, outcome_format, None),
            feature_names=roles.features,
            **rest,
        )
    (labels, (left_codes, right_codes)), teams, cells = encode_sides(
        table, roles.left, roles.right, team_separator, is_text
    )
    signs = _outcomes(table, roles, outcome_format, cells)
    c = Comparisons.from_codes(labels, left_codes, right_codes, signs, teams=teams, **rest)
    return c if items is None else _with_features(c, items, item_key, features, encoding)


@contextmanager
def _open(source: Any, encoding: str) -> Iterator[tuple[Any, bool]]:
    """A narwhals frame over the source, and whether its cells are all text."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    if is_path(source):
        with open_files(source, encoding) as (relation, is_text):
            yield nw.from_native(relation), is_text
        return
    try:
        frame = nw.from_native(source)
        _header(frame)
    except TypeError:
        kind = type(source).__name__
        raise ValueError(
            f"comparisons are read from a file, a frame or a relation, not from {kind}"
        ) from None
    except DuplicateError as error:
        raise ValueError(f"a column is there more than once: {' '.join(str(error).split())}") from None
    yield frame, False


def _header(frame: Any) -> list[str]:
    return list(frame.collect_schema().names())


def _load(frame: Any, columns: list[str]) -> pa.Table:
    """The columns as an Arrow table."""
    try:
        chosen = frame.select(columns)
        return chosen.collect("pyarrow").to_native() if hasattr(chosen, "collect") else chosen.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"a column mixes types, make its values alike: {reason}") from None


# ------------------------------------------------------------------------------------------------ columns


def _outcomes(
    table: pa.Table, roles: Roles, outcome_format: OutcomeFormat | None, labels: SideLabels | None
) -> NDArray[np.int8] | None:
    if roles.left_always_better:
        return np.full(table.num_rows, -1, dtype=np.int8)
    if roles.outcome is None:
        return None
    if isinstance(roles.outcome, str):
        names = (roles.left, roles.right)
        known = isinstance(names[0], str) and isinstance(names[1], str)
        return parse_outcomes(
            table[roles.outcome],
            outcome_format,
            name=roles.outcome,
            side_names=names if known else ("left", "right"),  # type: ignore[arg-type]
            side_labels=labels,
        )
    left_score, right_score = (_numbers(table, column) for column in roles.outcome)
    return np.sign(right_score - left_score).astype(np.int8)


def _numbers(table: pa.Table, name: str) -> NDArray[np.float64]:
    """A column of finite numbers."""
    column = table[name]
    try:
        values: NDArray[np.float64] = column.cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        bad = [not _is_number(value) for value in column.to_pylist()]
        row = bad.index(True) if True in bad else 0
        raise ValueError(
            f"column '{name}' has {quoted(column[row].as_py())} at {row_name(row)} where a number should be"
        ) from None
    if not (finite := np.isfinite(values)).all():
        raise ValueError(f"column '{name}' is missing or infinite at {row_name(first_true(~finite))}")
    return values


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return True


def _times(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of numbers or of moments, which text files spell out."""
    column = table[name]
    if column.null_count:
        raise ValueError(f"column '{name}' is missing at {row_name(first_true(column.is_null()))}")
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return np.asarray(column.to_numpy())
    distinct, codes = dictionary_encode(column)
    dashed = pc.replace_substring_regex(distinct, r"^(\d{4})[./](\d{2})[./](\d{2})", r"\1-\2-\3")
    for kind in TIME_KINDS:
        if _castable(dashed, kind):
            return np.asarray(dashed.cast(kind).to_numpy(zero_copy_only=False))[codes]
    likely = next((kind for kind in TIME_KINDS if _castable(dashed[:1], kind)), TIME_KINDS[-1])
    row = first_true(codes == next(i for i in range(len(dashed)) if not _castable(dashed[i : i + 1], likely)))
    what = f"column '{name}' has {quoted(column[row].as_py())} at {row_name(row)}"
    raise ValueError(f"{what}, which is neither a number nor a date like the others")


def _castable(values: pa.Array, kind: pa.DataType) -> bool:
    try:
        values.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


# ------------------------------------------------------------------------------------------------ features


def _feature_matrix(table: pa.Table, columns: Sequence[str]) -> NDArray[np.float64]:
    return np.column_stack([_numbers(table, column) for column in columns])


def _with_features(
    c: Comparisons, items: Any, key: str | None, features: Sequence[str] | None, encoding: str
) -> Comparisons:
    """Join a table of items by its key."""
    with _open(items, encoding) as (frame, is_text):
        header = _header(frame)
        key = key or _guess_key(header)
        columns = [name for name in header if name != key] if features is None else list(features)
        if unknown := [name for name in [key, *columns] if name not in header]:
            raise ValueError(f"the table of items has no column '{unknown[0]}'; it has {', '.join(header)}")
        table = _load(frame, [key, *columns])
    keys, (row_key,) = encode([table[key]], [key], text=is_text)
    if len(keys) < table.num_rows:
        twice = int(np.argmax(np.bincount(row_key) > 1))
        raise ValueError(f"the table of items has item {quoted(keys[twice])} more than once")
    row_of = dict(zip(keys[row_key].tolist(), range(table.num_rows), strict=True))
    if lost := [item for item in c.items.tolist() if item not in row_of]:
        raise ValueError(
            f"the table of items lacks {len(lost):,} of the items compared, the first is {quoted(lost[0])}"
        )
    matrix = _feature_matrix(table, columns)[[row_of[item] for item in c.items.tolist()]]
    return c.with_features(matrix, tuple(columns))


def _guess_key(header: Sequence[str]) -> str:
    known = [name for name in header if name.casefold() in KEY_NAMES]
    if len(known) == 1:
        return known[0]
    raise ValueError(
        f"which column names the items is not clear; choose item_key= out of {', '.join(header)}"
    )
