"""Simulated comparisons with a known truth: games of Bradley–Terry models, and norms as in [SVMcompare]."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.random_states import generator
from podium.comparisons.table import Comparisons


def make_games(
    n_items: int = 100,
    n_games: int = 10_000,
    *,
    team_size: int = 1,
    tie_rate: float = 0.5,
    order_effect: float = 0.0,
    spread: float = 1.0,
    log_skill: ArrayLike | None = None,
    random_state: Any = None,
) -> tuple[Comparisons, NDArray[np.float64]]:
    """Games between random items or teams under Davidson's model of ties.

    Left wins, ties and right wins have the odds q e^h : ν √(q e^h q') : q', where q and q' are the sums of
    the skills on the two sides, h is ``order_effect`` and ν is ``tie_rate``.

    Parameters
    ----------
    n_items : int, default=100
        The number of items.
    n_games : int, default=10_000
        The number of games.
    team_size : int, default=1
        The number of items on each side.
    tie_rate : float, default=0.5
        Davidson's ν; 0 gives no ties.
    order_effect : float, default=0.0
        The advantage h of the left side.
    spread : float, default=1.0
        The standard deviation of the log-skills, which are normal with mean 0.
    log_skill : array-like of shape (n_items,), default=None
        The log-skills; ``n_items`` and ``spread`` are then ignored.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the skills and games.

    Returns
    -------
    games : Comparisons
        The games.
    log_skill : ndarray
        The true log-skill of each item in ``games.items``.

    Examples
    --------
    >>> games, log_skill = make_games(5, 1000, random_state=0)
    >>> games
    <Comparisons: 1,000 comparisons of 5 items, ... ties (...), connected>
    """
    rng = generator(random_state)
    if log_skill is None:
        truth = rng.normal(scale=spread, size=n_items)
        truth -= truth.mean()
    else:
        truth = np.asarray(log_skill, dtype=np.float64)
        n_items = len(truth)
    if n_items < 2 * team_size or team_size < 1:
        raise ValueError(f"{n_items} items are too few for two teams of {team_size}; raise n_items")
    if n_games < 0 or tie_rate < 0:
        raise ValueError(f"n_games and tie_rate must be at least 0, not {n_games} and {tie_rate}")
    players = _draw_players(rng, n_games, n_items, 2 * team_size)
    left, right = players[:, :team_size], players[:, team_size:]
    skill = np.exp(truth)
    q_left, q_right = skill[left].sum(axis=1) * np.exp(order_effect), skill[right].sum(axis=1)
    q_tie = tie_rate * np.sqrt(q_left * q_right)
    drawn = rng.random(n_games) * (q_left + q_tie + q_right)
    outcome = np.where(drawn < q_left, -1, np.where(drawn < q_left + q_tie, 0, 1))
    sides = (left[:, 0], right[:, 0]) if team_size == 1 else (left, right)
    games = Comparisons.from_arrays(*sides, outcome)
    return games, truth[games.items]


def make_norm_comparisons(
    n_pairs: int = 100,
    *,
    norm: Literal[1, 2, "inf"] = 2,
    tie_share: float | None = 0.5,
    noise: float = 0.25,
    random_state: Any = None,
) -> Comparisons:
    """Pairs of points in [-3, 3]², compared by their squared norm: §4.1 of [SVMcompare].

    The point with the larger squared norm is better, after adding normal noise to the difference.
    Differences of at most 1 are ties.

    Parameters
    ----------
    n_pairs : int, default=100
        The number of pairs.
    norm : {1, 2, "inf"}, default=2
        Which norm.
    tie_share : float, default=0.5
        The exact share of ties; None leaves it to chance.
    noise : float, default=0.25
        The standard deviation of the noise.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the points and the noise.

    Returns
    -------
    Comparisons
        With two features.

    Examples
    --------
    >>> make_norm_comparisons(100, norm=1, random_state=0)
    <Comparisons: 100 comparisons of 200 items, 50 ties (50.0 %), 100 components, 2 features>
    """
    if norm not in (1, 2, "inf"):
        raise ValueError(f"norm must be 1, 2 or 'inf', not {norm!r}")
    if n_pairs < 1 or (tie_share is not None and not 0 <= tie_share <= 1):
        raise ValueError(f"n_pairs must be at least 1 and tie_share 0 to 1, not {n_pairs} and {tie_share}")
    rng = generator(random_state)
    if tie_share is None:
        return Comparisons.from_features(*_norm_pairs(rng, n_pairs, float(norm), noise))
    n_ties = round(tie_share * n_pairs)
    missing = {True: n_ties, False: n_pairs - n_ties}
    blocks = []
    while any(missing.values()):
        X_left, X_right, y = _norm_pairs(rng, 4 * n_pairs + 16, float(norm), noise)
        for tie, count in missing.items():
            chosen = np.flatnonzero((y == 0) == tie)[:count]
            blocks.append((X_left[chosen], X_right[chosen], y[chosen]))
            missing[tie] -= len(chosen)
    order = rng.permutation(n_pairs)
    X_left, X_right, y = (np.concatenate(parts)[order] for parts in zip(*blocks, strict=True))
    return Comparisons.from_features(X_left, X_right, y)


def _norm_pairs(
    rng: np.random.Generator, n_pairs: int, order: float, noise: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int8]]:
    X_left, X_right = rng.uniform(-3, 3, size=(2, n_pairs, 2))
    rank_left, rank_right = (np.linalg.norm(X, ord=order, axis=1) ** 2 for X in (X_left, X_right))
    difference = rank_right - rank_left + rng.normal(scale=noise, size=n_pairs)
    return X_left, X_right, np.where(np.abs(difference) <= 1, 0, np.sign(difference)).astype(np.int8)


def _draw_players(rng: np.random.Generator, n_games: int, n_items: int, size: int) -> NDArray[np.int64]:
    """One row of different items per game; each item is drawn from those that remain."""
    players = np.empty((n_games, size), dtype=np.int64)
    for k in range(size):
        rank = rng.integers(0, n_items - k, size=n_games)
        for taken in np.sort(players[:, :k], axis=1).T:
            rank += rank >= taken
        players[:, k] = rank
    return players
