"""Skill that moves: DynamicBradleyTerry, Elo and Glicko compared with other libraries.

    PODIUM_DATA=... python benchmarks/dynamics.py [--case PATTERN] [--full]

The games are those of the NBA, 26,523 of 30 teams, and of The Week in Chess, 868,741 of 73,358 players. All
settings are given and the same for all libraries, as far as they have them: no library searches for the best.

*Smoother*: from loaded games to the skill of every item at every time, given all games. kickscore is run with
its own tolerance, TrueSkill Through Time for 5 sweeps, and whole-history rating to its own precision.

*Filter*: one pass through time, in which every game is predicted from earlier ones. The pass of TrueSkill
Through Time is the construction of its history. riix rates with Python loops; its fastest system is Elo.

The other libraries' lists and data sets are made before the clock starts, and so are the observations of
kickscore and the games of whole-history rating.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from measuring.cases import Case, Contestant
from measuring.turns import main
from podium import Comparisons, datasets

SPREAD, DRIFT, REVERSION = 0.5, 0.5, 0.0  # of log-skills; the drift is per square root of a year
TIES = 0.3  # the share of ties in chess, for libraries that want to be told
WARM_UP = 500  # games that each run sees before the clock starts
ELO = 400 / np.log(10)
Floats = NDArray[np.float64]


class Games(NamedTuple):
    """Comparisons in the order of time, and the same in plain arrays."""

    c: Comparisons
    years: Floats
    left: list[int]
    right: list[int]
    score: Floats


def load(data: str, most: int | None = None) -> Games:
    """All games, or about ``most`` of them, spread over all times."""
    c = datasets.fetch_nba() if data == "NBA" else datasets.fetch_chess("twic")
    c = c[np.argsort(np.asarray(c.time), kind="stable")][:: len(c) // most if most else 1]
    since = np.asarray(c.time) - np.asarray(c.time)[0]
    years = since / np.timedelta64(1, "D") / 365.25 if data == "NBA" else since / 12
    return Games(c, years, c.left.tolist(), c.right.tolist(), (1 - np.asarray(c.outcome)) / 2)


# ------------------------------------------------------------------------------------ contestants


def model(games: Games) -> Any:
    """The model with given settings; a year has 12 units if time is in months."""
    from podium import DynamicBradleyTerry

    unit = 1.0 if np.issubdtype(np.asarray(games.c.time).dtype, np.datetime64) else 12**-0.5
    return DynamicBradleyTerry(
        SPREAD, drift=DRIFT * unit, reversion=REVERSION, order_effect=True, order_drift=0.0
    )


def podium_fit(games: Games) -> Any:
    return model(games).fit(games.c)


def podium_errors(games: Games) -> Any:
    return model(games).fit(games.c).history()


def podium_started(games: Games) -> Any:
    """The model at the end of the first day or month, and the games that follow."""
    time = np.asarray(games.c.time)
    first = time == time[0]
    return model(games).fit(games.c[first]), games.c[~first]


def podium_before(started: Any) -> Any:
    fitted, later = started
    return fitted.before(later)


def podium_rating(name: str, games: Games) -> Any:
    import podium

    return getattr(podium, name)().fit(games.c)


def kickscore_model(games: Games) -> Any:
    import kickscore as ks

    ties = bool(np.any(games.score == 0.5))
    model = ks.TernaryModel(0.5, "logit") if ties else ks.BinaryModel("logit")
    for name in {*games.left, *games.right}:
        model.add_item(name, kernel=ks.kernel.Wiener(DRIFT**2, t0=0.0, var_t0=SPREAD**2))
    model.add_item("home", kernel=ks.kernel.Constant(4.0))
    rows = zip(games.left, games.right, games.score, games.years.tolist(), strict=True)
    for left, right, score, year in rows:
        sides = [left, "home"], [right]
        tie = {"tie": True} if score == 0.5 else {}
        model.observe(*(sides if score else sides[::-1]), t=year, **tie)
    return model


def kickscore_fit(model: Any) -> Any:
    model.fit()
    return model


def ttt_lists(games: Games) -> Any:
    import trueskillthroughtime as ttt

    names = [*{*games.left, *games.right}]
    scale = 0.6 * 2**0.5  # a logistic of scale 1 is about a normal of scale 1.7
    player = ttt.Player(ttt.Gaussian(0.0, SPREAD * scale), 1.0, DRIFT * scale)
    home = ttt.Player(ttt.Gaussian(0.0, 1.0), 0.0, 0.0)
    sides = [[[left, "home"], [right]] for left, right in zip(games.left, games.right, strict=True)]
    results = [[2 * score, 2 - 2 * score] for score in games.score.tolist()]
    ties = TIES if np.any(games.score == 0.5) else 0.0
    priors = dict.fromkeys(names, player) | {"home": home}
    return partial(ttt.History, sides, results, games.years.tolist(), priors=priors, p_draw=ties)


def ttt_fit(make: Callable[[], Any]) -> Any:
    history = make()
    history.convergence(iterations=5, verbose=False)
    return history


def ttt_filter(make: Callable[[], Any]) -> Any:
    return make()


def whr_games(games: Games) -> Any:
    from whr import WHR

    base = WHR({"w2": (DRIFT * ELO) ** 2 / 365.25})
    days = np.rint(games.years * 365.25).astype(int).tolist()
    winner = {1.0: "B", 0.5: "D", 0.0: "W"}
    for left, right, score, day in zip(games.left, games.right, games.score.tolist(), days, strict=True):
        base.create_game(str(left), str(right), winner[score], day, 1)
    return base


def whr_fit(base: Any) -> Any:
    base.auto_iterate(batch_size=10)
    return base


def riix_games(name: str, games: Games) -> Any:
    from importlib import import_module

    from riix.utils.data_utils import MatchupDataset

    system = getattr(import_module(f"riix.models.{name.lower()}"), name)
    sides = np.column_stack([games.left, games.right])
    competitors = list(range(int(sides.max()) + 1))
    steps = np.unique(games.years, return_inverse=True)[1].astype(np.int32)
    rows = MatchupDataset.init_from_arrays(steps, sides, games.score, competitors)
    return system(competitors), rows


def riix_filter(prepared: Any) -> Any:
    system, rows = prepared
    return system.fit_dataset(rows, return_pre_match_probs=True)


def riix(name: str) -> Contestant:
    return Contestant(riix_filter, "riix", partial(riix_games, name))


SLOW = 40.0  # seconds of patience
PODIUM = {"podium": Contestant(podium_fit), "podium, with errors": Contestant(podium_errors)}
SMOOTHERS = {
    "kickscore": Contestant(kickscore_fit, "kickscore", kickscore_model),
    "TrueSkill Through Time": Contestant(ttt_fit, "trueskillthroughtime", ttt_lists, patience=SLOW),
    "whole-history rating": Contestant(whr_fit, "whole-history-rating", whr_games, patience=SLOW),
}
PASS = {
    "podium": Contestant(podium_before, prepare=podium_started),
    "podium Elo": Contestant(partial(podium_rating, "Elo")),
    "podium Glicko": Contestant(partial(podium_rating, "Glicko")),
}
FILTERS = {f"riix {name}": riix(name) for name in ("Elo", "Glicko", "TrueSkill")} | {
    "TrueSkill Through Time": Contestant(ttt_filter, "trueskillthroughtime", ttt_lists)
}
ELO_FILTER = {"riix Elo": FILTERS["riix Elo"]}


def case(name: str, data: str, contestants: dict[str, Contestant], reference: str = "") -> Case:
    return Case(name, partial(load, data), contestants, partial(load, data, WARM_UP), reference=reference)


if __name__ == "__main__":
    main(
        [
            case("smoother, 26,523 games of the NBA", "NBA", PODIUM | SMOOTHERS, "kickscore"),
            case("filter, 26,523 games of the NBA", "NBA", PASS | FILTERS, "riix Elo"),
        ],
        [
            case("smoother, 868,741 games of chess, all", "TWIC", PODIUM | SMOOTHERS),
            case("filter, 868,741 games of chess, all", "TWIC", PASS | FILTERS),
        ],
    )
