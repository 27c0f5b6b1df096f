"""Walk forward in time: score predictions that know only what came strictly earlier."""

from dataclasses import dataclass, field
from inspect import Parameter, signature
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.checks import in_utc
from podium.comparisons.table import Comparisons
from podium.evaluation.forecasts import BLOCKS, Forecasts, forecast
from podium.evaluation.intervals import Score, check_level, higher_is_better, side_by_side
from podium.evaluation.scoring import Judged, check_outcomes
from podium.leaderboard.history import time_text
from podium.numerics.parameters import is_number
from podium.numerics.progress import Progress, progress_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class WalkForward:
    """How well a model predicted the comparisons that followed.

    Attributes
    ----------
    model : str
        The class of the model.
    scores : dict of str to Score
        Log loss, Brier score and accuracy; with ties, also the score loss. Each has a ``value`` and an
        interval from ``low`` to ``high``.
    rows : ndarray of int
        The positions of the tested rows.
    block : ndarray of int
        The number of the block of time that each tested row belongs to.
    outcome : ndarray of int
        The outcomes of the tested rows.
    probability : ndarray of shape (n_tested, 3) or None
        The probabilities of -1, 0 and 1; nan in rows that the model could not predict.
    level : float
        The confidence level of the intervals.
    notes : tuple of str
        Remarks on the test.

    See Also
    --------
    walk_forward : forecasts one step ahead
    """

    model: str
    scores: dict[str, Score]
    rows: Positions
    block: NDArray[np.int64]
    outcome: NDArray[np.int8]
    probability: Floats | None
    level: float
    notes: tuple[str, ...]
    judged: Judged = field(repr=False)

    def to_frame(self) -> "pd.DataFrame":
        """One row per score.

        Returns
        -------
        pandas.DataFrame
            The columns ``score``, ``value``, ``low``, ``high`` and ``n``, the number of tested rows.
        """
        import pandas as pd

        table = [(s.name, s.value, s.low, s.high, len(self.rows)) for s in self.scores.values()]
        return pd.DataFrame(table, columns=["score", "value", "low", "high", "n"])

    def compare(
        self,
        other: "WalkForward",
        *,
        blocks: int | None = None,
        n_bootstrap: int = 1000,
        random_state: Any = 0,
    ) -> "pd.DataFrame":
        """The scores of this model minus those of another, with intervals from the same blocks of time.

        Both must have been tested on the same rows. Rows that are hard for both cancel out of the difference.

        If form, or whatever makes one model better for a while, lasts longer than a block, neighbouring
        blocks are alike and the intervals are too short. In simulations of two equally good models with 20
        blocks of 60 games, 95 % intervals excluded 0 in 5 % of tests if games were almost independent, in
        21 % if the log-odds had a half-life of 60 games, and in 49 % if it was 200. Five blocks of 240 games
        left 7 % and 23 %. So make blocks at least five half-lives long: ``blocks`` joins neighbours.

        Parameters
        ----------
        other : WalkForward
            The other model's result.
        blocks : int, optional
            Join neighbouring blocks of the test to this many, of about equal size; by default all count.
        n_bootstrap : int, default=1000
            The number of resamples.
        random_state : int, RandomState, Generator or None, default=0
            The source of the resamples.

        Returns
        -------
        pandas.DataFrame
            The columns ``score``, ``difference``, ``low``, ``high`` and ``n``.
        """
        import pandas as pd

        _check_counts(blocks=1 if blocks is None else blocks)
        _check_counts(0, n_bootstrap=n_bootstrap)
        same = np.array_equal(self.rows, other.rows) and np.array_equal(self.block, other.block)
        if not same or not np.array_equal(self.outcome, other.outcome):
            raise ValueError("the two models were not tested on the same rows; test both on one table")
        both = {"this": [self.judged.pooled(blocks)], "other": [other.judged.pooled(blocks)]}
        found = side_by_side(both, self.level, n_bootstrap, random_state)
        table = [
            (name, *_difference(found["this"].behind[name], found["other"].behind[name]), len(self.rows))
            for name in self.scores
            if name in other.scores
        ]
        return pd.DataFrame(table, columns=["score", "difference", "low", "high", "n"])

    def __repr__(self) -> str:
        from podium.writing.tables import text_lines

        scores, blocks = self.scores.values(), len(np.unique(self.block))
        some = "1 block" if blocks == 1 else f"{blocks} blocks"
        head = f"<WalkForward of {self.model}: {len(self.rows):,} rows in {some} of time"
        ends = ["" if np.isnan(s.low) else f"{s.low:.4f} to {s.high:.4f}" for s in scores]
        cells = {
            "score": [s.name for s in scores],
            "value": [f"{s.value:.4f}" for s in scores],
            f"{100 * self.level:g} % interval": ends,
        }
        return "\n".join([head, *text_lines(cells, ["score"]), *self.notes]) + ">"


