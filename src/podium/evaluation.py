"""How good the predictions of a fitted model are on other data, and how sure that is.

Intervals: a share of rows that count the same (error, accuracy) has the exact binomial interval of Clopper
and Pearson. All other scores, and shares of rows that have weights or come in groups, have the quantiles of
a bootstrap over rows; over whole groups (judges, queries) where there are some, since their rows are not
independent.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons import Comparisons
from podium.messages import listed
from podium.metrics import calibration_bins, comparison_auc, comparison_error, swapped_pairs

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
OUTCOMES = (-1, 0, 1)
SHARES = ("error", "accuracy")


class Score(NamedTuple):
    """A score with its interval, and where that comes from; nan where there is none."""

    name: str
    value: float
    low: float = np.nan
    high: float = np.nan
    interval: str = ""


# ------------------------------------------------------------------------------------ predictions


@dataclass(frozen=True)
class Predicted:
    """What a model says of every comparison; nothing (0 and nan) of those that it does not ``know``."""

    known: NDArray[np.bool_]
    outcome: NDArray[np.int8]
    decision: Floats
    probability: Floats | None


def predict_comparisons(model: Any, c: Comparisons) -> Predicted:
    """Outcome, decision and, from models that have them, probabilities of every comparison."""
    known = knows(model, c)
    outcome, decision = np.zeros(len(c), dtype=np.int8), np.full(len(c), np.nan)
    probability = np.full((len(c), 3), np.nan) if hasattr(model, "predict_proba") else None
    if known.any():
        rows = c[known]
        outcome[known], decision[known] = model.predict(rows), model.decision_function(rows)
        if probability is not None:
            probability[known] = model.predict_proba(rows)
    return Predicted(known & ~np.isnan(decision), outcome, decision, probability)


def knows(model: Any, c: Comparisons) -> NDArray[np.bool_]:
    """Rows whose items the model has seen, if that matters to it: ratings and features do without."""
    inner = getattr(model, "estimator_", model)
    if not hasattr(inner, "log_skill_"):
        return np.ones(len(c), dtype=bool)
    seen = set(inner.items_.tolist())
    return sides_among(c, np.array([label in seen for label in c.items.tolist()], dtype=bool))


def sides_among(c: Comparisons, items: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows that have only some of the items on their sides."""
    if c.teams is not None:
        items = (c.teams.matrix(c.n_items) @ ~items) == 0
    return np.asarray(items[c.left] & items[c.right])


# ------------------------------------------------------------------------------------ scores


@dataclass(frozen=True)
class Judged:
    """Scores as functions of the rows that they are taken over."""

    scores: dict[str, Callable[[Rows], float]]
    n_rows: int
    weighted: bool
    group: NDArray[Any] | None


def judge_comparisons(c: Comparisons, predicted: Predicted) -> Judged:
    """Error and accuracy, AUC, and with probabilities log loss and calibration."""
    if c.outcome is None:
        raise ValueError("these comparisons have no outcomes to compare predictions with")
    y, w, said = c.outcome, c.weight, predicted.outcome
    d = np.nan_to_num(predicted.decision)
    scores: dict[str, Callable[[Rows], float]] = {}
    if predicted.probability is not None:
        p = np.where(np.isnan(predicted.probability), 1 / 3, predicted.probability)
        scores["log loss"] = lambda rows: log_loss(y[rows], p[rows], w[rows])
    scores["error"] = lambda rows: comparison_error(y[rows], said[rows], w[rows])
    scores["accuracy"] = lambda rows: 1.0 - comparison_error(y[rows], said[rows], w[rows])
    scores["AUC"] = lambda rows: auc(y[rows], d[rows], w[rows])
    if predicted.probability is not None:
        scores["calibration error"] = lambda rows: calibration_error(y[rows], p[rows], w[rows])
    return Judged(scores, len(c), bool((w != 1).any()), c.group)


def judge_rows(model: Any, X: Floats, y: NDArray[Any], query: NDArray[Any] | None) -> Judged:
    """Of a classifier error, accuracy and log loss; of others the share of swapped pairs."""
    from sklearn.base import is_classifier

    said = np.asarray(model.predict(X))
    scores: dict[str, Callable[[Rows], float]] = {}
    if not is_classifier(model):
        return Judged({"swapped pairs": _swapped(y, said, query)}, len(y), False, query)
    if strange := sorted(set(y.tolist()) - set(model.classes_.tolist()), key=str):
        raise ValueError(f"the labels {listed(strange)} were not seen in fit")
    if hasattr(model, "predict_proba"):
        column = {label: k for k, label in enumerate(model.classes_.tolist())}
        right = model.predict_proba(X)[np.arange(len(y)), [column[label] for label in y.tolist()]]
        scores["log loss"] = lambda rows: _mean_log(right[rows], np.ones(len(rows)))
    scores["error"] = lambda rows: float(np.mean(said[rows] != y[rows]))
    scores["accuracy"] = lambda rows: float(np.mean(said[rows] == y[rows]))
    return Judged(scores, len(y), False, query)


