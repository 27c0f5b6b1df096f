"""Scores of a fitted model on other data; `intervals` adds their uncertainty."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.arrays.devices.boundary import to_numpy
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import check_comparisons
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import listed
from podium.comparisons.table import Comparisons
from podium.metrics import equal_bins, swapped_pairs
from podium.metrics.ordered import check_places, gains, ndcg_by_query

Rows = NDArray[np.intp]
OfRows = Callable[[Rows], float]
OUTCOMES = (-1, 0, 1)
MOST_ROWS = 2_000_000  # a table of counts is not expanded to more rows than this


# ------------------------------------------------------------------------------------ predictions


class Predicted(NamedTuple):
    """The predictions of a model for every comparison; 0 and nan if its items are not ``known``."""

    known: NDArray[np.bool_]
    outcome: NDArray[np.int8]
    decision: Floats
    probability: Floats | None

    def at(self, rows: NDArray[Any]) -> "Predicted":
        """The predictions for some of the comparisons."""
        probability = None if self.probability is None else self.probability[rows]
        return Predicted(self.known[rows], self.outcome[rows], self.decision[rows], probability)


def predict_comparisons(model: Any, c: Comparisons, *, average: bool = False) -> Predicted:
    """Predict outcomes, decisions and, if the model has them, probabilities.

    Parameters
    ----------
    model : estimator
        A fitted model of comparisons.
    c : Comparisons
        The comparisons to predict.
    average : bool, default=False
        Treat items that a model of skill has not seen as average.

    Returns
    -------
    Predicted
    """
    known, options = knows(model, c), {}
    if average and not known.all():
        if not hasattr(model, "log_skill_"):
            kind = type(model).__name__
            raise ValueError(f"a {kind} cannot compare items that were not in fit; leave out their rows")
        known, options = np.ones(len(c), dtype=bool), {"unseen": "average"}
    outcome, decision = np.zeros(len(c), dtype=np.int8), np.full(len(c), np.nan)
    probability = np.full((len(c), 3), np.nan) if hasattr(model, "predict_proba") else None
    if known.any():
        rows = c[known]
        outcome[known] = to_numpy(model.predict(rows, **options))
        decision[known] = to_numpy(model.decision_function(rows, **options))
        if probability is not None:
            probability[known] = to_numpy(model.predict_proba(rows, **options))
    return Predicted(known & ~np.isnan(decision), outcome, decision, probability)


def knows(model: Any, c: Comparisons) -> NDArray[np.bool_]:
    """The rows that the model can predict; models of ratings, of features or with a normal prior know all."""
    inner = getattr(model, "estimator_", model)
    expects = not np.isnan(getattr(inner, "prior_scale_", getattr(inner, "spread_", np.nan)))
    return seen(model, c) if hasattr(inner, "log_skill_") and not expects else np.ones(len(c), dtype=bool)


def seen(model: Any, c: Comparisons) -> NDArray[np.bool_]:
    """Rows whose items the model has learned from; models of features learn from no item in particular."""
    inner = getattr(model, "estimator_", model)
    if not hasattr(inner, "items_"):
        return np.ones(len(c), dtype=bool)
    return c.between(find_labels(inner.items_, c.items) >= 0)


# ------------------------------------------------------------------------------------ scores


@dataclass(frozen=True)
class Judged:
    """Scores as functions of the rows on which they are computed.

    ``by_chance`` holds scores that are above 0 by chance alone, as functions of signs (±1, one per row) that
    flip the misses of the rows. ``blocks`` says that each row is a whole block of time.
    """

    scores: dict[str, OfRows]
    n_rows: int
    weighted: bool
    group: NDArray[Any] | None
    by_chance: dict[str, Callable[[Floats], float]] = field(default_factory=dict)
    blocks: bool = False

    def pooled(self, n: int | None) -> Self:
        """The same scores, whose blocks are resampled in n groups of neighbours; None is one by one."""
        return replace(self, group=None if n is None else np.arange(self.n_rows) * n // self.n_rows)


class Verdict(NamedTuple):
    """Scores as functions of rows, the rows that the model can compare, and its predictions for them."""

    judged: Judged
    data: Any
    predicted: Predicted | None


def judge(model: Any, data: Any, k: int | None = None) -> Verdict:
    """The scores that the model has; rows with items that it has not seen are left out, with a warning."""
    if not isinstance(data, Comparisons):
        return Verdict(judge_rows(model, data.features, data.label, data.query, k), data, None)
    if k is not None:
        raise ValueError("k is for NDCG of labelled rows, but these are comparisons; leave it out")
    found = predict_comparisons(model, data)
    if not found.known.any():
        raise ValueError("the model has seen none of these items, or never compared them")
    if lost := int((~found.known).sum()):
        text = f"{lost:,} of {len(data):,} rows are left out: the model cannot compare their items"
        warnings.warn(text, stacklevel=3)
        found = predict_comparisons(model, data := data[found.known])
    return Verdict(judge_comparisons(data, found), data, found)


def judge_comparisons(c: Comparisons, predicted: Predicted) -> Judged:
    """Error, accuracy and AUC; with probabilities, also log loss and calibration error.

    Parameters
    ----------
    c : Comparisons
        Comparisons with outcomes.
    predicted : Predicted
        The predictions for them.

    Returns
    -------
    Judged
    """
    check_outcomes(c)
    c, predicted = _one_by_one(c, predicted)
    assert c.outcome is not None
    y, w, p, happened = c.outcome, c.mass, predicted.probability, None
    by_chance: dict[str, Callable[[Floats], float]] = {}
    if p is not None:
        p = _guessed(p, ties=bool((y == 0).any()))
        happened = p[np.arange(len(y)), y.astype(np.intp) + 1]
    scores = _hits(predicted.outcome == y, happened, w)
    scores["AUC"] = auc(y, np.nan_to_num(predicted.decision), w)
    if p is not None:
        calibration = Misses.of(y, p, w)
        scores["calibration error"] = calibration.error
        by_chance["calibration error"] = calibration.error_by_chance
    return Judged(scores, len(c), bool((w != 1).any()), c.group, by_chance)


def check_outcomes(c: Any) -> None:
    """Raise an error unless these are comparisons with outcomes."""
    check_comparisons(c)
    if c.outcome is None:
        raise ValueError("these comparisons have no outcomes to compare predictions with; add them")
    if not len(c):
        raise ValueError("there are no comparisons to test on")


def judge_forecasts(c: Comparisons, predicted: Predicted, block: NDArray[Any]) -> Judged:
    """Log loss, Brier score and accuracy as functions of blocks of time; with ties, also the score loss.

    The score loss is the cross-entropy of the expected score e of the right side, -s log e - (1-s) log(1-e),
    where its score s is ½ for a tie. It is finite even if the model gives ties probability 0. The Brier score
    is half the squared distance between the probabilities and the outcome: without ties, the usual one. A
    model without probabilities has accuracy and AUC.

    Parameters
    ----------
    c : Comparisons
        Comparisons with outcomes.
    predicted : Predicted
        The predictions for them.
    block : ndarray of int
        The number of the block that each comparison belongs to.

    Returns
    -------
    Judged
    """
    losses = _forecast_losses(np.asarray(c.outcome), predicted)
    weight = np.asarray(c.mass)
    there = np.flatnonzero(weight > 0)  # a row without weight does not count, not even with an infinite loss
    _, block = np.unique(block[there], return_inverse=True)
    total = _sums(block, weight[there])
    scores = {name: _ratio(_sums(block, weight[there] * loss[there]), total) for name, loss in losses.items()}
    if predicted.probability is None:
        area = auc(np.asarray(c.outcome), np.nan_to_num(predicted.decision), weight)
        rows = np.split(there[np.argsort(block, kind="stable")], np.cumsum(np.bincount(block))[:-1])
        scores["AUC"] = lambda blocks: area(np.concatenate([rows[k] for k in blocks]))
    return Judged(scores, len(total), weighted=True, group=None, blocks=True)


def _sums(block: NDArray[Any], values: Floats) -> Floats:
    return np.bincount(block, values).astype(np.float64)


def _forecast_losses(y: NDArray[Any], predicted: Predicted) -> dict[str, Floats]:
    """The losses of every row."""
    accuracy = {"accuracy": (predicted.outcome == y).astype(np.float64)}
    if predicted.probability is None:
        return accuracy
    ties = bool((y == 0).any())
    p = _guessed(predicted.probability, ties)
    happened = y[:, None] == np.array(OUTCOMES)
    losses = {"log loss": _minus_log(p[happened])}
    if ties:
        losses["score loss"] = score_loss(y, p)
    return losses | {"Brier": ((p - happened) ** 2).sum(axis=1) / 2} | accuracy


def score_loss(y: NDArray[Any], probability: Floats) -> Floats:
    """The cross-entropy of the expected score, in which a tie counts ½, of every row.

    >>> score_loss(np.array([0, 1]), np.array([[0.5, 0.0, 0.5], [0.1, 0.2, 0.7]])).round(3)
    array([0.693, 0.223])
    """
    from scipy.special import xlogy

    score, half = (y + 1) / 2, probability[:, 1] / 2
    return np.asarray(-xlogy(score, probability[:, 2] + half) - xlogy(1 - score, probability[:, 0] + half))


def _one_by_one(c: Comparisons, predicted: Predicted) -> tuple[Comparisons, Predicted]:
    """Repeat rows that stand for several comparisons, so that a resample can split them.

    Rows stay as they are if counts are not whole or add up to too many rows: intervals are then too wide.
    """
    if (c.count == 1).all() or (c.count % 1).any() or c.count.sum() > MOST_ROWS:
        return c, predicted
    rows = np.repeat(np.arange(len(c)), c.count.astype(np.int64))
    return replace(c[rows], count=np.broadcast_to(1.0, len(rows))), predicted.at(rows)


def _guessed(probability: Floats, ties: bool) -> Floats:
    """Equal probabilities for comparisons that the model does not know; 0 for a tie if there are no ties."""
    possible = np.array([1.0, ties or np.nansum(probability[:, 1]) > 0, 1.0])
    return np.where(np.isnan(probability), possible / possible.sum(), probability)


def judge_rows(
    model: Any, X: Any, y: NDArray[Any], query: NDArray[Any] | None, k: int | None = None
) -> Judged:
    """Error, accuracy and log loss of a classifier; the share of swapped pairs of any other model.

    Parameters
    ----------
    model : estimator
        A fitted classifier, regressor or ranker.
    X : array of shape (n_rows, n_features)
        Features.
    y : ndarray of shape (n_rows,)
        Labels.
    query : ndarray of shape (n_rows,) or None
        Groups. Pairs are formed, and rows resampled, by group.
    k : int, default=None
        Adds NDCG@k of a model that ranks; the labels are then grades of relevance.

    Returns
    -------
    Judged
    """
    from sklearn.base import is_classifier

    graded = {} if k is None else {f"NDCG@{k}": _ndcg(y, ranking_scores(model, X), query, k)}
    said = np.asarray(model.predict(X))
    if not is_classifier(model):
        return Judged({"swapped pairs": _swapped(y, said, query)} | graded, len(y), False, query)
    if strange := sorted(set(y.tolist()) - set(model.classes_.tolist()), key=str):
        raise ValueError(f"the labels {listed(strange)} were not seen in fit; leave out their rows")
    happened = None
    if hasattr(model, "predict_proba"):
        column = {label: k for k, label in enumerate(model.classes_.tolist())}
        happened = model.predict_proba(X)[np.arange(len(y)), [column[label] for label in y.tolist()]]
    scores = _hits(said == y, happened, np.ones(len(y)))
    return Judged(scores | graded, len(y), False, query)


def ranking_scores(model: Any, X: Any) -> Floats:
    """What a model sorts rows by: its utility, or its score before the thresholds of ordered classes."""
    from sklearn.base import is_classifier

    model, X = without_steps(model, X)
    score = getattr(model, "utility", getattr(model, "projection", None))
    if score is None and is_classifier(model):
        raise ValueError(f"a {type(model).__name__} predicts classes and has no score to sort rows by")
    return np.asarray((score or model.predict)(X))


def without_steps(model: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a pipeline of scikit-learn, and the features as this step gets them."""
    steps = getattr(model, "steps", [])
    return (model[-1], model[:-1].transform(X)) if len(steps) > 1 else (model, X)


