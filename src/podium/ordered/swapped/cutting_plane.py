"""The ranking machine on all pairs by cutting planes: Algorithms 1 and 2 of [SwappedPairs].

Eq. (9) has a constraint for every labelling ȳ' of the pairs with ±1,

    w·[Ψ(ȳ) - Ψ(ȳ')] ≥ Δ(ȳ') - ξ,   Ψ(ȳ') = Σ (c'_i - d'_i) x_i  (19),   Δ(ȳ') = ½ Σ (c_i - c'_i)  (16),

where Ψ and Δ are multiplied by 100/N. Algorithm 2 finds the most violated constraint: y'_ij is -1 if
2 w·(x_i - x_j) ≤ 1 (21). The c'_i and d'_i (13), sums of the y' of the pairs in which i should be above and
below, are those of ȳ less twice the weight of the pairs that are violated, which is all that a plane needs.
Algorithm 1 collects such constraints, and solves the problem with those it has by its dual:

    max_{λ ≥ 0, Σ λ ≤ C}  Σ b_t λ_t - ½ ‖Σ λ_t a_t‖²,   a_t = (100/N) [Ψ(ȳ) - Ψ(ȳ_t)],  b_t = (100/N) Δ(ȳ_t).

Its value is a lower bound of the optimum, and the objective of (9) at w = Σ λ_t a_t is an upper bound. The
gap is the C (ξ' - ξ) of Algorithm 1. The dual is solved by moving λ between two planes at a time. That is
very slow if the planes are nearly parallel, as with features of very different scales. Then the dual is
solved by an interior point method (`maximise_on_simplex`); without it, such problems did not converge.
"""

from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.interior import BACK, longest
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.threads import one_blas_thread
from podium.ordered.swapped.problem import MARGIN, SwappedPairs

MOST_MOVES = 200  # moves of λ per plane between two passes over the items
PATIENCE = 5  # times in a row that these moves may be too few before the interior point method takes over
SHARPER = 0.1  # the dual over the planes is solved to a tenth of the remaining gap; more precision is wasted
MOST_STEPS = 80  # of interior points; a limit for the case that rounding errors keep the gap open


@one_blas_thread()  # the dual over the planes is small, whatever the data
def fit_cutting_plane(problem: SwappedPairs, tol: float = 1e-3, max_iter: int = 1_000) -> SolverResult:
    """Solve by Algorithm 1 to a relative duality gap ``tol``; each iteration adds one plane."""
    items, C = problem.items, problem.C
    percent = 100.0 / items.n_pairs
    planes = Planes(problem.X.shape[1], C)
    w, bound, bounds = np.zeros(problem.X.shape[1]), 0.0, Bounds(tol, max_iter)
    while True:
        worst = items.violations(problem.scores(w), MARGIN)  # Algorithm 2, in O(n log n)
        plane = percent * problem.transpose_times(items.weight * (worst.below - worst.above))
        offset = percent * float(items.weight @ worst.below)
        value = 0.5 * float(w @ w) + C * max(offset - float(plane @ w), 0.0)
        bounds.add(value, bound, w)
        if bounds.done:
            return bounds.result("cutting plane", planes=planes.count)
        planes.add(plane, offset)
        w, bound = planes.solve(SHARPER * max(bounds.primal - bounds.dual, tol * bounds.primal))


class Planes:
    """The constraints so far, and the dual over them. Plane 0 is the constraint ξ ≥ 0; its λ is C - Σ λ_t."""

    def __init__(self, n_features: int, C: float) -> None:
        self.a, self.b = np.zeros((8, n_features)), np.zeros(8)
        self.products, self.share = np.zeros((8, 8)), np.zeros(8)
        self.share[0] = C
        self.count = 1
        self.failures = 0  # how many times in a row the moves of λ were too few

    def add(self, plane: Floats, offset: float) -> None:
        t = self.count
        if t == len(self.b):
            self.a, self.b = np.vstack([self.a, np.zeros_like(self.a)]), np.append(self.b, np.zeros(t))
            self.products, self.share = np.pad(self.products, (0, t)), np.append(self.share, np.zeros(t))
        self.a[t], self.b[t] = plane, offset
        self.products[t, : t + 1] = self.products[: t + 1, t] = self.a[: t + 1] @ plane
        self.count += 1

    def solve(self, gap: float) -> tuple[Floats, float]:
        """Solve the dual to within ``gap`` of its optimum; return w and the value of the dual."""
        k = self.count
        share, b, G = self.share[:k], self.b[:k], self.products[:k, :k]
        G = np.ascontiguousarray(G)
        if self.failures < PATIENCE:
            self.failures = 0 if _move_shares(G, b, share, gap) else self.failures + 1
        if self.failures >= PATIENCE:
            share[:] = maximise_on_simplex(G, b, share, gap)
        w = share @ self.a[:k]
        return w, float(b @ share) - 0.5 * float(w @ w)


