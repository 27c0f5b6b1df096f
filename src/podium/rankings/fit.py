"""Fit the likelihood of rankings: choose a method, run it and certify the result."""

import numpy as np

from podium.comparisons.arrays import Codes, Floats
from podium.numerics.descent import LBFGS, Descent, Slope, descend
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread
from podium.rankings.likelihood import RankingProblem

# Newton's method factorizes a dense matrix. Up to NEWTON_ITEMS it is used at once, with ties only up to
# TIED_ENTRIES, since second derivatives then take much longer than a pass. Otherwise L-BFGS usually needs a
# dozen passes; if PATIENCE passes are not enough, Newton's method takes over. Above DENSE_ITEMS its steps
# come from conjugate gradients, to a relative residual of STEP_TOL.
NEWTON_ITEMS, TIED_ENTRIES, DENSE_ITEMS, PATIENCE = 300, 50_000, 3_000, 150
STEP_TOL, MOST_STEPS = 1e-4, 10_000
LONGEST_STEP = 10.0  # of a log-skill in one step of Newton's method


def fit_rankings(
    problem: RankingProblem, tol: float, max_iter: int, start: Floats | None = None
) -> SolverResult:
    """Minimise ``problem.objective``; the certificate is the gradient relative to ``problem.scale()``."""
    with one_blas_thread(problem.n_items <= NEWTON_ITEMS):
        found, name = _run(problem, problem.start() if start is None else start, tol, max_iter)
    return SolverResult(
        solution=problem.centred(found.x),
        objective_of=problem.objective,
        gradient_norm=found.history[-1],
        iterations=len(found.history) - 1,
        converged=found.converged,
        solver=name,
        history=tuple(found.history),
        stalled=not found.converged and len(found.history) <= max_iter,
    )


def _run(problem: RankingProblem, x: Floats, tol: float, max_iter: int) -> tuple[Descent, str]:
    def run(rule: "LBFGS | Newton", x: Floats, most: int) -> Descent:
        return descend(problem.slope, rule, x, problem.scale(), tol=tol, max_iter=most)

    quick = not problem.n_ties or len(problem.ballots.entries) <= TIED_ENTRIES
    if problem.n_items <= NEWTON_ITEMS and quick:
        return run(Newton(problem), x, max_iter), "newton"
    found = run(LBFGS(), x, min(PATIENCE, max_iter))
    left = max_iter - len(found.history) + 1
    if found.converged or left <= 0:
        return found, "lbfgs"
    rest = run(Newton(problem), found.x, left)
    return Descent(rest.x, [*found.history, *rest.history[1:]], rest.converged), "lbfgs, then newton"


class Newton:
    """Newton's direction, by a dense factorization, or by conjugate gradients if there are many items."""

    def __init__(self, problem: RankingProblem) -> None:
        self.problem = problem

    def __call__(self, x: Floats, slope: Slope) -> Floats:
        from scipy.linalg import cho_factor, cho_solve

        if self.problem.n_items > DENSE_ITEMS:
            return solve(self.problem, x, -slope.gradient[:, None], STEP_TOL)[:, 0]
        matrix = regular(self.problem.information(x), self.problem.group)
        try:
            step = -cho_solve(cho_factor(matrix, lower=True, overwrite_a=True), slope.gradient)
        except np.linalg.LinAlgError:  # singular by rounding
            return -slope.gradient / self.problem.scale()
        longest = np.abs(self.problem.centred(step)).max(initial=LONGEST_STEP)
        return np.asarray(step * (LONGEST_STEP / longest))

    def learn(self, step: Floats, change: Floats) -> None:
        pass


def regular(matrix: Floats, group: Codes) -> Floats:
    """Add γ v vᵀ for the indicator v of every group, in place: shifts of a group change nothing else."""
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        gamma = max(float(matrix[members, members].mean()), 1e-12)
        matrix[np.ix_(members, members)] += gamma / len(members)
    return matrix


def solve(problem: RankingProblem, x: Floats, right: Floats, tol: float) -> Floats:
    """Solve A y = right for every column by preconditioned conjugate gradients."""
    inverse = 1 / problem.slope(x).curvature[:, None]
    y, residual = np.zeros_like(right), right.copy()
    z = inverse * residual
    direction, energy = z, (residual * z).sum(axis=0)
    enough = tol**2 * energy
    for _ in range(MOST_STEPS):
        if (energy <= enough).all():
            break
        image = problem.times(x, direction)
        step = energy / np.maximum((direction * image).sum(axis=0), 1e-300)
        y += step * direction
        residual -= step * image
        z = inverse * residual
        energy, before = (residual * z).sum(axis=0), energy
        direction = z + energy / np.maximum(before, 1e-300) * direction
    return np.asarray(y)