def _difference(this: Score, other: Score) -> tuple[float, float, float]:
    """Return this score minus the other; the better one is the reference, so the other has the interval."""
    behind, sign = (other, -1.0) if this.value == 0 else (this, 1.0)
    sign = -sign if higher_is_better(this.name) else sign
    low, high = sorted([sign * behind.low, sign * behind.high])
    return sign * behind.value + 0.0, low, high


def walk_forward(
    model: Any,
    c: Comparisons,
    *,
    test_share: float = 0.2,
    start: Any = None,
    refits: int = 10,
    blocks: int = BLOCKS,
    level: float = 0.95,
    n_bootstrap: int = 1000,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: bool | Progress = False,
) -> WalkForward:
    """Score one-step-ahead predictions: every tested row is predicted from strictly earlier rows.

    The test is cut into ``refits`` periods of time. At the start of each, the model is fitted again to
    everything strictly earlier, parameters included. A model with a method ``before`` also learns from each
    row of the period before it predicts later ones.

    The scores are

    - log loss: the mean of -log of the probability of what happened; infinite if that is ever 0, as it is
      for ties in models without ties;
    - score loss, if there are ties: the cross-entropy of the expected score, in which a tie counts ½. It
      compares models with and without ties;
    - Brier: half the mean squared distance between the probabilities and the outcome. Without ties this is
      the usual Brier score;
    - accuracy: the share of rows whose outcome was the most probable one. A model that gives both sides the
      same probability predicts no difference;
    - AUC, only for models without probabilities.

    The intervals come from a bootstrap over ``blocks`` of time, since games close in time are not
    independent. They are widened by Student's t, since there are few blocks. If what makes games hard lasts
    longer than a block, they are too short; give fewer ``blocks`` then (see `WalkForward.compare`).

    An item that the model has not seen starts as a newcomer in a model with ``before``, and is average in
    other models of skill. All rows of the test count, so all models are judged on the same rows.

    Parameters
    ----------
    model : estimator
        A model of comparisons. It is cloned, not changed.
    c : Comparisons
        Comparisons with outcomes. Without ``time`` each row is later than the one before it.
    test_share : float, default=0.2
        The share of the rows to test on, the last ones.
    start : time, optional
        Test on the rows of this time or later, instead of ``test_share``.
    refits : int, default=10
        How often the model is fitted.
    blocks : int, default=20
        The number of blocks of time for the intervals.
    level : float, default=0.95
        The confidence level.
    n_bootstrap : int, default=1000
        The number of resamples.
    n_jobs : int or None, default=None
        The number of periods whose models are fitted at a time, in processes; -1 is one per core. None is 1,
        unless ``joblib.parallel_config`` says otherwise: its backend is used (see "Many fits on a cluster" in
        the documentation).
    random_state : int, RandomState, Generator or None, default=0
        The source of the resamples.
    progress : bool or callable, default=False
        True shows a progress bar; a function is called with the number of fits done and the total.

    Returns
    -------
    WalkForward

    See Also
    --------
    WalkForward : the result of walk_forward
    tune_forward : choose parameters by forecasts

    Examples
    --------
    >>> import podium as pod
    >>> games = pod.datasets.load_chess_club()
    >>> walk = pod.evaluation.walk_forward(pod.BradleyTerry(), games)
    >>> walk
    <WalkForward of BradleyTerry: 182 rows in 20 blocks of time
    score        value     95 % interval
    log loss    0.9824  0.8925 to 1.0787
    score loss  0.6138  0.5593 to 0.6735
    Brier       0.2938  0.2613 to 0.3273
    accuracy    0.5275  0.4429 to 0.6147
    fitted 10 times, each to all rows before its period>

    Two models on the same rows; the intervals of the differences contain 0:

    >>> rival = pod.evaluation.walk_forward(pod.BradleyTerry(ties="rao-kupper"), games)
    >>> walk.compare(rival).round(4).head(3)
            score  difference     low    high    n
    0    log loss      0.0015 -0.0056  0.0086  182
    1  score loss      0.0004 -0.0011  0.0020  182
    2       Brier      0.0005 -0.0014  0.0025  182
    """
    from sklearn.base import clone

    check_outcomes(c)
    _check_counts(refits=refits, blocks=blocks)
    _check_counts(0, n_bootstrap=n_bootstrap)
    check_level(level)
    _check_learns(model)
    first = _first_tested(c, test_share, start)
    with progress_of(progress, "walking forward") as report:
        found = forecast(
            lambda train: clone(model).fit(train),
            c,
            first,
            refits,
            blocks,
            follows=hasattr(model, "before"),
            n_jobs=n_jobs,
            progress=report,
        )
    [standing] = side_by_side({"": [found.judged]}, level, n_bootstrap, random_state).values()
    outcome = np.asarray(c.outcome)[found.rows]
    return WalkForward(
        type(model).__name__,
        standing.scores,
        found.rows,
        found.block,
        outcome,
        found.predicted.probability,
        level,
        _notes(found, standing.scores, outcome),
        found.judged,
    )


