"""Effects that the data do not determine: equal, collinear and separating covariates."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons
from podium.bradley_terry.determined import open_effects, without_dependent
from podium.skill.fit import ExistenceWarning
from tests.bradley_terry.votes import make_votes

VOTES = make_votes()
LENGTH, PRICE = np.asarray(VOTES.covariates).T


def with_columns(**columns: Any) -> Comparisons:
    return VOTES.with_covariates(columns)


def fitted(c: Comparisons, match: str, **options: Any) -> Any:
    with pytest.warns(ExistenceWarning, match=match):
        return BradleyTerry(**options).fit(c)


def test_columns_of_counted_pairs_are_left_out_if_they_depend_on_others() -> None:
    fit = BradleyTerry(order_effect=True).fit(with_columns(length=LENGTH, other=PRICE)).fit_
    counts, skill = fit.problem.counts, np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    design: Any = counts.design
    assert not open_effects(fit.problem, fit.solution).any()
    kept = without_dependent(fit.problem, fit.covariates)[1]
    assert kept.used_names == ("length", "other")
    for other in (2 * design[:, 0], skill[counts.partner] - skill[counts.first], 7 * design[:, -1]):
        columns = np.column_stack([design[:, 0], other, design[:, -1]])
        problem = replace(fit.problem, counts=replace(counts, design=columns))
        problem, kept, _ = without_dependent(problem, fit.covariates)
        assert kept.used_names == ("length",)
        np.testing.assert_array_equal(problem.counts.design, columns[:, [0, 2]])


def test_columns_without_an_effect_of_their_own_are_left_out() -> None:
    plain = BradleyTerry(order_effect=True).fit(with_columns(length=LENGTH))
    skill = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    for other in (
        2 * LENGTH,
        skill[VOTES.right] - skill[VOTES.left],
        np.where(np.asarray(VOTES.neutral), 0.0, 7.0),
    ):
        model = fitted(with_columns(length=LENGTH, other=other), "'other' is .*collinear", order_effect=True)
        np.testing.assert_allclose(model.covariate_effect_, [*plain.covariate_effect_, np.nan], atol=1e-7)
        np.testing.assert_allclose(model.covariate_error_, [*plain.covariate_error_, np.nan], atol=1e-7)
        np.testing.assert_allclose(model.log_skill_, plain.log_skill_, atol=1e-7)
        new = with_columns(length=LENGTH, other=0 * LENGTH + 100)
        np.testing.assert_allclose(
            model.decision_function(new), plain.decision_function(with_columns(length=LENGTH))
        )


def test_a_covariate_that_never_differs_is_left_out() -> None:
    model = fitted(with_columns(price=PRICE, same=0 * PRICE), "'same' is the same on both sides")
    assert np.isnan(model.covariate_effect_[1])
    assert model.covariate_names_ == ("price", "same")
    only = fitted(with_columns(same=0 * PRICE), "the same on both sides")
    bare = BradleyTerry().fit(VOTES.with_covariates(np.zeros((len(VOTES), 0))))
    np.testing.assert_allclose(only.log_skill_, bare.log_skill_, atol=1e-7)


def test_an_order_effect_that_is_a_difference_of_skills_has_no_estimate() -> None:
    left, right = np.tile([0, 1], 20), np.tile([2, 3], 20)
    outcome = np.random.default_rng(0).choice([-1, 1], 40)
    c = Comparisons.from_arrays(left, right, outcome, covariates=np.arange(40.0) % 7)
    with pytest.raises(ValueError, match="the order effect is a combination of skills"):
        BradleyTerry(order_effect=True).fit(c)


@pytest.mark.parametrize("ties", ["davidson", "half", "ignore"])
def test_a_separating_covariate_is_named_and_kept_finite(ties: Any) -> None:
    outcome = np.where(VOTES.outcome == 0, 0, np.sign(LENGTH)).astype(int)
    if ties != "ignore":
        outcome[VOTES.outcome == 0] = np.sign(LENGTH)[VOTES.outcome == 0]
    c = make_votes(outcome=outcome)
    model = fitted(c, "'length' has no finite maximum-likelihood estimate", ties=ties)
    assert model.result_.converged
    assert 5 < model.covariate_effect_[0] < 100
    assert np.isfinite(model.covariate_error_).all()
    with pytest.raises(ValueError, match=r"'length' has no finite.*leave it out"):
        BradleyTerry(ties=ties, prior=0).fit(c)


def test_a_prior_of_the_skills_does_not_bound_a_covariate() -> None:
    model = fitted(make_votes(outcome=np.sign(LENGTH).astype(int)), "'length'", prior=1.0)
    assert 5 < model.covariate_effect_[0] < 100


def test_almost_separated_is_not_separated() -> None:
    outcome = np.sign(LENGTH).astype(int)
    outcome[np.argmax(np.abs(LENGTH))] *= -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BradleyTerry().fit(make_votes(outcome=outcome))
    assert model.result_.converged


def test_nobody_is_at_home() -> None:
    with pytest.raises(ValueError, match="every comparison is on neutral ground"):
        BradleyTerry(order_effect=True).fit(make_votes(neutral=np.ones(2_000, bool)))


def test_mm_says_what_it_does_not_take() -> None:
    with pytest.raises(ValueError, match="solver='mm' takes no covariates"):
        BradleyTerry(solver="mm").fit(VOTES)
    other = [
        BradleyTerry(order_effect=True, solver=solver).fit(VOTES) for solver in ("lbfgs", "newton", "auto")
    ]
    for model in other[1:]:
        np.testing.assert_allclose(model.covariate_effect_, other[0].covariate_effect_, atol=1e-7)


def test_ties_alone_say_nothing_about_effects() -> None:
    model = fitted(make_votes(outcome=np.zeros(2_000, int)), "only ties", order_effect=True)
    assert np.isnan(model.covariate_effect_).all()
    assert model.order_effect_ == 0
