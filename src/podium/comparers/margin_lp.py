"""The max-margin comparison problem as a linear program, by HiGHS.

For pairs whose ``upper`` side is the better one, or which are ties, with d = F_upper - F_lower and weights w:

    minimise over a, μ, ξ   -μ + C Σ w_i ξ_i + λ ‖a‖₁
    subject to              |a·d_i| ≤ 1 - μ + ξ_i        for a tie
                             a·d_i  ≥ 1 + μ - ξ_i        for the others,      0 ≤ μ ≤ 1,  ξ ≥ 0.

With C = ∞ there is no ξ, and with λ = 0 this is (7) of [SVMcompare]: feasible if and only if the pairs are
linearly separable. §5 proposes a finite C and a kernel matrix F. μ ≤ 1 follows from any tie without slack; it
is a constraint here because (7) is unbounded without ties.

The certificate is the dual value, from the multipliers of HiGHS.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog

from podium.comparisons.arrays import Floats
from podium.numerics.result import Known, SolverResult

INFEASIBLE = 2  # status of linprog
SLACK = 1e-6  # more than the feasibility tolerance of HiGHS


@dataclass(frozen=True)
class MarginProblem:
    """Rows of features (or of a kernel matrix) of items, and pairs of items, flipped as in (8)."""

    F: Any
    lower: NDArray[np.integer[Any]]
    upper: NDArray[np.integer[Any]]
    tie: NDArray[np.bool_]
    weight: Floats

    @property
    def differences(self) -> Any:
        return sparse.csr_array(self.F[self.upper] - self.F[self.lower])


def solve_margin_lp(problem: MarginProblem, C: float = np.inf, l1: float = 0.0) -> SolverResult | None:
    """The coefficients a, followed by μ; None if C is infinite and the pairs are not separable."""
    n, q = len(problem.tie), problem.F.shape[1]
    soft, split = bool(np.isfinite(C)), l1 > 0  # with an L1 penalty, a is split into a⁺ - a⁻
    A, b = _constraints(problem, soft, split)
    n_coefficients = 2 * q if split else q
    cost = np.concatenate([np.full(n_coefficients, l1), [-1.0], C * problem.weight if soft else np.empty(0)])
    low = np.concatenate(
        [np.full(n_coefficients, 0.0 if split else -np.inf), np.zeros(len(cost) - n_coefficients)]
    )
    high = np.full(len(cost), np.inf)
    high[n_coefficients] = 1.0
    found = linprog(cost, A_ub=A, b_ub=b, bounds=np.column_stack([low, high]), method="highs")
    if found.status == INFEASIBLE:
        return None
    if found.x is None:
        raise RuntimeError(f"HiGHS found no solution: {found.message}")
    a = found.x[:q] - found.x[q : 2 * q] if split else found.x[:q]
    solution = np.append(a, found.x[n_coefficients])
    slack = found.x[n_coefficients + 1 :] if soft else np.zeros(n)
    return _result(found, b, high, solution, slack)


def rows_that_need_slack(problem: MarginProblem) -> NDArray[np.intp]:
    """The pairs with slack when Σ ξ is minimised subject to (7) with μ = 0."""
    A, b = _constraints(problem, soft=True, split=False)
    q, n = problem.F.shape[1], len(problem.tie)
    cost = np.concatenate([np.zeros(q + 1), np.ones(n)])
    bounds = np.column_stack([np.r_[np.full(q, -np.inf), np.zeros(n + 1)], np.full(q + 1 + n, np.inf)])
    found = linprog(cost, A_ub=A, b_ub=b, bounds=bounds, method="highs")
    if found.x is None:
        raise RuntimeError(f"HiGHS found no solution: {found.message}")
    return np.flatnonzero(found.x[q + 1 :] > SLACK)


def _constraints(problem: MarginProblem, soft: bool, split: bool) -> tuple[Any, Floats]:
    """A and b of A z ≤ b; a tie has two rows and one ξ."""
    D, tie = problem.differences, problem.tie
    rows = np.concatenate([np.flatnonzero(~tie), np.flatnonzero(tie), np.flatnonzero(tie)])
    n_decisive, n_ties = int((~tie).sum()), int(tie.sum())
    sign = np.repeat([-1.0, 1.0, -1.0], [n_decisive, n_ties, n_ties])
    signed = sparse.diags_array(sign) @ D[rows]
    blocks = [signed, -signed] if split else [signed]
    blocks.append(sparse.csr_array(np.ones((len(rows), 1))))
    if soft:
        entry = np.full(len(rows), -1.0), (np.arange(len(rows)), rows)
        blocks.append(sparse.csr_array(entry, shape=(len(rows), len(tie))))
    return sparse.hstack(blocks, format="csr"), np.repeat([-1.0, 1.0], [n_decisive, 2 * n_ties])


def _result(found: OptimizeResult, b: Floats, high: Floats, solution: Floats, slack: Floats) -> SolverResult:
    capped = np.isfinite(high)
    dual = float(b @ found.ineqlin.marginals + high[capped] @ found.upper.marginals[capped])
    gap = abs(found.fun - dual) / max(1.0, abs(found.fun))
    worst = float(max(0.0, -found.ineqlin.residual.min(initial=0.0)))
    return SolverResult(
        solution=solution,
        objective_of=Known(float(found.fun)),
        gradient_norm=None,
        iterations=int(found.nit),
        converged=found.status == 0,
        solver="highs",
        details={"primal": float(found.fun), "dual": dual, "violation": worst, "slack": slack},
        gap=gap,
    )
