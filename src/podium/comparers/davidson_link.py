"""Turn decisions into probabilities of the three outcomes, by Davidson's model of ties with a slope.

With d the decision on a row, y its outcome and w its weight,

    minimise over a, log ν   -Σ w log P(y | d),      P(-1) : P(0) : P(1)  =  e^{-ad/2} : ν : e^{ad/2},

which is convex. To keep both finite, one row is added at the typical |d| (the root mean square), with a third
of each outcome, just as Platt's targets are not quite 0 and 1. Decisions are divided by the typical |d|, so
that the problem does not depend on their unit.
"""

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.descent import Slope, descend
from podium.numerics.result import Known, SolverResult

TOL = 1e-8  # the gradient, relative to the weight of all rows, at which Newton's method stops
MAX_ITER = 100  # Newton steps at most
RIDGE = 1e-10  # added to second derivatives, which are 0 if all probabilities round to 0 or 1


def davidson_link(decision: Floats, outcome: NDArray[np.int8], weight: Floats) -> SolverResult:
    """The slope a and the tie parameter ν, by maximum likelihood.

    >>> found = davidson_link(np.array([-1.0, 0.0, 2.0]), np.array([-1, 0, 1]), np.ones(3))
    >>> found.converged, (found.solution > 0).all()
    (True, np.True_)
    """
    scale = float(np.sqrt(np.average(decision**2, weights=weight))) or 1.0
    likelihood = _Likelihood(
        np.append(decision / scale, [1.0, 1.0, 1.0]),
        np.append(outcome, [-1, 0, 1]),
        np.append(weight, np.full(3, 1 / 3)),
    )
    total = np.full(2, likelihood.w.sum())
    found = descend(likelihood.slope, likelihood, np.array([1.0, 0.0]), total, tol=TOL, max_iter=MAX_ITER)
    return SolverResult(
        solution=np.array([found.x[0] / scale, np.exp(found.x[1])]),
        objective_of=Known(likelihood.value(found.x)),
        gradient_norm=found.history[-1],
        iterations=len(found.history) - 1,
        converged=found.converged,
        solver="newton",
        history=tuple(found.history),
        stalled=not found.converged and len(found.history) <= MAX_ITER,
    )


class _Likelihood:
    """The negative log-likelihood at x = (a, log ν), its derivatives, and the Newton direction."""

    def __init__(self, d: Floats, y: NDArray[np.int8], w: Floats) -> None:
        self.half, self.y, self.w = d / 2, y, w

    def value(self, x: Floats) -> float:
        logits = self._logits(x)
        chosen = logits[np.arange(len(self.y)), self.y.astype(np.intp) + 1]
        return -float(self.w @ (chosen - np.log(np.exp(logits).sum(axis=1))))

    def slope(self, x: Floats) -> Slope:
        """The gradient, and the diagonal of the second derivatives."""
        p = self._chances(x)
        gradient = [self.w @ (self.half * (p[:, 2] - p[:, 0] - self.y)), self.w @ (p[:, 1] - (self.y == 0))]
        return Slope(np.array(gradient), np.diagonal(self._second(p)))

    def __call__(self, x: Floats, slope: Slope) -> Floats:
        return np.asarray(-np.linalg.solve(self._second(self._chances(x)), slope.gradient))

    def learn(self, step: Floats, change: Floats) -> None:
        """Newton's method needs no memory."""

    def _second(self, p: Floats) -> Floats:
        mean = p[:, 2] - p[:, 0]  # the expected outcome
        slope = self.w @ (self.half**2 * (p[:, 0] + p[:, 2] - mean**2))
        cross = -(self.w @ (self.half * mean * p[:, 1]))
        tie = self.w @ (p[:, 1] * (1 - p[:, 1]))
        return np.asarray(np.array([[slope, cross], [cross, tie]]) + RIDGE * self.w.sum() * np.eye(2))

    def _chances(self, x: Floats) -> Floats:
        p = np.exp(self._logits(x))
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def _logits(self, x: Floats) -> Floats:
        """-ad/2, log ν and ad/2, minus the largest of them."""
        logits = np.column_stack([-x[0] * self.half, np.full(len(self.half), x[1]), x[0] * self.half])
        return np.asarray(logits - logits.max(axis=1, keepdims=True))
