"""Coordinate descent reaches the optimum of the interior point method, with a certificate that is true."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from podium import Comparisons, LinearCompare
from podium.comparers.primal.coordinates import coordinate_descent
from podium.comparers.primal.fit import fit_linear_pairs
from podium.comparers.primal.interior import FlippedRows
from podium.comparers.primal.problem import LinearPairs
from podium.numerics.result import Bounds, NotConverged, SolverResult


def sparse_pairs(ties: float = 0.3, n: int = 60, p: int = 40, seed: int = 0) -> LinearPairs:
    """Pairs of new and of repeated items, one of an item with itself, with random costs."""
    rng = np.random.default_rng(seed)
    X = csr_array(random_array((n, p), density=0.15, rng=rng, data_sampler=rng.normal))
    lower, upper = rng.integers(0, n, (2, n)).astype(np.int32)
    lower[0] = upper[0]
    return LinearPairs(X, lower, upper, rng.uniform(size=n) < ties, rng.uniform(0.1, 3.0, n))


def descended(p: LinearPairs, fixed: bool, tol: float = 1e-6, max_iter: int = 1000) -> SolverResult:
    bounds = Bounds(tol, max_iter)
    coordinate_descent(FlippedRows(p, fixed), bounds, np.random.RandomState(0))
    return bounds.result("coordinate descent")


def objective(p: LinearPairs, solution: np.ndarray) -> float:
    """Row by row, from dense differences."""
    d = (p.X.toarray()[p.upper] - p.X.toarray()[p.lower]) @ solution[:-1]
    beta, value = solution[-1], 0.5 * solution[:-1] @ solution[:-1]
    for score, tie, cost in zip(d, p.tie, p.cost, strict=True):
        margins = (-beta - score, -beta + score) if tie else (beta + score,)
        value += cost * sum(max(0.0, 1.0 - m) for m in margins)
    return float(value)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("ties", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("scale", [0.03, 1.0, 30.0])
def test_the_optimum_is_that_of_the_interior_point_method(ties: float, fixed: bool, scale: float) -> None:
    p = sparse_pairs(ties)
    p = replace(p, X=scale * p.X)
    best = fit_linear_pairs(p, "hinge", 1e-9, fixed_bias=fixed)
    assert best.solver == "interior point"
    found = descended(p, fixed)
    assert found.details["primal"] == pytest.approx(objective(p, found.solution), rel=1e-9)
    assert found.details["primal"] >= best.details["dual"] * (1 - 1e-9)
    assert found.details["dual"] <= best.details["primal"] * (1 + 1e-9)
    assert not fixed or found.solution[-1] == 0.0
    if scale < 30.0:  # almost a hard margin: 10,000 passes may not be enough, but the certificate stays true
        assert found.converged
        assert found.objective == pytest.approx(best.objective, rel=2e-6)


def test_without_ties_it_is_svm_rank() -> None:
    p = sparse_pairs(0.0)
    best = fit_linear_pairs(p, "hinge", 1e-9, fixed_bias=True)
    assert descended(p, fixed=True).objective == pytest.approx(best.objective, rel=2e-6)


def test_pairs_without_features_have_a_certificate() -> None:
    p = sparse_pairs()
    nothing = replace(p, X=0.0 * p.X)
    for fixed in (False, True):
        assert descended(nothing, fixed).converged


def many_sparse_features(n: int = 300, p: int = 6_000) -> Comparisons:
    rng = np.random.default_rng(0)
    X = csr_array(random_array((2 * n, p), density=10 / p, rng=rng))
    d = (X[n:] - X[:n]) @ rng.normal(size=p) + 0.3 * rng.normal(size=n)
    outcome = np.where(np.abs(d) < 0.5, 0, np.sign(d)).astype(np.int8)
    return Comparisons.from_codes(np.arange(2 * n), np.arange(n), np.arange(n, 2 * n), outcome).with_features(
        X
    )


def test_many_sparse_features_use_it() -> None:
    model = LinearCompare(C=10.0, random_state=0).fit(many_sparse_features())
    assert model.result_.solver == "coordinate descent"
    assert model.result_.converged
    assert len(model.result_.history) == model.result_.iterations + 1


def test_it_respects_max_iter() -> None:
    with pytest.warns(NotConverged, match="'coordinate descent' stopped after 1 iterations"):
        model = LinearCompare(C=10.0, tol=1e-9, max_iter=1).fit(many_sparse_features())
    assert model.n_iter_ == 1


def test_numbers_that_are_too_large_are_one_sentence() -> None:
    c = many_sparse_features()
    with pytest.raises(ValueError, match="too large"):
        LinearCompare().fit(c.with_features(1e160 * c.features))
