"""Forecasts: every comparison is predicted by a model that knows only earlier ones.

A model that follows time (`Elo`, `Glicko`: it has a method ``before``) is fitted once, to the rows before the
test, and then follows the tested rows. Any other model is fitted again at the start of each period, to
everything strictly earlier, and predicts the rows of the period.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Positions
from podium.comparisons.table import Comparisons
from podium.evaluation.judging import Judged, Predicted, judge_forecasts, knows, predict_comparisons
from podium.numerics.links import most_probable
from podium.numerics.progress import Progress
from podium.numerics.time_blocks import time_blocks
from podium.skill.fit import ExistenceWarning

BLOCKS = 20  # of time, over which intervals are resampled


@dataclass(frozen=True)
class Forecasts:
    """Predictions of the tested rows, which only know what came strictly earlier.

    Attributes
    ----------
    rows : ndarray of int
        The positions of the tested rows.
    block : ndarray of int
        The number of the block of time that each of them belongs to.
    predicted : Predicted
        Their predictions.
    judged : Judged
        Their scores, as functions of the blocks.
    fits : int
        How often the model was fitted.
    follows : bool
        Whether it was fitted once and then followed the rows.
    strangers : int
        The number of rows with an item that the model had not learned from.
    """

    rows: Positions
    block: NDArray[np.int64]
    predicted: Predicted
    judged: Judged
    fits: int
    follows: bool
    strangers: int

    @property
    def remarks(self) -> list[str]:
        """How rows with unknown items were predicted."""
        found = []
        if self.strangers:
            unseen = "rows have an item that was not learned from, which counts as average"
            found.append(f"{self.strangers:,} {unseen}")
        if even := int((~self.predicted.known).sum()):
            found.append(f"{even:,} rows have even chances, since the model cannot compare their items")
        return found


def forecast(
    fit: Callable[[Comparisons], Any],
    c: Comparisons,
    first: int,
    refits: int,
    blocks: int = BLOCKS,
    progress: Progress | None = None,
) -> Forecasts:
    """Predict the rows from position ``first`` in the order of time on.

    Parameters
    ----------
    fit : callable
        Fits a new model to the comparisons that it is given, and returns it.
    c : Comparisons
        The comparisons, with outcomes.
    first : int
        The number of rows to learn from before the test.
    refits : int
        How often a model without ``before`` is fitted.
    blocks : int, default=20
        The number of blocks of time that intervals are resampled from.
    progress : callable, optional
        Called with the number of fits done and the total.

    Returns
    -------
    Forecasts
    """
    parts = time_blocks(c.time, len(c), refits, first)
    if not parts:
        raise ValueError("all rows have the same time, so nothing came earlier to learn from")
    rows = np.sort(np.concatenate([block for _, block in parts]))
    model = fit(c[parts[0][0]])
    follows = hasattr(model, "before")
    if follows:
        predicted, strangers = followed(model, c[rows]), 0
    else:
        everywhere, strangers = _refitted(model, fit, c, parts, progress)
        predicted = _some(everywhere, rows)
    block = np.zeros(len(c), dtype=np.int64)
    for k, (_, span) in enumerate(time_blocks(c.time, len(c), blocks, first)):
        block[span] = k
    judged = judge_forecasts(c[rows], predicted, block[rows])
    fits = 1 if follows else len(parts)
    return Forecasts(rows, block[rows], predicted, judged, fits, follows, strangers)


def followed(model: Any, c: Comparisons) -> Predicted:
    """The model's own probabilities before each row; it predicts no side if both are equally probable."""
    probability = np.asarray(model.before(c), dtype=np.float64)
    decision = probability[:, 2] - probability[:, 0]
    return Predicted(np.ones(len(c), dtype=bool), most_probable(probability), decision, probability)


def _refitted(
    model: Any,
    fit: Callable[[Comparisons], Any],
    c: Comparisons,
    parts: list[tuple[Positions, Positions]],
    progress: Progress | None,
) -> tuple[Predicted, int]:
    """The predictions of all rows, those of each part by a model of what came before it; and the strangers.

    An item that a model of skill has not seen is average. Rows that it still cannot predict have even
    chances.
    """
    known, outcome = np.zeros(len(c), dtype=bool), np.zeros(len(c), dtype=np.int8)
    decision, strangers = np.full(len(c), np.nan), 0
    probability = np.full((len(c), 3), np.nan) if hasattr(model, "predict_proba") else None
    for k, (earlier, block) in enumerate(parts):
        model = fit(c[earlier]) if k else model
        strangers += int((~knows(model, c[block])).sum())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExistenceWarning)  # the strangers are counted
            found = predict_comparisons(model, c[block], average=hasattr(model, "log_skill_"))
        known[block], outcome[block], decision[block] = found.known, found.outcome, found.decision
        if probability is not None and found.probability is not None:
            probability[block] = found.probability
        if progress is not None:
            progress(k + 1, len(parts))
    return Predicted(known, outcome, decision, probability), strangers


def _some(predicted: Predicted, rows: Positions) -> Predicted:
    probability = None if predicted.probability is None else predicted.probability[rows]
    return Predicted(predicted.known[rows], predicted.outcome[rows], predicted.decision[rows], probability)
