import pickle
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from podium.numerics.result import ConstantObjective, SolverResult, nothing_to_solve


def test_stopping_early_is_a_warning_that_scikit_learn_knows() -> None:
    result = SolverResult(np.zeros(2), ConstantObjective(3.0), 0.5, 7, False, "newton")
    with pytest.warns(
        ConvergenceWarning, match=r"'newton' stopped after 7 iterations.* of 5.0e-01, above tol=0.1"
    ):
        result.warn_if_stopped_early(0.1)
    with pytest.warns(ConvergenceWarning, match="gradient of 5.0e-01; scale the features$"):
        result.warn_if_stopped_early(None, "scale the features")


def test_where_rounding_is_the_limit_more_steps_are_not_advised() -> None:
    result = SolverResult(
        np.zeros(2), ConstantObjective(3.0), None, 7, False, "newton", gap=0.5, stalled=True
    )
    with pytest.warns(ConvergenceWarning, match="above tol=0.1; rounding allows no better, so raise tol$"):
        result.warn_if_stopped_early(0.1)
    advice = "^dict: the solver .*; rounding allows no better, so scale the features, or raise tol$"
    with pytest.warns(ConvergenceWarning, match=advice):
        result.warn_if_stopped_early(0.1, model={})
    with pytest.warns(ConvergenceWarning, match="gap of 5.0e-01; rounding allows no better$"):
        result.warn_if_stopped_early(None, "scale the features")


def test_what_needs_no_solver_is_a_result_too() -> None:
    result = pickle.loads(pickle.dumps(nothing_to_solve(np.array([0.0, -1.0]), "only ties")))
    assert (result.objective, result.gap, result.details) == (0.0, 0.0, {"fallback": "only ties"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result.warn_if_stopped_early(1e-9)
