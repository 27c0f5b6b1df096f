"""The experiment of [PreferenceGame] §5: the sampled game for every sample size and λ, and the exact game."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from podium.comparisons.arrays import Floats
from podium.game.preference_game import PreferenceGame

if TYPE_CHECKING:
    from podium.game.sub_games import Combination

# The grid of [PreferenceGame] §5.
PAPER_SAMPLE_SIZES = (0.05, 0.1, 0.15, 0.2)
PAPER_FEEDBACKS = (0.0, 0.01, 0.02, 0.1, 0.2)


@dataclass(frozen=True)
class GameGrid:
    """Values of the game and accuracies; tables have one row per sample size and one column per λ.

    ``uniform`` is the paper's LMPG, ``optimal`` its LMPG-α, ``exact`` its LMPG* (nan if not played).
    """

    sample_sizes: Floats
    feedbacks: Floats
    exact_value: float
    exact_accuracy: float
    uniform_value: Floats
    uniform_accuracy: Floats
    optimal_value: Floats
    optimal_accuracy: Floats


def game_grid(
    estimator: PreferenceGame,
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    *,
    sample_sizes: ArrayLike = PAPER_SAMPLE_SIZES,
    feedbacks: ArrayLike = PAPER_FEEDBACKS,
    exact: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> GameGrid:
    """Play the sampled game for all sample sizes and λ; both ways to combine use the same sub-games.

    Parameters
    ----------
    estimator : PreferenceGame
        The model. All cells share its other parameters.
    X, y : array
        The data that every cell is fitted to.
    X_test, y_test : array
        The data that accuracies are computed on.
    sample_sizes : array, default=PAPER_SAMPLE_SIZES
        Shares of all preferences.
    feedbacks : array, default=PAPER_FEEDBACKS
        The λ to try.
    exact : bool, default=True
        Whether to solve the exact game as well.
    progress : callable, optional
        Called with the number of finished cells and the total.

    Returns
    -------
    GameGrid

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> grid = game_grid(PreferenceGame(n_games=20, random_state=0), X, y, X, y, feedbacks=[0.0, 0.1])
    >>> grid.uniform_value.shape, bool(np.all(grid.exact_value <= grid.optimal_value * (1 + 1e-3)))
    ((4, 2), True)
    """
    from podium.game.active_set import solve_game
    from podium.game.sub_games import combine_sub_games

    sizes, rates = (np.atleast_1d(np.asarray(each, dtype=np.float64)) for each in (sample_sizes, feedbacks))
    machine = clone(estimator).set_params(solver="sampled")
    X, preferences = machine._read(X, y)
    game = machine._game(X, preferences)

    flat = 0

    def judged(result: Any) -> tuple[float, float]:
        nonlocal flat
        flat += result.details["degenerate"]
        machine._adopt(preferences, game, result)
        return machine.value_, float(machine.score(X_test, y_test))

    best = (np.nan, np.nan)
    if exact:
        best = judged(solve_game(game.kernel, tol=machine.tol, max_iter=machine.max_iter))
    tables: dict[Combination, Floats] = {
        "uniform": np.empty((2, len(sizes), len(rates))),
        "optimal": np.empty((2, len(sizes), len(rates))),
    }
    for cell, (i, j) in enumerate(np.ndindex(len(sizes), len(rates))):
        machine.set_params(sample_size=float(sizes[i]), feedback=float(rates[j]))
        machine._check_parameters(X)
        games = machine._sub_games(game)
        for how, table in tables.items():
            table[:, i, j] = judged(combine_sub_games(game.kernel, games, how, tol=machine.tol))
        if progress is not None:
            progress(cell + 1, len(sizes) * len(rates))
    if flat:
        what = f"{flat} games have the value 0 up to rounding: no w satisfies all preferences; set ridge > 0"
        warnings.warn(what, UserWarning, stacklevel=2)
    return GameGrid(sizes, rates, *best, *tables["uniform"], *tables["optimal"])
