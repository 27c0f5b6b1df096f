"""Normal skills r ~ N(m + X b, s² I): s and all effects at the maximum of the marginal likelihood.

With φ = (tie parameter, b, effects), the marginal log-likelihood by Laplace's method is

    L(s, φ) = log-likelihood(r̂, φ) - ½ |a|² / s² - K log s - ½ log det A,    a = r̂ - m - X b,    A = H + I / s²,

where r̂ is the mode of the skills given s and φ, and H the information about the skills there. The first two
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
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from podium.bradley_terry.errors.covariance import inverse_of
from podium.bradley_terry.errors.information import dense, information, regular
from podium.bradley_terry.errors.laplacian import graph_of, solve_laplacian
from podium.bradley_terry.errors.log_determinant import log_determinant
from podium.bradley_terry.errors.sampling import conditional_draws
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

EXACT_ITEMS = 2_000  # with more items, V is not computed: draws are accurate enough for sums over all items
DRAW_BLOCKS = 4  # of 16 draws
LARGEST = 200.0  # of s; L may have no maximum if the comparisons never contradict each other
# The smallest s is this share of the error of an item with an average number of games. The skills then differ
# so little that L is that of s = 0.
SMALLEST = 1e-3
ROUNDS = 60
# The search ends if log s changes by less than CLOSE, and the tilt by less than the share STEADY of the scale
# of the gradient.
CLOSE, STEADY = 1e-7, 1e-9
LONGEST_STEP = 3.0
# If s is below this share of the error of such an item, L may have another maximum at s = 0.
WEAK = 2.0


Solve = Callable[[PairedProblem, Floats | None], SolverResult]


class NormalFit(NamedTuple):
    """The problem with its prior, the solution, and L there."""

    problem: PairedProblem
    result: SolverResult
    marginal: float


def fit_normal(problem: PairedProblem, solve: Solve) -> NormalFit:
    """Maximise L over s and φ; ``solve`` fits a problem whose scale and tilt are given."""
    smallest = _smallest_scale(problem)
    best = _climb(problem, solve, Search(1.0, smallest**2, LARGEST**2))
    if best.problem.normal is not None and smallest < best.problem.normal.scale < WEAK * smallest / SMALLEST:
        equal = _climb(problem, solve, Search(smallest**2, smallest**2, smallest**2))
        best = max(best, equal, key=lambda found: found.marginal)
    return best


def is_smallest(problem: PairedProblem) -> bool:
    """Whether s is estimated as 0: the items are equal, given their features."""
    return problem.normal is not None and problem.normal.scale <= 1.01 * _smallest_scale(problem)


def _smallest_scale(problem: PairedProblem) -> float:
    information = problem.counts.total.sum() / 2 / problem.n_items  # a quarter for every game of an item
    return SMALLEST / float(np.sqrt(max(information, 1e-6)))


def _climb(problem: PairedProblem, solve: Solve, search: "Search") -> NormalFit:
    """Solve, and improve s and the tilt, in turns."""
    assert problem.normal is not None
    limit, x = STEADY * problem.scale()[problem.n_items :], None
    tilt = np.zeros(len(limit))
    for _ in range(ROUNDS):
        problem = replace(problem, normal=replace(problem.normal, scale=np.sqrt(search.v), tilt=tilt))
        result = solve(problem, x)
        x, before, v = result.solution, tilt, search.v
        tilt, spread, expected = _bend(problem, x)
        search.move(spread, expected)
        if abs(np.log(search.v / v)) < CLOSE and (np.abs(tilt - before) <= limit).all():
            break
    return NormalFit(problem, result, _marginal(problem, x))


def _marginal(problem: PairedProblem, x: Floats) -> float:
    """L, up to the constants of the likelihood."""
    assert problem.normal is not None
    away, scale = problem.normal.residual(problem.parts(x)), problem.normal.scale
    prior = float(away @ away) / (2 * scale**2) + len(away) * np.log(scale)
    return -problem.loss(x) - prior - log_determinant(problem, x) / 2


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


def _bend(problem: PairedProblem, x: Floats) -> tuple[Floats, float, float]:
    """The tilt, tr V / K, and s² (1 + dL/d log s / K), which is s² after a step of EM if c = 0."""
    assert problem.normal is not None
    k, counts, away = problem.n_items, problem.counts, problem.normal.residual(problem.parts(x))
    v_pairs, trace, solve, border = _variances(problem, x)
    square = float(away @ away)
    if problem.teams is not None:
        return np.zeros(problem.size - k), trace / k, (square + trace) / k
    by_difference, by_tie = third_derivatives(problem, x)
    pull = by_difference * v_pairs
    effects = np.full(problem.n_effects, -pull.sum()) if counts.design is None else counts.design.T @ pull
    direct = np.concatenate([[by_tie @ v_pairs] * problem.free_tie, np.zeros(problem.n_features), effects])
    shift = solve(counts.net_by_side(pull))  # V c
    return (direct - border.T @ shift) / 2, trace / k, (square + trace - float(shift @ away)) / k


def _variances(problem: PairedProblem, x: Floats) -> tuple[Floats, float, Callable[[Floats], Floats], Floats]:
    """The variance of the difference of every pair, tr V, a function that multiplies by V, and the border."""
    indptr, partner = problem.counts.indptr, problem.counts.partner
    with one_blas_thread():
        if problem.n_items <= EXACT_ITEMS:
            found = information(problem, x)
            V = inverse_of(dense(regular(problem, x, found.skills)))
            pairs = _of_pairs(indptr, partner, V) if problem.teams is None else np.zeros(0)
            return pairs, float(np.trace(V)), V.__matmul__, found.border
        graph, border, _ = graph_of(problem, x)
        errors = conditional_draws(problem, x, DRAW_BLOCKS)
        pairs = _of_draws(indptr, partner, errors) if problem.teams is None else np.zeros(0)
        trace = float((errors**2).sum()) / errors.shape[1]
        return pairs, trace, lambda right: solve_laplacian(graph, right, 1e-6), border


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
