"""SVMrank with a threshold for ties: rank and rank2 of [SVMcompare], and the hard margin of [Lecture]."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from podium.comparers.kernel_machine import Fit, KernelMachine, TrainingPairs
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import row_name
from podium.numerics.kernels.kernel import Kernel, KernelName
from podium.numerics.parameters import check_not_negative

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult

NOTHING = "there are only ties: r is 0"


class SVMRank(KernelMachine):
    """A ranking function from the decisive pairs, and a threshold below which there is no difference.

        min_u  ½‖u‖² + C Σ_{decisive} (1 - u·d)₊,   d = Φ(better) - Φ(worse),

    eq. (3) of [SVMcompare] [Joachims 2002]; then r(x) = u·Φ(x), and the threshold τ̂ of eq. (6).

    ``ties="ignore"`` is the paper's *rank*. ``ties="both"`` is its *rank2*: a tie is two pairs that face
    opposite ways, and a decisive pair counts twice, so that its slack costs 2C. ``C=np.inf`` is the hard
    margin of [Lecture] §1.1, min ‖u‖² where u·d ≥ 1 for all pairs, and an error that names the rows which
    contradict each other where there is no such u. ``threshold``: ``"train"`` for eq. (6), or a number.
    Other parameters as in `SVMCompare`.

    Fitted attributes: ``threshold_``, ``coef_`` (linear kernel), ``support_`` and ``item_coef_``, ``gamma_``,
    ``bias_`` (0), ``margin_`` (nan; for a hard margin 1/‖u‖, unless the solver stopped before all pairs were
    in order), ``classes_``, ``n_features_in_`` and ``feature_names_in_`` (if they have names), ``result_``.

    >>> model = SVMRank("linear", C=np.inf).fit([[[0.0], [1.0]], [[3.0], [1.0]]], [1, -1])
    >>> model.coef_.round(3), model.utility([[2.0]]).round(3)
    (array([1.]), array([2.]))
    >>> SVMRank("linear", C=np.inf).fit([[[0.0], [1.0]], [[3.0], [5.0]]], [1, -1])
    Traceback (most recent call last):
    ValueError: no ranking has a hard margin: row 1 (counting from 1) and row 2 ... contradict each other; ...
    """

    def __init__(
        self,
        kernel: KernelName | Callable[..., Any] = "rbf",
        C: float = 1.0,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        ties: Literal["ignore", "both"] = "ignore",
        threshold: float | Literal["train"] = "train",
        class_weight: dict[int, float] | Literal["balanced"] | None = None,
        tol: float = 1e-3,
        max_iter: int = 10_000,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ties = ties
        self.threshold = threshold
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_ties(self.ties, self.threshold)

    def _path(self, data: TrainingPairs, kernel: Kernel) -> "RankPath":
        return RankPath(data, kernel, self.ties == "both", self.threshold)


def check_ties(ties: str, threshold: float | str) -> None:
    if ties not in ("ignore", "both"):
        raise ValueError(f"ties is 'ignore' or 'both', not {ties!r}")
    check_not_negative("threshold", threshold, unless=("train",))


class RankPath:
    """SVMrank for one C after the other."""

    def __init__(
        self, data: TrainingPairs, kernel: Kernel, both: bool, threshold: float | Literal["train"]
    ) -> None:
        from podium.comparers.dual.qp import PairQP

        self.data, self.both, self.threshold = data, both, threshold
        n = len(data.tail) if both else data.n_decisive
        part = data._replace(tail=data.tail[:n], head=data.head[:n])
        self.problem = PairQP(part.kernel(kernel), data.n_decisive, bias=False)
        self.factor = np.where(data.outcome[:n] != 0, 2.0, 1.0) if both else np.ones(n)
        self.last: SolverResult | None = None

    def solve(self, C: float, tol: float, max_iter: int) -> Fit:
        from podium.numerics.result import nothing_to_solve

        data, problem = self.data, self.problem
        if data.n_decisive == 0:
            threshold = 0.0 if self.threshold == "train" else self.threshold
            nothing = nothing_to_solve(np.zeros(0), NOTHING)
            return Fit(np.zeros(len(data.columns)), 0.0, np.nan, threshold, nothing)
        if np.isinf(C):
            self._check_separable()
        cap = C * data.weight[: len(self.factor)] * self.factor
        result = problem.solve(cap, tol=tol, max_iter=max_iter, start=self.last)
        s, f = result.details["coefficients"], result.details["differences"]
        margin = np.nan
        if np.isfinite(C):
            self.last = result
        elif (least := float(np.min(f))) > 0:  # the smallest margin is 1, not 1 to rounding
            s, f, margin = s / least, f / least, least / np.sqrt(float(s @ f))
        coefficients = problem.kernel.item_coefficients(s)
        return Fit(coefficients, 0.0, margin, self._threshold(coefficients, f), result)

    def _check_separable(self) -> None:
        from podium.comparers.dual.contradiction import contradiction

        data = self.data
        if self.both and data.n_decisive < len(data.tail):
            guilty = np.array([data.n_decisive])
        else:
            found = contradiction(self.problem.kernel)
            if found is None:
                return
            guilty = found
        rows = [row_name(int(row)) for row in np.sort(data.row[guilty])[:20]]
        what = f"{', '.join(rows[:-1])} and {rows[-1]} contradict each other"
        if len(rows) == 1:
            what = f"{rows[0]} contradicts itself"
        raise ValueError(f"no ranking has a hard margin: {what}; a finite C allows for errors")

    def _threshold(self, coefficients: Floats, f: Floats) -> float:
        """Eq. (6) over all pairs, those left out of the machine too."""
        from podium.comparers.threshold import best_threshold

        if self.threshold != "train":
            return float(self.threshold)
        data, known = self.data, len(f)
        if known < len(data.tail):
            kernel = self.problem.kernel
            items = np.unique(np.concatenate([data.tail[known:], data.head[known:]]))
            support = np.flatnonzero(coefficients)
            r = np.zeros(len(data.columns))
            r[items] = kernel.expand(items, support, coefficients[support])
            f = np.concatenate([f, r[data.head[known:]] - r[data.tail[known:]]])
        return best_threshold(f, data.outcome, data.weight)
