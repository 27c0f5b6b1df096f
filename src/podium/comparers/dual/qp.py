"""The dual of the soft-margin machines for pairs: eq. (15) and (18) of [SVMcompare], and of SVMrank, eq. (3).

There are n pairs d_i = Φ(head) - Φ(tail) with kernel K_ij = d_i · d_j; the first a are decisive (the head is
better), the others are ties. With upper bounds c_i (C times the weight of the pair) the primal problem is

    min_{u, β}  ½‖u‖² + Σ_{decisive} c_i (1 - β - u·d_i)₊
                      + Σ_{ties} c_i [(1 + β + u·d_i)₊ + (1 + β - u·d_i)₊],

β being fixed at 0 if there is no bias. It is the flipped problem (8): a tie is two rows there, d and -d,
hence one kernel row with two dual variables. With u = Σ s_i d_i, f = K s and the dual variables v in the
order decisive, ties, mirrored ties, s is v for a decisive pair and (mirrored v) - v for a tie; the dual is

    max_v  Σ v - ½ s'f   where 0 ≤ v ≤ c and, with a bias (its multiplier), Σ_{decisive} v = Σ_{ties} v.

The solver's variables are y = ỹ v, which a bias keeps balanced: Σ y = 0. Without a bias the two v of a tie
are, for a given s, as large as they can be.

Caps of infinity are a hard margin, eq. (9) and (12). Then any multiple of v is allowed, and each round starts
from the best one, where Σ v = s'f. If s'f is no larger than the rounding error of (Σ v)(Σ v_i K_ii), a convex
combination of the pairs is 0: those with v > 0 contradict each other, and no u and β satisfy all of them.

Method: decomposition. Each round solves the dual over a working set: all pairs with a variable that is at
none of its bounds, and half as many of those that violate the optimality conditions most. With a fixed set of
512 pairs, 5,000 noisy pairs with C = 1000 take 709 rounds instead of 41. A round uses coordinate steps (pairs
of variables with second order selection [Fan, Chen & Lin 2005] with the bias, single ones without) and Newton
steps for the free variables if these are slow. Only kernel rows of working sets are computed. Rounds end when
the relative duality gap, with the best β for the current u (a weighted quantile), is at most tol. If C is
large, even a rounding error of f leaves a large gap; then rounds end once several of them have not halved the
gap. The gap includes the rounding error of K, which matters if products of items are large and their
differences small.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparers.dual.certificate import TINY, Variables, certify
from podium.comparers.dual.kernel_rows import KernelRows
from podium.comparers.dual.steps import solve_working_set
from podium.comparisons.arrays import Floats, Positions
from podium.numerics.result import ConstantObjective, SolverResult
from podium.numerics.threads import one_blas_thread

FEWEST = 128  # violators in a working set; with 512, 1 of 18 fits of SVMCompare takes 1.6 times as long
# A round reduces the violation to this share. SVMRank on 5,000 pairs takes 1.6 times as long with 0.3, and
# 1.5 times with 0.01.
SHARPER = 0.1
SMALL = 1e-6  # a violation above this is not a rounding error
# The search ends after this many rounds that did not halve the gap, if the violation may be a rounding error.
PATIENCE = 3
CANCELLED = 1e-14  # rounding leaves this share of (Σ v)(Σ v_i K_ii) if the pairs cancel


class Point(NamedTuple):
    """The dual variables y = ỹ v and f = K s."""

    y: Floats
    f: Floats


def solve_dual(
    rows: KernelRows,
    upper: Floats,
    n_decisive: int,
    *,
    bias: bool,
    tol: float,
    max_iter: int,
    start: Point | None = None,
    fewest: int = FEWEST,
) -> SolverResult:
    """Solve from ``start``, which is changed, or from 0.

    A working set has at least ``fewest`` pairs besides the free ones, unless few violate their conditions.
    """
    with one_blas_thread():
        return _Dual(rows, upper, n_decisive, bias, fewest).solve(start, tol, max_iter)


class _Dual:
    def __init__(self, rows: KernelRows, upper: Floats, n_decisive: int, bias: bool, fewest: int) -> None:
        self.rows, self.kernel, self.upper = rows, rows.kernel, upper
        self.variables, self.bias, self.fewest = Variables(upper, n_decisive), bias, fewest
        self.hard = bool(np.isinf(upper).any())

    def solve(self, start: Point | None, tol: float, max_iter: int) -> SolverResult:
        y, f = start or self._zero()
        history: list[float] = []
        sharpness, idle, lowest, degenerate = SHARPER, 0, np.inf, False
        while True:
            if self.hard:
                degenerate = self._scale(y, f)
            state = certify(self.variables, y, f, self.bias, self.kernel.rounding)
            history.append(state.gap)
            if degenerate or state.computed_gap <= tol or len(history) > max_iter:
                break
            idle = 0 if state.gap < 0.5 * lowest else idle + 1
            lowest = lowest if idle else state.gap
            if idle >= PATIENCE and state.violation <= SMALL and state.violation <= self._rounding(y):
                break
            moved = self._round(y, f, self._working_set(y, f), sharpness * state.violation)
            sharpness = SHARPER if moved else sharpness * SHARPER
            if sharpness < TINY:
                break
        details: dict[str, Any] = {
            "bias": state.bias,
            "dual": state.dual,
            "violation": state.violation,
            "coefficients": self.variables.coefficients(y),
            "differences": f,
        }
        return SolverResult(
            solution=np.abs(y),
            objective_of=ConstantObjective(state.primal),
            gradient_norm=None,
            iterations=len(history) - 1,
            converged=bool(state.gap <= tol),
            solver="decomposition",
            history=tuple(history),
            details=details,
            gap=state.gap,
            stalled=state.gap > tol and len(history) <= max_iter,
        )

    def _zero(self) -> Point:
        s = np.zeros(len(self.upper))
        return Point(np.zeros(len(self.variables.pair)) if self.bias else self.variables.best(s), s)

    def _scale(self, y: Floats, f: Floats) -> bool:
        """Scale the point, in place, to its best multiple; return whether the pairs cancel."""
        total, square = float(np.abs(y).sum()), float(self.variables.coefficients(y) @ f)
        size = float(self.kernel.diagonal[self.variables.pair] @ np.abs(y))
        if square <= CANCELLED * total * size:
            return total > 0
        y *= total / square
        f *= total / square
        return False

    def _rounding(self, y: Floats) -> float:
        """The rounding error of an entry of f = K s, whose terms are at most √(K_ii K_jj) s_j."""
        norm = np.sqrt(self.kernel.diagonal)
        size = float(norm.max()) * float(norm @ np.abs(self.variables.coefficients(y)))
        return max(TINY, float(np.finfo(float).eps) * size)

    def _working_set(self, y: Floats, f: Floats) -> Positions:
        """The free pairs, and half as many of the worst violators; if few violate, some that nearly do."""
        if len(self.upper) <= 4 * self.fewest:
            return np.arange(len(self.upper))
        score, (up, low) = self.variables.scores(f), self.variables.free_sides(y)
        free, bound, middle = up & low, [up ^ low], 0.0
        if self.bias:  # a step needs a variable of either side
            middle = 0.5 * (np.max(score[up], initial=-np.inf) + np.min(score[low], initial=np.inf))
            bound = [up & ~low, low & ~up]
        far = np.where(up, score - middle, middle - score)
        far[free] = np.abs(far[free])
        kept = self._pairs_of(_largest(far, free, self.rows.most - self.fewest))
        count = int(np.count_nonzero(free))
        most = min(max(self.fewest, count // 2), self.rows.most - len(kept)) // len(bound)
        chosen = [kept]
        for side in bound:
            wanted = max(int(np.count_nonzero(far[side] > 0)), self.fewest // 2)
            chosen.append(self._pairs_of(_largest(far, side, min(wanted, most))))
        return np.unique(np.concatenate(chosen))

    def _pairs_of(self, rows: Positions) -> Positions:
        return np.unique(self.variables.pair[rows])

    def _round(self, y: Floats, f: Floats, chosen: Positions, eps: float) -> bool:
        """Solve over the chosen pairs, in place; return whether anything moved."""
        part = self.variables.of(chosen)
        few = Variables(self.upper[chosen], int(np.searchsorted(chosen, self.variables.n_decisive)))
        here, own = f[chosen], y[part]
        solve_working_set(self.rows.block(chosen), here, own, few, self.bias, eps)
        change = few.coefficients(own - y[part])
        y[part] = own
        if len(chosen) == len(f):
            f[:] = here
        else:
            self.rows.add(f, chosen[change != 0], change[change != 0])
        return bool(np.any(change != 0))


def _largest(values: Floats, allowed: NDArray[np.bool_], count: int) -> Positions:
    """The positions of the largest of the allowed values."""
    index = np.flatnonzero(allowed)
    if len(index) <= count:
        return index
    return index[np.argpartition(-values[index], count)[:count]]
