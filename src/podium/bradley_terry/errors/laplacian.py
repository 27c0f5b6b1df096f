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
from podium.core.groups import centred, group_sums
from podium.core.linear import MOST_STEPS, Iterative, by_diagonal

# Lanczos' method runs until the relative error of an extreme eigenvalue (relative to its distance from the
# other end of [-1, 1]) is at most SLACK, except for a share MISSED of all random starts [Kuczyński and
# Woźniakowski 1992].
SLACK, MISSED = 0.15, 1e-3
QUICK = 300  # steps of conjugate gradients after which a factorization is tried


@dataclass(frozen=True)
class Laplacian:
    """The second derivatives by the skills: weights of pairs, and a prior."""

    above: Any  # sparse: the weight of each pair, once
    group: NDArray[np.int32]
    gamma: Floats  # μ times the size of the group
    share: Floats
    degree: Floats
    precision: float = 0.0  # of a normal prior; it is part of the degree
    quick: int = QUICK

    def __matmul__(self, v: Floats) -> Floats:
        """H times a vector or the columns of a matrix."""
        degree, share, gamma = (
            one.reshape(-1, *[1] * (v.ndim - 1)) for one in (self.degree, self.share, self.gamma)
        )
        mean = group_sums(share * v, self.group)[self.group]
        return np.asarray((degree + gamma * share**2) * v - times_pairs(self.above, v) - gamma * share * mean)

    def equations(self, rtol: float, most: int = MOST_STEPS) -> Iterative:
        """Conjugate gradients in at most that many steps."""
        degree = np.maximum(self.degree, np.finfo(float).tiny)
        return Iterative(self.__matmul__, by_diagonal(degree), rtol, most)

    def onward(self, v: Floats) -> Floats:
        """T v = v - D⁻¹ H v."""
        return np.asarray(v - (self @ v) / self.degree)


def times_pairs(above: Any, v: Floats) -> Floats:
    """The symmetric matrix of the weights of all pairs, times a vector or the columns of a matrix."""
    return np.asarray(above @ v + above.T @ v)


def graph_of(problem: PairedProblem, x: Floats) -> tuple[Laplacian, Floats, Floats]:
    """The Laplacian at x, and the other blocks of the information: skills by the rest, and the rest."""
    if problem.teams is None and not problem.counts.ordered and problem.normal is None:
        return _graph_of_counts(problem, x)
    from scipy.sparse import triu

    skills, border, corner = information(problem, x)
    return _laplacian(problem, x, -triu(skills, 1, format="csr"), skills.diagonal()), border, corner


def _graph_of_counts(problem: PairedProblem, x: Floats) -> tuple[Laplacian, Floats, Floats]:
    """Without teams and order effect, the counted pairs are the pairs of the Laplacian."""
    from scipy.sparse import csr_array

    counts, k = problem.counts, problem.n_items
    curvature, cross, tie, held = pair_terms(problem, x)
    weight = np.asarray(curvature + held)
    border = np.array([counts.net_by_side(row) for row in cross]).reshape(-1, k).T
    pairs = (weight, counts.partner, counts.indptr.astype(np.int32))
    above = csr_array(pairs, shape=(k, k), copy=True)  # scipy may sort it in place
    return _laplacian(problem, x, above, counts.by_side(weight)), border, tie


def _laplacian(problem: PairedProblem, x: Floats, above: Any, degree: Floats) -> Laplacian:
    share, gamma = problem.shares(x)
    precision = 0.0 if problem.normal is None else problem.normal.scale**-2
    degree = degree + gamma * share * (1 - share) + precision
    return Laplacian(above, problem.rank_group, gamma, share, degree, precision)


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
    return centred(graph.equations(tol).solve(right), graph.group)
