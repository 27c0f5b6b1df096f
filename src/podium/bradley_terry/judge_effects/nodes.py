"""Integrals over the effects of every judge, by adaptive Gauss–Hermite quadrature.

With v = u/σ, a judge has the likelihood ∫ p(y | σv) N(v; 0, 1) dv. The nodes are v̂ + F^(-1/2) x, where v̂ is
the mode and F the observed information there. They are placed again whenever anything else moves, since
integrals over stale nodes have maxima of their own.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit


class Rows(NamedTuple):
    """The votes, with the difference and the order effect of every row at a point.

    ``seen`` has the number of votes, how much oftener right won than left, and the ties.
    """

    start: NDArray[np.int64]
    delta: Floats
    tilt: Floats
    home: Floats
    seen: Floats
    log_tie: float


class Integrals(NamedTuple):
    """What `integrate` fills: for every row, the expected derivatives by δ and η; the rest is by judge.

    ``weight`` has the posterior probabilities of the nodes u.
    """

    by_delta: Floats
    by_eta: Floats
    by_tie: Floats
    log_marginal: Floats
    node: Floats
    weight: Floats


def product_rule(n: int, active: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The nodes of Gauss and Hermite in the active dimensions, 0 in the others, and their weights."""
    x, w = np.polynomial.hermite_e.hermegauss(n)
    axes: Any = [(x, w / w.sum()) if free else (np.zeros(1), np.ones(1)) for free in active]
    node, share = (np.stack(np.meshgrid(*each), axis=-1).reshape(-1, 3) for each in zip(*axes, strict=True))
    return node, share.prod(axis=1)


@njit(cache=True, nogil=True)
def _outcome(eta, tie):  # type: ignore[no-untyped-def]
    """The logarithm of the sum of the proportions, P(right) - P(left), and P(tie)."""
    x = np.exp(-0.5 * abs(eta))
    z = 1.0 / (1.0 + x * (tie + x))
    return 0.5 * abs(eta) - np.log(z), np.sign(eta) * (1.0 - x * x) * z, tie * x * z


@njit(cache=True, nogil=True)
def _add_information(n, d, tied, index, by_eta, by_tie, information):  # type: ignore[no-untyped-def]
    """Add -∂² of n votes, by parameters by which η and the log tie parameter have these slopes."""
    both, cross, own = 0.25 * n * (1.0 - tied - d * d), -0.5 * n * d * tied, n * tied * (1.0 - tied)
    for i in range(len(index)):
        for k in range(len(index)):
            found = both * by_eta[i] * by_eta[k] + own * by_tie[i] * by_tie[k]
            found += cross * (by_eta[i] * by_tie[k] + by_tie[i] * by_eta[k])
            information[index[i], index[k]] += found


@njit(cache=True, nogil=True)
def _log_posterior(rows, begin, end, v, sigma, gradient, hessian):  # type: ignore[no-untyped-def]
    """Of one judge, up to a constant; fills the gradient by v, and the expected and the bent part of -∂²."""
    gradient[:], hessian[:] = -v, np.eye(3)
    value, bend, index = -0.5 * (v * v).sum(), 0.0, np.arange(3)
    sharp, tie = np.exp(sigma[0] * v[0]), np.exp(rows.log_tie + sigma[1] * v[1])
    by_eta, by_tie = np.zeros(3), np.array([0.0, sigma[1], 0.0])
    for r in range(begin, end):
        steep, (n, margin, even) = sharp * rows.delta[r], rows.seen[r]
        by_eta[0], by_eta[2] = sigma[0] * steep, -sigma[2] * rows.home[r]
        eta = steep - rows.tilt[r] + v[2] * by_eta[2]
        log_z, d, tied = _outcome(eta, tie)
        value += 0.5 * margin * eta + even * sigma[1] * v[1] - n * log_z
        score = 0.5 * (margin - n * d)
        gradient += score * by_eta + (even - n * tied) * by_tie
        bend += score * steep * sigma[0] ** 2
        _add_information(n, d, tied, index, by_eta, by_tie, hessian)
    return value, bend


