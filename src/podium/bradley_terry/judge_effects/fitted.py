"""The frozen fit with judge effects: its errors, its predictions, and the table of the judges."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.fitted import FitWithErrors, PairedFit
from podium.bradley_terry.judge_effects.nodes import Rows, mean_table, product_rule
from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.table import Comparisons
from podium.core.links import NODE, SHARE
from podium.skill.certainty import quantile

if TYPE_CHECKING:
    import pandas as pd

EFFECTS = ("sharpness", "ties", "side")


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedFit(FitWithErrors):
    """Skills, the tie parameter and the order effect are those of the typical judge.

    ``plain`` is the fit without judge effects. ``node`` and ``weight`` say what is known about every judge.
    """

    plain: PairedFit
    spread: Floats
    judge: NDArray[Any]
    votes: Floats
    node: Floats
    weight: Floats

    @property
    def n_parameters(self) -> int:
        """The spreads are parameters, too."""
        skills = 1 if self.has_normal_prior else len(self.items) - len(np.unique(self.component))
        return skills + len(self.solution) - len(self.items) + int(np.count_nonzero(self.spread))

    @property
    def no_anytime(self) -> str:
        why = "errors take the spreads of the judges as known"
        return f"judge effects and {{@anytime=True}} do not work together: {why}"

    @property
    def remarks(self) -> tuple[str, ...]:
        named = zip(EFFECTS, self.spread, strict=True)
        spreads = ", ".join(f"{name} {value:.2f}" for name, value in named if value)
        return (
            *super().remarks,
            f"judge effects (spreads: {spreads}): scores are those of the typical judge, and cannot be "
            "compared with scores of a board without judge effects",
        )

    # ------------------------------------------------------------------------------------ predictions

    def outcomes(self, c: Comparisons, d: Floats, variance: Floats) -> Floats:
        """Means over what is known of each judge, or over all judges for a new one."""
        home = np.ones(len(c)) if c.neutral is None else (~c.neutral).astype(np.float64)
        known, grid, share = np.full(len(c), -1), *product_rule(9, self.spread > 0)  # of new judges
        if c.group is not None and c.groups is not None:
            known = np.append(find_labels(self.judge, c.groups), -1)[c.group]
        link, table, tilt = self.link, np.zeros((len(c), 3)), self.order_effect * home
        log_tie = float(np.log(link.tie)) if link.tie > 0 else -np.inf
        sides = ((known >= 0, self.node, self.weight), (known < 0, (grid * self.spread)[None], share[None]))
        for at, node, weight in sides:
            for x, part in zip(NODE, SHARE, strict=True) if variance.any() else [(0.0, 1.0)]:
                delta, found = d + tilt + x * np.sqrt(variance), np.empty((np.count_nonzero(at), 3))
                rows = Rows(np.zeros(0, np.int64), delta[at], tilt[at], home[at], table, log_tie)
                mean_table(rows, known[at].clip(0), node, weight, found)
                table[at] += part * found
        return table


def judge_frame(fit: PairedFit, level: float = 0.95) -> "pd.DataFrame":
    """The effects of every judge with intervals: the posterior mean and standard deviation of (α, t, o)."""
    import pandas as pd

    if isinstance(fit, JudgedFit):
        judge, votes, width = fit.judge, fit.votes, quantile(level)
        mean = np.einsum("jq,jqk->jk", fit.weight, fit.node)
        deviation = np.sqrt(np.einsum("jq,jqk->jk", fit.weight, (fit.node - mean[:, None]) ** 2))
    else:  # no effect was kept
        c, width = fit.rows, 0.0
        if c is None or c.group is None or c.groups is None:
            raise ValueError("a saved model without judge effects does not keep its judges; fit it again")
        code, place = np.unique(c.group[c.group >= 0], return_inverse=True)
        judge, votes = c.groups[code], np.bincount(place, c.count[c.group >= 0]).astype(np.float64)
        mean = deviation = np.zeros((len(judge), 3))
    return with_effects(pd.DataFrame({"judge": judge, "votes": votes}), mean, deviation, width)


def with_effects(frame: "pd.DataFrame", mean: Floats, deviation: Floats, width: float) -> "pd.DataFrame":
    """A frame with log sharpness, log ties and side as the columns of `EFFECTS`, with intervals."""
    for k, name in enumerate(EFFECTS):
        for ending, side in (("", 0.0), ("_low", -width), ("_high", width)):
            value = mean[:, k] + side * deviation[:, k]
            frame[name + ending] = value if name == "side" else np.exp(value)
    return frame


def spreads(fit: PairedFit) -> dict[str, float]:
    """The spread of each effect; 0 where it is left out."""
    found = fit.spread if isinstance(fit, JudgedFit) else np.zeros(len(EFFECTS))
    return dict(zip(EFFECTS, found.tolist(), strict=True))
