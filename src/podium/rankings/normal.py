"""Normal skills, θ ~ N(0, s² I), with s and the tie parameters at the maximum of the marginal likelihood.

By Laplace's method, with θ at its mode given s and δ, and H the information about θ there,

    L(s, δ) = log-likelihood - ½ |θ|² / s² - K log s - ½ log det(H + I / s²).

The last term depends on δ as well, so δ is not quite where the likelihood is largest.
"""

from dataclasses import replace

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.descent import Slope, descend
from podium.numerics.result import SolverResult
from podium.rankings.fit import DENSE_ITEMS, Newton, fit_rankings
from podium.rankings.likelihood import RankingProblem

SMALLEST, LARGEST = 1e-3, 200.0  # bounds of s
MODE_TOL = 1e-11  # the relative gradient at which a mode is found


def fit_normal(problem: RankingProblem, tol: float, max_iter: int) -> tuple[RankingProblem, SolverResult]:
    """Maximise L; the solution has the s and δ found."""
    from scipy.optimize import minimize, minimize_scalar

    if problem.n_items > DENSE_ITEMS:
        raise ValueError(
            f"prior='normal' takes at most {DENSE_ITEMS:,} items, and there are {problem.n_items:,}; use "
            "prior='auto' or a number"
        )
    marginal, ends = _Marginal(problem), np.log([SMALLEST, LARGEST])
    if not problem.n_ties:
        found = minimize_scalar(
            lambda y: -marginal(np.array([y])), bounds=ends, method="bounded", options={"xatol": 1e-7}
        )
        y = np.array([found.x])
    else:
        start = np.append(0.0, problem.start()[problem.n_items :])
        bounds = [tuple(ends), *[(None, None)] * problem.n_ties]
        y = minimize(
            lambda y: -marginal(y), start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14}
        ).x
    marginal(y)
    result = marginal.certified(tol, max_iter)
    return marginal.problem, result


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

        def slope(theta: Floats) -> Slope:
            found = problem.slope(np.concatenate([theta, ties]))
            return Slope(found.gradient[:k], found.curvature[:k])

        rule = _OfSkills(problem, ties)
        return descend(slope, rule, self.x[:k], problem.scale()[:k], tol=MODE_TOL, max_iter=200).x

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


class _OfSkills(Newton):
    """Newton's direction of the skills alone."""

    def __init__(self, problem: RankingProblem, ties: Floats) -> None:
        super().__init__(problem)
        self.ties = ties

    def __call__(self, x: Floats, slope: Slope) -> Floats:
        from scipy.linalg import cho_factor, cho_solve

        k = self.problem.n_items
        matrix = self.problem.information(np.concatenate([x, self.ties]))[:k, :k]
        return np.asarray(-cho_solve(cho_factor(matrix, lower=True), slope.gradient))
