"""The Bradley–Terry model compared with other libraries, from raw arrays to scores.

    python benchmarks/bradley_terry.py [--case PATTERN] [--full]

*gradient* is the largest derivative of the log-likelihood by an item's log-skill, relative to its games; the
same few lines of NumPy compute it for every library. ``np.unique`` on the pairs shows what it costs just to
count them. *Leaderboard* adds the records and the ranges of ranks to the intervals; for these, every
difference is tested. *Badly connected* items form a chain or a ladder, on which first-order methods are slow.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from measuring.cases import Case, Clocked, Contestant
from measuring.turns import main

SIZES = ((100, 100_000), (1_000, 1_000_000), (10_000, 1_000_000), (10_000, 10_000_000), (100_000, 10_000_000))
TIES = 1.1  # Davidson's ν; it makes three rows in ten ties
MOST_ROWS = 1_000_000  # for all but podium and np.unique
MOST_ITEMS = {"choix": 2_000, "evalica": 20_000, "arena-rank": 20_000, "scikit-learn": 20_000}
REPLICATES = {"podium": 1_000, "evalica": 20}  # of the bootstrap
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Games(NamedTuple):
    """Raw arrays, and the number of items."""

    left: Ints
    right: Ints
    outcome: Ints
    k: int


class Solution(NamedTuple):
    """Log-skills, and Davidson's ν."""

    skill: Floats
    nu: float = 0.0


def make(k: int, n: int, nu: float = 0.0) -> Games:
    """Random games of items with normal log-skill, with ties if ν > 0; neighbours win and lose once each."""
    rng = np.random.default_rng(k + n)
    skill = rng.normal(size=k)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    x = np.exp((skill[right] - skill[left]) / 2)
    place = rng.random(n) * (1 + nu * x + x**2)
    outcome = (place > 1).astype(np.int64) + (place > 1 + nu * x) - 1
    ring = np.arange(k)
    left[:k], right[:k], outcome[:k] = ring, (ring + 1) % k, 1
    left[k : 2 * k], right[k : 2 * k], outcome[k : 2 * k] = ring, (ring + 1) % k, -1
    return Games(left, right, outcome, k)


def badly_connected(left: Ints, right: Ints) -> Games:
    """Ten games per pair, of which each side wins at least one."""
    k, pairs = int(max(left.max(), right.max())) + 1, len(left)
    outcome = np.where(np.random.default_rng(0).random(10 * pairs) < 0.5, 1, -1)
    outcome[:pairs], outcome[pairs : 2 * pairs] = 1, -1
    return Games(np.tile(left, 10), np.tile(right, 10), outcome, k)


def chain() -> Games:
    return badly_connected(np.arange(999), np.arange(1, 1_000))


def ladder() -> Games:
    rails, rungs = np.arange(9_998), np.arange(0, 10_000, 2)
    return badly_connected(np.concatenate([rails, rungs]), np.concatenate([rails + 2, rungs + 1]))


def ring() -> Games:
    place = np.arange(100_000)
    return badly_connected(place, (place + 1) % len(place))


def grid() -> Games:
    place = np.arange(4_900).reshape(70, 70)
    left = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    return badly_connected(left, np.concatenate([place[:, 1:].ravel(), place[1:].ravel()]))


def sparse() -> Games:
    """Random games, hardly more than items, with long branches; only a prior keeps skills finite."""
    rng, k, n = np.random.default_rng(0), 20_000, 24_000
    left = rng.integers(0, k, n)
    return Games(left, (left + rng.integers(1, k, n)) % k, rng.choice([-1, 1], n), k)


def podium_weak_prior(games: Games) -> None:
    from podium import BradleyTerry, Comparisons

    c = Comparisons.from_arrays(games.left, games.right, games.outcome)
    model = BradleyTerry(prior=1e-3).fit(c)
    assert model.result_.converged
    assert np.isfinite(model.standard_error_).all()


def gradient(games: Games, found: Solution | None) -> dict[str, float]:
    if found is None:
        return {}
    left, right, outcome, k = games
    x = np.exp((found.skill[right] - found.skill[left]) / 2)
    rest = (x**2 + found.nu * x / 2) / (1 + found.nu * x + x**2) - (outcome + 1) / 2
    total = np.bincount(right, rest, k) - np.bincount(left, rest, k)
    played = np.bincount(right, minlength=k) + np.bincount(left, minlength=k)
    return {"gradient": float(np.max(np.abs(total) / played))}


# ------------------------------------------------------------------------------------ contestants


def podium_model(games: Games) -> Any:
    from podium import BradleyTerry, Comparisons

    return BradleyTerry().fit(Comparisons.from_arrays(games.left, games.right, games.outcome))


def podium_fit(games: Games) -> Solution:
    model = podium_model(games)
    return Solution(model.log_skill_, model.tie_ or 0.0)


def podium_intervals(games: Games) -> Solution:
    model = podium_model(games)
    assert np.isfinite(model.interval()).all()
    return Solution(model.log_skill_, model.tie_ or 0.0)


def podium_leaderboard(games: Games) -> Solution:
    model = podium_model(games)
    assert np.isfinite(model.leaderboard().low).all()
    return Solution(model.log_skill_, model.tie_ or 0.0)


