"""SVMCompareLP: the largest margin, measured in values of the ranking function, by a linear program."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from podium.arrays.devices.boundary import in_numpy
from podium.comparers.kernel_machine import Fit, KernelMachine, TrainingPairs
from podium.numerics.kernels.kernel import KernelName
from podium.numerics.parameters import check_not_negative

if TYPE_CHECKING:
    from podium.comparers.margin_lp import MarginProblem

KERNEL_L1 = 1e-3  # l1="auto" for kernels: a larger penalty gives fewer support items and a smaller margin


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

    def __init__(
        self,
        kernel: KernelName | Callable[..., Any] = "linear",
        *,
        C: float = np.inf,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        l1: float | Literal["auto"] = "auto",
        class_weight: dict[int, float] | Literal["balanced"] | None = None,
        scale: bool = False,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.l1 = l1
        self.class_weight = class_weight
        self.scale = scale

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
        from podium.comparers.margin_lp import MarginProblem, rows_that_need_slack, solve_margin_lp

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


def _contradiction(problem: "MarginProblem", data: TrainingPairs) -> str:
    from podium.comparers.margin_lp import rows_that_need_slack

    rows = np.sort(data.row[rows_that_need_slack(problem)])
    named = ", ".join(f"{row + 1:,}" for row in rows[:5])
    more = f" and {len(rows) - 5:,} more" if len(rows) > 5 else ""
    return (
        f"no ranking function of this kernel separates the pairs unless rows such as {named}{more} "
        "(counting from 1) are left out; give a finite C to allow slack"
    )
