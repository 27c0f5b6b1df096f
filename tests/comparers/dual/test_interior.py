"""The interior point method for many pairs of few items: libsvm's optimum, and a true gap."""

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC

from podium.comparers.dual import pairs as start
from podium.comparers.dual.certificate import Variables
from podium.comparers.dual.kernel_rows import KernelRows
from podium.comparers.dual.pairs import FewItems, interior_points, on_bounds, solve_pairs
from podium.comparers.dual.qp import solve_dual
from podium.numerics.kernels.factor import kernel_factor
from podium.numerics.kernels.kernel import Kernel, PairKernel

KERNELS = [Kernel("linear"), Kernel("poly", 0.5, 2, 1.0), Kernel("rbf", 0.01), Kernel("rbf", 4.0)]
N, ITEMS, DECISIVE = 150, 14, 90


def problem(kernel: Kernel, seed: int = 0) -> tuple[PairKernel, np.ndarray]:
    """Pairs of items, two of which have equal features, and upper bounds to be scaled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ITEMS, 3))
    X[1] = X[0]
    tail = rng.integers(0, ITEMS, N)
    head = (tail + rng.integers(1, ITEMS, N)) % ITEMS
    r = (X**2).sum(axis=1)
    swap = (r[tail] + rng.normal(size=N) > r[head]) & (np.arange(N) < DECISIVE)
    return PairKernel(kernel, X, np.where(swap, head, tail), np.where(swap, tail, head)), rng.uniform(
        0.5, 2.0, N
    )


def inside(pairs: PairKernel, upper: np.ndarray, *, bias: bool, tol: float, a: int = DECISIVE) -> Any:
    """The result of a solver that takes these pairs for many, and so starts from the interior point."""
    few = FewItems(pairs=N // 2)
    return solve_pairs(KernelRows(pairs), upper, a, bias=bias, tol=tol, max_iter=1000, few_items=few)


def check_certificate(result: Any, pairs: PairKernel, upper: np.ndarray, tol: float) -> None:
    """Both objectives, computed from the explicit matrix."""
    a, v = DECISIVE, result.solution
    variables = Variables(upper, a)
    assert np.all((v >= 0) & (v <= variables.upper))
    s = variables.coefficients(variables.label * v)
    f = pairs.rows(np.arange(N)) @ s
    scale = np.abs(s).sum()
    np.testing.assert_allclose(result.details["differences"], f, atol=1e-9 * max(1.0, scale))
    beta = result.details["bias"]
    hinge = np.concatenate([1 - beta - f[:a], 1 + beta + f[a:], 1 + beta - f[a:]])
    primal, dual = 0.5 * s @ f + variables.upper @ np.maximum(hinge, 0), v.sum() - 0.5 * s @ f
    assert result.objective == pytest.approx(primal, rel=1e-6)
    assert -1e-9 * primal <= primal - dual <= (tol + 1e-9) * primal


@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_optimum_is_that_of_libsvm(kernel: Kernel, C: float) -> None:
    pairs, weight = problem(kernel)
    upper, a = C * weight, DECISIVE
    result = inside(pairs, upper, bias=True, tol=1e-6)
    assert result.solver.startswith("interior point")
    assert result.gap is not None
    assert result.gap <= 1e-6
    assert abs(result.solution[:a].sum() - result.solution[a:].sum()) <= 1e-9 * upper.sum()
    check_certificate(result, pairs, upper, 1e-6)
    M = np.vstack([np.eye(N), -np.eye(N)[a:]])
    K, y = M @ pairs.rows(np.arange(N)) @ M.T, np.where(np.arange(len(M)) < a, 1, -1)
    svc = SVC(kernel="precomputed", C=C, tol=1e-6, max_iter=1_000_000, shrinking=False)
    svc.fit(K, y, sample_weight=np.concatenate([weight, weight[a:]]))
    v = np.zeros(len(y))
    v[svc.support_] = np.abs(svc.dual_coef_[0])
    assert result.objective == pytest.approx(v.sum() - 0.5 * (v * y) @ K @ (v * y), rel=1e-4)
    if C <= 1:
        f = result.details["differences"]
        own = np.concatenate([f, -f[a:]]) + result.details["bias"]
        np.testing.assert_allclose(own, svc.decision_function(K), atol=5e-3)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.1, 1e3])
def test_without_a_bias_it_is_where_decomposition_ends(kernel: Kernel, C: float) -> None:
    pairs, weight = problem(kernel)
    result = inside(pairs, C * weight, bias=False, tol=1e-7)
    check_certificate(result, pairs, C * weight, 1e-7)
    other = solve_dual(KernelRows(pairs), C * weight, DECISIVE, bias=False, tol=1e-7, max_iter=1000)
    check_certificate(other, pairs, C * weight, 1e-7)
    assert result.objective == pytest.approx(other.objective, rel=1e-6)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_huge_costs(kernel: Kernel, bias: bool) -> None:
    pairs, weight = problem(kernel)
    result = inside(pairs, 1e7 * weight, bias=bias, tol=1e-3)
    assert result.converged
    check_certificate(result, pairs, 1e7 * weight, 1e-3)


def test_a_factor_that_leaves_something_out_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate is for the exact kernel, and decomposition finishes the rest."""
    pairs, weight = problem(Kernel("rbf", 4.0))
    expected = inside(pairs, 10 * weight, bias=True, tol=1e-6)
    monkeypatch.setattr(start, "kernel_factor", lambda gram, _: kernel_factor(gram, 0.5))
    result = inside(pairs, 10 * weight, bias=True, tol=1e-6)
    assert result.converged
    check_certificate(result, pairs, 10 * weight, 1e-6)
    assert result.objective == pytest.approx(expected.objective, rel=1e-5)


def test_the_interior_point_is_skipped_for_rank_zero_and_hard_margins() -> None:
    pairs, weight = problem(Kernel("linear"))
    flat = PairKernel(pairs.kernel, np.zeros((ITEMS, 3)), pairs.tail, pairs.head)
    result = inside(flat, weight, bias=False, tol=1e-3)
    assert result.objective == pytest.approx(weight[:DECISIVE].sum() + 2 * weight[DECISIVE:].sum())
    order = np.arange(N) % (ITEMS - 1)
    chain = PairKernel(Kernel("linear"), np.arange(ITEMS)[:, None] * 1.0, order, order + 1)
    hard = inside(chain, np.full(N, np.inf), bias=False, tol=1e-6, a=N)
    assert hard.solver == "pair decomposition"
    assert hard.objective == pytest.approx(0.5)


def test_points_put_on_their_bounds_are_feasible() -> None:
    pairs, weight = problem(Kernel("rbf", 0.5))
    variables = Variables(weight, DECISIVE)
    upper = variables.upper
    gaps = []
    for gap, x in interior_points(pairs, variables, True):
        gaps.append(gap)
        v = variables.label * on_bounds(x, variables, True)
        assert np.all((v >= 0) & (v <= upper))
        assert v[:DECISIVE].sum() == pytest.approx(v[DECISIVE:].sum(), abs=1e-10)
    assert gaps[-1] < 1e-9
    assert np.mean((v == 0) | (v == upper)) > 0.8
