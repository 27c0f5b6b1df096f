"""Which pairs to compare next: those whose result is expected to help most.

A comparison of items i and j with information w changes the covariance Σ of the log-skills to

    Σ - Σ e e' Σ · w / (1 + w v),   e = e_i - e_j,   v = e' Σ e.

For a goal with weights ω on differences, and Ω their Laplacian, the gain is therefore

    Σ_kl ω_kl · (what the variance of the difference k - l loses)  =  w / (1 + w v) · e' (Σ Ω Σ) e,

so two matrix products give the gains of all pairs.

If the difference of two items has estimate δ and standard error s, and they are put in the order of their
estimates, the expected size of the error is s φ(z) - |δ| Φ(-z), z = δ / s. Its derivative by the variance s²,

    ω = φ(z) / (2 s),

is the weight of a difference that matters: how much a smaller error helps. It is large if the order is open.
"""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import names_of
from podium.comparisons.random_states import generator
from podium.core.linear import EXACT_ITEMS
from podium.numerics.compiled import njit
from podium.numerics.parameters import is_number
from podium.skill.fit import SkillFit
from podium.skill.prediction import positions

if TYPE_CHECKING:
    import pandas as pd

GOALS = "'ranking', 'best', 'top-k' such as 'top-5', or a pair of items"
APART = 2.0  # the standard deviation between groups that were never compared
UNKNOWN = 100.0  # the variance of an item of which nothing is known
ROUNDING = 1e-9  # gains that differ by less are equal


class Known(NamedTuple):
    """What is known of the items that may be compared."""

    items: NDArray[Any]
    skill: Floats
    covariance: Floats


def next_pairs(
    fit: SkillFit, n: int, goal: Any, candidates: Any, batch: bool, explore: float, random_state: Any
) -> "pd.DataFrame":
    """The n best pairs with their gains, and the probabilities with which they were drawn."""
    import pandas as pd

    if not (isinstance(n, int | np.integer) and n >= 1):
        raise ValueError(f"n must be a whole number of at least 1, not {n!r}")
    if not (is_number(explore) and 0 <= explore <= 1):
        raise ValueError(f"explore must be between 0 and 1, not {explore!r}")
    known, open_pairs = _candidates(fit, candidates, goal)
    drawn = _draw(fit, known, open_pairs, int(n), goal, batch, explore, generator(random_state))
    left, right, gain, probability = (list(column) for column in zip(*drawn, strict=True))
    frame = pd.DataFrame({"left": known.items[left], "right": known.items[right]})
    return frame.assign(gain=gain, probability=probability)


def _draw(
    fit: SkillFit,
    known: Known,
    open_pairs: NDArray[np.bool_],
    n: int,
    goal: Any,
    batch: bool,
    explore: float,
    rng: np.random.Generator,
) -> list[tuple[int, int, float, float]]:
    """Draw pairs one after the other; in a batch each counts on those before it."""
    cov = known.covariance.copy()
    own = np.diag(cov)
    variance = own[:, None] + own - 2 * cov
    weight = importance(goal, known.items, known.skill, variance)
    omega = np.diag(weight.sum(axis=1)) - weight
    spread = cov @ omega @ cov
    info = _information(fit, known.skill, variance)
    drawn = []
    for left_over in range(int(np.count_nonzero(open_pairs)), 0, -1)[:n]:
        gain = _gains(cov, spread, info, open_pairs)
        is_best = gain >= gain.max() * (1 - ROUNDING)
        explores = rng.random() < explore
        i, j = _one_of(open_pairs if explores else is_best, rng)
        probability = explore / left_over + (1 - explore) * is_best[i, j] / np.count_nonzero(is_best)
        sides = (i, j) if rng.random() < 0.5 else (j, i)
        drawn.append((*sides, float(gain[i, j]), float(probability)))
        open_pairs[i, j] = False
        if batch:
            _learn(cov, spread, i, j, info[i, j])
    return drawn


def _one_of(allowed: NDArray[np.bool_], rng: np.random.Generator) -> tuple[int, int]:
    places = np.flatnonzero(allowed)
    i, j = divmod(int(places[rng.integers(len(places))]), len(allowed))
    return i, j


@njit(cache=True, nogil=True)
def _learn(cov, spread, i, j, w):  # type: ignore[no-untyped-def]
    """Update Σ and Σ Ω Σ as if the pair had been compared."""
    g, across = cov[:, i] - cov[:, j], spread[:, i] - spread[:, j]  # Σ e and Σ Ω Σ e
    factor = w / (1.0 + w * (g[i] - g[j]))
    own = factor * (across[i] - across[j])
    for a in range(len(cov)):
        for b in range(len(cov)):
            spread[a, b] += factor * (own * g[a] * g[b] - g[a] * across[b] - across[a] * g[b])
            cov[a, b] -= factor * g[a] * g[b]


