"""The vector space of w in `interior`: R^p, or the span of the inputs in the feature space of a kernel."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.numerics.shifted_cholesky import inverse_of_identity_plus


class Space(Protocol):
    """The operations that `interior` needs."""

    size: int

    def scores(self, w: Floats) -> Floats:
        """w·x for every input."""

    def pull(self, coefficients: Floats) -> Floats:
        """Σ s_i x_i, for each column of coefficients s."""

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        """A function that applies the inverse of I + Σ weight_i x_i x_i'."""


class Linear:
    """R^p."""

    def __init__(self, X: Any) -> None:
        self.X, self.size = X, X.shape[1]

    def scores(self, w: Floats) -> Floats:
        return np.asarray(self.X @ w)

    def pull(self, coefficients: Floats) -> Floats:
        return np.asarray(self.X.T @ coefficients)

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        return inverse_of_identity_plus(weighted_square(self.X, weight))


class Span:
    """The span of inputs with kernel matrix K; w = Σ s_i Φ(x_i) is represented by its coefficients s.

    The solution of (I + Σ h_i Φ(x_i) Φ(x_i)') Δw = Σ r_i Φ(x_i) is Δs = D (I + DKD)⁻¹ D⁻¹ r with D² =
    diag(h). No eigenvalue of I + DKD is below 1.
    """

    def __init__(self, K: Floats) -> None:
        self.K, self.size = K, len(K)

    def scores(self, w: Floats) -> Floats:
        return np.asarray(self.K @ w)

    def pull(self, coefficients: Floats) -> Floats:
        return coefficients

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        d = np.sqrt(weight)
        inverse = inverse_of_identity_plus(np.multiply(self.K, d[:, None] * d))

        def solve(right: Floats) -> Floats:
            scale = d if right.ndim == 1 else d[:, None]
            found = scale * inverse(right / scale)
            rest = right - found - scale**2 * (self.K @ found)
            return np.asarray(found + scale * inverse(rest / scale))  # one step of iterative refinement

        return solve


def weighted_square(X: Any, weight: Floats) -> Floats:
    """X' diag(weight) X."""
    if is_sparse(X):
        return np.asarray((X.T @ X.multiply(weight[:, None]).tocsr()).toarray())
    return np.asarray((X * weight[:, None]).T @ X)
