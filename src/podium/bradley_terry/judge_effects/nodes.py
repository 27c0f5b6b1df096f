"""Integrals over the effects of every judge, by adaptive Gauss–Hermite quadrature.

With v = u/σ, a judge has the likelihood ∫ p(y | σv) N(v; 0, 1) dv. The nodes are v̂ + F^(-1/2) x, where v̂ is
the mode and F the observed information there. They are placed again whenever anything else moves, since
integrals over stale nodes have maxima of their own.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

LEAST_INFORMATION = 0.3  # about v; the prior says 1, and a sharpness may be bent the other way


class Rows(NamedTuple):
    """The votes, with the difference and the order effect of every row at a point."""

    start: NDArray[np.int64]
    delta: Floats
    tilt: Floats
    home: Floats
    wins: Floats
    log_tie: float


class Integrals(NamedTuple):
    """What `integrate` fills: for every row, the expected derivatives by δ and η; the rest is by judge.

    ``weight`` has the posterior probabilities of the nodes.
    """

    by_delta: Floats
    by_eta: Floats
    by_tie: Floats
    log_marginal: Floats
    node: Floats  # u
    weight: Floats


def product_rule(n: int, active: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The nodes of Gauss and Hermite in the active dimensions, 0 in the others, and their weights."""
    x, w = np.polynomial.hermite_e.hermegauss(n)
    grids = [(x, w / w.sum()) if free else (np.zeros(1), np.ones(1)) for free in active]
    nodes = np.meshgrid(*(grid for grid, _ in grids), indexing="ij")
    weights = np.meshgrid(*(share for _, share in grids), indexing="ij")
    return np.stack([part.ravel() for part in nodes], axis=1), np.prod(
        [part.ravel() for part in weights], axis=0
    )


@njit(cache=True, nogil=True)
def _outcome(eta, tie):  # type: ignore[no-untyped-def]
    """The logarithm of the sum of the proportions, P(right) - P(left), and P(tie)."""
    x = np.exp(-0.5 * abs(eta))
    z = 1.0 / (1.0 + x * (tie + x))
    d = (1.0 - x * x) * z
    return 0.5 * abs(eta) - np.log(z), d if eta >= 0.0 else -d, tie * x * z


@njit(cache=True, nogil=True)
def _log_posterior(rows, begin, end, v, sigma, gradient, hessian):  # type: ignore[no-untyped-def]
    """Of one judge, up to a constant; fills the gradient by v, and the expected and the bent part of -∂²."""
    value = -0.5 * (v * v).sum()
    sharp, tie, side = np.exp(sigma[0] * v[0]), np.exp(rows.log_tie + sigma[1] * v[1]), sigma[2] * v[2]
    a = t = o = aa = at = ao = tt = to = oo = 0.0  # sums by α, t and o
    for r in range(begin, end):
        steep, home = sharp * rows.delta[r], rows.home[r]
        eta = steep - rows.tilt[r] - side * home
        log_z, d, tied = _outcome(eta, tie)
        lost, even, won = rows.wins[r, 0], rows.wins[r, 1], rows.wins[r, 2]
        n = lost + even + won
        value += 0.5 * (won - lost) * eta + even * sigma[1] * v[1] - n * log_z
        s, curve, cross = 0.5 * (won - lost - n * d), 0.25 * n * (1.0 - tied - d * d), -0.5 * n * d * tied
        a, t, o = a + s * steep, t + even - n * tied, o - s * home
        aa, ao, oo = aa + curve * steep * steep, ao - curve * steep * home, oo + curve * home * home
        at, to, tt = at + cross * steep, to - cross * home, tt + n * tied * (1.0 - tied)
    first, second = (a, t, o), ((aa, at, ao), (at, tt, to), (ao, to, oo))
    for i in range(3):
        gradient[i] = sigma[i] * first[i] - v[i]
        for k in range(3):
            hessian[i, k] = sigma[i] * second[i][k] * sigma[k] + (i == k)
    return value, a * sigma[0] ** 2


@njit(cache=True, nogil=True)
def _mode(rows, begin, end, v, sigma):  # type: ignore[no-untyped-def]
    """Move v to the mode of one judge, and return the eigenvalues and vectors of the information there."""
    gradient, hessian = np.empty(3), np.empty((3, 3))
    value, bend = _log_posterior(rows, begin, end, v, sigma, gradient, hessian)
    for _ in range(200):
        observed = hessian.copy()
        observed[0, 0] -= bend
        values, vectors = np.linalg.eigh(observed)
        step = vectors @ ((vectors.T @ gradient) / values)
        if values[0] <= LEAST_INFORMATION:
            step = np.linalg.solve(hessian, gradient)
        longest = np.max(np.abs(step))
        there = -np.inf
        step /= max(longest, 1.0)
        while longest > 1e-10 and there < value - 1e-12 * abs(value):  # up to rounding
            there, bend = _log_posterior(rows, begin, end, v + step, sigma, gradient, hessian)
            step, longest = step / 2, longest / 2
        if longest <= 1e-10:
            break
        v += 2 * step
        value = there
    return np.maximum(values, LEAST_INFORMATION), vectors


