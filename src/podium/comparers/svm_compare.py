"""SVMcompare: a comparison function that learns from ties, by the kernel QP of [SVMcompare] §3.2."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from podium.comparers.kernel_machine import Fit, KernelMachine, TrainingPairs
from podium.comparisons.arrays import Floats
from podium.numerics.kernels.kernel import Kernel, KernelName

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult

REVERSED = (
    "the bias β is {bias:.3g} and not negative, so that r does not rank (few ties, a small C, or features in "
    "different units do this): fitted again with β = 0, and the threshold chosen by eq. (6)"
)
ALL_TIES = (
    "to predict no difference everywhere (u = 0, β = -1) is optimal to the tolerance (as with many ties and "
    "much noise), and such a u does not rank: fitted again with β = 0, and the threshold chosen by eq. (6)"
)
NO_TIES = "there are no ties: eq. (3), with threshold 0"
ONLY_TIES = "there are only ties: r is 0"


class SVMCompare(KernelMachine):
    """Which of two things is better, or is there no difference? Support vector comparison machines.

    The pairs d = Φ(right) - Φ(left), turned towards the better side, and the ties in both directions, are
    separated by f(d) = β + u·d, where

        min_{u, β}  ½‖u‖² + C Σ_{decisive} (1 - f(d))₊ + C Σ_{ties} [(1 + f(d))₊ + (1 + f(-d))₊],

    eq. (8) and (15) of [SVMcompare], solved in the dual (18). By Lemma 1 r(x) = -u·Φ(x)/β ranks, eq. (13) and
    (19), and differences of at most 1 are no difference, eq. (5).

    Lemma 1 needs β < 0. Where the optimum has β ≥ 0, -u/β would reverse the ranking: the machine is fitted
    again with β fixed at 0, r(x) = u·Φ(x), ``threshold_`` minimises the training error (6), ``margin_`` is
    nan, and a warning says so. The same is done where u = 0 is optimal to the tolerance: where ties are so
    many and the rest so noisy that no ranking beats "no difference everywhere". Without ties this is SVMrank
    (3) with threshold 0. With ties alone r is 0.

    ``kernel``: ``"linear"``, ``"poly"``, ``"rbf"``, ``"precomputed"`` (the features of the comparisons are
    the kernel matrix of their items) or a function of two tables of features; a kernel that is not symmetric,
    or has a negative eigenvalue, is refused. ``gamma``, ``degree``, ``coef0`` as in `sklearn.svm.SVC`, but
    for rbf ``gamma="scale"`` takes the variance of each column by itself, so that offsets do not matter:
    pairs only see differences, and a linear or rbf kernel is computed around a centre of the items. Where
    they are far from 0, a linear r is 0 at that centre.

    ``class_weight``: a factor of C for each of the outcomes -1, 0, 1, or ``"balanced"``. ``tol``
    bounds the relative duality gap, ``max_iter`` the number of working sets.

    Fitted attributes: ``bias_`` (β), ``margin_`` (μ̂ = -1/β of Lemma 1), ``threshold_``, ``coef_`` (ŵ, linear
    kernel), ``support_`` (items with a coefficient in r) and ``item_coef_``, ``gamma_``, ``classes_``,
    ``n_features_in_`` and ``feature_names_in_`` (if they have names), ``result_`` (with ``objective`` and
    ``gap``).

    >>> from podium.datasets import make_norm_comparisons
    >>> train, test = (make_norm_comparisons(200, random_state=seed) for seed in (0, 1))
    >>> model = SVMCompare(C=10).fit(train)
    >>> model.score(test) > 0.85, model.bias_ < 0
    (True, True)
    >>> model.predict([[[0.0, 0.0], [3.0, 3.0]], [[2.0, 0.0], [0.0, 2.0]]])
    array([1, 0], dtype=int8)
    """

    def __init__(
        self,
        kernel: KernelName | Callable[..., Any] = "rbf",
        C: float = 1.0,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: dict[int, float] | Literal["balanced"] | None = None,
        tol: float = 1e-3,
        max_iter: int = 10_000,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not np.isfinite(self.C):
            raise ValueError("C is a finite number; SVMRank has a hard margin, and SVMCompareLP another one")

    def _path(self, data: TrainingPairs, kernel: Kernel) -> "ComparePath":
        return ComparePath(data, kernel)


def unfit_to_rank(bias: float, dual: float, decisive_cost: float, tol: float) -> str | None:
    """Why the u of a solution with bias must not rank, if so; ``dual`` bounds the optimum from below.

    At u = 0, β = -1 every decisive pair has the slack 2 and no tie has any.
    """
    if bias >= 0:
        return REVERSED.format(bias=bias)
    all_ties = 2 * decisive_cost
    return ALL_TIES if all_ties - dual <= tol * all_ties else None


class ComparePath:
    """SVMcompare for one C after the other, by the fallback where u must not rank."""

    def __init__(self, data: TrainingPairs, kernel: Kernel) -> None:
        from podium.comparers.dual.kernel_rows import KernelRows
        from podium.comparers.dual.qp import PairQP

        self.data = data
        pairs = data.kernel(kernel)
        rows = KernelRows(pairs)
        self.with_bias = PairQP(pairs, data.n_decisive, bias=True, rows=rows)
        self.without = PairQP(pairs, data.n_decisive, bias=False, rows=rows)
        self.last: dict[bool, SolverResult] = {}

    def solve(self, C: float, tol: float, max_iter: int) -> Fit:
        data, cap = self.data, C * self.data.weight
        if data.n_decisive == 0:
            return _no_difference(data)
        if data.n_decisive == len(data.tail):
            return self._ranked(cap, tol, max_iter, NO_TIES, None)
        result = self.with_bias.solve(cap, tol=tol, max_iter=max_iter, start=self.last.get(True))
        self.last[True] = result
        bias = float(result.details["bias"])
        note = unfit_to_rank(bias, result.details["dual"], float(cap[: data.n_decisive].sum()), tol)
        if note is not None:
            return self._ranked(cap, tol, max_iter, note, note)
        u = self.with_bias.kernel.item_coefficients(result.details["coefficients"])
        return Fit(u / -bias, bias, -1.0 / bias, 1.0, result)

    def _ranked(self, cap: Floats, tol: float, max_iter: int, fallback: str, note: str | None) -> Fit:
        """With β = 0: u itself ranks."""
        from podium.comparers.threshold import best_threshold

        result = self.without.solve(cap, tol=tol, max_iter=max_iter, start=self.last.get(False))
        self.last[False] = result
        result.details["fallback"] = fallback
        threshold = best_threshold(result.details["differences"], self.data.outcome, self.data.weight)
        u = self.without.kernel.item_coefficients(result.details["coefficients"])
        return Fit(u, 0.0, np.nan, threshold, result, note)


def _no_difference(data: TrainingPairs) -> Fit:
    """Ties alone: u = 0 with β = -1 has no loss."""
    from podium.numerics.result import nothing_to_solve

    return Fit(np.zeros(len(data.columns)), -1.0, 1.0, 1.0, nothing_to_solve(np.zeros(0), ONLY_TIES))