def _swapped(y: NDArray[Any], score: Floats, query: NDArray[Any] | None) -> Callable[[Rows], float]:
    """The share of swapped pairs; of whole queries, of which one that is drawn twice counts twice."""
    if query is None:
        return lambda rows: swapped_pairs(y[rows], score[rows]) if len(np.unique(y[rows])) > 1 else np.nan
    _, code, size = np.unique(query, return_inverse=True, return_counts=True)
    pairs, swapped = np.zeros(len(size)), np.zeros(len(size))
    for k in range(len(size)):
        labels, scores = y[code == k], score[code == k]
        pairs[k] = (len(labels) ** 2 - np.sum(np.unique(labels, return_counts=True)[1] ** 2)) / 2
        swapped[k] = pairs[k] * swapped_pairs(labels, scores) if pairs[k] else 0.0

    def share(rows: Rows) -> float:
        times = np.bincount(code[rows], minlength=len(size)) / size
        with np.errstate(invalid="ignore"):
            return float(times @ swapped / (times @ pairs))

    return share


def log_loss(y: NDArray[Any], probability: Floats, weight: Floats) -> float:
    """The mean of -log P(what happened); infinite if something happened that had probability 0."""
    return _mean_log(probability[np.arange(len(y)), y.astype(np.intp) + 1], weight)


def _mean_log(right: Floats, weight: Floats) -> float:
    with np.errstate(divide="ignore"):
        return float(np.average(-np.log(right), weights=weight))


def auc(y: NDArray[Any], decision: Floats, weight: Floats) -> float:
    """`metrics.comparison_auc` where there are ties; else the usual one, right being better or left.

    nan, if all comparisons ended alike.
    """
    from sklearn.metrics import roc_auc_score

    kinds = set(np.unique(y).tolist())
    if len(kinds) < 2:
        return np.nan
    if 0 in kinds:
        return comparison_auc(y, decision, weight)
    return float(roc_auc_score(y == 1, decision, sample_weight=weight))


def calibration_error(y: NDArray[Any], probability: Floats, weight: Floats) -> float:
    """The mean distance between a probability and how often it came true.

    All three outcomes count, in ten bins of their probabilities.
    """
    happened = np.concatenate([y == outcome for outcome in OUTCOMES])
    bins = calibration_bins(happened, probability.T.ravel(), 10, np.tile(weight, 3))
    return float(np.average(np.abs(bins.predicted - bins.observed), weights=bins.weight))


# ------------------------------------------------------------------------------------ intervals


def with_intervals(
    judged: Judged, level: float = 0.95, n_bootstrap: int = 500, random_state: Any = 0
) -> list[Score]:
    """Every score of all rows, with its interval.

    >>> hit = np.array([True] * 8 + [False] * 2)
    >>> judged = Judged({"accuracy": lambda rows: hit[rows].mean()}, 10, False, None)
    >>> [score] = with_intervals(judged)
    >>> round(score.value, 2), round(score.low, 2), round(score.high, 2), score.interval
    (0.8, 0.44, 0.97, 'exact binomial')
    """
    if not 0 < level < 1:
        raise ValueError(f"the level {level!r} of the intervals is not between 0 and 1")
    value = {name: float(score(np.arange(judged.n_rows))) for name, score in judged.scores.items()}
    exact = () if judged.weighted or judged.group is not None else SHARES
    resampled = [name for name in value if name not in exact and np.isfinite(value[name])]
    draws = {name: np.empty(n_bootstrap) for name in resampled}
    if resampled:
        for i, rows in enumerate(_resamples(judged, n_bootstrap, random_state)):
            for name in resampled:
                draws[name][i] = judged.scores[name](rows)
    found = []
    for name, number in value.items():
        if name in exact:
            found.append(Score(name, number, *_binomial(number, judged.n_rows, level), "exact binomial"))
        elif name in draws and np.isfinite(draws[name]).any():
            ends = [(1 - level) / 2, (1 + level) / 2]
            low, high = np.nanquantile(draws[name][np.isfinite(draws[name])], ends)
            kind = "bootstrap" if judged.group is None else "bootstrap of groups"
            found.append(Score(name, number, float(low), float(high), kind))
        else:
            found.append(Score(name, number))
    return found


def _resamples(judged: Judged, n: int, random_state: Any) -> Iterator[Rows]:
    """Rows drawn with replacement, or the rows of groups that are."""
    rng = np.random.default_rng(random_state)
    if judged.group is None:
        for _ in range(n):
            yield rng.integers(judged.n_rows, size=judged.n_rows)
        return
    _, group = np.unique(judged.group, return_inverse=True)
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    for _ in range(n):
        yield np.concatenate([members[k] for k in rng.integers(len(members), size=len(members))])


def _binomial(share: float, n: int, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share of n."""
    from scipy.stats import beta

    k, tail = round(share * n), (1 - level) / 2
    low = beta.ppf(tail, k, n - k + 1) if k else 0.0
    high = beta.ppf(1 - tail, k + 1, n - k) if k < n else 1.0
    return float(low), float(high)
