"""Skill that moves: DynamicBradleyTerry, Elo and Glicko compared with other libraries, in one run.

    PODIUM_DATA=... python benchmarks/dynamics.py [--quick]

The games are those of the NBA, 26,523 of 30 teams, and of The Week in Chess, 868,741 of 73,358 players. All
settings are given and the same for all libraries, as far as they have them: no library searches for the best.

*Smoother*: from loaded games to the skill of every item at every time, given all games. kickscore is run with
its own tolerance, TrueSkill Through Time for 5 sweeps, and whole-history rating to its own precision.

*Filter*: one pass through time, in which every game is predicted from earlier ones. The pass of TrueSkill
Through Time is the construction of its history. riix rates with Python loops; its fastest system is Elo.

Every run is a separate process. It imports and compiles what it needs on a few games, then loads all
games and is timed. The other libraries' lists and data sets are made before the clock starts, and so are the
observations of kickscore and the games of whole-history rating. *correlation* compares the last skills with
those of podium's smoother. The priors differ a little, and TrueSkill Through Time has a scale of its own.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

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


class Contestant(NamedTuple):
    """What happens before the clock starts, what is timed, and how to read the last skills afterwards."""

    prepare: Callable[[Games], Any]
    run: Callable[[Any], Any]
    skills: Callable[[Any, Games], dict[int, float]] = lambda done, games: {}


def unchanged(games: Games) -> Games:
    return games


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
    fitted = model(games).fit(games.c)
    fitted.history()
    return fitted


def podium_skills(fitted: Any, games: Games) -> dict[int, float]:
    codes = np.searchsorted(games.c.items, fitted.items_)
    return dict(zip(codes.tolist(), fitted.log_skill_.tolist(), strict=True))


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


def kickscore_skills(model: Any, games: Games) -> dict[int, float]:
    return {name: float(item.scores[1][-1]) for name, item in model.item.items() if name != "home"}


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


def ttt_skills(history: Any, games: Games) -> dict[int, float]:
    last = {name: curve[-1][1].mu for name, curve in history.learning_curves().items()}
    return {name: mean for name, mean in last.items() if name != "home"}


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


def whr_skills(base: Any, games: Games) -> dict[int, float]:
    return {int(name): player.days[-1].elo / ELO for name, player in base.players.items()}


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


SMOOTHERS = {
    "podium": Contestant(unchanged, podium_fit, podium_skills),
    "podium, with errors of all states": Contestant(unchanged, podium_errors, podium_skills),
    "kickscore": Contestant(kickscore_model, kickscore_fit, kickscore_skills),
    "TrueSkill Through Time": Contestant(ttt_lists, ttt_fit, ttt_skills),
    "whole-history rating": Contestant(whr_games, whr_fit, whr_skills),
}
FILTERS = {
    "podium": Contestant(podium_started, podium_before),
    "podium Elo": Contestant(unchanged, partial(podium_rating, "Elo")),
    "podium Glicko": Contestant(unchanged, partial(podium_rating, "Glicko")),
    "TrueSkill Through Time": Contestant(ttt_lists, ttt_filter),
    "riix Elo": Contestant(partial(riix_games, "Elo"), riix_filter),
    "riix Glicko": Contestant(partial(riix_games, "Glicko"), riix_filter),
    "riix TrueSkill": Contestant(partial(riix_games, "TrueSkill"), riix_filter),
}
KINDS = {"smoother": SMOOTHERS, "filter": FILTERS}


# ------------------------------------------------------------------------------------ runs


def time_alone(kind: str, name: str, data: str) -> None:
    contestant = KINDS[kind][name]
    contestant.run(contestant.prepare(load(data, WARM_UP)))
    games = load(data)
    prepared = contestant.prepare(games)
    start = time.perf_counter()
    done = contestant.run(prepared)
    seconds = time.perf_counter() - start
    skills = contestant.skills(done, games)
    print(json.dumps({"seconds": seconds, "skills": [[int(i), float(x)] for i, x in skills.items()]}))


def run_alone(kind: str, name: str, data: str, patience: int) -> dict[str, Any] | str:
    command = [sys.executable, __file__, "--alone", kind, name, data]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return f"> {patience} s"
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["killed"]
        return "not installed" if "ModuleNotFoundError" in lines[-1] else f"failed: {lines[-1][:60]}"
    return dict(json.loads(done.stdout.splitlines()[-1]))


def best_run(kind: str, name: str, data: str, repeat: int, patience: int) -> dict[str, Any] | str:
    """The fastest of several runs of podium, or one run of another library."""
    runs = []
    for _ in range(repeat if "podium" in name else 1):
        if isinstance(run := run_alone(kind, name, data, patience), str):
            return run
        runs.append(run)
    return min(runs, key=lambda run: float(run["seconds"]))


def correlation(skills: list[list[float]], base: list[list[float]]) -> str:
    """Of the skills of all items with podium's; each list has an item and its skill."""
    ours = {int(item): skill for item, skill in base}
    pairs = [(skill, ours[int(item)]) for item, skill in skills]
    return f"{np.corrcoef(pairs, rowvar=False)[0, 1]:.4f}" if pairs else ""


def compare(console: Console, kind: str, data: str, names: list[str], repeat: int, patience: int) -> None:
    n = len(load(data).c)
    table = Table(title=f"{kind}, {data}: {n:,} games; best of {repeat}")
    for heading in ("", "seconds", "× podium", "games/s", "correlation"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=not heading)
    base: dict[str, Any] = {"seconds": np.nan, "skills": []}
    for name in names:
        run = best_run(kind, name, data, repeat, patience)
        if isinstance(run, str):
            table.add_row(name, run)
            continue
        base = run if name == "podium" else base
        seconds = run["seconds"]
        agreement = correlation(run["skills"], base["skills"])
        table.add_row(
            name, f"{seconds:.3f}", f"{seconds / base['seconds']:.1f}", f"{n / seconds:,.0f}", agreement
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only the NBA, and only fast libraries")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--patience", type=int, default=300, help="seconds after which a run is stopped")
    parser.add_argument("--alone", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        time_alone(*options.alone)
        return
    console = Console(width=100)
    slow = {"kickscore", "TrueSkill Through Time", "whole-history rating"}
    for data in ("NBA",) if options.quick else ("NBA", "TWIC"):
        for kind, contestants in KINDS.items():
            names = [name for name in contestants if not (options.quick and name in slow)]
            compare(console, kind, data, names, options.repeat, options.patience)


if __name__ == "__main__":
    main()
