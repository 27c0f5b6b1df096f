"""HerbrichSVM equals SVMRank or LinearCompare on the pairs that it draws."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from podium import Comparisons, HerbrichSVM, SVMRank, metrics
from podium.ordered.herbrich import distinct_items, kinds_of_rows, pair_weights
from podium.ordered.labelled_items import LabelledItems
from tests.ordered.all_pairs import all_pairs, graded


@pytest.mark.parametrize(
    "model",
    [HerbrichSVM(), HerbrichSVM(kernel="rbf"), HerbrichSVM(1), HerbrichSVM(None)],
    ids=["default", "rbf", "one partner", "all partners"],
)
def test_scikit_learn_accepts_it(model: HerbrichSVM) -> None:
    """No check is skipped, at the default tol: repeated rows give exactly the problem of weighted rows."""
    checks = check_estimator(model, on_skip=None)
    assert len(checks) > 30


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("partners", [3, None])
def test_it_is_svm_rank_on_its_pairs(kernel: Any, partners: int | None) -> None:
    X, y = graded(40, 2, 4)
    qid = np.repeat(["a", "b"], 20)
    model = HerbrichSVM(partners, kernel=kernel, C=0.3, tol=1e-7, random_state=0).fit(X, y, qid)
    row = np.argsort(kinds_of_rows(X))  # the drawn partners do not depend on the order of the rows
    pairs = Comparisons.from_labels(X[row], y[row], qid[row], partners, np.random.RandomState(0))
    rank = SVMRank(kernel, C=0.3, tol=1e-7).fit(pairs)
    np.testing.assert_allclose(model.predict(X), rank.utility(X), atol=1e-3)
    n_pairs = len(all_pairs(y, qid)[0]) if partners is None else 40 * partners
    assert model.n_pairs_ == n_pairs
    assert model.score(X, y, qid) == 1 - metrics.swapped_pairs(y, model.predict(X), qid)


def test_of_all_pairs_each_weighs_the_product_of_its_rows() -> None:
    X, y = graded(15, 2, 3)
    count = np.random.default_rng(0).integers(0, 3, 15)
    weighted = HerbrichSVM(None, tol=1e-9).fit(X, y, sample_weight=count)
    i, j, _ = all_pairs(y)
    product = count[i] * count[j]
    pairs = Comparisons.from_features(X[j], X[i], np.ones(len(i)))
    rank = SVMRank("linear", tol=1e-9).fit(pairs, sample_weight=product)
    np.testing.assert_allclose(weighted.predict(X), rank.utility(X), atol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("partners", [2, 5, None])
def test_a_row_of_weight_2_is_there_twice(kernel: Any, partners: int | None) -> None:
    """Equal to the last digits, at a loose tol, with queries: it is the same problem, not a similar one."""
    X, y = graded(60, 3, 4)
    qid, count = np.repeat(["b", "c", "a"], 20), np.random.default_rng(0).integers(0, 4, 60)
    rows = np.repeat(np.arange(60), count)
    K = X @ X.T if kernel == "precomputed" else X
    model = HerbrichSVM(partners, kernel=kernel, C=0.1, tol=0.1, random_state=0)
    weighted = clone(model).fit(K, y, qid, sample_weight=count)
    repeated = clone(model).fit(
        K[np.ix_(rows, rows)] if kernel == "precomputed" else X[rows], y[rows], qid[rows]
    )
    seen = K[:, rows] if kernel == "precomputed" else X
    np.testing.assert_allclose(repeated.predict(seen), weighted.predict(K), rtol=1e-9, atol=1e-12)
    assert repeated.n_pairs_ == weighted.n_pairs_


def test_the_order_of_rows_does_not_matter_nor_how_they_are_stored() -> None:
    X, y = graded(60, 3, 4)
    X[np.abs(X) < 0.3] = 0.0
    qid, order = np.repeat(["b", "c", "a"], 20), np.random.default_rng(1).permutation(60)
    model = HerbrichSVM(2, tol=0.1, random_state=0)
    d = clone(model).fit(X, y, qid).predict(X)
    np.testing.assert_array_equal(clone(model).fit(X[order], y[order], qid[order]).predict(X), d)
    np.testing.assert_allclose(clone(model).fit(csr_array(X), y, qid).predict(X), d, rtol=1e-9)
    other = HerbrichSVM(2, tol=0.1, random_state=1).fit(X, y, qid).predict(X)
    assert np.abs(other - d).max() > 1e-3  # it is still a random draw


@pytest.mark.parametrize(
    ("partners", "draws"),
    [pytest.param(1, 2000, marks=pytest.mark.slow), (4, 2000), (50, 1)],  # 50 are all: nothing is random
)
def test_weights_are_what_the_copies_would_draw_on_average(partners: int, draws: int) -> None:
    """Simulate many draws in which each copy of a row draws partners among the copies of others."""
    y = np.array([0.0, 0.0, 1.0, 1.0, 2.0])
    count = np.array([2, 1, 3, 1, 2])
    X, copies = np.arange(5.0)[:, None], np.repeat(np.arange(5), count)
    drawn, weighed = np.zeros((5, 5)), np.zeros((5, 5))
    data = distinct_items(LabelledItems(X, y, None, count.astype(float), np.arange(5)), precomputed=False)
    at = data.row
    for seed in range(draws):
        c = Comparisons.from_labels(X[copies], y[copies], None, partners, seed)
        np.add.at(drawn, (copies[c.left], copies[c.right]), 1)
        c = Comparisons.from_labels(data.X, data.y, None, partners, seed)
        np.add.at(weighed, (at[c.left], at[c.right]), pair_weights(data, c, partners))
    np.testing.assert_allclose(weighed / draws, drawn / draws, atol=0.1 if draws > 1 else 1e-12)


def test_precomputed_kernels() -> None:
    X, y = graded(30, 2, 3)
    weight = np.where(np.arange(30) < 4, 0.0, 1.0)
    linear = HerbrichSVM(None, kernel="linear", C=0.1, tol=1e-8).fit(X, y, sample_weight=weight)
    gram = HerbrichSVM(None, kernel="precomputed", C=0.1, tol=1e-8).fit(X @ X.T, y, sample_weight=weight)
    np.testing.assert_allclose(gram.predict(X @ X.T), linear.predict(X), atol=1e-4)
    thin = HerbrichSVM(None, kernel="precomputed", C=0.1, tol=1e-8).fit(
        csr_array(X @ X.T), y, sample_weight=weight
    )
    np.testing.assert_allclose(thin.predict(csr_array(X @ X.T)), gram.predict(X @ X.T), atol=1e-9)
    with pytest.raises(ValueError, match="not symmetric"):
        HerbrichSVM(None, kernel="precomputed").fit(X @ X.T + np.triu(np.ones((30, 30)), 1), y)
