"""Does one number per item explain the comparisons? Two checks of a fitted Bradley–Terry model."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import PairCounts, Replicate
from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.refit import refitter
from podium.bradley_terry.resample import sorted_pairs
from podium.bradley_terry.together import refuse
from podium.comparisons.arrays import Floats
from podium.core.groups import group_sums
from podium.core.links import outcome_probabilities
from podium.core.smooth import TINY
from podium.numerics.compiled import njit

ENOUGH = 5.0  # if all expected counts are at least this, Pearson's statistic is χ² (Cochran 1954)
# If comparisons are fewer than PER_PARAMETER for each parameter, the estimates are too far apart to simulate
# from. Without FEWEST per pair, the statistic says almost nothing.
PER_PARAMETER, FEWEST = 10, 2
DRAWS = 199  # simulated data sets; a p-value of 0.05 is accurate to 0.03 (two standard errors)


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
        The p-value of Pearson's statistic. It is that of the χ² distribution if all expected counts are at
        least 5 and there are no covariates. Otherwise 199 data sets are drawn from the model with a fixed
        seed, and the model is fitted to each, so the p-value is at least 0.005. It is nan if there are fewer
        than 10 comparisons per parameter or 2 per pair.
    smallest_expected : float
        The smallest expected count.
    note : str
        Why there is no p-value; empty if there is one.
    """

    chi_squared: float
    deviance: float
    degrees_of_freedom: int
    p_value: float
    smallest_expected: float
    note: str = ""


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


# ------------------------------------------------------------------------------------ expected counts


def goodness_of_fit(fit: PairedFit) -> GoodnessOfFit:
    """Pearson's χ² and the deviance over the pairs that met; with an order effect, pairs are ordered.

    With covariates, the observed and expected counts of a pair are summed over its comparisons.
    """
    if fit.is_pseudo:
        raise ValueError("ties='half' is not a model of ties, so its fit cannot be tested; use 'davidson'")
    if fit.problem.graded is not None:
        refuse("grades", "goodness of fit")
    observed, expected = _table(fit.problem, fit.solution)
    logs = np.log(np.divide(observed, expected, out=np.ones_like(observed), where=observed > 0))
    chi_squared, deviance = _pearson(observed, expected), float(2 * (observed * logs).sum())
    free = len(fit.solution) - fit.n_set
    df, smallest = observed.size - len(observed) - free, float(expected.min())
    p_value, note = _p_value(
        fit, chi_squared, df, smallest, max(PER_PARAMETER * free, FEWEST * len(observed))
    )
    return GoodnessOfFit(chi_squared, deviance, df, p_value, smallest, note)


def _p_value(fit: PairedFit, chi_squared: float, df: int, smallest: float, needed: int) -> tuple[float, str]:
    """The p-value, or nan and the reason."""
    from scipy.special import chdtrc

    counts = fit.problem.counts
    if df <= 0:
        return np.nan, "there are no degrees of freedom"
    if not np.allclose(counts.total, np.rint(counts.total)):
        return np.nan, "the weights are not whole numbers, so they are no counts"
    if smallest >= ENOUGH and counts.design is None:
        return float(chdtrc(df, chi_squared)), ""
    if counts.n_games < needed:
        return np.nan, f"there are {counts.n_games:,.0f} comparisons, and a p-value needs {needed:,}"
    return _simulated(fit, chi_squared), ""


def _table(problem: PairedProblem, x: Floats) -> tuple[Floats, Floats]:
    """The observed and the expected counts, one row per pair that met and one column per outcome."""
    counts = problem.counts
    columns = [0, 1, 2] if problem.free_tie else [0, 2]
    share = outcome_probabilities(problem.differences(x), problem.parts(x).link)[:, columns]
    observed = np.column_stack([counts.left_wins, counts.ties, counts.right_wins])[:, columns]
    met = counts.total > 0
    observed, expected = observed[met], share[met] * counts.total[met, None]
    if counts.design is not None:
        key = (counts.first.astype(np.int64) * counts.n_sides + counts.partner)[met]
        pair = np.unique(key, return_inverse=True)[1]
        observed, expected = (group_sums(table, pair) for table in (observed, expected))
    return observed, expected


