"""Normal skills: what they must not depend on, their limits, and many items."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons, datasets
from podium.bradley_terry.normal.fit import PAIRED, fit_normal
from podium.bradley_terry.normal.laplace import log_determinant, posterior_of
from podium.core.marginal import LARGEST, WILD
from podium.skill.fit import ExistenceWarning
from tests.oracles.simulated import random_rows

GAMES = datasets.load_chess_club()


def normal(c: Comparisons, **parameters: Any) -> BradleyTerry:
    return BradleyTerry(prior="normal", **parameters).fit(c)


def test_names_and_order_of_items_do_not_matter() -> None:
    rows = random_rows(1, n_items=9, features=2, n=120)
    order = np.random.default_rng(0).permutation(9)
    assert rows.features is not None
    moved = np.empty_like(rows.features)
    moved[order] = rows.features
    c = Comparisons.from_arrays(order[rows.left], order[rows.right], rows.outcome, covariates=rows.covariates)
    here, there = normal(rows.comparisons()), normal(c.with_features(moved))
    assert there.prior_scale_ == pytest.approx(here.prior_scale_, rel=1e-5)
    np.testing.assert_allclose(there.log_skill_[order], here.log_skill_, atol=1e-5)
    np.testing.assert_allclose(there.feature_effect_, here.feature_effect_, atol=1e-5)


def test_units_and_origin_of_features_do_not_matter() -> None:
    rows = random_rows(2, n_items=9, features=2, n=120)
    assert rows.features is not None
    units = np.array([1000.0, 0.01])
    here = normal(rows.comparisons())
    there = normal(rows.comparisons().with_features(rows.features * units + 7))
    assert there.fit_.marginal == pytest.approx(here.fit_.marginal, abs=1e-8)
    np.testing.assert_allclose(there.log_skill_, here.log_skill_, atol=1e-6)
    np.testing.assert_allclose(there.feature_effect_ * units, here.feature_effect_, rtol=1e-5)
    np.testing.assert_allclose(there.feature_error_ * units, here.feature_error_, rtol=1e-5)


def test_swapped_sides_give_the_same_skills() -> None:
    rows = random_rows(3, n_items=9, n=120, effects=(), order=0.4)
    here = normal(rows.comparisons(), order_effect=True)
    swapped = Comparisons.from_arrays(rows.right, rows.left, -rows.outcome)
    there = normal(swapped, order_effect=True)
    np.testing.assert_allclose(there.log_skill_, here.log_skill_, atol=1e-6)
    assert there.order_effect_ == pytest.approx(-here.order_effect_, abs=1e-6)


def test_groups_that_never_met_are_ranked_together() -> None:
    c = Comparisons.from_arrays(list("ababcdcd"), list("babadcdc"), [1, -1, 1, 1, 1, -1, 1, 1])
    model = normal(c)
    assert model.components_.tolist() == [0, 0, 0, 0]
    assert np.isfinite(model.predict_proba(Comparisons.from_arrays(["a"], ["d"]))).all()


def test_other_priors_have_no_scale() -> None:
    model = BradleyTerry().fit(GAMES.with_features(np.eye(14)))
    assert np.isnan(model.prior_scale_)
    assert model.feature_names_ == ()
    assert len(model.feature_effect_) == len(model.feature_error_) == 0


def test_equal_items_are_called_equal_on_the_board() -> None:
    c = Comparisons.from_arrays(list("abcabc"), list("bcabca"), [1, 1, 1, -1, -1, -1])
    board = normal(c).leaderboard()
    np.testing.assert_allclose(board.score, 1500, atol=0.01)
    assert board.notes[0].startswith("no differences between the items were found, so the normal prior")


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_all_solvers_agree(solver: Any) -> None:
    np.testing.assert_allclose(normal(GAMES, solver=solver).log_skill_, normal(GAMES).log_skill_, atol=1e-6)
    assert normal(GAMES, solver=solver).result_.converged


def test_the_algorithm_of_the_paper_has_no_normal_prior() -> None:
    with pytest.raises(
        ValueError, match="solver='mm' takes no covariates, grades, neutral ground, normal prior"
    ):
        normal(GAMES, solver="mm")


def test_features_that_separate_the_outcomes_are_named() -> None:
    left, right = np.triu_indices(10, 1)
    c = Comparisons.from_arrays(left, right, np.ones(45, int))
    c = c.with_features(np.arange(10.0)[:, None], ["age"])
    with pytest.warns(ExistenceWarning, match="the effect of 'age' has no finite"):
        model = normal(c)
    assert 0.5 < model.feature_effect_[0] < 5
    assert model.feature_error_[0] < 2


def test_a_spread_that_is_hardly_known_is_named() -> None:
    left, right = np.triu_indices(6, 1)
    with pytest.warns(ExistenceWarning, match="the comparisons hardly contradict each other"):
        model = normal(Comparisons.from_arrays(left, right, np.ones(15, int)))
    assert WILD < model.prior_scale_ <= LARGEST


def test_teams() -> None:
    """Without a tilt, s is where EM stands still: the mean of r² plus the variance of r."""
    model = normal(datasets.load_doubles_league())
    problem = model.fit_.problem
    spread = posterior_of(problem, model.fit_.solution).trace / problem.n_items
    assert model.prior_scale_**2 == pytest.approx((model.log_skill_**2).mean() + spread, rel=1e-3)
    assert (model.standard_error_ < model.prior_scale_).all()


# ------------------------------------------------------------------------------------ many items


def many(n_items: int = 300, n: int = 3_000) -> Comparisons:
    return random_rows(5, n_items=n_items, n=n, features=1, effects=(0.5,)).comparisons()


def test_draws_replace_the_inverse() -> None:
    exact = normal(many(), order_effect=True).fit_
    by_draws = PAIRED._replace(posterior=partial(posterior_of, exact_items=100))
    drawn = fit_normal(exact.problem, "auto", 1e-9, 500, by_draws)
    assert drawn.problem.normal.scale == pytest.approx(exact.prior_scale, rel=1e-2)
    k, error = len(exact.items), exact.errors_of(np.arange(len(exact.items), len(exact.solution)))
    np.testing.assert_array_less(np.abs(drawn.result.solution[k:] - exact.solution[k:]), 0.1 * error)
    assert drawn.marginal == pytest.approx(exact.marginal, abs=0.05)


def test_the_log_determinant_is_estimated() -> None:
    found = normal(many()).fit_
    exact = log_determinant(found.problem, found.solution)
    assert log_determinant(found.problem, found.solution, most=0.0) == pytest.approx(exact, abs=1.0)


def test_a_tie_stays_possible() -> None:
    """ν maximises the likelihood of comparisons without a tie times its weak prior."""
    c = Comparisons.from_arrays([0, 0, 1, 2, 1], [1, 1, 2, 0, 2], [-1, 1, -1, -1, 1])
    model = BradleyTerry(prior="normal").fit(c)
    d = np.abs(model.log_skill_[c.right] - model.log_skill_[c.left])
    log_tie = np.log(model.tie_) + np.array([-1e-4, 0, 1e-4])
    value = -np.log(2 * np.cosh(d / 2) + np.exp(log_tie)[:, None]).sum(axis=1) - 0.1 * log_tie**2 / 2
    assert value.argmax() == 1
    assert (model.predict_proba(c)[:, 1] > 0).all()
