"""The frozen fit of a Bradley–Terry model: its problem, its solution and the errors of the solution."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from podium.bradley_terry.counts.counting import PairedInput
from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.covariates import CovariateFit, design_of
from podium.bradley_terry.errors.covariance import Clustered, Robust, ScoreCovariance, exact_covariance
from podium.bradley_terry.errors.information import difference_slopes
from podium.bradley_terry.errors.sampling import Sampled, sampled_errors
from podium.bradley_terry.errors.series import (
    Series,
    solved_variances,
    variance_of_contrast,
    variances_by_series,
)
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.normal.features import NO_FEATURES, Features
from podium.bradley_terry.normal.fit import note_on_few_games
from podium.bradley_terry.normal.laplace import at_likely_scale
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import listed
from podium.comparisons.table import Comparisons
from podium.skill.fit import ExistenceWarning
from podium.skill.joint import Dense, Drawn, Independent
from podium.skill.problem import ProblemFit

ALMOST_INDEPENDENT = 0.15  # errors count as independent if no two items that met correlate more than this


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedFit(CovariateFit, ProblemFit):
    """What was fitted: the comparisons (``rows``), their counts (``data``) and the ``problem``.

    A saved model has no ``rows``. ``squares`` is what robust errors need: counts by squared weights.
    """

    data: PairedInput
    problem: PairedProblem
    features: Features = NO_FEATURES
    half_life: float | str | None = None
    squares: PairCounts | None = None

    @property
    def link(self) -> Any:
        """The model of ties or grades, with its parameters."""
        return super().link if self.problem.graded is None else self.problem.parts(self.solution).link

    @property
    def is_pseudo(self) -> bool:
        """Whether the objective is not a likelihood, because a tie counts as half a win of each side."""
        return self.ties == "half" and self.problem.counts.n_ties > 0

    @cached_property
    def score_covariance(self) -> ScoreCovariance | None:
        """The covariance of the gradient for the sandwich; None if errors come from the information alone."""
        if self.covariance_kind == "cluster":
            if self.score_signs is None or self.is_exact:
                return Clustered(self.scores, self.score_signs)
            return Clustered(self.scores[self.score_signs > 0])  # wider: draws cannot have negative parts
        if self.covariance_kind == "robust":
            return Robust(self.problem, self.solution, self.squares or self.problem.counts)
        return Robust(self.problem, self.solution, self.problem.counts) if self.is_pseudo else None

    @property
    def tie_at(self) -> int | None:
        return len(self.items) if self.problem.free_tie else None

    def difference_slopes(self, c: Comparisons) -> Any:
        """The derivatives of the differences of fitted comparisons by all parameters (sparse)."""
        left, right = self.data.sides[c.left], self.data.sides[c.right]
        design = design_of(c, self.covariates, self.has_order_effect)
        return difference_slopes(self.problem, self.solution, left, right, design)

    @property
    def weight_text(self) -> str:
        span = f"{self.half_life:g}" if isinstance(self.half_life, int | float) else self.half_life
        return "" if span is None else f"weights halve every {span}"

    @property
    def forgets(self) -> bool:
        return self.half_life is not None

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        from podium.bradley_terry.clusters import note_on_groups

        return (*self._remarks(), *note_on_groups(self))

    def _remarks(self) -> tuple[str, ...]:
        if self.problem.normal is None:
            tie, order = ["tie parameter"], ["order effect"]
            names = tie * self.problem.free_tie + order * self.has_order_effect
            note = note_on_few_games(self.problem, [*names, *self.covariates.used_names])
            return (note,) * bool(note)
        if self.prior_scale > 0:
            return ()
        beyond = " beyond those of their features" if self.features.used_names else ""
        return (
            f"no differences between the items were found{beyond}, so the normal prior makes them equal; the "
            "intervals take this as known",
        )

    def newcomers(self, c: Comparisons) -> tuple[Floats, float] | None:
        """What the normal prior says about new items; None with another prior."""
        normal = self.problem.normal
        if normal is None or normal.mean.any():
            return None
        names = self.features.used_names
        columns = self.features.of_others(c) if names else None
        if columns is not None:
            return columns @ self.problem.parts(self.solution).features, self.prior_scale
        if names:
            warnings.warn(
                f"these comparisons lack the features {listed(names)}, so new items count as average ones",
                ExistenceWarning,
                stacklevel=8,
            )
        return np.zeros(c.n_items), self.prior_scale

    @property
    def feature_effect(self) -> Floats:
        return self.features.in_units(self.problem.parts(self.solution).features)

    @cached_property
    def feature_error(self) -> Floats:
        at = len(self.items) + self.problem.n_link + np.arange(self.problem.n_features)
        return self.features.in_units(self.errors_of(at))

    @cached_property
    def record(self) -> dict[str, Floats]:
        """Games, wins, ties and losses of every item; ties are counted even if the model ignores them."""
        counts, teams = self.data.counts, self.data.teams
        ties, games = counts.by_side(counts.ties), counts.games
        wins = counts.score - ties / 2
        found = {"games": games, "wins": wins, "ties": ties, "losses": games - wins - ties}
        if teams is not None:
            found = {name: teams.T @ values for name, values in found.items()}
        return {name: np.where(np.abs(values) < 1e-9, 0.0, values) for name, values in found.items()}

    @property
    def extra_names(self) -> tuple[str, ...]:
        graded, rao_kupper = self.problem.graded, self.problem.rao_kupper
        kind, tie = ("c", "tie (log κ)") if rao_kupper else ("λ", "grade 0 (λ)" if graded else "tie (log ν)")
        levels = graded.levels[1 + self.problem.free_tie :].tolist() if graded else []
        grades = [f"grade {k:.0f} ({kind})" for k in levels]
        order = ["order effect"] * self.has_order_effect
        names = (*self.features.used_names, *self.covariates.used_names, *order)
        return (*[tie] * self.problem.free_tie, *grades, *names)

    @property
    def extra_units(self) -> Floats:
        scales = [kind.scale[kind.used] for kind in (self.features, self.covariates)]
        before, after = np.ones(self.problem.n_link), np.ones(int(self.has_order_effect))
        return np.asarray(1 / np.concatenate([before, *scales, after]))

    @property
    def n_comparisons(self) -> float:
        return self.problem.counts.n_games

    @property
    def no_likelihood(self) -> str:
        return "ties='half' is not a model of ties, so there is no likelihood" if self.is_pseudo else ""

    @property
    def errors_from(self) -> str:
        return "robust" if self.is_pseudo and self.covariance_kind == "model" else self.covariance_kind

    @cached_property
    def joint_covariance(self) -> Floats:
        """The covariance of all parameters.

        With a normal prior it has the error of s, and its bias in thin data (`normal.laplace`).
        """
        if np.isinf(self.tie):
            return np.diag(np.full(len(self.items), np.inf))
        problem, x, normal = self.problem, self.solution, self.problem.normal
        if normal is None or normal.scale_error == 0:
            return exact_covariance(problem, x, self.score_covariance)
        problem, x = at_likely_scale(problem, x)
        joint = exact_covariance(problem, x, self.score_covariance)
        inverse = joint if self.score_covariance is None else exact_covariance(problem, x)
        moved = np.column_stack([normal.scale_error * inverse @ problem.by_log_scale(x), x - self.solution])
        return np.asarray(joint + moved @ moved.T)

    @cached_property
    def _series(self) -> Series | None:
        return variances_by_series(self.problem, self.solution, self.score_covariance)

    @cached_property
    def _sampled(self) -> Sampled:
        return sampled_errors(self.problem, self.solution, self.score_covariance)

    @cached_property
    def joint(self) -> Dense | Independent | Drawn:
        """The joint errors; the errors of many items count as independent only if all are well connected."""
        if np.isinf(self.tie):
            return Independent(np.full(len(self.items), np.inf))
        if self.is_exact:
            return Dense(self.covariance)
        if self._series is not None and self._series.correlation <= ALMOST_INDEPENDENT:
            return Independent(self._series.variance)
        if self.problem.teams is None:
            return Drawn(self._sampled.errors)
        drawn = np.sqrt(Drawn(self._sampled.errors).variances())  # from the expected information
        ratio = np.divide(self.standard_error, drawn, out=np.ones_like(drawn), where=drawn > 0)
        return Drawn((self._sampled.errors * ratio[:, None]).astype(np.float32))

    def variances(self) -> Floats:
        if np.isinf(self.tie):
            return np.full(len(self.items), np.inf)
        whole = self.score_covariance is not None or self.has_normal_prior or len(self.problem.known.at) > 0
        if "joint_covariance" in self.__dict__ or (self.is_exact and whole):
            return np.diag(self.covariance).clip(min=0)
        if not self.is_exact and self._series is not None:
            return self._series.variance
        solved = solved_variances(self.problem, self.solution, self.score_covariance)
        return self._sampled.variance if solved is None else solved

    def variance_of(self, contrast: Floats) -> float:
        if np.isinf(self.tie):
            return np.inf
        if self.score_signs is not None and self.is_exact:  # without its negative eigenvalues
            return float(contrast @ self.joint_covariance @ contrast)
        return variance_of_contrast(self.problem, self.solution, contrast, self.score_covariance)


@dataclass(frozen=True, eq=False, kw_only=True)
class FitWithErrors(PairedFit):
    """A fit that was made with its ``errors``, the covariance of the solution."""

    errors: Floats
    is_exact = True

    @property
    def score_covariance(self) -> None:
        """The errors contain it."""

    @property
    def joint_covariance(self) -> Floats:
        return self.errors

    def variances(self) -> Floats:
        return np.diag(self.covariance).clip(min=0)

    def variance_of(self, contrast: Floats) -> float:
        return float(contrast @ self.errors @ contrast)
