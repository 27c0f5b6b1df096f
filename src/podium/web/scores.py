"""Tables of the scores of one or several models."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from podium.evaluation.intervals import Score, Standing, higher_is_better
from podium.web.table import Column, cell, names, numbers, sortable_table, texts
from podium.web.text import name, shown


def number(value: float) -> str:
    """A score as text for a table."""
    return "–" if np.isnan(value) else "∞" if np.isinf(value) else f"{value:z.4f}"


def difference(value: float) -> str:
    """How far a score is behind the best, as text for a table."""
    return "best" if value == 0 else number(value)


def interval(score: Score, joint: str = " to ") -> str:
    """The interval of a score as text for a table; empty if there is none."""
    return "" if np.isnan(score.low) else f"{number(score.low)}{joint}{number(score.high)}"


def scores_table(scores: Sequence[Score]) -> str:
    """One row per score."""
    ends = [cell(score.low, interval(score) or "–") for score in scores]
    columns = [
        names("score", [shown(score.name) for score in scores]),
        numbers("value", [score.value for score in scores], number),
        Column("interval", ends),
        texts("by", [shown(score.interval) for score in scores]),
    ]
    return sortable_table("Scores", columns, by=-1)


def standings_table(
    standings: Mapping[str, Standing], titles: Sequence[str], seconds: Mapping[str, float]
) -> str:
    """One row per model: its scores with their intervals, and how long a fit took."""
    found = [standing.scores for standing in standings.values()]
    columns = [_column(title, found, number, higher_is_better(title)) for title in titles]
    seconds_of = numbers("seconds", [seconds[model] for model in standings], "{:.2g}".format)
    return sortable_table("Scores", [names("model", map(name, standings)), *columns, seconds_of], by=-1)


def behind_table(standings: Mapping[str, Standing], titles: Sequence[str]) -> str:
    """One row per model: how much worse its scores are than the best, with joint intervals."""
    found = [standing.behind for standing in standings.values()]
    columns = [_column(title, found, difference) for title in titles]
    return sortable_table("Behind the best", [names("model", map(name, standings)), *columns], by=-1)


def _column(
    title: str, found: Sequence[Mapping[str, Score]], text: Callable[[float], str], higher: bool = False
) -> Column:
    """A score of every model that has it, with its interval below; ``higher`` is better."""
    cells = [
        cell(score.value, f"{text(score.value)}<div><small>{interval(score)}</small></div>")
        if (score := scores.get(title))
        else cell(np.nan, "–")
        for scores in found
    ]
    return Column(title, cells, first="descending" if higher else "ascending")
