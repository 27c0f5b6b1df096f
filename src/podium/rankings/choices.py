"""Random choices from the model."""

from typing import Any

import numpy as np

from podium.comparisons.arrays import Codes, Floats, Index
from podium.numerics.compiled import njit
from podium.rankings.passes import fill, room, roots

CHUNK = 2**20  # uniform random numbers in memory at once, for each of the draws that are solved together


def random_rankings(
    theta: Floats, sizes: Index, delta: Floats, indptr: Index, entries: Codes, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """Rank each set at random; the entries, best first, and their levels."""
    uniform = rng.random(len(entries))
    longest = int(np.diff(indptr).max(initial=1))
    found = _random_rankings(roots(theta, sizes), sizes, delta, indptr, entries, uniform, longest)
    return found[0], found[1]


def random_scores(ballots: Any, x: Floats, n: int, rng: np.random.Generator) -> Floats:
    """What random choices at all stages add to the gradient, in n draws: one column each, not centred."""
    b, k = ballots, ballots.n_items
    out = np.zeros((k + len(b.sizes), n))
    skills, delta = roots(x[:k], b.sizes), np.exp(np.append(0.0, x[k:]))
    begin = 0
    while begin < len(b):
        end = max(int(np.searchsorted(b.indptr, b.indptr[begin] + CHUNK, side="right")) - 1, begin + 1)
        uniform = rng.random((b.indptr[end] - b.indptr[begin], n), dtype=np.float32)
        rankings = (b.indptr, b.entries, b.won, b.mass)
        if b.has_ties:
            _random_scores(*rankings, b.sizes, skills, delta, uniform, b.longest, out, (begin, end))
        else:  # this takes a fifth of the time
            _plain_scores(*rankings, np.exp(skills[0]), uniform, b.longest, out, (begin, end))
        begin = end
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def _choose(space, first, n, sizes, delta, u, picked):  # type: ignore[no-untyped-def]
    """Choose among the items from ``first`` to ``n`` by one uniform number; fill ``picked``, return the size.

    After the size, each item in turn is in or out, given how many are still to be chosen.
    """
    before, whole, factors, _, _ = space
    z = 0.0
    for s in range(len(sizes)):
        z += delta[s] * whole[first, s]
    at, chosen = 0, 0
    for s in range(len(sizes)):
        share = delta[s] * whole[first, s] / z
        chosen = s
        if u < share or s == len(sizes) - 1:
            u = min(u / share, 1.0) if share > 0.0 else 0.0
            break
        u -= share
        at += sizes[s] + 1
    while chosen > 0 and sizes[chosen] > n - first:  # by rounding
        chosen -= 1
        at -= sizes[chosen] + 1
    left, found = sizes[chosen], 0
    for e in range(first, n):
        if left == 0:
            break
        inside = factors[e, chosen] * before[e, at + left - 1]
        share = inside / (inside + before[e, at + left])
        if n - e == left or u < share:
            picked[found] = e
            found += 1
            left -= 1
            u = u / share
        else:
            u = (u - share) / (1.0 - share)
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _random_rankings(skills, sizes, delta, indptr, entries, uniform, longest):  # type: ignore[no-untyped-def]
    space, picked = room(longest, sizes), np.empty(longest, np.int64)
    out, level = entries.copy(), np.empty(len(entries), np.int32)
    for r in range(len(indptr) - 1):
        start, end = indptr[r], indptr[r + 1]
        place = 0
        while start < end:
            remain = out[start:end]
            fill(skills, remain, sizes, space)
            n = _choose(space, 0, end - start, sizes, delta, uniform[start], picked)
            for c in range(n):  # the chosen ones move to the front
                chosen = remain[picked[c]]
                for e in range(picked[c], c, -1):
                    remain[e] = remain[e - 1]
                remain[c] = chosen
                level[start + c] = place
            start += n
            place += 1
    return out, level


@njit(cache=True, nogil=True, error_model="numpy")
def _plain_scores(indptr, entries, won, mass, p, uniform, longest, out, rows):  # type: ignore[no-untyped-def]
    """Add √mass to the row of the winner of every stage."""
    total, offset = np.empty(longest + 1), indptr[rows[0]]
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        total[end - start] = 0.0
        for e in range(end - 1, start - 1, -1):
            total[e - start] = total[e - start + 1] + p[entries[e]]
        root = np.sqrt(mass[r])
        for e in range(start, end):
            if won[e]:
                for c in range(out.shape[1]):
                    left, f = uniform[e - offset, c] * total[e - start], e
                    while left < total[f - start + 1]:
                        f += 1
                    out[entries[f], c] += root


@njit(cache=True, nogil=True, error_model="numpy")
def _random_scores(indptr, entries, won, mass, sizes, skills, delta, uniform, longest, out, rows):  # type: ignore[no-untyped-def]
    """Add √mass / d to the rows of the d winners of every stage, and √mass to that of the size d."""
    space, picked = room(longest, sizes), np.empty(longest, np.int64)
    k, offset = len(skills[0]), indptr[rows[0]]
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        fill(skills, entries[start:end], sizes, space)
        root = np.sqrt(mass[r])
        for e in range(start, end):
            if won[e]:
                for c in range(out.shape[1]):
                    n = _choose(space, e - start, end - start, sizes, delta, uniform[e - offset, c], picked)
                    for f in range(n):
                        out[entries[start + picked[f]], c] += root / n
                    for s in range(len(sizes)):
                        out[k + s, c] += root * (sizes[s] == n)
