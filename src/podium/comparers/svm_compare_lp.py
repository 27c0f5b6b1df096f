"""SVMCompareLP: the largest margin, measured in values of the ranking function, by a linear program."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from podium.arrays.devices.boundary import in_numpy
from podium.comparers.kernel_machine import Fit, KernelMachine, TrainingPairs
from podium.comparisons.arrays import Floats
from podium.numerics.kernels.kernel import KernelName
from podium.numerics.parameters import check_not_negative
from podium.numerics.result import ConstantObjective, SolverResult

INFEASIBLE = 2  # status of linprog
SLACK = 1e-6  # more than the feasibility tolerance of HiGHS
KERNEL_L1 = 1e-3  # l1="auto" for kernels: a larger penalty gives fewer support items and a smaller margin


@dataclass(eq=False, repr=False)
class SVMCompareLP(KernelMachine):
    """The largest margin between ties and decisive pairs, by a linear program: equation (7) of [SVMcompare].

    Use it for small data, to test whether pairs are separable, for sparse solutions, or if `SVMCompare` warns
    about its bias. The boundaries r(x') - r(x) = ±1 are fixed, and μ is the smallest distance of a pair from
    them, measured in values of r:

        maximise over r, μ, ξ   μ - C Σ w_i ξ_i - λ ‖a‖₁
        subject to              |r(x'_i) - r(x_i)|     ≤ 1 - μ + ξ_i   for ties
                                (r(x'_i) - r(x_i)) y_i ≥ 1 + μ - ξ_i   for the others,   0 ≤ μ ≤ 1,  ξ ≥ 0

    with r(x) = a·x, or r(x) = Σ_j a_j κ(x_j, x) over the training items. Slack and kernel are the future work
    of §5 of the paper. The L1 penalty leaves few items or features with a coefficient. There is no bias whose
    sign could be wrong, even with few ties. Without ties, only the constraint μ ≤ 1 bounds the margin.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="linear"
        The kernel between two items, as in `SVMCompare`.
    C : float, default=np.inf
        The cost of a unit of slack. ``np.inf`` is (7) itself, without slack: `fit` then tests whether the
        pairs are separable and, if they are not, raises a ValueError that names rows at fault. With a finite
        C, the pairs that violate their margin have a total weight of at most 1/C (unless μ is 0), so
        C = 1/(νn) allows a share ν of the pairs.
    gamma : {"scale", "auto"} or float, default="scale"
        The γ of "poly" and "rbf", as in `SVMCompare`.
    degree : int, default=3
        The degree of "poly".
    coef0 : float, default=0.0
        The constant term of "poly".
    l1 : "auto" or float, default="auto"
        The penalty λ. ``"auto"`` is 0 for the linear kernel and 1e-3 for all others, since these could
        separate almost any pairs.
    class_weight : dict, "balanced" or None, default=None
        A factor of C for some of the outcomes, as in `SVMCompare`.
    scale : bool, default=False
        Standardise the features by the training items, as in `SVMCompare`.

    Attributes
    ----------
    margin_ : float
        μ.
    separable_ : bool
        Whether (7) is feasible.
    bias_ : float
        -1/μ, as in Lemma 1.
    threshold_ : float
        1, the largest difference of r that is predicted as a tie.
    coef_ : array of shape (n_features,)
        Linear kernel only: the coefficients a, for the features as given.
    support_ : array of int
        Other kernels: positions of the items with a coefficient, among ``c.items`` as in `SVMCompare`.
    support_vectors_ : array of shape (n_support, n_features)
        Other kernels: the features of these items as given; not with a precomputed kernel.
    item_coef_ : array of shape (n_support,)
        Other kernels: their coefficients a.
    gamma_ : float
        The value of γ that was used.
    feature_mean_ : array of shape (n_features,)
        With ``scale=True``: what is subtracted from the features; 0 if they are sparse.
    feature_scale_ : array of shape (n_features,)
        With ``scale=True``: what they are divided by; 1 for a constant feature.
    classes_ : array of int
        -1, 0, 1.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of str
        Their names, if they have any.
    n_iter_ : int
        Iterations of HiGHS, at least 1.
    result_ : SolverResult
        The report of the solver, with ``objective`` and ``gap``; ``details`` has ξ of the distinct pairs.

    See Also
    --------
    SVMCompare : pairs with features, learns from ties

    Examples
    --------
    >>> X = [[[0.0], [1.0]], [[0.0], [3.0]], [[4.0], [0.0]]]
    >>> model = SVMCompareLP().fit(X, [0, 1, -1])
    >>> model.coef_, model.margin_
    (array([0.5]), 0.5)
    """

    kernel: KernelName | Callable[..., Any] = "linear"
    _: KW_ONLY
    C: float = np.inf
    l1: float | Literal["auto"] = "auto"
    class_weight: dict[int, float] | Literal["balanced"] | None = None
    scale: bool = False

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, c: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from comparisons.

        Parameters
        ----------
        c : Comparisons with features, or an array of shape (n, 2, p)
            The left and the right side of each comparison.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``. The slack of a comparison costs C times its weight; a row of
            weight 0 is left out.

        Returns
        -------
        self
        """
        data = self._read(in_numpy(c, "SVMCompareLP"), y, sample_weight)
        kernel = self._kernel_for(data)
        linear = self.kernel == "linear"
        F = kernel.centred(data.items) if linear else data.kernel(kernel).gram
        problem = MarginProblem(F, data.tail, data.head, data.outcome == 0, data.weight)
        result = solve_margin_lp(problem, self.C, self._l1())
        if result is None:
            raise ValueError(_contradiction(problem, data))
        separable = not (result.details["slack"] > 1e-9).any() or not len(rows_that_need_slack(problem))
        a, margin = result.solution[:-1], float(result.solution[-1])
        bias = -1.0 / margin if margin > 0 else -np.inf
        result.warn_if_stopped_early(None, "scale the features")
        self._adopt(data, kernel, Fit(a, bias, margin, 1.0, result), coef=a if linear else None)
        self.separable_ = separable
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_not_negative("l1", self.l1, unless=("auto",))

    def _l1(self) -> float:
        if self.l1 == "auto":
            return 0.0 if self.kernel == "linear" else KERNEL_L1
        return float(self.l1)


# ------------------------------------------------------------------------------------ the linear program


@dataclass(frozen=True)
class MarginProblem:
    """Rows of features (or of a kernel matrix) of items, and pairs of items, flipped as in (8)."""

    F: Any
    lower: NDArray[np.integer[Any]]
    upper: NDArray[np.integer[Any]]
    tie: NDArray[np.bool_]
    weight: Floats


def solve_margin_lp(problem: MarginProblem, C: float = np.inf, l1: float = 0.0) -> SolverResult | None:
    """The coefficients a, followed by μ; None if C is infinite and the pairs are not separable.

    With C = ∞ there is no ξ, and with λ = 0 this is (7) of [SVMcompare]: feasible if and only if the pairs
    are linearly separable. μ ≤ 1 follows from any tie without slack; it is a constraint here because (7) is
    unbounded without ties. The certificate is the dual value, from the multipliers of HiGHS.
    """
    n, q = len(problem.tie), problem.F.shape[1]
    soft, split = bool(np.isfinite(C)), l1 > 0  # with an L1 penalty, a is split into a⁺ - a⁻
    A, b = _constraints(problem, soft, split)
    n_coefficients = 2 * q if split else q
    cost = np.concatenate([np.full(n_coefficients, l1), [-1.0], C * problem.weight if soft else np.empty(0)])
    low, high = np.zeros(len(cost)), np.full(len(cost), np.inf)
    low[:n_coefficients] = 0.0 if split else -np.inf
    high[n_coefficients] = 1.0
    found = _linear_program(cost, A, b, low, high)
    if found is None:
        return None
    a = found.x[:q] - found.x[q : 2 * q] if split else found.x[:q]
    solution = np.append(a, found.x[n_coefficients])
    slack = found.x[n_coefficients + 1 :] if soft else np.zeros(n)
    return _result(found, b, high, solution, slack)


def rows_that_need_slack(problem: MarginProblem) -> NDArray[np.intp]:
    """The pairs with slack when Σ ξ is minimised subject to (7) with μ = 0."""
    A, b = _constraints(problem, soft=True, split=False)
    q, n = problem.F.shape[1], len(problem.tie)
    cost = np.concatenate([np.zeros(q + 1), np.ones(n)])
    low = np.concatenate([np.full(q, -np.inf), np.zeros(n + 1)])
    found = _linear_program(cost, A, b, low, np.full(q + 1 + n, np.inf))
    assert found is not None  # enough slack makes all pairs feasible
    return np.flatnonzero(found.x[q + 1 :] > SLACK)


def _linear_program(cost: Floats, A: Any, b: Floats, low: Floats, high: Floats) -> Any:
    """What HiGHS finds; None if the constraints contradict each other."""
    from scipy.optimize import linprog

    found = linprog(cost, A_ub=A, b_ub=b, bounds=np.column_stack([low, high]), method="highs")
    if found.status == INFEASIBLE:
        return None
    if found.x is None:
        raise RuntimeError(f"HiGHS found no solution: {found.message}")
    return found


def _constraints(problem: MarginProblem, soft: bool, split: bool) -> tuple[Any, Floats]:
    """A and b of A z ≤ b; a tie has two rows and one ξ."""
    from scipy import sparse

    D, tie = sparse.csr_array(problem.F[problem.upper] - problem.F[problem.lower]), problem.tie
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


def _result(found: Any, b: Floats, high: Floats, solution: Floats, slack: Floats) -> SolverResult:
    capped = np.isfinite(high)
    dual = float(b @ found.ineqlin.marginals + high[capped] @ found.upper.marginals[capped])
    gap = abs(found.fun - dual) / max(1.0, abs(found.fun))
    worst = float(max(0.0, -found.ineqlin.residual.min(initial=0.0)))
    return SolverResult(
        solution=solution,
        objective_of=ConstantObjective(float(found.fun)),
        gradient_norm=None,
        iterations=int(found.nit),
        converged=found.status == 0,
        solver="highs",
        details={"primal": float(found.fun), "dual": dual, "violation": worst, "slack": slack},
        gap=gap,
    )


def _contradiction(problem: MarginProblem, data: TrainingPairs) -> str:
    rows = np.sort(data.row[rows_that_need_slack(problem)])
    named = ", ".join(f"{row + 1:,}" for row in rows[:5])
    more = f" and {len(rows) - 5:,} more" if len(rows) > 5 else ""
    return (
        f"no ranking function of this kernel separates the pairs unless rows such as {named}{more} "
        "(counting from 1) are left out; give a finite C to allow slack"
    )
