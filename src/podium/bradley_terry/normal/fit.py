"""Fit normal skills: what the marginal likelihood must know of paired comparisons."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.fit import SolverName, fit_paired
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.normal.laplace import EXACT_ITEMS, log_determinant, posterior_of
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import few
from podium.core.links import WIDE, seen_score
from podium.core.marginal import MarginalFit, Model, fit_marginal
from podium.core.pair_pass import PAIR_CURVATURE, SCORE
from podium.core.smooth import TINY
from podium.numerics.result import SolverResult
from podium.skill.plan import WEAK

FLAT = 1e-5  # information about the effect of a feature per comparison; it is about ¼ at even odds


PAIRED = Model(posterior_of, log_determinant)


def fit_normal(
    problem: PairedProblem, solver: SolverName, tol: float, max_iter: int, model: Model = PAIRED
) -> MarginalFit:
    """Maximise the marginal likelihood over the scale of the prior and all parameters but the skills."""

    def solve(problem: PairedProblem, start: Floats | None) -> SolverResult:
        return fit_paired(problem, solver, tol, max_iter, start)

    return fit_marginal(problem, model, solve)


def open_features(problem: PairedProblem, x: Floats) -> NDArray[np.bool_]:
    """Which parameters after the skills are effects of features that separate the outcomes.

    They have no finite estimate: the skills are those that the features explain (s = 0), and there is almost
    no information left.
    """
    n, at = problem.n_features, problem.n_link
    found = np.zeros(problem.size - problem.n_items, np.bool_)
    if n and problem.is_flat and problem.n_items <= EXACT_ITEMS:
        about = np.diag(posterior_of(problem, x).rest)
        found[at : at + n] = about[at : at + n] < FLAT * problem.counts.n_games
    return found


def rare_tie(problem: PairedProblem, x: Floats) -> float:
    """Davidson's ν after comparisons without a tie, under a weak normal prior on log ν, given the rest.

    About half a tie would be expected among them, so the rest hardly changes.
    """
    from scipy.optimize import brentq

    wins = 2 * np.cosh(np.minimum(np.abs(problem.differences(x)), WIDE) / 2)

    def slope(log_tie: float) -> float:
        tie = np.exp(log_tie)
        return float(problem.counts.total @ (tie / (wins + tie))) + WEAK * log_tie

    return float(np.exp(brentq(slope, -problem.counts.n_games / WEAK, 0.0)))


def note_on_weak_bridge(problem: PairedProblem, x: Floats, steps: int = 60, surprising: float = 3.0) -> str:
    """Whether few comparisons join two groups of items and contradict the fit, because the prior weighs more.

    A random walk on the graph of comparisons that still remembers where it started after many steps tells
    the groups apart, from who met whom alone. So if the model is right, the z-score of their comparisons with
    each other is about normal, or smaller: one data set in 370 has a note by chance.
    """
    from scipy.sparse import coo_array

    c, terms, n = problem.counts, problem.no_terms(), problem.n_items
    graph = coo_array((c.total, (c.first, c.partner)), shape=(n, n)).tocsr()
    walk, games = graph + graph.T, np.maximum(c.games, TINY)
    v = np.random.default_rng(0).standard_normal(n)
    for _ in range(steps):
        v = (v + walk @ v / games) / 2
        v -= games @ v / games.sum()
        v /= max(np.abs(v).max(), TINY)
    side = np.where(v > 0, 1.0, -1.0)
    between = np.where(side[c.first] != side[c.partner], side[c.first], 0.0)
    problem.derivatives(x, terms)
    above = between @ (seen_score(c.total, c.ties, c.margin, problem.rao_kupper) - terms[SCORE])
    if above**2 <= surprising**2 * float(np.abs(between) @ terms[PAIR_CURVATURE]):
        return ""
    sizes = np.sort([np.count_nonzero(v > 0), np.count_nonzero(v <= 0)])
    return (
        f"only {np.abs(between) @ c.total:,.0f} comparisons join a group of {sizes[0]:,} items to the other "
        f"{sizes[1]:,}, and they say that the groups differ more than the normal prior lets them; give "
        "features of the items that tell the groups apart"
    )


def note_on_few_games(problem: PairedProblem, names: Sequence[str], enough: float = 20.0) -> str:
    """Whether there are so many skills to estimate that the named effects are too far from 0.

    Skills that come from few comparisons are too far apart, and effects follow them (Neyman and Scott 1948):
    in simulations by the factor 1 + skills / comparisons. Pseudo-games draw all together again. The bias of
    an effect of ½ is above half its error, which is about 2 / √comparisons, if skills² > 4 comparisons.
    """
    n, skills = problem.counts.n_games, problem.n_items - len(np.unique(problem.rank_group))
    if not names or problem.prior.any() or n >= enough * skills or skills**2 <= 4 * n:
        return ""
    pseudo = 0.0 if problem.pseudo is None else problem.pseudo.counts.n_games
    biased = max((n + skills) / (n + pseudo) - 1, 0.01)
    return (
        f"with {n / skills:.0f} comparisons per item, scores are too far apart, and so are estimates from 0 "
        f"by about {100 * biased:.0f} % ({few(names)}); set prior to 'normal' to avoid this"
    )
