"""CalibratedComparer: from the decisions of any comparer to the probabilities of the three outcomes."""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.table import Comparisons
from podium.numerics.links import outcome_probabilities
from podium.numerics.time_blocks import time_blocks


class CalibratedComparer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Three-way probabilities from decisions that were not seen in training.

    With d the decision of the comparer, r(right) - r(left), Davidson's model of ties gives

        P(-1) : P(0) : P(1)  =  e^{-ad/2} : ν : e^{ad/2},

    so that P(-1 | d) = P(1 | -d), and a tie is as probable from either side. The slope a and the tie
    parameter ν are of maximum likelihood on held-out decisions, a convex problem in a and log ν. So that both
    stay finite, there is one comparison more, at the typical |d|, a third of each outcome (as Platt's targets
    are not quite 0 and 1): no outcome ever has probability 0.

    ``cv`` is a number of folds or a splitter of scikit-learn; a number keeps the share of ties in every fold,
    and is lowered to the number of rows. A comparer that follows time (it has a method ``before``, as `Elo`
    and `Glicko` have) is walked forward instead: the games are cut into cv + 1 blocks of time, those of one
    moment together (the order of the rows is time where they have none), and each block but the first is
    decided by a comparer that has learned from all earlier ones.

    A held-out row that the fold's model knows nothing of (an item it has never seen, or nan) is left out. So
    is a fold whose model cannot be fitted, or has decisions of another scale than the final one (a machine of
    [SVMcompare] that had to do without a bias). A comparer that is fitted already comes in a
    `sklearn.frozen.FrozenEstimator`.

    Fitted attributes: ``estimator_``, fitted to all rows; ``slope_`` (a), ``tie_`` (ν), ``n_held_out_`` (rows
    that the two were learned from), ``result_`` (of the solver of the two), ``classes_``.

    >>> from podium import datasets
    >>> from podium.comparers.linear_compare import LinearCompare
    >>> c = datasets.make_norm_comparisons(300, random_state=0)
    >>> squares = c.with_features(c.features**2)
    >>> model = CalibratedComparer(LinearCompare()).fit(squares)
    >>> model.predict_proba(squares[:1]).round(2)
    array([[0.03, 0.97, 0.  ]])
    """

    def __init__(self, estimator: Any, cv: Any = 5) -> None:
        self.estimator = estimator
        self.cv = cv

    def fit(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the comparer to all rows, and the probabilities to held-out decisions."""
        from podium.comparers.davidson_link import davidson_link

        c = _readable(pairs, y, sample_weight)
        estimator = clone(self.estimator).fit(c, c.outcome)
        held = self._held_out(c, _has_margin(estimator))
        result = davidson_link(held.decision, held.outcome, held.weight)
        self.estimator_, self.result_ = estimator, result
        self.slope_, self.tie_ = map(float, result.solution)
        self.n_held_out_ = len(held.decision)
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        result.warn_if_stopped_early(None, "the probabilities may be off")
        return self

    def _held_out(self, c: Comparisons, margin: bool) -> "HeldOut":
        """The decisions of all folds; the warnings of their models are those of the final one.

        ``margin``: whether the final one has it, and hence the scale of its decisions.
        """
        parts: list[HeldOut] = []
        failure: Exception | None = None
        for train, test in _splits(self.cv, c, forward=hasattr(self.estimator, "before")):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = clone(self.estimator).fit(c[train], c[train].outcome)
                    rows = test if c.features is not None else test[c[test].between(c[train].appears)]
                    decision = np.asarray(model.decision_function(c[rows]))
            except ValueError as error:
                failure = error
                continue
            if _has_margin(model) == margin:
                rows, decision = rows[~np.isnan(decision)], decision[~np.isnan(decision)]
                assert c.outcome is not None
                parts.append(HeldOut(decision, c.outcome[rows], c.weight[rows]))
        if not sum(len(part.decision) for part in parts):
            reason = f": {failure}" if failure else "; give it more comparisons, or other folds"
            raise ValueError(f"no fold left a held-out decision to learn probabilities from{reason}")
        return HeldOut(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, pairs: Any) -> Floats:
        """That of the comparer."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(pairs))

    def predict_proba(self, pairs: Any) -> Floats:
        """P(left is better), P(no difference), P(right is better): a row a comparison, as in ``classes_``."""
        d = self.decision_function(pairs)
        return outcome_probabilities(self.slope_ * d, "davidson", self.tie_)

    def predict(self, pairs: Any) -> NDArray[np.int8]:
        """The most probable outcome; 0 where both sides are."""
        table = self.predict_proba(pairs)
        decided = table[:, 1] < np.maximum(table[:, 0], table[:, 2])  # never true of nan
        return np.where(decided, np.sign(table[:, 2] - table[:, 0]), 0).astype(np.int8)

    def score(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of comparisons that are predicted right."""
        check_is_fitted(self)
        c = _readable(pairs, y, sample_weight, "score")
        return float(np.average(self.predict(c) == c.outcome, weights=c.weight))


class HeldOut(NamedTuple):
    """Decisions on rows that the model was not fitted to, and how these ended."""

    decision: Floats
    outcome: NDArray[np.int8]
    weight: Floats


# ------------------------------------------------------------------------------------ folds


def _readable(pairs: Any, y: Any, sample_weight: Any, purpose: str = "learn from") -> Comparisons:
    """Comparisons with outcomes; with features where they are given as numbers."""
    c = pairs if isinstance(pairs, Comparisons) else featured_pairs(pairs)
    return with_outcomes(c, y, sample_weight, purpose)


def _splits(cv: Any, c: Comparisons, forward: bool) -> Iterator[tuple[Positions, Positions]]:
    from sklearn.model_selection import KFold, StratifiedKFold, check_cv

    assert c.outcome is not None
    tie = c.outcome == 0
    if not isinstance(cv, int):
        yield from check_cv(cv).split(np.zeros((len(c), 1)), c.outcome, c.group)
        return
    if cv < 2 or len(c) < 2:
        raise ValueError(f"cv is {cv} for {len(c):,} comparisons; at least two folds of a row are needed")
    folds = min(cv, len(c))
    if forward:
        yield from _forward(folds, c)
        return
    # Rows are often sorted by somebody or something, so folds are shuffled; the seed makes them repeatable.
    even = min(tie.sum(), (~tie).sum()) >= folds
    kind = StratifiedKFold if even else KFold
    yield from kind(folds, shuffle=True, random_state=0).split(np.zeros((len(c), 1)), tie)


def _forward(folds: int, c: Comparisons) -> list[tuple[Positions, Positions]]:
    """Blocks of time, each to be decided by what came before it."""
    if blocks := time_blocks(c.time, len(c), folds):
        return blocks
    raise ValueError(
        "no game is later than the first ones, and the decisions of a model that follows time are "
        "calibrated on later games; give more games, or their time"
    )


def _has_margin(model: Any) -> bool:
    return not np.isnan(getattr(model, "margin_", 0.0))
