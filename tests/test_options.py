"""What is said is declared once: the arguments in Python, the options of the command line, saved models."""

import inspect
import json
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Annotated, Any, get_args, get_origin

import pytest

import podium
from podium.cli.options.registry import MODELS
from podium.options import FeatureReading, ModelOptions, RankingReading, option_of, takers_of

ASIDE = {"source", "counted", "progress"}  # what is read, and what happens meanwhile


def typed(field: "Field[Any]") -> Any:
    return get_args(field.type)[0] if get_origin(field.type) is Annotated else field.type


@pytest.mark.parametrize(
    ("read", "declared", "others"),
    [
        (podium.read_comparisons, FeatureReading, {"label", "query"}),
        (podium.read_rankings, RankingReading, {"rankings"}),
    ],
)
def test_arguments_are_the_declared_fields(
    read: Callable[..., Any], declared: type, others: set[str]
) -> None:
    arguments = {p.name: (p.annotation, p.default) for p in inspect.signature(read).parameters.values()}
    said = {field.name: (typed(field), field.default) for field in fields(declared)}
    assert {name: each for name, each in arguments.items() if name not in ASIDE} == {
        name: each for name, each in said.items() if name not in others
    }


def test_a_model_takes_the_options_that_are_its_parameters() -> None:
    for field in fields(ModelOptions):
        for name in takers_of(field):
            parameter = inspect.signature(MODELS[name].load()).parameters[field.name]
            assert parameter.default == field.default or (name, field.name) == ("plackett-luce", "ties")


def test_labelled_rows_are_read_with_declared_fields() -> None:
    arguments = inspect.signature(podium.read_rows).parameters.values()
    declared = {field.name: field.default for field in fields(FeatureReading)}
    assert {p.name: p.default for p in arguments if p.name != "source"}.items() <= declared.items()


def test_every_option_has_one_line() -> None:
    for field in [*fields(FeatureReading), *fields(RankingReading), *fields(ModelOptions)]:
        option = option_of(field)
        assert (option is None) == (field.name == "category")
        assert option is None or (option.help.endswith(".") and len(option.help) < 120)


def test_what_is_remembered_is_json_and_comes_back() -> None:
    said = FeatureReading(
        left=["white"], covariates={"length": ("a", "b"), "bold": None}, where="turn = 1", sheet="games"
    )
    kept = json.loads(json.dumps(said.remembered()))
    assert kept == {"left": ["white"], "covariates": {"length": ["a", "b"], "bold": None}}
    again = FeatureReading(right=["black"], left=["home"]).over(kept)
    assert (again.left, again.right, again.covariates) == (["home"], ["black"], kept["covariates"])


def test_models_saved_by_the_first_version_are_read_as_they_were() -> None:
    saved = {"control": "length=a:b,bold", "ties_column": "t", "feature": ["x"], "outcome_format": "sign"}
    said = FeatureReading().over(saved)
    assert said == FeatureReading(
        covariates={"length": ("a", "b"), "bold": None}, ties="t", features=["x"], outcome_format="sign"
    )
