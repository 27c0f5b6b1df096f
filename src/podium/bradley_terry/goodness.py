"""Does one number per item explain the comparisons? Two checks of a fitted Bradley–Terry model."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.cycles import worst_cycles
from podium.bradley_terry.fitted import PairedFit
from podium.comparisons.arrays import Floats
from podium.core.links import outcome_probabilities


@dataclass(frozen=True)
class GoodnessOfFit:
    """How well the expected counts of every pair and outcome agree with the observed counts.

    Attributes
    ----------
    chi_squared : float
        Pearson's statistic.
    deviance : float
        Twice the difference of the log-likelihoods of the saturated model and this one.
    degrees_of_freedom : int
        The degrees of freedom of both statistics.
    p_value : float
        The p-value of Pearson's statistic; nan without degrees of freedom. Do not trust it if expected counts
        are small.
    smallest_expected : float
        The smallest expected count.
    """

    chi_squared: float
    deviance: float
    degrees_of_freedom: int
    p_value: float
    smallest_expected: float


@dataclass(frozen=True)
class Cycle:
    """Three items: each beat the next more often than not, and the last beat the first.

    Attributes
    ----------
    items : tuple
        The three items (or teams).
    z : float
        The sum of the log-odds along the cycle in standard errors; 0 is expected if the model holds.
    p_value : float
        The two-sided p-value, multiplied by the number of triples (Bonferroni).
    """

    items: tuple[Any, Any, Any]
    z: float
    p_value: float


@dataclass(frozen=True)
class Intransitivity:
    """The cycles that contradict the model most.

    Attributes
    ----------
    cycles : tuple of Cycle
        The cycles, worst first.
    n_cycles : int
        The number of all cycles.
    n_triangles : int
        The number of triples that met pairwise.
    """

    cycles: tuple[Cycle, ...]
    n_cycles: int
    n_triangles: int


def goodness_of_fit(fit: PairedFit) -> GoodnessOfFit:
    """Pearson's χ² and the deviance over the pairs that met; with an order effect, pairs are ordered.

    With covariates, the observed and expected counts of a pair are summed over its comparisons.
    """
    from scipy.special import chdtrc

    if fit.is_pseudo:
        raise ValueError("ties='half' is not a model of ties, so its fit cannot be tested; use 'davidson'")
    problem = fit.problem
    counts = problem.counts
    d = problem.differences(fit.solution)
    columns = [0, 1, 2] if problem.free_tie else [0, 2]
    share = outcome_probabilities(d, fit.link)[:, columns]
    seen = np.column_stack([counts.left_wins, counts.ties, counts.right_wins])[:, columns]
    met = counts.total > 0
    seen, expected = seen[met], share[met] * counts.total[met, None]
    if counts.design is not None:
        key = (counts.first.astype(np.int64) * counts.n_sides + counts.partner)[met]
        pair = np.unique(key, return_inverse=True)[1]
        seen, expected = (_sum_by(pair, table) for table in (seen, expected))
    chi_squared = float(((seen - expected) ** 2 / expected).sum())
    logs = np.log(np.divide(seen, expected, out=np.ones_like(seen), where=seen > 0))
    n_groups = len(np.unique(fit.component))
    free = len(fit.solution) - n_groups
    df = int(seen.size - len(seen) - free)
    p_value = float(chdtrc(df, chi_squared)) if df > 0 else np.nan
    return GoodnessOfFit(chi_squared, float(2 * (seen * logs).sum()), df, p_value, float(expected.min()))


def _sum_by(pair: NDArray[Any], table: Floats) -> Floats:
    return np.column_stack([np.bincount(pair, column) for column in table.T])


def intransitivity(fit: PairedFit, limit: int) -> Intransitivity:
    """The worst cycles of direct comparisons; the skills of the model play no part."""
    from scipy.special import ndtr

    if not limit >= 1:
        raise ValueError(f"limit must be at least 1, not {limit!r}")
    counts = fit.problem.counts
    indptr, partner, logit, variance = _direct_log_odds(counts, fit)
    found = worst_cycles(indptr, partner, logit, variance, limit)
    names = fit.items.tolist() if fit.problem.teams is None else _team_names(fit)
    cycles = [
        Cycle(tuple(names[i] for i in row), float(z), float(min(1.0, 2 * ndtr(-z) * found.n_triangles)))
        for row, z in zip(found.cycles.tolist(), found.z, strict=True)
    ]
    return Intransitivity(tuple(cycles), found.n_cycles, found.n_triangles)


def _direct_log_odds(
    counts: PairCounts, fit: PairedFit
) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats, Floats]:
    """For each pair, the log-odds of the smaller number over the larger, and its variance; rows in order.

    A half is added to wins and losses (Haldane, Anscombe). Under Davidson's model the log-odds estimate the
    difference of the log-skills, regardless of ties. The average effect of order and covariates on the pair
    is subtracted.
    """
    half = counts.ties / 2 if fit.ties == "half" else 0.0
    wins, losses = counts.left_wins + half, counts.right_wins + half
    first, second = counts.first.astype(np.int64), counts.partner.astype(np.int64)
    turned = second < first
    key = np.where(turned, second * counts.n_sides + first, first * counts.n_sides + second)
    pairs, which = np.unique(key, return_inverse=True)
    won = np.bincount(which, np.where(turned, losses, wins))
    lost = np.bincount(which, np.where(turned, wins, losses))
    games = np.maximum(won + lost, 1e-12)
    design, effects = counts.design, fit.problem.parts(fit.solution).effects
    ahead = fit.order_effect if design is None else -design @ effects  # of the left side
    lead = np.bincount(which, np.where(turned, -1, 1) * (wins + losses) * ahead) / games
    logit = np.log((won + 0.5) / (lost + 0.5)) - lead
    variance = 1 / (won + 0.5) + 1 / (lost + 0.5)
    if fit.ties == "half":  # half a win each varies less than a whole win by chance
        tied = np.bincount(which, counts.ties) / games
        variance *= 1 - tied / (4 * (won + 0.5) * (lost + 0.5) / (games + 1) ** 2).clip(min=tied * (1 + 1e-9))
    smaller, larger = np.divmod(pairs, counts.n_sides)
    indptr = np.searchsorted(smaller, np.arange(counts.n_sides + 1))
    return indptr.astype(np.int64), larger.astype(np.int32), logit, variance


def _team_names(fit: PairedFit) -> list[tuple[Any, ...]]:
    teams = fit.problem.teams
    names = fit.items[teams.indices].tolist()
    return [tuple(names[i:j]) for i, j in zip(teams.indptr[:-1], teams.indptr[1:], strict=True)]
