"""The rows of a table as Comparisons; an error names the first that cannot be read."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import encode
from podium.comparisons.outcomes import LEFT, SideLabels, checked_probabilities, encoded
from podium.comparisons.sides import encode_sides
from podium.comparisons.summary import LEFT_IS_BETTER
from podium.comparisons.table import Comparisons
from podium.reading.cells import complete, trimmed
from podium.reading.counted.merge import observations
from podium.reading.counts import with_counts
from podium.reading.covariates import differences
from podium.reading.formats import Formats, Part, with_column
from podium.reading.rows import both_sides, side_labels


def comparisons_of(table: pa.Table, form: Formats) -> Comparisons:
    """All rows of a table; an error names the first that cannot be read."""
    columns = form.roles

    def numbers(name: str) -> NDArray[Any]:
        return complete(table[name], form.number(name))

    def matrix(names: Sequence[str]) -> NDArray[np.float64]:
        return np.column_stack([numbers(name) for name in names])

    options: dict[str, Any] = {
        "time": None if columns.time is None else complete(table[columns.time], form.time),
        "count": observations(table, None if columns.count is None else numbers(columns.count)),
        "weight": None if columns.weight is None else numbers(columns.weight),
        "covariates": differences(numbers, columns.covariates),
        "neutral": None if columns.neutral is None else complete(table[columns.neutral], form.neutral),
    }
    if columns.features:
        left, right = (matrix(columns.feature_columns(side)) for side in ("left", "right"))
        outcome = _outcomes(table, form, numbers, None)
        c = Comparisons.from_features(left, right, outcome.signs, feature_names=columns.features, **options)
    else:
        coded = encode_sides(*both_sides(table, form), text=form.text)
        outcome = _outcomes(table, form, numbers, side_labels(table, form, coded))
        options |= {"teams": coded.teams, "named": not columns.wins}
        c = Comparisons.from_codes(coded.items, coded.left, coded.right, outcome.signs, **options)
    for name, labels in (("group", "groups"), ("category", "categories")):
        if (column := getattr(columns, name)) is not None:
            distinct, [codes] = encode([trimmed(table[column])], [column])
            labelled: dict[str, Any] = {name: codes, labels: distinct}
            c = replace(c, **labelled)
    if columns.wins:
        c = with_counts(c, numbers, columns)
    if outcome.probability is not None:
        c = c.with_probability(outcome.probability)
    time_as = "time" if columns.time is None or not form.time.how else f"time, {form.time.how}"
    return replace(c, columns=replace(columns, outcome_as=outcome.how, time_as=time_as))


class Outcome(NamedTuple):
    """Who was better, for sure or with a probability, and what the column holds."""

    signs: NDArray[np.int8] | None = None
    how: str = "outcome"
    probability: NDArray[np.float64] | None = None


def _outcomes(
    table: pa.Table, form: Formats, numbers: Callable[[str], NDArray[Any]], labels: SideLabels | None
) -> Outcome:
    names = form.roles.outcome
    if names is None:
        return Outcome()
    if names == LEFT_IS_BETTER:
        return Outcome(np.full(table.num_rows, LEFT, dtype=np.int8))
    if len(names) == 2:
        left, right = map(numbers, names)
        form.check_scores(Part(table, labels))
        return Outcome((right > left).astype(np.int8) - (right < left).astype(np.int8))
    if form.given.outcome_format == "probability":
        probability = checked_probabilities(numbers(names[0]), names[0])
        return Outcome(how="probability that the left side is better", probability=probability)
    column = encoded(table[names[0]], names[0])
    decided = form.outcomes(names[0], Part(with_column(table, names[0], column), labels))
    return Outcome(decided.signs(column, labels), decided.how)
