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

Method: decomposition. A round takes a working set of pairs, those that violate the optimality conditions most
and some of the last round, and solves the dual over it by coordinate steps: pairs of variables with second
order selection [Fan, Chen & Lin 2005] with the bias, single ones without, and Newton steps for the free
variables where these creep. Only kernel rows of working sets are ever computed. Rounds end when the relative
duality gap, in float64 and with the best β for the present u (a weighted quantile), is at most tol.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.kernels import Floats, PairKernel
from podium.solvers.kernel_rows import KernelRows
from podium.solvers.one_thread import one_blas_thread
from podium.solvers.pair_steps import solve_with_bias, solve_without
from podium.solvers.result import SolverResult

Index = NDArray[np.intp]

WHOLE = 600  # up to so many pairs the working set is everything
WORKING_SET = 512
LARGE_WORKING_SET = 1024
LARGE = 4000  # from so many pairs on, the larger one
SHARPER = 0.1  # a round takes nine tenths of the violation in its working set away
TINY = 1e-12


class Certificate(NamedTuple):
    """What is known at a dual point: both objectives, the best β there, and how far from optimal it is."""

    primal: float
    dual: float
    bias: float
    violation: float

    @property
    def gap(self) -> float:
        """Relative to the primal objective, which is not negative."""
        if np.isinf(self.primal):
            return np.inf
        return max(self.primal - self.dual, 0.0) / max(self.primal, TINY)


