"""Sandwich and cluster-robust errors, against a plain oracle and against statsmodels."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons
from tests.oracles.paired_rows import Rows, fit_rows
from tests.oracles.simulated import random_rows

TIES = ["davidson", "rao-kupper", "half", "ignore"]
FACTS_FILE = Path(__file__).parents[1] / "oracles" / "other_software.json"
FACTS = json.loads(FACTS_FILE.read_text(encoding="utf-8"))
KINDS = [("model", "model", 1.0), ("robust", "HC0", 1.0), ("cluster", "cluster", 25 / 24)]  # 25 judges


def fitted(rows: Rows, **parameters: Any) -> BradleyTerry:
    return BradleyTerry(tol=1e-12, **parameters).fit(rows.comparisons())


@pytest.mark.parametrize("covariates", [False, True])
@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("prior", [0, 0.5])
@pytest.mark.parametrize(
    ("weighted", "counted"), [(False, False), (True, False), (False, True), (True, True)]
)
@pytest.mark.parametrize("kind", ["robust", "cluster"])
@pytest.mark.parametrize("ties", TIES)
def test_errors(
    ties: Any, kind: Any, weighted: bool, counted: bool, prior: Any, order_effect: bool, covariates: bool
) -> None:
    effects = (0.5, -0.3) if covariates else ()
    rows = random_rows(21, ties=ties, effects=effects, weighted=weighted, counted=counted, judges=12)
    options: dict[str, Any] = {"order_effect": order_effect, "prior": prior, "covariance": kind}
    model, said = fitted(rows, ties=ties, **options), fit_rows(rows, ties, **options)
    np.testing.assert_allclose(model.log_skill_, said.skill, atol=1e-6)
    np.testing.assert_allclose(model.standard_error_, said.skill_errors, rtol=1e-6)
    np.testing.assert_allclose(model.covariance_, said.covariance[:6, :6], atol=1e-6)
    if covariates:
        np.testing.assert_allclose(model.covariate_error_, said.effect_errors, rtol=1e-6)
    if order_effect:
        error = np.sqrt(model.fit_.joint_covariance[-1, -1])
        assert error == pytest.approx(said.order_error, rel=1e-6)
    v = said.covariance
    difference = np.sqrt(v[0, 0] + v[1, 1] - 2 * v[0, 1])
    assert model.compare(0, 1).standard_error == pytest.approx(difference, rel=1e-6)


@pytest.mark.parametrize("kind", ["robust", "cluster"])
@pytest.mark.parametrize("ties", TIES)
def test_neutral_rows(ties: Any, kind: Any) -> None:
    rows = random_rows(22, ties=ties, weighted=True, neutral=True, judges=10)
    model = fitted(rows, ties=ties, order_effect=True, covariance=kind)
    said = fit_rows(rows, ties, order_effect=True, covariance=kind)
    np.testing.assert_allclose(model.standard_error_, said.skill_errors, rtol=1e-6)
    np.testing.assert_allclose(model.covariate_error_, said.effect_errors, rtol=1e-6)


@pytest.mark.parametrize("kind", ["robust", "cluster"])
@pytest.mark.parametrize("ties", TIES)
def test_the_scale_of_weights_does_not_matter(ties: Any, kind: Any) -> None:
    rows = random_rows(23, ties=ties, weighted=True, judges=15)
    assert rows.weight is not None
    model = fitted(rows, ties=ties, covariance=kind)
    other = fitted(replace(rows, weight=rows.weight * 0.01), ties=ties, covariance=kind)
    np.testing.assert_allclose(other.standard_error_, model.standard_error_, rtol=1e-6)
    np.testing.assert_allclose(other.covariate_error_, model.covariate_error_, rtol=1e-6)


@pytest.mark.parametrize("kind", ["robust", "cluster"])
@pytest.mark.parametrize("ties", TIES)
def test_a_count_of_two_is_a_row_twice(ties: Any, kind: Any) -> None:
    """But a weight of two is not: it is one observation that matters twice as much."""
    rows = random_rows(24, ties=ties, counted=True, judges=15)
    assert rows.count is not None
    repeated = replace(rows.part(np.repeat(np.arange(len(rows.left)), rows.count.astype(int))), count=None)
    model, same = (fitted(each, ties=ties, covariance=kind) for each in (rows, repeated))
    np.testing.assert_allclose(same.standard_error_, model.standard_error_, rtol=1e-6)
    np.testing.assert_allclose(same.covariate_error_, model.covariate_error_, rtol=1e-6)
    weighted = fitted(replace(rows, count=None, weight=rows.count), ties=ties, covariance=kind)
    np.testing.assert_allclose(weighted.log_skill_, model.log_skill_, atol=1e-8)
    ratio = weighted.standard_error_ / model.standard_error_
    assert (ratio > 1.05).all() if kind == "robust" else np.allclose(ratio, 1.0)


@pytest.mark.parametrize("ties", TIES)
def test_a_group_for_each_row(ties: Any) -> None:
    """Then clusters are rows, up to the factor G / (G - 1)."""
    rows = random_rows(25, ties=ties)
    rows = rows.without_ties() if ties == "ignore" else rows
    n = len(rows.left)
    rows = replace(rows, group=np.arange(n))
    robust, cluster = (fitted(rows, ties=ties, covariance=kind) for kind in ("robust", "cluster"))
    factor = np.sqrt(n / (n - 1))
    np.testing.assert_allclose(cluster.standard_error_, robust.standard_error_ * factor, rtol=1e-6)
    np.testing.assert_allclose(cluster.covariate_error_, robust.covariate_error_ * factor, rtol=1e-6)


def test_judges_who_only_tied_do_not_count_if_ties_are_dropped() -> None:
    """G of G / (G - 1) is the number of groups in the rows that are left."""
    rows = random_rows(27, judges=8)
    assert rows.group is not None
    rows = replace(rows, outcome=np.where(rows.group == 0, 0, rows.outcome))
    model = fitted(rows, ties="ignore", covariance="cluster")
    dropped = fitted(rows.without_ties(), ties="ignore", covariance="cluster")
    np.testing.assert_allclose(model.standard_error_, dropped.standard_error_, rtol=1e-6)


def test_half_wins_always_have_robust_errors() -> None:
    rows = random_rows(26)
    model, robust = (fitted(rows, ties="half", covariance=kind) for kind in ("model", "robust"))
    np.testing.assert_allclose(model.standard_error_, robust.standard_error_, rtol=1e-6)
    np.testing.assert_allclose(model.covariate_error_, robust.covariate_error_, rtol=1e-6)


def table_of_facts(weight: Any = None) -> Comparisons:
    data = FACTS["rows"]
    return Comparisons.from_arrays(
        data["left"],
        data["right"],
        data["outcome"],
        weight,
        group=data["group"],
        covariates=np.stack([data["z1"], data["z2"]], axis=1),
        neutral=np.array(data["neutral"], dtype=bool),
    )


def as_statsmodels(model: BradleyTerry) -> tuple[Any, Any]:
    """Items 1 to 11 minus item 0, covariates and order effect; estimates and errors."""
    pairs = [model.compare(item, 0) for item in range(1, 12)]
    order_error = np.sqrt(model.fit_.joint_covariance[-1, -1])
    return (
        np.array([*(each.difference for each in pairs), *model.covariate_effect_, model.order_effect_]),
        np.array([*(each.standard_error for each in pairs), *model.covariate_error_, order_error]),
    )


@pytest.mark.parametrize(("kind", "said", "factor"), KINDS)
def test_statsmodels(kind: Any, said: str, factor: float) -> None:
    """Logit with cov_type "nonrobust", "HC0" and "cluster" without correction; podium has G / (G - 1)."""
    facts = FACTS["statsmodels"]
    model = BradleyTerry(tol=1e-12, order_effect=True, covariance=kind).fit(table_of_facts())
    estimate, error = as_statsmodels(model)
    np.testing.assert_allclose(estimate, facts["coef"], atol=1e-7)
    np.testing.assert_allclose(error, np.sqrt(factor) * np.array(facts[said]), rtol=1e-6)
    assert model.log_likelihood_ == pytest.approx(facts["log_likelihood"][0], rel=1e-9)


def test_statsmodels_with_weights() -> None:
    """GLM with var_weights: weights that are not counts."""
    facts = FACTS["statsmodels"]
    c = table_of_facts(FACTS["rows"]["weight"])
    model = BradleyTerry(tol=1e-12, order_effect=True, covariance="robust").fit(c)
    estimate, error = as_statsmodels(model)
    np.testing.assert_allclose(estimate, facts["weighted_coef"], atol=1e-7)
    np.testing.assert_allclose(error, facts["weighted_HC0"], rtol=1e-6)


def test_the_oracle_agrees_with_statsmodels() -> None:
    data = FACTS["rows"]
    arrays = {name: np.array(data[name]) for name in ("left", "right", "outcome", "group")}
    neutral, Z = np.array(data["neutral"], dtype=bool), np.stack([data["z1"], data["z2"]], axis=1)
    rows = Rows(**arrays, n_items=12, covariates=Z, neutral=neutral)
    for kind, said, factor in KINDS:
        fit = fit_rows(rows, "ignore", order_effect=True, covariance=kind)
        np.testing.assert_allclose(fit.effects, FACTS["statsmodels"]["coef"][11:13], atol=1e-9)
        errors = [*fit.effect_errors, fit.order_error]
        np.testing.assert_allclose(
            errors, np.sqrt(factor) * np.array(FACTS["statsmodels"][said][11:]), rtol=1e-8
        )


@pytest.mark.parametrize("kind", ["robust", "cluster"])
@pytest.mark.parametrize("name", ["Abe", "Zoe"])  # first or last of the items
def test_hardly_weighted_item(name: str, kind: Any) -> None:
    """An item whose rows weigh almost nothing must not spoil the errors of the others, nor its own."""
    rng = np.random.default_rng(3)
    left, right = np.array([rng.permutation(5)[:2] for _ in range(400)]).T
    names = np.array(["Ben", "Cat", "Dan", "Eve", "Flo"])
    sides = (np.r_[names[left], [name] * 20], np.r_[names[right], ["Ben", "Cat"] * 10])
    outcome = np.r_[rng.choice([-1, 0, 1], 400), [1, -1, -1, 1] * 5]

    def errors(weight: float) -> Any:
        weights = np.r_[np.ones(400), np.full(20, weight)]
        c = Comparisons.from_arrays(*sides, outcome, weights, group=np.arange(420) % 30)
        model = BradleyTerry(covariance=kind, tol=1e-13).fit(c)
        return model.standard_error_, model.compare("Ben", "Cat").standard_error

    (near, between), (tiny, still) = errors(1e-7), errors(1e-30)
    np.testing.assert_allclose(tiny, near, rtol=1e-4)
    assert still == pytest.approx(between, rel=1e-4)
