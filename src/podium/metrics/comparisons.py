"""How good predictions of comparisons are: errors, log loss, and ROC curves that know ties."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays.devices.boundary import computed_in_numpy
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_length, check_present
from podium.comparisons.inputs import row_weights
from podium.comparisons.messages import first_true, quoted, row_name


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

    See Also
    --------
    comparison_error : the share of wrong predictions
    calibration_bins : whether probabilities can be trusted

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
    if tie.all():
        raise ValueError("y has only ties; the ROC curve also needs comparisons in which one side is better")
    if not tie.any():
        raise ValueError("y has no ties, but ties are the negatives of this ROC curve")
    order = np.argsort(-size, kind="stable")
    ordered = size[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))  # of each run of equal sizes
    false = np.cumsum((weight * tie)[order])
    true = np.cumsum((weight * right)[order])[last] / weight[~tie].sum()
    fpr, tpr = np.append(0.0, false[last] / false[-1]), np.append(0.0, np.minimum(true, 1.0))
    return fpr, tpr, np.append(np.inf, ordered[last])


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
