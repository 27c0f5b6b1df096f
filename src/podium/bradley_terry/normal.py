"""Normal skills r ~ N(m + X b, s² I): s and all effects at the maximum of the marginal likelihood.

With φ = (tie parameter, b, effects), the marginal log-likelihood by Laplace's method is

    L(s, φ) = log-likelihood(r̂, φ) - ½ |a|² / s² - K log s - ½ log det A,    A = H + I / s²,

where a = r̂ - m - X b, r̂ is the mode of the skills given s and φ, and H the information about the skills there. The first two
terms are what `fit_paired` maximises over r and φ. The log-determinant depends on φ too, so at the maximum of
L their slope by φ is the *tilt* t = ½ d log det A / dφ: solve with a fixed t, compute t there, and solve
again. The tilt is small if there are many comparisons per item, so few rounds are enough.

A depends on s and φ directly and through r̂. With V = A⁻¹, the variance v_e of the difference of every pair,
and the derivative w'_e of its information w_e by its difference d_e,

    2 t = Σ (∂w_e/∂φ) v_e + cᵀ dr̂/dφ,    c = Σ w'_e v_e (e_right - e_left),    dr̂/dφ = -V ∂²/∂r∂φ,
    dL / d log s = (|a|² + tr V - cᵀ V a) / s² - K.

For many items random draws with covariance V replace it. With teams, d_e is not linear in r; then c and t
count as 0, and s is where the EM algorithm stands still.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from podium.bradley_terry.errors.covariance import cholesky, inverse_from
from podium.bradley_terry.errors.information import dense, information, regular
from podium.bradley_terry.errors.laplacian import graph_of, solve_laplacian
from podium.bradley_terry.errors.log_determinant import log_determinant
from podium.bradley_terry.errors.sampling import conditional_draws
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.descent import Slope, descend
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

EXACT_ITEMS = 1_000  # with more items, V is not computed: draws are accurate enough for sums over all items
DRAW_BLOCKS = 4  # of 16 draws
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
LONGEST_STEP = 3.0
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


def _smallest_scale(problem: PairedProblem) -> float:
    information = problem.counts.total.sum() / 2 / problem.n_items  # a quarter for every game of an item
    return SMALLEST / float(np.sqrt(max(information, 1e-6)))


def _fit_from(problem: PairedProblem, solve: Solve, search: "Search", rounds: int = ROUNDS) -> NormalFit:
    """Find s first, then the maximum over s and φ together; for many items and for teams, in turns."""
    if problem.teams is not None or problem.n_items > EXACT_ITEMS:
        problem, result = _in_turns(problem, solve, search, CLOSE, rounds)
        return NormalFit(problem, result, _marginal(problem, result.solution))
    problem, result = _in_turns(problem, solve, search, ROUGH, rounds)
    problem, x = _polish(problem, result.solution, search)
    result = solve(problem, x)
    return NormalFit(problem, result, _marginal(problem, result.solution))


def _in_turns(
    problem: PairedProblem, solve: Solve, search: "Search", close: float, rounds: int
) -> tuple[PairedProblem, SolverResult]:
    """Solve, and improve s and the tilt, in turns; a rough search needs no tilt."""
    assert problem.normal is not None
    limit, x = STEADY * problem.scale()[problem.n_items :], None
    tilt = np.zeros(len(limit))
    for _ in range(rounds):
        problem = replace(problem, normal=replace(problem.normal, scale=np.sqrt(search.v), tilt=tilt))
        result = solve(problem, x)
        x, before, v = result.solution, tilt, search.v
        bend = _bend(problem, x)
        tilt = tilt if close == ROUGH else bend.tilt
        search.move(bend.spread, bend.expected)
        if abs(np.log(search.v / v)) < close and (np.abs(tilt - before) <= limit).all():
            break
    return problem, result


def _polish(problem: PairedProblem, x: Floats, search: "Search") -> tuple[PairedProblem, Floats]:
    """Maximise L over y = (log s, φ) by BFGS, in coordinates in which its second derivatives are about 1."""
    from scipy.optimize import minimize

    ascent = _Ascent(problem, x, np.log([search.lowest, search.highest]) / 2)
    start, roots = ascent.y, ascent.roots()

    def loss(z: Floats) -> tuple[float, Floats]:
        value, slope = ascent(start + roots @ z)
        return -value, -roots.T @ slope

    found = minimize(loss, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": STEEP})
    ascent(start + roots @ found.x)
    assert ascent.problem.normal is not None
    normal = replace(ascent.problem.normal, tilt=ascent.bend.tilt)
    return replace(ascent.problem, normal=normal), ascent.x


class _Ascent:
    """L and its gradient by y = (log s, φ); the last mode is the start for the next.

    Rao and Kupper's log κ > 0 is replaced by log(κ - 1).
    """

    def __init__(self, problem: PairedProblem, x: Floats, bounds: Floats) -> None:
        assert problem.normal is not None
        self.problem, self.x, self.bounds = problem, x, bounds
        self.bend = _bend(problem, x)
        self.y = np.concatenate([[np.log(problem.normal.scale)], x[problem.n_items :]])
        if problem.rao_kupper:
            self.y[1] = np.log(np.expm1(self.y[1]))

    def roots(self) -> Floats:
        """A square root of the inverse information about y at the start, roughly."""
        from scipy.linalg import block_diag, solve_triangular

        bend, normal, k = self.bend, self.problem.normal, self.problem.n_items
        assert normal is not None
        about_scale = max(2 * k * (1 - bend.spread / normal.scale**2) ** 2, 0.1)
        chain = np.diag(self._chain(self.x[k:]))
        lower = np.linalg.cholesky(chain @ bend.rest @ chain)
        return block_diag(about_scale**-0.5, solve_triangular(lower, np.eye(len(lower)), lower=True).T)

    def __call__(self, y: Floats) -> tuple[float, Floats]:
        k, log_scale = self.problem.n_items, np.clip(y[0], *self.bounds)
        phi = y[1:].copy()
        if self.problem.rao_kupper:
            phi[0] = np.logaddexp(0, phi[0])
        assert self.problem.normal is not None
        normal = replace(self.problem.normal, scale=float(np.exp(log_scale)), tilt=0.0)
        self.problem = replace(self.problem, normal=normal)
        self.x = mode(self.problem, np.concatenate([self.x[:k], phi]), self.bend.times)
        self.bend = bend = _bend(self.problem, self.x)
        slope = -self.problem.slope(self.x).gradient[k:] - bend.tilt
        by_scale = k * (bend.expected / normal.scale**2 - 1) * (log_scale == y[0])
        value = _marginal(self.problem, self.x, bend.log_det)
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
    away, scale = problem.normal.residual(problem.parts(x)), problem.normal.scale
    prior = float(away @ away) / (2 * scale**2) + len(away) * np.log(scale)
    penalty = problem.ridge / 2 * float((problem.parts(x).effects ** 2).sum())
    log_det = log_determinant(problem, x) if log_det is None else log_det
    return float(-problem.loss(x) - prior - penalty - log_det / 2)


class Search:
    """Find v = s² by the slope of L.

    If all items had the same information I, and errors were normal, L would depend on z = log(v + 1/I), and z
    + log(1 + slope) would be its maximum. In general this is a good step; secants of the steps improve it.
    """

    def __init__(self, v: float, lowest: float, highest: float) -> None:
        self.v, self.lowest, self.highest = v, lowest, highest
        self.low, self.high = -np.inf, np.inf  # z of points left and right of the maximum
        self.noise: float | None = None  # 1/I
        self.last: tuple[float, float] | None = None
        self.rate = -1.0

    def move(self, spread: float, expected: float) -> None:
        """Improve v, given tr V / K and the v of the next step of EM."""
        v = self.v
        if self.noise is None:
            self.noise = v * min(spread / max(v - spread, 1e-300), 1e6)
        z = np.log(v + self.noise)
        step = float(np.log(max(1 + (v + self.noise) * (expected - v) / v**2, np.exp(-LONGEST_STEP))))
        if self.last is not None and abs(z - self.last[0]) > 1e-5:
            self.rate = min((step - self.last[1]) / (z - self.last[0]), -0.1)
        self.last = (z, step)
        self.low, self.high = (z, self.high) if step > 0 else (self.low, z)
        if self.high - self.low < 1e-3:  # the tilt changes too, so an old bracket may be wrong
            self.low, self.high = -np.inf, np.inf
        target = z + np.clip(-step / self.rate, -LONGEST_STEP, LONGEST_STEP)
        if not self.low < target < self.high:
            target = (self.low + self.high) / 2 if np.isfinite(self.low + self.high) else z + step
        self.v = float(np.clip(np.exp(target) - self.noise, self.lowest, self.highest))


# ------------------------------------------------------------------------------------ the log-determinant


class Bend(NamedTuple):
    """How log det A depends on the parameters, and what comes with it."""

    tilt: Floats
    spread: float  # tr V / K
    expected: float  # s² (1 + dL/d log s / K), which is the next s² of EM if c = 0
    rest: Floats  # the information about φ
    log_det: float  # nan if V is only drawn
    times: Callable[[Floats], Floats]  # multiplies by V


class Variances(NamedTuple):
    """V in the forms that are needed."""

    of_pairs: Floats  # of the difference of every pair; empty with teams
    trace: float
    times: Callable[[Floats], Floats]
    log_det: float


def _bend(problem: PairedProblem, x: Floats) -> Bend:
    assert problem.normal is not None
    k, counts, away = problem.n_items, problem.counts, problem.normal.residual(problem.parts(x))
    with one_blas_thread():
        found = information(problem, x)
        border, corner = found.border, found.corner
        V = (_exact if k <= EXACT_ITEMS else _drawn)(problem, x, found.skills)
        rest = corner - border.T @ V.times(border) if k <= EXACT_ITEMS else corner
    square = float(away @ away)
    if problem.teams is not None:
        return Bend(np.zeros(len(rest)), V.trace / k, (square + V.trace) / k, rest, V.log_det, V.times)
    by_difference, by_tie = third_derivatives(problem, x)
    pull = by_difference * V.of_pairs
    effects = np.full(problem.n_effects, -pull.sum()) if counts.design is None else counts.design.T @ pull
    direct = np.concatenate([[by_tie @ V.of_pairs] * problem.free_tie, np.zeros(problem.n_features), effects])
    shift = V.times(counts.net_by_side(pull))  # V c
    expected = (square + V.trace - float(shift @ away)) / k
    return Bend((direct - border.T @ shift) / 2, V.trace / k, expected, rest, V.log_det, V.times)


def _exact(problem: PairedProblem, x: Floats, skills: Any) -> Variances:
    factor = cholesky(dense(regular(problem, x, skills)))
    log_det = 2 * float(np.log(np.diagonal(factor)).sum())
    V = inverse_from(factor)
    pairs = _of_pairs(problem.counts.indptr, problem.counts.partner, V) if problem.teams is None else V[:0, 0]
    return Variances(pairs, float(np.trace(V)), V.__matmul__, log_det)


def _drawn(problem: PairedProblem, x: Floats, skills: Any) -> Variances:
    graph, errors = graph_of(problem, x)[0], conditional_draws(problem, x, DRAW_BLOCKS)
    counts, none = problem.counts, np.zeros(0)
    pairs = _of_draws(counts.indptr, counts.partner, errors) if problem.teams is None else none
    trace = float((errors**2).sum()) / errors.shape[1]
    return Variances(pairs, trace, lambda right: solve_laplacian(graph, right, 1e-6), np.nan)


class Chord:
    """Newton's direction with the information of a point nearby, which is known already."""

    def __init__(self, times: Callable[[Floats], Floats]) -> None:
        self.times = times

    def __call__(self, x: Floats, slope: Slope) -> Floats:
        return -self.times(slope.gradient)

    def learn(self, step: Floats, change: Floats) -> None:
        pass


