"""--set accepts what the signatures of the models allow."""

import numpy as np
import pytest

from podium.cli.options.parameters import parameters_of, parse_settings
from podium.cli.options.registry import ALL, MODELS, Model, find_model


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.name)
def test_parameters_are_those_of_the_estimator(model: Model) -> None:
    found = parameters_of(model)
    assert set(found) == set(model.make({}).get_params(deep=False)) - set(model.given)
    assert all(parameter.wanted for parameter in found.values())
    assert set(model.tuned) <= set(found)


@pytest.mark.parametrize(
    ("model", "setting", "value"),
    [
        ("svm-compare", "C=10", 10.0),
        ("svm-rank", "C=inf", np.inf),
        ("svm-compare", "gamma=scale", "scale"),
        ("svm-compare", "gamma=0.5", 0.5),
        ("svm-compare", "kernel = linear", "linear"),
        ("svm-compare", "max_iter=7", 7),
        ("svm-compare", 'class_weight={"0": 2, "-1": 1}', {0: 2, -1: 1}),
        ("svm-compare", "class_weight=none", None),
        ("bradley-terry", "order_effect=yes", True),
        ("bradley-terry", "order_effect=FALSE", False),
        ("bradley-terry", "ties=rao-kupper", "rao-kupper"),
        ("linear-compare", "random_state=3", 3),
        ("elo", "k=fide", "fide"),
        ("elo", 'initial={"Ada": 1500}', {"Ada": 1500}),
    ],
)
def test_values(model: str, setting: str, value: object) -> None:
    parsed = parse_settings([setting], [MODELS[model]])[model]
    assert list(parsed.values()) == [value]
    assert type(next(iter(parsed.values()))) is type(value)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("C", "takes NAME=VALUE"),
        ("C=ten", "--set C takes a number, not 'ten'"),
        ("max_iter=1.5", "takes a whole number"),
        ("kernel=cubic", "takes 'linear', 'poly', 'rbf' or 'precomputed', not 'cubic'"),
        ("c=1", "did you mean 'C'?"),
        ("speed=1", "has no parameter 'speed' among kernel, C, gamma"),
        ("class_weight=[1]", "an object in JSON"),
        ("elo.k=1", "'elo' is none of the models here"),
    ],
)
def test_bad_values_name_what_is_allowed(setting: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"--set|no parameter") as caught:
        parse_settings([setting], [MODELS["svm-compare"]])
    assert message in str(caught.value)


def test_for_one_model_or_for_all_that_have_it() -> None:
    models = [MODELS[name] for name in ("svm-compare", "svm-rank", "linear-compare")]
    chosen = parse_settings(["C=2", "gamma=0.5", "svm-rank.ties=both", "svm-rank.C=3"], models)
    assert chosen == {
        "svm-compare": {"C": 2.0, "gamma": 0.5},
        "svm-rank": {"C": 3.0, "gamma": 0.5, "ties": "both"},
        "linear-compare": {"C": 2.0},
    }


def test_unknown_model() -> None:
    with pytest.raises(ValueError, match="did you mean 'svm-compare'"):
        find_model("svm_compare")
