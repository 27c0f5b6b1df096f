"""The rows of a table as comparisons: which of them cannot be read, and what the others mean."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons import sides
from podium.comparisons.arrays import LABELLED, Floats
from podium.comparisons.checks import MOST_WEIGHT, check_two_sides
from podium.comparisons.labels import encode, is_text, truths_as_text, unusable_labels
from podium.comparisons.messages import InputError, first_true
from podium.comparisons.outcomes import DROPPED, LEFT, SideLabels, checked_probabilities, encoded
from podium.comparisons.sides import Side, Sides
from podium.comparisons.summary import LEFT_IS_BETTER, Columns, CovariateColumns
from podium.comparisons.table import Comparisons, encode_all_groups
from podium.reading.decisions import ComparisonFormats, ComparisonPlan, Formats, Part
from podium.reading.formats import complete, matrix, trimmed
from podium.reading.rankings.columns import RankingColumns
from podium.reading.skipped import Read, Sieve
from podium.reading.sources.counting import ROWS


def comparisons_of(table: pa.Table, form: ComparisonFormats) -> Comparisons:
    """All rows of a table; an error names the first that cannot be read."""
    columns, numbers = form.plan.columns, partial(form.numbers, table)
    options: dict[str, Any] = described(table, form)
    options["covariates"] = differences(numbers, columns.covariates)
    options["neutral"] = None if columns.neutral is None else complete(table[columns.neutral], form.neutral)
    if columns.features:
        (left, names), (right, others) = (
            matrix(columns.features, [form.features(table, name) for name in columns.feature_columns(side)])
            for side in ("left", "right")
        )
        if names != others:
            raise ValueError("the lists of numbers of the two sides have different lengths")
        outcome = _outcomes(table, form, None)
        options |= {"grade": outcome.grade, "feature_names": names}
        c = Comparisons.from_features(left, right, outcome.signs, **options)
    else:
        coded = sides.encode_sides(*both_sides(table, form.plan), text=form.plan.opened.is_text)
        outcome = _outcomes(table, form, side_labels(table, form.plan, coded))
        options |= {"grade": outcome.grade, "teams": coded.teams, "named": not columns.wins}
        c = Comparisons.from_codes(coded.items, coded.left, coded.right, outcome.signs, **options)
    c = with_groups(c, table, columns)
    if columns.wins:
        c = with_counts(c, numbers, columns)
    if outcome.probability is not None:
        c = c.with_probability(outcome.probability)
    c = c if outcome.kept is None else c[outcome.kept]
    return replace(c, columns=replace(columns, outcome_as=outcome.how, time_as=form.time_as))


def described(table: pa.Table, form: Formats) -> dict[str, Any]:
    """The times, counts and weights of comparisons or rankings."""
    columns = form.plan.columns
    time = None if columns.time is None else complete(table[columns.time], form.time)
    count, weight = (
        None if name is None else form.numbers(table, name) for name in (columns.count, columns.weight)
    )
    if ROWS in table.column_names:  # each row stands for several equal ones
        equal = table[ROWS].to_numpy().astype(np.float64)
        count = equal if count is None else count * equal
    return {"time": time, "count": count, "weight": weight}


def with_groups(c: Read, table: pa.Table, columns: Columns | RankingColumns) -> Read:
    """Comparisons or rankings with their groups, and comparisons with categories and kinds of judges."""
    for name, labels in LABELLED.items():
        if (column := getattr(columns, name, None)) is not None:
            distinct, [codes] = encode([truths_as_text(trimmed(table[column]))], [column])
            labelled: Any = {name: codes, labels: distinct}
            c = replace(c, **labelled)
    if several := {name: trimmed(table[column]) for name, column in getattr(columns, "groups", ())}:
        c = replace(c, **encode_all_groups(several, table.num_rows, getattr(c, "covariate_names", ())))
    return c


class Outcome(NamedTuple):
    """Who was better, for sure or with a probability, or by how much; what the column holds; rows to keep."""

    signs: NDArray[np.int8] | None = None
    how: str = "outcome"
    probability: NDArray[np.float64] | None = None
    grade: NDArray[np.int8] | None = None
    kept: NDArray[np.bool_] | None = None


def _outcomes(table: pa.Table, form: ComparisonFormats, labels: SideLabels | None) -> Outcome:
    names = form.plan.columns.outcome
    if names is None:
        return Outcome()
    if names == LEFT_IS_BETTER:
        return Outcome(np.full(table.num_rows, LEFT, dtype=np.int8))
    if len(names) == 2:
        left, right = (complete(table[name], form.score(name)) for name in names)
        form.check_scores(Part(table, labels))
        return Outcome((right > left).astype(np.int8) - (right < left).astype(np.int8))
    if form.plan.given.outcome_format == "probability":
        probability = checked_probabilities(form.numbers(table, names[0]), names[0])
        return Outcome(how="probability that the left side is better", probability=probability)
    column = encoded(table[names[0]], names[0])
    decided = form.outcomes(names[0], Part(table, labels, column))
    signs = decided.signs(column, labels)
    dropped = signs == DROPPED
    kept = ~dropped if dropped.any() else None
    signs[dropped] = 0
    if form.plan.given.outcome_format == "grades":
        return Outcome(None, decided.how, grade=signs, kept=kept)
    return Outcome(signs, decided.how, kept=kept)


# ------------------------------------------------------------------------------------ sides


def both_sides(table: pa.Table, plan: ComparisonPlan) -> tuple[Side, Side]:
    separator = plan.given.team_separator
    left, right = (_side(table, names, separator) for names in (plan.columns.left, plan.columns.right))
    return left, right


def _side(table: pa.Table, names: tuple[str, ...], separator: str | None) -> Side:
    if len(names) > 1:
        if separator is not None:
            raise InputError("{@team_separator} is for teams in one cell; name one column for each side")
        return sides.side_of_columns([table[name] for name in names], names)
    if separator == "":
        raise InputError("{@team_separator} is what stands between two names, not nothing")
    if separator is not None:
        return sides.side_of_cells(table[names[0]], names[0], separator)
    return sides.side_of_column(table[names[0]], names[0])


def side_labels(table: pa.Table, plan: ComparisonPlan, coded: Sides) -> SideLabels | None:
    """What stands in the cells of the two sides, if each side is one cell."""
    if coded.teams is None:
        return SideLabels(coded.items, coded.left, coded.right)
    cells = [table[name] for name in (*plan.columns.left, *plan.columns.right)]
    if len(cells) != 2 or not all(is_text(cell.type) for cell in cells):
        return None
    distinct, (left, right) = encode(cells, ("left", "right"), text=plan.opened.is_text)
    return SideLabels(distinct, left, right)


# ------------------------------------------------------------------------------------ counts and covariates


def differences(numbers: Callable[[str], Floats], covariates: CovariateColumns) -> dict[str, Floats] | None:
    """For every covariate, the value of the right side minus that of the left side."""
    found: dict[str, Floats] = {}
    for name, columns in covariates:
        values = [numbers(column) for column in columns]
        found[name] = values[1] - values[0] if len(values) == 2 else values[0]
    return found or None


def with_counts(c: Comparisons, numbers: Callable[[str], Floats], columns: Columns) -> Comparisons:
    """One row for each outcome that occurs, with its count, from comparisons with one row per pair.

    Rows of an item with itself, the diagonal of a square table, say nothing and are left out with a warning.
    """
    counts = np.zeros((len(c), 3))  # left is better, tie, right is better
    for name, outcome in zip(columns.wins, (0, 2), strict=False):
        counts[:, outcome] = _counts(numbers(name), name)
    if columns.ties is not None:
        counts[:, 1] = _counts(numbers(columns.ties), columns.ties)
    if len(columns.wins) == 2 and columns.ties is None:
        _check_ties_are_counted(counts, columns.wins)
    met = c.left != c.right
    if alone := int((~met).sum()):
        rows = "1 row" if alone == 1 else f"{alone:,} rows"
        warnings.warn(f"left out {rows} that count how often an item beat itself", stacklevel=4)
    row, which = np.nonzero(counts * met[:, None])
    if not len(row):
        raise InputError("every count is 0 in the columns of {@wins} and {@ties}, so nothing was compared")
    check_two_sides(c.items, c.left[met], c.right[met], c.teams)
    return replace(c[row], outcome=(which - 1).astype(np.int8), count=counts[row, which])


def _check_ties_are_counted(counts: NDArray[np.float64], names: Sequence[str]) -> None:
    """Rows of one game each, some without a winner, would lose their ties."""
    games = counts.sum(axis=1)
    if games.max() <= 1 and (nobody := games == 0).any():
        raise InputError(
            f"columns '{names[0]}' and '{names[1]}' have no winner at {{@row}}, which "
            "may be a tie; if it is, name these columns with {@outcome}, else leave such rows out",
            row=first_true(nobody),
        )


def _counts(values: Floats, name: str) -> Floats:
    if (negative := values < 0).any():
        row = first_true(negative)
        what = f"column '{name}' has {values[row]:g} at {{@row}}; a count is 0 or more"
        raise InputError(what, column=name, row=row)
    return values


# ------------------------------------------------------------------------------------ bad rows


def sift(sieve: Sieve, form: ComparisonFormats) -> None:
    """Leave out all rows that cannot be read; a column that is wrong as a whole is still an error."""
    columns = form.plan.columns
    of_sides = (*columns.feature_columns("left"), *columns.feature_columns("right"))
    for name in (*of_sides, *columns.covariate_columns()):
        sieve.drop_unread(replace(form.number(name), lists=name in of_sides), "number")
    labels = None
    if columns.left:
        labels = _sift_sides(sieve, form.plan)
    if columns.outcome is not None:
        _sift_outcomes(sieve, form, labels)
    for name in (*columns.wins, *([columns.ties] if columns.ties else [])):
        sieve.drop_unread(form.number(name), "count", lambda values: values >= 0)
    sift_described(sieve, form)
    for name in filter(None, (columns.category, columns.judge_kind)):
        sift_labels(sieve, name)
    if columns.neutral is not None:
        sieve.drop_unread(form.neutral, "truth value")


def sift_described(sieve: Sieve, form: Formats) -> None:
    """Leave out rows without a usable count, weight, group or time."""
    columns = form.plan.columns
    for name in filter(None, (columns.count, columns.weight)):
        sieve.drop_unread(form.number(name), "positive number", lambda v: (v > 0) & (v <= MOST_WEIGHT))
    several = [column for _, column in getattr(columns, "groups", ())]
    for name in dict.fromkeys(several or [columns.group] * (columns.group is not None)):
        sift_labels(sieve, name)
    if columns.time is not None:
        sieve.drop_unread(form.time, "time")


def sift_labels(sieve: Sieve, name: str) -> None:
    missing, _ = unusable_labels(trimmed(sieve.table[name]), name)
    sieve.drop(missing, f"nothing in '{name}'")


def _sift_sides(sieve: Sieve, plan: ComparisonPlan) -> SideLabels | None:
    text = plan.opened.is_text
    for names in (plan.columns.left, plan.columns.right):
        if len(names) == 1:
            sieve.drop(np.asarray(sieve.table[names[0]].is_null()), f"nothing in '{names[0]}'")
    for k in range(2):
        side = both_sides(sieve.table, plan)[k]
        missing, nobody = map(side.rows_with, unusable_labels(side.labels, side.name))
        sieve.drop(missing | side.empty_rows(), f"nothing in '{side.name}'")
        sieve.drop(nobody[~(missing | side.empty_rows())], f"a bye in '{side.name}'")
    if sieve.table.num_rows:
        sieve.drop(sides.meets_itself(*both_sides(sieve.table, plan), text=text), "an item against itself")
    return side_labels(sieve.table, plan, sides.encode_sides(*both_sides(sieve.table, plan), text=text))


def _sift_outcomes(sieve: Sieve, form: ComparisonFormats, labels: SideLabels | None) -> None:
    names = form.plan.columns.outcome or ()
    if len(names) == 2:
        for name in names:
            sieve.drop_unread(form.score(name), "number")
    elif names and form.plan.given.outcome_format == "probability":
        sieve.drop_unread(form.number(names[0]), "probability", lambda v: (v >= 0) & (v <= 1))
    elif names:
        column = encoded(sieve.table[names[0]], names[0])
        part = Part(sieve.table, labels, column)
        _, missing, strange = form.outcomes(names[0], part).apply(column, labels)
        sieve.drop(missing, "no outcome", names[0])
        sieve.drop(strange[~missing], "an outcome not understood", names[0])