@njit(cache=True, nogil=True)
def _move_shares(G, b, share, gap):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Move λ to the plane with the largest slope, from the plane for which the dual then rises most.

    Return whether the gap was reached.
    """
    total = share.sum()
    gain = b - G @ share
    for _ in range(MOST_MOVES * share.shape[0]):
        up = np.argmax(gain)
        if total * gain[up] - share @ gain <= gap:
            return True
        down, best = -1, 0.0
        for t in range(share.shape[0]):
            if share[t] > 0.0 and gain[t] < gain[up]:
                curvature = max(G[up, up] + G[t, t] - 2.0 * G[up, t], 1e-300)
                size = min((gain[up] - gain[t]) / curvature, share[t])
                won = size * (gain[up] - gain[t]) - 0.5 * size * size * curvature
                if won > best:
                    down, best = t, won
        if down < 0:
            return True
        curvature = max(G[up, up] + G[down, down] - 2.0 * G[up, down], 1e-300)
        size = min((gain[up] - gain[down]) / curvature, share[down])
        share[up] += size
        share[down] = share[down] - size if size < share[down] else 0.0
        gain -= size * (G[up] - G[down])
    return False


# ------------------------------------------------------------------------------------ interior points


def maximise_on_simplex(G: Floats, b: Floats, x: Floats, gap: float) -> Floats:
    """Maximise b'x - ½ x'Gx where x ≥ 0 and Σ x = c, by the interior point method.

    It ends within ``gap`` of the optimum, or as close as rounding allows; the start has x ≥ 0 and sum c.

    At the optimum the slopes b - Gx are at most ν, and equal to ν where x > 0. So with s = ν - (b - Gx) ≥ 0,
    all products x s are 0. Mehrotra's predictor-corrector method follows the path on which all products are
    μ > 0. The distance of any x from the optimum is at most c · max(b - Gx) - x'(b - Gx).

    This is one of the duals of `podium.numerics.interior`. But there w is eliminated before ν, which leaves ν
    as a difference of large numbers. On features of very different scales that took 5 times as long, or did
    not reach a gap of 1e-3 with 300 planes. Here a step solves with G + diag(s / x), whose Cholesky factor is
    accurate however badly conditioned G is.
    """
    from scipy.linalg import LinAlgError, cho_factor

    total, best, least = float(x.sum()), x, _shortfall(x, b - G @ x)
    x = 0.5 * x + 0.5 * total / len(x)
    slope = b - G @ x
    nu = float(slope.max()) + 1e-3 * float(np.abs(slope).max())
    s = nu - slope
    for _ in range(MOST_STEPS):
        with np.errstate(all="ignore"):  # the last steps may overflow or divide by 0
            try:
                factor = cho_factor(G + np.diag(s / x), lower=True, check_finite=False)
            except LinAlgError:
                break
            dx, d_nu, ds = _corrected(factor, x, s, slope + s - nu, total - float(x.sum()))
            length = min(1.0, BACK * longest(x, dx), BACK * longest(s, ds))
            x, nu, s = x + length * dx, nu + length * d_nu, s + length * ds
            slope = b - G @ x
            here = _shortfall(x, slope)
        if here < least:
            best, least = x, here
        if least <= gap or not np.isfinite(here):
            break
    return np.asarray(best * (total / best.sum()))


def _shortfall(x: Floats, slope: Floats) -> float:
    """An upper bound of the distance from the optimum."""
    return float(x.sum() * slope.max() - x @ slope)


def _corrected(
    factor: Any, x: Floats, s: Floats, off: Floats, missing: float
) -> tuple[Floats, float, Floats]:
    """Mehrotra's step: a first step towards x s = 0 gives μ and the second-order term of the step taken."""
    from scipy.linalg import cho_solve

    across = cho_solve(factor, np.ones_like(x), check_finite=False)

    def step(product: Any) -> tuple[Floats, float, Floats]:
        dx = cho_solve(factor, off + product / x - s, check_finite=False)
        d_nu = float(dx.sum() - missing) / float(across.sum())
        dx = dx - d_nu * across
        return dx, d_nu, product / x - s - s / x * dx

    dx, _, ds = step(0.0)
    length = min(1.0, longest(x, dx), longest(s, ds))
    mu, ahead = float(x @ s) / len(x), float((x + length * dx) @ (s + length * ds)) / len(x)
    return step((ahead / mu) ** 3 * mu - dx * ds)
