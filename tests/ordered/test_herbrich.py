"""HerbrichSVM is SVMRank and LinearCompare on the pairs that it draws."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import check_estimator

from podium import Comparisons, HerbrichSVM, SVMRank, metrics
from tests.ordered.all_pairs import all_pairs, graded


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_scikit_learn_accepts_it(kernel: Any) -> None:
    """None excused: at a tight tol even repeated rows, whose draws differ, give the one hard margin."""
    checks = check_estimator(HerbrichSVM(kernel=kernel, tol=1e-10, random_state=0), on_skip=None)
    assert len(checks) > 30


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("partners", [3, None])
def test_it_is_svm_rank_on_its_pairs(kernel: Any, partners: int | None) -> None:
    X, y = graded(40, 2, 4)
    qid = np.repeat(["a", "b"], 20)
    model = HerbrichSVM(partners, kernel, C=0.3, tol=1e-7, random_state=0).fit(X, y, qid)
    pairs = Comparisons.from_labels(X, y, qid, partners, np.random.RandomState(0))
    rank = SVMRank(kernel, C=0.3, tol=1e-7).fit(pairs)
    np.testing.assert_allclose(model.predict(X), rank.utility(X), atol=1e-3)
    n_pairs = len(all_pairs(y, qid)[0]) if partners is None else 40 * partners
    assert model.n_pairs_ == n_pairs
    assert model.score(X, y, qid) == 1 - metrics.swapped_pairs(y, model.predict(X), qid)


def test_a_pair_weighs_the_product_of_its_rows() -> None:
    X, y = graded(15, 2, 3)
    count = np.random.default_rng(0).integers(0, 3, 15)
    rows = np.repeat(np.arange(15), count)
    weighted = HerbrichSVM(None, tol=1e-9).fit(X, y, sample_weight=count)
    repeated = HerbrichSVM(None, tol=1e-9).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)


def test_precomputed_kernels() -> None:
    X, y = graded(30, 2, 3)
    weight = np.where(np.arange(30) < 4, 0.0, 1.0)
    linear = HerbrichSVM(None, "linear", C=0.1, tol=1e-8).fit(X, y, sample_weight=weight)
    gram = HerbrichSVM(None, "precomputed", C=0.1, tol=1e-8).fit(X @ X.T, y, sample_weight=weight)
    np.testing.assert_allclose(gram.predict(X @ X.T), linear.predict(X), atol=1e-4)
    thin = HerbrichSVM(None, "precomputed", C=0.1, tol=1e-8).fit(csr_array(X @ X.T), y, sample_weight=weight)
    np.testing.assert_allclose(thin.predict(csr_array(X @ X.T)), gram.predict(X @ X.T), atol=1e-9)
    with pytest.raises(ValueError, match="not symmetric"):
        HerbrichSVM(None, "precomputed").fit(X @ X.T + np.triu(np.ones((30, 30)), 1), y)
