"""SVMCompareLP: the largest margin in values of the ranking function, by a linear program."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from podium.comparers.kernel_machine import Fit, KernelMachine, TrainingPairs
from podium.numerics.kernels.kernel import KernelName
from podium.numerics.parameters import check_not_negative, check_positive

if TYPE_CHECKING:
    from podium.comparers.margin_lp import MarginProblem

KERNEL_L1 = 1e-3


class SVMCompareLP(KernelMachine):
    """The max-margin linear program (7) of [SVMcompare]; with slack and kernel, the future work of its §5.

    The boundaries r(x') - r(x) = ±1 are fixed, and μ is the smallest distance to them, in values of r:

        maximise over r, μ, ξ   μ - C Σ w_i ξ_i - λ ‖a‖₁
        subject to              |r(x'_i) - r(x_i)|     ≤ 1 - μ + ξ_i   for ties
                                (r(x'_i) - r(x_i)) y_i ≥ 1 + μ - ξ_i   for the others,   0 ≤ μ ≤ 1,  ξ ≥ 0

    with r(x) = a·x, or r(x) = Σ_j a_j κ(x_j, x) over the items of the training pairs. The regulariser is of
    the L1 type: few items or features have a coefficient. Unlike the quadratic program, this one has no bias
    that could come out with the wrong sign, however few the ties; without any, μ stops at 1.

    ``C=np.inf``, the default, is (7) itself: no slack. `fit` is then a test of linear separability: it raises
    a ValueError that names rows in the way if the pairs are not separable. With a finite C, pairs beyond
    their margin have at most the weight 1/C in all (unless μ is 0), so that C = 1/(νn) allows the share ν of
    them. ``l1`` is λ: by default 0 for the linear kernel, and 1e-3 for others, which would separate anything.

    Fitted attributes: ``margin_`` (μ), ``separable_`` (whether (7) is feasible), ``bias_`` (-1/μ, as in Lemma
    1), ``coef_`` (linear kernel: ŵ), ``support_`` (other kernels: items with a coefficient) and
    ``item_coef_``, ``threshold_`` (1), ``gamma_``, ``classes_``, ``n_features_in_`` and ``feature_names_in_``
    (if they have names), ``result_`` (with ``objective`` and ``gap``; ξ of the distinct pairs is in
    ``details``).

    >>> X = [[[0.0], [1.0]], [[0.0], [3.0]], [[4.0], [0.0]]]
    >>> model = SVMCompareLP().fit(X, [0, 1, -1])
    >>> model.coef_, model.margin_
    (array([0.5]), 0.5)
    """

    def __init__(
        self,
        kernel: KernelName | Callable[..., Any] = "linear",
        C: float = np.inf,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        l1: float | Literal["auto"] = "auto",
        class_weight: dict[int, float] | Literal["balanced"] | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.l1 = l1
        self.class_weight = class_weight

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from comparisons with features, or an array (n, 2, p), and the outcomes ``y`` where given."""
        from podium.comparers.margin_lp import MarginProblem, rows_that_need_slack, solve_margin_lp

        data = self._read(pairs, y, sample_weight)
        kernel = self._kernel_for(data)
        F = kernel.centred(data.items) if self.kernel == "linear" else data.kernel(kernel).gram
        problem = MarginProblem(F, data.tail, data.head, data.outcome == 0, data.weight)
        result = solve_margin_lp(problem, self.C, self._l1())
        if result is None:
            raise ValueError(_contradiction(problem, data))
        separable = not (result.details["slack"] > 1e-9).any() or not len(rows_that_need_slack(problem))
        a, margin = result.solution[:-1], float(result.solution[-1])
        bias = -1.0 / margin if margin > 0 else -np.inf
        linear = self.kernel == "linear"
        items = np.zeros(len(data.columns)) if linear else a
        self._adopt(data, kernel, Fit(items, bias, margin, 1.0, result))
        self.separable_ = separable
        if linear:
            self.coef_ = a
        result.warn_if_stopped_early(None, "scale the features")
        return self

    def _check_parameters(self) -> None:
        check_positive("C", self.C, finite=False)
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
        f"no ranking function of this kernel separates the pairs, unless rows such as {named}{more} "
        "(counting from 1) are left out; give a finite C to allow slack"
    )
