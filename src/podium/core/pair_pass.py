"""One pass over counted pairs: expected scores, and the gradient and curvatures of the likelihood.

Side i has the strength t_i², multiplied by bias² on the left, so a pair has x = t_right / (t_left · bias) in
the words of `links`. A pass needs no exponential and is bound by memory, so t, the expected score and the
curvature of a side are stored together, in one row of ``state``. What only some models need per pair is an
array that may be empty.

There are two specialisations: with a tie parameter, and without (None).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.core.links import FURTHEST, derivatives
from podium.numerics.compiled import njit
from podium.numerics.threads import SHARED_PAIRS, over_rows

LARGEST = float(np.exp(FURTHEST))  # larger ratios x are cut here
T, EXPECTED, CURVATURE = 0, 1, 2  # the columns of state
SCORE, PAIR_CURVATURE, CROSS = 0, 1, 2  # the rows of terms


class Pairs(NamedTuple):
    """Distinct pairs in compressed rows: side i met ``partner[indptr[i]:indptr[i + 1]]``.

    For each pair: the number of games (``total``), the number of ``ties``, and the wins of the partner minus
    the wins of side i (``margin``).
    """

    indptr: NDArray[np.int64]
    partner: NDArray[np.int32]
    total: Floats
    ties: Floats
    margin: Floats


class Sums(NamedTuple):
    """Over all pairs: the expected score of the left sides, and the gradient and curvatures of the loss."""

    left: float
    tie_score: float
    tie_curvature: float
    order_curvature: float


def pair_sums(
    pairs: Pairs,
    state: Floats,
    tie: float | None,
    *,
    rao_kupper: bool = False,
    bias: float = 1.0,
    factor: Floats | None = None,
    terms: Floats | None = None,
    shared_pairs: int = SHARED_PAIRS,
) -> Sums:
    """Run `pair_pass` over all pairs, with several threads if there are many.

    ``factor`` multiplies the x of every pair. ``terms``, if given, is filled: the expected score of the left
    side of every pair, the curvature, and the mixed derivative by the tie parameter.
    """
    factor = np.zeros(0) if factor is None else factor
    terms = no_terms(0) if terms is None else terms

    def part(start: int, end: int) -> tuple[Floats, tuple[float, ...]]:
        own = state
        if start > 0:  # other threads write at the same time, except to t
            own = np.zeros_like(state)
            own[:, T] = state[:, T]
        return own, pair_pass(pairs, own, tie, rao_kupper, bias, factor, terms, start, end)

    states, sums = zip(*over_rows(pairs.indptr, part, shared_pairs), strict=True)
    for own in states:
        if own is not state:
            state[:, EXPECTED:] += own[:, EXPECTED:]
    return Sums(*map(sum, zip(*sums, strict=True)))


def no_terms(n: int) -> Floats:
    """Memory for the terms of n pairs."""
    return np.empty((3, n))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def pair_pass(pairs, state, tie, rao_kupper, bias, factor, terms, first, last):  # type: ignore[no-untyped-def]
    """Add the expected scores and curvatures of the pairs of some sides to ``state``; returns `Sums`."""
    indptr, partner, total, ties, margin = pairs
    all_left = tie_score = tie_curvature = order_curvature = 0.0
    for i in range(first, last):
        own = 1.0 / (state[i, T] * bias)
        score = curvature = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j, n = partner[e], total[e]
            x = state[j, T] * own
            if len(factor) > 0:
                x *= factor[e]
            left, pair_curvature, pair_tie_score, pair_tie_curvature, cross = derivatives(
                min(x, LARGEST), n, ties[e], margin[e], tie, rao_kupper
            )
            score += left
            curvature += pair_curvature
            state[j, EXPECTED] += (n + ties[e] if rao_kupper else n) - left  # a tie is a win of both
            state[j, CURVATURE] += pair_curvature
            tie_score += pair_tie_score
            tie_curvature += pair_tie_curvature
            if terms.shape[1] > 0:
                terms[SCORE, e], terms[PAIR_CURVATURE, e], terms[CROSS, e] = left, pair_curvature, cross
        state[i, EXPECTED] += score
        state[i, CURVATURE] += curvature
        all_left += score
        order_curvature += curvature
    return all_left, tie_score, tie_curvature, order_curvature