def compiled(run: Callable[[Games], Any]) -> Contestant:
    """Podium compiles code by the number of items and of rows, so it first solves a problem of this kind."""

    def prepare(games: Games) -> Games:
        if games.k > 200:
            run(
                make(
                    games.k,
                    max(len(games.left) // 10, 4 * games.k),
                    TIES if 0 in games.outcome[:99_999] else 0,
                )
            )
        return games

    return Contestant(run, prepare=prepare)


def evalica_fit(games: Games) -> Solution:
    import evalica

    winners = np.where(games.outcome < 0, evalica.Winner.X, evalica.Winner.Y).tolist()
    left, right = games.left.tolist(), games.right.tolist()
    scores = evalica.bradley_terry(left, right, winners, tolerance=1e-9, limit=10_000).scores
    return Solution(np.log(scores.reindex(np.arange(games.k)).to_numpy()))


def choix_fit(games: Games) -> Solution:
    import choix

    left, right, outcome, k = games
    wins = np.zeros((k, k))
    np.add.at(wins, (np.where(outcome < 0, left, right), np.where(outcome < 0, right, left)), 1)
    return Solution(choix.ilsr_pairwise_dense(wins, tol=1e-9, max_iter=1000))


def with_doubles(games: Games) -> Games:
    import jax

    jax.config.update("jax_enable_x64", True)
    return games


def arena_rank_fit(games: Games) -> Solution:
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = pd.DataFrame({"a": games.left, "b": games.right, "winner": (games.outcome < 0).astype(float)})
    data = PairDataset.from_pandas(frame, ["a", "b"], "winner", outcome_map=float)
    ratings = np.asarray(BradleyTerry(n_competitors=len(data.competitors)).fit(data).params["ratings"])
    return Solution(ratings[np.argsort(np.asarray(data.competitors, dtype=np.int64))])


def sklearn_fit(games: Games) -> Solution:
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    n = len(games.left)
    columns = np.column_stack([games.left, games.right]).ravel()
    design = csr_array((np.tile([-1.0, 1.0], n), columns, np.arange(0, 2 * n + 1, 2)), shape=(n, games.k))
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-9, max_iter=1000)
    return Solution(model.fit(design, games.outcome).coef_[0])


def count_pairs(games: Games) -> None:
    pairs = np.minimum(games.left, games.right) * games.k + np.maximum(games.left, games.right)
    np.unique(pairs, return_counts=True)


def podium_bootstrap(games: Games) -> Clocked:
    model = podium_model(games)
    model.bootstrap(10, random_state=0)
    start = time.perf_counter()
    model.bootstrap(REPLICATES["podium"], random_state=0)
    return Clocked((time.perf_counter() - start) / REPLICATES["podium"])


def evalica_bootstrap(games: Games) -> Clocked:
    import evalica

    winners = np.where(games.outcome < 0, evalica.Winner.X, evalica.Winner.Y).tolist()
    left, right, n = games.left.tolist(), games.right.tolist(), REPLICATES["evalica"]
    options = {"n_resamples": n, "bootstrap_method": "percentile", "random_state": 0}
    start = time.perf_counter()
    evalica.bootstrap(evalica.bradley_terry, left, right, winners, **options)
    return Clocked((time.perf_counter() - start) / n)


PODIUM = {"podium": compiled(podium_fit)}
UNIQUE = {"np.unique": Contestant(count_pairs, "numpy")}
VIEWS = {
    "podium, intervals": compiled(podium_intervals),
    "podium, leaderboard": compiled(podium_leaderboard),
}
PEERS = {
    "choix": Contestant(choix_fit, "choix"),
    "evalica": Contestant(evalica_fit, "evalica", patience=8.0),
    "arena-rank": Contestant(arena_rank_fit, "arena-rank", with_doubles, patience=12.0),
    "scikit-learn": Contestant(sklearn_fit, "scikit-learn"),
}


def case(name: str, games: Callable[[], Games], contestants: dict[str, Contestant], reference: str) -> Case:
    """Data are fitted once, so the first call of a process counts."""
    return Case(name, games, contestants, partial(make, 200, 20_000), gradient, reference, first_call=True)


def cases() -> Iterator[Case]:
    for k, n in SIZES:
        others = VIEWS | {who: one for who, one in PEERS.items() if k <= MOST_ITEMS[who]}
        others = others if n <= MOST_ROWS else {}  # they would take minutes
        name = f"{k:,} items, {f'{n // 10**6}M' if n >= 10**6 else f'{n:,}'} rows"
        reference = "choix" if k == 100 else "np.unique"
        yield case(name, partial(make, k, n), PODIUM | UNIQUE | others, reference)
        if n >= 10**6:
            yield case(f"{name}, ties", partial(make, k, n, TIES), PODIUM | UNIQUE, "np.unique")
    bootstrap = {"podium": Contestant(podium_bootstrap), "evalica": Contestant(evalica_bootstrap, "evalica")}
    yield Case("bootstrap, one replicate", partial(make, 100, 100_000), bootstrap, reference="evalica")
    yield case("badly connected, a chain of 1,000", chain, PODIUM, "")
    yield case("badly connected, a ladder of 10,000", ladder, PODIUM, "")
    with_errors = PODIUM | {"podium, intervals": compiled(podium_intervals)}
    yield case("badly connected, a ring of 100,000", ring, with_errors, "")
    yield case("badly connected, a grid of 70 x 70", grid, with_errors, "")
    weak = {"podium": Contestant(podium_weak_prior)}
    yield Case(
        "badly connected, 20,000 items, 24,000 games, prior=1e-3, with errors", sparse, weak, reference=""
    )


if __name__ == "__main__":
    main(list(cases()))
