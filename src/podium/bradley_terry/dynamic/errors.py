"""The errors of the states: the inverse of the Hessian of the smoother, exactly or by random draws.

Exactly: the states are eliminated in the order of time. A front holds the precision matrix of the present
state of every mover, given all earlier games. When a mover goes on to its next state, its old state is
eliminated, which leaves a rule that restores it from the front. Backward, the rules turn the covariance of
the last states into that of all earlier ones. This costs movers² operations per state.

By draws: z ~ N(0, H) is easy to draw, and H⁻¹ z then has the covariance H⁻¹. The variance within a chain
given all other chains is known exactly, so only the rest comes from the draws.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium.bradley_terry.dynamic.chains import Chains
from podium.bradley_terry.dynamic.games import Games
from podium.bradley_terry.dynamic.smoother import Hessian, Problem
from podium.comparisons.arrays import Floats, Index
from podium.core.linear import DRAW_RESIDUAL
from podium.numerics.compiled import njit
from podium.skill.joint import FEWEST_DRAWS, TOGETHER

MOST_WORK = 2e10  # operations of the exact computation; about 10 seconds
MOST_RULES = 5e7  # numbers that it stores; 400 MB


class Errors(NamedTuple):
    """The variance of each state, and its covariance with the next state of the same mover.

    ``relative`` is the variance of each state minus the mean of the items: of the latest states of all items
    that have begun by then. It leaves out the error that all items share.
    """

    variance: Floats
    lag: Floats
    relative: Floats


def is_small(n_states: int, n_movers: int, most_work: float) -> bool:
    """Whether errors are computed exactly."""
    return n_states * n_movers**2 <= most_work and n_states * n_movers <= MOST_RULES


def state_errors(problem: Problem, hessian: Hessian, n_effects: int, most_work: float) -> Errors:
    """The errors of all states; drawn ones are accurate to about 1 %, and ``relative`` ones to 4 %."""
    chains = problem.chains
    if is_small(len(chains), len(chains.start) - 1, most_work):
        return eliminate(problem.games, chains, hessian, n_effects, -np.inf)[0]
    variance, lag = hessian.factor.variances()
    common = np.zeros(len(chains))
    same = chains.mover[1:] == chains.mover[:-1]
    for block in range(FEWEST_DRAWS // TOGETHER):
        z, x = _draw(problem, hessian, block)
        rest = chains.states(hessian.factor.solve(z)) - x
        variance += (rest**2).sum(axis=1) / FEWEST_DRAWS
        lag[:-1] += same * (rest[:-1] * rest[1:]).sum(axis=1) / FEWEST_DRAWS
        level = mean_of_items(chains, n_effects, x)
        common += ((2 * x - level) * level).sum(axis=1) / FEWEST_DRAWS
    return Errors(variance, lag, np.maximum(variance - common, 0.0))


def joint_draws(
    problem: Problem, hessian: Hessian, pick: Callable[[Floats], Floats], noise: Floats
) -> Floats:
    """Draws of the errors of ``pick(x)`` plus independent noise with these standard deviations."""
    rng, found = np.random.default_rng(FEWEST_DRAWS), []
    for block in range(FEWEST_DRAWS // TOGETHER):
        x = _draw(problem, hessian, block)[1]
        found.append(pick(x) + noise[:, None] * rng.standard_normal((len(noise), TOGETHER)))
    return np.hstack(found)


def _draw(problem: Problem, hessian: Hessian, block: int) -> tuple[Floats, Floats]:
    """Columns z ~ N(0, H) in the space of the noise, and the states of H⁻¹ z."""
    rng, chains = np.random.default_rng(block), problem.chains
    games = np.sqrt(hessian.weight)[:, None] * rng.standard_normal((len(hessian.weight), TOGETHER))
    z = rng.standard_normal((len(chains), TOGETHER)) + chains.noise(np.asarray(hessian.matrix.T @ games))
    return z, chains.states(hessian.solve(z, DRAW_RESIDUAL))


def mean_of_items(chains: Chains, n_effects: int, x: Floats) -> Floats:
    """For each state, the mean of the latest states of all items that have begun by then."""
    order = _in_time(chains)
    first = chains.start[chains.mover] == np.arange(len(x))
    change = np.where(first[:, None], x, x - np.roll(x, 1, axis=0))  # of the sum over all items
    is_item = (chains.mover >= n_effects)[order]
    total = np.cumsum(change[order] * is_item[:, None], axis=0)
    last = np.searchsorted(chains.when[order], chains.when, side="right") - 1  # of the moment of a state
    return np.asarray(total[last] / np.maximum(np.cumsum(first[order] & is_item)[last, None], 1))


def _in_time(chains: Chains) -> Index:
    return np.asarray(np.lexsort((chains.mover, chains.when)))


def eliminate(
    games: Games, chains: Chains, hessian: Hessian, n_effects: int, when: float
) -> tuple[Errors, Floats]:
    """The errors of all states after ``when``, and the covariance of all movers at that time."""
    entries = games.at(games.mover)
    of_games = (games.when[games.moment], hessian.slopes, hessian.weight, hessian.slope)
    of_states = (chains.when, chains.mover, chains.phi, chains.root, chains.start)
    order = _in_time(chains)
    rules, noise, front = _forward(entries, of_games, of_states, order)
    *errors, covariance = _backward(of_states, order, rules, noise, np.linalg.inv(front), n_effects, when)
    return Errors(*errors), covariance


@njit(cache=True, nogil=True)
def _forward(entries, of_games, of_states, order):  # type: ignore[no-untyped-def]
    """Eliminate all states but the last of each mover; return the rules and noise that restore them."""
    played = of_games[0]
    when, mover, phi, root, start = of_states
    n, g = len(start) - 1, 0
    front, rules, noise = np.zeros((n, n)), np.zeros((len(order), n)), np.zeros(len(order))
    for k in range(len(order)):
        s = order[k]
        while g < len(played) and played[g] < when[s]:
            _add_game(g, entries, of_games, front)
            g += 1
        i, q = mover[s], root[s] ** 2
        if s == start[i]:
            front[i, i] = 1.0 / q
        else:
            noise[k] = _go_on(front, i, phi[s], q, rules[k])
    while g < len(played):
        _add_game(g, entries, of_games, front)
        g += 1
    for i in range(n):
        if front[i, i] == 0.0:
            front[i, i] = 1.0  # a mover without a state
    return rules, noise, front


@njit(cache=True, nogil=True)
def _backward(of_states, order, rules, noise, covariance, n_effects, stop):  # type: ignore[no-untyped-def]
    """Restore the states, latest first, down to the time ``stop``."""
    when, mover, _, _, start = of_states
    variance, lag, relative = np.zeros(len(order)), np.zeros(len(order)), np.zeros(len(order))
    begun = np.zeros(len(covariance))
    for i in range(n_effects, len(begun)):
        begun[i] = start[i + 1] > start[i]
    end = len(order)
    while end > 0 and when[order[end - 1]] > stop:
        first = end - 1  # the states of one moment are first to end - 1
        while first > 0 and when[order[first - 1]] == when[order[end - 1]]:
            first -= 1
        with_mean = covariance @ begun / begun.sum()
        of_mean = with_mean @ begun / begun.sum()
        for k in range(first, end):
            i = mover[order[k]]
            variance[order[k]] = covariance[i, i]
            relative[order[k]] = covariance[i, i] - 2.0 * with_mean[i] + of_mean
        for k in range(end - 1, first - 1, -1):
            s, i = order[k], mover[order[k]]
            row = covariance @ rules[k]
            own = row @ rules[k] + noise[k]
            if s == start[i]:
                row[:], own, begun[i] = 0.0, 0.0, 0.0
            else:
                lag[s - 1] = row[i]
            for j in range(len(row)):  # unlike an assignment of arrays, it compiles quickly
                covariance[i, j] = covariance[j, i] = row[j]
            covariance[i, i] = own
        end = first
    return variance, lag, relative, covariance


@njit(cache=True, nogil=True)
def _go_on(front, i, phi, q, rule):  # type: ignore[no-untyped-def]
    """Replace the state of mover i by its next one; write the ``rule`` and return the noise that restore it.

    No division by q, which may be 0.
    """
    whole = phi * phi + q * front[i, i]
    old = front[i].copy()
    for a in range(len(old)):
        if old[a] != 0.0:
            rule[a] = -q * old[a] / whole
    rule[i] = phi / whole
    for a in range(len(old)):
        if a != i and old[a] != 0.0:
            for b in range(len(old)):
                front[a, b] += rule[a] * old[b]
            front[a, i] = front[i, a] = phi * old[a] / whole
    front[i, i] = old[i] / whole
    return q / whole


@njit(cache=True, nogil=True)
def _add_game(g, entries, of_games, front):  # type: ignore[no-untyped-def]
    """Add the information of a game, with the curvature of its teams."""
    indptr, right, effects, mover, _ = entries
    _, slopes, weight, slope = of_games
    for e in range(indptr[g], indptr[g + 1]):
        for f in range(indptr[g], indptr[g + 1]):
            front[mover[e], mover[f]] += weight[g] * slopes[e] * slopes[f]
    if effects[g] - indptr[g] == 2:
        return
    for begin, end, push in ((indptr[g], right[g], -slope[g]), (right[g], effects[g], slope[g])):
        for e in range(begin, end):
            front[mover[e], mover[e]] += push * abs(slopes[e])
            for f in range(begin, end):
                front[mover[e], mover[f]] -= push * abs(slopes[e] * slopes[f])
