"""Only estimators and records are trusted, by the module that defines them."""

import pytest

from podium.saving.trusted_types import is_trusted


@pytest.mark.parametrize(
    "name",
    [
        "podium.numerics.kernels.kernel.Kernel",
        "podium.bradley_terry.model.BradleyTerry",
        "podium.numerics.result.SolverResult",
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
        "podium.writing.atomic.write_whole",
        "podium.numerics.result.np",
        "podium.bradley_terry.model.warn",
        "podium.__main__.main",
        "podium.cli.app",
        "podium.comparers.nowhere.Model",
        "podium.numerics.result.NotConverged",
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