def _ndcg(y: NDArray[Any], score: Floats, query: NDArray[Any] | None, k: int) -> OfRows:
    """NDCG@k; nan if no row is relevant."""
    check_places(k)
    worth = gains(y)
    if query is None:
        return lambda rows: float(ndcg_by_query(worth[rows], score[rows], np.zeros_like(rows), k)[0])
    values = ndcg_by_query(worth, score, np.unique(query, return_inverse=True)[1], k)
    return _over_queries(query, np.nan_to_num(values), ~np.isnan(values))


def _swapped(y: NDArray[Any], score: Floats, query: NDArray[Any] | None) -> OfRows:
    """The share of swapped pairs."""
    if query is None:
        return lambda rows: swapped_pairs(y[rows], score[rows]) if len(np.unique(y[rows])) > 1 else np.nan
    _, code, size = np.unique(query, return_inverse=True, return_counts=True)
    pairs, swapped = np.zeros(len(size)), np.zeros(len(size))
    for k in range(len(size)):
        labels, scores = y[code == k], score[code == k]
        pairs[k] = (len(labels) ** 2 - np.sum(np.unique(labels, return_counts=True)[1] ** 2)) / 2
        swapped[k] = pairs[k] * swapped_pairs(labels, scores) if pairs[k] else 0.0
    return _over_queries(query, swapped, pairs)


