"""Every model in the registry has the right class, and its saved file predicts the same."""

import re
from pathlib import Path

import numpy as np
import pytest

from podium import load, save
from podium.cli.options.reading import read
from podium.cli.options.registry import ALL, FITTED, MODELS, Data, Model, fit_to
from podium.options import FeatureReading
from tests.cli.runs import SETTINGS, TIMED, done, file_for

MODEL_SETTINGS = {name: {"C": 1.0} for name in SETTINGS}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", FITTED)
def test_a_loaded_model_predicts_the_same(name: str, tmp_path: Path) -> None:
    model = MODELS[name]
    file, _ = file_for(model, tmp_path)
    data = read([file], FeatureReading(time="season" if name in TIMED else None), model.data)
    estimator = fit_to(model.make(MODEL_SETTINGS.get(model.name, {})), data)
    save(estimator, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    X = data.features if model.data is Data.rows else data
    methods = [each for each in ("predict", "decision_function", "predict_proba") if hasattr(estimator, each)]
    for method in methods:
        np.testing.assert_array_equal(getattr(loaded, method)(X), getattr(estimator, method)(X))


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.name)
def test_names_are_those_of_the_classes(model: Model) -> None:
    spelled = re.sub(r"[^a-z0-9]", "", model.name)
    assert spelled == model.load().__name__.casefold()


def test_the_list_has_all_models() -> None:
    said = done("models")
    assert all(name in said for name in MODELS)


@pytest.mark.parametrize("model", ["svm-compare", "bradley-terry", "coded-classifier"])
def test_the_parameters_of_a_model(model: str) -> None:
    said = done("models", model)
    assert all(name in said for name in MODELS[model].make({}).get_params(deep=False) if name != "estimator")
    assert ">>>" not in said
