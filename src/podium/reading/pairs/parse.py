"""The rows of a table as Comparisons; an error names the first that cannot be read."""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import encode
from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import SideLabels, checked_probabilities, read_outcomes
from podium.comparisons.sides import encode_sides
from podium.comparisons.summary import LEFT_IS_BETTER
from podium.comparisons.table import Comparisons
from podium.reading.casts import feature_matrix, numbers, times, trimmed, truths
from podium.reading.counted.merge import observations
from podium.reading.counts import with_counts
from podium.reading.covariates import differences
from podium.reading.rows import Form, both_sides, side_labels
from podium.reading.scores import pairs_repeat, signs_of_scores


def comparisons_of(table: pa.Table, form: Form) -> Comparisons:
    """All rows of a table but its witnesses; an error names the first that cannot be read."""
    columns = form.columns
    votes = form.votes(table)
    time = None if columns.time is None else times(table, columns.time, form.dates, votes)
    options: dict[str, Any] = {
        "count": observations(table, columns.count),
        "weight": None if columns.weight is None else numbers(table, columns.weight),
        "time": None if time is None else time.values,
        "covariates": differences(table, columns.covariates),
        "neutral": None if columns.neutral is None else truths(table, columns.neutral),
    }
    if columns.features:
        left, right = (feature_matrix(table, columns.feature_columns(side)) for side in ("left", "right"))
        outcome = _outcomes(table, form, None)
        c = Comparisons.from_features(left, right, outcome.signs, feature_names=columns.features, **options)
    else:
        coded = encode_sides(*both_sides(table, form), text=form.text)
        outcome = _outcomes(table, form, side_labels(table, form, coded))
        options |= {"teams": coded.teams, "named": not columns.wins}
        c = Comparisons.from_codes(coded.items, coded.left, coded.right, outcome.signs, **options)
    for name, labels in (("group", "groups"), ("category", "categories")):
        if (column := getattr(columns, name)) is not None:
            distinct, [codes] = encode([trimmed(table[column])], [column])
            labelled: dict[str, Any] = {name: codes, labels: distinct}
            c = replace(c, **labelled)
    if columns.wins:
        c = with_counts(c, table, columns)
    if form.witnesses:
        c = c[form.witnesses :]
    if outcome.probability is not None:
        c = c.with_probability(outcome.probability[form.witnesses :])
    time_as = "time" if time is None or not time.how else f"time, {time.how}"
    return replace(c, columns=replace(columns, outcome_as=outcome.how, time_as=time_as))


class Outcome(NamedTuple):
    """Who was better, for sure or with a probability, and what the column holds."""

    signs: NDArray[np.int8] | None = None
    how: str = "outcome"
    probability: NDArray[np.float64] | None = None


def _outcomes(table: pa.Table, form: Form, labels: SideLabels | None) -> Outcome:
    names, outcome_format = form.columns.outcome, form.outcome_format
    if names is None:
        return Outcome()
    if names == LEFT_IS_BETTER:
        return Outcome(np.full(table.num_rows, -1, dtype=np.int8))
    if len(names) == 2:
        left, right = (numbers(table, name, (pa.int64(), pa.float64())) for name in names)
        repeats = partial(pairs_repeat, labels)
        return Outcome(signs_of_scores((left, right), names, outcome_format, form.columns.unused, repeats))
    if outcome_format == "probability":
        probability = checked_probabilities(numbers(table, names[0]), names[0])
        return Outcome(how="probability that the left side is better", probability=probability)
    found = Outcome(*read_outcomes(table[names[0]], outcome_format, names[0], form.side_names, labels))
    if form.score_guessed and found.how == "outcome":
        raise InputError(
            f"column '{names[0]}' does not have scores of both sides such as 2-1, so it need not be the "
            f"outcome; if it is, say {{@outcome}}'{names[0]}', and {{@outcome_format}} if that is ambiguous"
        )
    return found
