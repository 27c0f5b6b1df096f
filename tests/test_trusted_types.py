"""Estimators and records are trusted by where they are defined; nothing else is."""

import pytest

from podium.trusted_types import is_trusted


@pytest.mark.parametrize(
    "name",
    [
        "podium.kernels.Kernel",
        "podium.models.bradley_terry.BradleyTerry",
        "podium.solvers.result.SolverResult",
        "sklearn.linear_model._logistic.LogisticRegression",
        "sklearn.gaussian_process.kernels.RBF",
        "sklearn.model_selection._split.StratifiedKFold",
    ],
)
def test_what_holds_numbers_is_trusted(name: str) -> None:
    assert is_trusted(name)


@pytest.mark.parametrize(
    "name",
    [
        "podium.atomic.write_whole",
        "podium.solvers.result.np",
        "podium.models.bradley_terry.warn",
        "podium.__main__.main",
        "podium.cli.app",
        "podium.models.nowhere.Model",
        "podium.solvers.result.NotConverged",
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.datasets._base.load_files",
        "sklearn.utils._testing.MinimalClassifier",
        "sklearn.tests.test_base.MyEstimator",
        "sklearn.base.clone",
        "sklearn.calibration.np",
        "os.system",
        "builtins.eval",
    ],
)
def test_only_estimators_and_records_are_trusted(name: str) -> None:
    assert not is_trusted(name)
