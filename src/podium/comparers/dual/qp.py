"""The dual of the soft-margin machines for pairs: eq. (15) and (18) of [SVMcompare], and of SVMrank, eq. (3).

There are n pairs d_i = Φ(head) - Φ(tail) with kernel K_ij = d_i · d_j; the first a are decisive (the head is
better), the others are ties. With caps c_i (C times the weight of the pair) the primal problem is

    min_{u, β}  ½‖u‖² + Σ_{decisive} c_i (1 - β - u·d_i)₊
                      + Σ_{ties} c_i [(1 + β + u·d_i)₊ + (1 + β - u·d_i)₊],

β being fixed at 0 if there is no bias. It is the flipped problem (8): a tie is two rows there, d and -d,
hence one kernel row with two dual variables. With u = Σ s_i d_i, f = K s and the dual variables v in the
order decisive, ties, mirrored ties, s is v for a decisive pair and (mirrored v) - v for a tie; the dual is

    max_v  Σ v - ½ s'f   where 0 ≤ v ≤ c and, with a bias (its multiplier), Σ_{decisive} v = Σ_{ties} v.

Without a bias the two variables of a tie with a given s are as large as they can be: Σ v is 2c - |s|, and s
itself, between -c and c, is the variable.

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

from podium.comparers.dual.certificate import TINY, certify, coefficients, free_sides, scores, violations
from podium.comparers.dual.kernel_rows import KernelRows
from podium.comparers.dual.steps import solve_with_bias, solve_without_bias
from podium.comparisons.arrays import Floats, Positions
from podium.numerics.result import Known, SolverResult
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
    """Dual variables v and f = K s."""

    v: Floats
    f: Floats


def solve_dual(
    rows: KernelRows,
    cap: Floats,
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
        return _Dual(rows, cap, n_decisive, bias, fewest).solve(start, tol, max_iter)


class _Dual:
    def __init__(self, rows: KernelRows, cap: Floats, a: int, bias: bool, fewest: int) -> None:
        self.rows, self.kernel, self.n = rows, rows.kernel, len(rows.kernel)
        self.cap, self.a, self.bias, self.fewest = cap, a, bias, fewest
        self.caps = np.concatenate([cap, cap[a:]])
        self.hard = bool(np.isinf(cap).any())

    def solve(self, start: Point | None, tol: float, max_iter: int) -> SolverResult:
        v, f = self._zero() if start is None else start
        history: list[float] = []
        sharpness, idle, lowest, degenerate = SHARPER, 0, np.inf, False
        while True:
            if self.hard:
                degenerate = self._scale(v, f)
            state = certify(v, f, self.cap, self.a, self.bias, self.kernel.rounding)
            history.append(state.gap)
            if degenerate or state.computed_gap <= tol or len(history) > max_iter:
                break
            idle = 0 if state.gap < 0.5 * lowest else idle + 1
            lowest = lowest if idle else state.gap
            if idle >= PATIENCE and state.violation <= SMALL and state.violation <= self._rounding(v):
                break
            moved = self._round(v, f, self._working_set(v, f), sharpness * state.violation)
            sharpness = SHARPER if moved else sharpness * SHARPER
            if sharpness < TINY:
                break
        details: dict[str, Any] = {
            "bias": state.bias,
            "dual": state.dual,
            "violation": state.violation,
            "coefficients": coefficients(v, self.a),
            "differences": f,
        }
        return SolverResult(
            solution=v,
            objective_of=Known(state.primal),
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
        s = np.zeros(self.n)
        return Point(np.zeros(len(self.caps)) if self.bias else duals(s, self.cap, self.a), s)

    def _scale(self, v: Floats, f: Floats) -> bool:
        """Scale the point, in place, to its best multiple; return whether the pairs cancel."""
        total, square = float(v.sum()), float(coefficients(v, self.a) @ f)
        size = float(np.concatenate([self.kernel.diagonal, self.kernel.diagonal[self.a :]]) @ v)
        if square <= CANCELLED * total * size:
            return total > 0
        v *= total / square
        f *= total / square
        return False

    def _rounding(self, v: Floats) -> float:
        """The rounding error of an entry of f = K s, whose terms are at most √(K_ii K_jj) s_j."""
        norm = np.sqrt(self.kernel.diagonal)
        size = float(norm.max()) * float(norm @ np.abs(coefficients(v, self.a)))
        return max(TINY, float(np.finfo(float).eps) * size)

    def _working_set(self, v: Floats, f: Floats) -> Positions:
        """The free pairs, and half as many of the worst violators; if few violate, some that nearly do."""
        n, a = self.n, self.a
        if n <= 4 * self.fewest:
            return np.arange(n)
        if self.bias:  # a step needs a variable of either side
            score, (up, low) = scores(f, a), free_sides(v, self.caps, a)
            middle = 0.5 * (np.max(score[up], initial=-np.inf) + np.min(score[low], initial=np.inf))
            far = np.where(up, score - middle, middle - score)
            free, bound = up & low, [up & ~low, low & ~up]
            far[free] = np.abs(far[free])
        else:
            s = coefficients(v, a)
            far, free = violations(s, f, self.cap, a), (s != 0) & (np.abs(s) < self.cap)
            bound = [~free]
        kept = pairs_of(_largest(far, free, self.rows.most - self.fewest), n, a)
        count = int(np.count_nonzero(free))
        most = min(max(self.fewest, count // 2), self.rows.most - len(kept)) // len(bound)
        chosen = [kept]
        for side in bound:
            wanted = max(int(np.count_nonzero(far[side] > 0)), self.fewest // 2)
            chosen.append(pairs_of(_largest(far, side, min(wanted, most)), n, a))
        return np.unique(np.concatenate(chosen))

    def _round(self, v: Floats, f: Floats, chosen: Positions, eps: float) -> bool:
        """Solve over the chosen pairs, in place; return whether anything moved."""
        n, a = self.n, self.a
        decisive = int(np.searchsorted(chosen, a))
        K = self.rows.block(chosen)
        part = np.concatenate([chosen, chosen[decisive:] - a + n])
        here, own, room = f[chosen], v[part], self.cap[chosen]
        before = coefficients(own, decisive)
        if self.bias:
            solve_with_bias(K, here, own, room, decisive, eps)
            after = coefficients(own, decisive)
        else:
            after = before.copy()
            solve_without_bias(K, here, after, room, decisive, eps)
            own = duals(after, room, decisive)
        v[part] = own
        change = after - before
        if len(chosen) == n:
            f[:] = here
        else:
            self.rows.add(f, chosen[change != 0], change[change != 0])
        return bool(np.any(change != 0))


def duals(s: Floats, cap: Floats, a: int) -> Floats:
    """Without a bias: the best v for a given s."""
    tie, room = s[a:], cap[a:]
    return np.concatenate([s[:a], room - np.maximum(tie, 0.0), room - np.maximum(-tie, 0.0)])


def pairs_of(variables: Positions, n: int, a: int) -> Positions:
    """The pairs that the variables belong to."""
    return np.unique(np.where(variables < n, variables, variables - n + a))


def _largest(values: Floats, allowed: NDArray[np.bool_], count: int) -> Positions:
    """The positions of the largest of the allowed values."""
    index = np.flatnonzero(allowed)
    if len(index) <= count:
        return index
    return index[np.argpartition(-values[index], count)[:count]]
