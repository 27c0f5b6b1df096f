from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.comparisons.arrays import Floats
from podium.core.links import mean_probabilities, outcome_probabilities
from podium.skill.fit import ExistenceWarning
from podium.skill.prediction import difference_variances

CLUB = pod.datasets.load_chess_club()
N = 20_000


def deviates(found: Any, expected: Any, error: Floats) -> float:
    """The largest distance in standard errors of the mean of N draws."""
    return float(np.abs(found - expected).max() / (error.max() / np.sqrt(N)))


@pytest.mark.parametrize("prior", ["auto", "normal"])
def test_draws_have_the_mean_and_the_covariance_of_the_fit(prior: Any) -> None:
    model = pod.BradleyTerry(order_effect=True, prior=prior).fit(CLUB)
    draws = model.draws(N, random_state=0)
    assert list(draws.columns) == [*model.items_, "order_effect", "tie"]
    x = np.column_stack([draws[model.items_], np.log(draws["tie"]), draws["order_effect"]])
    joint = model.fit_.joint_covariance
    assert deviates(x.mean(axis=0), model.fit_.solution, np.sqrt(np.diag(joint))) < 5
    scale = np.sqrt(np.outer(np.diag(joint), np.diag(joint)))
    assert np.abs(np.cov(x.T) - joint).max() < 6 * scale.max() / np.sqrt(N)


def test_draws_of_a_model_that_moves_are_those_of_its_date() -> None:
    games = pod.Comparisons.from_arrays(
        ["ann"] * 40 + ["bob"] * 20,
        ["bob"] * 40 + ["cat"] * 20,
        [-1, 0] * 10 + [1] * 20 + [-1, 1, 0, 1] * 5,
        time=[*range(40), *range(10, 30)],
    )
    model = pod.DynamicBradleyTerry(spread=1.0, drift=0.3, order_effect=True).fit(games)
    early, late = model.draws(N, 0, at=15), model.draws(N, 0)
    for draws, at in ((early, 15), (late, 39)):
        fit = model._snapshot(at)
        assert deviates(draws[fit.items].mean(), fit.log_skill, fit.standard_error) < 5
        assert np.allclose(draws[fit.items].std(), fit.standard_error, rtol=0.03)
        assert (draws["tie"] == model.tie_).all()
    assert early["ann"].mean() > early["bob"].mean()
    assert late["ann"].mean() < late["bob"].mean()


def test_rankings_draw_skills_and_ties() -> None:
    lists = [["a", ("b", "c")], ["b", "a", "c"], [("a", "c"), "b"], ["c", "b", "a"], ["b", "c", "a"]] * 4
    model = pod.PlackettLuce().fit(pod.Rankings.from_lists(lists))
    draws = model.draws(N, 0)
    assert list(draws.columns) == ["a", "b", "c", "tie"]
    errors = np.sqrt(np.diag(model.fit_.joint_covariance))
    assert np.allclose(draws[["a", "b", "c"]].std(), errors[:3], rtol=0.03)
    assert np.log(draws["tie"]).mean() == pytest.approx(np.log(model.tie_[2]), abs=5 * errors[3] / N**0.5)
    found = model.predict_proba([["a", "b"], ["a", "b", "c"]], uncertainty=True)
    plain = model.predict_proba([["a", "b"], ["a", "b", "c"]])
    assert [part.sum() for part in found] == pytest.approx([1, 1])
    for more, less in zip(found, plain, strict=True):
        assert 0 < np.abs(more - less).max() < 0.03
    assert (model.predict_proba([["a", "b"]], uncertainty=True)[0] == found[0]).all()


def chances_of_draws(model: Any, sides: Any) -> Floats:
    """The mean over draws of the skills and effects, with the tie parameter as estimated."""
    draws = model.draws(N, random_state=1)
    strength = [np.log(sum(np.exp(draws[name]) for name in side)) for side in sides]
    d = strength[1] - strength[0] - draws["order_effect"]
    return np.asarray(outcome_probabilities(d.to_numpy(), model.fit_.link).mean(axis=0))


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
def test_the_chances_are_means_over_the_draws(ties: Any) -> None:
    model = pod.BradleyTerry(ties, order_effect=True).fit(CLUB[:150])
    clear = int(np.argmax(np.abs(model.decision_function(CLUB))))
    row = CLUB[clear : clear + 1]
    sides = [[CLUB.items[row.left[0]]], [CLUB.items[row.right[0]]]]
    found = model.predict_proba(row, uncertainty=True)[0]
    assert found == pytest.approx(chances_of_draws(model, sides), abs=0.006)
    assert np.abs(found - model.predict_proba(row)[0]).max() > 0.001


