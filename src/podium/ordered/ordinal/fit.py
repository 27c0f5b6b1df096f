"""Ordinal regression without a kernel: choose the method and return its result.

With many rows per feature, Newton's method on a rounded hinge (`newton`) is used. Otherwise, or if it gets
stuck, the interior point method (`interior`) is used. Both stop by the relative duality gap.
"""

from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import is_sparse
from podium.numerics.compiled import njit
from podium.numerics.result import SolverResult
from podium.numerics.smoothed_newton import STUCK, TALL
from podium.numerics.threads import one_blas_thread
from podium.ordered.ordinal.interior import interior
from podium.ordered.ordinal.newton import newton
from podium.ordered.ordinal.problem import sorted_by_class

ONE_THREAD = 10_000_000  # numbers in X up to which BLAS uses one thread: more cost more than they save


def fit_ordinal(
    X: Any, level: Positions, cost: Floats, *, explicit: bool, tol: float = 1e-3, max_iter: int = 200
) -> SolverResult:
    """Solve for inputs of the classes ``level``, 0 to k, to a relative duality gap ``tol``.

    The solution is w followed by the thresholds b. ``details`` holds the ``primal`` and ``dual`` values and
    the ``coefficients`` Σ_j σ α of the inputs in v, which equals w at the optimum.
    """
    problem, order = sorted_by_class(X, level, cost, explicit)
    n, p = X.shape
    with one_blas_thread(n * p < ONE_THREAD):
        mean = _centre(problem.X)
        result = newton(problem, tol, min(max_iter, STUCK)) if n >= TALL * p else None
        if result is None or (not result.converged and max_iter > STUCK):
            result = interior(problem, tol, max_iter)
    result.solution[p:] += mean @ result.solution[:p]
    coefficients = np.empty(n)
    coefficients[order] = result.details["coefficients"]
    result.details["coefficients"] = coefficients
    return result


def _centre(X: Any) -> Floats:
    """Subtract the mean from dense inputs in place, for smaller rounding errors; the thresholds absorb it."""
    if is_sparse(X):
        return np.zeros(X.shape[1])
    mean: Floats = np.full(len(X), 1.0 / len(X)) @ X
    subtract(X, mean)
    return mean


@njit(cache=True, nogil=True)
def subtract(X, mean):  # type: ignore[no-untyped-def]  # pragma: no cover
    """X -= mean. NumPy takes four times as long if rows are short."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            X[i, j] -= mean[j]
