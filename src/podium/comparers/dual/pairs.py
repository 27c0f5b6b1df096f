"""SVMCompare and SVMRank in the dual: where the solver starts.

Many pairs of few items (at most 512 items, at least 8 pairs each) start from the solution of an interior
point method, which usually leaves nothing to do. The history then begins with the gaps on its path, computed
with the factored kernel; the last gap is always computed with the exact kernel. Fewer pairs of few items
start from there if 30 rounds of the decomposition are not enough, which happens if they are badly scaled.

The kernel matrix of k items has a Cholesky factor of rank r ≤ k. With its rows as features, pairs of items
have the right kernel. An interior point step (`podium.comparers.primal.interior`) then costs k²r + r³ and
some sums over the pairs. Two or three dozen steps reach the optimum for any C, while steps in the dual are
slow if C is large and more variables than the rank are free. The factor leaves out pivots below rounding, so
the points here are only candidates: they satisfy the equality constraint exactly, and are checked with the
exact kernel.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from podium.comparers.dual.certificate import Variables, certify
from podium.comparers.dual.kernel_rows import KernelRows
from podium.comparers.dual.qp import Point, solve_dual
from podium.comparers.primal.interior import FlippedRows
from podium.comparers.primal.problem import LinearPairs
from podium.comparisons.arrays import Floats
from podium.numerics.interior import SMALLEST_GAP, State
from podium.numerics.kernels.factor import kernel_factor
from podium.numerics.kernels.kernel import PairKernel
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

ROUNDING = np.finfo(float).epsneg  # pivots below this share of the largest entry times the items are rounding
MOST_STEPS = 80  # two or three dozen are usually enough


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
    upper: Floats,
    n_decisive: int,
    *,
    bias: bool,
    tol: float,
    max_iter: int,
    start: SolverResult | None = None,
    few_items: FewItems = FEW_ITEMS,
) -> SolverResult:
    """Solve for the upper bounds; ``start`` is the result for another C."""
    task = _Task(rows, upper, n_decisive, bias, tol)
    at = None if start is None else task.warm(start)
    if rows.kernel.n_items > few_items.items or not np.isfinite(upper).all():
        return _named("pair decomposition", (), task.decomposed(at, max_iter))
    gaps: list[float] = []
    if not few_items.many_pairs(rows.kernel):
        result = task.decomposed(at, min(few_items.rounds, max_iter))
        if result.converged or result.stalled or result.iterations == max_iter:
            return _named("pair decomposition", (), result)
        gaps, max_iter = list(result.history), max_iter - result.iterations
        at = task.point(result)
    inside = task.interior(gaps)
    if at is None or (inside is not None and task.gap(inside) < task.gap(at)):
        at = inside
    return _named("interior point, pair decomposition", gaps, task.decomposed(at, max_iter))


class _Task(NamedTuple):
    rows: KernelRows
    upper: Floats
    n_decisive: int
    bias: bool
    tol: float

    @property
    def variables(self) -> Variables:
        return Variables(self.upper, self.n_decisive)

    def decomposed(self, at: Point | None, max_iter: int) -> SolverResult:
        rows, upper, n_decisive, bias, tol = self
        return solve_dual(rows, upper, n_decisive, bias=bias, tol=tol, max_iter=max_iter, start=at)

    def interior(self, gaps: list[float]) -> Point | None:
        """The first point of the interior path good enough for the exact kernel; otherwise the last."""
        variables, at = self.variables, None
        with one_blas_thread():
            for gap, x in interior_points(self.rows.kernel, variables, self.bias):
                gaps.append(gap)
                if gap <= self.tol:
                    y = on_bounds(x, variables, self.bias)
                    s = variables.coefficients(y)
                    at = Point(y if self.bias else variables.best(s), np.zeros(len(s)))
                    self.rows.add(at.f, np.arange(len(s)), s)
                    if self.gap(at) <= self.tol:
                        break
        return at

    def gap(self, at: Point) -> float:
        return certify(self.variables, *at, self.bias, self.rows.kernel.rounding).computed_gap

    def point(self, result: SolverResult) -> Point:
        return Point(self.variables.label * result.solution, result.details["differences"])

    def warm(self, last: SolverResult) -> Point:
        """The best multiple of the solution for other bounds that fits under these."""
        variables, (y, f) = self.variables, self.point(last)
        s = last.details["coefficients"]
        x, upper = (y, variables.upper) if self.bias else (s, self.upper)
        a = self.n_decisive
        square, used = float(s @ f), x != 0
        total = float(np.abs(y).sum() if self.bias else s[:a].sum() - np.abs(s[a:]).sum())
        longest = float(np.min(upper[used] / np.abs(x[used]), initial=np.inf))
        scale = max(min(longest, total / square), 0.0) if square > 0 else 0.0
        x = np.clip(scale * x, -upper, upper)
        return Point(x if self.bias else variables.best(x), np.asarray(scale * f))


def _named(name: str, gaps: Sequence[float], result: SolverResult) -> SolverResult:
    history = (*gaps, *result.history)
    return replace(result, solver=name, history=history, iterations=len(history) - 1)


# ------------------------------------------------------------------------------------ the interior path


def interior_points(kernel: PairKernel, variables: Variables, bias: bool) -> Iterator[tuple[float, State]]:
    """The points of the path, each with its relative gap for the factored kernel."""
    gram = kernel.gram
    factor = kernel_factor(gram, ROUNDING * len(gram) * float(np.diagonal(gram).max()))
    if not len(factor.pivots):
        return
    n, ends = len(kernel), (kernel.tail.astype(np.int32), kernel.head.astype(np.int32))
    pairs = LinearPairs(factor.Z, *ends, variables.label[:n] < 0, variables.upper[:n])
    rows = FlippedRows(pairs, fixed_bias=not bias)
    for x in islice(rows.path(), 1, 1 + MOST_STEPS):
        primal = 0.5 * float(x.u @ x.u) + float(rows.cost @ x.xi)
        gap = x.products / max(primal, SMALLEST_GAP)
        yield gap, x
        if gap <= SMALLEST_GAP:
            return


def on_bounds(x: State, variables: Variables, bias: bool) -> Floats:
    """The y of a point, where each α that tends to a bound is put on it, and the others are shifted until
    the equality constraint holds again.

    One of the two factors in α s = μ tends to 0. It is the smaller one, if α is measured in units of c. The
    same holds for (c - α) ξ = μ.
    """
    upper, label = variables.upper, variables.label
    alpha = np.clip(x.alpha, 0.0, upper)
    v = np.where(alpha < upper * x.s, 0.0, np.where(x.rest < upper * x.xi, upper, alpha))
    if not bias:
        return np.asarray(label * v)
    excess, room = float(label @ v), np.minimum(v, upper - v)
    if abs(excess) < room.sum():
        return np.asarray(label * v - room * (excess / room.sum()))
    # The point is still too far from the optimum to tell which bounds hold: scale the larger sum down.
    decisive, tied = float(alpha[label > 0].sum()), float(alpha[label < 0].sum())
    shrink = np.where(label > 0, min(1.0, tied / decisive), min(1.0, decisive / tied))
    return np.asarray(label * alpha * shrink)
