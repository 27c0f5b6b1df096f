"""Anytime intervals cover the truth at all looks together, where fixed-time intervals do not.

``python -m tests.skill.campaign.test_anytime 300`` looks after each of 10,000 votes in 300 campaigns.
"""

import sys
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from podium import BradleyTerry, Comparisons, DynamicBradleyTerry, PlackettLuce
from podium.datasets import make_games
from podium.skill.campaign import anytime
from podium.skill.certainty import half_width, normal_quantile

TRUTH = np.array([0.75, 0.25, -0.25, -0.75])
PAIRS = np.triu_indices(len(TRUTH), 1)
WEAK = 0.1  # the prior of BradleyTerry while there is no finite estimate


# ------------------------------------------------------------------------------------ many campaigns at once


def reachable(edges: Any) -> Any:
    """For every campaign, whether there is a path from item to item."""
    found = edges | np.eye(edges.shape[1], dtype=bool)
    for _ in range(2):  # paths of up to 4 edges
        found = (found.astype(np.float32) @ found.astype(np.float32)) > 0
    return found


def newton(wins: Any, theta: Any, prior: Any) -> tuple[Any, Any]:
    """The log-skills and covariances of all campaigns, by Newton's method from a guess."""
    k = wins.shape[1]
    score, games = wins.sum(axis=2), wins + wins.transpose(0, 2, 1)
    mean = np.full((k, k), 1 / k)
    while True:
        p = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))  # the row beats the column
        share = np.exp(theta)
        share /= share.sum(axis=1, keepdims=True)
        slope = score - (games * p).sum(axis=2) + prior[:, None] * (1 - k * share)
        hessian = -games * p * p.transpose(0, 2, 1) - k * prior[:, None, None] * share[:, :, None] * share[:, None]
        diagonal = np.arange(k)
        hessian[:, diagonal, diagonal] = 0.0
        hessian[:, diagonal, diagonal] = -hessian.sum(axis=2)
        covariance = np.linalg.inv(hessian + mean) - mean
        if np.abs(slope).max(initial=0.0) < 1e-7:
            return theta, covariance
        step = (covariance @ slope[:, :, None])[:, :, 0]
        theta = theta + step / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)


def campaigns(n_runs: int, n_votes: int, truth: Any, seed: int) -> Any:
    """After every vote: the wins, estimates and covariances of the campaigns whose items are all connected."""
    rng, k = np.random.default_rng(seed), len(truth)
    run, wins, theta = np.arange(n_runs), np.zeros((n_runs, k, k)), np.zeros((n_runs, k))
    prior, connected = np.full(n_runs, WEAK), np.zeros(n_runs, dtype=bool)
    first, second = np.triu_indices(k, 1)
    for _ in range(n_votes):
        pair = rng.integers(len(first), size=n_runs)
        a, b = first[pair], second[pair]
        won = rng.logistic(size=n_runs) < truth[a] - truth[b]
        wins[run, np.where(won, a, b), np.where(won, b, a)] += 1
        if prior.any():
            prior[reachable(wins > 0).all(axis=(1, 2))] = 0.0
            connected = reachable(wins + wins.transpose(0, 2, 1) > 0).all(axis=(1, 2))
        theta[connected], covariance = newton(wins[connected], theta[connected], prior[connected])
        yield wins, connected, theta, covariance


def coverage(n_runs: int, n_votes: int, truth: Any = TRUTH, seed: int = 0) -> dict[str, float]:
    """The share of campaigns in which intervals cover the truth at all looks together."""
    first, second = np.triu_indices(len(truth), 1)
    truth = truth - truth.mean()
    level, joint_level = 0.95, 1 - 0.05 / len(first)
    ok = {name: np.ones(n_runs, dtype=bool) for name in ("difference", "fixed time", "differences", "scores")}
    for _, connected, theta, covariance in campaigns(n_runs, n_votes, truth, seed):
        variance = np.diagonal(covariance, axis1=1, axis2=2)
        error = np.sqrt(variance[:, first] + variance[:, second] - 2 * covariance[:, first, second])
        found = theta[connected]
        off = np.abs(found[:, first] - found[:, second] - (truth[first] - truth[second]))
        ok["difference"][connected] &= off[:, 0] <= anytime.half_width(error[:, 0], level)
        ok["fixed time"][connected] &= off[:, 0] <= half_width(error[:, 0], level)
        ok["differences"][connected] &= (off <= anytime.half_width(error, joint_level)).all(axis=1)
        miss = np.abs(found - truth) > anytime.half_width(np.sqrt(variance), level)
        ok["scores"][connected] &= ~miss.any(axis=1)
    return {name: float(cover.mean()) for name, cover in ok.items()}


def test_the_campaigns_are_fits_of_bradley_terry() -> None:
    """Every estimate and error, from the first votes on, is that of the model."""
    seen = 0
    for vote, (wins, connected, theta, covariance) in enumerate(campaigns(2, 60, TRUTH, seed=1)):
        if vote % 6 or not connected.all():
            continue
        for run in range(2):
            a, b = np.nonzero(wins[run])
            c = Comparisons.from_arrays(a, b, -np.ones(len(a), int), count=wins[run][a, b].astype(int))
            model = BradleyTerry().fit(c)
            np.testing.assert_allclose(model.log_skill_, theta[run], atol=1e-6)
            np.testing.assert_allclose(model.covariance_, covariance[run], rtol=1e-5, atol=1e-6)
            seen += 1
    assert seen > 10


def test_intervals_cover_at_all_looks_together() -> None:
    """2,000 looks in 100 campaigns; the bounds allow for three standard errors of a share of 0.95."""
    found = coverage(100, 2_000)
    assert found["difference"] >= 0.95 - 3 * 0.022
    assert found["differences"] >= 0.95 - 3 * 0.022
    assert found["fixed time"] < 0.8


if __name__ == "__main__":
    for name, truth in (("spread skills", TRUTH), ("equal skills", 0 * TRUTH)):
        print(name, coverage(int(sys.argv[1]), 10_000, truth))