@njit(cache=True, nogil=True)
def _mode(rows, begin, end, v, sigma, least=0.3):  # type: ignore[no-untyped-def]
    """Move v to the mode of one judge, and return the eigenvalues and vectors of the information there.

    The prior gives the eigenvalues 1, but sharpness may be bent the other way; they are ``least`` at least.
    """
    gradient, hessian = np.empty(3), np.empty((3, 3))
    value, bend = _log_posterior(rows, begin, end, v, sigma, gradient, hessian)
    for _ in range(200):
        observed = hessian.copy()
        observed[0, 0] -= bend
        values, vectors = np.linalg.eigh(observed)
        step = np.linalg.solve(observed if values[0] > least else hessian, gradient)
        longest, there = np.max(np.abs(step)), -np.inf
        step /= max(longest, 1.0)
        while longest > 1e-10 and there < value - 1e-12 * abs(value):  # up to rounding
            there, bend = _log_posterior(rows, begin, end, v + step, sigma, gradient, hessian)
            step, longest = step / 2, longest / 2
        if longest <= 1e-10:
            break
        v += 2 * step
        value = there
    return np.maximum(values, least), vectors


@njit(cache=True, nogil=True)
def integrate(rows, sigma, grid, share, mode, out, first, last):  # type: ignore[no-untyped-def]
    """Fill the integrals of some judges; ``mode`` is where the modes were last, and are now."""
    for j in range(first, last):
        begin, end = rows.start[j], rows.start[j + 1]
        values, vectors = _mode(rows, begin, end, mode[j], sigma)
        v = mode[j] + grid @ ((vectors / np.sqrt(values)) @ vectors.T)
        u = out.node[j]
        u[:] = sigma * v
        log_p = np.log(share) + 0.5 * ((grid**2).sum(axis=1) - (v**2).sum(axis=1))
        sharp, tie = np.exp(u[:, 0]), np.exp(rows.log_tie + u[:, 1])
        score, ties = np.empty((end - begin, len(u))), np.zeros(len(u))
        for r in range(begin, end):
            n, margin, even = rows.seen[r]
            for q in range(len(u)):
                eta = sharp[q] * rows.delta[r] - rows.tilt[r] - u[q, 2] * rows.home[r]
                log_z, d, tied = _outcome(eta, tie[q])
                log_p[q] += 0.5 * margin * eta - n * log_z
                score[r - begin, q] = 0.5 * (margin - n * d)
                ties[q] += even - n * tied
            if even > 0.0:
                log_p += even * (rows.log_tie + u[:, 1])
        weight = np.exp(log_p - log_p.max())
        out.log_marginal[j] = log_p.max() + np.log(weight.sum()) - 0.5 * np.log(values).sum()
        weight /= weight.sum()
        out.weight[j], out.by_tie[j] = weight, ties @ weight
        out.by_eta[begin:end], out.by_delta[begin:end] = score @ weight, score @ (weight * sharp)


@njit(cache=True, nogil=True)
def louis(rows, places, z, has_tie, size, out, first, last):  # type: ignore[no-untyped-def]
    """The information of some judges about a point, by Louis' formula, and the squares of their gradients.

    A row has derivatives by the parameters in its row of ``places``: its two sides, the covariates z, the
    order effect, and the tie parameter.
    """
    information, squares = np.zeros((size, size)), np.zeros((size, size))
    place, m = np.zeros(size, np.int64), places.shape[1]
    by_eta, by_tie = np.zeros(m), np.zeros(m)
    by_tie[m - has_tie :] = 1.0
    for j in range(first, last):
        used = np.unique(places[rows.start[j] : rows.start[j + 1]])
        place[used] = np.arange(len(used))
        gradient, local = np.zeros((len(out.weight[j]), len(used))), np.zeros((len(used), len(used)))
        for r in range(rows.start[j], rows.start[j + 1]):
            index, (n, margin, even) = place[places[r]], rows.seen[r]
            for q in range(len(gradient)):
                u, sharp = out.node[j, q], np.exp(out.node[j, q, 0])
                eta = sharp * rows.delta[r] - rows.tilt[r] - u[2] * rows.home[r]
                _, d, tied = _outcome(eta, np.exp(rows.log_tie + u[1]))
                by_eta[0], by_eta[1], by_eta[2 : m - has_tie] = -sharp, sharp, -rows.home[r]
                by_eta[2 : 2 + z.shape[1]] = sharp * z[r]
                for i in range(m):
                    gradient[q, index[i]] += (
                        0.5 * (margin - n * d) * by_eta[i] + (even - n * tied) * by_tie[i]
                    )
                _add_information(out.weight[j, q] * n, d, tied, index, by_eta, by_tie, local)
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
