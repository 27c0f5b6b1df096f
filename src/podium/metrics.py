"""How good predictions of comparisons and rankings are.

Every metric also takes arrays on a device, such as those of torch and CuPy. They are copied to NumPy, since
they have only one number per row. Numbers come back as floats, curves as arrays on the same device.
"""

from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_length, check_present, checked_weight
from podium.comparisons.devices.copies import computed_in_numpy
from podium.comparisons.inputs import group_codes, row_weights
from podium.comparisons.messages import first_true, quoted, row_name

NORMAL_95 = 1.959964  # the 97.5 % quantile of the normal distribution


class Bins(NamedTuple):
    """Predictions in bins.

    Attributes
    ----------
    predicted : ndarray of shape (n_bins,)
        The mean predicted probability.
    observed : ndarray of shape (n_bins,)
        How often it came true.
    low, high : ndarray of shape (n_bins,)
        Wilson's 95 % interval of that frequency.
    weight : ndarray of shape (n_bins,)
        The total weight of the rows.
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    weight: Floats


@computed_in_numpy
def calibration_bins(
    happened: ArrayLike, probability: ArrayLike, n_bins: int = 10, weight: ArrayLike | None = None
) -> Bins:
    """Compare predicted probabilities with frequencies, in bins of nearly equal weight.

    Equal probabilities share a bin, so the order of the rows does not matter.

    Parameters
    ----------
    happened : array-like of bool of shape (n_rows,)
        Whether the event happened.
    probability : array-like of shape (n_rows,)
        Its predicted probability.
    n_bins : int, default=10
        The largest number of bins.
    weight : array-like of shape (n_rows,), default=None
        Weights of the rows; a row of weight 2 counts as two rows.

    Returns
    -------
    Bins
        Predicted and observed frequencies, with Wilson's 95 % intervals.

    See Also
    --------
    podium.CalibrationDisplay : whether probabilities can be trusted

    Examples
    --------
    >>> bins = calibration_bins([False, False, True, True], [0.1, 0.3, 0.6, 0.8], n_bins=2)
    >>> bins.predicted, bins.observed, bins.weight
    (array([0.2, 0.7]), array([0., 1.]), array([2., 2.]))
    """
    happened, probability = np.asarray(happened, dtype=bool), np.asarray(probability, dtype=np.float64)
    check_length(len(probability), happened, "happened")
    weight = checked_weight(weight, len(probability))
    rank = np.unique(probability, return_inverse=True)[1]
    row_bin = equal_bins(rank, n_bins, weight)
    total = _sums(row_bin, weight)
    predicted = _sums(row_bin, weight * probability) / total
    observed = np.minimum(_sums(row_bin, weight * happened) / total, 1.0)
    return Bins(predicted, observed, *_wilson(observed, total), total)


@computed_in_numpy
def equal_bins(rank: NDArray[np.intp], n_bins: int, weight: Floats) -> NDArray[np.intp]:
    """Assign values to bins of nearly equal weight; equal values share a bin.

    Parameters
    ----------
    rank : ndarray of int of shape (n_values,)
        The rank of each value among the distinct values, from 0.
    n_bins : int
        The largest number of bins.
    weight : ndarray of shape (n_values,)
        The weight of each value.

    Returns
    -------
    ndarray of int of shape (n_values,)
        The bin of each value, from 0.

    Examples
    --------
    >>> equal_bins(np.array([0, 2, 0, 1]), 2, np.ones(4))
    array([0, 1, 0, 1])
    """
    mass = _sums(rank, weight)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    bins = np.floor(n_bins * middle)
    there = np.flatnonzero(mass)
    number = np.zeros(len(mass), dtype=np.intp)
    number[there[1:]] = np.cumsum(np.diff(bins[there]) > 0)
    return np.asarray(number[rank])


def _sums(group: NDArray[np.intp], values: Floats) -> Floats:
    return np.bincount(group, values).astype(np.float64)


def _wilson(frequency: Floats, count: Floats) -> tuple[Floats, Floats]:
    z = NORMAL_95
    centre = (frequency + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(frequency * (1 - frequency) / count + (z / (2 * count)) ** 2)
    return np.clip(centre - half, 0, frequency), np.clip(centre + half, frequency, 1)


# ------------------------------------------------------------------------------------ comparisons with ties


@computed_in_numpy
def comparison_error(y: ArrayLike, predicted: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """The share of comparisons that are predicted wrongly: the mean zero-one loss (2) of [SVMcompare].

    Parameters
    ----------
    y : array-like of shape (n_comparisons,)
        True outcomes -1, 0 or 1.
    predicted : array-like of shape (n_comparisons,)
        Predicted outcomes -1, 0 or 1.
    sample_weight : array-like of shape (n_comparisons,), default=None
        Weights of the comparisons.

    Returns
    -------
    float

    See Also
    --------
    comparison_auc : the area under the ROC curve of comparisons

    Examples
    --------
    >>> comparison_error([-1, 0, 1, 1], [-1, 0, 0, -1])
    0.5
    """
    y, predicted = _checked_labels(y, "y"), _checked_labels(predicted, "predicted")
    check_length(len(y), predicted, "predicted")
    return float(np.average(y != predicted, weights=row_weights(sample_weight, len(y))))


@computed_in_numpy
def log_loss(y: ArrayLike, probability: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """The mean of -log of the probability that was predicted for what happened.

    It is infinite if something happened that was predicted to be impossible.

    Parameters
    ----------
    y : array-like of shape (n_comparisons,)
        True outcomes -1, 0 or 1.
    probability : array-like of shape (n_comparisons, 3)
        Predicted probabilities of -1, 0 and 1, as `predict_proba` returns them.
    sample_weight : array-like of shape (n_comparisons,), default=None
        Weights of the comparisons.

    Returns
    -------
    float

    Examples
    --------
    >>> round(log_loss([-1, 0], [[0.5, 0.3, 0.2], [0.2, 0.6, 0.2]]), 3)
    0.602
    """
    y = _checked_labels(y, "y")
    p = np.asarray(probability, dtype=np.float64)
    if p.shape != (len(y), 3):
        raise ValueError(f"probability has the shape {p.shape}; make it ({len(y)}, 3): of -1, 0 and 1")
    if (bad := ~(np.abs(p.sum(axis=1) - 1) < 1e-6) | (p < 0).any(axis=1)).any():
        where = row_name(first_true(bad))
        raise ValueError(f"the numbers of probability at {where} are not three probabilities with the sum 1")
    with np.errstate(divide="ignore"):
        losses = -np.log(p[np.arange(len(y)), y.astype(np.intp) + 1])
    weight = row_weights(sample_weight, len(y))
    there = weight > 0  # 0 times an infinite loss is nothing
    return float(np.average(losses[there], weights=weight[there]))


@computed_in_numpy
def comparison_roc_curve(
    y: ArrayLike, decision: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[Floats, Floats, Floats]:
    """The ROC curve of ``|decision|`` ≥ threshold: Table 3 of [SVMcompare].

    Positives are decisive pairs, negatives are ties. A decisive pair whose decision has the wrong sign is a
    false negative at every threshold, so the curve ends at (1, accuracy of the sign) and not at (1, 1).

    Parameters
    ----------
    y : array-like of shape (n_comparisons,)
        True outcomes -1, 0 or 1.
    decision : array-like of shape (n_comparisons,)
        Decision values; above 0 if the right side is predicted to be better.
    sample_weight : array-like of shape (n_comparisons,), default=None
        Weights of the comparisons.

    Returns
    -------
    fpr : ndarray
        False positive rates.
    tpr : ndarray
        True positive rates.
    thresholds : ndarray
        The thresholds, decreasing from infinity, where every pair is predicted to be a tie.

    See Also
    --------
    comparison_auc : the area under the ROC curve of comparisons
    podium.ComparisonROCDisplay : the ROC curve of a comparer

    Examples
    --------
    >>> fpr, tpr, thresholds = comparison_roc_curve([0, 1, -1, 1], [0.5, 2.0, -1.0, -3.0])
    >>> fpr, tpr.round(2)
    (array([0., 0., 0., 0., 1.]), array([0.  , 0.  , 0.33, 0.67, 0.67]))
    """
    y, decision, weight = _checked_decisions(y, decision, sample_weight)
    tie, size = y == 0, np.abs(decision)
    right = ~tie & (np.sign(decision) == y)
    _check_both_kinds(tie)
    order = np.argsort(-size, kind="stable")
    last = _ends_of_runs(size[order])
    false = np.cumsum((weight * tie)[order])
    true = np.cumsum((weight * right)[order])[last] / weight[~tie].sum()
    fpr, tpr = np.append(0.0, false[last] / false[-1]), np.append(0.0, np.minimum(true, 1.0))
    return fpr, tpr, np.append(np.inf, size[order][last])


@computed_in_numpy
def comparison_auc(y: ArrayLike, decision: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """The area under the curve of `comparison_roc_curve`.

    For a random decisive pair with decision d and a random tie with decision t it is

        P(d has the right sign and |d| > |t|) + ½ P(d has the right sign and |d| = |t|).

    It is at most the accuracy of the sign. Without learning it is `baseline_auc`, not ½.

    Parameters
    ----------
    y : array-like of shape (n_comparisons,)
        True outcomes -1, 0 or 1.
    decision : array-like of shape (n_comparisons,)
        Decision values; above 0 if the right side is predicted to be better.
    sample_weight : array-like of shape (n_comparisons,), default=None
        Weights of the comparisons.

    Returns
    -------
    float

    See Also
    --------
    comparison_roc_curve : the ROC curve of comparisons
    baseline_auc : the area without learning

    Examples
    --------
    >>> comparison_auc([0, 1, -1, 1], [0.5, 2.0, -0.5, -3.0])
    0.5
    """
    fpr, tpr, _ = comparison_roc_curve(y, decision, sample_weight)
    return float(np.trapezoid(tpr, fpr))


@computed_in_numpy
def baseline_auc(y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """The AUC of always predicting the more frequent side: max(n₊, n₋) / (2 (n₊ + n₋)), [SVMcompare] §4.3.

    Parameters
    ----------
    y : array-like of shape (n_comparisons,)
        True outcomes -1, 0 or 1.
    sample_weight : array-like of shape (n_comparisons,), default=None
        Weights of the comparisons.

    Returns
    -------
    float

    See Also
    --------
    comparison_auc : the area under the ROC curve of comparisons

    Examples
    --------
    >>> baseline_auc([1, 1, -1, 0])
    0.3333333333333333
    """
    y = _checked_labels(y, "y")
    weight = row_weights(sample_weight, len(y))
    sides = weight[y == 1].sum(), weight[y == -1].sum()
    if not sum(sides):
        raise ValueError("y has only ties; the baseline needs comparisons in which one side is better")
    return float(max(sides) / (2 * sum(sides)))


# ------------------------------------------------------------------------------------ agreement of judges


@computed_in_numpy
def krippendorff_alpha(
    unit: ArrayLike,
    value: ArrayLike,
    *,
    distance: Literal["nominal", "interval"] = "nominal",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Krippendorff's α: how far judges agree beyond chance.

    It is 1 - D_o / D_e, where D_o is the mean distance between two values of the same unit and D_e is the
    mean distance between any two values. It is 1 if all judges agree and about 0 if they vote at random.

    Parameters
    ----------
    unit : array-like of shape (n_values,)
        What was judged: values of the same unit are compared. Units with a single value are left out.
    value : array-like of shape (n_values,)
        The judgements, one row each; a missing judgement has no row. A judge may judge a unit several times.
    distance : {"nominal", "interval"}, default="nominal"
        ``"nominal"``: two values are equal or not. ``"interval"``: the squared difference of two numbers.
    sample_weight : array-like of shape (n_values,), default=None
        How often each value was given; by default once.

    Returns
    -------
    float
        At most 1. It is nan if no unit has two values, or if all values are equal.

    See Also
    --------
    podium.BradleyTerry : constant skills of items or teams

    Examples
    --------
    >>> krippendorff_alpha(["a", "a", "b", "b", "c", "c"], [1, 1, 2, 2, 1, 2])
    0.4444444444444444
    """
    from scipy.sparse import coo_array

    if distance not in ("nominal", "interval"):
        raise ValueError(f"distance must be 'nominal' or 'interval', not {distance!r}")
    for name, given in (("unit", unit), ("value", value)):
        check_present(given, name)
    units, row = np.unique(np.asarray(unit), return_inverse=True)
    values, column = np.unique(np.asarray(value), return_inverse=True)
    check_length(len(row), column, "value")
    weight = row_weights(sample_weight, len(row))
    table = coo_array((weight, (row, column)), shape=(len(units), len(values))).tocsr()
    given_to = table.sum(axis=1)
    table, given_to = table[given_to > 1], given_to[given_to > 1]
    often = table.sum(axis=0)
    if distance == "nominal":
        apart = 1.0 - np.eye(len(values))
    else:
        apart = (values[:, None] - values[None, :]).astype(np.float64) ** 2
    together = (table.T @ (table / (given_to - 1)[:, None])).toarray()
    expected = (often @ apart @ often) / max(often.sum() - 1, 1.0)
    return float(1 - (together * apart).sum() / expected) if expected > 0 else np.nan


