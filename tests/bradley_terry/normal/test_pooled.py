"""The errors of pooled boards: between those of the category alone and those of all comparisons."""

from dataclasses import replace

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons, datasets
from podium.bradley_terry.normal.pooled import Overall, PooledFit

GAMES = datasets.load_chess_club()


def pooled_fit(model: BradleyTerry, part: Comparisons) -> PooledFit:
    found = model._pooled_fit(part)
    assert isinstance(found, PooledFit)
    return found


def test_a_category_of_all_comparisons() -> None:
    """The skills are the same. The comparisons count twice, so errors are a little smaller."""
    model = BradleyTerry(order_effect=True).fit(GAMES)
    same = pooled_fit(model, GAMES)
    np.testing.assert_allclose(same.log_skill, model.log_skill_, atol=1e-3)
    ratio = same.standard_error / model.standard_error_
    assert 0.85 < ratio.min() < ratio.max() < 1


def test_errors_are_those_of_all_comparisons_if_the_category_says_little() -> None:
    """It has only a few comparisons of each item, and they agree with the overall skills."""
    model = BradleyTerry().fit(GAMES)
    found = pooled_fit(model, GAMES[::40])
    error = model.standard_error_[np.searchsorted(model.items_, found.items)]
    assert (found.standard_error < np.hypot(1.2 * error, found.prior_scale)).all()


def test_errors_are_those_of_the_category_if_it_differs_much() -> None:
    """Half of the games are turned around."""
    turned = np.arange(len(GAMES)) % 2 == 0
    frame = GAMES.to_frame()
    outcome = np.where(turned, -frame["outcome"], frame["outcome"])
    c = Comparisons.from_arrays(frame["left"], frame["right"], outcome, count=np.full(len(frame), 50))
    model = BradleyTerry().fit(c)
    part = c[turned]
    alone, found = BradleyTerry().fit(part), pooled_fit(model, part)
    assert found.prior_scale > 0.7
    np.testing.assert_allclose(found.log_skill, alone.log_skill_, atol=0.03)
    np.testing.assert_allclose(found.standard_error, alone.standard_error_, rtol=0.03)


def test_groups_that_never_met_stay_apart() -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 4, 80)
    c = Comparisons.from_arrays(left, left ^ 1, rng.choice([-1, 1], 80))
    with pytest.warns(UserWarning, match="2 groups"):
        model = BradleyTerry().fit(c)
    found = pooled_fit(model, c[:40])
    assert found.component.max() == 1
    np.testing.assert_allclose(np.bincount(found.component, found.log_skill), 0, atol=1e-9)


@pytest.mark.parametrize("covariance", ["robust", "cluster"])
def test_other_kinds_of_errors(covariance: str) -> None:
    model = BradleyTerry(covariance=covariance).fit(GAMES)  # type: ignore[arg-type]
    part = GAMES[np.arange(len(GAMES)) % 3 > 0]
    found, usual = pooled_fit(model, part), pooled_fit(BradleyTerry().fit(GAMES), part)
    ratio = found.standard_error / usual.standard_error
    assert ratio.min() > 0.2
    assert 0.6 < np.median(ratio) < 1.5


def test_many_items() -> None:
    """Without a covariance matrix, the errors of the category and of the mean are added item by item."""
    part = GAMES[np.arange(len(GAMES)) % 3 > 0]
    exact = pooled_fit(BradleyTerry().fit(GAMES), part)
    pooling_mean = Overall(replace(exact.pooling_mean.fit, exact_items=5))
    many = replace(exact, pooling_mean=pooling_mean, exact_items=5)
    np.testing.assert_allclose(many.standard_error, exact.standard_error, rtol=0.15)
    assert many.joint.variances_to(0).shape == (14,)


def test_coverage() -> None:
    """Six categories around the overall skills; intervals of all their skills."""
    rng, k, n, inside = np.random.default_rng(3), 10, 150, []
    for _ in range(10):
        skills = rng.normal(size=k) + 0.4 * rng.normal(size=(6, k))
        category, left = np.repeat(np.arange(6), n), rng.integers(k, size=6 * n)
        right = (left + rng.integers(1, k, size=6 * n)) % k
        d = skills[category, right] - skills[category, left]
        c = Comparisons.from_arrays(left, right, np.where(rng.random(6 * n) < 1 / (1 + np.exp(-d)), 1, -1))
        model = BradleyTerry(prior="normal").fit(c)
        for number in range(6):
            found = pooled_fit(model, c[category == number])
            truth = skills[number] - skills[number].mean()
            inside.append(np.abs(found.log_skill - truth) < 1.96 * found.standard_error)
    assert 0.88 < np.mean(inside) < 0.975
