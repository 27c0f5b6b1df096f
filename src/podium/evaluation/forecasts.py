"""Forecasts: every comparison is predicted by a model that knows only earlier ones.

A model is fitted again at the start of each period, to everything strictly earlier, and predicts the rows of
the period. If it follows time (`Elo`, `DynamicBradleyTerry`: it has a method ``before``), it also learns from
each row of the period before it predicts later ones.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Positions
from podium.comparisons.table import Comparisons
from podium.core.links import most_probable
from podium.evaluation.scoring import Judged, Predicted, judge_forecasts, knows, predict_comparisons
from podium.numerics.progress import Progress
from podium.numerics.tasks import run_tasks
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
    estimates : list of dict of str to float
        The parameters that each fit of the model estimated, of those that are ``"auto"``.
    follows : bool
        Whether the model also learned from the rows of a period.
    strangers : int
        The number of rows with an item that the model had not learned from.
    """

    rows: Positions
    block: NDArray[np.int64]
    predicted: Predicted
    judged: Judged
    estimates: list[dict[str, float]]
    follows: bool
    strangers: int

    @property
    def estimated(self) -> str:
        """The estimated parameters, each from its smallest to its largest value; empty if there are none."""
        values = {name: [each[name] for each in self.estimates] for name in self.estimates[0]}
        ends = {name: {f"{end(some):.3g}": None for end in (min, max)} for name, some in values.items()}
        return ", ".join(f"{name} {' to '.join(texts)}" for name, texts in ends.items())

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
    *,
    follows: bool,
    n_jobs: int | None = None,
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
        The number of periods.
    blocks : int, default=20
        The number of blocks of time that intervals are resampled from.
    follows : bool
        Whether the model has a method ``before``.
    n_jobs : int or None, default=None
        The number of models that are fitted at a time, as in `run_tasks`.
    progress : callable, optional
        Called with the number of fits done and the total.

    Returns
    -------
    Forecasts
    """
    period = _numbered(c, refits, first)
    rows = np.flatnonzero(period >= 0)
    if not len(rows):
        raise ValueError("all rows have the same time, so nothing came earlier to learn from")
    parts, n_periods = [], int(period.max()) + 1
    with warnings.catch_warnings():  # threads can leave the filters of others behind; this restores them
        for part in run_tasks(_fit_and_predict, (fit, c, period, follows), range(n_periods), n_jobs):
            parts.append(part)
            if progress is not None:
                progress(len(parts), n_periods)
    found, strangers, estimates = zip(*parts, strict=True)
    joined: Any = (None if part[0] is None else np.concatenate(part) for part in zip(*found, strict=True))
    predicted = Predicted(*joined).at(np.argsort(np.argsort(period[rows], kind="stable")))
    block = _numbered(c, blocks, first)[rows]
    judged = judge_forecasts(c[rows], predicted, block)
    return Forecasts(rows, block, predicted, judged, list(estimates), follows, sum(strangers))


def _numbered(c: Comparisons, blocks: int, first: int) -> NDArray[np.int64]:
    """The number of the block of time of each row; -1 if it is only learned from."""
    number = np.full(len(c), -1)
    for k, (_, block) in enumerate(time_blocks(c.time, len(c), blocks, first)):
        number[block] = k
    return number


def followed(model: Any, c: Comparisons) -> Predicted:
    """The model's own probabilities before each row; it predicts no side if both are equally probable."""
    probability = np.asarray(model.before(c), dtype=np.float64)
    decision = probability[:, 2] - probability[:, 0]
    return Predicted(np.ones(len(c), dtype=bool), most_probable(probability), decision, probability)


def _fit_and_predict(
    shared: tuple[Callable[[Comparisons], Any], Comparisons, NDArray[np.int64], bool], k: int
) -> tuple[Predicted, int, dict[str, float]]:
    """The predictions of period k by a model of what came before it, the rows with strangers, the estimates.

    An item that a model of skill has not seen is average. Rows that it still cannot predict have even
    chances.
    """
    fit, c, period, follows = shared
    model, tested = fit(c[period < k]), c[period == k]
    if follows:
        return followed(model, tested), 0, _estimates(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExistenceWarning)  # the strangers are counted
        found = predict_comparisons(model, tested, average=hasattr(model, "log_skill_"))
    return found, int((~knows(model, tested)).sum()), {}


def _estimates(model: Any) -> dict[str, float]:
    """What a fit chose for the parameters that are ``"auto"``."""
    auto = [name for name, value in model.get_params(deep=False).items() if value == "auto"]
    return {name: float(getattr(model, f"{name}_")) for name in auto if hasattr(model, f"{name}_")}