# ------------------------------------------------------------------------------------ ordered labels


@computed_in_numpy
def swapped_pairs(
    y: ArrayLike, score: ArrayLike, qid: Any = None, sample_weight: ArrayLike | None = None
) -> float:
    """The share of pairs y_i > y_j that the scores put in the wrong order: eq. (1) of [SwappedPairs].

    A pair with equal scores counts as swapped. With two labels and no equal scores it is 1 minus the area
    under the ROC curve. It takes O(n log n).

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True labels; larger is better.
    score : array-like of shape (n_rows,)
        Predicted scores; larger is better.
    qid : array-like of shape (n_rows,), default=None
        Groups (queries). Pairs are formed only within a group, and the pairs of all groups are pooled.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows. The weight of a pair is the product of the weights of its rows.

    Returns
    -------
    float

    See Also
    --------
    podium.SwappedPairsSVM : all pairs of rows with ordered labels

    Examples
    --------
    >>> swapped_pairs([1, 2, 3], [0.1, 0.3, 0.2])
    0.3333333333333333
    """
    from podium.numerics.swapped.counts import OrderedItems

    labels, scores = (_checked_numbers(values, name) for values, name in ((y, "y"), (score, "score")))
    n = len(labels)
    check_length(n, scores, "score")
    items = OrderedItems.of(labels, group_codes(qid, n), row_weights(sample_weight, n))
    if not items.n_pairs > 0:
        where = "" if qid is None else " within a qid"
        raise ValueError(f"y has no two rows with different labels{where}, so there are no pairs to swap")
    swapped = items.violations(scores, margin=0.0).below
    return min(float(items.weight @ swapped) / items.n_pairs, 1.0)


