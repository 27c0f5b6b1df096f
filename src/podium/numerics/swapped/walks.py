"""The loops of `counts`: merge sorted blocks, and find the violated pairs when two blocks meet.

Each merge of a level is given by ``low``, ``middle`` and ``high``: the items from low to middle should be
below the items from middle to high. All data of an item moves along with its score, so that memory is read
and written in sequence.
"""

from podium.numerics.compiled import njit

FEW = 16  # pairs in a window up to which they are added one by one, which loses no digits


@njit(cache=True, nogil=True)
def distribute(by_score, run_of, cursor, out):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Distribute items that are sorted by score to their runs (or groups), keeping their order."""
    for k in range(by_score.shape[0]):
        i = by_score[k]
        run = run_of[i]
        out[cursor[run]] = i
        cursor[run] += 1
    return out


@njit(cache=True, nogil=True)
def weigh_pairs(run, group):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The total weight of all pairs: for every run, its weight times that of the lower runs of its group.

    Nothing is subtracted, so no digits are lost next to a heavy group or label.
    """
    total = below = 0.0
    for r in range(run.shape[0]):
        if r > 0 and group[r] != group[r - 1]:
            below = 0.0
        total += run[r] * below
        below += run[r]
    return total


# Columns of the rows that move along with the scores: the item, its weight, and its counts so far.
ITEM, WEIGHT, BELOW, ABOVE = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def merge(low, middle, high, s, rows, to_s, to_rows):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Merge neighbouring sorted blocks, without a branch that the processor would have to predict."""
    for b in range(low.shape[0]):
        i, j, k = low[b], middle[b], low[b]
        while i < middle[b] and j < high[b]:
            first = s[i] <= s[j]
            source = i if first else j
            to_s[k] = s[source]
            for c in range(4):
                to_rows[k, c] = rows[source, c]
            i += first
            j += not first
            k += 1
        while i < middle[b]:
            to_s[k] = s[i]
            for c in range(4):
                to_rows[k, c] = rows[i, c]
            i += 1
            k += 1
        s[low[b] : k], rows[low[b] : k] = to_s[low[b] : k], to_rows[low[b] : k]  # the rest is in place


@njit(cache=True, nogil=True)
def _meet(low, middle, high, s, margin, place):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Find the violated pairs in one walk.

    An upper item i forms violated pairs with the lower items from place[i] to the middle, a lower item j with
    the upper items from the middle to place[j].
    """
    j, i = low, middle
    while i < high and j < middle:
        far = s[i] - s[j] > margin
        place[i], place[j] = j, i  # overwritten until i or j moves on; the last value is right
        j += far
        i += not far
    while i < high:
        place[i] = middle
        i += 1
    while j < middle:
        place[j] = high
        j += 1


@njit(cache=True, nogil=True)
def count(low, middle, high, s, rows, margin, width, places, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add the violated pairs between the two halves of every merge to the counts; return their loss."""
    loss = 0.0
    near, far = margin - width, margin + width
    hinge, full, window = places
    W, S = sums
    for b in range(low.shape[0]):
        a, m, z = low[b], middle[b], high[b]
        w_sum = s_sum = 0.0
        W[a] = S[a] = 0.0
        for k in range(a, z):
            w_sum += rows[k, WEIGHT]
            s_sum += rows[k, WEIGHT] * s[k]
            W[k + 1], S[k + 1] = w_sum, s_sum
        _meet(a, m, z, s, margin, hinge)
        for k in range(m, z):
            p = hinge[k]
            loss += rows[k, WEIGHT] * ((W[m] - W[p]) * (margin - s[k]) + S[m] - S[p])
        _meet(a, m, z, s, near, full)
        _meet(a, m, z, s, far, window)
        for k in range(a, m):
            inside = _inside(full[k], window[k], far + s[k], -1.0, s, rows, W, S)
            rows[k, ABOVE] += W[full[k]] - W[m] + inside / (2.0 * width)
        for k in range(m, z):
            inside = _inside(window[k], full[k], far - s[k], 1.0, s, rows, W, S)
            rows[k, BELOW] += W[m] - W[full[k]] + inside / (2.0 * width)
    return loss


@njit(cache=True, nogil=True)
def _inside(first, last, shift, sign, s, rows, W, S):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Σ ω (shift + sign s) over a window: of few items one by one, since differences of sums lose digits."""
    if last - first > FEW:
        return (W[last] - W[first]) * shift + sign * (S[last] - S[first])
    total = 0.0
    for p in range(first, last):
        total += rows[p, WEIGHT] * (shift + sign * s[p])
    return total


@njit(cache=True, nogil=True)
def spread(low, middle, high, s, rows, margin, width, places, sums, Q, out):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add ω_i (Σ ω_j Q_i - Σ ω_j Q_j) over the partners j in the window, from running sums."""
    full, window = places
    d = Q.shape[1]
    for b in range(low.shape[0]):
        _meet(low[b], middle[b], high[b], s, margin - width, full)
        _meet(low[b], middle[b], high[b], s, margin + width, window)
        sums[low[b]] = 0.0
        for k in range(low[b], high[b]):
            i, w = int(rows[k, ITEM]), rows[k, WEIGHT]
            for c in range(d):
                sums[k + 1, c] = sums[k, c] + w * Q[i, c]
            sums[k + 1, d] = sums[k, d] + w
        for k in range(low[b], high[b]):
            first, last = min(full[k], window[k]), max(full[k], window[k])
            if first < last:
                i, w = int(rows[k, ITEM]), rows[k, WEIGHT]
                total = sums[last, d] - sums[first, d]
                for c in range(d):
                    out[i, c] += w * (total * Q[i, c] - sums[last, c] + sums[first, c])
