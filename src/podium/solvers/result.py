"""What every solver returns: its solution and the evidence that it is one."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning


class NotConverged(ConvergenceWarning):  # type: ignore[misc]
    """A solver stopped before it reached its tolerance."""


@dataclass(frozen=True)
class Known:
    """An objective that the solver has evaluated already; unlike a lambda it can be pickled."""

    value: float

    def __call__(self, _: NDArray[np.float64]) -> float:
        return self.value


@dataclass(frozen=True)
class SolverResult:
    """The end of a solver's run.

    ``gradient_norm`` is the certificate: relative, so that it can be read without knowing the problem.
    Solvers that know a dual problem also give the relative duality ``gap``, which says how far the objective
    can be from its optimum. ``objective`` is evaluated when it is first asked for; it may cost as
    much as the fit.
    """

    solution: NDArray[np.float64]
    objective_of: Callable[[NDArray[np.float64]], float] = field(repr=False)
    gradient_norm: float
    iterations: int
    converged: bool
    solver: str
    history: tuple[float, ...] = field(default=(), repr=False)
    details: dict[str, Any] = field(default_factory=dict)
    gap: float | None = None

    @cached_property
    def objective(self) -> float:
        return self.objective_of(self.solution)

    @property
    def _certificate(self) -> str:
        return (
            f"gradient of {self.gradient_norm:.1e}" if self.gap is None else f"duality gap of {self.gap:.1e}"
        )

    def warn_if_stopped_early(self, tol: float | None, advice: str = "raise max_iter") -> None:
        """``advice`` is what the user of a model can do; None for a tolerance that the model does not set."""
        if not self.converged:
            above = "" if tol is None else f", above tol={tol:g}"
            warnings.warn(
                f"the solver '{self.solver}' stopped after {self.iterations:,} iterations at a relative "
                f"{self._certificate}{above}; {advice}",
                NotConverged,
                stacklevel=3,
            )


def nothing_to_solve(solution: NDArray[np.float64], note: str) -> SolverResult:
    """Where the solution is known without a solver, and has no loss."""
    return SolverResult(solution, Known(0.0), 0.0, 0, True, "none", details={"fallback": note}, gap=0.0)
