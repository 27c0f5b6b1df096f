"""Beyond the papers: skill that moves, six sports predicted one step ahead.

    PODIUM_DATA=... python -m experiments.dynamics [--quick]

Every system predicts each game of the last fifth from what came strictly earlier. Games of the same day, or
of the same month in chess, do not know each other. Settings are chosen on the games before the last fifth:

- *DynamicBradleyTerry* is fitted to the first 80 % of the games, and estimates its settings itself.
- *Elo*, *Glicko* and *Glicko2* of podium have the settings with the smallest loss on the games of 60–80 %,
  found by `search`. So does *BradleyTerry* with a half-life, which is fitted again for each of up to 50
  blocks of time.
- Other libraries are in `experiments.dynamics_peers`, which says how each is used. They come with
  ``pip install --editable '.[papers]'``. A system that has not finished after `PATIENCE` seconds is stopped.

All systems know who plays at home or has White, and which games of NFL and football were on neutral ground.
The sides of the ATP doubles mean nothing. There, systems without teams treat a pair as one player.

*Score loss* is the cross-entropy of the expected score, -s log e - (1 - s) log(1 - e), where a tie is a score
of ½. Every system has it. *Log loss* is that of the three outcomes; systems without ties have none. The
interval of the difference is a t interval over up to 50 blocks of time.
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax
from scipy.stats import t as student

from experiments.dynamics_games import (
    FOLDER,
    Floats,
    Games,
    Settings,
    blocks,
    games_of,
    matters,
    outcome_losses,
    score_losses,
    search,
    tuning_loss,
)
from experiments.dynamics_peers import RIIX, kickscore, riix, through_time
from experiments.experiment import Cell, Experiment, Report
from experiments.run import main
from podium import BradleyTerry, DynamicBradleyTerry, Elo, Glicko, Glicko2

OURS = "DynamicBradleyTerry"
HALF = ", a tie as half a win"
BLOCKS = 50
PATIENCE = 3600  # seconds
SEASON = 60  # days without a game, after which a season begins for Elo's regression
# Measured once by podium 0.2.0 at 59b562f, apart from the cells, with a bootstrap over blocks of time.
BEYOND_THE_CELLS = (
    " The NFL games in the table begin in 1990, and no system is told the margin of victory. In a separate "
    "test of the whole file (16,810 games since 1920, the last fifth tested; podium 0.2.0 at 59b562f), the "
    f"log loss of {OURS} was 0.6660. That is significantly worse than a tuned Elo, by 0.0102 (0.0082 to "
    "0.0120): there is one ν for a century, but 2.3 % of the games before the test were ties and 0.3 % in "
    "it. In score loss the two were equal (0.6334 and 0.6333). An Elo with the margin of victory, also tuned "
    "before the test, was significantly better in score loss, by 0.0081 (0.0056 to 0.0108)."
)


# ------------------------------------------------------------------------------------ podium


def dynamic(games: Games) -> Floats:
    model = DynamicBradleyTerry(order_effect=games.has_advantage).fit(games.c[: games.test])
    return np.asarray(model.before(games.c[games.test :]))


HALF_LIFE_GRID = {
    "years": (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0),
    "prior": (0.1, 0.3, 1.0, 3.0, 10.0),
}


def half_life(games: Games) -> Floats:
    """BradleyTerry on weighted games, fitted again at the start of each block."""

    def walk(first: int, last: int, most: int, settings: Settings) -> Floats:
        parts = [_static(games, rows, settings) for rows in blocks(games, first, last, most)]
        return np.concatenate(parts)

    def loss(settings: Settings) -> float:
        p = walk(games.tune, games.test, 10, settings)
        return tuning_loss(p, games.score[games.tune : games.test])

    return walk(games.test, len(games.c), BLOCKS, search(HALF_LIFE_GRID, loss))


def _static(games: Games, rows: slice, settings: Settings) -> Floats:
    """Predict a block from a fit to all games before it; new items have the mean log-skill, 0."""
    age = f"{settings['years'] * 365.25:.0f}d" if games.has_dates else settings["years"] * 12
    model = BradleyTerry(prior=settings["prior"], order_effect=games.has_advantage, half_life=age)
    model.fit(games.c[: rows.start])
    log_skill = np.zeros(games.c.n_items)
    log_skill[np.searchsorted(games.c.items, model.items_)] = model.log_skill_
    if games.c.teams is not None:
        log_skill = np.log(games.c.teams.matrix(games.c.n_items) @ np.exp(log_skill))
    d = log_skill[games.c.right[rows]] - log_skill[games.c.left[rows]]
    d -= model.order_effect_ * games.at_home[rows]
    tie = np.full(len(d), np.log(model.tie_) if model.tie_ > 0 else -np.inf)
    return np.asarray(softmax(np.column_stack([-d / 2, tie, d / 2]), axis=1))


POINTS = {
    "advantage": (0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 110.0, 130.0),
    "tie": (0.7, 0.85, 1.0, 1.2, 1.45, 1.75, 2.1),  # of the odds that the share of ties suggests
}
RATINGS: dict[str, tuple[type[Elo | Glicko | Glicko2], dict[str, Sequence[float]]]] = {
    "Elo": (
        Elo,
        {
            "k": (3, 4.5, 7, 10, 14, 20, 28, 40, 56, 80, 110),
            "regression": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
        },
    ),
    "Glicko": (
        Glicko,
        {
            "deviation": (60, 80, 110, 150, 200, 270, 350, 500),
            "growth": (0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96),
        },
    ),
    "Glicko2": (
        Glicko2,
        {
            "deviation": (60, 80, 110, 150, 200, 270, 350, 500),
            "volatility": (0.002, 0.004, 0.008, 0.012, 0.018, 0.025, 0.04, 0.06, 0.1, 0.15, 0.25, 0.4),
            "tau": (0.2, 0.5, 1.2),
        },
    ),
}


def rated(which: str, games: Games, *, ties: bool = True) -> Floats:
    """A rating system of podium, with the best settings of its grid; without ``ties`` they are half a win."""
    make, own = RATINGS[which]
    c = games.c if make is Elo else games.units
    grid = {name: values for name, values in (own | POINTS).items() if matters(name, games)}
    if not ties:
        del grid["tie"]
    if not games.has_dates:
        grid.pop("regression", None)  # months of chess have no seasons

    def before(last: int, settings: Settings) -> Floats:
        odds = 2 * games.tie_share / (1 - games.tie_share)
        extra: dict[str, Any] = {"tie": settings.get("tie", 0.0) * odds}
        if "regression" in settings:
            extra["season"] = SEASON
        if "deviation" in settings:
            extra["max_deviation"] = settings["deviation"]  # nobody is less certain than about a newcomer
        return np.asarray(make(**(settings | extra)).before(c[:last]))

    def loss(settings: Settings) -> float:
        p = before(games.test, settings)[games.tune :]
        return tuning_loss(p, games.score[games.tune : games.test])

    return before(len(c), search(grid, loss))[games.test :]


SYSTEMS: dict[str, Callable[[Games], Floats]] = {
    OURS: dynamic,
    "BradleyTerry with half-life": half_life,
    **{which: partial(rated, which) for which in RATINGS},
    **{f"{which}{HALF}": partial(rated, which, ties=False) for which in RATINGS},
    **{f"riix {which}": partial(riix, which) for which in RIIX},
    "TrueSkill Through Time": through_time,
    "kickscore": kickscore,
}


# ------------------------------------------------------------------------------------ the experiment


def cells(quick: bool) -> list[Cell]:
    data = ("NBA", "NFL") if quick else FOLDER
    slow = ("TrueSkill Through Time", "kickscore") if quick else ()
    without = {"NBA", "ATP doubles"}  # they have no ties
    return [
        {"data": name, "system": system}
        for name in data
        for system in SYSTEMS
        if system not in slow and not (name in without and system.endswith(HALF))
    ]


@contextmanager
def stopped_after(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in the code below after so many seconds."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def compute(data: str, system: str) -> dict[str, float]:
    """The losses of a system, and what each block of time adds to its score loss; nan if it was stopped."""
    games = games_of(data)
    score = games.score[games.test :]
    try:
        with stopped_after(PATIENCE):
            p = SYSTEMS[system](games)
    except TimeoutError:
        p = np.full((len(score), 3), np.nan)
    losses = score_losses(p, score)
    parts = [
        losses[rows.start - games.test : rows.stop - games.test].sum() / len(losses)
        for rows in blocks(games, games.test, len(games.c), BLOCKS)
    ]
    knows_ties = not np.all(p[:, 1] == 0) or not games.has_ties
    return {
        "log_loss": float(outcome_losses(p, score).mean()) if knows_ties else np.nan,
        "score_loss": float(losses.mean()),
        "games": len(losses),
        **{f"block_{i}": part for i, part in enumerate(parts)},
    }


# ------------------------------------------------------------------------------------ the report


def difference(row: pd.Series, ours: pd.Series) -> tuple[float, float]:
    """How much larger the score loss is than ours, and half the width of the 95 % interval."""
    names = [name for name in row.index if str(name).startswith("block_")]
    d = (row[names] - ours[names]).dropna().to_numpy(dtype=np.float64)
    if len(d) < 2:
        return np.nan, np.nan
    return float(d.sum()), float(student.ppf(0.975, len(d) - 1) * d.std(ddof=1) * np.sqrt(len(d)))


def compared(frame: pd.DataFrame) -> pd.DataFrame:
    """Every system with its difference from ours, best first within each data set."""
    parts = []
    for _, rows in frame.groupby("data", sort=False):
        ours = rows[rows["system"] == OURS].iloc[0]
        pairs = [difference(row, ours) for _, row in rows.iterrows()]
        more, half = np.array(pairs).T
        parts.append(rows.assign(more=more, half=half).sort_values("score_loss"))
    return pd.concat(parts)


def report(frame: pd.DataFrame) -> Report:
    table = compared(frame)
    others = table[table["system"] != OURS]
    best = others.loc[others.groupby("data", sort=False)["score_loss"].idxmin()]
    at_most = int((best["more"] >= 0).sum())
    worse = others[others["more"] + others["half"] < 0]
    named = ", ".join(f"{row.system} on {row.data}" for row in worse.itertuples())
    better = others[others["more"] - others["half"] > 0]
    rival, ours = others.groupby("data")["log_loss"].min(), table[table["system"] == OURS].set_index("data")
    in_logs = int(ours["log_loss"].le(rival).sum())
    sentence = (
        f"Each game of the last fifth was predicted from earlier ones. The score loss of {OURS} is at most "
        f"that of the best other system on {at_most} of {len(best)} data sets, its log loss on {in_logs}. "
        f"It is significantly worse than {named or 'no system'}. "
        f"It is significantly better in {len(better)} of {int(others['more'].notna().sum())} comparisons. "
        "*More* is the score loss minus ours, with a 95 % interval over blocks of time. "
        "A system without numbers was stopped before it ended. Seconds include the search for settings."
        + BEYOND_THE_CELLS
    )
    shown = pd.DataFrame(
        {
            "data": [f"{row.data}, {row.games:,.0f} games" for row in table.itertuples()],
            "system": [f"**{name}**" if name == OURS else name for name in table["system"]],
            "score loss": table["score_loss"].map(_four),
            "more": [_interval(row.system, row.more, row.half) for row in table.itertuples()],
            "log loss": table["log_loss"].map(_four),
            "seconds": ["–" if np.isnan(each) else f"{each:.0f}" for each in table["seconds"]],
        }
    )
    return Report(sentence, shown)


def _four(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4f}"


def _interval(system: str, more: float, half: float) -> str:
    if system == OURS or np.isnan(more):
        return ""
    return f"{more:+.4f} ({more - half:+.4f} to {more + half:+.4f})"


EXPERIMENT = Experiment(
    name="dynamics",
    paper="Beyond the papers",
    title="Skill that moves: one-step-ahead predictions",
    cells=cells,
    compute=compute,
    report=report,
    needs=lambda cell: FOLDER[cell["data"]],
    packages=("riix", "trueskillthroughtime", "kickscore"),
)

if __name__ == "__main__":
    main(EXPERIMENT)
