"""Passes over rankings: sums of derivatives of the log-likelihood, stage by stage.

Without ties, a stage that chooses from A has the log-likelihood θ_winner - log Z, Z = Σ_A p, p = exp(θ).
The sets of a ranking shrink from the front, so Z is a sum over the rest of the ranking, and the sums of 1 / Z
over the stages so far give the derivatives of all of them: one pass back and one forth, with one division
per stage and no exponential.

With ties, Z = Σ_d δ_d e_d(p^(1/d)) over the sizes d that occur, where e_d sums the products of all subsets
of d items. Adding an item with the factor b turns e_j into e_j + b e_(j-1), so all e_j of all sets are found
from the back of the ranking to its front. Derivatives follow the same recursion from the front to the back
(``adjoint`` is the derivative of the sum of all log Z by each e_j). All terms are positive, so nothing
cancels. If skills span more than a float can hold, all numbers are relative to the best item that remains.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Index
from podium.core.links import WIDE
from podium.numerics.compiled import njit

# ------------------------------------------------------------------------------------ without ties


@njit(cache=True, nogil=True, error_model="numpy")
def plain_slope(indptr, entries, won, mass, p, longest, rows):  # type: ignore[no-untyped-def]
    """For each item the sums of 1 / Z and of 1 / Z² over the choices that it was in."""
    out = np.zeros((len(p), 2))
    total = np.empty(longest)
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        z = 0.0
        for e in range(end - 1, start - 1, -1):
            z += p[entries[e]]
            total[e - start] = z
        sum_1 = sum_2 = 0.0
        for e in range(start, end):
            if won[e]:
                inverse = 1.0 / total[e - start]
                sum_1 += mass[r] * inverse
                sum_2 += mass[r] * inverse * inverse
            i = entries[e]
            out[i, 0] += sum_1
            out[i, 1] += sum_2
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def plain_times(indptr, entries, won, mass, p, v, longest, rows):  # type: ignore[no-untyped-def]
    """The information times the columns of v, apart from the factor p of each row."""
    n_columns = v.shape[1]
    out = np.zeros_like(v)
    total, moved = np.empty(longest), np.empty((longest, n_columns))
    shift = np.empty(n_columns)
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        z = 0.0
        shift[:] = 0.0
        for e in range(end - 1, start - 1, -1):
            i = entries[e]
            z += p[i]
            total[e - start] = z
            for c in range(n_columns):
                shift[c] += p[i] * v[i, c]
                moved[e - start, c] = shift[c]
        shift[:] = 0.0
        sum_1 = 0.0
        for e in range(start, end):
            if won[e]:
                inverse = 1.0 / total[e - start]
                sum_1 += mass[r] * inverse
                for c in range(n_columns):
                    shift[c] += mass[r] * inverse * inverse * moved[e - start, c]
            i = entries[e]
            for c in range(n_columns):
                out[i, c] += sum_1 * v[i, c] - shift[c]
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def plain_products(indptr, entries, won, mass, p, longest, out, rows):  # type: ignore[no-untyped-def]
    """Add to out[i, j] the sum of p_i p_j / Z² over the choices with both i and j, for i != j."""
    total = np.empty(longest)
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        z = 0.0
        for e in range(end - 1, start - 1, -1):
            z += p[entries[e]]
            total[e - start] = z
        sum_2 = 0.0
        for e in range(start, end):
            if won[e]:
                sum_2 += mass[r] / (total[e - start] * total[e - start])
            factor = sum_2 * p[entries[e]]
            for f in range(e + 1, end):
                i, j = entries[e], entries[f]
                out[max(i, j), min(i, j)] += factor * p[entries[f]]


# ------------------------------------------------------------------------------------ with ties


def roots(theta: Floats, sizes: Index, wide: float = WIDE) -> tuple[Floats, Floats]:
    """Log-skills with maximum 0, and p^(1/d) of each item and size; no roots if skills are too far apart."""
    theta = theta - theta.max()
    if theta.min() < -wide:
        return theta, np.empty((0, len(sizes)))
    return theta, np.exp(theta[:, None] / sizes)


@njit(cache=True, nogil=True, error_model="numpy")
def room(longest, sizes):  # type: ignore[no-untyped-def]
    """Memory for one ranking: the sums e_j of the items after each entry, and of the items from it on."""
    width = sizes.sum() + len(sizes)
    before, row = np.empty((longest, width)), np.empty(width)
    return before, np.empty((longest, len(sizes))), np.empty((longest, len(sizes))), np.empty(longest), row


@njit(cache=True, nogil=True, error_model="numpy")
def _shrink(row, sizes, gap):  # type: ignore[no-untyped-def]
    """Multiply e_j by exp(j gap / d)."""
    at = 0
    for d in sizes:
        ratio, factor = np.exp(gap / d), 1.0
        for j in range(d + 1):
            row[at + j] *= factor
            factor *= ratio
        at += d + 1


@njit(cache=True, nogil=True, error_model="numpy")
def fill(skills, codes, sizes, space):  # type: ignore[no-untyped-def]
    """From the back of a ranking to its front: the sums e_j of the items that remain."""
    theta, root = skills
    before, whole, factors, tops, row = space
    row[:] = 0.0
    at = 0
    for d in sizes:
        row[at] = 1.0
        at += d + 1
    narrow = len(root) > 0
    top = 0.0 if narrow or len(codes) == 0 else theta[codes[-1]]
    for e in range(len(codes) - 1, -1, -1):
        own = theta[codes[e]]
        if own > top:
            _shrink(row, sizes, top - own)
            top = own
        tops[e] = top
        for c in range(len(row)):  # unlike an assignment of arrays, it compiles quickly
            before[e, c] = row[c]
        at = 0
        for s in range(len(sizes)):
            d = sizes[s]
            b = root[codes[e], s] if narrow else np.exp((own - top) / d)
            factors[e, s] = b
            for j in range(d, 0, -1):
                row[at + j] += b * row[at + j - 1]
            whole[e, s] = row[at + d]
            at += d + 1


@njit(cache=True, nogil=True, error_model="numpy")
def ranking_slope(won, mass, sizes, delta, space, out, tied):  # type: ignore[no-untyped-def]
    """The sum of log Z of a ranking; its derivatives by θ go to ``out``, those by log δ to ``tied``."""
    before, whole, factors, tops, adjoint = space
    value = 0.0
    adjoint[:] = 0.0
    tied[:] = 0.0
    for e in range(len(won)):
        if e > 0 and tops[e] < tops[e - 1]:
            _shrink(adjoint, sizes, tops[e] - tops[e - 1])
        if won[e]:
            z = 0.0
            for s in range(len(sizes)):
                z += delta[s] * whole[e, s]
            value += mass * (np.log(z) + tops[e])
            at = 0
            for s in range(len(sizes)):
                share = mass * delta[s] / z
                adjoint[at + sizes[s]] += share
                tied[s] += share * whole[e, s]
                at += sizes[s] + 1
        slope, at = 0.0, 0
        for s in range(len(sizes)):
            d, b, part = sizes[s], factors[e, s], 0.0
            for j in range(1, d + 1):
                part += adjoint[at + j] * before[e, at + j - 1]
                adjoint[at + j - 1] += b * adjoint[at + j]
            slope += b * part / d
            at += d + 1
        out[e] = slope
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def ranking_times(won, mass, sizes, delta, space, v, u, out, tied):  # type: ignore[no-untyped-def]
    """The second derivatives of the sum of log Z times (v, u); see `ranking_slope`.

    ``moved`` and ``change`` are the derivatives of e_j and of ``adjoint`` in the direction (v, u).
    """
    before, whole, factors, tops, _ = space
    n, width = len(won), before.shape[1]
    moved, moved_whole = np.zeros((n, width)), np.zeros((n, len(sizes)))
    row = np.zeros(width)
    for e in range(n - 1, -1, -1):
        if e + 1 < n and tops[e] > tops[e + 1]:
            _shrink(row, sizes, tops[e + 1] - tops[e])
        moved[e] = row
        at = 0
        for s in range(len(sizes)):
            d, b = sizes[s], factors[e, s]
            for j in range(d, 0, -1):
                row[at + j] += b * (row[at + j - 1] + v[e] / d * before[e, at + j - 1])
            moved_whole[e, s] = row[at + d]
            at += d + 1
    adjoint, change = np.zeros(width), np.zeros(width)
    tied[:] = 0.0
    for e in range(n):
        if e > 0 and tops[e] < tops[e - 1]:
            _shrink(adjoint, sizes, tops[e] - tops[e - 1])
            _shrink(change, sizes, tops[e] - tops[e - 1])
        if won[e]:
            z = dz = 0.0
            for s in range(len(sizes)):
                z += delta[s] * whole[e, s]
                dz += delta[s] * (moved_whole[e, s] + u[s] * whole[e, s])
            at = 0
            for s in range(len(sizes)):
                share = mass * delta[s] / z
                moved_share = share * (u[s] - dz / z)
                adjoint[at + sizes[s]] += share
                change[at + sizes[s]] += moved_share
                tied[s] += moved_share * whole[e, s] + share * moved_whole[e, s]
                at += sizes[s] + 1
        slope, at = 0.0, 0
        for s in range(len(sizes)):
            d, b, part = sizes[s], factors[e, s], 0.0
            for j in range(1, d + 1):
                k = at + j
                turned = change[k] + v[e] / d * adjoint[k]
                part += turned * before[e, k - 1] + adjoint[k] * moved[e, k - 1]
                change[k - 1] += b * turned
                adjoint[k - 1] += b * adjoint[k]
            slope += b * part / d
            at += d + 1
        out[e] = slope


@njit(cache=True, nogil=True, error_model="numpy")
def tied_slope(indptr, entries, won, mass, sizes, skills, delta, longest, each, rows):  # type: ignore[no-untyped-def]
    """The sum of log Z over all choices, and its derivatives by θ and log δ.

    ``each``, if given, receives the derivatives of every ranking by θ (one per entry) and by log δ.
    """
    space, out, tied = room(longest, sizes), np.empty(longest), np.empty(len(sizes))
    by_item, by_size, value = np.zeros(len(skills[0])), np.zeros(len(sizes)), 0.0
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        codes = entries[start:end]
        fill(skills, codes, sizes, space)
        value += ranking_slope(won[start:end], mass[r], sizes, delta, space, out, tied)
        for e in range(len(codes)):
            by_item[codes[e]] += out[e]
        by_size += tied
        if each is not None:
            each[0][start:end] = out[: len(codes)]
            each[1][r] = tied
    return value, by_item, by_size


@njit(cache=True, nogil=True, error_model="numpy")
def tied_times(indptr, entries, won, mass, sizes, skills, delta, v, u, longest, rows):  # type: ignore[no-untyped-def]
    """The information times the columns of (v, u)."""
    space, out, tied = room(longest, sizes), np.empty(longest), np.empty(len(sizes))
    along = np.empty(longest)
    by_item, by_size = np.zeros_like(v), np.zeros_like(u)
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        codes = entries[start:end]
        fill(skills, codes, sizes, space)
        for c in range(v.shape[1]):
            for e in range(len(codes)):
                along[e] = v[codes[e], c]
            ranking_times(won[start:end], mass[r], sizes, delta, space, along, u[:, c], out, tied)
            for e in range(len(codes)):
                by_item[codes[e], c] += out[e]
            by_size[:, c] += tied
    return by_item, by_size


@njit(cache=True, nogil=True, error_model="numpy")
def tied_products(indptr, entries, won, mass, sizes, skills, delta, longest, out, rows):  # type: ignore[no-untyped-def]
    """Add the information of all rankings to ``out``: items, then sizes; the lower triangle alone."""
    space, slope, tied = room(longest, sizes), np.empty(longest), np.empty(len(sizes))
    n, v, u = len(skills[0]), np.zeros(longest), np.zeros(len(sizes))
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        codes = entries[start:end]
        fill(skills, codes, sizes, space)
        for f in range(len(codes) + len(sizes)):
            if f < len(codes):
                v[f] = 1.0
            else:
                u[f - len(codes)] = 1.0
            ranking_times(won[start:end], mass[r], sizes, delta, space, v, u, slope, tied)
            v[:] = 0.0
            u[:] = 0.0
            at = codes[f] if f < len(codes) else n + f - len(codes)
            for e in range(len(codes)):
                if codes[e] <= at:
                    out[at, codes[e]] += slope[e]
            for s in range(len(sizes)):
                if n + s <= at:
                    out[at, n + s] += tied[s]