@njit(cache=True, nogil=True)
def integrate(rows, sigma, grid, share, mode, out, first, last):  # type: ignore[no-untyped-def]
    """Fill the integrals of some judges; ``mode`` is where the modes were last, and are now."""
    n_nodes = len(grid)
    sharp, tie, log_p, ties = np.empty(n_nodes), np.empty(n_nodes), np.empty(n_nodes), np.empty(n_nodes)
    for j in range(first, last):
        begin, end = rows.start[j], rows.start[j + 1]
        values, vectors = _mode(rows, begin, end, mode[j], sigma)
        root = (vectors / np.sqrt(values)) @ vectors.T
        for q in range(n_nodes):
            v = mode[j] + root @ grid[q]
            out.node[j, q] = sigma * v
            sharp[q], tie[q] = np.exp(out.node[j, q, 0]), np.exp(rows.log_tie + out.node[j, q, 1])
            log_p[q] = np.log(share[q]) + 0.5 * ((grid[q] ** 2).sum() - (v**2).sum())
        ties[:] = 0.0
        score = np.empty((end - begin, n_nodes))
        for r in range(begin, end):
            lost, even, won = rows.wins[r]
            n, margin = lost + even + won, won - lost
            for q in range(n_nodes):
                eta = sharp[q] * rows.delta[r] - rows.tilt[r] - out.node[j, q, 2] * rows.home[r]
                log_z, d, tied = _outcome(eta, tie[q])
                log_p[q] += 0.5 * margin * eta - n * log_z
                score[r - begin, q] = 0.5 * (margin - n * d)
                ties[q] += even - n * tied
            if even > 0.0:
                log_p += even * (rows.log_tie + out.node[j, :, 1])
        top = log_p.max()
        weight = np.exp(log_p - top)
        total = weight.sum()
        weight /= total
        out.weight[j] = weight
        out.log_marginal[j] = top + np.log(total) - 0.5 * np.log(values).sum()
        out.by_tie[j] = ties @ weight
        out.by_eta[begin:end] = score @ weight
        out.by_delta[begin:end] = score @ (weight * sharp)


@njit(cache=True, nogil=True)
def louis(rows, sides, z, columns, tie_at, out, size, first, last):  # type: ignore[no-untyped-def]
    """The information of some judges about a point, by Louis' formula, and the squares of their gradients.

    A row has derivatives by its two sides and by ``columns``: the covariates z, then the order effect.
    """
    information, squares = np.zeros((size, size)), np.zeros((size, size))
    place, n_columns, p = np.full(size + 1, -1), len(columns), z.shape[1]
    index, slope = np.empty(2 + n_columns, np.int64), np.empty(2 + n_columns)
    for j in range(first, last):
        begin, end = rows.start[j], rows.start[j + 1]
        used = np.unique(np.concatenate((sides[begin:end].ravel(), columns, tie_at)))
        place[used] = np.arange(len(used))
        gradient, local = np.zeros((len(out.weight[j]), len(used))), np.zeros((len(used), len(used)))
        for r in range(begin, end):
            lost, even, won = rows.wins[r]
            n = lost + even + won
            index[:2], index[2:] = place[sides[r]], place[columns]
            for q in range(len(gradient)):
                node, weight = out.node[j, q], out.weight[j, q]
                sharp = np.exp(node[0])
                eta = sharp * rows.delta[r] - rows.tilt[r] - node[2] * rows.home[r]
                _, d, tied = _outcome(eta, np.exp(rows.log_tie + node[1]))
                slope[0], slope[1], slope[2:] = -sharp, sharp, -rows.home[r]
                slope[2 : 2 + p] = sharp * z[r]
                for a in range(len(index)):
                    gradient[q, index[a]] += 0.5 * (won - lost - n * d) * slope[a]
                    curve = 0.25 * weight * n * (1.0 - tied - d * d) * slope[a]
                    for b in range(len(index)):
                        local[index[a], index[b]] += curve * slope[b]
                    for t in place[tie_at]:
                        local[index[a], t] -= 0.5 * weight * n * d * tied * slope[a]
                        local[t, index[a]] -= 0.5 * weight * n * d * tied * slope[a]
                for t in place[tie_at]:
                    gradient[q, t] += even - n * tied
                    local[t, t] += weight * n * tied * (1.0 - tied)
        mean = out.weight[j] @ gradient
        local += np.outer(mean, mean) - gradient.T @ (gradient * out.weight[j].reshape(-1, 1))
        for a in range(len(used)):
            for b in range(len(used)):
                information[used[a], used[b]] += local[a, b]
                squares[used[a], used[b]] += mean[a] * mean[b]
    return information, squares


@njit(cache=True, nogil=True)
def mean_table(rows, judge, node, weight, table):  # type: ignore[no-untyped-def]
    """Fill a table with the probabilities of the outcomes of every row, means over the nodes of its judge."""
    table[:] = 0.0
    for r in range(len(judge)):
        for q in range(node.shape[1]):
            u, share = node[judge[r], q], weight[judge[r], q]
            eta = np.exp(u[0]) * rows.delta[r] - rows.tilt[r] - u[2] * rows.home[r]
            _, d, tied = _outcome(eta, np.exp(rows.log_tie + u[1]))
            table[r, 0] += share * 0.5 * (1.0 - tied - d)
            table[r, 1] += share * tied
            table[r, 2] += share * 0.5 * (1.0 - tied + d)