def test_the_strength_of_a_team_counts_as_linear() -> None:
    rng = np.random.default_rng(0)
    names = np.array(list("abcdef"))
    teams = [rng.permutation(6)[:4] for _ in range(300)]
    left, right = [tuple(names[t[:2]]) for t in teams], [tuple(names[t[2:]]) for t in teams]
    c = pod.Comparisons.from_arrays(left, right, rng.choice([-1, -1, 1], 300))
    model = pod.BradleyTerry(order_effect=True).fit(c)
    found = model.predict_proba(c[:1], uncertainty=True)[0]
    assert found == pytest.approx(chances_of_draws(model, [left[0], right[0]]), abs=0.01)


def test_covariates_and_neutral_ground_have_their_share_in_the_variance() -> None:
    rng = np.random.default_rng(1)
    z, neutral = rng.normal(size=len(CLUB)), rng.random(len(CLUB)) < 0.3
    c = replace(CLUB.with_covariates(z, ["length"]), neutral=neutral)
    model = pod.BradleyTerry(order_effect=True).fit(c)
    slopes = model.fit_.difference_slopes(c).toarray()
    expected = np.einsum("ij,jk,ik->i", slopes, model.fit_.joint_covariance, slopes)
    assert difference_variances(model.fit_, c) == pytest.approx(expected, rel=1e-9)


def test_many_items_take_the_errors_that_are_drawn() -> None:
    fit = pod.BradleyTerry(order_effect=True).fit(CLUB).fit_
    drawn = difference_variances(replace(fit, exact_items=0), CLUB)
    assert drawn == pytest.approx(difference_variances(fit, CLUB), rel=0.35)


def test_a_new_item_adds_the_variance_of_the_prior() -> None:
    model = pod.BradleyTerry(prior="normal").fit(CLUB)
    known = str(model.items_[0])
    c = pod.Comparisons.from_arrays([known], ["somebody new"])
    fit, variance = model.fit_, model.prior_scale_**2 + model.standard_error_[0] ** 2
    d = -model.log_skill_[:1]
    expected = mean_probabilities(d, np.sqrt([variance]), fit.link)
    assert model.predict_proba(c, uncertainty=True) == pytest.approx(expected, rel=1e-9)


def test_a_dynamic_forecast_is_less_sure_with_the_errors_of_its_parameters() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.permuted(np.tile(np.arange(5), (60, 1)), axis=1)[:, :2].T
    outcome = np.where(rng.random(60) < 0.8, np.sign(left - right), 0)
    c = pod.Comparisons.from_arrays(left, right, outcome, time=np.arange(60))
    model = pod.DynamicBradleyTerry().fit(c)
    sure, less = model.predict_proba(c), model.predict_proba(c, uncertainty=True)
    clear = sure.max(axis=1) > 0.6
    assert clear.sum() > 10
    assert (less.max(axis=1) < sure.max(axis=1))[clear].all()


def test_names_of_parameters_are_no_names_of_items() -> None:
    games = pod.Comparisons.from_arrays(["tie", "b", "b"], ["b", "tie", "tie"], [1, 1, 0])
    with pytest.raises(ValueError, match="an item is called 'tie'"):
        pod.BradleyTerry().fit(games).draws(10)


def test_only_ties_leave_nothing_to_draw() -> None:
    only_ties = pod.Comparisons.from_arrays(["a"], ["b"], [0])
    with pytest.warns(ExistenceWarning):
        model = pod.BradleyTerry().fit(only_ties)
    with pytest.raises(ValueError, match="only ties"):
        model.draws(10)
    assert model.predict_proba(only_ties, uncertainty=True)[0, 1] == 1
