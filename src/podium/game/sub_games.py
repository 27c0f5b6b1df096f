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

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.active_set import solve_game
from podium.game.certificate import ROUNDING, End
from podium.game.kernel import GameKernel, expand
from podium.game.min_norm import min_norm_point
from podium.numerics.progress import Progress
from podium.numerics.result import ConstantObjective, SolverResult
from podium.numerics.threads import one_blas_thread

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


class Sampler(NamedTuple):
    """The game that sub-games are drawn from, and how they are solved."""

    kernel: GameKernel
    rows: Rows
    size: int
    tol: float
    max_iter: int

    def games(
        self, feedback: float, seeds: list[np.random.Generator], n_jobs: int | None = None
    ) -> Iterator[SubGame]:
        """One sub-game per seed, each after its solution moved the distribution; in threads if none does."""
        d = self.rows.weight / self.rows.weight.sum()
        if feedback == 0:
            from joblib import Parallel, delayed

            in_threads = Parallel(n_jobs, prefer="threads", return_as="generator")
            yield from in_threads(delayed(self.play)(d, seed) for seed in seeds)
            return
        last = None
        for seed in seeds:
            game = self.play(d, seed, last)
            d *= 1.0 - feedback
            d[game.rows] += feedback * game.row_mass
            last = game.kinds
            yield game

    def play(self, d: Floats, rng: np.random.Generator, last: Positions | None = None) -> SubGame:
        """Draw rows, solve the game, and share the mass of each preference among its drawn rows."""
        drawn = draw(d, self.size, rng)
        kinds, place = np.unique(self.rows.kind[drawn], return_inverse=True)
        start = None if last is None else np.flatnonzero(np.isin(kinds, last))
        result = solve_game(self.kernel.take(kinds), tol=self.tol, max_iter=self.max_iter, start=start)
        weight = self.rows.weight[drawn]
        mass = weight / np.bincount(place, weight)[place] * result.solution[place]
        used, support = mass > 0, result.solution > 0
        played = kinds[support], result.solution[support], result.objective, result.converged
        return SubGame(drawn[used], mass[used], *played)


@one_blas_thread()
def play_sub_games(
    sampler: Sampler,
    *,
    feedback: float,
    n_games: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[SubGame]:
    """The solutions of T sub-games; ``progress`` is called with the number of games done and the total."""
    games: list[SubGame] = []
    for game in sampler.games(feedback, rng.spawn(n_games), n_jobs):
        games.append(game)
        if progress is not None:
            progress(len(games), n_games)
    return games


def draw(d: Floats, size: int, rng: np.random.Generator) -> Positions:
    """Draw ``size`` positions without replacement with probabilities d, or all if fewer are above 0.

    The first arrivals of independent Poisson processes with rates d are such a draw.
    """
    possible = np.flatnonzero(d > 0)
    if len(possible) <= size:
        return possible
    arrival = rng.exponential(size=len(possible)) / d[possible]
    return np.sort(possible[np.argpartition(arrival, size - 1)[:size]])


def combine_sub_games(
    kernel: GameKernel, games: list[SubGame], how: Combination, *, tol: float
) -> SolverResult:
    """Combine the strategies into one for the whole game, with the gap of its value."""
    alpha = np.full(len(games), 1.0 / len(games))
    strategies = strategies_of(games, len(kernel))
    if how == "optimal":
        with one_blas_thread():
            alpha = min_norm_point(payoffs(kernel, strategies), alpha, tol=tol)
    p = np.asarray(strategies.T @ alpha)
    end = End.of(kernel, p / p.sum(), tol)
    details = end.details | {
        "game_weights": alpha,
        "game_values": np.array([game.value for game in games]),
        "contradiction": contradictory(kernel, games),
        "unfinished": sum(not game.converged for game in games),
    }
    name, converged = f"sub-games, {how} combination", details["unfinished"] == 0
    return SolverResult(
        end.strategy,
        ConstantObjective(end.value),
        None,
        len(games),
        converged,
        name,
        details=details,
        gap=end.gap,
    )


def contradictory(kernel: GameKernel, games: list[SubGame]) -> Positions:
    """Preferences that no w satisfies together, found by a sub-game or for a single instance; may be empty.

    One sub-game of value 0 proves that the whole game has value 0, however good the combination looks.
    """
    for game in games:
        if game.value <= ROUNDING * float(game.mass @ kernel.diagonal[game.kinds]):
            return game.kinds[np.argsort(-game.mass, kind="stable")]
    return np.empty(0, dtype=np.intp) if kernel.ridge.any() else kernel.opposed()


def strategies_of(games: list[SubGame], n: int) -> Any:
    """P, the strategies over n preferences: a sparse matrix with one row per game."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *(len(game.kinds) for game in games)])
    kinds, mass = (np.concatenate(column) for column in zip(*((g.kinds, g.mass) for g in games), strict=True))
    return csr_array((mass, kinds, starts), shape=(len(games), n))


def payoffs(kernel: GameKernel, strategies: Any) -> Floats:
    """G = P K Pᵀ of eq. (4), from the coefficients of every strategy: one per instance and label."""
    T, m, union = strategies.shape[0], kernel.n_labels, np.unique(strategies.indices)
    part, P = kernel.take(union), strategies[:, union]
    items = part.asked[0]
    table = (part.signs.T @ P.T).toarray().reshape(len(items), m, T)
    scores = expand(kernel.kernel, kernel.items, items, items, table[:, :-1].reshape(len(items), -1))
    scores = scores.reshape(len(items), m - 1, T)
    scores = np.concatenate([scores, -scores.sum(axis=1, keepdims=True)], axis=1)
    G = table.reshape(-1, T).T @ scores.reshape(-1, T) + ((P * part.ridge) @ P.T).toarray()
    return np.asarray(0.5 * (G + G.T))
