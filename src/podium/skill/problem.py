"""What likelihoods of skills share: which items are ranked together, and priors. What their fits share.

A point x holds the log-skills θ, then all other parameters. The prior of the skills is that of eq. (7) of
[GeneralizedBT], -μ Σ log(p_s / Σ p) for every group of items that is ranked together, or pseudo-games
(`podium.skill.plan`), or a normal prior.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import names_of
from podium.core.groups import centred
from podium.core.linear import EXACT_ITEMS
from podium.core.marginal import NormalPrior, smallest_scale
from podium.core.smooth import Smooth
from podium.skill.fit import SkillFit
from podium.skill.known import NOTHING, Known
from podium.skill.plan import LOCAL, Plan


@dataclass(frozen=True, eq=False, kw_only=True)
class SkillProblem(Smooth):
    """The parts of a `podium.core.smooth.Smooth` that do not depend on what was observed."""

    rank_group: Codes  # items ranked together have the same number
    prior: Floats  # μ of each item in the prior of eq. (7)
    local: NDArray[np.bool_]  # items that have the local prior of `podium.skill.plan`
    normal: NormalPrior | None = None  # replaces the prior μ
    ridge: Floats | None = None  # ½ ridge b² is added for each parameter b after the skills
    known: Known = NOTHING  # skills that are given and stay as they are

    @classmethod
    def without_prior(cls, group: Codes, *observed: Any) -> Self:
        """What was observed of items in these groups, and nothing else."""
        n = len(group)
        return cls(*observed, rank_group=group, prior=np.zeros(n), local=np.zeros(n, np.bool_))

    @property
    def n_items(self) -> int:
        return len(self.rank_group)

    @property
    @abstractmethod
    def games(self) -> Floats:
        """How often each item was compared."""

    @property
    def games_per_item(self) -> float:
        return float(self.games.mean())

    @property
    @abstractmethod
    def pseudo(self) -> "SkillProblem | None":
        """The pseudo-games of the local prior."""

    @abstractmethod
    def loss(self, x: Floats) -> float: ...

    @property
    def is_flat(self) -> bool:
        """Whether the scale of the normal prior is estimated as 0: items are equal, given their features."""
        return self.normal is not None and self.normal.scale <= 1.01 * smallest_scale(self.games_per_item)

    @property
    def features_at(self) -> slice:
        """Where a point has the effects of the items' features; none by default."""
        return slice(len(self.rank_group), len(self.rank_group))

    @property
    def plan(self) -> Plan:
        """What is added to the comparisons."""
        return Plan(self.rank_group, self.prior, self.local, self.ridge)

    def with_plan(self, plan: Plan) -> Self:
        """The problem with what a plan adds."""
        group, prior, local, ridge, _ = plan
        return replace(self, rank_group=group, prior=prior, local=local, ridge=ridge)

    def centred(self, x: Floats) -> Floats:
        """The same point, shifted to a mean log-skill of 0 in every rank group without known skills."""
        found, measured = centred(x, self.rank_group), self.known.measured(self.rank_group)
        found[: self.n_items][measured] = x[: self.n_items][measured]
        return found

    def covariance_of(self, joint: Floats) -> Floats:
        """The covariance of the parameters if known skills have no errors, from that of the free ones."""
        joint, at = self.centred(self.centred(joint).T).T, self.known.at
        joint[at], joint[:, at] = 0.0, 0.0
        return joint

    def held(self, gradient: Floats) -> Floats:
        """The gradient; 0 by known skills, which do not move."""
        gradient[self.known.at] = 0.0
        return gradient

    def placed(self, x: Floats) -> Floats:
        """The start of a solver, with the skills that are known."""
        if len(at := self.known.at):
            x[: self.n_items][self.known.measured(self.rank_group)] += (self.known.value - x[at]).mean()
            x[at] = self.known.value
        return x

    def away(self, x: Floats) -> Floats:
        """How far each log-skill is from what the normal prior expects."""
        assert self.normal is not None
        return self.normal.residual(x[: len(self.rank_group)], x[self.features_at])

    def shares(self, x: Floats) -> tuple[Floats, Floats]:
        """Each item's share of the skill of its rank group, and the weight μ times the size of the group."""
        theta = x[: len(self.rank_group)]
        top = np.full(int(self.rank_group.max()) + 1, -np.inf)
        np.maximum.at(top, self.rank_group, theta)
        p = np.exp(theta - top[self.rank_group])
        total = np.bincount(self.rank_group, p)[self.rank_group]
        return p / total, self.prior * np.bincount(self.rank_group)[self.rank_group]

    def skill_scale(self) -> Floats:
        """The scale of the gradient by each log-skill: its games, and what the prior adds."""
        pseudo = 0.0 if self.pseudo is None else self.pseudo.games
        return np.asarray(
            self.games + (self.prior if self.normal is None else self.normal.scale**-2) + pseudo
        )

    def prior_derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        """The gradient and the curvature of the prior."""
        k, gradient, curvature = len(self.rank_group), np.zeros(len(x)), np.zeros(len(x))
        if self.ridge is not None:
            gradient[k:], curvature[k:] = self.ridge * x[k:], self.ridge
        if self.pseudo is not None:
            local = self.pseudo.derivatives(x[:k])
            gradient[:k], curvature[:k] = local.gradient, local.curvature
        if self.normal is not None:
            X, away, precision = self.normal.features, self.away(x), self.normal.scale**-2
            gradient[:k] += precision * away
            gradient[self.features_at] -= precision * (X.T @ away)
            gradient[k:] += self.normal.tilt_of(len(x) - k)
            curvature[:k] += precision
            curvature[self.features_at] += precision * (X**2).sum(axis=0)
        elif self.prior.any():
            share, weight = self.shares(x)
            gradient[:k] += weight * share - self.prior
            curvature[:k] += weight * share * (1 - share)
        return gradient, curvature

    def objective(self, x: Floats) -> float:
        """The loss plus the prior."""
        k, value = len(self.rank_group), self.loss(x)
        if self.pseudo is not None:
            value += self.pseudo.loss(x[:k])
        if self.ridge is not None:
            value += float(self.ridge @ x[k:] ** 2) / 2
        if self.normal is not None:
            away, tilted = self.away(x), float(self.normal.tilt_of(len(x) - k) @ x[k:])
            return value + float(away @ away) / (2 * self.normal.scale**2) + tilted
        ranked = self.prior > 0
        if not ranked.any():
            return value
        with np.errstate(divide="ignore"):
            logs = np.log(self.shares(x)[0])
        return value - float((self.prior[ranked] * logs[ranked]).sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class ProblemFit(SkillFit):
    """The fit of skills that stand still: the solution of one problem."""

    problem: SkillProblem
    marginal: float | None = None  # the marginal log-likelihood of a normal prior
    exact_items: int = EXACT_ITEMS  # up to this many items, errors come from the covariance of all of them

    @cached_property
    def log_likelihood(self) -> float:
        if np.isinf(self.tie):  # there are only ties, and the model is certain of them
            return 0.0
        return -self.problem.loss(self.solution) if self.marginal is None else self.marginal

    @property
    def scale_text(self) -> str:
        names = self.items[self.problem.known.at]
        return f"scale: given by the skills of {names_of(names)}" if len(names) else ""

    @property
    def n_set(self) -> int:
        return super().n_set + max(len(self.problem.known.at) - 1, 0)

    @property
    def n_parameters(self) -> int:
        if self.marginal is None:
            return super().n_parameters
        return 1 + len(self.solution) - len(self.items)  # the marginal likelihood has s instead of the skills

    @property
    def is_exact(self) -> bool:
        return "joint_covariance" in self.__dict__ or len(self.items) <= self.exact_items

    @property
    def has_normal_prior(self) -> bool:
        return self.problem.normal is not None

    @property
    def prior_scale(self) -> float:
        """The standard deviation s of a normal prior, 0 if the skills do not vary; nan with other priors."""
        if self.problem.normal is None:
            return np.nan
        return 0.0 if self.problem.is_flat else self.problem.normal.scale

    @property
    def largest_prior(self) -> float:
        return max(float(self.problem.prior.max()), LOCAL * bool(self.local.any()))

    @property
    def local(self) -> NDArray[np.bool_]:
        return self.problem.local
