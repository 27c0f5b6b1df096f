"""The log-determinant of the information about the skills, for the marginal likelihood.

For many items it is estimated by stochastic Lanczos quadrature [Ubaru, Chen and Saad 2017]: with D the
diagonal of A and random signs z, log det A = log det D + E zᵀ log(D^-½ A D^-½) z. Lanczos' method started at z
gives the Gauss quadrature of the last term. D holds most of the log-determinant, so few draws are enough.
"""

import numpy as np

from podium.bradley_terry.errors.covariance import cholesky
from podium.bradley_terry.errors.information import dense, information, regular
from podium.bradley_terry.errors.laplacian import Laplacian, graph_of
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.threads import one_blas_thread

EXACT_ITEMS = 5_000  # up to here a factorization takes seconds at most
DRAWS, STEPS = 16, 25


def log_determinant(problem: PairedProblem, x: Floats) -> float:
    """log det of the second derivatives by the skills, the prior included."""
    if problem.n_items > EXACT_ITEMS:
        return _estimate(graph_of(problem, x)[0])
    with one_blas_thread():
        matrix = regular(problem, x, information(problem, x).skills)
        return float(2 * np.log(np.diagonal(cholesky(dense(matrix)))).sum())


def _estimate(graph: Laplacian) -> float:
    rng, root = np.random.default_rng(0), np.sqrt(graph.degree)
    n = len(root)
    logs = [_quadratic_log(graph, root, rng.choice([-1.0, 1.0], n)) for _ in range(DRAWS)]
    return float(np.log(graph.degree).sum() + np.mean(logs))


def _quadratic_log(graph: Laplacian, root: Floats, z: Floats) -> float:
    """zᵀ log(M) z with M = D^-½ A D^-½, by Lanczos' method started at z."""
    from scipy.linalg import eigh_tridiagonal

    v, before, beta = z / np.linalg.norm(z), np.zeros_like(z), 0.0
    diagonal: list[float] = []
    off: list[float] = []
    for _ in range(STEPS):
        image = (graph @ (v / root)) / root - beta * before
        diagonal.append(float(image @ v))
        image -= diagonal[-1] * v
        beta = float(np.linalg.norm(image))
        off.append(beta)
        if beta < 1e-10:
            break
        before, v = v, image / beta
    values, vectors = eigh_tridiagonal(diagonal, off[: len(diagonal) - 1])
    return float(len(z) * (vectors[0] ** 2 @ np.log(values)))
