"""Checked items with features and ordered labels: what the machines of [SwappedPairs] learn from."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from podium.arrays.devices.boundary import from_device, in_numpy, to_device_of
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_present, check_unmasked
from podium.comparisons.features import is_sparse, summed
from podium.comparisons.inputs import group_codes, row_weights
from podium.comparisons.labels import as_column, first_rows
from podium.comparisons.messages import InputError, quoted, row_name
from podium.metrics import swapped_pairs
from podium.numerics.estimators import RowEstimator
from podium.numerics.kernels.kernel import KernelParameters
from podium.ordered.targets import CATEGORICAL, numbered_categories


class LabelRanker(KernelParameters, RowEstimator):
    """A machine that scores rows, learned from and judged by ordered labels."""

    def _check_kind(self, X: Any) -> None:
        """Refuse a kind of table that the machine does not take."""

    def _scores(self, X: Any) -> Any:
        """h(x) of rows that were checked."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Any:
        """The ranking score h(x) of every row: the higher, the better.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features; with ``kernel="precomputed"`` the kernel between these rows and all rows of the fit.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        self._check_kind(X)
        here = checked_features(self, in_numpy(X, type(self).__name__))
        return to_device_of(self._scores(here), X)

    def predict(self, X: Any) -> Any:
        """The ranking score h(x) of every row, as `decision_function`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features.

        Returns
        -------
        array of shape (n,)
            Scores to sort by, within a query if there are queries. They are not labels.
        """
        return self.decision_function(X)

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """1 minus the share of swapped pairs.

        Parameters
        ----------
        X, y, qid, sample_weight
            Rows, their labels, queries and weights, as in `fit`.

        Returns
        -------
        float
        """
        return 1.0 - swapped_pairs(numbered_categories(y), self.predict(X), qid, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class LabelledItems(NamedTuple):
    """Rows of positive weight; ``row`` is their position in the input."""

    X: Any
    y: Floats
    group: NDArray[np.int32] | None
    weight: Floats
    row: NDArray[np.intp]


def labelled_items(estimator: Any, X: Any, y: Any, qid: Any, sample_weight: Any) -> LabelledItems:
    """Check the input; this also sets ``n_features_in_`` and ``feature_names_in_`` of the estimator."""
    y = from_device(y)
    check_present(y, "y")
    _check_not_text(y)
    check_unmasked(X=X)
    options: dict[str, Any] = {"ensure_min_samples": 2, "ensure_all_finite": False, "y_numeric": True}
    X, y = validate_data(
        estimator, X, numbered_categories(y), accept_sparse="csr", dtype=np.float64, **options
    )
    X, y = _finite(X), np.asarray(y, dtype=np.float64)
    precomputed = estimator.kernel == "precomputed"
    if precomputed and X.shape[0] != X.shape[1]:
        raise ValueError(f"with kernel='precomputed' X is a square kernel matrix, not of shape {X.shape}")
    group, weight = _ordered_groups(qid, len(y)), row_weights(sample_weight, len(y))
    row = np.flatnonzero(weight > 0)
    if len(row) < len(y):
        X = X[np.ix_(row, row)] if precomputed else X[row]
        y, weight, group = y[row], weight[row], None if group is None else group[row]
    return LabelledItems(X, y, group, weight, row)


def checked_features(estimator: Any, X: Any) -> Any:
    """Check the X of a prediction."""
    check_unmasked(X=X)
    options = {"reset": False, "ensure_all_finite": False}
    return _finite(validate_data(estimator, X, accept_sparse="csr", dtype=np.float64, **options))


def _ordered_groups(qid: Any, n: int) -> NDArray[np.int32] | None:
    """A number for each query, in the order of their names and not of the rows.

    >>> _ordered_groups(["b", "a", "b"], 3)
    array([1, 0, 1], dtype=int32)
    """
    codes = group_codes(qid, n)
    if codes is None:
        return None
    names = as_column(qid, "qid").take(pa.array(first_rows(codes))).to_pylist()
    place = np.argsort(sorted(range(len(names)), key=names.__getitem__))
    return np.asarray(place[codes], dtype=np.int32)


def _check_not_text(y: Any) -> None:
    """Refuse text, which has no order to rank by, unless it spells numbers."""
    labels = np.asarray(numbered_categories(y))
    if labels.dtype.kind not in "OUT":
        return
    try:
        labels.astype(np.float64)
    except ValueError:
        raise InputError(
            f"{{@y is text}}, such as {quoted(labels.flat[0])}, which has no order to rank by; give numbers"
            "{@or_categories}",
            or_categories=f", or {CATEGORICAL}, the lowest label first",
        ) from None
    except TypeError:
        return  # not text: scikit-learn raises a better error


def _finite(X: Any) -> Any:
    """X with equal entries summed; a ValueError names its first row that is not finite."""
    X = summed(X)
    if is_sparse(X):
        bad = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[~np.isfinite(X.data)]
    else:
        with np.errstate(all="ignore"):
            if np.isfinite(X.sum()):  # the usual case, found without an array of booleans
                return X
        bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(bad):
        raise ValueError(f"X has a value that is NaN or infinite at {row_name(int(bad[0]))}")
    return X
