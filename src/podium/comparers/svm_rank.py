"""SVMrank with a threshold for ties: rank and rank2 of [SVMcompare], and the hard margin of [Lecture]."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from podium.comparers.kernel_machine import ONLY_TIES, Fit, KernelMachine, TrainingPairs
from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.kernel import Kernel, KernelName
from podium.numerics.parameters import check_not_negative, check_stopping

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult


@dataclass(eq=False, repr=False)
class SVMRank(KernelMachine):
    """A ranking function learned from decisive pairs, with a threshold for predicting ties.

    Use it if ties are few or carry no information; `SVMCompare` also learns from ties.

        min_u  ½‖u‖² + C Σ_{decisive} (1 - u·d)₊,   d = Φ(better) - Φ(worse),

    eq. (3) of [SVMcompare] [Joachims 2002]. Then r(x) = u·Φ(x), and eq. (6) gives the threshold.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="rbf"
        The kernel between two items, as in `SVMCompare`.
    C : float, default=1.0
        The cost of a unit of slack. ``np.inf`` is the hard margin of [Lecture] §1.1: min ‖u‖² subject to
        u·d ≥ 1 for all pairs. If there is no such u, an error names the rows that contradict each other.
    gamma : {"scale", "auto"} or float, default="scale"
        The γ of "poly" and "rbf", as in `SVMCompare`.
    degree : int, default=3
        The degree of "poly".
    coef0 : float, default=0.0
        The constant term of "poly".
    ties : {"ignore", "both"}, default="ignore"
        ``"ignore"`` is the paper's *rank*. ``"both"`` is its *rank2*: a tie is two pairs in opposite
        directions, and a decisive pair counts twice.
    threshold : "train" or float, default="train"
        The largest difference of r that is predicted as a tie. ``"train"`` takes the value with the least
        training error, eq. (6).
    class_weight : dict, "balanced" or None, default=None
        A factor of C for some of the outcomes, as in `SVMCompare`.
    scale : bool, default=False
        Standardise the features by the training items, as in `SVMCompare`.
    tol : float, default=1e-3
        The relative duality gap at which the solver stops.
    max_iter : int, default=10000
        The maximum number of working sets.

    Attributes
    ----------
    threshold_ : float
        The largest difference of r that is predicted as a tie.
    coef_ : array of shape (n_features,)
        Linear kernel only: the coefficients of r, for the features as given.
    support_ : array of int
        Positions in ``c.items`` of the items with a coefficient in r, as in `SVMCompare`.
    support_vectors_ : array of shape (n_support, n_features)
        The features of these items as given; not with a precomputed kernel.
    item_coef_ : array of shape (n_support,)
        Their coefficients: r(x) = Σ_j item_coef_j κ(x_j, x).
    gamma_ : float
        The value of γ that was used.
    bias_ : float
        0: there is no bias.
    margin_ : float
        1/‖u‖ of a hard margin; nan for a finite C, and if the solver stopped before all pairs were in order.
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
        The number of working sets that the solver used, at least 1.
    result_ : SolverResult
        The report of the solver, with ``objective`` and duality ``gap``.

    See Also
    --------
    SVMCompare : pairs with features, learns from ties
    LinearCompare : a linear function for very many pairs
    OnlineSVMRank : one pair at a time

    Examples
    --------
    >>> model = SVMRank("linear", C=np.inf).fit([[[0.0], [1.0]], [[3.0], [1.0]]], [1, -1])
    >>> model.coef_.round(3), model.utility([[2.0]]).round(3)
    (array([1.]), array([2.]))
    >>> SVMRank("linear", C=np.inf).fit([[[0.0], [1.0]], [[3.0], [5.0]]], [1, -1])
    Traceback (most recent call last):
    ValueError: no ranking has a hard margin: row 1 (counting from 1) and row 2 ... contradict each other; ...
    """

    kernel: KernelName | Callable[..., Any] = "rbf"
    _: KW_ONLY
    ties: Literal["ignore", "both"] = "ignore"
    threshold: float | Literal["train"] = "train"
    class_weight: dict[int, float] | Literal["balanced"] | None = None
    scale: bool = False
    tol: float = 1e-3
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_stopping(self.tol, self.max_iter)
        check_ties(self.ties, self.threshold)

    def _path(self, data: TrainingPairs, kernel: Kernel) -> "RankPath":
        both = self.ties == "both"
        weight = data.weight * (1.0 + data.outcome) if both else data.weight[: data.n_decisive]
        return RankPath(data, kernel, weight, self.threshold)


def check_ties(ties: str, threshold: float | str) -> None:
    if ties not in ("ignore", "both"):
        raise ValueError(f"ties must be 'ignore' or 'both', not {ties!r}")
    check_not_negative("threshold", threshold, unless=("train",))


class RankPath:
    """SVMrank for one C after another, each from the solution before it.

    It learns from the first pairs, as many as have a ``weight``.
    """

    kind = "ranking"

    def __init__(
        self,
        data: TrainingPairs,
        kernel: Kernel,
        weight: Floats,
        threshold: float | Literal["train"] = "train",
    ) -> None:
        from podium.comparers.dual.kernel_rows import KernelRows

        self.data, self.weight, self.threshold = data, weight, threshold
        part = data._replace(tail=data.tail[: len(weight)], head=data.head[: len(weight)])
        self.rows = KernelRows(part.kernel(kernel))
        self.last: dict[bool, SolverResult] = {}

    def solve(self, C: float, tol: float, max_iter: int) -> Fit:
        if self.data.n_decisive == 0:
            return self._without_decisive_pairs()
        if np.isinf(C) and (guilty := self._contradiction()) is not None:
            from podium.comparers.dual.contradiction import no_hard_margin

            raise no_hard_margin(self.kind, self.data.row[guilty])
        return self._fit(C * self.weight, tol, max_iter)

    def _without_decisive_pairs(self) -> Fit:
        from podium.numerics.result import nothing_to_solve

        nothing = nothing_to_solve(np.zeros(0), ONLY_TIES)
        threshold = 0.0 if self.threshold == "train" else self.threshold
        return Fit(np.zeros(len(self.data.columns)), 0.0, np.nan, threshold, nothing)

    def _contradiction(self) -> Positions | None:
        """Some pairs that contradict each other, if any do; a tie contradicts itself."""
        from podium.comparers.dual.contradiction import contradiction

        a = self.data.n_decisive
        return np.array([a]) if len(self.weight) > a else contradiction(self.rows.kernel, a)

    def _fit(self, upper: Floats, tol: float, max_iter: int) -> Fit:
        """U itself ranks. A hard margin is scaled so that the smallest margin is exactly 1."""
        result = self._solved(upper, False, tol, max_iter)
        s, f, margin = result.details["coefficients"], result.details["differences"], np.nan
        if np.isinf(upper).any() and (least := float(np.min(f))) > 0:
            s, f, margin = s / least, f / least, least / np.sqrt(float(s @ f))
        u = self.rows.kernel.item_coefficients(s)
        return Fit(u, 0.0, margin, self._threshold(u, f), result)

    def _solved(self, upper: Floats, bias: bool, tol: float, max_iter: int) -> "SolverResult":
        """From the solution for the last C, which becomes the start for the next."""
        from podium.comparers.dual.pairs import solve_pairs

        rows, a, last = self.rows, self.data.n_decisive, self.last.get(bias)
        found = solve_pairs(rows, upper, a, bias=bias, tol=tol, max_iter=max_iter, start=last)
        self.last[bias] = found
        return found

    def _threshold(self, u: Floats, f: Floats) -> float:
        """The threshold of eq. (6) over all pairs, including ties that the machine ignores."""
        from podium.comparers.threshold import best_threshold

        if self.threshold != "train":
            return float(self.threshold)
        data, known = self.data, len(f)
        if known < len(data.tail):
            items = np.unique(np.concatenate([data.tail[known:], data.head[known:]]))
            support = np.flatnonzero(u)
            r = np.zeros(len(data.columns))
            r[items] = self.rows.kernel.expand(items, support, u[support])
            f = np.concatenate([f, r[data.head[known:]] - r[data.tail[known:]]])
        return best_threshold(f, data.outcome, data.weight)