def _pearson(observed: Floats, expected: Floats) -> float:
    return float(((observed - expected) ** 2 / np.maximum(expected, TINY)).sum())


def _simulated(fit: PairedFit, chi_squared: float) -> float:
    """The share of data sets with at least this statistic, among those drawn from the model and the data."""
    problem, counts, rng = fit.problem, fit.problem.counts, np.random.default_rng(0)
    refit, order = refitter(problem, fit.solution, fit.items), sorted_pairs(counts)
    share = outcome_probabilities(problem.differences(fit.solution), fit.link)[order]
    total, drawn, n_larger = np.rint(counts.total[order]).astype(np.int64), np.empty_like(share), 1
    for _ in range(DRAWS):  # statistics that differ by 1e-4 are equal, since refits have a tolerance
        drawn[order] = rng.multinomial(total, share)
        replicate = Replicate(counts.total, drawn[:, 1].copy(), drawn[:, 2] - drawn[:, 0])
        again = replace(problem, counts=counts.with_sums(*replicate))
        n_larger += _pearson(*_table(again, refit(replicate).solution)) >= chi_squared * (1 - 1e-4)
    return n_larger / (DRAWS + 1)


# ------------------------------------------------------------------------------------ cycles


def intransitivity(fit: PairedFit, limit: int) -> Intransitivity:
    """The worst cycles of direct comparisons; the skills of the model play no part."""
    from scipy.special import ndtr

    if not limit >= 1:
        raise ValueError(f"limit must be at least 1, not {limit!r}")
    counts = fit.problem.counts
    worst, z, n_triangles, n_cycles = _search(*_direct_log_odds(counts, fit), limit)
    names = fit.items.tolist() if fit.problem.teams is None else _team_names(fit)
    cycles = [
        Cycle(tuple(names[i] for i in worst[k]), float(z[k]), float(min(1.0, 2 * ndtr(-z[k]) * n_triangles)))
        for k in np.argsort(-z[: min(n_cycles, limit)], kind="stable")
    ]
    return Intransitivity(tuple(cycles), n_cycles, n_triangles)


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
    ahead = -fit.problem.design @ fit.problem.parts(fit.solution).effects  # of the left side
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


@njit(cache=True, nogil=True)
def _search(indptr, partner, logit, variance, limit):  # type: ignore[no-untyped-def]
    """Among all triples that met pairwise, the cycles with the largest z = |Σ logit| / √(Σ variance).

    Rows list the partners with a larger number, in order; ``logit`` is the log-odds of the row over the
    partner. Each item of a cycle beats the next, and the last beats the first.
    """
    n = len(indptr) - 1
    cycles, z = np.zeros((limit, 3), np.int64), np.full(limit, -1.0)
    edge_of = np.full(n, -1, np.int64)
    n_triangles = n_cycles = 0
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            edge_of[partner[e]] = e
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for f in range(indptr[j], indptr[j + 1]):
                k = partner[f]
                g = edge_of[k]
                if g < 0:
                    continue
                n_triangles += 1
                forward = logit[e] > 0 and logit[f] > 0 and logit[g] < 0
                backward = logit[e] < 0 and logit[f] < 0 and logit[g] > 0
                if not (forward or backward):
                    continue
                n_cycles += 1
                value = abs(logit[e] + logit[f] - logit[g]) / np.sqrt(variance[e] + variance[f] + variance[g])
                worst = np.argmin(z)
                if value > z[worst]:
                    z[worst] = value
                    cycles[worst, 0] = i
                    cycles[worst, 1] = j if forward else k
                    cycles[worst, 2] = k if forward else j
        for e in range(indptr[i], indptr[i + 1]):
            edge_of[partner[e]] = -1
    return cycles, z, n_triangles, n_cycles
