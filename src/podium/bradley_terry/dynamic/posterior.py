"""The fitted skills through time: the states of all movers with their errors, and the times in between."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.dynamic.chains import Chains
from podium.bradley_terry.dynamic.design import Design
from podium.bradley_terry.dynamic.errors import (
    MOST_WORK,
    Errors,
    eliminate,
    is_small,
    joint_draws,
    mean_of_items,
    state_errors,
)
from podium.bradley_terry.dynamic.filter import Beliefs, Forward, forward
from podium.bradley_terry.dynamic.motion import Motion
from podium.bradley_terry.dynamic.smoother import Hessian, Problem, smooth
from podium.comparisons.arrays import Floats, Index, ranges
from podium.leaderboard.board import ELO_UNIT
from podium.skill.board import ELO_MEAN
from podium.skill.certainty import quantile
from podium.skill.prediction import positions
from podium.skill.refits import TOL

if TYPE_CHECKING:
    import pandas as pd


class Between(NamedTuple):
    """x(t) = before · x[k] + after · x[following] + N(0, noise); k is -1 if the mover has not begun at t."""

    k: Index
    following: Index
    before: Floats
    after: Floats
    noise: Floats

    def of(self, values: Floats) -> Floats:
        """The mean at t, given values of all states, or columns of them."""
        return np.asarray((self.before * values[self.k].T + self.after * values[self.following].T).T)


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of all states given all games."""

    design: Design
    motion: Motion
    others: tuple[Motion, ...]  # one standard error away, see `Search.around`
    problem: Problem
    times: NDArray[Any]  # of every moment, as they were given
    x: Floats
    most_work: float = MOST_WORK

    @property
    def chains(self) -> Chains:
        return self.problem.chains

    @property
    def end(self) -> float:
        """The time of the last game."""
        return float(self.problem.games.when[-1])

    @cached_property
    def filtered(self) -> Forward:
        """What the filter knew before each game, and after the last one."""
        return forward(self.problem.games, self.motion, self.problem.link)

    @cached_property
    def hessian(self) -> Hessian:
        return self.problem.hessian(self.x)

    @cached_property
    def errors(self) -> Errors:
        return state_errors(self.problem, self.hessian, self.design.n_effects, self.most_work)

    @cached_property
    def moved(self) -> Floats:
        """How far all states move with the parameters, one column per standard error."""
        found = [np.zeros((len(self.x), 0))]
        for motion in self.others:
            problem = Problem.of(self.problem.games, motion, self.problem.link)
            states = problem.chains.states(smooth(problem, TOL, 100).solution[:, None])
            found.append(states - self.x[:, None])
        return np.hstack(found)

    def bands(self, *, relative: bool) -> Floats:
        """The variance of every state, or of its difference from the mean of the items at the time."""
        known, moved = self.errors.relative if relative else self.errors.variance, self.moved
        if relative:
            moved = moved - mean_of_items(self.chains, self.design.n_effects, moved)
        return np.asarray(known + (moved**2).sum(axis=1))

    @property
    def time(self) -> NDArray[Any]:
        """The time of every state, as it was given."""
        return self.times[np.searchsorted(self.problem.games.when, self.chains.when)]

    def between(self, mover: Index, when: Floats | float) -> Between:
        """How the skill of each mover at its time, or at one, follows from the states around it.

        Before its first game a mover, known or new, is as the prior says.
        """
        chains, motion = self.chains, self.motion
        k = chains.latest(mover, when)
        mover = np.minimum(mover, motion.n_movers - 1)  # new items move like the others
        begun, last = k >= 0, k + 1 >= chains.start[mover + 1]
        following = np.where(last, k, k + 1)
        phi, q = motion.step(mover, np.where(begun, when - chains.when[k], 0.0))
        onward, q_onward = motion.step(mover, np.where(last, 0.0, chains.when[following] - when))
        whole = q_onward + onward**2 * q
        moves = begun & ~last & (whole > 0)
        whole = np.where(moves, whole, 1.0)
        before = np.where(moves, q_onward * phi / whole, phi)
        after = np.where(moves, onward * q / whole, 0.0)
        noise = np.where(moves, q * q_onward / whole, q)
        first = motion.first_spread[mover] ** 2
        return Between(k, following, begun * before, begun * after, np.where(begun, noise, first))

    def variance_at(self, there: Between) -> Floats:
        """The variance of each mover, given the parameters."""
        k, following, before, after, noise = there
        own, lag, _ = self.errors
        return np.asarray(
            before**2 * own[k] + after**2 * own[following] + 2 * before * after * lag[k] + noise
        )

    @property
    def beliefs(self) -> Beliefs:
        """Where the filter goes on: the last state of every mover.

        If there are too many states for exact variances, those of the filter are used: they are as good as
        draws.
        """
        now = Beliefs.none(self.motion)
        played = np.diff(self.chains.start) > 0
        last = self.chains.start[1:][played] - 1
        exact = self.errors.variance[last] if self.is_small else self.filtered.beliefs.variance[played]
        now.mean[played], now.variance[played], now.when[played] = self.x[last], exact, self.chains.when[last]
        return now

    def history(self, items: Any, level: float, scale: str, relative: bool) -> "pd.DataFrame":
        """One row per item and time at which it played."""
        import pandas as pd

        if scale not in ("elo", "log"):
            raise ValueError(f"scale must be 'elo' or 'log', not {scale!r}")
        design, chains = self.design, self.chains
        if items is None:
            places = np.argsort(design.items, kind="stable")
        else:
            wanted = [items] if isinstance(items, str) or np.ndim(items) == 0 else list(items)
            if not wanted:
                raise ValueError("items is empty; name at least one item, or leave it out for all")
            places = positions(design.items, wanted)
        first = chains.start[design.n_effects + places]
        owner, states = ranges(first, chains.start[design.n_effects + places + 1])
        unit, mean = (ELO_UNIT, ELO_MEAN) if scale == "elo" else (1.0, 0.0)
        score = mean + unit * self.x[states]
        width = unit * quantile(level) * np.sqrt(self.bands(relative=relative)[states])
        frame = pd.DataFrame(
            {
                "time": self.time[states],
                "item": design.items[places[owner]],
                "score": score,
                "low": score - width,
                "high": score + width,
            }
        )
        frame.attrs |= {"scale": scale, "level": level}
        return frame

    # ------------------------------------------------------------------------------------ all at one time

    def begun(self, when: float) -> NDArray[np.bool_]:
        """The movers that have played by this time."""
        start = self.chains.start
        first = np.minimum(start[:-1], len(self.x) - 1)
        return np.asarray((np.diff(start) > 0) & (self.chains.when[first] <= when))

    @property
    def is_small(self) -> bool:
        return is_small(len(self.chains) + self.motion.n_movers, self.motion.n_movers, self.most_work)

    def covariance_at(self, when: float) -> Floats:
        """The joint covariance of all movers at a time; 0 for those that have not begun."""
        chains, movers = self.chains, np.flatnonzero(self.begun(when))
        missing = movers[chains.when[chains.latest(movers, when)] < when]
        mover = np.append(chains.mover, missing)
        moment = np.append(chains.when, np.full(len(missing), when))
        order = np.lexsort((moment, mover))
        denser = Chains.of(mover[order], moment[order], self.motion)
        moved = self.between(np.arange(self.motion.n_movers), when).of(self.moved)
        covariance = eliminate(self.problem.games, denser, self.hessian, 0, when)[1]
        return covariance + moved @ moved.T

    def draws_at(self, when: float) -> Floats:
        """Draws of the errors of all movers at a time, one per column; 0 for those that have not begun."""
        there = self.between(np.arange(self.motion.n_movers), when)
        noise = np.sqrt(there.noise) * (there.k >= 0)
        found = joint_draws(self.problem, self.hessian, there.of, noise)
        moved = there.of(self.moved)
        shared = np.random.default_rng(0).standard_normal((moved.shape[1], found.shape[1]))
        return np.asarray(found + moved @ shared)
