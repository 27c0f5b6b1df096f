"""Passes over the counted pairs: expected scores, and the slopes and curvatures of the likelihood.

Side i has the strength t_i², multiplied by bias² on the left. With x = t_right / t_left:

- Davidson: left wins, tie, right wins in the proportions 1 : ν x : x². Without ties (ν = 0) this is the model
  of Bradley and Terry, eq. (2) of [GeneralizedBT].
- Rao and Kupper: left wins with probability 1 / (1 + κ x²), right with x² / (x² + κ), κ >= 1; else a tie.

A pass over the pairs needs no exponential and no branch per pair: if an argument is None, the compiler
drops the branches that use it. (If the strengths span more than a float can hold, ``state`` has log t and
``logs`` is True.) A pass is bound by memory, so t, the expected score and the curvature of a side are
stored together, in one row of ``state``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from podium.bradley_terry.counts.by_side import GamesBySide
from podium.bradley_terry.counts.pairs import PairCounts
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.threads import over_rows

# These keep numbers finite.
LARGEST = 1e75  # larger ratios x are cut here: x⁴ is still finite, and the probabilities are 0 and 1
SMALLEST = 1e-150  # t² is still a normal number
LONGEST = 80.0  # the offset of a difference by its effects is cut at twice this
T, EXPECTED, CURVATURE = 0, 1, 2  # the columns of state


def shared_pass(
    one_pass: Callable[..., tuple[Any, ...]],
    counts: PairCounts,
    state: Floats,
    bias: float,
    tie: float | None,
    pair_terms: Floats | None,
    logs: bool | None,
    effects: tuple[Floats, Floats] | None = None,
) -> tuple[Any, ...]:
    """Run one of the passes below over all pairs, with several threads if there are many."""
    plain = one_pass is davidson_pass and pair_terms is None and logs is None
    if plain and counts.unmerged is not None and state[:, T].min(initial=1.0) > SMALLEST:
        return _pass_over_games(counts.unmerged, state, tie)
    columns = (counts.indptr, counts.partner, counts.total, counts.ties, counts.margin)

    def part(start: int, end: int) -> tuple[Floats, tuple[Any, ...]]:
        own = state
        if start > 0:  # other threads write at the same time, except to t
            own = np.zeros_like(state)
            own[:, T] = state[:, T]
        return own, one_pass(*columns, own, bias, tie, pair_terms, (start, end), logs, effects)

    states, sums = zip(*over_rows(counts.indptr, part), strict=True)
    for own in states:
        if own is not state:
            state[:, EXPECTED:] += own[:, EXPECTED:]
    return tuple(map(sum, zip(*sums, strict=True)))


def _pass_over_games(games: GamesBySide, state: Floats, tie: float | None) -> tuple[Any, ...]:
    """`davidson_pass` over games that are not merged to pairs, where no side has an advantage."""
    columns = (games.start, games.packed, np.ascontiguousarray(state[:, T]), state, tie)
    sums = over_rows(games.start, lambda start, end: games_pass(*columns, start, end))
    ties, tie_curvature = np.sum(sums, axis=0) / 2  # both sides of a game add them
    return 0.0, ties, tie_curvature, 0.0, np.zeros((0, 2))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def games_pass(start, packed, t, state, nu, first, last):  # type: ignore[no-untyped-def]
    """Fill the expected scores and curvatures of some sides; returns their expected ties and tie curvature.

    A side only adds up numbers of its own games. The additions may change places, so that the processor can
    do several at once.
    """
    expected_ties = tie_curvature = 0.0
    for i in range(first, last):
        own = t[i]
        wins = ties = curvature = squared_ties = 0.0
        for at in range(start[i], start[i + 1]):
            other = t[packed[at] >> 2]
            if nu is None:
                win = own * own / (own * own + other * other)
                curvature += win * (1.0 - win)
            else:
                z = 1.0 / (own * own + nu * own * other + other * other)
                win, tie = own * own * z, nu * own * other * z
                curvature += win * (1.0 - win - tie)
                ties += tie
                squared_ties += tie * tie
            wins += win
        state[i, EXPECTED] = wins + 0.5 * ties
        state[i, CURVATURE] = curvature + 0.25 * (ties - squared_ties)
        expected_ties += ties
        tie_curvature += ties - squared_ties
    return expected_ties, tie_curvature


@njit(cache=True, nogil=True, error_model="numpy")
def davidson_pass(indptr, partner, total, ties, margin, state, bias, nu, pair_terms, rows, logs, effects):  # type: ignore[no-untyped-def]
    """Add the expected scores and curvatures of the pairs in the given rows to ``state``.

    Returns the expected score of the left sides, the expected ties, and the curvatures by log ν and by the
    order effect. ``pair_terms``, if given, is filled with the second derivatives of every pair: by the
    difference, and by the difference and log ν. With ``effects``, a design e and half the effects g, x is
    multiplied by exp(e·g / 2), and the slopes and curvatures by the effects are also returned. Without ties
    ``nu`` is None.
    """
    expected_left = expected_ties = tie_curvature = order_curvature = 0.0
    by_effects = np.zeros((0 if effects is None else len(effects[1]), 2))
    for i in range(rows[0], rows[1]):
        own = 1.0 / (state[i, T] * bias) if logs is None else state[i, T] + np.log(bias)
        score = curvature = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            n = total[e]
            ratio = state[j, T] * own if logs is None else np.exp(state[j, T] - own)
            if effects is not None:
                offset = 0.0
                for c in range(len(effects[1])):
                    offset += effects[0][e, c] * effects[1][c]
                ratio *= np.exp(min(max(offset, -LONGEST), LONGEST))
            x = min(ratio, LARGEST)
            square = x * x
            if nu is None:
                z = 1.0 / (1.0 + square)
                left = n * z
                bend = left * square * z
            else:
                z = 1.0 / (1.0 + square + nu * x)
                left = n * (1.0 + 0.5 * nu * x) * z
                bend = n * (square + 0.25 * nu * x * (1.0 + square)) * z * z
                tie = n * nu * x * z
                expected_ties += tie
                tie_curvature += tie * (1.0 + square) * z
                if pair_terms is not None:
                    pair_terms[e, 1] = 0.5 * tie * (1.0 - square) * z
            score += left
            curvature += bend
            state[j, EXPECTED] += n - left
            state[j, CURVATURE] += bend
            if pair_terms is not None:
                pair_terms[e, 0] = bend
            if effects is not None:
                slope = 0.5 * (n - margin[e]) - left
                for c in range(len(effects[1])):
                    value = effects[0][e, c]
                    by_effects[c, 0] += slope * value
                    by_effects[c, 1] += bend * value * value
        state[i, EXPECTED] += score
        state[i, CURVATURE] += curvature
        expected_left += score
        order_curvature += curvature
    return expected_left, expected_ties, tie_curvature, order_curvature, by_effects


@njit(cache=True, nogil=True, error_model="numpy")
def rao_kupper_pass(indptr, partner, total, ties, margin, state, bias, eta, pair_terms, rows, logs, effects):  # type: ignore[no-untyped-def]
    """Like `davidson_pass`, for log κ = ``eta``; a tie counts as a win of both sides.

    The second number returned is not the expected ties but the gradient by log κ without its term for the
    observed ties, 2 κ² / (κ² - 1) each.
    """
    expected_left = tie_part = tie_curvature = order_curvature = all_ties = 0.0
    by_effects = np.zeros((0 if effects is None else len(effects[1]), 2))
    kappa = np.exp(eta)
    for i in range(rows[0], rows[1]):
        own = 1.0 / (state[i, T] * bias) if logs is None else state[i, T] + np.log(bias)
        score = curvature = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            right_or_tie = 0.5 * (total[e] + ties[e] + margin[e])
            left_or_tie = 0.5 * (total[e] + ties[e] - margin[e])
            ratio = state[j, T] * own if logs is None else np.exp(state[j, T] - own)
            if effects is not None:
                offset = 0.0
                for c in range(len(effects[1])):
                    offset += effects[0][e, c] * effects[1][c]
                ratio *= np.exp(min(max(offset, -LONGEST), LONGEST))
            x = min(ratio, LARGEST)
            square = x * x
            not_right, not_left = kappa / (square + kappa), kappa * square / (1.0 + kappa * square)
            a, b = right_or_tie * not_right, left_or_tie * not_left
            bend_a, bend_b = a * (1.0 - not_right), b * (1.0 - not_left)
            score += left_or_tie - b + a
            state[j, EXPECTED] += right_or_tie - a + b
            curvature += bend_a + bend_b
            state[j, CURVATURE] += bend_a + bend_b
            tie_part += a + b
            tie_curvature += bend_a + bend_b
            all_ties += ties[e]
            if pair_terms is not None:
                pair_terms[e, 0] = bend_a + bend_b
                pair_terms[e, 1] = bend_b - bend_a
            if effects is not None:
                for c in range(len(effects[1])):
                    value = effects[0][e, c]
                    by_effects[c, 0] += (b - a) * value
                    by_effects[c, 1] += (bend_a + bend_b) * value * value
        state[i, EXPECTED] += score
        state[i, CURVATURE] += curvature
        expected_left += score
        order_curvature += curvature
    if all_ties > 0.0:
        tie_curvature += all_ties * 4.0 * kappa**2 / (kappa**2 - 1.0) ** 2
    return expected_left, tie_part, tie_curvature, order_curvature, by_effects
