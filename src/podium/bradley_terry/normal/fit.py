"""Normal skills r ~ N(m + X b, s² I): s and all effects at the maximum of the marginal likelihood.

With φ = (tie parameter, b, effects), the marginal log-likelihood by Laplace's method is

    L(s, φ) = log-likelihood(r̂, φ) - ½ |a|² / s² - K log s - ½ log det A,    A = H + I / s²,

where r̂ is the mode of the skills given s and φ, a = r̂ - m - X b, and H is the information about the skills
at r̂. The first two terms are what `fit_paired` maximises over r and φ. The log-determinant depends on φ too,
so at the maximum of L their slope by φ is the *tilt* t = ½ d log det A / dφ (see `slopes`).

First, a search finds s roughly, with t = 0. Then BFGS maximises L over log s and φ together. Last, the
problem is solved with the s and t found, which certifies the solution. For many items BFGS would take too
long; the solver, the search and the tilt then take turns. The tilt is small if there are many comparisons per
item, so few rounds are enough. With teams the tilt counts as 0, and s is where the EM algorithm stands still.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.normal.log_determinant import log_determinant
from podium.bradley_terry.normal.search import Search
from podium.bradley_terry.normal.slopes import EXACT_ITEMS, slopes_of
from podium.comparisons.arrays import Floats
from podium.core.smooth import Leading, minimise
from podium.numerics.result import SolverResult

LARGEST = 200.0  # of s; L may have no maximum if the comparisons never contradict each other
# The smallest s is this share of the error of an item with an average number of games. The skills then differ
# so little that L is that of s = 0.
SMALLEST = 1e-3
# If s is below this share of the error of such an item, L may have another maximum at s = 0.
WEAK = 2.0
WILD = 5.0  # if s is above this, the comparisons hardly contradict each other, and L may have several maxima
# The search for s ends after this many rounds, or if log s changes by less than CLOSE (ROUGH, if `_polish`
# comes after it) and the tilt by less than the share STEADY of the scale of the gradient.
ROUNDS, CLOSE, ROUGH, STEADY = 30, 1e-5, 0.05, 1e-7
FLAT = 1e-5  # information about the effect of a feature per comparison; it is about ¼ at even odds
STEP = 0.05  # in log s, of numerical derivatives
MODE_TOL = 1e-11  # the relative gradient at which a mode is found
STEEP = 1e-6  # the polish ends if no parameter is further from the maximum than this share of its error

Solve = Callable[[PairedProblem, Floats | None], SolverResult]


class NormalFit(NamedTuple):
    """The problem with its prior, the solution, and L there."""

    problem: PairedProblem
    result: SolverResult
    marginal: float


def fit_normal(problem: PairedProblem, solve: Solve) -> NormalFit:
    """Maximise L over s and φ; ``solve`` fits a problem whose scale and tilt are given."""
    smallest = _smallest_scale(problem)
    best = _fit_from(problem, solve, Search(1.0, smallest**2, LARGEST**2))
    assert best.problem.normal is not None
    others = []
    if smallest < best.problem.normal.scale < WEAK * smallest / SMALLEST:
        others = [_fit_from(problem, solve, Search(smallest**2, smallest**2, smallest**2))]
    elif best.problem.normal.scale > WILD:
        starts = [Search(s**2, smallest**2, LARGEST**2) for s in (1.0, 10 * WILD)]
        others = [_fit_from(problem, solve, search, rounds=1) for search in starts]
    return max(best, *others, key=lambda found: found.marginal) if others else best


def is_smallest(problem: PairedProblem) -> bool:
    """Whether s is estimated as 0: the items are equal, given their features."""
    return problem.normal is not None and problem.normal.scale <= 1.01 * _smallest_scale(problem)


def open_features(problem: PairedProblem, x: Floats) -> NDArray[np.bool_]:
    """Which features have an effect without a finite estimate, because they separate the outcomes.

    The skills are then those that the features explain (s = 0), and there is almost no information left.
    """
    n, at = problem.n_features, int(problem.free_tie)
    if not n or not is_smallest(problem) or problem.n_items > EXACT_ITEMS:
        return np.zeros(n, np.bool_)
    about = np.diag(slopes_of(problem, x).rest)[at : at + n]
    return np.asarray(about < FLAT * problem.counts.n_games)


def _smallest_scale(problem: PairedProblem) -> float:
    information = problem.counts.n_games / 2 / problem.n_items  # a quarter for every game of an item
    return SMALLEST / float(np.sqrt(max(information, 1e-6)))


def _fit_from(problem: PairedProblem, solve: Solve, search: Search, rounds: int = ROUNDS) -> NormalFit:
    """Find s first, then the maximum over s and φ together; for many items and for teams, in turns."""
    if problem.teams is not None or problem.n_items > EXACT_ITEMS:
        problem, result = _in_turns(problem, solve, search, CLOSE, rounds)
        return NormalFit(problem, result, _marginal(problem, result.solution))
    problem, result = _in_turns(problem, solve, search, ROUGH, rounds)
    problem, x = _polish(problem, result.solution, search)
    result = solve(problem, x)
    return NormalFit(problem, result, _marginal(problem, result.solution))


def _in_turns(
    problem: PairedProblem, solve: Solve, search: Search, close: float, rounds: int
) -> tuple[PairedProblem, SolverResult]:
    """Solve, and improve s and the tilt, in turns; a rough search needs no tilt."""
    assert problem.normal is not None
    normal, limit, x = problem.normal, STEADY * problem.scale()[problem.n_items :], None
    tilt = np.zeros(len(limit))
    for _ in range(rounds):
        problem = replace(problem, normal=replace(normal, scale=float(np.sqrt(search.v)), tilt=tilt))
        result = solve(problem, x)
        x, before, v = result.solution, tilt, search.v
        slopes = slopes_of(problem, x)
        tilt = tilt if close == ROUGH else slopes.tilt
        search.move(slopes.spread, slopes.expected)
        if abs(np.log(search.v / v)) < close and (np.abs(tilt - before) <= limit).all():
            break
    return problem, result


def _polish(problem: PairedProblem, x: Floats, search: Search) -> tuple[PairedProblem, Floats]:
    """Maximise L over y = (log s, φ) by BFGS, in coordinates in which its second derivatives are about 1."""
    from scipy.optimize import minimize

    ascent = _Ascent(problem, x, np.log([search.lowest, search.highest]) / 2)
    start, roots = ascent.y, ascent.roots()

    def loss(z: Floats) -> tuple[float, Floats]:
        value, slope = ascent(start + roots @ z)
        return -value, -roots.T @ slope

    found = minimize(loss, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": STEEP})
    best = start + roots @ found.x
    scale_error = _error_of_log_scale(ascent, best)
    ascent(best)
    assert ascent.problem.normal is not None
    normal = replace(ascent.problem.normal, tilt=ascent.slopes.tilt, scale_error=scale_error)
    return replace(ascent.problem, normal=normal), ascent.x


def _error_of_log_scale(ascent: "_Ascent", best: Floats) -> float:
    """The standard error of log s, from the change of the slope of L; 0 if s is at one of its bounds.

    It is also 0 for a category that is drawn towards a board: its errors contain those of the board.
    """
    assert ascent.problem.normal is not None
    lower, upper = (best[0] + step for step in (-STEP, STEP))
    inside = ascent.bounds[0] < lower < upper < ascent.bounds[1]
    if ascent.problem.normal.power or not inside:
        return 0.0
    before, after = (float(ascent(np.append(end, best[1:]))[1][0]) for end in (lower, upper))
    information = (before - after) / (upper - lower)
    return float(1 / np.sqrt(max(information, 1.0)))


class _Ascent:
    """L and its gradient by y = (log s, φ); the last mode is the start for the next.

    Rao and Kupper's log κ > 0 is replaced by log(κ - 1).
    """

    def __init__(self, problem: PairedProblem, x: Floats, bounds: Floats) -> None:
        assert problem.normal is not None
        self.problem, self.x, self.bounds = problem, x, bounds
        self.slopes = slopes_of(problem, x)
        self.y = np.concatenate([[np.log(problem.normal.scale)], x[problem.n_items :]])
        if problem.rao_kupper:
            self.y[1] = np.log(np.expm1(self.y[1]))

    def roots(self) -> Floats:
        """A square root of the inverse information about y at the start, roughly."""
        from scipy.linalg import block_diag, solve_triangular

        slopes, normal, k = self.slopes, self.problem.normal, self.problem.n_items
        assert normal is not None
        about_scale = max(2 * k * (1 - slopes.spread / normal.scale**2) ** 2, 0.1)
        chain = np.diag(self._chain(self.x[k:]))
        lower = np.linalg.cholesky(chain @ slopes.rest @ chain)
        root = solve_triangular(lower, np.eye(len(lower)), lower=True).T
        return np.asarray(block_diag(about_scale**-0.5, root))

    def __call__(self, y: Floats) -> tuple[float, Floats]:
        k, log_scale = self.problem.n_items, np.clip(y[0], *self.bounds)
        phi = y[1:].copy()
        if self.problem.rao_kupper:
            phi[0] = np.logaddexp(0, phi[0])
        assert self.problem.normal is not None
        normal = replace(self.problem.normal, scale=float(np.exp(log_scale)), tilt=0.0)
        self.problem = replace(self.problem, normal=normal)
        self.x = mode(self.problem, np.concatenate([self.x[:k], phi]), self.slopes.times)
        self.slopes = slopes = slopes_of(self.problem, self.x)
        slope = -self.problem.slope(self.x).gradient[k:] - slopes.tilt
        by_scale = k * (slopes.expected / normal.scale**2 - 1) * (log_scale == y[0])
        value = _marginal(self.problem, self.x, slopes.log_det)
        return value, np.concatenate([[by_scale], self._chain(phi) * slope])

    def _chain(self, phi: Floats) -> Floats:
        """dφ / dy."""
        chain = np.ones(len(phi))
        if self.problem.rao_kupper:
            chain[0] = -np.expm1(-phi[0])
        return chain


def _marginal(problem: PairedProblem, x: Floats, log_det: float | None = None) -> float:
    """L, given the mode and maybe log det A."""
    assert problem.normal is not None
    plain = replace(problem, normal=replace(problem.normal, tilt=0.0))
    log_det = log_determinant(problem, x) if log_det is None else log_det
    weight = problem.normal.power - problem.n_items
    return float(-plain.objective(x) + weight * np.log(problem.normal.scale) - log_det / 2)


class Nearby(NamedTuple):
    """The second derivatives of a point nearby, which are inverted already."""

    solve: Callable[[Floats], Floats]


def mode(problem: PairedProblem, x: Floats, times: Callable[[Floats], Floats]) -> Floats:
    """The mode of the skills, the other parameters fixed; ``times`` multiplies by V of a point nearby."""
    skills = Leading(problem, problem.n_items, x)
    return skills.whole(minimise(skills, lambda *_: Nearby(times), MODE_TOL, 200, patience=0).solution)
