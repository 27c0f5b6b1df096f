"""The skills at one time as a frozen fit, which leaderboards, tests and ranks read."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium.bradley_terry.covariates import CovariateFit
from podium.bradley_terry.dynamic.estimate import MODELS, Fitted
from podium.bradley_terry.dynamic.filter import one_step_loss
from podium.bradley_terry.dynamic.posterior import Posterior
from podium.comparisons.arrays import Floats, Index
from podium.comparisons.table import Comparisons
from podium.skill.joint import Dense, Drawn


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshot(CovariateFit):
    """The skills of the items that have played by the time ``when``, given all games.

    Skills are relative to the mean of the prior; errors are relative to the mean of the items, since a common
    shift of all skills cannot be estimated. ``solution`` ends with the effects of the scaled covariates and
    the order effect.
    """

    fitted: Fitted
    when: float
    movers: Index  # of the items
    forgets = True
    largest_prior = 0.0
    has_normal_prior = True

    @classmethod
    def at(cls, fitted: Fitted, ties: str, when: float) -> "Snapshot":
        """The skills at a time."""
        posterior, design = fitted.posterior, fitted.posterior.design
        movers = np.flatnonzero(posterior.begun(when))
        movers = movers[movers >= design.n_effects]
        items = design.items[movers - design.n_effects]
        order = np.argsort(items, kind="stable")  # items of updates come after the first ones
        movers = movers[order]
        every = _solution_order(posterior, movers)
        return cls(
            items=items[order],
            solution=posterior.between(every, when).of(posterior.x),
            component=np.zeros(len(movers), dtype=np.int32),
            ties=ties,
            tie=posterior.problem.link.tie if ties in MODELS else np.nan,
            has_order_effect=design.order_effect,
            notes=fitted.notes,
            rows=None,
            covariates=design.covariates,
            fitted=fitted,
            when=when,
            movers=movers,
        )

    @property
    def posterior(self) -> Posterior:
        return self.fitted.posterior

    def step(self, n: int, gap: float) -> tuple[Floats, Floats]:
        """How n items, then the effects, move in a while: factors, and the variances of the noise."""
        movers = _solution_order(self.posterior, np.full(n, self.posterior.design.n_effects))
        return self.posterior.motion.step(movers, np.full(len(movers), gap))

    @property
    def record(self) -> dict[str, Floats]:
        games, n_effects = self.posterior.problem.games, self.posterior.design.n_effects
        game = np.repeat(np.arange(len(games)), np.diff(games.indptr))
        played = (games.mover >= n_effects) & (games.when[games.moment] <= self.when)[game]
        game, mover, n_movers = game[played], games.mover[played], self.posterior.motion.n_movers
        won, mass = games.coefficient[played] * games.outcome[game], games.mass[game]
        every = (np.bincount(mover, mass * which, n_movers) for which in (won > 0, won == 0, won < 0))
        wins, ties, losses = (np.asarray(total[self.movers], dtype=np.float64) for total in every)
        return {"games": wins + ties + losses, "wins": wins, "ties": ties, "losses": losses}

    @property
    def is_exact(self) -> bool:
        return self.posterior.is_small

    @cached_property
    def joint_covariance(self) -> Floats:
        if not self.is_exact:
            return np.asarray(self._draws @ self._draws.T / self._draws.shape[1])
        every = _solution_order(self.posterior, self.movers)
        found = self.posterior.covariance_at(self.when)[np.ix_(every, every)]
        k = len(self.items)
        found[:k] -= found[:k].mean(axis=0)
        found[:, :k] -= found[:, :k].mean(axis=1, keepdims=True)
        return np.asarray(found)

    @cached_property
    def _raw_draws(self) -> Floats:
        """Draws of the errors of the solution, one per column, with the error that all items share."""
        return self.posterior.draws_at(self.when)[_solution_order(self.posterior, self.movers)]

    @cached_property
    def _draws(self) -> Floats:
        """The same without the shared error."""
        found = self._raw_draws.copy()
        found[: len(self.items)] -= found[: len(self.items)].mean(axis=0)
        return found

    @cached_property
    def joint(self) -> Dense | Drawn:
        if self.is_exact:
            return Dense(self.covariance)
        return Drawn(self._draws[: len(self.items)].astype(np.float32))

    def variances(self) -> Floats:
        if self.is_exact:
            return np.diag(self.covariance).clip(min=0)
        k, there = len(self.items), self.posterior.between(self.movers, self.when)
        total = self.posterior.variance_at(there) + (there.of(self.posterior.moved) ** 2).sum(axis=1)
        common = (self._raw_draws[:k] ** 2 - self._draws[:k] ** 2).mean(axis=1)
        return np.asarray(np.maximum(total - common, 0.0))

    def variance_of(self, contrast: Floats) -> float:
        if self.is_exact:
            return max(float(contrast @ self.joint_covariance @ contrast), 0.0)
        return float(np.mean((contrast @ self._draws) ** 2))

    # ------------------------------------------------------------------------------------ effects

    @property
    def extra_names(self) -> tuple[str, ...]:
        return (*self.covariates.used_names, *["order effect"] * self.has_order_effect)

    @property
    def extra_units(self) -> Floats:
        return np.append(1 / self.covariates.scale[self.covariates.used], np.ones(int(self.has_order_effect)))

    @property
    def prior_scale(self) -> float:
        """The standard deviation of the log-skills of new items."""
        return self.posterior.motion.spread

    def newcomers(self, c: Comparisons) -> tuple[Floats, float]:
        return np.zeros(c.n_items), self.posterior.motion.spread

    # ------------------------------------------------------------------------------------ likelihood

    @property
    def n_comparisons(self) -> float:
        return float(self.posterior.problem.games.mass.sum())

    @cached_property
    def log_likelihood(self) -> float:
        games, seen = self.posterior.problem.games, self.posterior.filtered.probability
        return -one_step_loss(games, seen, half=self.ties == "half")

    @property
    def n_parameters(self) -> int:
        return self.fitted.n_free

    @property
    def no_likelihood(self) -> str:
        return "ties='half' is not a model of ties, so there is no likelihood" if self.ties == "half" else ""


def _solution_order(posterior: Posterior, movers: Index) -> Index:
    """The movers in the order of the solution: items, covariate effects, order effect."""
    first = int(posterior.design.order_effect)
    return np.concatenate([movers, np.arange(first, posterior.design.n_effects), np.arange(first)])
