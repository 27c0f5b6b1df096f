"""Small games, Kesler's explicit construction, and two oracles for the point of smallest norm."""

from typing import Any

import numpy as np
from scipy.optimize import minimize, nnls

from podium.game.kernel import GameKernel
from podium.numerics.kernels.kernel import Kernel

Array = Any


def game(
    n: int = 40,
    n_labels: int = 3,
    kernel: Kernel | None = None,
    *,
    d: int = 4,
    ridge: float = 0.0,
    seed: int = 0,
    separable: bool = True,
) -> GameKernel:
    """Preferences between two random labels of random instances."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(max(n // 2, 2), d))
    instance = rng.integers(0, len(X), n)
    better = rng.integers(0, n_labels, n)
    worse = (better + rng.integers(1, n_labels, n)) % n_labels
    if separable:
        utility = X @ rng.normal(size=(d, n_labels))
        swap = utility[instance, better] < utility[instance, worse]
        better, worse = np.where(swap, worse, better), np.where(swap, better, worse)
    key = np.unique((instance * n_labels + better) * n_labels + worse)
    parts = key // n_labels**2, key // n_labels % n_labels, key % n_labels
    return GameKernel(kernel or Kernel("linear"), X, *parts, n_labels, np.full(len(key), ridge))


def embedded(game: GameKernel, phi: Array) -> Array:
    """The vector z of every preference, one per row, from the Φ of every instance."""
    Z = np.zeros((len(game), game.n_labels, phi.shape[1]))
    for a in range(len(game)):
        Z[a, game.better[a]] += phi[game.instance[a]]
        Z[a, game.worse[a]] -= phi[game.instance[a]]
    Z = Z.reshape(len(game), -1)
    return np.hstack([Z, np.diag(np.sqrt(game.ridge))])


def products(X: Array) -> Array:
    """Φ of the homogeneous quadratic kernel."""
    return np.einsum("ni,nj->nij", X, X).reshape(len(X), -1)


def least_norm(Z: Array) -> float:
    """min ‖Z'p‖² over the simplex, by Lawson and Hanson's method for one more row of ones."""
    scale = np.sqrt((Z**2).sum(axis=1).max())
    A = np.vstack([Z.T / scale, np.ones(len(Z))])
    u, _ = nnls(A, np.append(np.zeros(Z.shape[1]), 1.0))
    return float(((Z.T @ u) ** 2).sum() / u.sum() ** 2)


def least_norm_slsqp(Z: Array) -> float:
    """The same by a general solver."""
    K = Z @ Z.T
    found = minimize(
        lambda p: p @ K @ p,
        np.full(len(K), 1 / len(K)),
        jac=lambda p: 2 * K @ p,
        bounds=[(0, None)] * len(K),
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(len(p))},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return float(found.fun)
