"""The frozen fit of a model of skill: everything that boards, tests and predictions read."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import InputError, names_of
from podium.comparisons.table import Comparisons
from podium.core.links import Link, information, mean_probabilities, outcome_probabilities
from podium.skill.joint import Joint

ENOUGH_GROUPS = 30  # for clustered errors, if they are of equal size; boards with fewer have a note


class ExistenceWarning(UserWarning):
    """The comparisons alone do not determine everything that was asked for."""


class Effect(NamedTuple):
    """What one unit more of a covariate adds to the log-odds of a side, with its error.

    Boards show it per ``per`` units, a round number by which two sides often differ. ``value`` is nan if the
    covariate was left out.
    """

    name: str
    per: float
    value: float
    error: float


@dataclass(frozen=True, eq=False, kw_only=True)
class SkillFit(ABC):
    """The items, their skills and the errors of the skills; each family computes the errors in its own way.

    ``solution`` holds the log-skills, with mean 0 in every component, then the other parameters, with the
    order effect last.
    """

    items: NDArray[Any]
    solution: Floats
    component: NDArray[np.int32]
    ties: str  # the model of ties
    tie: float  # its parameter; infinite if there were only ties, which do not determine any difference
    has_order_effect: bool
    notes: tuple[str, ...]
    rows: Comparisons | None  # what was fitted; a saved model has no rows
    covariance_kind: str = "model"
    group_sizes: Floats | None = None  # what the comparisons of each group weigh, if errors are clustered
    scores: Any = None  # gradients in sparse rows, of groups or rankings, for clustered and robust errors
    clusters: Mapping[str, Floats] | None = None  # the sizes of several kinds of groups, the fewest first
    score_signs: Floats | None = None  # with several kinds of groups, the signs of the squares of the scores
    unit = "comparison"  # what `n_comparisons` counts

    @property
    def log_skill(self) -> Floats:
        return self.solution[: len(self.items)]

    @property
    def link(self) -> Any:
        """The model of ties, with its parameter; a `GradedLink` if there are grades."""
        return Link.of(self.ties, self.tie)

    @property
    def order_effect(self) -> float:
        """The advantage of the left side."""
        return float(self.solution[-1]) if self.has_order_effect else 0.0

    @property
    def covariate_effects(self) -> tuple[Effect, ...]:
        """The effects of the covariates; models without covariates have none."""
        return ()

    @property
    def error_text(self) -> str:
        """The kind of the standard errors, unless they follow from the model."""
        if self.clusters is not None:
            named = (f"{name} ({len(sizes):,} groups)" for name, sizes in self.clusters.items())
            return f"standard errors: clustered by {' and '.join(named)}"
        if self.group_sizes is not None:
            return f"standard errors: clustered by group ({len(self.group_sizes):,} groups)"
        return "standard errors: robust" if self.covariance_kind == "robust" else ""

    @property
    def weight_text(self) -> str:
        """How the fit changed the weights of the comparisons, if it did."""
        return ""

    @property
    def scale_text(self) -> str:
        """Which skills were given to the fit and set its scale."""
        return ""

    @property
    def no_anytime(self) -> str:
        """Why no interval can hold at every look, if there is another reason than the usual ones."""
        return ""

    @property
    def forgets(self) -> bool:
        """Whether old comparisons count less, because skills may have changed since."""
        return False

    @property
    def remarks(self) -> tuple[str, ...]:
        """More notes for the leaderboard, which `fit` does not warn about."""
        return ()

    @property
    def tie_at(self) -> int | None:
        """Where the solution has the logarithm of the tie parameter; None if it was not estimated there."""
        return None

    def columns(self, c: Comparisons) -> Floats:
        """What multiplies the last entries of the solution in the differences of other comparisons."""
        home = np.ones(len(c)) if c.neutral is None else ~c.neutral
        return np.asarray(-1.0 * home[:, None])[:, : int(self.has_order_effect)]

    def offsets(self, c: Comparisons) -> Floats:
        """What covariates and the order effect add to the differences of the two sides."""
        columns = self.columns(c)
        return np.asarray(columns @ self.solution[len(self.solution) - columns.shape[1] :])

    def outcomes(self, c: Comparisons, d: Floats, variance: Floats) -> Floats:
        """The probabilities of the outcomes of c, whose differences are normal if they have a variance."""
        table = outcome_probabilities(d, self.link)
        spread = (variance > 0) & ~np.isnan(d)
        if spread.any():
            table[spread] = mean_probabilities(d[spread], np.sqrt(variance[spread]), self.link)
        return table

    def information(self, difference: Floats) -> Floats:
        """What one comparison of two items tells about the difference of their log-skills.

        With an order effect it is the mean of both orders. Ties that the model splits or drops occur as often
        as in the comparisons so far.
        """
        sides = (self.order_effect, -self.order_effect) if self.has_order_effect else (0.0,)
        found = np.mean([information(difference + side, self.link) for side in sides], axis=0)
        if self.ties not in ("half", "ignore"):
            return np.asarray(found)
        decided = max(1 - float(self.record["ties"].sum() / self.record["games"].sum()), 1e-9)
        # A tie that is dropped tells nothing. Half a win varies less than the win or loss of the curvature.
        return np.asarray(found * decided if self.ties == "ignore" else found / decided)

    def newcomers(self, c: Comparisons) -> tuple[Floats, float] | None:
        """The mean log-skill expected of each item of c if it is new, and the standard deviation around it.

        None if the fit says nothing about items that it has not seen.
        """
        return None

    @property
    @abstractmethod
    def record(self) -> Mapping[str, Floats]:
        """The ``games``, ``wins``, ``ties`` and ``losses`` of every item."""

    @property
    @abstractmethod
    def joint_covariance(self) -> Floats:
        """The covariance of all parameters."""

    @property
    @abstractmethod
    def is_exact(self) -> bool:
        """Whether the covariance is known or cheap to compute."""

    @property
    @abstractmethod
    def joint(self) -> Joint:
        """The joint distribution of the errors of the log-skills."""

    @abstractmethod
    def variances(self) -> Floats:
        """The variance of every log-skill minus the mean of its component."""

    @abstractmethod
    def variance_of(self, contrast: Floats) -> float:
        """The variance of a linear function of all parameters."""

    # ------------------------------------------------------------------------------------ likelihood

    @property
    @abstractmethod
    def extra_names(self) -> tuple[str, ...]:
        """The names of the parameters after the log-skills."""

    @property
    def extra_units(self) -> Floats:
        """Factors that turn these parameters into the units of the user."""
        return np.ones(len(self.extra_names))

    @property
    @abstractmethod
    def n_comparisons(self) -> float:
        """The number of comparisons that the model explains; a row counts with its weight."""

    @property
    @abstractmethod
    def log_likelihood(self) -> float:
        """The sum of log P(outcome) over the comparisons, without the prior."""

    @property
    @abstractmethod
    def no_likelihood(self) -> str:
        """Why there is no likelihood, and so no AIC, BIC or likelihood ratio; empty if there is one."""

    @property
    @abstractmethod
    def largest_prior(self) -> float:
        """The largest weight of a prior; with any prior the estimates do not maximise the likelihood."""

    @property
    def local(self) -> NDArray[np.bool_]:
        """Which items have the local prior of `podium.skill.plan`."""
        return np.zeros(len(self.items), np.bool_)

    @property
    def has_normal_prior(self) -> bool:
        """Whether skills are normal, so that the likelihood is marginal: integrated over the skills."""
        return False

    @property
    def errors_from(self) -> str:
        """Where errors come from: "model" (the information), "robust" or "cluster" (the sandwich)."""
        return self.covariance_kind

    @property
    def degrees(self) -> float:
        """The degrees of freedom of intervals and tests: clustered errors are themselves uncertain."""
        return np.inf if self.group_sizes is None else len(self.group_sizes) - 1.0

    @property
    def few_groups(self) -> tuple[str, ...]:
        """Notes if clustered errors come from few groups, from unequal ones, or for some items from few."""
        if self.group_sizes is None:
            return ()
        k, found, start = len(self.items), [], 0
        for name, sizes in (self.clusters or {"": self.group_sizes}).items():
            n, groups = len(sizes), f"groups of {name}" if name else "groups"
            effective = round(sizes.sum() ** 2 / (sizes**2).sum())
            if effective < ENOUGH_GROUPS and n < min(ENOUGH_GROUPS, 2 * effective):
                found.append(
                    f"few groups: errors from {n} {groups} are themselves uncertain, so intervals are wide"
                )
            elif effective < ENOUGH_GROUPS:
                what = f"{groups} of unequal size: {n:,} groups count like {effective} equal ones"
                found.append(f"{what}, so intervals may be too short and ranks wrong")
            groups_of_item = np.bincount(self.scores[start : start + n].indices, minlength=k)[:k]
            rare = (groups_of_item < ENOUGH_GROUPS) & (groups_of_item <= n / 2)
            if rare.any():
                what = f"few {groups} compared {names_of(self.items[rare])}"
                found.append(f"{what}, so intervals may be too short and ranks wrong")
            start += n
        return tuple(found)

    @property
    def n_set(self) -> int:
        """The number of log-skills that are not free: those of a component add up to 0."""
        return len(np.unique(self.component))

    @property
    def n_parameters(self) -> int:
        """The number of free parameters."""
        return len(self.solution) - self.n_set

    def information_criterion(self, penalty: float) -> float:
        """``penalty`` for each parameter minus twice the log-likelihood; nan if there is no likelihood."""
        return np.nan if self.no_likelihood else penalty * self.n_parameters - 2 * self.log_likelihood

    @property
    def aic(self) -> float:
        return self.information_criterion(2.0)

    @property
    def bic(self) -> float:
        return self.information_criterion(float(np.log(self.n_comparisons)))

    # ------------------------------------------------------------------------------------ errors

    @property
    def covariance(self) -> Floats:
        """The covariance of the log-skills."""
        k = len(self.items)
        return self.joint_covariance[:k, :k]

    @cached_property
    def standard_error(self) -> Floats:
        return np.sqrt(self.variances())

    def variance_of_difference(self, a: int, b: int) -> float:
        """The variance of the difference of two log-skills."""
        if not self.is_exact:
            return self._variance_of({a: 1.0, b: -1.0})
        v = self.covariance[np.ix_([a, b], [a, b])]
        return float(max(v[0, 0] + v[1, 1] - 2 * v[0, 1], 0.0))

    def errors_of(self, entries: NDArray[np.int64]) -> Floats:
        """The standard errors of some entries of the solution other than skills."""
        if self.is_exact:
            return np.asarray(np.sqrt(np.diag(self.joint_covariance)[entries].clip(min=0)))
        return np.asarray(np.sqrt([self._variance_of({int(entry): 1.0}) for entry in entries]))

    def _variance_of(self, entries: dict[int, float]) -> float:
        contrast = np.zeros_like(self.solution)
        contrast[list(entries)] = list(entries.values())
        return self.variance_of(contrast)


# ------------------------------------------------------------------------------------ groups


def sizes_of_groups(group: Codes | None, mass: Floats, unit: str) -> tuple[Floats, Codes]:
    """What the rows of every group weigh, and the number of the group of each row.

    Fewer groups than clustered errors need are an error.
    """
    if group is None:
        raise InputError(
            f"covariance='cluster' needs groups; give {{@group}} when you read or make the {unit}"
        )
    code = np.unique(group, return_inverse=True)[1].astype(np.int32)
    sizes = np.bincount(code, mass).astype(np.float64)
    fewest = 5  # with three, a rank was wrong in 47 % of simulations by the normal distribution
    if len(sizes) < fewest:
        raise InputError(
            f"{{@covariance}}'cluster' needs at least {fewest} groups, and these {unit} have "
            f"{len(sizes)}; add groups, or use {{@covariance}}'model', which takes {unit} to be independent"
        )
    return sizes, code


def sums_by_group(scores: Any, code: Codes) -> Any:
    """The gradient of every group, from those of its rows (sparse).

    The factor √(G / (G - 1)) allows for few groups: the estimate is drawn to their own rows.
    """
    from scipy.sparse import csr_array

    n = int(code.max()) + 1
    member = csr_array((np.ones(len(code)), (code, np.arange(len(code)))), shape=(n, len(code)))
    return (member @ scores).tocsr() * np.sqrt(n / (n - 1))