@njit(cache=True, nogil=True)
def _gains(cov, spread, info, open_pairs):  # type: ignore[no-untyped-def]
    """The gain of every open pair i < j; -1 for the others."""
    k = len(cov)
    gain = np.full((k, k), -1.0)
    for i in range(k):
        for j in range(i + 1, k):
            if open_pairs[i, j]:
                v = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
                gain[i, j] = spread[i, i] + spread[j, j] - 2.0 * spread[i, j]
                gain[i, j] *= info[i, j] / (1.0 + info[i, j] * v)
    return gain


def _information(fit: SkillFit, skill: Floats, variance: Floats) -> Floats:
    """The information of a comparison of every two items, as a mean over their unknown difference.

    The mean of a logistic function over a normal difference with variance v is about the function of κ d,
    κ = 1 / √(1 + π v / 8); this is the derivative of it.
    """
    kappa = 1 / np.sqrt(1 + np.pi / 8 * variance)
    return np.asarray(kappa * fit.information(kappa * (skill - skill[:, None])))


# ------------------------------------------------------------------------------------ goals


def importance(goal: Any, items: Any, skill: Floats, variance: Floats) -> Floats:
    """The weight ω of every difference for a goal, from the log-skills and the variances of differences."""
    if isinstance(goal, tuple | list):
        return _of_pair(goal, items)
    certain = variance <= 0  # of an item and itself, or of two known skills
    error = np.sqrt(np.where(certain, 1.0, variance))
    weight = np.exp(-0.5 * ((skill[:, None] - skill) / error) ** 2) / (np.sqrt(8 * np.pi) * error)
    weight[certain] = 0.0
    if goal == "ranking":
        return np.asarray(weight)
    top = np.zeros(len(skill), dtype=bool)
    top[np.argsort(-skill, kind="stable")[: _top(goal, len(skill))]] = True
    return np.where(top[:, None] != top, weight, 0.0)


def _top(goal: Any, n_items: int) -> int:
    """The number of top places of a goal."""
    found = re.fullmatch(r"top-(\d+)", goal) if isinstance(goal, str) else None
    if goal != "best" and not found:
        raise ValueError(f"goal must be {GOALS}, not {goal!r}")
    k = int(found[1]) if found else 1
    if not 0 < k < n_items:
        raise ValueError(
            f"goal is {goal!r}, but only 1 to {n_items - 1} of {n_items} items can be at the top"
        )
    return k


def _of_pair(goal: Any, items: Any) -> Floats:
    if len(goal) != 2 or goal[0] == goal[1]:
        raise ValueError(f"goal must be {GOALS}, not {goal!r}")
    a, b = positions(items, goal)
    weight = np.zeros((len(items), len(items)))
    weight[a, b] = weight[b, a] = 1.0
    return weight


# ------------------------------------------------------------------------------------ candidates


def _candidates(fit: SkillFit, candidates: Any, goal: Any) -> tuple[Known, NDArray[np.bool_]]:
    """What is known of the items, and which pairs i < j may be compared."""
    listed = fit.items.tolist() if candidates is None else list(candidates)
    are_pairs = bool(listed) and all(isinstance(one, tuple | list) and len(one) == 2 for one in listed)
    wanted = dict.fromkeys(item for pair in listed for item in pair) if are_pairs else dict.fromkeys(listed)
    n_wanted = len(wanted)
    if n_wanted < 2:
        raise ValueError("there are fewer than two items to compare; name more of them in candidates")
    if n_wanted > EXACT_ITEMS:
        raise ValueError(
            f"next_pairs looks at up to {EXACT_ITEMS:,} items, not {n_wanted:,}; name some in candidates"
        )
    items = list(wanted | dict.fromkeys(goal if isinstance(goal, tuple | list) else ()))
    may = np.zeros((len(items), len(items)), dtype=bool)
    if are_pairs:
        place = {item: i for i, item in enumerate(items)}
        for a, b in listed:
            may[min(place[a], place[b]), max(place[a], place[b])] = True
    else:
        may[:n_wanted, :n_wanted] = True
    open_pairs = np.triu(may, 1)
    if not open_pairs.any():
        raise ValueError("every pair in candidates is an item beside itself; name pairs of two items")
    return _known(fit, items), open_pairs


def _known(fit: SkillFit, wanted: list[Any]) -> Known:
    """The skills and errors of items; new ones are as the fit expects them, if it does."""
    items = np.empty(len(wanted), dtype=object)
    items[:] = wanted
    place = find_labels(fit.items, wanted)
    new = place < 0
    covariance, skill = np.zeros((len(wanted), len(wanted))), np.zeros(len(wanted))
    seen = place[~new]
    known = fit.joint.of(seen).covariance
    covariance[np.ix_(~new, ~new)] = np.where(np.isfinite(known), known, UNKNOWN)
    skill[~new] = fit.log_skill[seen]
    component = np.append(fit.component, 0)[place]
    if len(np.unique(component[~new])) > 1:
        covariance += APART**2 * (component[:, None] == component)
    if new.any():
        scale = getattr(fit, "prior_scale", np.nan)
        if not scale > 0:
            raise ValueError(
                f"{names_of(items[new])} not seen in fit; next_pairs needs prior='normal' to choose pairs of "
                "new items"
            )
        covariance[new, new] = scale**2
    return Known(items, skill, covariance)
