"""Simulated data with a known truth.

Games of Bradley–Terry models, norms as in [SVMcompare], and the binary probabilities of a code whose class
probabilities are known: §6.1 of [GeneralizedBT].
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.random_states import generator
from podium.comparisons.table import Comparisons

Case = Literal["a", "b", "c"]
EDGE = 1e-7  # r stays this far from 0 and 1


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


# ------------------------------------------------------------------------------------ codes of classes


def make_class_probabilities(n_classes: int = 26, case: Case = "a") -> NDArray[np.float64]:
    """The class probabilities of the three cases of §6.1 of [GeneralizedBT], the largest first.

    Parameters
    ----------
    n_classes : int, default=26
        The number of classes, at least 3.
    case : {"a", "b", "c"}, default="a"
        ``"a"``: nearly balanced; the first class is 1.5 times as probable as the average. ``"b"``: half of
        the classes have 95 % of the probability. ``"c"``: two classes have 95 %.

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> make_class_probabilities(4, "c").round(4)
    array([0.7125, 0.2375, 0.025 , 0.025 ])
    """
    if case not in ("a", "b", "c"):
        raise ValueError(f"case must be 'a', 'b' or 'c', not {case!r}")
    k = n_classes
    if k < 3:
        raise ValueError(f"n_classes must be at least 3, not {k}")
    size = {"a": k, "b": (k + 1) // 2, "c": 2}[case]  # classes in the dominant group
    mass = 1.0 if case == "a" else 0.95
    first = mass * 1.5 / size
    p = np.full(k, (1 - mass) / max(k - size, 1))
    p[0], p[1:size] = first, (mass - first) / (size - 1)
    return p


def make_coded_probabilities(
    code: ArrayLike, case: Case = "a", n_samples: int = 500, *, noise: float = 0.1, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Noisy probabilities r of the binary problems of a code, as in §6.1 of [GeneralizedBT].

    r_i = min(max(ε, q_i⁺/q_i (1 + noise · N(0, 1))), 1 - ε) with ε = 1e-7.

    Parameters
    ----------
    code : array-like of shape (n_problems, n_classes)
        The code, as in `podium.couple`.
    case : {"a", "b", "c"}, default="a"
        The class probabilities, as in `make_class_probabilities`.
    n_samples : int, default=500
        The number of samples.
    noise : float, default=0.1
        The standard deviation of the relative noise.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the noise.

    Returns
    -------
    r : ndarray of shape (n_samples, n_problems)
        Noisy probabilities of the problems.
    p : ndarray of shape (n_classes,)
        The true class probabilities.

    Examples
    --------
    >>> r, p = make_coded_probabilities([[1, -1, 0], [0, 1, -1], [1, 0, -1]], "c", 2, noise=0.0)
    >>> r.round(3), p.round(4)
    (array([[0.75 , 0.826, 0.934],
           [0.75 , 0.826, 0.934]]), array([0.7125, 0.2375, 0.05  ]))
    """
    table = np.asarray(code)
    if table.ndim != 2 or not ((table > 0).any(axis=1) & (table < 0).any(axis=1)).all():
        raise ValueError("code must be a matrix with one row per problem, and every row needs a 1 and a -1")
    if n_samples < 0 or noise < 0:
        raise ValueError(f"n_samples and noise must be at least 0, not {n_samples} and {noise}")
    p = make_class_probabilities(table.shape[1], case)
    plus, minus = (table > 0) @ p, (table < 0) @ p
    wobble = generator(random_state).normal(size=(n_samples, len(table)))
    return np.clip(plus / (plus + minus) * (1 + noise * wobble), EDGE, 1 - EDGE), p
