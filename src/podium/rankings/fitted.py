"""The frozen fit of a Plackett–Luce model: its problem, its solution and the errors of the solution."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.rankings import Rankings
from podium.core.links import Link, information
from podium.rankings.errors import Sampled, exact_covariance, sampled_errors, variance_of_contrast
from podium.rankings.likelihood import RankingProblem
from podium.skill.joint import Dense, Drawn
from podium.skill.problem import ProblemFit


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingFit(ProblemFit):
    """What was fitted: the ``rankings`` and the ``problem``.

    A saved model has no ``rankings``.
    """

    rankings: Rankings | None
    problem: RankingProblem
    results: dict[str, Floats]
    unit = "choice"
    no_likelihood = ""

    @property
    def tie_by_size(self) -> dict[int, float]:
        """δ of every tie size that occurs."""
        sizes, delta = self.problem.ballots.sizes, self.problem.delta(self.solution)
        return dict(zip(sizes[1:].tolist(), delta[1:].tolist(), strict=True))

    @property
    def link(self) -> Link:
        """Two items are ranked as in Davidson's model."""
        return Link(self.tie_by_size.get(2, 0.0))

    @property
    def tie_at(self) -> int | None:
        return len(self.items) if 2 in self.tie_by_size else None

    def information(self, difference: Floats) -> Floats:
        return information(difference, self.link)

    @property
    def record(self) -> dict[str, Floats]:
        """Comparisons of every item with the others of its rankings: won, tied and lost."""
        return self.results

    @property
    def extra_names(self) -> tuple[str, ...]:
        return tuple(f"tie of {d} (log δ)" for d in self.problem.ballots.sizes[1:].tolist())

    @property
    def n_comparisons(self) -> float:
        """The number of choices: a ranking of m items without ties has m - 1."""
        return float(self.problem.ballots.tally.winners.sum())

    @cached_property
    def joint_covariance(self) -> Floats:
        """The covariance of the log-skills and of the log δ."""
        return exact_covariance(self.problem, self.solution, self.scores)

    @cached_property
    def _sampled(self) -> Sampled:
        return sampled_errors(self.problem, self.solution, self.scores)

    @cached_property
    def joint(self) -> Dense | Drawn:
        return Dense(self.covariance) if self.is_exact else Drawn(self._sampled.errors)

    def variances(self) -> Floats:
        found = np.diag(self.covariance).clip(min=0) if self.is_exact else self._sampled.variance
        compared = (self.problem.ballots.tally.choices > 0) | self.has_normal_prior
        return np.where(compared, found, np.inf)  # nothing is known of an item that is ranked alone

    def variance_of(self, contrast: Floats) -> float:
        return variance_of_contrast(self.problem, self.solution, contrast, self.scores)
