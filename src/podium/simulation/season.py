"""Play the rest of a league or a cup many times.

Every time, skills, order effect and tie parameter are drawn from the fit, so that the result has their
errors. Skills of a dynamic model then move at random from game to game. What is played counts as it was.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from podium.bradley_terry.dynamic.snapshot import Snapshot
from podium.comparisons.concat import concat
from podium.comparisons.inputs import with_outcomes
from podium.comparisons.messages import names_of
from podium.comparisons.random_states import generator
from podium.comparisons.table import Comparisons
from podium.core.links import GradedLink, outcomes, root
from podium.numerics.parameters import check_whole
from podium.reading.comparisons import read_comparisons
from podium.simulation.cup import Cup
from podium.simulation.league import League
from podium.simulation.result import Simulation
from podium.skill.certainty import solutions, tie_parameters
from podium.skill.fit import SkillFit
from podium.skill.prediction import skills


def simulate(
    model: Any,
    fixtures: Any,
    *,
    rules: Literal["league", "cup"] = "league",
    points: tuple[float, float, float] = (3, 1, 0),
    played: Any = None,
    n: int = 10_000,
    random_state: Any = None,
) -> Simulation:
    """Play the rest of a league or a cup many times, with skills drawn from a fitted model.

    Estimates that are plugged in make the favourite too sure. Here every season has its own draw of skills,
    order effect and tie parameter, as `BradleyTerry.draws` makes them. A model without ties (``"half"``,
    ``"ignore"``) plays none.

    Parameters
    ----------
    model : BradleyTerry, PlackettLuce or DynamicBradleyTerry
        A fitted model. Skills of a dynamic one move on from its last comparison to the time of each game.
    fixtures : Comparisons, or anything that `podium.read_comparisons` reads
        The games to play. Outcomes are not needed, and times are only for dynamic models. Items that
        the model has not seen are an error, unless it has a normal prior, from which they are drawn.
    rules : {"league", "cup"}, default="league"
        ``"league"``: points decide, also in a group of four. Equal points are broken by the points in the
        games among the equal items, then by wins, then by lot. ``"cup"``: the fixtures are the first round,
        and the winners of neighbouring rows meet next. An opponent called "bye" or "-" is nobody, and the
        last winner of an odd round has a bye. Ties are decided by lot. Later rounds are on neutral ground.
    points : tuple of three numbers, default=(3, 1, 0)
        The points of a win, a tie and a loss in a league.
    played : Comparisons, or anything that `podium.read_comparisons` reads, default=None
        Games of the same league or cup with their outcomes, which count as they are. If the fixtures contain
        all of them, as a calendar does, these are not played again.
    n : int, default=10000
        How many seasons or cups to play.
    random_state : int, RandomState, Generator or None, default=None
        The seed.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> import podium as pod
    >>> model = pod.BradleyTerry(order_effect=True).fit(pod.datasets.load_chess_club())
    >>> evening = pod.Comparisons.from_arrays(["Ada", "Boris", "Carmen"], ["Boris", "Carmen", "Ada"])
    >>> found = simulate(model, evening, points=(1, 0.5, 0), random_state=0)
    >>> found.places.query("place == 1").round(1)
         item  place  probability
    0     Ada      1          0.4
    1   Boris      1          0.3
    2  Carmen      1          0.3
    """
    fit = getattr(model, "fit_", None)
    if not isinstance(fit, SkillFit) or type(fit).outcomes is not SkillFit.outcomes:
        need = "a fitted BradleyTerry, PlackettLuce or DynamicBradleyTerry without effects or kinds of judges"
        raise ValueError(f"simulate takes {need}")
    if isinstance(fit.link, GradedLink) and not fit.link.rao_kupper:
        raise ValueError("simulate knows wins and ties only; fit dataclasses.replace(c, grade=None)")
    if rules not in ("league", "cup"):
        raise ValueError(f"rules must be 'league' or 'cup', not {rules!r}")
    check_whole("n", n)
    c = _games(fixtures, outcome=False)
    done = replace(c[:0], outcome=np.zeros(0, np.int8)) if played is None else _games(played)
    both = concat([Comparisons.from_codes(part.items, part.left, part.right) for part in (c, done)])
    items, rng = both.items[both.appears], generator(random_state)
    event = (League if rules == "league" else Cup).of(c.with_items(items), done.with_items(items), points)
    counts, titles, tables, k = [], [], [], len(items)
    for d, theta, ties in _seasons(fit, event.fixtures, n, rng):
        stages, outcome, table = event.play(rng, outcomes(root(d), *ties), theta, ties)
        counts.append([np.bincount(who[who >= 0], minlength=k) for who in stages])
        winner = (np.arange(len(outcome))[:, None] * 3 + outcome) * k + stages[0 if rules == "league" else -1]
        titles.append(np.bincount(winner.ravel(), minlength=len(outcome) * 3 * k).reshape(-1, 3, k))
        tables.append(table)
    facts = f"{n:,} {rules}s, {len(event.fixtures):,} fixtures drawn, {len(done):,} games played"
    return Simulation.of(rules, facts, event, np.sum(counts, axis=0) / n, np.sum(titles, axis=0), tables)


def _games(source: Any, *, outcome: Any = None) -> Comparisons:
    """Read games of single items, one per row."""
    c = source if isinstance(source, Comparisons) else read_comparisons(source, outcome=outcome)
    if c.teams is not None or (c.count != 1).any() or not len(c):
        raise ValueError("simulate needs games of single items, one per row, without teams and counts")
    return c if outcome is False else with_outcomes(c, purpose="count")


def _seasons(fit: SkillFit, c: Comparisons, n: int, rng: np.random.Generator) -> Iterator[Any]:
    """Blocks of seasons: the differences of all games, the final skills, and the ties, one per column."""
    place, theta, variance = skills(fit, c, None)
    component = np.where(place < 0, 0, fit.component[place])
    if (apart := component[c.left] != component[c.right]).any():
        names = names_of(c.items[[c.left[apart][0], c.right[apart][0]]])
        raise ValueError(f"{names} are in groups that were never compared; set prior to a number above 0")
    columns, new, when, now = fit.columns(c), np.flatnonzero(variance > 0), np.zeros(len(c)), 0.0
    if isinstance(fit, Snapshot) and c.time is not None:
        when, now = fit.posterior.design.when(c.time), fit.when
        if when.min(initial=np.inf) < now:
            raise ValueError("a fixture is before the last comparison of the model; give it in played")
    drawn, k = solutions(fit, n, rng, place), len(place)
    for block in np.array_split(drawn, max(n * len(c) // 400_000, 1)):  # arrays of 1.6 MB stay in the cache
        x: Any = np.delete(block, slice(k, block.shape[1] - columns.shape[1]), axis=1).T.astype(np.float32)
        x[new] = theta[new, None] + np.sqrt(variance[new, None]) * rng.standard_normal((len(new), len(block)))
        d, time = np.empty((len(c), len(block)), np.float32), now
        for moment in np.unique(when):
            if isinstance(fit, Snapshot):
                phi, q = (part[:, None] for part in fit.step(k, moment - time))
                x, time = phi * x + np.sqrt(q) * rng.standard_normal(x.shape), moment
            at = when == moment
            d[at] = x[c.right[at]] - x[c.left[at]] + columns[at] @ x[k:]
        yield d, x[:k], (tie_parameters(fit, block).astype(np.float32), fit.link.rao_kupper)
