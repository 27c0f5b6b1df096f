"""The rows of a loaded table: how to read them, and which of them cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from podium.comparisons.checks import MOST_WEIGHT
from podium.comparisons.labels import encode, is_text, unusable_labels
from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import SideLabels, Votes, unreadable_outcomes
from podium.comparisons.sides import (
    Side,
    Sides,
    encode_sides,
    meets_itself,
    side_of_cells,
    side_of_column,
    side_of_columns,
)
from podium.comparisons.summary import Columns
from podium.options import DateOrder, OutcomeFormat
from podium.reading.casts import number_cells, time_cells, trimmed, truth_cells
from podium.reading.rankings.columns import RankingColumns
from podium.reading.skipped import Sieve
from podium.reading.sources.counting import ROWS


@dataclass(frozen=True)
class Form:
    """How the rows of a table are to be read; ``text`` if they come from a text file.

    ``score_guessed`` says that a column called score is the outcome if its cells are like 2-1.
    The first rows may be ``witnesses``: a table that is part of a larger one begins with rows that show how
    the columns of the larger one are to be read. They decide, and are not read themselves.
    """

    columns: Columns
    outcome_format: OutcomeFormat | None
    team_separator: str | None
    dates: DateOrder | None
    text: bool
    witnesses: int = 0
    score_guessed: bool = False

    def votes(self, table: pa.Table) -> Votes | None:
        """How many rows each row counts for, where most rows decide how a column is read; None if one."""
        if self.witnesses:
            return np.asarray(np.arange(table.num_rows) < self.witnesses, dtype=np.int64)
        return table[ROWS].to_numpy().astype(np.int64) if ROWS in table.column_names else None

    @property
    def side_names(self) -> tuple[str, str]:
        """The columns of the two sides, for outcomes that name one of them."""
        left, right = self.columns.left, self.columns.right
        return (left[0], right[0]) if len(left) == len(right) == 1 else ("left", "right")


def both_sides(table: pa.Table, form: Form) -> tuple[Side, Side]:
    left, right = (
        _side(table, names, form.team_separator) for names in (form.columns.left, form.columns.right)
    )
    return left, right


def _side(table: pa.Table, names: tuple[str, ...], separator: str | None) -> Side:
    if len(names) > 1:
        if separator is not None:
            raise InputError("{@team_separator} is for teams in one cell; name one column for each side")
        return side_of_columns([table[name] for name in names], names)
    if separator == "":
        raise InputError("{@team_separator} is what stands between two names, not nothing")
    if separator is not None:
        return side_of_cells(table[names[0]], names[0], separator)
    return side_of_column(table[names[0]], names[0])


def side_labels(table: pa.Table, form: Form, coded: Sides) -> SideLabels | None:
    """What stands in the cells of the two sides, if each side is one cell."""
    if coded.teams is None:
        return SideLabels(coded.items, coded.left, coded.right)
    cells = [table[name] for name in (*form.columns.left, *form.columns.right)]
    if len(cells) != 2 or not all(is_text(cell.type) for cell in cells):
        return None
    distinct, (left, right) = encode(cells, ("left", "right"), text=form.text)
    return SideLabels(distinct, left, right)


# ------------------------------------------------------------------------------------ bad rows


def sift(sieve: Sieve, form: Form) -> None:
    """Leave out all rows that cannot be read; a column that is wrong as a whole is still an error."""
    columns = form.columns
    described = (*columns.feature_columns("left"), *columns.feature_columns("right"))
    for name in (*described, *columns.covariate_columns()):
        sieve.drop_cells(number_cells(sieve.table[name], name).bad, name, "number")
    labels = None
    if columns.left:
        labels = _sift_sides(sieve, form)
    if columns.outcome is not None:
        _sift_outcomes(sieve, form, labels)
    for name in (*columns.wins, *([columns.ties] if columns.ties else [])):
        cells = number_cells(sieve.table[name], name)
        sieve.drop_cells(cells.bad | ~(cells.values >= 0), name, "count")
    sift_described(sieve, columns, form.dates, form.votes)
    if columns.category is not None:
        sift_labels(sieve, columns.category)
    if columns.neutral is not None:
        bad = truth_cells(sieve.table[columns.neutral], columns.neutral).bad
        sieve.drop_cells(bad, columns.neutral, "truth value")


def sift_described(
    sieve: Sieve,
    columns: Columns | RankingColumns,
    dates: DateOrder | None,
    votes: Callable[[pa.Table], Votes | None] = lambda table: None,
) -> None:
    """Leave out rows without a usable count, weight, group or time."""
    for multiple in (columns.count, columns.weight):
        if multiple is not None:
            cells = number_cells(sieve.table[multiple], multiple)
            positive = (cells.values > 0) & (cells.values <= MOST_WEIGHT)
            sieve.drop_cells(cells.bad | ~positive, multiple, "positive number")
    if columns.group is not None:
        sift_labels(sieve, columns.group)
    if columns.time is not None:
        bad = time_cells(sieve.table[columns.time], columns.time, dates, votes(sieve.table)).bad
        sieve.drop_cells(bad, columns.time, "time")


def sift_labels(sieve: Sieve, name: str) -> None:
    missing, _ = unusable_labels(trimmed(sieve.table[name]), name)
    sieve.drop(missing, f"nothing in '{name}'")


def _sift_sides(sieve: Sieve, form: Form) -> SideLabels | None:
    for names in (form.columns.left, form.columns.right):
        if len(names) == 1:
            sieve.drop(np.asarray(sieve.table[names[0]].is_null()), f"nothing in '{names[0]}'")
    for k in range(2):
        side = both_sides(sieve.table, form)[k]
        missing, nobody = map(side.rows_with, unusable_labels(side.labels, side.name))
        sieve.drop(missing | side.empty_rows(), f"nothing in '{side.name}'")
        sieve.drop(nobody[~(missing | side.empty_rows())], f"a bye in '{side.name}'")
    if sieve.table.num_rows:
        sieve.drop(meets_itself(*both_sides(sieve.table, form), text=form.text), "an item against itself")
    return side_labels(sieve.table, form, encode_sides(*both_sides(sieve.table, form), text=form.text))


def _sift_outcomes(sieve: Sieve, form: Form, labels: SideLabels | None) -> None:
    names = form.columns.outcome or ()
    if len(names) == 2:
        for name in names:
            sieve.drop_cells(number_cells(sieve.table[name], name).bad, name, "number")
    elif names and form.outcome_format == "probability":
        cells = number_cells(sieve.table[names[0]], names[0])
        sieve.drop_cells(cells.bad | ~((cells.values >= 0) & (cells.values <= 1)), names[0], "probability")
    elif names:
        column, gone = sieve.table[names[0]], np.zeros(sieve.table.num_rows, dtype=bool)
        for bad, reason in unreadable_outcomes(
            column, form.outcome_format, names[0], form.side_names, labels, form.votes(sieve.table)
        ):
            sieve.drop(bad[~gone], reason, names[0])
            gone |= bad
