"""The pairs of few items, formed one by one, with a share of the hinge for each.

The passes of `counts` need no pairs, because the slope of a hinge depends only on the scores. Here it also
depends on the share p of the pair:

    a(t) = p + t / 2δ, but at least 0 and at most 1,

where t = margin - (s_i - s_j) is the violation of the pair. With p = ½ for all pairs, this is the rounded
hinge of `counts`. Items are sorted by group and label, so the partners of an item, the items of its group
with a lower label, are neighbours: those from ``first`` up to ``end``.
"""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.swapped.counts import OrderedItems, Violations


class FormedPairs:
    """All pairs of the items and their shares, which are equal at first."""

    def __init__(self, items: OrderedItems, share: float) -> None:
        self.order, self.weight = items.order, items.weight[items.order]
        size, run = np.diff(items.start), np.arange(len(items.group))
        new = np.append(True, items.group[1:] != items.group[:-1])
        self.first = np.repeat(items.start[np.maximum.accumulate(np.where(new, run, 0))], size)
        self.end = np.repeat(items.start[:-1], size)
        self.share = np.full(int((self.end - self.first).sum()), share)

    def violations(self, score: Floats, margin: float, width: float) -> Violations:
        below, above = np.empty((2, len(score)))
        sums = _counted(score[self.order], self.weight, self.first, self.end, margin, width, self.share)
        below[self.order], above[self.order], loss = sums
        return Violations(below, above, float(loss))

    def settle(self, score: Floats, margin: float, width: float) -> None:
        """Take the slopes at these scores as the new shares."""
        _settle(score[self.order], self.first, self.end, margin, width, self.share)

    def add_laplacian(self, score: Floats, margin: float, width: float, scale: float, M: Floats) -> None:
        """Add ``scale`` Σ ω_i ω_j (e_i - e_j)(e_i - e_j)' over the pairs with a share between 0 and 1.

        Rows and columns of M are items in their sorted ``order``; only its lower half is changed.
        """
        s, weight = score[self.order], self.weight
        _add_laplacian(s, weight, self.first, self.end, margin, width, self.share, scale, M)


@njit(cache=True, nogil=True, inline="always")
def _slope(share, t, width):  # type: ignore[no-untyped-def]  # pragma: no cover
    return min(max(share + t / (2.0 * width), 0.0), 1.0)


@njit(cache=True, nogil=True)
def _counted(s, weight, first, end, margin, width, share):  # type: ignore[no-untyped-def]  # pragma: no cover
    n = s.shape[0]
    below, above, loss, k = np.zeros(n), np.zeros(n), 0.0, 0
    for i in range(n):
        own = 0.0
        for j in range(first[i], end[i]):
            t = margin - (s[i] - s[j])
            a = _slope(share[k], t, width)
            below[i] += weight[j] * a
            above[j] += weight[i] * a
            own += weight[j] * max(t, 0.0)
            k += 1
        loss += weight[i] * own
    return below, above, loss


@njit(cache=True, nogil=True)
def _settle(s, first, end, margin, width, share):  # type: ignore[no-untyped-def]  # pragma: no cover
    k = 0
    for i in range(s.shape[0]):
        for j in range(first[i], end[i]):
            share[k] = _slope(share[k], margin - (s[i] - s[j]), width)
            k += 1


@njit(cache=True, nogil=True)
def _add_laplacian(s, weight, first, end, margin, width, share, scale, M):  # type: ignore[no-untyped-def]  # pragma: no cover
    k = 0
    for i in range(s.shape[0]):
        for j in range(first[i], end[i]):
            a = _slope(share[k], margin - (s[i] - s[j]), width)
            if 0.0 < a < 1.0:
                both = scale * weight[i] * weight[j]
                M[i, j] -= both
                M[i, i] += both
                M[j, j] += both
            k += 1
