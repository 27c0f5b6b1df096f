"""Normal skills, θ ~ N(0, s² I), with s and the tie parameters at the maximum of the marginal likelihood.

By Laplace's method, with θ at its mode given s and δ, and H the information about θ there,

    L(s, δ) = log-likelihood - ½ |θ|² / s² - K log s - ½ log det(H + I / s²).

The last term depends on δ as well, so δ is not quite where the likelihood is largest.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.core.linear import Curvature, Elimination
from podium.core.smooth import Leading, minimise
from podium.numerics.result import SolverResult
from podium.rankings.fit import DENSE_ITEMS, fit_rankings
from podium.rankings.likelihood import RankingProblem

SMALLEST, LARGEST = 1e-3, 200.0  # bounds of s; the smallest stands for 0
GRID = 9  # values of s to try first
MODE_TOL = 1e-11  # the relative gradient at which a mode is found


def fit_normal(
    problem: RankingProblem, tol: float, max_iter: int
) -> tuple[RankingProblem, SolverResult, float]:
    """Maximise L; the solution has the s and δ found. L is returned too."""
    from scipy.optimize import minimize, minimize_scalar

    if problem.n_items > DENSE_ITEMS:
        raise ValueError(
            f"prior='normal' takes at most {DENSE_ITEMS:,} items, and there are {problem.n_items:,}; use "
            "prior='auto' or a number"
        )
    marginal, ties = _Marginal(problem), problem.start()[problem.n_items :]
    grid = np.linspace(np.log(SMALLEST), np.log(LARGEST), GRID)  # since L may have several maxima
    best = int(np.argmax([marginal(np.append(log_scale, ties)) for log_scale in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, GRID - 1)]

    def loss(y: Any) -> float:
        return -marginal(np.atleast_1d(y))

    if not problem.n_ties:
        y = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-7}).x
    else:
        bounds = [(grid[0], grid[-1]), *[(None, None)] * problem.n_ties]
        start = np.append(grid[best], ties)
        y = minimize(loss, start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14}).x
    value = -loss(y)
    return marginal.problem, marginal.certified(tol, max_iter), value


class _Marginal:
    """L at y = (log s, log δ); the last mode is the start for the next."""

    def __init__(self, problem: RankingProblem) -> None:
        self.problem, self.x = problem, problem.start()

    def __call__(self, y: Floats) -> float:
        k, scale = self.problem.n_items, float(np.exp(y[0]))
        self.problem = replace(self.problem, normal_scale=scale)
        self.x = np.concatenate([self._mode(y[1:]), y[1:]])
        matrix = self.problem.information(self.x)[:k, :k]
        log_det = 2 * np.log(np.diagonal(np.linalg.cholesky(matrix))).sum()
        return float(-self.problem.objective(self.x) - k * y[0] - log_det / 2)

    def _mode(self, ties: Floats) -> Floats:
        """The mode of the skills, the tie parameters fixed."""
        k, problem = self.problem.n_items, self.problem
        skills = Leading(problem, k, np.append(self.x[:k], ties))

        def curvature(theta: Floats, extra: Floats, _: float) -> Curvature:
            matrix = problem.information(skills.whole(theta))[:k, :k] + np.diag(extra)
            return Elimination.dense(k).factorize(matrix)

        return minimise(skills, curvature, MODE_TOL, 200, patience=0).solution

    def certified(self, tol: float, max_iter: int) -> SolverResult:
        """The report of a solver that starts at the solution; δ stays where L is largest."""
        k = self.problem.n_items
        if not self.problem.n_ties:
            return fit_rankings(self.problem, tol, max_iter, self.x)
        gradient = self.problem.slope(self.x).gradient[:k] / self.problem.scale()[:k]
        norm = float(np.abs(gradient).max())
        return SolverResult(
            solution=self.problem.centred(self.x),
            objective_of=self.problem.objective,
            gradient_norm=norm,
            iterations=1,
            converged=norm <= max(tol, MODE_TOL),
            solver="newton",
        )
