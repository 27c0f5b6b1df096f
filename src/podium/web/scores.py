"""Tables of the scores of one or several models."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from podium.evaluation.intervals import HIGHER_IS_BETTER, Score, Standing
from podium.web.table import Column, cell, row_head, sortable_table, text_cell
from podium.web.text import shown

MODEL = Column("model", "text", "ascending")


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
    columns = [
        Column("score", "text", "ascending"),
        Column("value"),
        Column("interval"),
        Column("by", "text"),
    ]
    rows = (
        [
            row_head(shown(score.name)),
            cell(score.value, number(score.value)),
            cell(score.low, interval(score) or "–"),
            text_cell(shown(score.interval)),
        ]
        for score in scores
    )
    return sortable_table("Scores", columns, rows, by=-1)


def standings_table(
    standings: Mapping[str, Standing], names: Sequence[str], seconds: Mapping[str, float]
) -> str:
    """One row per model: its scores with their intervals, and how long a fit took."""
    best_first = {name: "descending" if name in HIGHER_IS_BETTER else "ascending" for name in names}
    columns = [MODEL, *(Column(name, first=best_first[name]) for name in names), Column("seconds")]
    rows = (
        [
            row_head(shown(model)),
            *(_over(standing.scores.get(name), number) for name in names),
            cell(seconds[model], f"{seconds[model]:.2g}"),
        ]
        for model, standing in standings.items()
    )
    return sortable_table("Scores", columns, rows, by=-1)


def behind_table(standings: Mapping[str, Standing], names: Sequence[str]) -> str:
    """One row per model: how much worse its scores are than the best, with joint intervals."""
    columns = [MODEL, *(Column(name, first="ascending") for name in names)]
    rows = (
        [row_head(shown(model)), *(_over(standing.behind.get(name), difference) for name in names)]
        for model, standing in standings.items()
    )
    return sortable_table("Behind the best", columns, rows, by=-1)


def _over(score: Score | None, text: Callable[[float], str]) -> str:
    """A cell with a number and its interval below."""
    if score is None:
        return cell(np.nan, "–")
    return cell(score.value, f"{text(score.value)}<div><small>{interval(score)}</small></div>")
