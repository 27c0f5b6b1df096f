"""Coordinate descent in the dual of `fit`, for sparse features and hinges that are nearly all met.

With as many features as pairs, most pairs can be fitted exactly. Then the optimum has most pairs at the
corner of their hinge, where Newton's method creeps. Here, as in LIBLINEAR [Hsieh et al. 2008], a step
maximises the dual over the α of one pair, and keeps u = Σ α ỹ d up to date. It reads the features of two
items only. Every pass has a random order of its own: with the same order in every pass, 50,000 pairs had a
gap of 0.4 after 100 passes, instead of 0.001. For nearly separable pairs and a large C it is slow, and
``max_iter`` ends it.

Steps with one α cannot keep the balance Σ α ỹ = 0 that a free β requires. Instead, β stays near a centre b:
the penalty (β - b)² / 2s adds s to the curvature, and β = b + s Σ α ỹ. After every round of passes, β becomes
the new centre (method of multipliers), and the balance is reached in the limit. The certificate does not
depend on it, because it uses α that are scaled to be balanced.
"""

import numpy as np

from podium.comparers.primal.interior import FlippedRows
from podium.comparisons.arrays import Floats, Positions
from podium.numerics.compiled import njit
from podium.numerics.hinge import best_bias
from podium.numerics.result import Bounds
from podium.numerics.shifted_cholesky import TOO_LARGE

PASSES = 10  # in a round, which is one iteration: all pairs in the first, then those that moved in the last
RUN = 8  # neighbours that are visited together; one by one took 1.8 times as long, 128 1.4 times
GIVE = 0.03  # s, relative to the mean of d'd; with 0.001, the number of passes was the same
TINY = float(np.finfo(float).tiny)


def coordinate_descent(rows: FlippedRows, bounds: Bounds, rng: np.random.RandomState) -> None:
    """Take rounds of passes over the pairs until the duality gap of ``bounds`` is closed."""
    pairs, n = rows.pairs, len(rows.pairs)
    features = pairs.X.indptr, pairs.X.indices, pairs.X.data
    sides = pairs.upper, pairs.lower
    square = np.concatenate([D.multiply(D).sum(axis=1) for _, D in pairs.chunks(np.arange(n))])
    give = 0.0 if rows.fixed_bias else GIVE * (float(square.mean()) or 1.0)
    second = np.zeros(n, dtype=np.intp)
    second[rows.tied] = n + np.arange(len(rows.tied))
    u, alpha, bias = np.zeros(pairs.n_features), np.zeros(len(rows.cost)), 0.0
    while True:
        certify(rows, alpha, bounds)
        if bounds.done:
            return
        moved = np.ones(n, dtype=np.bool_)
        for _ in range(PASSES):
            order = _shuffled(np.flatnonzero(moved), rng)
            state = alpha, u, bias, moved
            bias = _pass(*features, *sides, order, second, square, give, rows.cost, *state)
        bias += give * float(alpha @ rows.label)


def certify(rows: FlippedRows, alpha: Floats, bounds: Bounds) -> None:
    """Add the value of (18) at the balanced α, and the objective at their u with the best β for it."""
    alpha = balanced(rows, alpha)
    u = rows.transpose_times(alpha)
    corners = 1.0 - rows.margins(u)
    bias = 0.0
    if not rows.fixed_bias:
        decisive_first = np.argsort(-rows.label, kind="stable")
        score = (rows.label * corners)[decisive_first]
        bias = best_bias(score, rows.cost[decisive_first], len(rows.pairs) - len(rows.tied))
    half_square = 0.5 * float(u @ u)
    primal = half_square + float(rows.cost @ np.maximum(corners - bias * rows.label, 0.0))
    if not np.isfinite(primal):
        raise ValueError(TOO_LARGE)
    dual = float(alpha.sum()) - half_square
    bounds.add(primal, dual, np.append(u, bias), coefficients=alpha * rows.label)


def balanced(rows: FlippedRows, alpha: Floats) -> Floats:
    """Scale down the α of the side with the larger sum, so that both sums are equal, unless β is fixed."""
    if rows.fixed_bias:
        return alpha
    above, below = float(alpha[rows.label > 0].sum()), float(alpha[rows.label < 0].sum())
    less = min(above, below)
    scale: Floats = np.where(rows.label > 0, less / max(above, TINY), less / max(below, TINY))
    return alpha * scale


def _shuffled(chosen: Positions, rng: np.random.RandomState) -> Positions:
    """The same pairs with short runs of neighbours in random order; where the runs begin is random too."""
    chosen = np.roll(chosen, rng.randint(RUN))
    end = len(chosen) // RUN * RUN
    return np.append(rng.permutation(chosen[:end].reshape(-1, RUN)).ravel(), chosen[end:])


@njit(cache=True, nogil=True)
def _pass(  # type: ignore[no-untyped-def]
    start, column, value, upper, lower, order, second, square, give, cost, alpha, u, bias, moved
):
    """Step once for every pair, which changes ``alpha`` and ``u``; returns β."""
    for i in order:
        score = _times(start, column, value, upper[i], u) - _times(start, column, value, lower[i], u)
        curvature = max(square[i] + give, TINY)
        k = second[i]
        if k == 0:  # decisive
            more = _room(alpha[i], (1.0 - bias - score) / curvature, cost[i])
            alpha[i] += more
            bias += give * more
            moved[i] = more != 0.0
        else:
            less = _room(alpha[i], (1.0 + bias + score) / curvature, cost[i])
            alpha[i] += less
            bias -= give * less
            score -= less * square[i]
            more = _room(alpha[k], (1.0 + bias - score) / curvature, cost[k])
            alpha[k] += more
            bias -= give * more
            moved[i] = less != 0.0 or more != 0.0
            more -= less
        if more != 0.0:
            _add(start, column, value, upper[i], more, u)
            _add(start, column, value, lower[i], -more, u)
    return bias


@njit(cache=True, nogil=True, inline="always")
def _room(alpha, change, cost):  # type: ignore[no-untyped-def]
    """The part of a change of α that keeps it between 0 and the cost."""
    return min(max(alpha + change, 0.0), cost) - alpha


@njit(cache=True, nogil=True, inline="always")
def _times(start, column, value, item, u):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(start[item], start[item + 1]):
        total += value[j] * u[column[j]]
    return total


@njit(cache=True, nogil=True, inline="always")
def _add(start, column, value, item, factor, u):  # type: ignore[no-untyped-def]
    for j in range(start[item], start[item + 1]):
        u[column[j]] += factor * value[j]
