"""AdaGrad with averaging, for pairs that arrive in batches [Duchi 2011, Shamir and Zhang 2013].

The objective is that of `fit` over all n pairs seen so far, divided by C n. Each step uses a small batch. Let
g be the (sub-)gradient of its mean loss plus the penalty over C n. Then

    q ← q + g²,     x ← x - r g / √q,     x̄ ← x̄ + (x - x̄) · 4 / (t + 3),

for each entry separately. Every coordinate has its own step size, so features need no common scale. Later
steps weigh more in the average x̄, by the cube of their number t, so that a bad start is forgotten.

Two problems are learned at once, one column each: u followed by β, and the same with β fixed at 0.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.arrays.devices.boundary import to_device_of, to_floats, to_numpy
from podium.arrays.devices.features import times, transpose_times
from podium.comparers.primal.problem import LinearPairs, spread_out
from podium.comparisons.arrays import Floats
from podium.comparisons.features import rows_at

BATCH = 32  # pairs per step: fewer take longer in Python, more make fewer steps
RATE = 0.5  # r, the step size; features need no common scale, so one value serves all data
FIRST = 1e-12  # q before the first gradient; only avoids a division by 0
SAMPLE = 8_192  # pairs that estimate the size of the gradients of an earlier fit


@dataclass
class AdaGrad:
    """The state of both problems: x, x̄ and q, one column each; the number of steps and of pairs seen."""

    now: Floats
    mean: Floats
    squares: Floats
    steps: int = 0
    seen: int = 0

    @classmethod
    def begin(cls, n_features: int) -> Self:
        shape = (n_features + 1, 2)
        return cls(np.zeros(shape), np.zeros(shape), np.full(shape, FIRST))

    @classmethod
    def after(
        cls,
        problem: LinearPairs,
        C: float,
        columns: Floats,
        rng: np.random.RandomState,
        seen: int | None = None,
    ) -> Self:
        """The state after a pass over the pairs that ended at ``columns``, the optimum of an earlier fit.

        If the problem is a sample, ``seen`` is the number of all pairs.

        At the optimum the gradients of the pairs cancel on average, so the expected square of a batch mean is
        Σ g_i² / BATCH². The gradients are estimated by the logistic loss, which is smooth, on a sample of
        pairs.
        """
        n = len(problem)
        rows = np.arange(n) if n <= SAMPLE else spread_out(n, SAMPLE, rng)
        squares = np.full(columns.shape, FIRST)
        for part, D in problem.chunks(to_device_of(rows, problem.lower)):
            d = to_floats(times(D, columns[:-1]))
            by_d, by_bias = _slopes(problem, rows[part], d, columns[-1], "logistic", C)
            squares[:-1] += transpose_times(to_device_of(by_d.T**2, D), D * D).T
            squares[-1] += (by_bias**2).sum(axis=0)
        seen = n if seen is None else seen
        squares *= seen / (len(rows) * BATCH**2)
        return cls(columns.copy(), columns.copy(), squares, steps=-(-seen // BATCH), seen=seen)

    def learn(self, problem: LinearPairs, loss: str, C: float, rng: np.random.RandomState) -> None:
        """Make one pass over the pairs in random order."""
        n = len(problem)
        self.seen += n
        order = rng.permutation(n)
        for start in range(0, n, BATCH):
            rows = order[start : start + BATCH]
            D = problem.X[problem.upper[rows]] - problem.X[problem.lower[rows]]
            by_d, by_bias = _slopes(problem, rows, D @ self.now[:-1], self.now[-1], loss, C)
            gradient = np.vstack([D.T @ by_d, by_bias.sum(axis=0)]) / len(rows)
            gradient[:-1] += self.now[:-1] / (C * self.seen)
            gradient[-1, 1] = 0.0
            self._step(gradient)

    def _step(self, gradient: Floats) -> None:
        self.squares += gradient**2
        self.now -= RATE * gradient / np.sqrt(self.squares)
        self.steps += 1
        self.mean += (self.now - self.mean) * (4.0 / (self.steps + 3.0))


def _slopes(
    problem: LinearPairs, rows: NDArray[np.intp], d: Floats, bias: Floats, loss: str, C: float
) -> tuple[Floats, Floats]:
    """The derivatives of the loss of some pairs by u·d and by β, without the factor C."""
    tie, cost = (to_numpy(rows_at(values, rows))[:, None] for values in (problem.tie, problem.cost))
    weight = cost / C
    forth = _steepness(np.where(tie, -bias - d, bias + d), loss)
    back = np.where(tie, _steepness(d - bias, loss), 0.0)
    return weight * np.where(tie, forth - back, -forth), weight * np.where(tie, forth + back, -forth)


def _steepness(m: Floats, loss: str) -> Floats:
    """Minus the derivative of the loss at a margin."""
    from scipy.special import expit

    return (m < 1).astype(np.float64) if loss == "hinge" else np.asarray(expit(-m))
