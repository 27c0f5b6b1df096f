"""SVMRank agrees with libsvm, liblinear and general solvers."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC, LinearSVC

from podium import Comparisons
from podium.comparers.svm_rank import SVMRank
from podium.datasets import make_norm_comparisons
from podium.numerics.result import NotConverged


def differences(c: Comparisons) -> tuple[np.ndarray, np.ndarray]:
    assert c.outcome is not None
    return c.features[c.right] - c.features[c.left], c.outcome


def both_ways(d: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and their mirror images with the opposite label: the best hyperplane then has no bias."""
    return np.vstack([d, -d]), np.concatenate([y, -y])


def linear_data(n: int, seed: int = 0) -> Comparisons:
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(2, n, 4))
    d = (right - left) @ np.array([1.0, -2.0, 0.5, 0.0]) + rng.normal(size=n)
    return Comparisons.from_features(left, right, np.where(np.abs(d) < 0.5, 0, np.sign(d)).astype(np.int8))


@pytest.mark.parametrize("C", [0.1, 5.0])
def test_rank_is_svc_on_the_decisive_differences(C: float) -> None:
    c = linear_data(100)
    d, y = differences(c)
    X, label = both_ways(d[y != 0], y[y != 0])
    model = SVMRank("linear", C=C, tol=1e-8).fit(c)
    svc = SVC(kernel="linear", C=C / 2, tol=1e-6).fit(X, label)
    np.testing.assert_allclose(model.coef_, svc.coef_[0], atol=1e-4)
    plain = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    np.testing.assert_allclose(model.coef_, plain.fit(d[y != 0], y[y != 0]).coef_[0], atol=1e-3)


def test_rank2_is_the_same_with_every_pair_twice() -> None:
    c = linear_data(80)
    d, y = differences(c)
    decisive = d[y != 0] * y[y != 0, None]
    rows = np.vstack([decisive, decisive, d[y == 0], -d[y == 0]])
    X, label = both_ways(rows, np.ones(len(rows)))
    svc = SVC(kernel="linear", C=0.5, tol=1e-6).fit(X, label)
    model = SVMRank("linear", C=1.0, ties="both", tol=1e-8).fit(c)
    np.testing.assert_allclose(model.coef_, svc.coef_[0], atol=1e-4)


def test_without_ties_rank2_is_rank_with_twice_the_c() -> None:
    c = make_norm_comparisons(60, tie_share=0, random_state=0)
    twice, both = SVMRank(C=2.0, tol=1e-7).fit(c), SVMRank(C=1.0, ties="both", tol=1e-7).fit(c)
    np.testing.assert_allclose(twice.decision_function(c), both.decision_function(c), atol=1e-6)


@pytest.mark.parametrize("ties", ["ignore", "both"])
def test_the_threshold_has_the_least_training_error(ties: Any) -> None:
    c = make_norm_comparisons(150, tie_share=0.4, random_state=0)
    model = SVMRank(ties=ties, C=10.0).fit(c)
    d = model.decision_function(c)
    for tau in np.concatenate([[0.0], np.abs(d)]):
        error = np.mean(np.where(np.abs(d) <= tau, 0, np.sign(d)) != c.outcome)
        assert 1 - model.score(c) <= error + 1e-12
    assert SVMRank(threshold=0.25).fit(c).threshold_ == 0.25


@pytest.mark.parametrize("seed", range(3))
def test_the_hard_margin_is_that_of_a_general_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2, 3))
    y = np.sign((X[:, 1] - X[:, 0]) @ np.array([1.0, 1.0, -1.0]))
    d = (X[:, 1] - X[:, 0]) * y[:, None]
    margin = {"type": "ineq", "fun": lambda w: d @ w - 1, "jac": lambda w: d}
    start = 100 * np.array([1.0, 1.0, -1.0])
    found = minimize(lambda w: w @ w, start, jac=lambda w: 2 * w, constraints=[margin], method="SLSQP")
    model = SVMRank("linear", C=np.inf, tol=1e-7).fit(X, y)
    np.testing.assert_allclose(model.coef_, found.x, rtol=1e-3, atol=1e-4)
    assert np.min(d @ model.coef_) >= 1 - 1e-9
    assert model.margin_ == pytest.approx(1 / np.linalg.norm(model.coef_))