@computed_in_numpy
def ndcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: Any = None,
    k: int | None = None,
    *,
    gain: Literal["exponential", "linear"] = "exponential",
) -> float:
    """The normalised discounted cumulative gain: 1 for a perfect ranking, the mean over queries.

    The row at place r, counting from 1, is worth its gain divided by log2(1 + r). Rows with equal scores
    share their places. Queries in which every gain is 0 have no best order and are left out.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Grades of relevance: 0 or larger.
    score : array-like of shape (n_rows,)
        Predicted scores; larger is better.
    qid : array-like of shape (n_rows,), default=None
        The query of each row; by default all rows are one query.
    k : int, default=None
        Only the first k places count; by default all of them.
    gain : {"exponential", "linear"}, default="exponential"
        Whether a grade is worth 2^y - 1, as is usual for search, or y.

    Returns
    -------
    float

    Examples
    --------
    >>> round(ndcg([2, 0, 1], [0.9, 0.5, 0.1]), 3)
    0.964
    """
    from scipy.stats import rankdata
    from sklearn.metrics import ndcg_score

    grades, scores = (_checked_numbers(values, name) for values, name in ((y, "y"), (score, "score")))
    check_length(len(grades), scores, "score")
    if (grades < 0).any():
        raise ValueError(f"the grade at {row_name(first_true(grades < 0))} is negative; grades start at 0")
    if k is not None and not (isinstance(k, Integral) and k >= 1):
        raise ValueError(f"k must be a whole number of at least 1, not {k!r}")
    if gain not in ("exponential", "linear"):
        raise ValueError(f"gain must be 'exponential' or 'linear', not {gain!r}")
    with np.errstate(over="ignore"):
        worth = 2.0**grades - 1 if gain == "exponential" else grades
    if (bad := np.isinf(worth)).any():
        row = first_true(bad)
        raise ValueError(
            f"the gain of grade {grades[row]:g} at {row_name(row)} is infinite; "
            "use smaller grades, or gain='linear'"
        )
    query = group_codes(qid, len(grades))
    query = np.zeros(len(grades), dtype=np.intp) if query is None else query
    rows = np.split(np.argsort(query, kind="stable"), np.cumsum(np.bincount(query))[:-1])
    ranked = [own for own in rows if worth[own].any()]
    if not ranked:
        raise ValueError("y has no grade above 0, so every order is as good as any other")
    places = rankdata(scores, "dense")  # the order alone counts, so that a score may be infinite
    values = [ndcg_score([worth[own]], [places[own]], k=k) if len(own) > 1 else 1.0 for own in ranked]
    return float(np.mean(values))


