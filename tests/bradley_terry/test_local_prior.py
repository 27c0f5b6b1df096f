"""The local prior against pseudo-games that are given as rows, and weak normal priors."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import minimize

import podium as pod
from podium import BradleyTerry, Comparisons, PlackettLuce, Rankings
from podium.bradley_terry.counts.pairs import Replicate
from podium.bradley_terry.errors.information import information, whole
from podium.bradley_terry.refit import refitter
from podium.skill.fit import ExistenceWarning
from podium.skill.plan import LOCAL
from tests.comparisons.strategies import comparisons
from tests.oracles.ranked import plain_loss

QUIET = pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")


def with_champion(tie_rate: float, n: int = 80) -> Comparisons:
    """Games of six items, and a champion who beat two of them once each; weights differ."""
    c, _ = pod.datasets.make_games(6, n, tie_rate=tie_rate, order_effect=0.4, random_state=3)
    left, right = ([*map(str, side.tolist())] for side in (c.left, c.right))
    weight = np.random.default_rng(0).integers(1, 4, len(c) + 2)
    outcome = np.append(np.asarray(c.outcome), [-1, 1])
    return Comparisons.from_arrays([*left, "champion", "2"], [*right, "1", "champion"], outcome, weight)


def plain_objective(c: Comparisons, x: Any, ties: str, order_effect: bool) -> float:
    """The negative log-likelihood of the rows and of their pseudo-games, straight from the definitions."""
    k, mass, outcome = c.n_items, np.asarray(c.mass), np.asarray(c.outcome)
    theta, modelled = x[:k], ties in ("davidson", "rao-kupper")
    apart = theta[c.right] - theta[c.left]
    half = (apart - x[-1] * order_effect) / 2
    a, b = np.exp(-half), np.exp(half)
    kappa = np.exp(x[k]) if modelled else 0.0
    if ties == "rao-kupper":
        left, right = a / (a + kappa * b), b / (b + kappa * a)
        tied = 1 - left - right
    else:
        left, tied, right = (part / (a + kappa + b) for part in (a, kappa, b))
    logs = np.log(np.where(outcome < 0, left, right))
    with np.errstate(divide="ignore"):
        log_tie = np.log(tied) if modelled else (np.log(left) + np.log(right)) / 2
    value = -mass @ np.where(outcome == 0, log_tie, logs)
    d = np.bincount(c.left, mass, k) + np.bincount(c.right, mass, k)
    e = LOCAL * mass * (1 / d[c.left] + 1 / d[c.right])
    return float(value + e @ np.log(2 * np.cosh(apart / 2)))


@QUIET
@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
def test_the_fit_minimises_the_objective_as_it_is_defined(ties: Any, order_effect: bool) -> None:
    c = with_champion(0.5)
    rows = c[c.outcome != 0] if ties == "ignore" else c
    model = BradleyTerry(ties, order_effect=order_effect).fit(c)
    assert model.prior_ == LOCAL
    modelled, k = ties in ("davidson", "rao-kupper"), c.n_items
    x = np.r_[model.log_skill_, [np.log(model.tie_)] * modelled, [model.order_effect_] * order_effect]
    start = np.r_[np.zeros(k), np.ones(len(x) - k)]
    found = minimize(lambda y: plain_objective(rows, y, ties, order_effect), start, tol=1e-9).x
    found[:k] -= found[:k].mean()
    np.testing.assert_allclose(x, found, atol=1e-4)
    if ties != "half":  # its errors are a sandwich
        h = 1e-3 * np.eye(len(x))
        bends = [
            [
                sum(
                    s * t * plain_objective(rows, x + s * u + t * v, ties, order_effect)
                    for s in (1, -1)
                    for t in (1, -1)
                )
                for v in h
            ]
            for u in h
        ]
        covariance = np.linalg.pinv(np.array(bends) / 4e-6, rcond=1e-6, hermitian=True)
        np.testing.assert_allclose(
            model.fit_.joint_covariance, covariance, atol=1e-3 * np.abs(covariance).max()
        )
    assert model.fit_.n_comparisons == pytest.approx(rows.mass.sum())
    assert model.leaderboard().games.sum() == pytest.approx(2 * c.mass.sum())
    if ties == "davidson":
        p = model.predict_proba(c)[np.arange(len(c)), np.asarray(c.outcome) + 1]
        assert model.log_likelihood_ == pytest.approx(np.asarray(c.mass) @ np.log(p))


@pytest.mark.parametrize("solver", ["lbfgs", "newton", "mm"])
@QUIET
def test_all_solvers_agree(solver: Any) -> None:
    c = with_champion(0.5)
    found = BradleyTerry(solver=solver, max_iter=20_000, tol=1e-10).fit(c)
    np.testing.assert_allclose(found.log_skill_, BradleyTerry().fit(c).log_skill_, atol=1e-6)


@QUIET
@given(comparisons(min_size=1, teams=False))
def test_a_row_twice_is_a_count_of_two(c: Comparisons) -> None:
    left, right, outcome, mass = c.items[c.left], c.items[c.right], np.asarray(c.outcome), np.asarray(c.mass)
    found = BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome, 2 * mass))
    twice = Comparisons.from_arrays(
        np.tile(left, 2)[::-1], np.tile(right, 2)[::-1], np.tile(outcome, 2)[::-1], np.tile(mass, 2)[::-1]
    )
    other = BradleyTerry().fit(twice)
    assert found.prior_ == other.prior_
    np.testing.assert_allclose(found.log_skill_, other.log_skill_, atol=1e-5)
    swapped = BradleyTerry().fit(Comparisons.from_arrays(right, left, -outcome, 2 * mass))
    np.testing.assert_allclose(found.log_skill_, swapped.log_skill_, atol=1e-5)


@QUIET
def test_only_the_group_without_an_estimate_has_pseudo_games() -> None:
    ring = Comparisons.from_arrays(list("xyzx"), list("yzxy"), [-1] * 4)
    alone = BradleyTerry(prior=0).fit(ring)
    model = BradleyTerry().fit(pod.concat([with_champion(0.0), ring]))
    at = np.isin(model.items_, list("xyz"))
    np.testing.assert_allclose(model.log_skill_[at], alone.log_skill_, atol=1e-8)
    assert model.fit_.problem.local[~at].all()


@QUIET
def test_items_that_a_refit_does_not_draw_stay_connected() -> None:
    """Without any result, the pseudo-games of the pairs that met make all items equal."""
    fit = BradleyTerry().fit(with_champion(0.0)).fit_
    nothing = np.zeros(len(fit.problem.counts.total))
    found = refitter(fit.problem, fit.solution, fit.items, 1e-9)(Replicate(nothing, nothing, nothing))
    np.testing.assert_allclose(found.solution, 0, atol=1e-6)


# ------------------------------------------------------------------------------------ rankings


@QUIET
@pytest.mark.parametrize("weights", [False, True])
def test_rankings_of_two_are_comparisons(weights: bool) -> None:
    c = with_champion(0.0)
    mass = c.mass if weights else np.ones(len(c))
    left, right = c.items[c.left], c.items[c.right]
    won = np.asarray(c.outcome)[:, None] < 0
    lists = np.where(won, np.column_stack([left, right]), np.column_stack([right, left])).tolist()
    paired = BradleyTerry().fit(Comparisons.from_arrays(left, right, c.outcome, mass))
    ranked = PlackettLuce().fit(Rankings.from_lists(lists, mass))
    assert ranked.prior_ == LOCAL
    np.testing.assert_allclose(ranked.log_skill_, paired.log_skill_, atol=1e-6)
    np.testing.assert_allclose(ranked.standard_error_, paired.standard_error_, rtol=1e-5)


@QUIET
def test_rankings_have_pseudo_choices() -> None:
    """The objective as it is defined, minimised by scipy; the errors are those of its second derivatives."""
    lists = [["a", "b", "c", "d"], ["a", "c", "b"], ["b", "d"], ["d", "c", "b"], ["a", "d", "c"]]
    r = Rankings.from_lists(lists, [1.0, 2.0, 1.0, 3.0, 1.0])
    model = PlackettLuce().fit(r)
    rows = [r.entries[i:j] for i, j in zip(r.indptr[:-1], r.indptr[1:], strict=True)]
    d = sum(mass * np.isin(np.arange(4), row) for mass, row in zip(r.mass, rows, strict=True))

    def objective(x: Any) -> Any:
        pseudo = [
            mass * LOCAL * (1 / d[row]).sum() * (np.log(np.exp(x[row]).sum()) - x[row].mean())
            for mass, row in zip(r.mass, rows, strict=True)
        ]
        return plain_loss(r, x) + sum(pseudo)

    found = minimize(objective, np.zeros(4), tol=1e-12).x
    np.testing.assert_allclose(model.log_skill_, found - found.mean(), atol=1e-4)
    assert model.log_likelihood_ == pytest.approx(-plain_loss(r, model.log_skill_))
    h = 1e-3 * np.eye(4)
    bends = [[objective(found + u + v) - objective(found + u - v) for v in h] for u in h]
    less = [[objective(found - u + v) - objective(found - u - v) for v in h] for u in h]
    information = (np.array(bends) - np.array(less)) / 4e-6
    np.testing.assert_allclose(model.covariance_, np.linalg.pinv(information, rcond=1e-5), atol=1e-3)


# ------------------------------------------------------------------------------------ hardly bounded


def many_ties() -> Comparisons:
    """The tie parameter and the order effect have finite estimates, of 10^7 and 15."""
    for seed in range(100):
        c, _ = pod.datasets.make_games(50, 125, tie_rate=10.0, order_effect=0.5, random_state=seed)
        try:
            model = BradleyTerry(order_effect=True, prior=0).fit(c)
        except ValueError:
            continue
        if model.tie_ > 1e5:
            return c
    raise AssertionError


def test_numbers_that_are_hardly_bounded_get_a_weak_prior_and_a_note() -> None:
    c = many_ties()
    assert BradleyTerry(order_effect=True, prior=0).fit(c).notes_ == ()  # prior=0 adds nothing
    with pytest.warns(ExistenceWarning, match="the comparisons hardly bound the tie parameter"):
        model = BradleyTerry(order_effect=True).fit(c)
    assert 1 < model.tie_ < 1_000
    assert abs(model.order_effect_) < 5
    assert np.abs(model.log_skill_).max() < 15
    assert model.result_.converged


def test_leagues_that_a_normal_prior_draws_together_are_named() -> None:
    rng = np.random.default_rng(1)
    left = rng.integers(0, 40, 1_200)
    right = (left + rng.integers(1, 40, 1_200)) % 40
    league = rng.integers(0, 2, 1_200) * 40
    left, right = np.append(left + league, np.arange(30)), np.append(right + league, 40 + np.arange(30))
    theta = rng.normal(0, 0.5, 80) + 1.5 * (np.arange(80) >= 40)
    outcome = np.where(rng.random(1_230) < 1 / (1 + np.exp(theta[left] - theta[right])), 1, -1)
    c = Comparisons.from_arrays(left, right, outcome)
    with pytest.warns(ExistenceWarning, match="only 30 comparisons join a group of 40 items to the other 40"):
        BradleyTerry(prior="normal").fit(c)
    second = (np.arange(80) >= 40).astype(float)[:, None]
    model = BradleyTerry(prior="normal").fit(c.with_features(second, ["league"]))  # which is the cure
    assert model.notes_ == ()
    assert 0.5 < model.log_skill_[40:].mean() - model.log_skill_[:40].mean() < 2.5


@pytest.mark.parametrize("rao_kupper", [False, True])
@pytest.mark.parametrize("with_covariate", [False, True])
def test_derivatives_with_pseudo_games_and_weak_priors(rao_kupper: bool, with_covariate: bool) -> None:
    c, _ = pod.datasets.make_games(5, 60, order_effect=0.4, random_state=0)
    if with_covariate:
        c = c.with_covariates({"x": np.random.default_rng(1).normal(size=60)})
    fit = BradleyTerry("rao-kupper" if rao_kupper else "davidson", order_effect=True).fit(c).fit_
    local, n_rest = np.ones(5, np.bool_), len(fit.solution) - 5
    problem = replace(fit.problem, local=local, ridge=np.linspace(0.1, 0.5, n_rest))
    x = fit.solution + np.random.default_rng(0).normal(0, 0.2, len(fit.solution))
    units = 1e-5 * np.eye(len(x))
    slope = [(problem.objective(x + u) - problem.objective(x - u)) / 2e-5 for u in units]
    np.testing.assert_allclose(problem.derivatives(x).gradient, slope, atol=1e-6)
    bends = np.array(
        [(problem.derivatives(x + u).gradient - problem.derivatives(x - u).gradient) / 2e-5 for u in units]
    )
    skills, border, corner = information(problem, x)
    np.testing.assert_allclose(whole(skills), bends[:5, :5], atol=1e-5)
    np.testing.assert_allclose(border, bends[:5, 5:], atol=1e-5)
    np.testing.assert_allclose(corner, bends[5:, 5:], atol=1e-5)
