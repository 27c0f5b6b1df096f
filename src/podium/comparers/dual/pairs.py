"""SVMCompare and SVMRank in the dual: where the solver starts.

Many pairs of few items (at most 512 items, at least 8 pairs each) start from the solution of an interior
point method (`interior`), which usually leaves nothing to do. The history then begins with the gaps on its
path, computed with the factored kernel; the last gap is always computed with the exact kernel. Fewer pairs of
few items start from there if 30 rounds of the decomposition are not enough, which happens if they are badly
scaled.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from podium.comparers.dual.certificate import certify, coefficients
from podium.comparers.dual.interior import interior_points, on_bounds
from podium.comparers.dual.kernel_rows import KernelRows
from podium.comparers.dual.qp import Point, duals, solve_dual
from podium.comparisons.arrays import Floats
from podium.numerics.kernels.kernel import PairKernel
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread


class FewItems(NamedTuple):
    """When the interior point method is used.

    At first if there are more than so many pairs of so few items: it is 2 to 12 times faster on 3,000 pairs
    of up to 300 items, and 1.4 times slower on 3,000 pairs of 500. Otherwise after so many rounds: 150 badly
    scaled pairs of 60 items take 2 to 7 times as long without it.
    """

    items: int = 512
    pairs_per_item: int = 8
    pairs: int = 512
    rounds: int = 30

    def many_pairs(self, kernel: PairKernel) -> bool:
        return len(kernel) > max(self.pairs, self.pairs_per_item * kernel.n_items - 1)


FEW_ITEMS = FewItems()


def solve_pairs(
    rows: KernelRows,
    cap: Floats,
    n_decisive: int,
    *,
    bias: bool,
    tol: float,
    max_iter: int,
    start: SolverResult | None = None,
    few_items: FewItems = FEW_ITEMS,
) -> SolverResult:
    """Solve for the caps; ``start`` is the result for another C."""
    task = _Task(rows, cap, n_decisive, bias, tol)
    at = None if start is None else _warm_start(start, cap, n_decisive, bias)
    if rows.kernel.n_items > few_items.items or not np.isfinite(cap).all():
        return _named("pair decomposition", (), task.decomposed(at, max_iter))
    gaps: list[float] = []
    if not few_items.many_pairs(rows.kernel):
        result = task.decomposed(at, min(few_items.rounds, max_iter))
        if result.converged or result.stalled or result.iterations == max_iter:
            return _named("pair decomposition", (), result)
        gaps, max_iter = list(result.history), max_iter - result.iterations
        at = Point(result.solution, result.details["differences"])
    inside = task.interior(gaps)
    if at is None or (inside is not None and task.gap(inside) < task.gap(at)):
        at = inside
    return _named("interior point, pair decomposition", gaps, task.decomposed(at, max_iter))


class _Task(NamedTuple):
    rows: KernelRows
    cap: Floats
    a: int
    bias: bool
    tol: float

    def decomposed(self, at: Point | None, max_iter: int) -> SolverResult:
        rows, cap, a, bias, tol = self
        return solve_dual(rows, cap, a, bias=bias, tol=tol, max_iter=max_iter, start=at)

    def interior(self, gaps: list[float]) -> Point | None:
        """The first point of the interior path good enough for the exact kernel; otherwise the last."""
        rows, cap, a, bias, tol = self
        at = None
        with one_blas_thread():
            for gap, x in interior_points(rows.kernel, a, cap, bias):
                gaps.append(gap)
                if gap <= tol:
                    v = on_bounds(x, a, cap, bias)
                    s = coefficients(v, a)
                    at = Point(v if bias else duals(s, cap, a), np.zeros(len(s)))
                    rows.add(at.f, np.arange(len(s)), s)
                    if self.gap(at) <= tol:
                        break
        return at

    def gap(self, at: Point) -> float:
        return certify(*at, self.cap, self.a, self.bias, self.rows.kernel.rounding).computed_gap


def _named(name: str, gaps: Sequence[float], result: SolverResult) -> SolverResult:
    history = (*gaps, *result.history)
    return replace(result, solver=name, history=history, iterations=len(history) - 1)


def _warm_start(last: SolverResult, cap: Floats, a: int, bias: bool) -> Point:
    """The best multiple of the solution for other caps that fits under these."""
    s, f = last.details["coefficients"], last.details["differences"]
    x = last.solution if bias else s
    caps = np.concatenate([cap, cap[a:]]) if bias else cap
    square = float(s @ f)
    total = float(x.sum() if bias else x[:a].sum() - np.abs(x[a:]).sum())
    used = x != 0
    longest = float(np.min(caps[used] / np.abs(x[used]), initial=np.inf))
    scale = max(min(longest, total / square), 0.0) if square > 0 else 0.0
    x = np.clip(scale * x, -caps, caps)
    return Point(x if bias else duals(x, cap, a), scale * f)
