"""Covariates with every model of ties, order effect, prior, weights and counts, against a plain oracle."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons
from tests.oracles.paired_rows import Fitted, Rows, fit_rows, logs_of_outcomes
from tests.oracles.simulated import random_rows

TIES = ["davidson", "rao-kupper", "half", "ignore"]


def fitted(rows: Rows, **parameters: Any) -> BradleyTerry:
    return BradleyTerry(tol=1e-12, **parameters).fit(rows.comparisons())


def check(model: BradleyTerry, said: Fitted) -> None:
    close: Any = {"rtol": 1e-6, "atol": 1e-6}
    np.testing.assert_allclose(model.log_skill_, said.skill, **close)
    np.testing.assert_allclose(model.tie_, said.tie, **close)
    np.testing.assert_allclose(model.order_effect_, said.order, **close)
    np.testing.assert_allclose(model.standard_error_, said.skill_errors, **close)
    if said.objective.rows.covariates is not None:
        np.testing.assert_allclose(model.covariate_effect_, said.effects, **close)
        np.testing.assert_allclose(model.covariate_error_, said.effect_errors, **close)
    if said.objective.order_effect:
        error = np.sqrt(model.fit_.joint_covariance[-1, -1])
        np.testing.assert_allclose(error, said.order_error, **close)


@pytest.mark.parametrize("prior", [0, "auto", 0.5])
@pytest.mark.parametrize(("order_effect", "neutral"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize(
    ("weighted", "counted"), [(False, False), (True, False), (False, True), (True, True)]
)
@pytest.mark.parametrize("ties", TIES)
def test_estimates_and_errors(
    ties: Any, weighted: bool, counted: bool, order_effect: bool, neutral: bool, prior: Any
) -> None:
    rows = random_rows(3, ties=ties, weighted=weighted, counted=counted, neutral=neutral)
    model = fitted(rows, ties=ties, prior=prior, order_effect=order_effect)
    said = fit_rows(rows, ties, order_effect=order_effect, prior=0.0 if prior == "auto" else prior)
    check(model, said)


@pytest.mark.parametrize("ties", TIES)
def test_without_covariates(ties: Any) -> None:
    """The oracle itself, against what podium could do before it had covariates."""
    rows = random_rows(4, ties=ties, effects=(), weighted=True)
    model = fitted(rows, ties=ties, prior=0.5, order_effect=True)
    check(model, fit_rows(rows, ties, order_effect=True, prior=0.5))


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_no_ties_at_all(ties: Any) -> None:
    """Both models of ties become the plain one."""
    rows = random_rows(5).without_ties()
    model = fitted(rows, ties=ties, order_effect=True)
    said = fit_rows(rows, "ignore", order_effect=True)
    np.testing.assert_allclose(model.covariate_effect_, said.effects, atol=1e-6)
    np.testing.assert_allclose(model.covariate_error_, said.effect_errors, atol=1e-6)
    np.testing.assert_allclose(model.standard_error_, said.skill_errors, atol=1e-6)


def test_effects_are_in_the_units_of_the_user() -> None:
    rows = random_rows(6)
    assert rows.covariates is not None
    unit = np.array([1e6, 1e-6])
    model, other = fitted(rows), fitted(replace(rows, covariates=rows.covariates * unit))
    np.testing.assert_allclose(other.covariate_effect_ * unit, model.covariate_effect_, rtol=1e-6)
    np.testing.assert_allclose(other.covariate_error_ * unit, model.covariate_error_, rtol=1e-6)
    np.testing.assert_allclose(other.log_skill_, model.log_skill_, atol=1e-8)


def test_covariates_far_from_zero() -> None:
    """A column that is nearly constant is nearly the order effect."""
    rows = random_rows(7, n=400)
    assert rows.covariates is not None
    far = replace(rows, covariates=rows.covariates + np.array([100.0, 0.0]))
    check(fitted(far, order_effect=True), fit_rows(far, "davidson", order_effect=True))


@pytest.mark.parametrize("ties", TIES)
def test_swapping_the_sides(ties: Any) -> None:
    """Outcomes, covariates and the order effect change their sign, and nothing else changes."""
    rows = random_rows(8, ties=ties, neutral=True)
    assert rows.covariates is not None
    swapped = replace(
        rows, left=rows.right, right=rows.left, outcome=-rows.outcome, covariates=-rows.covariates
    )
    model, other = (fitted(each, ties=ties, order_effect=True) for each in (rows, swapped))
    assert other.order_effect_ == pytest.approx(-model.order_effect_, abs=1e-8)
    np.testing.assert_allclose(other.covariate_effect_, model.covariate_effect_, atol=1e-8)
    np.testing.assert_allclose(other.covariate_error_, model.covariate_error_, atol=1e-8)
    np.testing.assert_allclose(other.log_skill_, model.log_skill_, atol=1e-8)


@pytest.mark.parametrize("ties", TIES)
def test_a_row_twice_is_a_count_of_two(ties: Any) -> None:
    rows = random_rows(9, ties=ties, counted=True)
    assert rows.count is not None
    repeated = replace(rows.part(np.repeat(np.arange(len(rows.left)), rows.count.astype(int))), count=None)
    as_weight = replace(rows, weight=rows.count, count=None)
    model = fitted(rows, ties=ties, order_effect=True)
    for other in (repeated, as_weight):
        same = fitted(other, ties=ties, order_effect=True)
        np.testing.assert_allclose(same.log_skill_, model.log_skill_, atol=1e-8)
        np.testing.assert_allclose(same.covariate_effect_, model.covariate_effect_, atol=1e-8)
        np.testing.assert_allclose(same.covariate_error_, model.covariate_error_, atol=1e-8)
        np.testing.assert_allclose(same.standard_error_, model.standard_error_, atol=1e-8)


@pytest.mark.parametrize("ties", TIES)
def test_predictions_use_covariates_and_neutral_rows(ties: Any) -> None:
    rows = random_rows(10, ties=ties, neutral=True)
    model = fitted(rows, ties=ties, order_effect=True)
    said = fit_rows(rows, ties, order_effect=True)
    assert rows.covariates is not None
    assert rows.neutral is not None
    d = said.skill[rows.right] - said.skill[rows.left] + rows.covariates @ said.effects
    d -= said.order * ~rows.neutral
    np.testing.assert_allclose(model.decision_function(rows.comparisons()), d, atol=1e-6)
    p = np.exp(logs_of_outcomes(d, said.x[-1], said.objective.link))
    if not said.objective.has_tie:
        p[:, 1] = 0.0
    np.testing.assert_allclose(model.predict_proba(rows.comparisons()), p, atol=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "ignore"])
@pytest.mark.parametrize("order_effect", [False, True])
def test_likelihood_and_criteria(ties: Any, order_effect: bool) -> None:
    rows = random_rows(11, ties=ties)
    model = fitted(rows, ties=ties, order_effect=order_effect)
    said = fit_rows(rows, ties, order_effect=order_effect)
    value, n = float(said.objective.log_likelihood(said.x)), len(said.objective.data.left)
    free = len(said.x) - 1  # the sum of the log-skills is not free
    assert model.log_likelihood_ == pytest.approx(value, rel=1e-9)
    assert model.aic_ == pytest.approx(2 * free - 2 * value, rel=1e-9)
    assert model.bic_ == pytest.approx(np.log(n) * free - 2 * value, rel=1e-9)


def test_leagues_that_never_met_share_the_effects() -> None:
    """Skills are centred within each league; covariates, ties and order effect are common."""
    one, two = random_rows(12, n_items=5, n=120), random_rows(13, n_items=4, n=100)
    both = ("left", "right")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(one, name), getattr(two, name) + 5 * (name in both)])
        for name in (*both, "outcome", "covariates")
    }
    rows = Rows(n_items=9, **joined)
    said = fit_rows(rows, "davidson", order_effect=True, component=np.repeat([0, 1], [5, 4]))
    with pytest.warns(UserWarning, match="never compared"):
        model = fitted(rows, order_effect=True)
    check(model, said)


@pytest.mark.parametrize("ties", TIES)
def test_an_undefeated_item_and_the_prior_of_eq_7(ties: Any) -> None:
    rows = random_rows(14, ties=ties)
    outcome = np.where(rows.right == 0, 1, np.where(rows.left == 0, -1, rows.outcome))
    rows = replace(rows, outcome=outcome)
    model = fitted(rows, ties=ties, order_effect=True, prior=0.1)
    check(model, fit_rows(rows, ties, order_effect=True, prior=0.1))
    with pytest.warns(UserWarning, match="only between items that met"):
        fitted(rows, ties=ties, order_effect=True)


def test_features_alone_by_a_prior_that_makes_all_items_equal() -> None:
    """A huge μ leaves no room for skills: the effects are those of a logistic regression."""
    rows = random_rows(15, ties="ignore", effects=(), features=2).without_ties()
    assert rows.features is not None
    Z = rows.features[rows.right] - rows.features[rows.left]
    sides = np.where(np.arange(len(Z)) % 2 == 0, 1, -1)  # two names that mean nothing
    left, right = np.where(sides > 0, "one", "two"), np.where(sides > 0, "two", "one")
    c = Comparisons.from_arrays(left, right, rows.outcome, covariates=Z)
    model = BradleyTerry(prior=1e8, tol=1e-12).fit(c)
    b = np.zeros(2)
    for _ in range(30):
        p = 1 / (1 + np.exp(-Z @ b))
        information = Z.T @ ((p * (1 - p))[:, None] * Z)
        b = b + np.linalg.solve(information, Z.T @ ((rows.outcome == 1) - p))
    np.testing.assert_allclose(model.covariate_effect_, b, atol=1e-6)
    np.testing.assert_allclose(
        model.covariate_error_, np.sqrt(np.diag(np.linalg.inv(information))), atol=1e-6
    )


def few_rows(**more: Any) -> Comparisons:
    left, right = ["a", "b", "c", "a", "b", "c", "a", "b"], ["b", "c", "a", "c", "a", "b", "b", "c"]
    x, y = [1.0, -2, 0.5, 1, 3, -1, 2, 0], [0.0, 1, 1, -1, 2, 0, 1, -2]
    return Comparisons.from_arrays(
        left, right, more.pop("outcome", [1, -1, 1, -1, 1, 1, -1, 0]), covariates={"x": x, "y": y}, **more
    )


def test_prediction_finds_covariates_by_name() -> None:
    c = few_rows()
    model = BradleyTerry(prior=1.0).fit(c)
    turned = c.with_covariates({"y": c.covariates[:, 1], "x": c.covariates[:, 0]})  # type: ignore[index]
    np.testing.assert_array_equal(model.predict_proba(turned), model.predict_proba(c))
    with pytest.raises(ValueError, match=r"the covariates are 'x', but .* 'x', 'y'; give exactly these"):
        model.predict_proba(c.with_covariates({"x": np.zeros(8)}))


def test_only_ties_keep_the_names_of_covariates() -> None:
    c = few_rows(outcome=[0] * 8)
    with pytest.warns(UserWarning, match="only ties.* they say nothing about the effects of 'x', 'y'"):
        model = BradleyTerry(order_effect=True).fit(c)
    assert model.covariate_names_ == ("x", "y")
    assert np.isnan(model.covariate_effect_).all()
    assert np.isnan(model.covariate_error_).all()
    np.testing.assert_array_equal(model.predict_proba(c)[:, 1], 1)


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e140])
def test_any_unit(unit: float) -> None:
    c = few_rows()
    plain = BradleyTerry(prior=1.0).fit(c)
    model = BradleyTerry(prior=1.0).fit(c.with_covariates(unit * c.covariates))  # type: ignore[operator]
    np.testing.assert_allclose(model.covariate_effect_ * unit, plain.covariate_effect_, rtol=1e-6)
    np.testing.assert_allclose(model.covariate_error_ * unit, plain.covariate_error_, rtol=1e-6)


def test_one_separating_covariate_is_not_called_several() -> None:
    c = few_rows().with_covariates({"x": np.array([1.0, -1, 1, -1, 1, 1, -1, 0])})
    with pytest.warns(UserWarning, match="the effect of 'x' has no finite .* because it separates"):
        BradleyTerry().fit(c)