def _checked_numbers(values: ArrayLike, name: str) -> Floats:
    check_present(values, name)
    return np.asarray(values, dtype=np.float64)


def __getattr__(name: str) -> Any:
    """Make ``swapped_pairs_scorer``, a scikit-learn scorer of minus the share of swapped pairs.

    ``set_score_request(qid=True)`` routes groups to it. Each access makes a new scorer, so that such requests
    are not shared.
    """
    if name == "swapped_pairs_scorer":
        from sklearn.metrics import make_scorer

        return make_scorer(swapped_pairs, greater_is_better=False)
    raise AttributeError(f"module 'podium.metrics' has no attribute '{name}'")


def _ends_of_runs(values: Floats) -> NDArray[np.intp]:
    return np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1)


def _checked_labels(y: ArrayLike, name: str) -> NDArray[np.int8]:
    labels = np.asarray(y)
    if labels.dtype == object or isinstance(y, np.ma.MaskedArray):
        check_present(y, name)
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"{name} has the shape {labels.shape}; make it (n,), with at least one row")
    if (bad := ~np.isin(labels, (-1, 0, 1))).any():
        row = first_true(bad)
        raise ValueError(
            f"the label {quoted(labels[row])} of {name} at {row_name(row)} is none of -1, 0 and 1"
        )
    return labels.astype(np.int8)


def _checked_decisions(
    y: ArrayLike, decision: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.int8], Floats, Floats]:
    y = _checked_labels(y, "y")
    check_present(decision, "decision")
    values = np.asarray(decision, dtype=np.float64)
    check_length(len(y), values, "decision")
    weight = row_weights(sample_weight, len(y))
    there = weight > 0
    return y[there], values[there], weight[there]


def _check_both_kinds(tie: NDArray[np.bool_]) -> None:
    if tie.all():
        raise ValueError("y has only ties; the ROC curve also needs comparisons in which one side is better")
    if not tie.any():
        raise ValueError("y has no ties, but ties are the negatives of this ROC curve")
