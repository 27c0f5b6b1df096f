"""The dual of `qp` for many pairs of few items: the linear problem of the factored kernel, from inside.

The kernel matrix of k items has a Cholesky factor L, with rows as features, of a rank r ≤ k: pairs of items
with these features have the kernel of the pairs. An interior point step (`podium.comparers.primal.interior`)
then costs k²r and r³ for the Laplacian of the pairs, and nothing that grows with the pairs but sums over
them; two or three dozen steps reach the optimum for every C, where steps in the dual creep along more free
variables than the rank when C is large. Pivoting leaves out what is below rounding in κ. Whether that, or a
kernel that is not positive semidefinite, did harm is for the caller to say, who knows the exact kernel: the
points here are candidates, with the exact equality constraint and most variables on their bounds.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from podium.comparers.primal.interior import FlippedRows
from podium.comparers.primal.problem import LinearPairs
from podium.comparisons.arrays import Floats
from podium.numerics.interior import State
from podium.numerics.kernels.factor import kernel_factor
from podium.numerics.kernels.kernel import PairKernel

ROUNDING = np.finfo(float).epsneg  # of the largest entry times the items: smaller pivots are rounding
MOST_STEPS = 80
SMALLEST_GAP = 1e-13


def interior_points(kernel: PairKernel, a: int, cap: Floats, bias: bool) -> Iterator[tuple[float, State]]:
    """The points of the path, each with the relative gap that it has by its own account."""
    gram = kernel.gram
    factor = kernel_factor(gram, ROUNDING * len(gram) * float(np.diagonal(gram).max()))
    if not len(factor.pivots):
        return
    ends = kernel.tail.astype(np.int32), kernel.head.astype(np.int32)
    pairs = LinearPairs(factor.Z, *ends, np.arange(len(kernel)) >= a, cap)
    rows = FlippedRows(pairs, fixed_bias=not bias)
    for x in islice(rows.path(), 1, 1 + MOST_STEPS):
        primal = 0.5 * float(x.u @ x.u) + float(rows.cost @ x.xi)
        gap = x.products / max(primal, SMALLEST_GAP)
        yield gap, x
        if gap <= SMALLEST_GAP:
            return


def on_bounds(x: State, a: int, cap: Floats, bias: bool) -> Floats:
    """The α of a point, but where they go to a bound, on it; the others share what that costs the balance.

    Of α s = μ > 0 one factor goes to 0: the smaller one, α being measured in units of c. So of (c - α) ξ = μ.
    """
    cap = np.concatenate([cap, cap[a:]])
    alpha = np.clip(x.alpha, 0.0, cap)
    v = np.where(alpha < cap * x.s, 0.0, np.where(x.rest < cap * x.xi, cap, alpha))
    if not bias:
        return v
    label = np.where(np.arange(len(v)) < a, 1.0, -1.0)
    excess, room = float(label @ v), np.minimum(v, cap - v)
    if abs(excess) < room.sum():
        return np.asarray(v - label * room * (excess / room.sum()))
    decisive, tied = float(alpha[:a].sum()), float(alpha[a:].sum())  # too early: shrink the larger kind
    shrink = np.where(label > 0, min(1.0, tied / decisive), min(1.0, decisive / tied))
    return np.asarray(alpha * shrink)
