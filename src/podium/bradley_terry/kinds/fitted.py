"""The frozen fit of several kinds of judges: a board on the scale of one kind, and what the others do."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.covariates import Covariates
from podium.bradley_terry.kinds.problem import Layout
from podium.bradley_terry.normal.features import NO_FEATURES, Features
from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import listed, names_of, quoted
from podium.comparisons.table import Comparisons
from podium.skill.fit import SkillFit
from podium.skill.joint import Dense
from podium.skill.prediction import Unseen, probabilities

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class KindsFit(SkillFit):
    """``solution`` is that of the kind whose scale scores have; ``kinds`` are the labels of the others.

    ``point`` and its covariance ``inverse`` have all parameters in the order of `Layout`. ``bias_scale`` are
    the τ of the other kinds, ``votes`` their numbers of votes, ``unjudged`` the items that only they judged.
    """

    layout: Layout
    scale_kind: Any
    kinds: NDArray[Any]
    votes: Floats
    unjudged: NDArray[np.bool_]
    point: Floats
    inverse: Floats
    prior_scale: float
    bias_scale: Floats
    covariates: Covariates
    features: Features = NO_FEATURES
    record: Any = None
    joint_covariance: Any = None
    n_comparisons: float = 0.0
    log_likelihood: float = 0.0
    no_likelihood: str = "with kinds of judges all parameters have priors, so there is no likelihood"
    largest_prior: float = 0.0
    is_exact: bool = True
    has_normal_prior: bool = True
    covariate_effect: tuple[()] = ()
    feature_effect: tuple[()] = ()

    @property
    def joint(self) -> Dense:
        return Dense(self.covariance)

    def variances(self) -> Floats:
        return np.diag(self.covariance)

    def variance_of(self, contrast: Floats) -> float:
        return float(contrast @ self.joint_covariance @ contrast)

    def newcomers(self, c: Comparisons) -> tuple[Floats, float]:
        """New items have the skills of the prior."""
        return np.zeros(c.n_items), self.prior_scale

    @property
    def extra_names(self) -> tuple[str, ...]:
        return ("tie (log ν)", *["order effect"] * self.has_order_effect)

    @property
    def error_text(self) -> str:
        others = f", and votes of {listed(self.kinds)} tell about it" if len(self.kinds) else ""
        return f"scores on the scale of {quoted(self.scale_kind)} judges{others}"

    @property
    def remarks(self) -> tuple[str, ...]:
        if not self.unjudged.any():
            return ()
        return (
            f"no {quoted(self.scale_kind)} judge compared {names_of(self.items[self.unjudged])}: the "
            "interval rests on how much the kinds differ about other items, and is wider for that",
        )

    # ------------------------------------------------------------------------------------ the other kinds

    def as_seen_by(self, kind: Any) -> "KindsFit":
        """The fit with the skills, ties and order effect as a kind of judge sees them."""
        if find_labels(np.array([self.scale_kind]), [kind])[0] == 0:
            return self
        [k] = find_labels(self.kinds, [kind])
        if k < 0:
            raise ValueError(
                f"no judge of the kind {quoted(kind)} was seen in fit; the kinds are "
                f"{listed([self.scale_kind, *self.kinds])}"
            )
        at, n = self.layout, len(self.items)
        sharpness, ties, side = (int(row[k]) for row in at.habits(np.arange(len(self.point))))
        factor = np.exp(self.point[sharpness])
        slopes = np.zeros((n + 2, len(self.point)))  # of the parameters that this kind sees, by the point
        slopes[np.arange(n), np.arange(n)] = factor
        slopes[np.arange(n), at.bias(np.arange(len(self.point)))[k]] = factor
        slopes[n, [n, ties]] = slopes[n + 1, [side, *[n + 1] * at.order_effect]] = 1.0
        solution = slopes @ self.point
        slopes[:n, sharpness] = solution[:n]
        return replace(
            self,
            solution=solution,
            joint_covariance=slopes @ self.inverse @ slopes.T,
            tie=float(np.exp(solution[n])),
            has_order_effect=True,
            prior_scale=float(factor * np.hypot(self.prior_scale, self.bias_scale[k])),
        )

    def kind_effects(self) -> "pd.DataFrame":
        """The table of `BradleyTerry.kind_effects_`."""
        import pandas as pd

        columns: dict[str, Any] = {"judge_kind": pd.Series(self.kinds).array, "votes": self.votes}
        errors = np.sqrt(np.diag(self.inverse))
        habits = zip(*(self.layout.habits(of) for of in (self.point, errors)), strict=True)
        for name, (value, error) in zip(("sharpness", "ties", "side"), habits, strict=True):
            for end, z in (("", 0.0), ("_low", -1.96), ("_high", 1.96)):
                reach = value + z * error
                columns[name + end] = reach if name == "side" else np.exp(reach)
        return pd.DataFrame({**columns, "bias": self.bias_scale})

    def kind_bias(self) -> "pd.DataFrame":
        """The table of `BradleyTerry.kind_bias_`."""
        import pandas as pd

        return pd.DataFrame(self.layout.bias(self.point).T, index=self.items, columns=self.kinds)


def probabilities_by_kind(fit: KindsFit, c: Comparisons, unseen: Unseen, uncertainty: bool) -> Floats:
    """The probabilities of the outcomes as the kind of judge of each row sees them, or that of the scale."""
    if c.judge_kind is None or c.judge_kinds is None:
        return probabilities(fit, c, unseen, uncertainty=uncertainty)
    table = np.empty((len(c), 3))
    for code in np.unique(c.judge_kind):
        rows = c.judge_kind == code
        seen = fit.as_seen_by(c.judge_kinds[code])
        table[rows] = probabilities(seen, c[rows], unseen, uncertainty=uncertainty)
    return table