def mode(problem: PairedProblem, x: Floats, times: Callable[[Floats], Floats]) -> Floats:
    """The mode of the skills, given the other parameters in x; ``times`` multiplies by V of a point nearby."""
    k = problem.n_items

    def slope(theta: Floats) -> Slope:
        found = problem.slope(np.concatenate([theta, x[k:]]))
        return Slope(found.gradient[:k], found.curvature[:k])

    with one_blas_thread():
        found = descend(slope, Chord(times), x[:k], problem.scale()[:k], tol=1e-11, max_iter=200)
    return np.concatenate([found.x, x[k:]])


@njit(cache=True, nogil=True)
def _of_pairs(indptr, partner, V):  # type: ignore[no-untyped-def]
    """V_ii + V_jj - 2 V_ij of every pair."""
    out = np.empty(len(partner))
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            out[e] = V[i, i] + V[j, j] - 2 * V[i, j]
    return out


@njit(cache=True, nogil=True)
def _of_draws(indptr, partner, errors):  # type: ignore[no-untyped-def]
    """The mean square of the difference of every pair over the draws."""
    out, n = np.zeros(len(partner)), errors.shape[1]
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for k in range(n):
                out[e] += (errors[j, k] - errors[i, k]) ** 2 / n
    return out


def third_derivatives(problem: PairedProblem, x: Floats) -> tuple[Floats, Floats]:
    """The derivatives of the information of every pair, by its difference and by the tie parameter."""
    c, tie, d = problem.counts, problem.parts(x).tie, np.clip(problem.differences(x), -600, 600)
    if problem.rao_kupper:
        return _rao_kupper_thirds(d, tie, c.total, c.ties, c.margin)
    return _davidson_thirds(d, tie, c.total)


