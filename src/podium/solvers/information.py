"""Second derivatives of the paired likelihood: the Newton step, and the covariance of the estimate.

The likelihood does not change when all skills of a rank group grow by one factor, so its second derivatives H
are singular there. Adding γ v vᵀ with v not orthogonal to 1 mends that and nothing else: for a right-hand
side orthogonal to 1, (H + γ v vᵀ) x = g has a solution of H x = g. Without a prior v is one item of the
group; with a prior μ, γ = μ k and v = the shares of skill turn its part μ k (diag v - v vᵀ) into a diagonal.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.solvers.descent import Slope
from podium.solvers.paired import PairedProblem

Floats = NDArray[np.float64]

DENSE_ITEMS = 1_500
DENSE_SHARE = 0.05


class Information(NamedTuple):
    """The second derivatives: of the skills (sparse), of the other parameters, and between them."""

    skills: Any
    border: Floats
    corner: Floats


def information(problem: PairedProblem, x: Floats, weights: Floats | None = None) -> Information:
    """Second derivatives at x; ``weights`` puts other numbers in the place of each pair's curvature.

    With teams it is the expected information (Gauss–Newton), which is never indefinite.
    """
    counts, k = problem.counts, problem.n_items
    terms = np.zeros((len(counts.partner), 2))
    slope = problem.slope(x, terms)
    bend, cross = (terms[:, 0], terms[:, 1]) if weights is None else (weights, np.zeros(len(weights)))
    laplacian = _laplacian(counts.first, counts.partner, bend, counts.n_sides)
    columns = [cross] * problem.free_tie + [-bend] * problem.free_order
    border = np.zeros((counts.n_sides, len(columns)))
    for column, values in zip(border.T, columns, strict=True):
        column += np.bincount(counts.partner, values, counts.n_sides)
        column -= np.bincount(counts.first, values, counts.n_sides)
    corner = np.diag(slope.curvature[k:])
    if problem.free_order:
        corner[-1, -1] = bend.sum()
    if problem.free_tie and problem.free_order:
        corner[0, 1] = corner[1, 0] = -cross.sum()
    if problem.teams is not None:
        laplacian, border = _of_members(problem, x, laplacian, border)
    return Information(laplacian, border, corner)


def regular(problem: PairedProblem, x: Floats, skills: Any) -> Any:
    """The part of the skills without its null space, as the head of this file explains."""
    from scipy.sparse import diags_array

    theta = x[: problem.n_items]
    share, size = problem.shares(np.exp(theta - theta.max()))
    extra = problem.prior * size * share
    _, reference = np.unique(problem.rank_group, return_index=True)
    loose = reference[problem.prior[reference] == 0]
    extra[loose] += np.maximum(skills.diagonal()[loose], 1e-12)
    return skills + diags_array(extra)


class Newton:
    """Newton's direction, by a dense or a sparse factorization, whichever fits the pairs that met."""

    def __init__(self, problem: PairedProblem) -> None:
        self.problem = problem

    def __call__(self, x: Floats, slope: Slope) -> Floats:
        skills, border, corner = information(self.problem, x)
        solve = factorize(regular(self.problem, x, skills))
        return -solve_bordered(solve, border, corner, slope.gradient)

    def learn(self, step: Floats, change: Floats) -> None:
        pass


def factorize(matrix: Any) -> Any:
    """A function that solves with a symmetric positive definite sparse matrix."""
    k = matrix.shape[0]
    if k <= DENSE_ITEMS or matrix.nnz > DENSE_SHARE * k * k:
        from scipy.linalg import cho_factor, cho_solve

        factor = cho_factor(matrix.toarray(), overwrite_a=True, check_finite=False)
        return lambda b: cho_solve(factor, b, check_finite=False)
    from scipy.sparse.linalg import splu

    options = {"SymmetricMode": True, "DiagPivotThresh": 0.0}
    return splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", options=options).solve


def solve_bordered(solve: Any, border: Floats, corner: Floats, right: Floats) -> Floats:
    """Solve [[A, B], [Bᵀ, D]] y = right, when A y = b can be solved."""
    k = len(border)
    top = solve(right[:k])
    if not border.shape[1]:
        return np.asarray(top)
    inner = solve(border)
    bottom = np.linalg.solve(corner - border.T @ inner, right[k:] - border.T @ top)
    return np.concatenate([top - inner @ bottom, bottom])


def _laplacian(first: Any, partner: Any, weights: Floats, n: int) -> Any:
    from scipy.sparse import coo_array, diags_array

    off = coo_array((-weights, (first, partner)), shape=(n, n)).tocsr()
    diagonal = np.bincount(first, weights, n) + np.bincount(partner, weights, n)
    return (off + off.T + diags_array(diagonal)).tocsr()


def _of_members(problem: PairedProblem, x: Floats, laplacian: Any, border: Floats) -> tuple[Any, Floats]:
    """From the strengths of teams to the skills of their members: J = diag(1/q) M diag(p)."""
    from scipy.sparse import diags_array

    theta = x[: problem.n_items]
    p = np.exp(theta - theta.mean())
    jacobian = diags_array(1 / (problem.teams @ p)) @ problem.teams @ diags_array(p)
    return (jacobian.T @ laplacian @ jacobian).tocsr(), jacobian.T @ border
