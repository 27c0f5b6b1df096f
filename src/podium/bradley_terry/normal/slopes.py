"""How the log-determinant in the marginal likelihood of normal skills depends on the parameters.

A = H + I / s² depends on s and φ (see `fit`) directly and through the mode r̂. With V = A⁻¹, the variance v_e
of the difference of every pair, and the derivative w'_e of its information w_e by its difference,

    2 t = d log det A / dφ = Σ (∂w_e/∂φ) v_e + cᵀ dr̂/dφ,    dr̂/dφ = -V ∂²/∂r∂φ,
    dL / d log s = (|a|² + tr V - cᵀ V a) / s² - K,    c = Σ w'_e v_e (e_right - e_left).

For many items, random draws with covariance V replace it: sums over all items hardly differ. With teams,
differences are not linear in r, and c and t count as 0.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium.bradley_terry.errors.information import information, regular
from podium.bradley_terry.errors.laplacian import graph_of, solve_laplacian
from podium.bradley_terry.errors.sampling import conditional_draws
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.linear import cholesky, dense, inverse_from
from podium.numerics.compiled import njit
from podium.numerics.threads import one_blas_thread

EXACT_ITEMS = 1_000  # with more items, V is not computed; draws gave the same s up to a thousandth
DRAW_BLOCKS = 4  # of 16 draws


class Slopes(NamedTuple):
    """How log det A depends on the parameters, and what comes with it."""

    tilt: Floats
    spread: float  # tr V / K
    expected: float  # s² (1 + dL/d log s / K), which is the next s² of EM if c = 0
    rest: Floats  # the information about φ; if V is drawn, as if the skills were known
    log_det: float  # nan if V is only drawn
    times: Callable[[Floats], Floats]  # multiplies by V


class Variances(NamedTuple):
    """V in the forms that are needed, and what comes with it."""

    of_pairs: Floats  # of the difference of every pair; empty with teams
    trace: float
    times: Callable[[Floats], Floats]
    log_det: float
    border: Floats  # the second derivatives by the skills and φ
    rest: Floats


def slopes_of(problem: PairedProblem, x: Floats) -> Slopes:
    """The slopes at a mode x of the skills."""
    assert problem.normal is not None
    k, counts, away = problem.n_items, problem.counts, problem.normal.residual(problem.parts(x))
    with one_blas_thread():
        V = _exact(problem, x) if k <= EXACT_ITEMS else _drawn(problem, x)
        square = float(away @ away) + problem.normal.power * problem.normal.scale**2
        if problem.teams is not None:
            none = np.zeros(len(V.rest))
            return Slopes(none, V.trace / k, (square + V.trace) / k, V.rest, V.log_det, V.times)
        by_difference, by_tie = third_derivatives(problem, x)
        pull = by_difference * V.of_pairs
        shift = V.times(counts.net_by_side(pull))  # V c
    by_effects = np.full(problem.n_effects, -pull.sum()) if counts.design is None else counts.design.T @ pull
    ties, features = [by_tie @ V.of_pairs] * problem.free_tie, np.zeros(problem.n_features)
    tilt = (np.concatenate([ties, features, by_effects]) - V.border.T @ shift) / 2
    expected = (square + V.trace - float(shift @ away)) / k
    return Slopes(tilt, V.trace / k, expected, V.rest, V.log_det, V.times)


def _exact(problem: PairedProblem, x: Floats) -> Variances:
    skills, border, corner = information(problem, x)
    factor = cholesky(dense(regular(problem, x, skills)))
    log_det = 2 * float(np.log(np.diagonal(factor)).sum())
    V = inverse_from(factor)
    first, partner, own = problem.counts.first, problem.counts.partner, np.diagonal(V)
    pairs = own[first] + own[partner] - 2 * V[first, partner] if problem.teams is None else V[:0, 0]
    return Variances(pairs, float(np.trace(V)), V.__matmul__, log_det, border, corner - border.T @ V @ border)


def _drawn(problem: PairedProblem, x: Floats) -> Variances:
    graph, border, corner = graph_of(problem, x)
    errors, counts = conditional_draws(problem, x, graph, DRAW_BLOCKS), problem.counts
    pairs = _of_draws(counts.indptr, counts.partner, errors) if problem.teams is None else np.zeros(0)
    trace = float((errors**2).sum()) / errors.shape[1]
    return Variances(pairs, trace, lambda right: solve_laplacian(graph, right, 1e-6), np.nan, border, corner)


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
        by_difference, by_tie = _rao_kupper_thirds(d, tie, c.total, c.ties, c.margin)
    else:
        by_difference, by_tie = _davidson_thirds(d, tie, c.total)
    return by_difference, by_tie


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
