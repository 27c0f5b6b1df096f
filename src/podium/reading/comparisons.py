"""Files, frames and relations become Comparisons, without a loop over rows: DuckDB, Arrow, narwhals."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import encode, is_text
from podium.comparisons.outcomes import OutcomeFormat, SideLabels, parse_outcomes
from podium.comparisons.sides import Side, Sides, encode_sides, side_of_cells, side_of_column, side_of_columns
from podium.comparisons.summary import LEFT_IS_BETTER, Columns
from podium.comparisons.table import Comparisons
from podium.reading.casts import feature_matrix, numbers, times, trimmed
from podium.reading.counts import with_counts
from podium.reading.files import open_table
from podium.reading.header import SideColumns, find_columns, name_given, names_given
from podium.reading.item_features import with_item_features
from podium.reading.scores import signs_of_scores
from podium.reading.selection import Selection


def read_comparisons(
    source: Any,
    *,
    left: SideColumns | None = None,
    right: SideColumns | None = None,
    outcome: str | tuple[str, str] | Literal[False] | None = None,
    outcome_format: OutcomeFormat | None = None,
    wins: str | tuple[str, str] | None = None,
    ties: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    category: str | None = None,
    team_separator: str | None = None,
    items: Any = None,
    item_key: str | None = None,
    features: Sequence[str] | Literal[True] | None = None,
    where: str | None = None,
    since: Any = None,
    dedup: str | Sequence[str] | None = None,
    drop_ties: bool = False,
    encoding: str = "utf-8",
    sheet: str | None = None,
) -> Comparisons:
    """Read comparisons from a file, a frame or a relation.

    Parameters
    ----------
    source
        A CSV, TSV, JSON, JSON lines, Parquet or Excel file (``.gz``, ``.zst`` and ``.zip`` too), a folder, a
        pattern such as ``"games/*.csv"``, a list of files; a pandas, polars or Arrow table; a DuckDB
        relation; a `pyarrow.dataset`.
    left, right
        The columns of the two sides, several for a team. A field of a nested column has a dotted name:
        ``"conversation.model_a"``. Guessed from the header when only one reading is
        possible: white/black, model_a/model_b, home/away, player1/player2, winner/loser and their like.
    outcome
        The column of the outcome; a pair of columns with the scores of the two sides; ``False`` if there is
        none. Guessed like the sides.
    outcome_format
        ``"score"`` of the left side (1, 0.5, 0), ``"sign"`` (-1 the left side is better, 1 the right),
        ``"winner"`` (a word for the side, or its label), or ``None`` to recognise what is unambiguous.
    wins, ties
        For tables in which a row is a pair: the two columns that count how often each side won, and the
        column that counts their ties. One column of ``wins`` counts how often the left side won. Columns such
        as win1/win2, home_wins/away_wins and win/loss are recognised if there is no outcome.
    weight, group, time
        The columns of weights, of groups (judge, prompt, season) and of time. Columns of just these names
        are used without being asked for.
    category
        The column of a category (language, task), for `BradleyTerry.leaderboard` by category.
    team_separator
        What stands between the members of a team in one cell, such as ``"/"``.
    items, item_key
        A table of items with their features, in any form that ``source`` may have, and its key column.
    features
        The columns to use as features, by default all: of ``items``, or x of ``left_x`` and ``right_x`` in
        a file whose sides have no names. ``True`` reads a file whose sides have names and such columns by the
        columns. Names (``left_id``, ``right_name``) are features only if they are listed here.
    where
        A condition in DuckDB's SQL that rows have to meet, such as ``"turn = 1 and language <> 'de'"``. It
        may name any column. A column of a text file is compared as numbers if all its cells are numbers.
    since
        A date or a number: only rows of this ``time`` or later are read.
    dedup
        Columns that tell repeated rows: of rows that agree in all of them, the first one stays. ``"left"``,
        ``"right"``, ``"outcome"``, ``"group"``, ``"time"`` and ``"category"`` stand for the columns that
        are used as such. Rows that do not meet ``where`` do not count.
    drop_ties
        Leave out comparisons without a difference.
    encoding
        Of text and JSON files.
    sheet
        The sheet of a workbook, if it has several.

    Raises
    ------
    ValueError
        In one sentence that names the column, row or item at fault.

    What each column was used for, and how many rows were left out, is ``columns`` of the result. Rows in
    messages are counted after ``where`` and ``dedup``. Labels of text files are text, also where they
    look like numbers; models find the text ``'7'`` by the integer 7 and the other way round.

    >>> import pandas as pd, podium
    >>> games = pd.DataFrame({"white": ["ann", "bob"], "black": ["bob", "cat"], "result": ["1-0", "1/2-1/2"]})
    >>> podium.read_comparisons(games)
    <Comparisons: 2 comparisons of 3 items, 1 tie (50.0 %), connected>
    >>> print(podium.read_comparisons(games.assign(site="Rome")).columns)
    white and black (sides), result (outcome); not used: site
    """
    given = Columns(
        left=names_given(left, "left"),
        right=names_given(right, "right"),
        outcome=names_given(outcome, "outcome", most=2) or None,
        wins=names_given(wins, "wins", most=2),
        ties=name_given(ties, "ties"),
        weight=name_given(weight, "weight"),
        group=name_given(group, "group"),
        time=name_given(time, "time"),
        category=name_given(category, "category"),
        features=() if features is True or items is not None else names_given(features, "features"),
    )
    if items is None and item_key is not None:
        raise ValueError("item_key= is the key of a table of items; give that with items=")
    chosen = Selection.of(where, since, dedup, drop_ties)
    opened = open_table(source, encoding, sheet)
    described = features is True and items is None
    columns = find_columns(opened.header, given, outcome_exists=outcome is not False, described=described)
    table = opened.load(chosen.columns(opened.header, columns))
    if table.num_rows == 0:
        raise ValueError("there are no rows to read, only a header")
    table, left_out = chosen.of_table(table, opened.header, columns)
    if columns.features:
        if items is not None or team_separator is not None:
            raise ValueError(
                "a file of left_* and right_* features names no items; drop items= and team_separator="
            )
        c = _described(table, columns, outcome_format)
        return chosen.of_comparisons(with_counts(c, table, columns) if columns.wins else c, left_out)
    c = _named(table, columns, outcome_format, team_separator, text=opened.is_text)
    if items is not None:
        c = with_item_features(c, items, item_key, None if features is True else features, encoding)
    return chosen.of_comparisons(c, left_out)


def _described(table: pa.Table, columns: Columns, outcome_format: OutcomeFormat | None) -> Comparisons:
    c = Comparisons.from_features(
        feature_matrix(table, columns.feature_columns("left")),
        feature_matrix(table, columns.feature_columns("right")),
        _outcomes(table, columns, outcome_format, None),
        feature_names=columns.features,
        **_of_rows(table, columns),
    )
    return replace(c, columns=columns)


def _named(
    table: pa.Table,
    columns: Columns,
    outcome_format: OutcomeFormat | None,
    team_separator: str | None,
    *,
    text: bool,
) -> Comparisons:
    left, right = (_side(table, names, team_separator) for names in (columns.left, columns.right))
    coded = encode_sides(left, right, text=text)
    signs = _outcomes(table, columns, outcome_format, _side_labels(table, columns, coded, text))
    options = _of_rows(table, columns)
    c = Comparisons.from_codes(
        coded.items, coded.left, coded.right, signs, teams=coded.teams, named=not columns.wins, **options
    )
    c = replace(c, columns=columns)
    return with_counts(c, table, columns) if columns.wins else c


def _of_rows(table: pa.Table, columns: Columns) -> dict[str, Any]:
    return {
        "weight": None if columns.weight is None else numbers(table, columns.weight),
        "group": None if columns.group is None else trimmed(table[columns.group]),
        "category": None if columns.category is None else trimmed(table[columns.category]),
        "time": None if columns.time is None else times(table, columns.time),
    }


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


def _side_labels(table: pa.Table, columns: Columns, coded: Sides, text: bool) -> SideLabels | None:
    """What stands in the cells of the two sides, if one cell a side stands for all of it."""
    if coded.teams is None:
        return SideLabels(coded.items, coded.left, coded.right)
    cells = [table[name] for name in (*columns.left, *columns.right)]
    if len(cells) != 2 or not all(is_text(cell.type) for cell in cells):
        return None
    distinct, (left, right) = encode(cells, ("left", "right"), text=text)
    return SideLabels(distinct, left, right)


def _outcomes(
    table: pa.Table, columns: Columns, outcome_format: OutcomeFormat | None, labels: SideLabels | None
) -> NDArray[np.int8] | None:
    if columns.outcome is None:
        return None
    if columns.outcome == LEFT_IS_BETTER:
        return np.full(table.num_rows, -1, dtype=np.int8)
    if len(columns.outcome) == 2:
        left, right = (numbers(table, name, (pa.int64(), pa.float64())) for name in columns.outcome)
        others = columns.unused
        return signs_of_scores((left, right), columns.outcome, outcome_format, others, labels)
    one_each = len(columns.left) == len(columns.right) == 1
    return parse_outcomes(
        table[columns.outcome[0]],
        outcome_format,
        name=columns.outcome[0],
        side_names=(columns.left[0], columns.right[0]) if one_each else ("left", "right"),
        side_labels=labels,
    )