def test_a_hard_margin_with_a_kernel_and_as_the_limit_of_soft_ones() -> None:
    c = make_norm_comparisons(40, tie_share=0, noise=0.0, random_state=0)
    hard, soft = SVMRank(C=np.inf, tol=1e-5).fit(c), SVMRank(C=1e5, tol=1e-5).fit(c)
    np.testing.assert_allclose(hard.decision_function(c), soft.decision_function(c), rtol=2e-2, atol=1e-2)
    assert hard.score(c) == 1


CYCLE: list[Any] = [  # the second pair is not involved
    [[0.0, 0.0], [1.0, 0.0]],
    [[5.0, 5.0], [6.0, 7.0]],
    [[1.0, 0.0], [0.0, 1.0]],
    [[0.0, 1.0], [0.0, 0.0]],
]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_a_cycle_has_no_hard_margin_and_is_named(kernel: Any) -> None:
    with pytest.raises(ValueError, match=r"row 1 \(.*, row 3 .* and row 4 .* contradict each other"):
        SVMRank(kernel, C=np.inf).fit(CYCLE, [1, 1, 1, 1])


def test_rows_that_contradict_each_other_in_the_features_are_named() -> None:
    pairs = [[[0.0], [1.0]], [[3.0], [5.0]], [[2.0], [7.0]]]
    with pytest.raises(ValueError, match="contradict each other"):
        SVMRank("linear", C=np.inf).fit(pairs, [1, 1, -1])
    SVMRank("rbf", C=np.inf).fit(pairs, [1, 1, -1])  # a curve can satisfy both


def test_a_pair_of_equals_and_a_tie_both_ways_contradict_themselves() -> None:
    with pytest.raises(ValueError, match=r"row 2 \(counting from 1\) contradicts itself"):
        SVMRank(C=np.inf).fit([[[0.0], [1.0]], [[2.0], [2.0]]], [1, 1])
    with pytest.raises(ValueError, match=r"row 2 \(counting from 1\) contradicts itself"):
        SVMRank(C=np.inf, ties="both").fit([[[0.0], [1.0]], [[2.0], [3.0]]], [1, 0])


def test_only_ties_and_bad_parameters() -> None:
    pairs = [[[0.0], [1.0]], [[2.0], [3.0]]]
    assert SVMRank().fit(pairs, [0, 0]).predict(pairs).tolist() == [0, 0]
    for bad in ({"ties": "drop"}, {"threshold": -1.0}, {"threshold": "test"}):
        with pytest.raises(ValueError, match=r"ties must be|threshold (is|must be)"):
            SVMRank(**bad).fit(pairs, [1, 0])


def test_the_model_keeps_only_items_with_a_coefficient() -> None:
    c = make_norm_comparisons(100, random_state=0)
    model = SVMRank(C=100).fit(c)
    assert len(model.support_) == len(model.item_coef_) < c.n_items
    np.testing.assert_array_equal(model.support_vectors_, c.features[model.support_])


def test_a_hard_margin_that_stops_early_is_not_upside_down() -> None:
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(900, 2, 8)), rng.normal(size=8)
    d = (X[:, 1] - X[:, 0]) @ w
    X, y = X[np.abs(d) > 0.05], np.sign(d[np.abs(d) > 0.05])
    with pytest.warns(NotConverged, match=r"^SVMRank: .*=0.001; scale the features, or raise max_iter$"):
        stopped = SVMRank("linear", C=np.inf, max_iter=1).fit(X, y)
    assert stopped.score(X, y) > 0.9
    assert np.isnan(stopped.margin_)  # some pair still has the wrong sign
    whole = SVMRank("linear", C=np.inf).fit(X, y)
    assert whole.score(X, y) == 1
    assert whole.margin_ == pytest.approx(1 / np.linalg.norm(whole.coef_))


def test_rows_without_weight_are_counted_where_others_are_named() -> None:
    pairs = [[[9.0], [1.0]], [[0.0], [1.0]], [[9.0], [1.0]], [[3.0], [5.0]]]
    with pytest.raises(ValueError, match=r"row 2 \(counting from 1\) and row 4 \(.* contradict each other"):
        SVMRank("linear", C=np.inf).fit(pairs, [1, 1, 1, -1], sample_weight=[0, 1, 0, 1])
