"""The dual of `qp` for many pairs of few items, by an interior point method on the factored kernel.

The kernel matrix of k items has a Cholesky factor of rank r ≤ k. With its rows as features, pairs of items
have the right kernel. An interior point step (`podium.comparers.primal.interior`) then costs k²r + r³ and
some sums over the pairs. Two or three dozen steps reach the optimum for any C, while steps in the dual are
slow if C is large and more variables than the rank are free. The factor leaves out pivots below rounding, so
the points here are only candidates: they satisfy the equality constraint exactly, and the caller checks them
with the exact kernel.
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

ROUNDING = np.finfo(float).epsneg  # pivots below this share of the largest entry times the items are rounding
MOST_STEPS = 80  # two or three dozen are usually enough
SMALLEST_GAP = 1e-13  # the path ends here: rounding allows no better


def interior_points(kernel: PairKernel, a: int, cap: Floats, bias: bool) -> Iterator[tuple[float, State]]:
    """The points of the path, each with its relative gap for the factored kernel."""
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
    """The α of a point, where each α that tends to a bound is put on it, and the others are shifted until
    the equality constraint holds again.

    One of the two factors in α s = μ tends to 0. It is the smaller one, if α is measured in units of c. The
    same holds for (c - α) ξ = μ.
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
    # The point is still too far from the optimum to tell which bounds hold: scale the larger sum down.
    decisive, tied = float(alpha[:a].sum()), float(alpha[a:].sum())
    shrink = np.where(label > 0, min(1.0, tied / decisive), min(1.0, decisive / tied))
    return np.asarray(alpha * shrink)
