"""OnlineSVMRank: the ranking SVM of [Lecture] §1.3 and §1.4, one comparison at a time."""

from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from podium.arrays.devices.boundary import in_numpy
from podium.arrays.partitions.table import comparisons_in_partitions, in_partitions
from podium.comparers.comparer import LinearRanking, finite, linear_differences
from podium.comparers.svm_rank import check_ties
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.table import Comparisons
from podium.numerics.centre import centre_of, subtracted
from podium.numerics.online_steps import OnlineSteps, Step, StepSize, as_table

if TYPE_CHECKING:
    from podium.arrays.partitions.rounds import Partitions
    from podium.numerics.subgradient import Examples, Stream


REMEMBERED = 1_000  # earlier comparisons of a stream that are kept to choose its threshold


@dataclass(eq=False, repr=False)
class OnlineSVMRank(OnlineSteps, LinearRanking):
    """A linear ranking function for streams of comparisons, by sub-gradient steps.

    Use it if comparisons arrive one by one, or if there are so many that you can read each only once. It
    approaches the optimum of ``SVMRank("linear", C=C)``, eq. (3) of [SVMcompare] and §1.2 of [Lecture],

        min_w  (λ/2) ‖w‖² + Σ_{j=1..T} max(0, 1 - w·(better - worse)),      λ = 1/C,

    which is SVMRank's objective divided by C. A step takes one comparison, w ← w - α_t ((λ/T) w + ∂ξ_j), and
    costs one pass over its features.

    The solution has no certificate. With noisy comparisons, a few passes come within a percent of the
    optimum. If almost all comparisons can be ranked correctly and C is large, the largest margin takes very
    long to find: the objective was 6 to 28 % too large after 20 passes over 2,000 such comparisons.
    `LinearCompare` solves the same problem to a known gap.

    Parameters
    ----------
    C : float, default=1.0
        1/λ, the cost of a unit of slack, times the weight of the comparison.
    ties : {"ignore", "both"}, default="ignore"
        ``"ignore"`` is *rank* of [SVMcompare]. ``"both"`` is *rank2*: a tie is one step in each direction,
        and a decisive pair is two steps.
    threshold : "train" or float, default="train"
        The largest difference of r that is predicted as a tie. ``"train"`` takes the value with the least
        error on the training data, eq. (6); in a stream, on the comparisons of the last call and the 1,000
        before them.
    step : {"sqrt", "inverse"}, default="sqrt"
        Step lengths α_t = a/√t, or a/t, which needs far more passes if C is large.
    step_size : "auto" or float, default="auto"
        The length a. ``"auto"`` does not depend on the unit of the features. For ``"sqrt"`` it is the best of
        1 to 300 divided by the mean of ‖x' - x‖², tried on up to 4,096 comparisons (in a stream, those of the
        first call; 10 if they are fewer than 100). For ``"inverse"`` it is T/λ.
    average : bool, default=True
        Use a weighted average of all w, in which later ones have more weight, instead of the last w.
    epochs : int, default=5
        Passes of `fit` over the data.
    shuffle : bool, default=True
        Take each pass in a new random order. From 100,000 steps on, runs of 16 stay together.
    horizon : float or None, default=None
        The T of a stream. None takes the number of steps so far, as if these were all the data.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the random orders.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        The coefficients w of r.
    threshold_ : float
        The largest difference of r that is predicted as a tie.
    step_size_ : float
        The length a that was used.
    n_steps_ : int
        Steps taken so far. If there are none, for example because all comparisons are ignored ties, r is 0.
    losses_ : list of float
        For each epoch, or for the last call of `partial_fit`, the mean slack of a comparison just before its
        step. On the first pass this is an honest estimate of the slack of new comparisons.
    classes_ : array of int
        -1, 0, 1.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of str
        Their names, if they have any.
    n_iter_ : int
        Passes over the data of the last call: ``epochs``, or 1 after `partial_fit`.

    See Also
    --------
    SVMRank : pairs with features, without ties
    LinearCompare : a linear function for very many pairs
    OnlineSVC : a linear classifier that sees each row once

    Examples
    --------
    >>> pairs = [[[0.0], [1.0]], [[3.0], [1.0]], [[2.0], [2.5]]]
    >>> model = OnlineSVMRank(C=10.0, epochs=50, random_state=0).fit(pairs, [1, -1, 1])
    >>> model.predict([[[5.0], [7.0]]]), model.coef_.round(1)
    (array([1], dtype=int8), array([2.1]))
    >>> model = OnlineSVMRank()
    >>> for pair, outcome in zip(pairs, [1, -1, 1]):
    ...     model = model.partial_fit([pair], [outcome])
    >>> model.n_steps_
    3
    """

    C: float = 1.0
    _: KW_ONLY
    ties: Literal["ignore", "both"] = "ignore"
    threshold: float | Literal["train"] = "train"
    step: Step = "sqrt"
    step_size: StepSize = "auto"
    average: bool = True
    epochs: int = 5
    shuffle: bool = True
    horizon: float | None = None
    random_state: Any = None

    def fit(self, c: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from comparisons in ``epochs`` passes.

        Parameters
        ----------
        c : Comparisons with features, or an array of shape (n, 2, p)
            The left and the right side of each comparison.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        if in_partitions(c):
            raise ValueError("fit shuffles the comparisons of one machine; partial_fit takes partitions")
        c = self._read(c, y, sample_weight)
        table = as_table(subtracted(c.features, centre := centre_of(c.features)))
        walked = self._pass_over(table, self._examples(c), (1, c.features.shape[1]))
        self._adopt(c, *walked, centre, before=np.empty((3, 0)))
        self._set_features(c)
        return self

    def partial_fit(self, c: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take one step per comparison, in the given order; continue where the last call or `fit` ended.

        Partitions are visited one after the other, as by one call for each. The model travels to the worker
        that has the next one, so the workers do not learn at the same time; they only load at the same time.

        Parameters
        ----------
        c : Comparisons with features, PartitionedComparisons, or an array of shape (n, 2, p)
            The left and the right side of each comparison. The array may be one of Dask.
        y : array of shape (n,), optional
            Outcomes -1, 0 and 1; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``.

        Returns
        -------
        self
        """
        if in_partitions(c):
            return self._visit(comparisons_in_partitions(c, y, sample_weight))
        c = self._read(c, y, sample_weight)
        if begun := hasattr(self, "_stream"):
            self._check_features(c.features, c.feature_names, "the pairs")
        centre = self._centre if begun else centre_of(c.features)
        table = as_table(subtracted(c.features, centre))
        walked = self._go_on(table, self._examples(c), (1, c.features.shape[1]))
        self._adopt(c, *walked, centre, before=getattr(self, "_seen", np.empty((3, 0))))
        if not begun:
            self._set_features(c)
        return self

    def _visit(self, parts: "Partitions") -> Self:
        """Learn from one partition after another, each on its worker."""
        self._check_steps()
        learned = parts.chained(_continued, self)
        if not hasattr(learned, "coef_"):
            raise ValueError("there are no comparisons to learn from")
        self.__dict__.update(learned.__dict__)
        return self

    def _read(self, c: Any, y: Any, sample_weight: Any) -> Comparisons:
        self._check_steps()
        check_ties(self.ties, self.threshold)
        return with_outcomes(featured_pairs(in_numpy(c, "OnlineSVMRank")), y, sample_weight)

    def _examples(self, c: Comparisons) -> "Examples":
        """The steps: none for an ignored tie; with ``ties="both"`` two per comparison."""
        from podium.numerics.subgradient import Examples

        assert c.outcome is not None
        if self.ties == "both":
            row = np.repeat(np.arange(len(c)), 2)
            label = c.outcome[row].astype(np.float64)
            label[label == 0] = np.tile([1.0, -1.0], int(np.sum(c.outcome == 0)))
        else:
            row = np.flatnonzero(c.outcome)
            label = c.outcome[row].astype(np.float64)
        return Examples(c.left[row], c.right[row], label, c.mass[row], np.ones(len(row)))

    def _adopt(
        self, c: Comparisons, stream: "Stream", losses: list[float], centre: Floats | None, before: Floats
    ) -> None:
        """Adopt the ranking of the stream; these comparisons and those ``before`` choose the threshold."""
        from podium.comparers.threshold import best_threshold

        coef, seen = stream.weights[0], before
        if self.threshold == "train":
            assert c.outcome is not None
            differences = finite(linear_differences(c, coef, centre))
            seen = np.hstack([before, np.stack([differences, c.outcome, c.mass])])
        threshold = best_threshold(*seen) if self.threshold == "train" else float(self.threshold)
        self._keep(stream, losses)
        self.coef_, self.threshold_, self._seen = coef, threshold, seen[:, -REMEMBERED:]
        self._centre = centre


def _continued(model: OnlineSVMRank, c: Comparisons | None) -> OnlineSVMRank:
    """The model after one more partition, as a copy, since Dask may run a task twice."""
    return model if c is None else copy(model).partial_fit(c)
