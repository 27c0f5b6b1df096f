"""OnlineSVMRank: the ranking SVM of [Lecture] §1.3 and §1.4, a comparison at a time."""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from podium.comparers.comparer import finite
from podium.comparers.linear_ranking import LinearRanking, linear_differences
from podium.comparers.svm_rank import check_ties
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.table import Comparisons
from podium.numerics.centre import centre_of, subtracted
from podium.numerics.online_steps import OnlineSteps, Step, StepSize, as_table

if TYPE_CHECKING:
    from podium.numerics.subgradient import Examples, Stream


REMEMBERED = 1_000  # comparisons of a stream that its threshold looks back on


class OnlineSVMRank(OnlineSteps, LinearRanking):
    """A linear ranking function by sub-gradient steps, for comparisons that stream by or are very many.

    It approaches the optimum of ``SVMRank("linear", C=C)``, eq. (3) of [SVMcompare] and §1.2 of [Lecture],

        min_w  (λ/2) ‖w‖² + Σ_{j=1..T} max(0, 1 - w·(better - worse)),      λ = 1/C,

    which is SVMRank's objective divided by C. A step takes one comparison, w ← w - α_t ((λ/T) w + ∂ξ_j), and
    costs one pass over its features. Use it where data come one by one, or where one look at each must do.
    It has no certificate: among noisy comparisons a few passes end within a percent of the optimum, but where
    almost all can be ranked right and C is large the steps take very long to find the largest margin (6 to
    28 % above it after 20 passes over 2,000 such). `LinearCompare` solves the same problem to a known gap.

    Parameters
    ----------
    C : 1/λ, the cost of a unit of slack (times the weight of the comparison).
    step : ``"sqrt"`` for α_t = a/√t, or ``"inverse"`` for a/t, which takes far more passes where C is large.
    step_size : a. ``"auto"`` does not depend on the unit of the features: for ``"sqrt"`` it is the best of
        1 to 300 over the mean of ‖x' - x‖², tried on up to 4,096 comparisons (in a stream those of the first
        call; 10 if they are fewer than 100); for ``"inverse"`` it is T/λ.
    average : return the average of all w, late ones weighing more, rather than the last.
    ties : ``"ignore"`` (*rank*), or ``"both"`` (*rank2*): a tie is a step each way, another pair two steps.
    threshold : ``"train"`` for the best one on the data, eq. (6), in a stream on those of the call and
        the 1,000 before it; or a number.
    epochs, shuffle : the passes of `fit`, each in a new random order; or in the order given. Of 100,000 steps
        or more, runs of 16 stay together.
    horizon : the T of a stream; None takes the number of steps so far, as if they were all data there is.
    random_state : of the orders.

    Attributes
    ----------
    coef_, threshold_, classes_ ([-1, 0, 1]), n_features_in_, feature_names_in_ (if they have names),
    step_size_ : a.
    n_steps_ : steps taken. Without any, as from ties alone that are ignored, r is 0.
    losses_ : for every epoch, or for the last call of `partial_fit`, the mean slack of a comparison just
        before its step: on the first pass an honest estimate of the next one's.

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

    def __init__(
        self,
        C: float = 1.0,
        step: Step = "sqrt",
        step_size: StepSize = "auto",
        average: bool = True,
        ties: Literal["ignore", "both"] = "ignore",
        threshold: float | Literal["train"] = "train",
        epochs: int = 5,
        shuffle: bool = True,
        horizon: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.step = step
        self.step_size = step_size
        self.average = average
        self.ties = ties
        self.threshold = threshold
        self.epochs = epochs
        self.shuffle = shuffle
        self.horizon = horizon
        self.random_state = random_state

    def fit(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from Comparisons with features, or from an array (n, 2, p) and outcomes ``y``."""
        c = self._read(pairs, y, sample_weight)
        table = as_table(subtracted(c.features, centre := centre_of(c.features)))
        walked = self._pass_over(table, self._examples(c), (1, c.features.shape[1]))
        self._adopt(c, *walked, centre, before=np.empty((3, 0)))
        self._set_features(c)
        return self

    def partial_fit(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """A step for every comparison, in their order, from where the last call (or `fit`) ended."""
        c = self._read(pairs, y, sample_weight)
        if begun := hasattr(self, "_stream"):
            self._check_features(c.features, c.feature_names, "the pairs")
        centre = self._centre if begun else centre_of(c.features)
        table = as_table(subtracted(c.features, centre))
        walked = self._go_on(table, self._examples(c), (1, c.features.shape[1]))
        self._adopt(c, *walked, centre, before=getattr(self, "_seen", np.empty((3, 0))))
        if not begun:
            self._set_features(c)
        return self

    def _read(self, pairs: Any, y: Any, sample_weight: Any) -> Comparisons:
        self._check_steps()
        check_ties(self.ties, self.threshold)
        return with_outcomes(featured_pairs(pairs), y, sample_weight)

    def _examples(self, c: Comparisons) -> "Examples":
        """Steps, not comparisons: none for a tie that is ignored, two for each where ties go both ways."""
        from podium.numerics.subgradient import Examples

        assert c.outcome is not None
        if self.ties == "both":
            row = np.repeat(np.arange(len(c)), 2)
            label = c.outcome[row].astype(np.float64)
            label[label == 0] = np.tile([1.0, -1.0], int(np.sum(c.outcome == 0)))
        else:
            row = np.flatnonzero(c.outcome)
            label = c.outcome[row].astype(np.float64)
        return Examples(c.left[row], c.right[row], label, c.weight[row], np.ones(len(row)))

    def _adopt(
        self, c: Comparisons, stream: "Stream", losses: list[float], centre: Floats | None, before: Floats
    ) -> None:
        """The ranking of the stream; the threshold is from these comparisons and those ``before`` them."""
        from podium.comparers.threshold import best_threshold

        coef, seen = stream.weights[0], before
        if self.threshold == "train":
            assert c.outcome is not None
            differences = finite(linear_differences(c, coef, centre))
            seen = np.hstack([before, np.stack([differences, c.outcome, c.weight])])
        threshold = best_threshold(*seen) if self.threshold == "train" else float(self.threshold)
        self._keep(stream, losses)
        self.coef_, self.threshold_, self._seen = coef, threshold, seen[:, -REMEMBERED:]
        self._centre = centre
