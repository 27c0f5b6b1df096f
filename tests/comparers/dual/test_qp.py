"""The dual solver against libsvm on the explicit matrix of [SVMcompare], and against its own certificate."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from podium.comparers.dual.certificate import Variables
from podium.comparers.dual.kernel_rows import KernelRows
from podium.comparers.dual.pairs import solve_pairs
from podium.comparers.dual.qp import solve_dual
from podium.comparers.svm_compare import SVMCompare
from podium.comparers.svm_rank import SVMRank
from podium.numerics.hinge import best_bias
from podium.numerics.kernels.kernel import Kernel, PairKernel
from podium.numerics.result import NotConverged

KERNELS = [Kernel("linear"), Kernel("poly", 0.5, 2, 1.0), Kernel("rbf", 0.5), Kernel("rbf", 8.0)]


def problem(n: int, tie_share: float, kernel: Kernel, n_items: int | None = None, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    n_items = n_items or 2 * n
    X = rng.normal(size=(n_items, 2))
    tail, head = rng.permutation(2 * n).reshape(2, n) % n_items
    a = n - round(tie_share * n)
    r = np.linalg.norm(X, axis=1) ** 2 + 0.2 * rng.normal(size=n_items)
    swap = (r[tail] > r[head]) & (np.arange(n) < a)
    return PairKernel(kernel, X, np.where(swap, head, tail), np.where(swap, tail, head)), a


def flipped(pairs: PairKernel, a: int) -> tuple[np.ndarray, np.ndarray]:
    """K̃ and ỹ of eq. (18)."""
    n = len(pairs)
    K = pairs.rows(np.arange(n))
    M = np.vstack([np.eye(n), -np.eye(n)[a:]])
    return M @ K @ M.T, np.where(np.arange(len(M)) < a, 1, -1)


@pytest.mark.filterwarnings("ignore:Solver terminated early")  # libsvm's warning at the limits of rounding
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("tie_share", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("C", [0.1, 10.0, 100.0])
def test_the_optimum_is_that_of_libsvm(kernel: Kernel, tie_share: float, C: float) -> None:
    pairs, a = problem(60, tie_share, kernel)
    upper = np.full(60, C)  # the accuracy of decisions is the root of the gap
    result = solve_pairs(KernelRows(pairs), upper, a, bias=True, tol=1e-12, max_iter=1000)
    assert result.gap is not None
    assert result.gap <= 1e-9
    K, y = flipped(pairs, a)
    svc = SVC(kernel="precomputed", C=C, tol=1e-6, max_iter=1_000_000, shrinking=False).fit(K, y)
    f = result.details["differences"]
    own = np.concatenate([f, -f[a:]]) + result.details["bias"]
    if svc.fit_status_ == 0 and C <= 10:  # libsvm's kernel rows are float32
        np.testing.assert_allclose(own, svc.decision_function(K), atol=1e-4 * max(1, np.abs(own).max()))
    v = np.zeros(len(y))
    v[svc.support_] = np.abs(svc.dual_coef_[0])
    dual = v.sum() - 0.5 * (v * y) @ K @ (v * y)
    assert result.objective == pytest.approx(dual, rel=1e-4)
    assert result.details["dual"] == pytest.approx(dual, rel=1e-4)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_items", [None, 40], ids=["rows of pairs", "by items"])
def test_working_sets_reach_the_optimum_of_the_whole(bias: bool, n_items: int | None) -> None:
    pairs, a = problem(120, 0.4, Kernel("rbf", 1.0), n_items)
    upper = np.random.default_rng(1).uniform(0.5, 20, size=120)
    whole = solve_dual(KernelRows(pairs), upper, a, bias=bias, tol=1e-7, max_iter=1000)
    few_rows = KernelRows(pairs, least_rows=32, most_bytes=0)
    parts = solve_dual(few_rows, upper, a, bias=bias, tol=1e-7, max_iter=20_000, fewest=8)
    assert parts.converged
    assert parts.iterations > whole.iterations
    assert parts.objective == pytest.approx(whole.objective, rel=1e-6)
    np.testing.assert_allclose(parts.details["differences"], whole.details["differences"], atol=1e-2)


def primal(f: np.ndarray, s: np.ndarray, upper: np.ndarray, a: int, bias: float) -> float:
    hinge = np.concatenate([1 - bias - f[:a], 1 + bias + f[a:], 1 + bias - f[a:]])
    return float(0.5 * s @ f + np.concatenate([upper, upper[a:]]) @ np.maximum(hinge, 0))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("tie_share", [0, 0.3, 1.0])
def test_the_gap_is_true(bias: bool, tie_share: float) -> None:
    if bias and tie_share in (0, 1.0):
        return
    pairs, a = problem(80, tie_share, Kernel("rbf", 1.0))
    upper = np.full(80, 5.0)
    result = solve_pairs(KernelRows(pairs), upper, a, bias=bias, tol=1e-3, max_iter=1000)
    s, f = result.details["coefficients"], result.details["differences"]
    np.testing.assert_allclose(f, pairs.rows(np.arange(80)) @ s, atol=1e-9)
    v = result.solution
    assert np.all((v >= 0) & (v <= np.concatenate([upper, upper[a:]])))
    variables = Variables(upper, a)
    np.testing.assert_allclose(variables.coefficients(variables.label * v), s, atol=1e-12)
    if bias:
        assert v[:a].sum() == pytest.approx(v[a:].sum())
    assert result.objective == pytest.approx(primal(f, s, upper, a, result.details["bias"]))
    dual = v.sum() - 0.5 * s @ f
    assert 0 <= result.objective - dual <= 1e-3 * result.objective


def test_without_a_bias_it_is_the_machine_through_the_origin() -> None:
    """An oracle without a bias: a general solver on the box-constrained dual."""
    from scipy.optimize import minimize

    pairs, a = problem(25, 0.4, Kernel("rbf", 1.0))
    K, y = flipped(pairs, a)
    Q = K * np.outer(y, y)
    found = minimize(
        lambda v: 0.5 * v @ Q @ v - v.sum(),
        np.zeros(len(y)),
        jac=lambda v: Q @ v - 1,
        bounds=[(0, 3.0)] * len(y),
    )
    result = solve_pairs(KernelRows(pairs), np.full(25, 3.0), a, bias=False, tol=1e-8, max_iter=1000)
    assert result.objective == pytest.approx(-found.fun, rel=1e-5)
    assert result.details["bias"] == 0


@pytest.mark.parametrize("bias", [True, False])
def test_a_warm_start_changes_the_way_and_not_the_end(bias: bool) -> None:
    pairs, a = problem(100, 0.5, Kernel("rbf", 0.5))
    solve = partial(solve_pairs, KernelRows(pairs), n_decisive=a, bias=bias, tol=1e-6, max_iter=1000)
    start = None
    for C in (0.01, 0.1, 1.0, 10.0, 100.0, 1.0):  # the last has smaller bounds, which the start must respect
        warm = solve(upper=np.full(100, C), start=start)
        cold = solve(upper=np.full(100, C))
        assert warm.objective == pytest.approx(cold.objective, rel=1e-5)
        start = warm


def test_memory_is_bounded() -> None:
    pairs, _ = problem(50, 0.5, Kernel("rbf", 1.0))
    rows = KernelRows(pairs, least_rows=8, most_bytes=25 * 50 * 8)
    assert rows.cache is not None
    assert rows.cache.store.shape == (25, 50)
    K = pairs.rows(np.arange(50))
    rng = np.random.default_rng(0)
    for _ in range(30):
        chosen = rng.permutation(50)[:8]
        np.testing.assert_allclose(rows.block(chosen), K[np.ix_(chosen, chosen)], atol=1e-12)
    s = rng.normal(size=50)
    f = np.zeros(50)
    rows.add(f, np.arange(50), s)
    np.testing.assert_allclose(f, K @ s, atol=1e-10)


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 3)), min_size=2, max_size=12), st.data())
def test_the_bias_has_the_least_loss(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    a = data.draw(st.integers(1, len(rows) - 1))
    score, upper = np.array([r[0] for r in rows], dtype=float), np.array([r[1] for r in rows], dtype=float)

    def loss(beta: float) -> float:
        slack = np.concatenate([score[:a] - beta, beta - score[a:]])
        return float(upper @ np.maximum(slack, 0))

    assert loss(best_bias(score, upper, a)) == pytest.approx(min(loss(b) for b in score))


def test_stopping_early_is_not_silent() -> None:
    pairs, a = problem(100, 0.5, Kernel("rbf", 8.0))
    upper = np.full(100, 1e6)
    result = solve_pairs(KernelRows(pairs), upper, a, bias=True, tol=1e-12, max_iter=1)
    assert not result.converged
    with pytest.warns(UserWarning, match="duality gap"):
        result.warn_if_stopped_early(1e-12)


def nearly_hard(C: float) -> Any:
    """Separable pairs with two features of different scales, as in Figure 2 of [SVMcompare]."""
    rng = np.random.default_rng(61)
    left, right = rng.uniform(-1.5, 1.5, size=(2, 800, 2))
    w = rng.normal(size=2)
    rank = (right - left) @ (w / np.linalg.norm(w))
    kept = np.flatnonzero(np.abs(np.abs(rank) - 1) > 0.1)[:40]
    pairs = np.stack([left, right], axis=1)[kept] * [1, 3]
    outcome = np.where(np.abs(rank) <= 1, 0, np.sign(rank))[kept].astype(np.int8)
    model = SVMCompare("linear", C=C, tol=1e-6, max_iter=1_000)
    return model.fit(pairs, outcome).result_


def test_a_large_cost_takes_a_violation_below_tiny() -> None:
    """A violation of 1e-12 costs 1e-5 of the objective here; the hard margin is the oracle."""
    result = nearly_hard(1e7)
    assert result.converged
    assert result.gap <= 1e-6
    assert result.details["violation"] < 1e-12
    assert result.objective == pytest.approx(nearly_hard(1e5).objective, rel=1e-5)


def test_a_cost_beyond_rounding_is_said_to_be_so() -> None:
    with pytest.warns(NotConverged, match="rounding allows no better, so scale the features, or raise tol"):
        result = nearly_hard(1e15)
    assert result.stalled
    assert result.iterations < 50


def test_badly_scaled_pairs_of_few_items_are_solved() -> None:
    """Coordinate steps alone are very slow if the margin is almost hard but infeasible."""
    rng = np.random.default_rng(0)
    pairs = 1e3 * rng.normal(size=(60, 3))[rng.integers(0, 60, size=(150, 2))]
    model = SVMRank("poly", gamma=1.0, degree=2).fit(pairs, rng.choice([-1, 1], 150))
    assert model.result_.converged
    assert model.result_.iterations < 150  # coordinate steps alone take over 300


@pytest.mark.parametrize("bias", [True, False])
def test_contradictions_without_slack_end_soon(bias: bool) -> None:
    """The value of the game is 0: the pairs with v > 0 cancel, and v would grow without end."""
    pairs, a = problem(200, 0.3 if bias else 0.0, Kernel("linear"))
    result = solve_dual(KernelRows(pairs), np.full(200, np.inf), a, bias=bias, tol=1e-6, max_iter=1000)
    assert not result.converged
    assert result.stalled
    assert result.iterations < 10
    s = result.details["coefficients"]
    cancelled = s @ pairs.rows(np.arange(200)) @ s / result.solution.sum() ** 2
    assert cancelled <= 1e-13 * pairs.diagonal.max()
