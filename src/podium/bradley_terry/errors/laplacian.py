"""The information of the skills as the Laplacian of a graph, H = D - A, without writing it out as a matrix.

A holds the information of each pair and of the prior of eq. (7), which joins all items of a group. D is
diagonal and holds the row sums of A. A normal prior does not join items: it only adds to D.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.errors.information import information, pair_terms
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.linear import MOST_STEPS, Iterative
from podium.numerics.compiled import njit
from podium.numerics.threads import over_rows

# Lanczos' method runs until the relative error of an extreme eigenvalue (relative to its distance from the
# other end of [-1, 1]) is at most SLACK, except for a share MISSED of all random starts [Kuczyński and
# Woźniakowski 1992].
SLACK, MISSED = 0.15, 1e-3


@dataclass(frozen=True)
class Laplacian:
    """The second derivatives by the skills: weights of pairs, and a prior."""

    indptr: NDArray[Any]
    partner: NDArray[Any]
    weight: Floats
    group: NDArray[np.int32]
    gamma: Floats  # μ times the size of the group
    share: Floats
    degree: Floats
    precision: float = 0.0  # of a normal prior; it is part of the degree

    def __matmul__(self, v: Floats) -> Floats:
        pairs = (self.indptr, self.partner, self.weight)
        out = sum(over_rows(self.indptr, lambda start, end: _times(*pairs, v, start, end)))
        mean = np.bincount(self.group, self.share * v)[self.group]
        return np.asarray(out + self.gamma * self.share * (v - mean) + self.precision * v)

    def equations(self, rtol: float, most: int = MOST_STEPS) -> Iterative:
        """Conjugate gradients in at most that many steps."""

        def times(v: Floats) -> Floats:
            return np.array([self @ column for column in v.T]).T

        return Iterative(times, np.maximum(self.degree, np.finfo(float).tiny), rtol, most)

    def onward(self, v: Floats) -> Floats:
        """T v = v - D⁻¹ H v."""
        return np.asarray(v - (self @ v) / self.degree)

    def centred(self, v: Floats) -> Floats:
        """Subtract from v its mean in each group."""
        size = np.bincount(self.group)
        return np.asarray(v - (np.bincount(self.group, v) / size)[self.group])


def graph_of(problem: PairedProblem, x: Floats) -> tuple[Laplacian, Floats, Floats]:
    """The Laplacian at x, and the other blocks of the information: skills by the rest, and the rest."""
    if problem.teams is None and not problem.counts.ordered and problem.normal is None:
        return _graph_of_counts(problem, x)
    from scipy.sparse import triu

    skills, border, corner = information(problem, x)
    above = triu(skills, 1, format="csr")
    pairs = (above.indptr, above.indices, -above.data)
    return _laplacian(problem, x, pairs, skills.diagonal()), border, corner


def _graph_of_counts(problem: PairedProblem, x: Floats) -> tuple[Laplacian, Floats, Floats]:
    """Without teams and order effect, the counted pairs are the pairs of the Laplacian."""
    counts, k = problem.counts, problem.n_items
    bend, cross, tie, held = pair_terms(problem, x)
    weight = np.asarray(bend + held)
    border = np.zeros((k, int(problem.free_tie)))
    if problem.free_tie:
        border[:, 0] = counts.net_by_side(cross)
    pairs, corner = (counts.indptr, counts.partner, weight), np.full((border.shape[1],) * 2, tie)
    return _laplacian(problem, x, pairs, counts.by_side(weight)), border, corner


def _laplacian(
    problem: PairedProblem, x: Floats, pairs: tuple[Any, Any, Floats], degree: Floats
) -> Laplacian:
    theta = x[: problem.n_items]
    share, size = problem.shares(np.exp(theta - theta.max()))
    gamma = problem.prior * size
    precision = 0.0 if problem.normal is None else problem.normal.scale**-2
    degree = degree + gamma * share * (1 - share) + precision
    return Laplacian(*pairs, problem.rank_group, gamma, share, degree, precision)


def spectrum_ends(graph: Laplacian) -> tuple[float, float]:
    """The smallest and the second largest eigenvalue of T, by Lanczos' method.

    It runs on D^-½ A D^-½, which has the same eigenvalues, for as many steps as `SLACK` and `MISSED` need.
    """
    from scipy.linalg import eigvalsh_tridiagonal

    n = len(graph.degree)
    steps = min(int(np.ceil((np.log(1.648 * np.sqrt(n) / MISSED) / np.sqrt(SLACK) + 1) / 2)), n - 1)
    root = np.sqrt(graph.degree)
    trivial = root / np.sqrt(np.bincount(graph.group, graph.degree))[graph.group]

    def rest(v: Floats) -> Floats:
        return np.asarray(v - trivial * np.bincount(graph.group, trivial * v)[graph.group])

    v, before, beta = rest(np.random.default_rng(0).standard_normal(n)), np.zeros(n), 0.0
    v /= np.linalg.norm(v)
    diagonal, off = [], []
    for _ in range(steps):
        image = rest(root * graph.onward(v / root)) - beta * before
        diagonal.append(float(image @ v))
        image -= diagonal[-1] * v
        beta = float(np.linalg.norm(image))
        if beta < 1e-10:
            break
        off.append(beta)
        before, v = v, image / beta
    values = eigvalsh_tridiagonal(diagonal, off[: len(diagonal) - 1])
    return float(values[0]), float(values[-1])


def second_eigenvalue(graph: Laplacian) -> float:
    """An upper bound of the second largest |λ| of T."""
    low, high = spectrum_ends(graph)
    return (1 + max(high, -low)) / (1 - SLACK) - 1


def solve_laplacian(graph: Laplacian, right: Floats, tol: float) -> Floats:
    """Solve H Y = right by conjugate gradients; every column of Y has mean 0 in every group."""
    columns = graph.equations(tol).solve(right).reshape(len(right), -1)
    return np.array([graph.centred(y) for y in columns.T]).reshape(-1, len(right)).T.reshape(right.shape)


@njit(cache=True, nogil=True)
def _times(indptr, partner, weight, v, start, end):  # type: ignore[no-untyped-def]
    """The Laplacian of the pairs in rows ``start`` to ``end``, times a vector."""
    out = np.zeros(len(v))
    for i in range(start, end):
        own = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            flow = weight[e] * (v[i] - v[j])
            own += flow
            out[j] -= flow
        out[i] += own
    return out
