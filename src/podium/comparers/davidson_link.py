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
from podium.core.links import derivatives, loss, root, seen_score
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
    total = np.full(2, likelihood.total)
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
        self.d, self.total = d, float(w.sum())
        self.results = w, w * (y == 0), w * y  # as `derivatives` takes them

    def value(self, x: Floats) -> float:
        seen = float(self.results[1].sum()) * x[1]
        return float(np.sum(loss(x[0] * self.d, *self.results, np.exp(x[1]), False)) - seen)

    def slope(self, x: Floats) -> Slope:
        """The gradient, and the diagonal of the second derivatives."""
        score, _, tie, *_ = self._derivatives(x)
        gradient = [self.d @ (seen_score(*self.results, False) - score), np.sum(tie - self.results[1])]
        return Slope(np.array(gradient), np.diagonal(self._second(x)))

    def __call__(self, x: Floats, slope: Slope) -> Floats:
        return np.asarray(-np.linalg.solve(self._second(x), slope.gradient))

    def learn(self, step: Floats, change: Floats) -> None:
        """Newton's method needs no memory."""

    def _second(self, x: Floats) -> Floats:
        _, bend, _, tie, mixed = self._derivatives(x)
        table = np.array([[bend @ self.d**2, mixed @ self.d], [mixed @ self.d, np.sum(tie)]])
        return np.asarray(table + RIDGE * self.total * np.eye(2))

    def _derivatives(self, x: Floats) -> tuple[Floats, ...]:
        found: tuple[Floats, ...] = derivatives(root(x[0] * self.d), *self.results, np.exp(x[1]), False)
        return found
