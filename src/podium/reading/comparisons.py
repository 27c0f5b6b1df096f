"""Files, frames and relations become Comparisons, without a loop over rows: DuckDB, Arrow, narwhals."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import encode, is_text
from podium.comparisons.outcomes import OutcomeFormat, SideLabels, parse_outcomes
from podium.comparisons.sides import Side, Sides, encode_sides, side_of_cells, side_of_column, side_of_columns
from podium.comparisons.table import Comparisons
from podium.reading import header as columns
from podium.reading.casts import feature_matrix, numbers, times, trimmed
from podium.reading.files import open_table
from podium.reading.header import Roles, find_roles, name_given, names_given
from podium.reading.item_features import with_item_features


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
        left=names_given(left, "left"),
        right=names_given(right, "right"),
        outcome=names_given(outcome, "outcome", most=2) or None,
        weight=name_given(weight, "weight"),
        group=name_given(group, "group"),
        time=name_given(time, "time"),
        features=names_given(features, "features") if items is None else (),
    )
    if items is None and item_key is not None:
        raise ValueError("item_key= is the key of a table of items; give that with items=")
    opened = open_table(source, encoding)
    roles = find_roles(opened.header, given, outcome_exists=outcome is not False)
    table, text = opened.load(roles.used()), opened.is_text
    if table.num_rows == 0:
        raise ValueError("there are no rows to read, only a header")
    rest: dict[str, Any] = {
        "weight": None if roles.weight is None else numbers(table, roles.weight),
        "group": None if roles.group is None else trimmed(table[roles.group]),
        "time": None if roles.time is None else times(table, roles.time),
    }
    if roles.features:
        if items is not None or team_separator is not None:
            raise ValueError(
                "a file of left_* and right_* features names no items; drop items= and team_separator="
            )
        return Comparisons.from_features(
            feature_matrix(table, roles.feature_columns("left")),
            feature_matrix(table, roles.feature_columns("right")),
            _outcomes(table, roles, outcome_format, None),
            feature_names=roles.features,
            **rest,
        )
    sides = [_side(table, names, team_separator) for names in (roles.left, roles.right)]
    coded = encode_sides(sides[0], sides[1], text=text)
    signs = _outcomes(table, roles, outcome_format, _side_labels(table, roles, coded, text))
    c = Comparisons.from_codes(coded.items, coded.left, coded.right, signs, teams=coded.teams, **rest)
    return c if items is None else with_item_features(c, items, item_key, features, encoding)


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
        left_score, right_score = (numbers(table, name, (pa.int64(), pa.float64())) for name in roles.outcome)
        return (right_score > left_score).astype(np.int8) - (right_score < left_score).astype(np.int8)
    one_each = len(roles.left) == len(roles.right) == 1
    return parse_outcomes(
        table[roles.outcome[0]],
        outcome_format,
        name=roles.outcome[0],
        side_names=(roles.left[0], roles.right[0]) if one_each else ("left", "right"),
        side_labels=labels,
    )
