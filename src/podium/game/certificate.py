"""How good a strategy of the preference game is, and when it cannot get better.

Every strategy q has p'Kq ≥ min f, f = Kp, hence ‖w_q‖ ≥ min f / ‖w_p‖, and the value of the game is at least
(min f)² / p'Kp. The relative gap of p'Kp is therefore at most 1 - (max(0, min f) / p'Kp)².

The value is what remains of Σ p_a K_aa after cancellation. If it is no larger than the rounding error of that
sum, w is 0, and the preferences in the support contradict each other.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.kernel import GameKernel
from podium.numerics.result import ConstantObjective, SolverResult

ROUNDING = 1e-14  # the rounding error of a value, as a share of Σ p_a K_aa: a value below it is 0


def relative_gap(value: float, low: float) -> float:
    """The gap of the value p'Kp, given the smallest entry of Kp."""
    return 1.0 - (max(low, 0.0) / value) ** 2 if value > 0 else 0.0


class End(NamedTuple):
    """A strategy with its certificate."""

    kernel: GameKernel
    support: Positions
    p: Floats
    f: Floats
    tol: float

    @classmethod
    def of(cls, kernel: GameKernel, strategy: Floats, tol: float) -> Self:
        support = np.flatnonzero(strategy)
        return cls(kernel, support, strategy[support], kernel.product(support, strategy[support]), tol)

    @property
    def strategy(self) -> Floats:
        strategy = np.zeros(len(self.kernel))
        strategy[self.support] = self.p
        return strategy

    @property
    def value(self) -> float:
        return float(self.p @ self.f[self.support])

    @property
    def gap(self) -> float:
        return relative_gap(self.value, float(self.f.min()))

    @property
    def size(self) -> float:
        """Σ p_a K_aa, the scale of rounding errors in the value."""
        return float(self.p @ self.kernel.diagonal[self.support])

    @property
    def degenerate(self) -> bool:
        return self.value <= ROUNDING * self.size

    @property
    def reached(self) -> bool:
        """Whether the gap is within the tolerance, or as small as rounding allows."""
        return self.degenerate or self.gap <= self.tol + ROUNDING * self.size / self.value

    @property
    def details(self) -> dict[str, Any]:
        return {"margins": self.f, "degenerate": self.degenerate, "support": len(self.support)}

    def result(self, solver: str, history: list[float], max_iter: int) -> SolverResult:
        return SolverResult(
            solution=self.strategy,
            objective_of=ConstantObjective(self.value),
            gradient_norm=None,
            iterations=len(history),
            converged=self.reached,
            solver=solver,
            history=tuple(history),
            details=self.details,
            gap=0.0 if self.degenerate else self.gap,
            stalled=not self.reached and len(history) < max_iter,
        )