@njit(cache=True, nogil=True)
def _davidson_thirds(d, nu, total):  # type: ignore[no-untyped-def]
    """Third cumulants of the score (-½, 0 or ½), and of the score twice and the tie."""
    by_difference, by_tie = np.empty(len(d)), np.empty(len(d))
    for e in range(len(d)):
        x = np.exp(-abs(d[e]) / 2)
        whole = 1.0 + nu * x + x * x
        better, tied, worse = 1.0 / whole, nu * x / whole, x * x / whole
        mean = (better - worse) / 2
        variance = (better + worse) / 4 - mean**2
        third = better * (0.5 - mean) ** 3 - tied * mean**3 - worse * (0.5 + mean) ** 3
        by_difference[e] = total[e] * (third if d[e] > 0 else -third)
        by_tie[e] = total[e] * tied * (mean**2 - variance)
    return by_difference, by_tie


@njit(cache=True, nogil=True)
def _rao_kupper_thirds(d, eta, total, ties, margin):  # type: ignore[no-untyped-def]
    by_difference, by_tie = np.empty(len(d)), np.empty(len(d))
    for e in range(len(d)):
        right, left = 1 / (1 + np.exp(d[e] - eta)), 1 / (1 + np.exp(-d[e] - eta))
        a = 0.5 * (total[e] + ties[e] + margin[e]) * right * (1 - right) * (1 - 2 * right)
        b = 0.5 * (total[e] + ties[e] - margin[e]) * left * (1 - left) * (1 - 2 * left)
        by_difference[e], by_tie[e] = b - a, a + b
    return by_difference, by_tie