def _over_queries(query: NDArray[Any], values: Floats, weight: NDArray[Any]) -> OfRows:
    """A sum over queries, over their weight; they are drawn as a whole, and one drawn twice counts twice."""
    _, code, size = np.unique(query, return_inverse=True, return_counts=True)

    def share(rows: Rows) -> float:
        times = np.bincount(code[rows], minlength=len(size)) / size
        with np.errstate(invalid="ignore"):
            return float(times @ values / (times @ weight))

    return share


# Scores are computed on hundreds of resamples, so work such as sorting is done once, in advance.


def _hits(hit: NDArray[np.bool_], happened: Floats | None, weight: Floats) -> dict[str, OfRows]:
    """The log loss, if there are probabilities of what happened, and how often predictions were wrong."""
    losses = {} if happened is None else {"log loss": _minus_log(happened)}
    losses |= {"error": (~hit).astype(np.float64), "accuracy": hit.astype(np.float64)}
    return {name: _ratio(weight * loss, weight) for name, loss in losses.items()}


def _ratio(values: Floats, weight: Floats) -> OfRows:
    return lambda rows: float(values[rows].sum() / weight[rows].sum())


def _minus_log(probability: Floats) -> Floats:
    """-log, infinite at 0."""
    with np.errstate(divide="ignore"):
        return -np.log(probability)


