"""The result of a solver: its solution, and a certificate of how good it is."""

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
class ConstantObjective:
    """An objective whose value is known already. Unlike a lambda, it can be pickled."""

    value: float

    def __call__(self, _: NDArray[np.float64]) -> float:
        return self.value


@dataclass(frozen=True)
class SolverResult:
    """The result of a solver.

    The certificate is relative, so it can be read without knowing the problem. If the solver knows a dual
    problem, it is the duality ``gap``, a bound on the distance of the objective from its optimum. If the
    objective, or its smooth approximation, has a gradient, ``gradient_norm`` is given.

    ``iterations`` counts the steps taken, 0 if the start was good enough. ``stalled`` means that rounding
    allows no further progress, so more iterations would not help. ``objective`` is evaluated on first access,
    which may take as long as the fit.
    """

    solution: NDArray[np.float64]
    objective_of: Callable[[NDArray[np.float64]], float] = field(repr=False)
    gradient_norm: float | None
    iterations: int
    converged: bool
    solver: str
    history: tuple[float, ...] = field(default=(), repr=False)
    details: dict[str, Any] = field(default_factory=dict)
    gap: float | None = None
    stalled: bool = False

    @cached_property
    def objective(self) -> float:
        return self.objective_of(self.solution)

    @property
    def _certificate(self) -> str:
        if self.gap is not None:
            return f"duality gap of {self.gap:.1e}"
        return f"gradient of {self.gradient_norm:.1e}"

    def warn_if_stopped_early(
        self, tol: float | None, advice: str = "raise max_iter", model: object = None
    ) -> None:
        """Warn if not converged; ``advice`` says what the user can do. ``tol`` is None if it is fixed.

        A ``model`` whose features can be scaled is named.
        """
        if self.converged:
            return
        above = "" if tol is None else f", above tol={tol:g}"
        name, scale = "", ""
        if model is not None:
            name, scale = f"{type(model).__name__}: ", "scale the features, or "
        advice = scale + advice
        if self.stalled:
            advice = "rounding allows no better" + ("" if tol is None else f", so {scale}raise tol")
        warnings.warn(
            f"{name}the solver '{self.solver}' stopped after {self.iterations:,} iterations at a relative "
            f"{self._certificate}{above}; {advice}",
            NotConverged,
            stacklevel=3,
        )


class Bounds:
    """The best solution and the best lower bound of the optimum that a solver has found so far."""

    def __init__(self, tol: float, max_iter: int) -> None:
        self.tol, self.max_iter = tol, max_iter
        self.primal, self.dual = np.inf, -np.inf
        self.history: list[float] = []  # the relative gap at the start and after every step
        self.solution: NDArray[np.float64] = np.empty(0)
        self.details: dict[str, Any] = {}  # of the best solution
        self.gradient_norm: float | None = None

    def add(
        self,
        primal: float,
        dual: float,
        solution: NDArray[np.float64],
        w: NDArray[np.float64] | None = None,
        gradient: NDArray[np.float64] | None = None,
        **details: Any,
    ) -> None:
        """Record the objective at a solution, a lower bound of the optimum, and the gradient at w."""
        if primal < self.primal:
            self.primal, self.solution, self.details = primal, solution, details
        self.dual = max(self.dual, dual)
        self.history.append(relative_gap(self.primal - self.dual, self.primal))
        if w is not None and gradient is not None:
            self.gradient_norm = float(np.linalg.norm(gradient)) / max(1.0, float(np.linalg.norm(w)))

    def again(self) -> "Bounds":
        """The same limits and history, but no bounds yet: they are to be computed anew."""
        fresh = Bounds(self.tol, self.max_iter)
        fresh.history = self.history
        return fresh

    @property
    def closed(self) -> bool:
        return self.history[-1] <= self.tol

    @property
    def done(self) -> bool:
        return self.closed or len(self.history) > self.max_iter

    def result(self, solver: str, **details: Any) -> SolverResult:
        return SolverResult(
            solution=self.solution,
            objective_of=ConstantObjective(self.primal),
            gradient_norm=self.gradient_norm,
            iterations=len(self.history) - 1,
            converged=self.closed,
            solver=solver,
            history=tuple(self.history),
            details={"primal": self.primal, "dual": self.dual, **self.details, **details},
            gap=self.history[-1],
            stalled=not self.done,
        )


def relative_gap(gap: float, primal: float) -> float:
    return max(gap, 0.0) / max(primal, np.finfo(float).tiny)


def nothing_to_solve(solution: NDArray[np.float64], note: str) -> SolverResult:
    """The result if the solution is known without a solver and has no loss."""
    return SolverResult(
        solution, ConstantObjective(0.0), None, 0, True, "none", details={"fallback": note}, gap=0.0
    )
