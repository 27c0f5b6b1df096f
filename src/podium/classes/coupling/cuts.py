"""Newton's step for pairs whose r is near 0 or 1, from the logarithms of balances; see `newton`.

Sort the classes by p. At the optimum, for every cut between the more and the less probable classes, the two
parts of the gradient summed over the classes above the cut are in balance,

    up = Σ r_ts p_s / (p_s + p_t) + prior   and   down = Σ r_st p_t / (p_s + p_t),   s above, t below the cut.

If up is tiny, down falls like exp(-gap) in the gap of log p, and Newton's method on up = down widens the gap
by only 1 per step. On log up = log down it is there in one step, exactly if the cut has one pair. So the
gradient up - down of each cut is replaced by its curvature times log(up / down), which agrees to second order
at the optimum, and the matrix of Newton's method is kept.

That needs classes that all depend on their neighbours in the order of p. If pairs are missing, or some weigh
1,000 times as much as others, a cut mixes classes that have little to do with each other, and the steps may
go astray: `alike` excludes such rows.
"""

import numpy as np

from podium.classes.coupling.derivatives import PRIOR
from podium.classes.coupling.small_cholesky import solve
from podium.numerics.compiled import njit

ALIKE = 0.1  # the smallest mass of a pair, relative to the largest


@njit(cache=True, nogil=True, error_model="numpy")
def alike(won, lost, k):  # type: ignore[no-untyped-def]
    """Whether the row has a problem for every two of the k classes, all with similar masses."""
    least, most = np.inf, 0.0
    for i in range(len(won)):
        least, most = min(least, won[i] + lost[i]), max(most, won[i] + lost[i])
    return len(won) == k * (k - 1) // 2 and least >= ALIKE * most


@njit(cache=True, nogil=True, error_model="numpy")
def step_over_cuts(member, won, lost, x, mass, U, order, flow, information, cuts, u):  # type: ignore[no-untyped-def]
    """Write the step, which is subtracted from log p, to u; U is the factor of Newton's matrix.

    ``order``, ``flow``, ``information`` and ``cuts`` are memory for k, k × k, k × k and 3 × k numbers.
    """
    k = len(x)
    _sort(x, order)
    _fill_flow(member, won, lost, x, flow, information)
    _fill_cuts(x, mass, order, flow, information, cuts)
    u[:] = 0.0
    for j in range(k - 1):
        up, down, curvature = cuts[0, j], cuts[1, j], cuts[2, j]
        change = curvature * np.log(up / down) if up > 0.0 and down > 0.0 else up - down
        u[order[j]] += change
        u[order[j + 1]] -= change
    solve(U, u)


@njit(cache=True, nogil=True, error_model="numpy")
def _sort(x, order):  # type: ignore[no-untyped-def]
    """Sort the classes from the largest p to the smallest; equal ones stay in their order."""
    for s in range(len(order)):
        j = s
        while j > 0 and x[order[j - 1]] < x[s]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = s


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_flow(member, won, lost, x, flow, information):  # type: ignore[no-untyped-def]
    """flow[s, t] = r_ts p_s / (p_s + p_t), and its curvature n_st p_s p_t / (p_s + p_t)²."""
    for i in range(len(won)):
        a, b = member[2 * i], member[2 * i + 1]
        inverse = 1.0 / (x[a] + x[b])
        on, off = x[a] * inverse, x[b] * inverse
        flow[a, b], flow[b, a] = lost[i] * on, won[i] * off
        information[a, b] = information[b, a] = (won[i] + lost[i]) * on * off


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_cuts(x, mass, order, flow, information, cuts):  # type: ignore[no-untyped-def]
    """Rows up, down and curvature; column j is the cut after class j. All sums are of positive numbers."""
    k = len(x)
    above = 0.0
    cuts[:] = 0.0
    for i in range(k - 1):
        s = order[i]
        above += x[s]
        cuts[0, i] += PRIOR * mass * max(k * above - (i + 1), 0.0)
        up, down, curvature = 0.0, 0.0, 0.0
        for j in range(k - 1, i, -1):
            t = order[j]
            up += flow[s, t]
            down += flow[t, s]
            curvature += information[s, t]
            cuts[0, j - 1] += up
            cuts[1, j - 1] += down
            cuts[2, j - 1] += curvature
