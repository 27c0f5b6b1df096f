"""What a fitted model says about other sets of items and other rankings."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats, Index
from podium.comparisons.flat_rankings import end_to_end, offsets
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import names_of, quoted
from podium.comparisons.rankings import Rankings
from podium.rankings.ballots import ballots_of
from podium.rankings.choices import random_rankings
from podium.rankings.fitted import RankingFit
from podium.rankings.likelihood import RankingProblem
from podium.skill.certainty import solutions
from podium.skill.fit import ExistenceWarning
from podium.skill.prediction import positions


def sets_of(fit: RankingFit, sets: Any) -> tuple[Index, Codes]:
    """Lists of labels, or the items of rankings in their order, as codes."""
    if isinstance(sets, Rankings):
        labels, sizes = sets.items[sets.entries], sets.sizes
    else:
        labels, sizes = end_to_end(sets, "sets")
    if (np.asarray(sizes) == 0).any():
        raise ValueError(f"set {int(np.argmin(sizes)) + 1:,} (counting from 1) has no items; leave it out")
    indptr, entries = offsets(sizes), positions(fit.items, labels).astype(np.int32)
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    key = np.sort(row * len(fit.items) + entries)
    if (same := key[1:] == key[:-1]).any():
        number, item = np.divmod(key[int(np.argmax(same))], len(fit.items))
        raise ValueError(
            f"item {quoted(fit.items[item])} is twice in set {number + 1:,} (counting from 1); name it once"
        )
    return indptr, entries


def first_probabilities(fit: RankingFit, sets: Any, *, uncertainty: bool = False) -> list[Floats]:
    """For each set, the chance of each item to come first; nan if its items were never compared.

    With ``uncertainty`` it is the mean over draws of the estimates.
    """
    indptr, entries = sets_of(fit, sets)
    won, mass = np.zeros(len(entries), np.int8), np.ones(len(indptr) - 1)
    won[indptr[:-1]] = 1  # whoever it is, the expectation is the same; a tie of d items counts 1 / d for each
    ballots = replace(fit.problem.ballots, indptr=indptr, entries=entries, won=won, mass=mass)
    problem = replace(fit.problem, ballots=ballots)
    points = solutions(fit, 1000, np.random.default_rng(0)) if uncertainty else fit.solution[None]
    share = np.mean([problem.scores(x)[0] for x in points], axis=0)
    mixed = _mixed(fit, indptr, entries)
    if mixed.any():
        warnings.warn(
            f"{int(mixed.sum()):,} of {len(mixed):,} sets have items of groups that were never compared; "
            "their probabilities are nan",
            ExistenceWarning,
            stacklevel=3,
        )
        share[np.repeat(mixed, np.diff(indptr))] = np.nan
    return np.split(share, indptr[1:-1])[: len(mass)]  # no sets have no parts


def sample_rankings(fit: RankingFit, sets: Any, n: int, rng: np.random.Generator) -> Rankings:
    """Rank every set n times at random; the n rankings of a set follow each other."""
    indptr, entries = sets_of(fit, sets)
    if _mixed(fit, indptr, entries).any():
        raise ValueError(
            "a set has items of groups that were never compared; set prior to a number above 0 to rank them "
            "together"
        )
    parts = [np.tile(part, n) for part in np.split(entries, indptr[1:-1])]
    repeated = offsets(np.repeat(np.diff(indptr), n))
    delta, sizes = fit.problem.delta(fit.solution), fit.problem.ballots.sizes
    found, level = random_rankings(fit.log_skill, sizes, delta, repeated, np.concatenate(parts), rng)
    return Rankings.from_codes(fit.items, repeated, found, level)


def mean_log_likelihood(fit: RankingFit, r: Rankings) -> float:
    """The mean of log P(ranking); items that the fit does not know count as average."""
    codes = find_labels(fit.items, r.items).astype(np.int32)
    k, strangers = len(fit.items), (codes < 0) & r.appears
    if strangers.any():
        warnings.warn(
            f"the items {names_of(r.items[strangers])} were not seen in fit and counted as average",
            ExistenceWarning,
            stacklevel=3,
        )
    known = fit.problem.ballots.sizes
    codes = np.where(codes < 0, k, codes).astype(np.int32)
    ballots = ballots_of(r, k + 1, codes, ignore_ties=fit.ties == "ignore", sizes=known)
    delta = dict(zip(known.tolist(), np.append(0.0, fit.solution[k:]).tolist(), strict=True))
    ties = [delta.get(size, -np.inf) for size in ballots.sizes[1:].tolist()]
    x = np.concatenate([fit.log_skill, [0.0], ties])
    problem = RankingProblem.without_prior(np.zeros(k + 1, np.int32), ballots)
    return -problem.loss(x) / float(np.sum(r.mass))


def _mixed(fit: RankingFit, indptr: Index, entries: Codes) -> NDArray[np.bool_]:
    """Which sets have items that were never compared, not even through others."""
    component = fit.component[entries]
    least, most = (ends.reduceat(component, indptr[:-1]) for ends in (np.minimum, np.maximum))
    return np.asarray(least != most)
