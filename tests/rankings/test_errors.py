"""Errors of many items agree with the dense ones, and intervals cover as often as they say."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import PlackettLuce, Rankings
from podium.rankings.errors import exact_covariance, sampled_errors, variance_of_contrast
from tests.many_items import with_many_items
from tests.oracles.ranked import random_rankings
from tests.rankings.test_model import simulated


def fitted(kind: str, ties: float) -> Any:
    r = random_rankings(11, n_items=20, n=200, ties=ties)
    r = replace(r, group=np.arange(200, dtype=np.int32) // 4, groups=np.arange(50))
    return PlackettLuce(covariance=kind).fit(r).fit_  # type: ignore[arg-type]


@pytest.mark.parametrize("ties", [0.0, 0.1])
@pytest.mark.parametrize("kind", ["model", "robust", "cluster"])
def test_contrasts_and_draws_agree_with_the_dense_covariance(kind: str, ties: float) -> None:
    fit = fitted(kind, ties)
    exact = exact_covariance(fit.problem, fit.solution, fit.scores)
    contrast = np.zeros(len(fit.solution))
    contrast[[3, 7]] = 1, -1
    found = variance_of_contrast(fit.problem, fit.solution, contrast, fit.scores)
    assert found == pytest.approx(contrast @ exact @ contrast, rel=1e-6)
    sampled = sampled_errors(fit.problem, fit.solution, fit.scores)
    truth = np.sqrt(np.diag(exact)[:20])
    error = np.sqrt(sampled.variance)
    np.testing.assert_allclose(error, truth, rtol=0.02 if kind == "model" and not ties else 0.15)
    apart = (sampled.errors[3] - sampled.errors[7]).std()
    assert apart == pytest.approx(np.sqrt(contrast @ exact @ contrast), rel=0.1)


def test_priors_are_part_of_the_draws() -> None:
    r = random_rankings(12, n_items=30, n=60, ties=0.0)
    for prior in (2.0, "normal"):
        fit = PlackettLuce(prior=prior).fit(r).fit_
        exact = np.sqrt(np.diag(exact_covariance(fit.problem, fit.solution)))
        np.testing.assert_allclose(
            np.sqrt(sampled_errors(fit.problem, fit.solution).variance), exact, rtol=0.05
        )


def test_many_items_use_draws() -> None:
    model = with_many_items(PlackettLuce().fit(simulated(np.zeros(30), 600, 4)))
    board = model.leaderboard()
    assert "joint_covariance" not in vars(model.fit_)
    assert (board.rank_low == 1).all()
    assert (board.rank_high == 30).all()
    exact = exact_covariance(model.fit_.problem, model.fit_.solution)
    apart = np.sqrt(exact[1, 1] + exact[2, 2] - 2 * exact[1, 2])
    assert model.compare(1, 2).standard_error == pytest.approx(apart, rel=1e-6)


def test_intervals_cover() -> None:
    """Differences of log-skills, in 200 simulations of rankings with ties."""
    start = Rankings.from_lists([[0, 1, 2, 3], [3, 2, (1, 0)], [1, (0, 3)], [2, 0], [(2, 3), 1]])
    true = PlackettLuce(prior=0.5).fit(start)
    sets = [[0, 1, 2, 3], [0, 1, 2], [1, 2, 3], [0, 3]]
    gap, inside = true.log_skill_[1] - true.log_skill_[0], 0
    for seed in range(200):
        found = PlackettLuce(prior=0.1).fit(true.sample(sets, 25, random_state=seed)).compare(1, 0)
        inside += found.low <= gap <= found.high
    assert 180 <= inside <= 199
