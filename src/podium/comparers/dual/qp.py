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

Method: decomposition. Each round takes a working set of pairs, the worst violators of the optimality
conditions and some of the last round, and solves the dual over it. It uses coordinate steps (pairs of
variables with second order selection [Fan, Chen & Lin 2005] with the bias, single ones without) and Newton
steps for the free variables if these are slow. Only kernel rows of working sets are computed. Rounds end when
the relative duality gap, with the best β for the current u (a weighted quantile), is at most tol. If C is
large, even a rounding error of f leaves a large gap; then rounds end once several of them have not halved the
gap. The gap includes the rounding error of K, which matters if products of items are large and their
differences small.

Items may be on a device. Kernel rows, the certificate and the choice of a working set are computed there; the
dual over a working set is solved in NumPy, by compiled loops. v, f and the caps are in NumPy.

Many pairs of few items (at most 512 items, at least 8 pairs each) start from the solution of an interior
point method (`interior`), which usually leaves nothing to do. The history then begins with the gaps on its
path, computed with the factored kernel; the last gap is always computed with the exact kernel.
"""

from typing import Any

import numpy as np

from podium.arrays.devices.boundary import beside, namespace, on_device, to_numpy
from podium.comparers.dual.certificate import (
    TINY,
    Certificate,
    certify,
    coefficients,
    free_sides,
    scores,
    violations,
)
from podium.comparers.dual.interior import interior_points, on_bounds
from podium.comparers.dual.kernel_rows import KernelRows
from podium.comparers.dual.steps import solve_with_bias, solve_without_bias
from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.kernel import PairKernel
from podium.numerics.result import Known, SolverResult
from podium.numerics.threads import one_blas_thread

# The number of pairs in a working set. With 1024, 2,000 pairs with C = 1000 take twice as long, and SVMRank
# on 5,000 pairs takes 2.4 times as long.
WORKING_SET = 512
# On a device kernel rows cost little, and the time goes into the solver of a working set and into passes over
# all pairs. For 20,000 pairs 1024 takes less than half the rounds and about the same time in the solver; 2048
# takes a fifth of the rounds, but 2 to 4 times as long in the solver.
DEVICE_WORKING_SET = 1024
# An interior point method is used for at most 512 items with at least 8 pairs each. It is 2 to 12 times
# faster on 3,000 pairs of up to 300 items, and 1.4 times slower on 3,000 pairs of 500 items.
FEW_ITEMS, PAIRS_PER_ITEM = 512, 8
# After this many rounds the problem is badly scaled, and the interior point method is tried for up to 512
# items, however few pairs they have.
STUCK = 30
# A round reduces the violation to this share. SVMRank on 5,000 pairs takes 1.6 times as long with 0.3, and
# 1.5 times with 0.01.
SHARPER = 0.1
SMALL = 1e-6  # a violation above this is not a rounding error
# The search ends after this many rounds that did not halve the gap, if the violation may be a rounding error.
PATIENCE = 3


class PairQP:
    """The problem above for one kernel; kernel rows are kept from one C to the next."""

    def __init__(
        self,
        kernel: PairKernel,
        n_decisive: int,
        *,
        bias: bool,
        rows: KernelRows | None = None,
        working_set: int | None = None,
        stuck: int | None = STUCK,
    ) -> None:
        self.kernel = kernel
        self.n, self.a = len(kernel), n_decisive
        self.bias = bias
        self.rows = KernelRows(kernel) if rows is None else rows
        usual = DEVICE_WORKING_SET if on_device(kernel.items) else WORKING_SET
        self.working_set = usual if working_set is None else working_set
        self.stuck = stuck

    # ------------------------------------------------------------------------------------ the point

    def duals(self, s: Floats, cap: Floats) -> Floats:
        """Without a bias: the best v for a given s."""
        a, tie, room = self.a, s[self.a :], cap[self.a :]
        return np.concatenate([s[:a], room - np.maximum(tie, 0.0), room - np.maximum(-tie, 0.0)])

    # ------------------------------------------------------------------------------------ the method

    def solve(
        self, cap: Floats, *, tol: float, max_iter: int, start: SolverResult | None = None
    ) -> SolverResult:
        """Solve for the caps; ``start`` is the result for another C."""
        with one_blas_thread():
            return self._solve(cap, tol, max_iter, start)

    def _solve(self, cap: Floats, tol: float, max_iter: int, start: SolverResult | None) -> SolverResult:
        history: list[float] = []
        interior = self._few_items() and self._can_use_interior(cap)
        v, f = self._interior_start(cap, tol, history) if interior else self._begin(cap, start)
        chosen: Positions = np.empty(0, dtype=np.intp)
        steps, sharpness, idle, lowest = len(history), SHARPER, 0, np.inf
        while True:
            state = self._certify(v, f, cap)
            history.append(state.gap)
            if state.computed_gap <= tol or len(history) - steps > max_iter:
                break
            idle = 0 if state.gap < 0.5 * lowest else idle + 1
            lowest = lowest if idle else state.gap
            if idle >= PATIENCE and state.violation <= SMALL and state.violation <= self._rounding(v):
                break
            if len(history) == self.stuck and not interior and self._can_use_interior(cap):
                interior = True
                other = self._interior_start(cap, tol, history)
                if self._certify(*other, cap).computed_gap < state.computed_gap:
                    v, f = other
                    continue
            chosen = self._working_set(v, f, cap, chosen)
            moved = self._round(v, f, cap, chosen, sharpness * state.violation)
            sharpness = SHARPER if moved else sharpness * SHARPER
            if sharpness < TINY:
                break
        s = coefficients(v, self.a)
        details = {
            "bias": state.bias,
            "dual": state.dual,
            "violation": state.violation,
            "coefficients": s,
            "differences": f,
        }
        return SolverResult(
            solution=v,
            objective_of=Known(state.primal),
            gradient_norm=None,
            iterations=len(history) - 1,
            converged=bool(state.gap <= tol),
            solver="interior point, pair decomposition" if interior else "pair decomposition",
            history=tuple(history),
            details=details,
            gap=state.gap,
            stalled=state.gap > tol and len(history) - steps <= max_iter,
        )

    def _rounding(self, v: Floats) -> float:
        """The rounding error of an entry of f = K s, whose terms are at most √(K_ii K_jj) s_j."""
        norm = np.sqrt(self.kernel.diagonal)
        size = float(norm.max()) * float(norm @ np.abs(coefficients(v, self.a)))
        return max(TINY, float(np.finfo(float).eps) * size)

    def _few_items(self) -> bool:
        few = min(FEW_ITEMS, self.n // PAIRS_PER_ITEM)
        return self.n > min(self.working_set, WORKING_SET) and self.kernel.n_items <= few

    def _can_use_interior(self, cap: Floats) -> bool:
        return self.kernel.n_items <= FEW_ITEMS and bool(np.isfinite(cap).all())

    def _interior_start(self, cap: Floats, tol: float, history: list[float]) -> tuple[Floats, Floats]:
        """The first point of the interior path good enough for the exact kernel; otherwise the last."""
        v, f = self._begin(cap, None)
        for gap, x in interior_points(self.kernel, self.a, cap, self.bias):
            history.append(gap)
            if gap <= tol:
                v, f = on_bounds(x, self.a, cap, self.bias), np.zeros(self.n)
                if not self.bias:
                    v = self.duals(coefficients(v, self.a), cap)
                self.rows.add(f, np.arange(self.n), coefficients(v, self.a))
                if self._certify(v, f, cap).computed_gap <= tol:
                    break
        return v, f

    def _certify(self, v: Floats, f: Floats, cap: Floats) -> Certificate:
        return certify(*self._there(v, f, cap), self.a, self.bias, self.kernel.rounding)

    def _there(self, v: Floats, f: Floats, cap: Floats) -> tuple[Any, Any, Any]:
        """The point where the items are: passes over all pairs are fastest there."""
        items = self.kernel.items
        return beside(v, items), beside(f, items), beside(cap, items)

    def _begin(self, cap: Floats, start: SolverResult | None) -> tuple[Floats, Floats]:
        """The first v and f: 0, or the best multiple of the warm start that fits under the caps."""
        a, x = self.a, np.zeros(2 * self.n - self.a if self.bias else self.n)  # v, or s without a bias
        f = np.zeros(self.n)
        caps = np.concatenate([cap, cap[a:]]) if self.bias else cap
        if start is not None:
            last, square = start.solution, float(start.details["coefficients"] @ start.details["differences"])
            last = last if self.bias else start.details["coefficients"]
            total = float(last.sum() if self.bias else last[:a].sum() - np.abs(last[a:]).sum())
            used = last != 0
            longest = float(np.min(caps[used] / np.abs(last[used]), initial=np.inf))
            scale = max(min(longest, total / square), 0.0) if square > 0 else 0.0
            x, f = np.clip(scale * last, -caps, caps), scale * start.details["differences"]
        return x if self.bias else self.duals(x, cap), f

    def _working_set(self, v: Floats, f: Floats, cap: Floats, last: Positions) -> Positions:
        """All pairs if they are few; otherwise the worst violators and part of the last working set."""
        n, a = self.n, self.a
        if n <= self.working_set:
            return np.arange(n)
        half = self.working_set // 2 if len(last) else self.working_set
        v, f, cap = self._there(v, f, cap)
        if self.bias:
            score = scores(f, a)
            up, low = free_sides(v, namespace(cap).concat([cap, cap[a:]]), a)
            worst = np.concatenate([_largest(score, up, half // 2), _largest(-score, low, half // 2)])
            worst = np.where(worst < n, worst, worst - n + a)
        else:
            violation = violations(coefficients(v, a), f, cap, a)
            worst = _largest(violation, violation > 0, half)
        fresh = np.unique(worst)
        kept = last[~np.isin(last, fresh)]
        return np.concatenate([fresh, kept[: self.working_set - len(fresh)]])

    def _round(self, v: Floats, f: Floats, cap: Floats, chosen: Positions, eps: float) -> bool:
        """Solve over the chosen pairs, in place; return whether anything moved."""
        n, a = self.n, self.a
        chosen = np.sort(chosen)
        decisive = int(np.searchsorted(chosen, a))
        K = self.rows.block(chosen)
        part = np.concatenate([chosen, chosen[decisive:] - a + n])
        here, own, room = f[chosen], v[part], cap[chosen]
        before = coefficients(own, decisive)
        if self.bias:
            solve_with_bias(K, here, own, room, decisive, eps)
            after = coefficients(own, decisive)
        else:
            after = before.copy()
            solve_without_bias(K, here, after, room, decisive, eps)
            tie = after[decisive:]
            own[:decisive] = after[:decisive]
            own[decisive:] = np.concatenate([room[decisive:]] * 2) - np.maximum(
                np.concatenate([tie, -tie]), 0.0
            )
        v[part] = own
        change = after - before
        if len(chosen) == n:
            f[:] = here
        else:
            self.rows.add(f, chosen[change != 0], change[change != 0])
        return bool(np.any(change != 0))


def _largest(values: Any, allowed: Any, count: int) -> Positions:
    """The positions of the largest of the allowed values."""
    if on_device(values):
        xp = namespace(values)
        first = xp.argsort(xp.where(allowed, values, -np.inf), descending=True)[: min(count, values.shape[0])]
        return np.asarray(to_numpy(first)[to_numpy(xp.take(allowed, first))])
    index = np.flatnonzero(allowed)
    if len(index) <= count:
        return index
    return index[np.argpartition(-values[index], count)[:count]]