def _check_counts(least: int = 1, **counts: Any) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise ValueError(f"{name} is {value!r}, where a number of at least {least} is expected")


def _check_learns(model: Any) -> None:
    """Refuse what needs labels beside its rows, such as a model of labelled rows."""
    target = signature(model.fit).parameters.get("y") if hasattr(model, "fit") else None
    if not hasattr(model, "fit") or (target is not None and target.default is Parameter.empty):
        raise ValueError(f"{model!r} does not learn from comparisons; walk_forward takes a model that does")


def _first_tested(c: Comparisons, test_share: float, start: Any) -> int:
    """How many rows, in the order of time, come before the test."""
    if start is None:
        if not is_number(test_share) or not 0 < test_share < 1:
            shown = f"{test_share:g}" if is_number(test_share) else repr(test_share)
            raise ValueError(f"test_share is {shown}, where a number between 0 and 1 is expected")
        return len(c) - max(1, round(test_share * len(c)))
    if c.time is None:
        raise ValueError(f"start is {start}, but these comparisons have no time; give test_share instead")
    dates = c.time.dtype.kind == "M"
    try:
        moment: Any = np.datetime64(in_utc(start)) if dates else float(start)
    except (TypeError, ValueError):
        raise ValueError(f"start must be a {'date' if dates else 'number'}, not {start!r}") from None
    first = int((c.time < moment).sum())
    if not 0 < first < len(c):
        what = "test on" if first else "learn from"
        raise ValueError(
            f"start={start} leaves no row to {what}; times go from {time_text(c.time.min())} to "
            f"{time_text(c.time.max())}"
        )
    return first


def _notes(found: Forecasts, scores: dict[str, Score], outcome: NDArray[Any]) -> tuple[str, ...]:
    notes = [f"fitted {len(found.estimates)} times, each to all rows before its period"]
    notes[0] += "; then it followed those of the period" * found.follows
    notes += [f"estimated {found.estimated}"] * bool(found.estimated) + found.remarks
    if "log loss" in scores and np.isinf(scores["log loss"].value):
        why = "something that occurred had probability 0"
        if (outcome == 0).any():
            why = "ties have probability 0; the score loss compares models without ties"
        notes.append(f"the log loss is infinite: {why}")
    return tuple(notes)
