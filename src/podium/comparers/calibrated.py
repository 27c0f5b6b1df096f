"""CalibratedComparer: turn the decisions of any comparer into probabilities of the three outcomes."""

import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from podium.arrays.devices.boundary import as_array, to_floats, to_numpy
from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.table import Comparisons
from podium.core.links import Link, derivatives, loss, most_probable, outcome_probabilities, root, seen_score
from podium.numerics.descent import Derivatives, descend
from podium.numerics.estimators import BaseEstimator, ClassifierMixin
from podium.numerics.result import ConstantObjective, SolverResult
from podium.numerics.time_blocks import time_blocks

TOL = 1e-8  # the gradient, relative to the weight of all rows, at which Newton's method stops
MAX_ITER = 100  # Newton steps at most
RIDGE = 1e-10  # added to second derivatives, which are 0 if all probabilities round to 0 or 1


@dataclass(eq=False, repr=False)
class CalibratedComparer(ClassifierMixin, BaseEstimator):
    """Probabilities of the three outcomes, for any comparer with a ``decision_function``.

    Use it to know how sure a prediction is. With d = r(right) - r(left), the decision of the comparer,
    Davidson's model of ties gives

        P(-1) : P(0) : P(1)  =  e^{-ad/2} : ν : e^{ad/2},

    so P(-1 | d) = P(1 | -d). The slope a and the tie parameter ν maximise the likelihood of held-out
    decisions, which is concave in a and log ν. To keep both finite, one comparison is added at the typical
    ``|d|``, with a third of each outcome, so no outcome ever has probability 0.

    A comparer that follows time (one with a method ``before``, such as `Elo` and `Glicko`) is evaluated
    forward. The games are cut into cv + 1 blocks of time; games of the same moment stay together, and without
    times the order of the rows counts. Each block but the first is decided by a comparer fitted to all
    earlier blocks.

    Held-out rows about which the fold's model knows nothing (an item it has never seen, or a decision of nan)
    are left out, and so is a fold whose model cannot be fitted. A machine of [SVMcompare] ranks by -u/β, or
    by u if it fell back to β = 0, so the decisions of folds are on a scale that varies with β. They are
    brought to that of the final model in units of 1 - β, the u·(x' - x) from which a decisive pair costs
    nothing: this is continuous in β where u/β is not, at 0.

    Parameters
    ----------
    estimator : comparer
        A model of comparisons. To keep a fitted model as it is, wrap it in `sklearn.frozen.FrozenEstimator`.
    cv : int or splitter of scikit-learn, default=5
        The folds. With a number, every fold has about the same share of ties; there are at most as many folds
        as rows.

    Attributes
    ----------
    estimator_ : comparer
        The comparer, fitted to all rows.
    slope_ : float
        The slope a.
    tie_ : float
        The tie parameter ν.
    n_held_out_ : int
        The number of held-out decisions that a and ν were learned from.
    classes_ : array of int
        -1, 0, 1.
    n_iter_ : int
        Iterations of the solver that found a and ν, at least 1.
    result_ : SolverResult
        The report of that solver.

    See Also
    --------
    SVMCompare : pairs with features, learns from ties
    LinearCompare : a linear function for very many pairs
    CalibrationDisplay : whether probabilities can be trusted

    Examples
    --------
    >>> from podium import datasets
    >>> from podium.comparers.linear_compare import LinearCompare
    >>> c = datasets.make_norm_comparisons(300, random_state=0)
    >>> squares = c.with_features(c.features**2)
    >>> model = CalibratedComparer(LinearCompare()).fit(squares)
    >>> model.predict_proba(squares[:1]).round(2)
    array([[0.03, 0.97, 0.  ]])
    """

    estimator: Any
    _: KW_ONLY
    cv: Any = 5

    def fit(self, c: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the comparer to all rows, and the probabilities to held-out decisions.

        Parameters
        ----------
        c : Comparisons, or an array of shape (n, 2, p)
            The left and the right side of each comparison.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        c = _readable(c, y, sample_weight)
        estimator = clone(self.estimator).fit(c, c.outcome)
        held = self._held_out(c, _unit(estimator))
        result = davidson_link(held.decision, held.outcome, held.weight)
        result.warn_if_stopped_early(None, "the probabilities may be off")
        self.estimator_, self.result_ = estimator, result
        self.slope_, self.tie_ = map(float, result.solution)
        self.n_held_out_, self.n_iter_ = len(held.decision), max(result.iterations, 1)
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        return self

    def _held_out(self, c: Comparisons, unit: float) -> "HeldOut":
        """The held-out decisions of all folds, on the scale of the final model, which has this `_unit`.

        Their warnings are silenced, since the final model has already given them.
        """
        parts: list[HeldOut] = []
        failure: Exception | None = None
        for train, test in _splits(self.cv, c, forward=hasattr(self.estimator, "before")):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = clone(self.estimator).fit(c[train], c[train].outcome)
                    rows = test if c.features is not None else test[c[test].between(c[train].appears)]
                    decision = to_floats(model.decision_function(c[rows])) * (unit / _unit(model))
            except ValueError as error:
                failure = error
                continue
            rows, decision = rows[~np.isnan(decision)], decision[~np.isnan(decision)]
            assert c.outcome is not None
            parts.append(HeldOut(decision, c.outcome[rows], c.mass[rows]))
        if not sum(len(part.decision) for part in parts):
            reason = f": {failure}" if failure else "; give more comparisons, or other folds"
            raise ValueError(f"no fold has a held-out decision to learn the probabilities from{reason}")
        return HeldOut(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, c: Any) -> Any:
        """The decision of the comparer, r(right) - r(left); on a device if the comparer returns it there."""
        check_is_fitted(self)
        return as_array(self.estimator_.decision_function(c))

    def utility(self, X: Any) -> Any:
        """The ranking function r(x) of the comparer for every row: the higher, the better.

        Calibration changes no order, so only probabilities of pairs need it.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, p)
            Features of single items.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        if not hasattr(self.estimator_, "utility"):
            kind = type(self.estimator_).__name__
            raise ValueError(f"a {kind} scores no items by features; look up its own ratings or skills")
        return self.estimator_.utility(X)

    def predict_proba(self, c: Any) -> Any:
        """P(left is better), P(no difference) and P(right is better).

        Parameters
        ----------
        c : Comparisons, or an array of shape (n, 2, p)
            The left and the right side of each comparison.

        Returns
        -------
        array of shape (n, 3)
            Columns in the order of ``classes_``. It is on a device if the decisions of the comparer are.
        """
        d = self.decision_function(c)
        return outcome_probabilities(self.slope_ * d, Link(self.tie_))

    def predict(self, c: Any) -> Any:
        """The most probable outcome; 0 if both sides are equally probable."""
        return most_probable(self.predict_proba(c))

    def score(self, c: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The weighted share of comparisons that are predicted correctly."""
        check_is_fitted(self)
        c = _readable(c, y, sample_weight, "score")
        return float(np.average(to_numpy(self.predict(c)) == c.outcome, weights=c.mass))


class HeldOut(NamedTuple):
    """Decisions on rows that the model was not fitted to, with the outcomes and weights of these rows."""

    decision: Floats
    outcome: NDArray[np.int8]
    weight: Floats


# ------------------------------------------------------------------------------------ folds


def _readable(c: Any, y: Any, sample_weight: Any, purpose: str = "learn from") -> Comparisons:
    """Comparisons with outcomes, whether or not their items have features."""
    c = c if isinstance(c, Comparisons) else featured_pairs(c)
    return with_outcomes(c, y, sample_weight, purpose)


def _splits(cv: Any, c: Comparisons, forward: bool) -> Iterator[tuple[Positions, Positions]]:
    from sklearn.model_selection import KFold, StratifiedKFold, check_cv

    assert c.outcome is not None
    tie = c.outcome == 0
    if not isinstance(cv, int):
        yield from check_cv(cv).split(np.zeros((len(c), 1)), c.outcome, c.group)
        return
    if cv < 2 or len(c) < 2:
        raise ValueError(
            f"cv is {cv} for {len(c):,} comparisons, but at least two folds with a row each are needed"
        )
    folds = min(cv, len(c))
    if forward:  # blocks of time, each to be decided by a model of the blocks before it
        blocks = time_blocks(c.time, len(c), folds)
        if not blocks:
            raise ValueError(
                "a model that follows time is calibrated on later games, but no game is later than the first "
                "ones; give more games, or their times"
            )
        yield from blocks
        return
    # Rows are often sorted, so the folds are shuffled; the seed makes them repeatable.
    even = min(tie.sum(), (~tie).sum()) >= folds
    kind = StratifiedKFold if even else KFold
    yield from kind(folds, shuffle=True, random_state=0).split(np.zeros((len(c), 1)), tie)


def _unit(model: Any) -> float:
    """The decision that is worth 1 - β in terms of u: (1 - β)/(-β) after Lemma 1, else 1."""
    bias = float(getattr(model, "bias_", 0.0))
    return 1.0 - 1.0 / bias if bias < 0 else 1.0


# ------------------------------------------------------------------------------------ the link


def davidson_link(decision: Floats, outcome: NDArray[np.int8], weight: Floats) -> SolverResult:
    """The slope a and the tie parameter ν of `CalibratedComparer`, by maximum likelihood.

    With d the decision on a row, y its outcome and w its weight, -Σ w log P(y | d) is convex in a and log ν.
    To keep both finite, one row is added at the typical |d| (the root mean square), with a third of each
    outcome, just as Platt's targets are not quite 0 and 1. Decisions are divided by the typical |d|, so that
    the problem does not depend on their unit.

    >>> found = davidson_link(np.array([-1.0, 0.0, 2.0]), np.array([-1, 0, 1]), np.ones(3))
    >>> found.converged, (found.solution > 0).all()
    (True, np.True_)
    """
    scale = float(np.sqrt(np.average(decision**2, weights=weight))) or 1.0
    d = np.append(decision / scale, [1.0, 1.0, 1.0])
    y, w = np.append(outcome, [-1, 0, 1]), np.append(weight, np.full(3, 1 / 3))
    results, total = (w, w * (y == 0), w * y), float(w.sum())

    def slope(x: Floats) -> Derivatives:
        """The derivatives by a and log ν."""
        score, curvature, tie, tie_curvature, mixed = derivatives(
            root(x[0] * d), *results, np.exp(x[1]), False
        )
        gradient = np.array([d @ (seen_score(*results, False) - score), np.sum(tie - results[1])])
        both = np.array([[curvature @ d**2, mixed @ d], [mixed @ d, np.sum(tie_curvature)]])
        both += RIDGE * total * np.eye(2)
        return Derivatives(gradient, np.diagonal(both), both)

    begin, scales = np.array([1.0, 0.0]), np.full(2, total)
    found = descend(slope, _Newton(), begin, scales, tol=TOL, max_iter=MAX_ITER)
    a, log_tie = found.x
    least = np.sum(loss(a * d, *results, np.exp(log_tie), False)) - results[1].sum() * log_tie
    return SolverResult(
        solution=np.array([a / scale, np.exp(log_tie)]),
        objective_of=ConstantObjective(float(least)),
        gradient_norm=found.history[-1],
        iterations=len(found.history) - 1,
        converged=found.converged,
        solver="newton",
        history=tuple(found.history),
        stalled=not found.converged and len(found.history) <= MAX_ITER,
    )


class _Newton:
    """Newton's direction; the terms of a slope are all second derivatives."""

    def __call__(self, x: Floats, here: Derivatives) -> Floats:
        return np.asarray(-np.linalg.solve(here.terms, here.gradient))

    def learn(self, step: Floats, change: Floats) -> None:
        """It needs no memory."""
