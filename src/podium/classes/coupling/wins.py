"""The most probable class of one-vs-one probabilities: the one with the most wins, without coupling.

If every two classes are compared once, with the same mass n, the gradient of eq. (7) of [GeneralizedBT] in
log p vanishes where, for every class s,

    Σ_{t≠s} r_st + μ = Σ_{t≠s} n p_s / (p_s + p_t) + μ k p_s.

With n/2 added, the sum on the right includes t = s. The right side is then the same increasing function of
p_s for all classes, so classes with more wins Σ r_st are more probable.
"""

import numpy as np
from numpy.typing import NDArray

from podium.classes.coupling.couple import Method, couple, masses
from podium.comparisons.arrays import Floats

# Solutions of `couple` have the wins of the row up to 1e-10 of its mass. If the two best classes are further
# apart than this, their order is certain.
CERTAIN = 1e-9


def most_probable(code: NDArray[np.int8], r: Floats, method: Method) -> NDArray[np.intp]:
    """The column with the largest probability that `couple` gives, one per row of r.

    Only rows whose two best classes have almost equally many wins are coupled.
    """
    if method not in ("generalized-bt", "pairwise") or not _round_robin(code):
        return np.asarray(np.argmax(couple(code, r, method=method), axis=1))
    r = np.asarray(r, dtype=np.float64)
    won, lost = masses(r, None, None, len(code))
    wins = won @ (code > 0).astype(np.float64) + lost @ (code < 0)
    best: NDArray[np.intp] = np.argmax(wins, axis=1)
    second, first = np.partition(wins, -2, axis=1)[:, -2:].T
    close = first - second <= CERTAIN * len(code)
    if close.any():
        best[close] = np.argmax(couple(code, r[close], method=method), axis=1)
    return best


def _round_robin(code: NDArray[np.int8]) -> bool:
    """Whether the problems are all pairs of classes, each once."""
    k = code.shape[1]
    sides = np.abs(code)
    return (
        len(code) == k * (k - 1) // 2
        and bool((sides.sum(axis=1) == 2).all())
        and len(np.unique(sides, axis=0)) == len(code)
    )
