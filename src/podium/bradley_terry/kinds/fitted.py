"""The frozen fit of several kinds of judges: a board on the scale of one kind, and what the others do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.fitted import FitWithErrors
from podium.bradley_terry.judge_effects.fitted import with_effects
from podium.bradley_terry.kinds.problem import parts
from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import listed, names_of, quoted
from podium.comparisons.table import Comparisons
from podium.core.links import Link, mean_probabilities
from podium.skill.certainty import quantile

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class KindsFit(FitWithErrors):
    """``kinds`` are the labels of all kinds, first the one whose scale scores have, as ``solution`` does.

    ``point`` has all parameters in the order of `podium.bradley_terry.kinds.problem`, ``deviation`` their
    errors. ``bias_scale`` are the τ of the other kinds, ``votes`` their numbers of votes, and ``unjudged``
    the items that only they judged.
    """

    kinds: NDArray[Any]
    votes: Any
    unjudged: NDArray[np.bool_]
    point: Floats
    deviation: Floats
    bias_scale: Floats
    no_likelihood = "with kinds of judges all parameters have priors, so there is no likelihood"

    @property
    def remarks(self) -> tuple[str, ...]:
        kind, others = quoted(self.kinds[0]), listed(self.kinds[1:])
        scale = f"scores are on the scale of {kind} judges; votes of {others} tell about it" * bool(others)
        unjudged = (
            f"no {kind} judge compared {names_of(self.items[self.unjudged])}: the interval rests on how much "
            "the kinds differ about other items, and is wider for that"
        )
        return (*[scale] * bool(others), *[unjudged] * bool(self.unjudged.any()))

    def outcomes(self, c: Comparisons, d: Floats, variance: Floats) -> Floats:
        """The votes of the kind of judge of each row, or of the kind whose scale scores have."""
        if c.judge_kind is None or c.judge_kinds is None:
            return super().outcomes(c, d, variance)
        k, place = find_labels(self.kinds, c.judge_kinds)[c.judge_kind], find_labels(self.items, c.items)
        if (k < 0).any():
            stranger = quoted(c.judge_kinds[c.judge_kind[np.argmin(k)]])
            raise ValueError(
                f"no judge of the kind {stranger} was seen in fit; the kinds are {listed(self.kinds)}"
            )
        _, bias, habits = parts(self.point, len(self.items))
        bias, tau = np.pad(bias, ((1, 0), (0, 1))), np.pad(self.bias_scale, (1, 0))[k]  # 0 for new items
        sharpness, ties, side = np.pad(habits, ((0, 0), (1, 0)))[:, k]
        gap = d - self.offsets(c) + bias[k, place[c.right]] - bias[k, place[c.left]]
        d = np.exp(sharpness) * gap + self.offsets(c) - side * (1.0 if c.neutral is None else ~c.neutral)
        new = (place[c.left] < 0) * 1.0 + (place[c.right] < 0)
        error, table = np.exp(sharpness) * np.sqrt(variance + tau**2 * new), np.empty((len(c), 3))
        for tie in np.unique(ties):
            at = ties == tie
            table[at] = mean_probabilities(d[at], error[at], Link(self.tie * float(np.exp(tie))))
        return table

    def kind_effects(self) -> "pd.DataFrame":
        """The table of `BradleyTerry.kind_effects_`."""
        import pandas as pd

        frame = pd.DataFrame({"judge_kind": pd.Series(self.kinds[1:]).array, "votes": self.votes})
        mean, error = (parts(of, len(self.items))[2].T for of in (self.point, self.deviation))
        return with_effects(frame, mean, error, quantile(0.95)).assign(bias=self.bias_scale)

    def kind_bias(self) -> "pd.DataFrame":
        """The table of `BradleyTerry.kind_bias_`."""
        import pandas as pd

        bias = parts(self.point, len(self.items))[1]
        return pd.DataFrame(bias.T, index=self.items, columns=self.kinds[1:])
