"""Newton steps for the variables of a box-constrained QP that are not at a bound.

    min_x  ½ s'Ks + linear'x,  s_i = Σ_{k: row_k = i} sign_k x_k,  low ≤ x ≤ high,  and label'x kept, if
    given.

Coordinate steps find out fast which variables end at a bound, and then creep along the others when C is
large. On those the problem is a linear system: a step to its solution, or as far as the first bound on the
way, which the variable that reached it does not leave again here.
"""

import numpy as np
from numpy.typing import NDArray

from podium.kernels import Floats

RIDGE = 1e-10  # of the mean of the diagonal: kernel matrices have no full rank
MOST_FREE = 256  # beyond, a factorisation costs more than it saves


def newton_steps(
    K: Floats,
    f: Floats,
    x: Floats,
    row: NDArray[np.intp],
    sign: Floats,
    linear: Floats,
    low: Floats,
    high: Floats,
    label: Floats | None,
    max_steps: int,
) -> None:
    """Move the free variables, and f = K s with them, in place."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    free = np.flatnonzero((x > low) & (x < high))
    for _ in range(max_steps):
        if len(free) < 2 or len(free) > MOST_FREE:
            return
        own, s = row[free], sign[free]
        rows = K[own]
        H = rows[:, own] * np.outer(s, s)
        H[np.diag_indices_from(H)] += RIDGE * (np.trace(H) / len(H) + 1e-300)
        gradient = s * f[own] + linear[free]
        sides = gradient[:, None] if label is None else np.column_stack([gradient, label[free]])
        try:
            solved = cho_solve(cho_factor(H, overwrite_a=True, check_finite=False), sides, check_finite=False)
        except LinAlgError:
            return
        step = -solved[:, 0]
        if label is not None:
            step += (label[free] @ solved[:, 0]) / (label[free] @ solved[:, 1]) * solved[:, 1]
            step -= label[free] * (label[free] @ step) / len(step)  # what rounding left of label'x
        push = (s * step) @ rows
        bend, slope = float((s * step) @ push[own]), float(gradient @ step)
        if not slope < 0 or not np.isfinite(slope):
            return
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step > 0, (high[free] - x[free]) / step, (low[free] - x[free]) / step)
        room[step == 0] = np.inf
        first = int(np.argmin(room))
        length = min(-slope / bend if bend > 0 else np.inf, float(room[first]))
        if not np.isfinite(length):
            return
        x[free] = np.clip(x[free] + length * step, low[free], high[free])
        f += length * push
        if length < room[first]:
            return
        x[free[first]] = high[free[first]] if step[first] > 0 else low[free[first]]
        free = free[(x[free] > low[free]) & (x[free] < high[free])]
