"""Normal skills: their scale s and all other parameters φ at the maximum of the marginal likelihood.

The prior says that log-skills are N(m + X b, s² I); b belongs to φ. By Laplace's method, with r̂ the mode of
the skills given s and φ, a = r̂ - m - X b, and A = H + I / s² the second derivatives by the skills there,

    L(s, φ) = log-likelihood(r̂, φ) - ½ |a|² / s² - K log s - ½ log det A.

With V = A⁻¹ and the mixed derivatives B, the mode moves by -V B with φ, and by 2 V a / s² with log s. How the
information H changes along these is seen at two points nearby, so

    dL / dlog s = (|a|² + tr V) / s² - K - ½ tr(V dH),    dL / dφ = -(slope of the objective) - t,
    t = ½ tr(V dH).

The last step is a fit of skills and φ together, with the s found and with t·φ, the *tilt*, added to the
objective. It ends where L is largest, and certifies the solution.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.descent import LBFGS, Derivatives, descend
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

LARGEST = 200.0  # of s; L may have no maximum if the comparisons never contradict each other
# The smallest s is this share of the error of an item with an average number of games. The skills then differ
# so little that L is that of s = 0.
SMALLEST = 1e-3
WEAK = 2.0  # if s is below this share of the error of such an item, L may have another maximum at s = 0
WILD = 5.0  # if s is above this, the comparisons hardly contradict each other, and L may have several maxima
STEEP = 1e-4  # the climb ends if no parameter is further from the maximum than this share of its error
FARTHEST = 3.0  # of log s in a step of the climb
NEARBY = 1e-4  # how far the point moves for a numerical derivative, whose error is about the square
MODE = 1e-10  # the relative gradient at which a mode is found
STEP, VAGUE = 0.05, 1.0  # in log s: for its standard error, and the largest such error


@dataclass(frozen=True)
class NormalPrior:
    """Log-skills are normal with the given means + features·b, and all have the standard deviation ``scale``.

    The columns of ``features`` have mean 0, so log-skills have mean 0 too.
    """

    scale: float
    mean: Floats
    features: Floats
    scale_error: float = 0.0  # the standard error of log s; 0 if s counts as known
    tilt: Floats | float = 0.0  # by the parameters other than skills
    power: float = 0.0  # power · log s is added to the marginal likelihood; above 0, s cannot be 0

    @classmethod
    def of(cls, mean: Floats, features: Floats | None = None, power: float = 0.0) -> "NormalPrior":
        """A prior whose scale is still to be found."""
        return cls(1.0, mean, np.zeros((len(mean), 0)) if features is None else features, power=power)

    @property
    def hardly_known(self) -> bool:
        """Whether L hardly changes with a large s."""
        return self.scale > WILD and self.scale_error >= VAGUE

    def tilt_of(self, n: int) -> Floats:
        """The tilt by the last n parameters; without ties there is no tie parameter, which comes first."""
        tilt = np.broadcast_to(self.tilt, n) if np.ndim(self.tilt) == 0 else np.asarray(self.tilt)
        return tilt[len(tilt) - n :]

    def residual(self, theta: Floats, b: Floats) -> Floats:
        """How far each log-skill is from what the prior expects."""
        return np.asarray(theta - self.mean - self.features @ b)


class Posterior(NamedTuple):
    """Given s and φ, the skills are about normal around their mode, with the covariance V."""

    times: Callable[[Floats], Floats]  # V times a vector, or the columns of a matrix
    trace: float
    border: Floats  # the second derivatives by the skills and φ
    rest: Floats  # the information about φ; if V is drawn, as if the skills were known
    entries: Callable[[Floats], Floats]  # the numbers in H that depend on the point
    weight: Floats  # tr(V dH) = weight · d entries


class Model(NamedTuple):
    """What a family of models knows about its problems."""

    posterior: Callable[[Any, Floats], Posterior]
    log_determinant: Callable[[Any, Floats], float]  # of A


class MarginalFit(NamedTuple):
    """The problem with its prior, the solution, and L there."""

    problem: Any
    result: SolverResult
    marginal: float


Solve = Callable[[Any, Floats | None], SolverResult]  # for a scale and a tilt that are given


def fit_marginal(problem: Any, model: Model, solve: Solve) -> MarginalFit:
    """Maximise L over s and φ, from several starts if there may be several maxima."""
    smallest = smallest_scale(problem.games_per_item)

    def climb(start: float, least: float, most: float) -> MarginalFit:
        with one_blas_thread():
            return _climb(problem, model, solve, start, (float(np.log(least)), float(np.log(most))))

    best = climb(1.0, smallest, LARGEST)
    if best.problem.normal.scale < WEAK * smallest / SMALLEST:
        equal = climb(smallest, smallest, smallest)
        return equal if equal.marginal >= best.marginal - STEEP else best
    if best.problem.normal.scale > WILD:
        return max(best, climb(10 * WILD, smallest, LARGEST), key=lambda found: found.marginal)
    return best


def smallest_scale(games_per_item: float) -> float:
    """The s that stands for 0; a game says ¼ about an item at even odds."""
    return SMALLEST / float(np.sqrt(max(games_per_item / 4, 1e-6)))


def _climb(
    problem: Any, model: Model, solve: Solve, start: float, bounds: tuple[float, float]
) -> MarginalFit:
    """The maximum of L that is next to a start, in coordinates in which second derivatives are about 1."""
    problem = replace(problem, normal=replace(problem.normal, scale=start, tilt=0.0))
    slope = MarginalGradient(problem, model, solve(problem, None).solution, bounds)
    first, roots = slope.y, slope.roots()

    def derivatives_at(z: Floats) -> Derivatives:
        return Derivatives(roots.T @ slope(first + roots @ z), np.ones(len(z)))

    def longest(z: Floats, d: Floats) -> float:
        return slope.longest(roots @ d)

    zero, ones = np.zeros(len(first)), np.ones(len(first))
    found = descend(derivatives_at, LBFGS(), zero, ones, tol=STEEP, max_iter=100, longest=longest)
    best = first + roots @ found.x
    slope(best)
    x, tilt, normal = slope.x, slope.tilt, slope.problem.normal
    normal = replace(normal, tilt=tilt, scale_error=slope.error_of_log_scale(best))
    problem = replace(slope.problem, normal=normal)
    result = solve(problem, x)
    plain = replace(problem, normal=replace(normal, tilt=0.0))
    value = (normal.power - problem.n_items) * np.log(normal.scale) - plain.objective(result.solution)
    return MarginalFit(problem, result, float(value - model.log_determinant(problem, result.solution) / 2))


class MarginalGradient:
    """The gradient of -L by y = (log s, φ); the last mode is the start for the next."""

    def __init__(self, problem: Any, model: Model, x: Floats, bounds: tuple[float, float]) -> None:
        self.problem, self.model, self.x, self.bounds = problem, model, x, bounds
        self.posterior = model.posterior(problem, x)
        self.y = np.append(np.log(problem.normal.scale), x[problem.n_items :])
        self.tilt = np.zeros(len(self.y) - 1)
        self.found: Floats | None = None  # at y

    def __call__(self, y: Floats) -> Floats:
        if self.found is None or not np.array_equal(y, self.y):
            self.y, self.found = y, self._gradient(y)
        return self.found

    def _gradient(self, y: Floats) -> Floats:
        log_scale = float(np.clip(y[0], *self.bounds))
        k = self.problem.n_items
        normal = replace(self.problem.normal, scale=float(np.exp(log_scale)), tilt=0.0)
        self.problem = replace(self.problem, normal=normal)
        self.x = self._mode(y[1:])
        self.posterior = V = self.model.posterior(self.problem, self.x)
        away = self.problem.away(self.x)
        with_scale = np.append(2 * V.times(away) / normal.scale**2, np.zeros(len(y) - 1))
        with_phi = np.vstack([-V.times(V.border), np.eye(len(y) - 1)])
        changes = np.array([self._change(move) for move in (with_scale, *with_phi.T)]) / 2
        self.tilt = changes[1:]
        by_scale = k - normal.power - (float(away @ away) + V.trace) / normal.scale**2 + changes[0]
        by_phi = self.problem.derivatives(self.x).gradient[k:] + self.tilt
        return np.append(by_scale if log_scale == y[0] else 0.0, by_phi)

    def _mode(self, phi: Floats) -> Floats:
        """The mode of the skills given φ, by steps that start from the V of the last point."""
        k, problem = self.problem.n_items, self.problem

        def slope(theta: Floats) -> Derivatives:
            found = problem.derivatives(np.append(theta, phi))
            return Derivatives(found.gradient[:k], found.curvature[:k])

        rule, scale = LBFGS(inverse=self.posterior.times), problem.scale()[:k]
        return np.append(descend(slope, rule, self.x[:k], scale, tol=MODE, max_iter=200).x, phi)

    def _change(self, move: Floats) -> float:
        """tr(V dH) for a move of the point."""
        room = min(float(self.problem.longest(self.x, end)) for end in (move, -move))
        length = min(NEARBY / max(float(np.abs(move).max()), 1e-300), room / 2)
        entries = self.posterior.entries
        change = entries(self.x + length * move) - entries(self.x - length * move)
        return float(self.posterior.weight @ change) / (2 * length)

    def longest(self, d: Floats) -> float:
        """The longest step along d from y."""
        of_phi = np.append(np.zeros(self.problem.n_items), d[1:])
        return min(FARTHEST / max(abs(float(d[0])), 1e-300), float(self.problem.longest(self.x, of_phi)))

    def roots(self) -> Floats:
        """A square root of the inverse information about y, roughly."""
        from scipy.linalg import block_diag, solve_triangular

        k, scale = self.problem.n_items, self.problem.normal.scale
        about_scale = max(2 * k * (1 - self.posterior.trace / k / scale**2) ** 2, 0.1)
        lower = np.linalg.cholesky(self.posterior.rest)
        root = solve_triangular(lower, np.eye(len(lower)), lower=True).T
        return np.asarray(block_diag(about_scale**-0.5, root))

    def error_of_log_scale(self, best: Floats) -> float:
        """The standard error of log s, from the change of the slope of L; 0 if s is at one of its bounds.

        It is also 0 for a category that is shrunk towards a board: its errors contain those of the board.
        """
        lower, upper = (float(best[0]) + step for step in (-STEP, STEP))
        if self.problem.normal.power or not self.bounds[0] < lower < upper < self.bounds[1]:
            return 0.0
        before, after = (float(self(np.append(end, best[1:]))[0]) for end in (lower, upper))
        return float(1 / np.sqrt(max((after - before) / (upper - lower), VAGUE**-2)))
