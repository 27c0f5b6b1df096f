"""Sparse features: every model sums duplicate entries, and too many columns are refused."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

import podium as pod
from podium.comparisons.features import as_features, summed

X = np.random.default_rng(0).normal(size=(30, 5))
LEFT, RIGHT = np.arange(30), (np.arange(30) + 7) % 30
PAIRS = pod.Comparisons.from_arrays(LEFT, RIGHT, np.where(X[RIGHT, 0] > X[LEFT, 0], 1, -1))
GRADES = np.digitize(X[:, 0], [-0.5, 0.5])


def twice(X: Any) -> Any:
    """The same table in compressed rows in which every column appears twice."""
    n, p = X.shape
    entries = np.hstack([X - 1.0, np.ones_like(X)]).ravel()
    return csr_array((entries, np.tile(np.arange(p), 2 * n), 2 * p * np.arange(n + 1)), shape=X.shape)


def test_entries_that_are_given_twice_are_summed() -> None:
    given = twice(X)
    for read in (as_features(given, "X"), summed(given), as_features(coo_array(given), "X")):
        assert read.has_canonical_format
        np.testing.assert_allclose(read.toarray(), X)
    assert given.nnz == 2 * X.size  # the input is unchanged
    assert summed(X) is X


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("model", [pod.SVMCompare, pod.SVMRank])
def test_models_of_pairs_sum_them(model: Any, kernel: str) -> None:
    fits = [model(kernel).fit(PAIRS.with_features(table)) for table in (X, twice(X))]
    expected = fits[0].decision_function(PAIRS.with_features(X))
    for each in fits:
        np.testing.assert_allclose(each.decision_function(PAIRS.with_features(twice(X))), expected)
        np.testing.assert_allclose(each.utility(twice(X)), fits[0].utility(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("model", [pod.SwappedPairsSVM, pod.HerbrichSVM, pod.OrdinalSVM, pod.PreferenceGame])
def test_models_of_labelled_rows_sum_them(model: Any, kernel: str) -> None:
    options: dict[str, Any] = {"random_state": 0} if model is not pod.OrdinalSVM else {}
    options |= {"ridge": 0.1} if model is pod.PreferenceGame else {}
    fits = [model(kernel=kernel, **options).fit(table, GRADES) for table in (X, twice(X))]
    expected = fits[0].decision_function(X)
    for each in fits:
        np.testing.assert_allclose(each.decision_function(twice(X)), expected, rtol=1e-6, atol=1e-9)


def test_too_many_columns_are_refused() -> None:
    wide = csr_array((np.ones(4), ([0, 1, 2, 3], [0, 2**31, 2**32, 2**32 + 1])), shape=(4, 2**32 + 5))
    pairs = pod.Comparisons.from_arrays([0, 1], [2, 3], [1, -1])
    with pytest.raises(ValueError, match=r"^features has 4,294,967,301 columns where at most 2,147,483,647"):
        pairs.with_features(wide)
    for model in (pod.SwappedPairsSVM("rbf"), pod.OrdinalSVM(kernel="rbf"), pod.PreferenceGame("rbf")):
        with pytest.raises(ValueError, match=r"^X has 4,294,967,301 columns"):
            model.fit(wide, [0, 1, 1, 0])


def test_features_have_columns() -> None:
    with pytest.raises(ValueError, match="X_left has no columns; describe each item by one number or more"):
        pod.Comparisons.from_features(np.ones((2, 0)), np.ones((2, 0)), [1, -1])
