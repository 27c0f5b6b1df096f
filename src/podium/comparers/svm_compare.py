"""SVMcompare: a comparison function that learns from ties, by the kernel QP of [SVMcompare] §3.2."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from podium.comparers.kernel_machine import Fit, KernelMachine, TrainingPairs
from podium.comparers.svm_rank import RankPath
from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.kernel import Kernel, KernelName
from podium.numerics.parameters import check_stopping

REVERSED = (
    "the best bias β is at least 0, but r ranks only if it is negative; the model was fitted with β = 0 and "
    "the threshold of eq. (6) (usual causes: few ties, a small C, or features in different units)"
)
ALL_TIES = (
    "predicting a tie everywhere (u = 0, β = -1) is optimal to the tolerance, but u = 0 does not rank; the "
    "model was fitted with β = 0 and the threshold of eq. (6) (usual causes: many ties and much noise)"
)
NO_TIES = "there are no ties, so this is SVMrank, eq. (3), with threshold 0"


@dataclass(eq=False, repr=False)
class SVMCompare(KernelMachine):
    """Support vector comparison machine: which of two items is better, or is there no difference?

    It learns a ranking function r from pairs of items with features, including ties. Use it for up to about
    ten thousand pairs with a fair share of ties; for more pairs use `LinearCompare`.

    A pair is a vector d = Φ(right) - Φ(left). Decisive pairs are turned so that right is better, and ties are
    taken in both directions. The machine separates the two kinds by f(d) = β + u·d:

        min_{u, β}  ½‖u‖² + C Σ_{decisive} (1 - f(d))₊ + C Σ_{ties} [(1 + f(d))₊ + (1 + f(-d))₊],

    eq. (8) and (15) of [SVMcompare], solved in the dual (18). By Lemma 1, r(x) = -u·Φ(x)/β ranks, eq. (13)
    and (19), and a difference of at most 1 is predicted as a tie, eq. (5).

    Lemma 1 needs β < 0: otherwise -u/β would reverse the ranking. If the optimum has β ≥ 0, the machine is
    fitted again with β = 0. Then r(x) = u·Φ(x), ``threshold_`` minimises the training error (6), ``margin_``
    is nan, and a warning says so. The same happens if u = 0 is optimal to the tolerance: there are then so
    many ties, and the other pairs are so noisy, that no ranking is better than predicting a tie everywhere.
    Without ties this is `SVMRank` with threshold 0, eq. (3). With ties only, r is 0.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="rbf"
        The kernel between two items. With ``"precomputed"`` the features of the comparisons are the kernel
        matrix of their items. A function takes two tables of features and returns the matrix between them.
        A kernel that is not symmetric or has a negative eigenvalue is refused.
    C : float, default=1.0
        The cost of a unit of slack. ``np.inf`` is the hard margin, eq. (9) and (12): the largest margin with
        which u and β separate ties from the other pairs. If none do, an error names rows that contradict each
        other.
    gamma : {"scale", "auto"} or float, default="scale"
        The γ of "poly" and "rbf", as in `sklearn.svm.SVC`, with one difference: for "rbf", ``"scale"`` uses
        the mean variance of the features, so adding a constant to a feature changes nothing.
    degree : int, default=3
        The degree of "poly".
    coef0 : float, default=0.0
        The constant term of "poly".
    class_weight : dict, "balanced" or None, default=None
        A factor of C for some of the outcomes -1, 0 and 1. ``"balanced"`` gives ties and decisive pairs the
        same total weight.
    scale : bool, default=False
        Standardise the features by the mean and standard deviation of the training items, in `fit` and in
        all predictions. In cross-validation each fold uses its own training items.
    tol : float, default=1e-3
        The relative duality gap at which the solver stops.
    max_iter : int, default=10000
        The maximum number of working sets.

    Attributes
    ----------
    bias_ : float
        β.
    margin_ : float
        μ̂ = -1/β of Lemma 1; nan after the fallback to β = 0.
    threshold_ : float
        The largest difference of r that is predicted as a tie: 1, or the threshold of the fallback.
    coef_ : array of shape (n_features,)
        Linear kernel only: the coefficients ŵ of r, for the features as given.
    support_ : array of int
        Positions of the items with a coefficient in r, in ``c.items`` of the comparisons given to `fit`. An
        array of shape (n, 2, p) gets its items from `Comparisons.from_features`.
    support_vectors_ : array of shape (n_support, n_features)
        The features of these items as given; not with a precomputed kernel.
    item_coef_ : array of shape (n_support,)
        Their coefficients: r(x) = Σ_j item_coef_j κ(x_j, x).
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
        The number of working sets that the solver used, at least 1.
    result_ : SolverResult
        The report of the solver, with ``objective`` and duality ``gap``.

    See Also
    --------
    LinearCompare : a linear function for very many pairs
    SVMRank : pairs with features, without ties
    SVMCompareLP : the same idea as a linear program
    CalibratedComparer : adds probabilities to a comparer
    compare_grid : choose hyper-parameters on a validation set

    Examples
    --------
    >>> from podium.datasets import make_norm_comparisons
    >>> train, test = (make_norm_comparisons(200, random_state=seed) for seed in (0, 1))
    >>> model = SVMCompare(C=10).fit(train)
    >>> model.score(test) > 0.85, model.bias_ < 0
    (True, True)
    >>> model.predict([[[0.0, 0.0], [3.0, 3.0]], [[2.0, 0.0], [0.0, 2.0]]])
    array([1, 0], dtype=int8)
    """

    kernel: KernelName | Callable[..., Any] = "rbf"
    _: KW_ONLY
    class_weight: dict[int, float] | Literal["balanced"] | None = None
    scale: bool = False
    tol: float = 1e-3
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_stopping(self.tol, self.max_iter)

    def _path(self, data: TrainingPairs, kernel: Kernel) -> "ComparePath":
        return ComparePath(data, kernel, data.weight)


def unfit_to_rank(bias: float, dual: float, decisive_cost: float, tol: float) -> str | None:
    """Why the u of this solution must not rank, or None; ``dual`` is a lower bound of the optimum.

    At u = 0, β = -1 every decisive pair has slack 2, and no tie has any.
    """
    if bias >= 0:
        return REVERSED
    all_ties = 2 * decisive_cost
    return ALL_TIES if all_ties - dual <= tol * all_ties else None


class ComparePath(RankPath):
    """SVMcompare for one C after another, with the fallback to β = 0 if u must not rank."""

    kind = "comparison function"

    def _without_decisive_pairs(self) -> Fit:
        """U = 0 and β = -1 have no loss."""
        return super()._without_decisive_pairs()._replace(bias=-1.0, margin=1.0, threshold=1.0)

    def _contradiction(self) -> Positions | None:
        from podium.comparers.dual.contradiction import contradiction

        return contradiction(self.rows.kernel, self.data.n_decisive)

    def _fit(self, upper: Floats, tol: float, max_iter: int) -> Fit:
        a, least = self.data.n_decisive, 1.0
        if a == len(upper):
            return self._ranked(upper, tol, max_iter, NO_TIES)
        result = self._solved(upper, True, tol, max_iter)
        f, bias = result.details["differences"], float(result.details["bias"])
        u = self.rows.kernel.item_coefficients(result.details["coefficients"])
        if np.isinf(upper).any():  # the smallest margin is exactly 1; β = 0 if the solver stopped before
            least = min(float(np.min(bias + f[:a])), -bias - float(np.max(np.abs(f[a:]))))
            if least <= 0:
                return Fit(u, 0.0, np.nan, self._threshold(u, f), result)
        elif note := unfit_to_rank(bias, result.details["dual"], float(upper[:a].sum()), tol):
            return self._ranked(upper, tol, max_iter, note)._replace(note=note)
        return Fit(u / -bias, bias / least, -least / bias, 1.0, result)

    def _ranked(self, upper: Floats, tol: float, max_iter: int, fallback: str) -> Fit:
        """With β = 0, as SVMrank."""
        fit = super()._fit(upper, tol, max_iter)
        fit.result.details["fallback"] = fallback
        return fit._replace(margin=np.nan)