class PairQP:
    """The problem at the head of this file for one kernel; kernel rows are kept from one C to the next."""

    def __init__(
        self, kernel: PairKernel, n_decisive: int, *, bias: bool, rows: KernelRows | None = None
    ) -> None:
        self.kernel = kernel
        self.n, self.a = len(kernel), n_decisive
        self.bias = bias
        self.rows = KernelRows(kernel) if rows is None else rows

    # ------------------------------------------------------------------------------------ the point

    def coefficients(self, v: Floats) -> Floats:
        """s, the coefficients of the pairs in u."""
        return self._merge(v, self.a)

    @staticmethod
    def _merge(v: Floats, a: int) -> Floats:
        n = (len(v) + a) // 2
        return np.concatenate([v[:a], v[n:] - v[a:n]])

    def duals(self, s: Floats, cap: Floats) -> Floats:
        """Without a bias: the best v for a given s."""
        a, tie, room = self.a, s[self.a :], cap[self.a :]
        return np.concatenate([s[:a], room - np.maximum(tie, 0.0), room - np.maximum(-tie, 0.0)])

    def scores(self, f: Floats) -> Floats:
        """For every dual variable ỹ - (± f), the β at which its hinge begins; mirrored ties last."""
        a = self.a
        return np.concatenate([1.0 - f[:a], -1.0 - f[a:], -1.0 + f[a:]])

    def certificate(self, v: Floats, f: Floats, cap: Floats) -> Certificate:
        a, n = self.a, self.n
        caps = np.concatenate([cap, cap[a:]])
        score = self.scores(f)
        if self.bias:
            bias = best_bias(score, caps, a)
            up, low = self.free_sides(v, caps)
            violation = max(np.max(score[up], initial=-np.inf) - np.min(score[low], initial=np.inf), 0.0)
        else:
            bias = 0.0
            violation = float(np.max(_violations(self.coefficients(v), f, cap, a), initial=0.0))
        slack = np.concatenate([score[:a] - bias, bias - score[a:]])
        s = self.coefficients(v)
        square = float(s @ f)
        if np.isinf(caps).any():  # hard margin: scale u until the smallest margin is 1
            least = float(np.min(f[:n], initial=np.inf))
            primal = 0.5 * square / least**2 if least > 0 else np.inf
        else:
            primal = 0.5 * square + float(caps @ np.maximum(slack, 0.0))
        dual = float(v.sum()) - 0.5 * square
        if self.bias:  # what rounding adds to the equality constraint must not pass for a better bound
            dual -= abs(bias * float(v[:a].sum() - v[a:].sum()))
        return Certificate(primal, dual, bias, violation)

    def free_sides(self, v: Floats, caps: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which variables may move so that β is pushed up, and which so that it is pushed down."""
        more, less = v < caps, v > 0
        decisive = np.arange(len(v)) < self.a
        return np.where(decisive, more, less), np.where(decisive, less, more)

    # ------------------------------------------------------------------------------------ the method

    def solve(
        self, cap: Floats, *, tol: float, max_iter: int, start: SolverResult | None = None
    ) -> SolverResult:
        """Solve for the caps; ``start`` is the result for another C."""
        with one_blas_thread():
            return self._solve(cap, tol, max_iter, start)

    def _solve(self, cap: Floats, tol: float, max_iter: int, start: SolverResult | None) -> SolverResult:
        v, f = self._begin(cap, start)
        chosen: Index = np.empty(0, dtype=np.intp)
        history: list[float] = []
        sharpness = SHARPER
        while True:
            state = self.certificate(v, f, cap)
            history.append(state.gap)
            if state.gap <= tol or len(history) > max_iter or state.violation <= TINY:
                break
            chosen = self._working_set(v, f, cap, chosen)
            moved = self._round(v, f, cap, chosen, sharpness * state.violation)
            sharpness = SHARPER if moved else sharpness * SHARPER
            if sharpness < TINY:
                break
        s = self.coefficients(v)
        details = {"bias": state.bias, "dual": state.dual, "coefficients": s, "differences": f}
        return SolverResult(
            solution=v,
            objective_of=_Known(state.primal),
            gradient_norm=state.violation,
            iterations=len(history) - 1,
            converged=bool(state.gap <= tol),
            solver="pair decomposition",
            history=tuple(history),
            details=details,
            gap=state.gap,
        )

    def _begin(self, cap: Floats, start: SolverResult | None) -> tuple[Floats, Floats]:
        """The first v and f; from a warm start the best multiple of it that fits under the caps."""
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

    def _working_set(self, v: Floats, f: Floats, cap: Floats, last: Index) -> Index:
        """Everything if it is little; else the worst violators, and what is left of the last working set."""
        n, a = self.n, self.a
        if n <= WHOLE:
            return np.arange(n)
        size = WORKING_SET if n < LARGE else LARGE_WORKING_SET
        half = size // 2 if len(last) else size
        if self.bias:
            score = self.scores(f)
            up, low = self.free_sides(v, np.concatenate([cap, cap[a:]]))
            worst = np.concatenate([_largest(score, up, half // 2), _largest(-score, low, half // 2)])
            worst = np.where(worst < n, worst, worst - n + a)
        else:
            violation = _violations(self.coefficients(v), f, cap, a)
            worst = _largest(violation, violation > 0, half)
        fresh = np.unique(worst)
        kept = last[~np.isin(last, fresh)]
        return np.concatenate([fresh, kept[: size - len(fresh)]])

    def _round(self, v: Floats, f: Floats, cap: Floats, chosen: Index, eps: float) -> bool:
        """Solve over the chosen pairs, in place, decisive ones first; whether anything moved."""
        n, a = self.n, self.a
        chosen = np.sort(chosen)
        decisive = int(np.searchsorted(chosen, a))
        K = self.rows.block(chosen)
        part = np.concatenate([chosen, chosen[decisive:] - a + n])
        here, own, room = f[chosen], v[part], cap[chosen]
        before = self._merge(own, decisive)
        if self.bias:
            solve_with_bias(K, here, own, room, decisive, eps)
            after = self._merge(own, decisive)
        else:
            after = before.copy()
            solve_without(K, here, after, room, decisive, eps)
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


def best_bias(score: Floats, caps: Floats, n_decisive: int) -> float:
    """The β with the least hinge loss: where the caps of scores below it add up to those of decisive pairs.

    >>> best_bias(np.array([3.0, -1.0, -2.0]), np.array([1.0, 1.0, 1.0]), 1)
    -1.5
    """
    order = np.argsort(score, kind="stable")
    total = float(caps[:n_decisive].sum())
    reached = np.cumsum(caps[order])
    at = int(np.searchsorted(reached, total * (1 - TINY)))
    low = float(score[order[at]])
    if at + 1 < len(order) and reached[at] <= total * (1 + TINY):  # flat up to the next score
        return 0.5 * (low + float(score[order[at + 1]]))
    return low


def nothing_to_solve(note: str) -> SolverResult:
    """Where u = 0 is known to be optimal."""
    return SolverResult(np.zeros(0), _Known(0.0), 0.0, 0, True, "none", details={"fallback": note}, gap=0.0)


@dataclass(frozen=True)
class _Known:
    """An objective that the solver has evaluated already; unlike a lambda it can be pickled."""

    value: float

    def __call__(self, _: Floats) -> float:
        return self.value


def _largest(values: Floats, allowed: NDArray[np.bool_], count: int) -> Index:
    index = np.flatnonzero(allowed)
    if len(index) <= count:
        return index
    return index[np.argpartition(-values[index], count)[:count]]


def _violations(s: Floats, f: Floats, cap: Floats, a: int) -> Floats:
    """Without a bias: how far 0 is from the subgradient of ½s'Ks - Σ_{decisive} s + Σ_{ties} |s|."""
    out = np.zeros(len(s))
    g = f[:a] - 1.0
    out[:a] = np.where(s[:a] < cap[:a], np.maximum(-g, 0.0), 0.0)
    out[:a] = np.maximum(out[:a], np.where(s[:a] > 0, np.maximum(g, 0.0), 0.0))
    t, g, room = s[a:], f[a:], cap[a:]
    up = np.where(t < room, np.maximum(-g - np.where(t >= 0, 1.0, -1.0), 0.0), 0.0)
    down = np.where(t > -room, np.maximum(g - np.where(t <= 0, 1.0, -1.0), 0.0), 0.0)
    out[a:] = np.maximum(up, down)
    return out
