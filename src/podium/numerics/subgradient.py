"""Sub-gradient steps on hinge losses, one example at a time: §1.3, §1.4, §2 and §2.2 of [Lecture].

    minimise over w   (λ/2) ‖w‖² + Σ_i s_i ξ_i(w)

with, for a vector x_i, a margin m_i (1 in the lecture) and a scale s_i (§2.1),

    ξ_i = max(0, m_i - y_i w·x_i)                     a comparison (x = right - left, y its outcome), or §2
    ξ_i = Σ_{l ≠ y_i} max(0, m_i - (w_y - w_l)·x_i)   §2.2, a slack for every constraint of an example.

Step t takes the next of the T examples and goes down a sub-gradient of its share of the sum,

    w ← w - α_t ((λ/T) w + s_i ∂ξ_i),     α_t = a/√t  or  a/t,

with α_t at most T/λ, which shrinks w to 0. A stream that does not know its T uses t instead: the examples so
far are the data. The answer is the last w, or the average Σ t·w_t / Σ t, in which late steps count more
[Lacoste-Julien 2012].

For speed, w is stored as scale·V, so that shrinking is one multiplication, and Σ t·w_t as U + pull·V, so that
averaging adds x a second time if a constraint is violated and costs one addition otherwise [Xu 2011]. A pass
reads each example once.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.numerics.compiled import njit

POWERS = {"sqrt": 0.5, "inverse": 1.0}
STEPS, SCALE, PULL, TOTAL = range(4)  # the places of Stream.state
START = np.array([0.0, 1.0, 0.0, 0.0])
SMALLEST_SCALE = 1e-4  # below this, scale is multiplied into V
REORDER = {"reassoc", "contract"}  # lets sums of products use vector registers


class Table(NamedTuple):
    """Feature vectors, ``dense`` or in compressed rows without repeated columns; the other form is empty."""

    dense: Floats
    data: Floats
    indices: Codes
    indptr: NDArray[np.int64]


class Examples(NamedTuple):
    """x is row ``right`` of the table, minus row ``left`` if that is given; the rest says what w·x should be.

    ``label`` is y: ±1 for a single vector w, otherwise the number of a class.
    """

    left: Codes
    right: Codes
    label: Floats
    scale: Floats
    margin: Floats


@dataclass(frozen=True)
class Stream:
    """The state of a walk: one row of V and U per weight vector, and the counters in ``state``.

    If V has more columns than there are features, the last one belongs to a constant feature of 1.
    """

    V: Floats
    U: Floats
    state: Floats
    power: float
    size: float
    average: bool

    @classmethod
    def begin(cls, shape: tuple[int, int], step: str, size: float, average: bool) -> Self:
        return cls(np.zeros(shape), np.zeros(shape), START.copy(), POWERS[step], size, average)

    @property
    def steps(self) -> int:
        return int(self.state[STEPS])

    @property
    def weights(self) -> Floats:
        """w, one row per weight vector: the average, or the last w."""
        if self.average and self.steps:
            return np.asarray((self.U + self.state[PULL] * self.V) / self.state[TOTAL])
        return np.asarray(self.state[SCALE] * self.V)

    def walk(
        self,
        table: Table,
        examples: Examples,
        order: NDArray[np.int64],
        penalty: float,
        horizon: float | None = None,
    ) -> tuple[Self, float]:
        """Take one step per example of ``order``; return the new stream, and the mean of s ξ before each
        step.

        ``penalty`` is λ, ``horizon`` is T. An overflow raises a ValueError.
        """
        V, U, state = self.V.copy(), self.U.copy(), self.state.copy()
        rule = (float(horizon or 0), self.power, self.size, self.average)
        loss = _walk(table, examples, order, penalty, *rule, V, U, state)
        after = replace(self, V=V, U=U, state=state)
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(loss) and np.isfinite(after.weights).all()
        if not finite:
            raise ValueError("the steps overflow; scale the features, or lower step_size or C")
        return after, loss / max(len(order), 1)

    def loss(self, table: Table, examples: Examples, order: NDArray[np.int64]) -> float:
        """The mean of s ξ at w: a walk with steps of size 0."""
        still = replace(self, V=self.weights, state=START, size=0.0, average=False)
        return still.walk(table, examples, order, 1.0, 1.0)[1]


@njit(cache=True, nogil=True)
def _walk(table, examples, order, penalty, horizon, power, size, average, V, U, state):  # type: ignore[no-untyped-def]
    width = 2 * V.shape[1] + 1
    x, column = np.empty(width), np.empty(width, np.int64)
    score, slope = np.empty(len(V)), np.empty(len(V))
    t, scale, pull, total = state
    losses = 0.0
    for i in order:
        t += 1.0
        share = penalty / (horizon if horizon > 0 else t)
        rate = min(size / (np.sqrt(t) if power == 0.5 else t), 1.0 / share)
        used = _load(table, examples, i, V.shape[1], x, column)
        for k in range(len(V)):
            score[k] = scale * _dot(V[k], x, column, used)
        loss = _hinge(score, examples.label[i], examples.margin[i], slope)
        losses += loss * examples.scale[i]
        scale *= 1.0 - rate * share
        if scale < SMALLEST_SCALE:
            U += pull * V
            V *= scale
            scale, pull = 1.0, 0.0
        if loss > 0:
            for k in range(len(V)):
                if slope[k] != 0:
                    along = -rate * examples.scale[i] * slope[k] / scale
                    _add(V[k], along, x, column, used)
                    if average:
                        _add(U[k], -pull * along, x, column, used)
        pull += t * scale
        total += t
    state[:] = t, scale, pull, total
    return losses


@njit(cache=True, nogil=True)
def _hinge(score, label, margin, slope):  # type: ignore[no-untyped-def]
    """ξ of an example, nan if a score is nan; its derivatives by the scores go to ``slope``."""
    if len(score) == 1:
        slack = margin - label * score[0]
        slope[0] = -label if slack > 0 else 0.0
        return 0.0 if slack <= 0 else slack
    own, loss = int(label), 0.0
    slope[:] = 0.0
    for k in range(len(score)):
        slack = margin - (score[own] - score[k])
        if k != own and not slack <= 0:
            loss += slack
            slope[k] = 1.0
            slope[own] -= 1.0
    return loss


# ------------------------------------------------------------------------------------ vectors


@njit(cache=True, nogil=True)
def _load(table, examples, i, width, x, column):  # type: ignore[no-untyped-def]
    """Write example i to x. Return -1 if it is dense; if sparse, fill ``column`` and return its length."""
    right, left = examples.right[i], examples.left[i] if len(examples.left) else -1
    n_features = table.dense.shape[1]
    if len(table.indptr) == 0:
        if left < 0:
            for j in range(n_features):  # unlike an assignment of arrays, it compiles quickly
                x[j] = table.dense[right, j]
        else:
            for j in range(n_features):
                x[j] = table.dense[right, j] - table.dense[left, j]
        if width > n_features:
            x[n_features] = 1.0
        return -1
    used = 0
    for sign in (1.0, -1.0):
        row = right if sign > 0 else left
        if row >= 0:
            for j in range(table.indptr[row], table.indptr[row + 1]):
                x[used], column[used] = sign * table.data[j], table.indices[j]
                used += 1
    if width > n_features:
        x[used], column[used] = 1.0, width - 1
        used += 1
    return used


@njit(cache=True, nogil=True, fastmath=REORDER)
def _dot(v, x, column, used):  # type: ignore[no-untyped-def]
    total = 0.0
    if used < 0:
        for j in range(len(v)):
            total += v[j] * x[j]
    else:
        for j in range(used):
            total += v[column[j]] * x[j]
    return total


@njit(cache=True, nogil=True)
def _add(v, factor, x, column, used):  # type: ignore[no-untyped-def]
    if used < 0:
        for j in range(len(v)):
            v[j] += factor * x[j]
    else:
        for j in range(used):
            v[column[j]] += factor * x[j]
