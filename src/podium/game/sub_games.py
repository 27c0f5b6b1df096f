"""The sampled game: Algorithm 1 of [PreferenceGame], LMPG and LMPG-α.

T sub-games of s preferences each are solved exactly. Game t draws its preferences without replacement from
the distribution d_t, and then moves the distribution towards its solution:

    d_1 ∝ the weights (1/|P| without weights),   d_{t+1} = (1 - λ) d_t + λ p_t.

With λ = 0 the games are independent and run in threads. With λ = 1 game t + 1 draws from the support of p_t,
or takes all of it if it has fewer than s preferences. The strategies are combined with weights α, which are
equal or come from eq. (4),

    min_α α'Gα  where α ≥ 0, Σ α = 1 and G = P K Pᵀ,

where the rows of P are the strategies (the paper prints PᵀKP, which does not fit the shapes). A combination
is a strategy, too, so its value is at least the value of the exact game.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.active_set import solve_game
from podium.game.certificate import ROUNDING, relative_gap
from podium.game.kernel import GameKernel, expand
from podium.game.min_norm import min_norm_point
from podium.numerics.result import Known, SolverResult
from podium.numerics.threads import one_blas_thread

Progress = Callable[[int, int], None]
Combination = Literal["uniform", "optimal"]


class Rows(NamedTuple):
    """The rows to draw from, equal ones included: the distinct preference and the weight of each."""

    kind: Positions
    weight: Floats


class SubGame(NamedTuple):
    """The solution of a sub-game: its strategy over rows and over distinct preferences, and its value."""

    rows: Positions
    row_mass: Floats
    kinds: Positions
    mass: Floats
    value: float
    converged: bool


def play_sub_games(
    kernel: GameKernel,
    rows: Rows,
    *,
    size: int,
    feedback: float,
    n_games: int,
    rng: np.random.Generator,
    tol: float,
    max_iter: int,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[SubGame]:
    """The solutions of T sub-games; ``progress`` is called with the number of games done and the total."""
    d = rows.weight / rows.weight.sum()
    seeds = rng.spawn(n_games)
    if feedback == 0:
        from joblib import Parallel, delayed

        play = delayed(_play)
        games = []
        with one_blas_thread():
            found = Parallel(n_jobs, prefer="threads", return_as="generator")(
                play(kernel, rows, d, size, seed, tol, max_iter, None) for seed in seeds
            )
            for game in found:
                games.append(game)
                _tell(progress, len(games), n_games)
        return games
    games = []
    for seed in seeds:
        last = games[-1].kinds if games else None
        game = _play(kernel, rows, d, size, seed, tol, max_iter, last)
        d *= 1.0 - feedback
        d[game.rows] += feedback * game.row_mass
        games.append(game)
        _tell(progress, len(games), n_games)
    return games


def _tell(progress: Progress | None, done: int, of: int) -> None:
    if progress is not None:
        progress(done, of)


def draw(d: Floats, size: int, rng: np.random.Generator) -> Positions:
    """Draw ``size`` positions without replacement with probabilities d, or all if fewer are above 0.

    The first arrivals of independent Poisson processes with rates d are such a draw.
    """
    possible = np.flatnonzero(d > 0)
    if len(possible) <= size:
        return possible
    arrival = rng.exponential(size=len(possible)) / d[possible]
    return np.sort(possible[np.argpartition(arrival, size - 1)[:size]])


def _play(
    kernel: GameKernel,
    rows: Rows,
    d: Floats,
    size: int,
    rng: np.random.Generator,
    tol: float,
    max_iter: int,
    last: Positions | None,
) -> SubGame:
    """Draw rows, solve the game, and share the mass of each preference among its drawn rows."""
    drawn = draw(d, size, rng)
    kinds, place = np.unique(rows.kind[drawn], return_inverse=True)
    start = None if last is None else np.flatnonzero(np.isin(kinds, last))
    result = solve_game(kernel.take(kinds), tol=tol, max_iter=max_iter, start=start)
    share = rows.weight[drawn] / np.bincount(place, rows.weight[drawn])[place]
    mass = share * result.solution[place]
    used, support = mass > 0, result.solution > 0
    played = kinds[support], result.solution[support], result.objective, result.converged
    return SubGame(drawn[used], mass[used], *played)


def combine_sub_games(
    kernel: GameKernel, games: list[SubGame], how: Combination, *, tol: float
) -> SolverResult:
    """Combine the strategies into one for the whole game, with the gap of its value."""
    alpha = np.full(len(games), 1.0 / len(games))
    if how == "optimal":
        with one_blas_thread():
            found = min_norm_point(payoffs(kernel, games), alpha, tol=tol)
        alpha = found.p
    p = np.zeros(len(kernel))
    for weight, game in zip(alpha, games, strict=True):
        p[game.kinds] += weight * game.mass
    support = np.flatnonzero(p)
    p[support] /= p[support].sum()
    f = kernel.product(support, p[support])
    value = float(p @ f)
    gap = relative_gap(value, float(f.min()))
    details: dict[str, Any] = {
        "game_weights": alpha,
        "game_values": np.array([game.value for game in games]),
        "margins": f,
        "degenerate": value <= ROUNDING * float(p @ kernel.diagonal),
        "support": len(support),
        "contradiction": contradictory(kernel, games),
        "unfinished": sum(not game.converged for game in games),
    }
    name, converged = f"sub-games, {how} combination", details["unfinished"] == 0
    return SolverResult(p, Known(value), None, len(games), converged, name, details=details, gap=gap)


def contradictory(kernel: GameKernel, games: list[SubGame]) -> Positions:
    """Preferences that no w satisfies together, found by a sub-game or for a single instance; may be empty.

    One sub-game of value 0 proves that the whole game has value 0, however good the combination looks.
    """
    for game in games:
        if game.value <= ROUNDING * float(game.mass @ kernel.diagonal[game.kinds]):
            return game.kinds[np.argsort(-game.mass, kind="stable")]
    return np.empty(0, dtype=np.intp) if kernel.ridge.any() else kernel.opposed()


def payoffs(kernel: GameKernel, games: list[SubGame]) -> Floats:
    """G = P K Pᵀ of eq. (4), from the coefficient tables of the strategies: G_st = Σ_l A_s'κA_t."""
    from scipy.sparse import csr_array

    union = np.unique(np.concatenate([game.kinds for game in games]))
    items = np.unique(kernel.instance[union])
    T, m = len(games), kernel.n_labels
    tables = np.zeros((len(items), m - 1, T))
    ridge = np.zeros((T, len(union)))
    for t, game in enumerate(games):
        used, table = kernel.table(game.kinds, game.mass)
        tables[np.searchsorted(items, used), :, t] = table[:, :-1]
        ridge[t, np.searchsorted(union, game.kinds)] = game.mass
    columns = tables.reshape(len(items), -1)
    scores = expand(kernel.kernel, kernel.items, items, items, columns).reshape(tables.shape)
    G = np.zeros((T, T))
    for label in range(m - 1):
        G += tables[:, label].T @ scores[:, label]
    last, last_score = -tables.sum(axis=1), -scores.sum(axis=1)
    G += last.T @ last_score
    if kernel.ridge.any():
        G += np.asarray(csr_array(ridge * kernel.ridge[union]) @ ridge.T)
    return 0.5 * (G + G.T)