def auc(y: NDArray[Any], decision: Floats, weight: Floats) -> OfRows:
    """`metrics.comparison_auc` if there are ties; otherwise the usual AUC of right against left.

    It is nan if all rows have the same kind of outcome.
    """
    ties = bool((y == 0).any())
    negative = y == 0 if ties else y == -1
    positive = ~negative
    found = positive & (np.sign(decision) == y) if ties else positive
    levels, rank = np.unique(np.abs(decision) if ties else decision, return_inverse=True)

    def area(rows: Rows) -> float:
        place, w = rank[rows], weight[rows]
        below = np.bincount(place, w * negative[rows], len(levels))
        gain = np.bincount(place, w * found[rows], len(levels))
        all_pairs = below.sum() * (w @ positive[rows])
        return float(gain @ (np.cumsum(below) - below / 2) / all_pairs) if all_pairs else np.nan

    return area


@dataclass(frozen=True)
class Misses:
    """What happened (0 or 1) minus its probability: one row per comparison and one column per outcome.

    ``rank`` holds the rank of each probability among all of them. An outcome that never happens and always
    has probability 0 is left out. If two outcomes remain, one column is enough, since the other mirrors it.
    """

    miss: Floats
    rank: NDArray[np.intp]
    weight: Floats

    @classmethod
    def of(cls, y: NDArray[Any], probability: Floats, weight: Floats) -> Self:
        happened = y[:, None] == np.array(OUTCOMES)
        possible = np.flatnonzero((happened | (probability > 0)).any(axis=0))
        columns = possible if len(possible) == len(OUTCOMES) else possible[:1]
        happened, probability = happened[:, columns], probability[:, columns]
        rank = np.unique(probability, return_inverse=True)[1].reshape(probability.shape)
        return cls(happened - probability, rank, weight)

    def error(self, rows: Rows) -> float:
        """The mean distance between predicted and observed frequencies, in ten bins."""
        return _error_in_bins(self.rank[rows], self.miss[rows], self.weight[rows])

    def error_by_chance(self, signs: Floats) -> float:
        """The same over all rows, after flipping the misses of rows whose sign is -1."""
        return _error_in_bins(self.rank, self.miss * signs[:, None], self.weight)


def _error_in_bins(rank: NDArray[np.intp], miss: Floats, weight: Floats) -> float:
    weight = np.repeat(weight, miss.shape[1])
    total = np.bincount(equal_bins(rank.ravel(), 10, weight), weight * miss.ravel())
    return float(np.abs(total).sum() / weight.sum())
