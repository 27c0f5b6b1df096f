"""The two models of a tie, each as one compiled pass over the pairs that met.

Side i has the strength t_i², the left side's raised by bias². With x = t_right / t_left:

- Davidson: left wins, tie, right wins in the proportions 1 : ν x : x². Without ties (ν = 0) this is the model
  of Bradley and Terry, eq. (2) of [GeneralizedBT].
- Rao and Kupper: left wins with 1 / (1 + κ x²), right with x² / (x² + κ), κ >= 1; else a tie.

No exponential for a pair and no branch: where an argument is None the compiler leaves its branches out. (If
the strengths span more than a number can, ``state`` has log t, and ``logs`` is given.) A pass is bound by
memory: t, the expected score and the curvature of a side are three numbers in a row of ``state``, and a pair
touches one row at random.
"""

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from podium.bradley_terry.counts import PairCounts
from podium.numerics.threads import over_rows

Floats = NDArray[np.float64]

T, EXPECTED, CURVATURE = 0, 1, 2  # the columns of state
LARGEST = 1e75  # x beyond this is cut: its fourth power is still a number, the probabilities are 0 and 1


def shared_pass(
    one_pass: Callable[..., tuple[float, ...]],
    counts: PairCounts,
    state: Floats,
    bias: float,
    tie: float | None,
    pair_terms: Floats | None,
    logs: bool | None,
) -> tuple[float, ...]:
    """One of the passes below over all pairs, by several threads if there are many pairs."""
    columns = (counts.indptr, counts.partner, counts.total, counts.ties, counts.margin)

    def part(start: int, end: int) -> tuple[Floats, tuple[float, ...]]:
        own = state
        if end - start < counts.n_sides:  # others write at the same time, to all columns but that of t
            own = np.zeros_like(state)
            own[:, T] = state[:, T]
        return own, one_pass(*columns, own, bias, tie, pair_terms, (start, end), logs)

    states, sums = zip(*over_rows(counts.indptr, part), strict=True)
    for own in states:
        if own is not state:
            state[:, EXPECTED:] += own[:, EXPECTED:]
    return tuple(map(sum, zip(*sums, strict=True)))


@njit(cache=True, nogil=True, error_model="numpy")
def davidson_pass(indptr, partner, total, ties, margin, state, bias, nu, pair_terms, rows, logs):  # type: ignore[no-untyped-def]
    """Add up the expected scores and curvatures of all sides in ``state``, over the given rows of pairs.

    Returns the expected score of the left sides, the expected ties, and the curvatures in log ν and in the
    order effect. ``pair_terms``, if given, takes for every pair the second derivatives by the difference and
    by the difference and log ν. Without ties ``nu`` is None.
    """
    expected_left = expected_ties = tie_curvature = order_curvature = 0.0
    for i in range(rows[0], rows[1]):
        own = 1.0 / (state[i, T] * bias) if logs is None else state[i, T] + np.log(bias)
        score = curvature = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            n = total[e]
            ratio = state[j, T] * own if logs is None else np.exp(state[j, T] - own)
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
        state[i, EXPECTED] += score
        state[i, CURVATURE] += curvature
        expected_left += score
        order_curvature += curvature
    return expected_left, expected_ties, tie_curvature, order_curvature


@njit(cache=True, nogil=True, error_model="numpy")
def rao_kupper_pass(indptr, partner, total, ties, margin, state, bias, eta, pair_terms, rows, logs):  # type: ignore[no-untyped-def]
    """As `davidson_pass`, for log κ = ``eta``; a tie counts as a win of both sides.

    In the place of the expected ties stands what the gradient in log κ has beside those seen times
    2 κ² / (κ² - 1).
    """
    expected_left = tie_part = tie_curvature = order_curvature = all_ties = 0.0
    kappa = np.exp(eta)
    for i in range(rows[0], rows[1]):
        own = 1.0 / (state[i, T] * bias) if logs is None else state[i, T] + np.log(bias)
        score = curvature = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            right_or_tie = 0.5 * (total[e] + ties[e] + margin[e])
            left_or_tie = 0.5 * (total[e] + ties[e] - margin[e])
            ratio = state[j, T] * own if logs is None else np.exp(state[j, T] - own)
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
        state[i, EXPECTED] += score
        state[i, CURVATURE] += curvature
        expected_left += score
        order_curvature += curvature
    if all_ties > 0.0:
        tie_curvature += all_ties * 4.0 * kappa**2 / (kappa**2 - 1.0) ** 2
    return expected_left, tie_part, tie_curvature, order_curvature
