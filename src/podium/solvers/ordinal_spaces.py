"""Where the w of `ordinal_interior` lives: R^p, or the span of the inputs in the space of a kernel."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from podium.features import is_sparse

Floats = NDArray[np.float64]

TOO_LARGE = "the costs, or the features or the kernel, are too large to compute with; scale them down"


class Space(Protocol):
    """What the method asks of it."""

    size: int

    def scores(self, w: Floats) -> Floats:
        """w·x of every input."""

    def pull(self, coefficients: Floats) -> Floats:
        """Σ s_i x_i; of every column, if there are several."""

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        """The inverse of I + Σ weight_i x_i x_i'."""


class Linear:
    """R^p."""

    def __init__(self, X: Any) -> None:
        self.X, self.size = X, X.shape[1]

    def scores(self, w: Floats) -> Floats:
        return np.asarray(self.X @ w)

    def pull(self, coefficients: Floats) -> Floats:
        return np.asarray(self.X.T @ coefficients)

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        return factored(weighted_square(self.X, weight))


class Span:
    """The span of inputs whose kernel matrix is K; w = Σ s_i Φ(x_i) is the vector s of its coefficients.

    (I + Σ h_i Φ(x_i) Φ(x_i)') Δw = Σ r_i Φ(x_i) is solved by Δs = D (I + DKD)⁻¹ D⁻¹ r with D² = diag(h); the
    matrix has no eigenvalue below 1.
    """

    def __init__(self, K: Floats) -> None:
        self.K, self.size = K, len(K)

    def scores(self, w: Floats) -> Floats:
        return np.asarray(self.K @ w)

    def pull(self, coefficients: Floats) -> Floats:
        return coefficients

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        d = np.sqrt(weight)
        inverse = factored(np.multiply(self.K, d[:, None] * d))

        def solve(right: Floats) -> Floats:
            scale = d if right.ndim == 1 else d[:, None]
            found = scale * inverse(right / scale)
            rest = right - found - scale**2 * (self.K @ found)
            return np.asarray(found + scale * inverse(rest / scale))  # refined once

        return solve


def weighted_square(X: Any, weight: Floats) -> Floats:
    """X' diag(weight) X."""
    if is_sparse(X):
        return np.asarray((X.T @ X.multiply(weight[:, None]).tocsr()).toarray())
    return np.asarray((X * weight[:, None]).T @ X)


def factored(N: Floats) -> Callable[[Floats], Floats]:
    """The inverse of I + N; with a ridge, if rounding asks for one."""
    from scipy.linalg.lapack import dpotrf, dpotrs  # without wrappers, which take longer than small matrices

    ridge = 1.0
    while np.isfinite(ridge):
        N.flat[:: len(N) + 1] += ridge
        factor, failed = dpotrf(N.T, lower=1, clean=0)  # N is symmetric, and Fortran has it transposed
        if not failed:
            return lambda right: np.asarray(dpotrs(factor, right, lower=1)[0])
        ridge = max(100 * ridge, 1e-15 * float(np.max(np.diagonal(N))))
    raise ValueError(TOO_LARGE)
