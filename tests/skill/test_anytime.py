"""Anytime intervals cover the truth at all looks together, where fixed-time intervals do not.

``python -m tests.skill.test_anytime 300`` looks after each of 10,000 votes in 300 campaigns.
"""

import sys
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from podium import BradleyTerry, Comparisons, DynamicBradleyTerry, PlackettLuce, Rankings
from podium.datasets import make_games
from podium.skill import certainty
from podium.skill.certainty import anytime_p_value, anytime_width, certain_order, quantile
from podium.skill.plan import LOCAL
from podium.web.board import board_caption

TRUTH = np.array([0.75, 0.25, -0.25, -0.75])
NAMES = ("fixed time", "difference", "all differences", "score", "all scores")

# ------------------------------------------------------------------------------------ many campaigns at once


def reachable(edges: Any) -> Any:
    """For every campaign, whether there is a path from item to item."""
    found = edges | np.eye(edges.shape[1], dtype=bool)
    for _ in range(2):  # paths of up to 4 edges
        found = (found.astype(np.float32) @ found.astype(np.float32)) > 0
    return found


def newton(wins: Any, theta: Any, prior: Any) -> tuple[Any, Any]:
    """The log-skills and covariances of all campaigns, by Newton's method from a guess.

    ``prior`` is the μ of the local prior of each campaign, which adds pseudo-games.
    """
    k, met = wins.shape[1], wins + wins.transpose(0, 2, 1)
    each = 1 / np.maximum(met.sum(axis=2), 1)
    wins = wins + prior[:, None, None] * met * (each[:, :, None] + each[:, None]) / 2
    score, games = wins.sum(axis=2), wins + wins.transpose(0, 2, 1)
    mean = np.full((k, k), 1 / k)
    while True:
        p = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))  # the row beats the column
        slope = score - (games * p).sum(axis=2)
        hessian = -games * p * p.transpose(0, 2, 1)
        diagonal = np.arange(k)
        hessian[:, diagonal, diagonal] = 0.0
        hessian[:, diagonal, diagonal] = -hessian.sum(axis=2)
        covariance = np.linalg.inv(hessian + mean) - mean
        if np.abs(slope).max(initial=0.0) < 1e-7:
            return theta, covariance
        step = (covariance @ slope[:, :, None])[:, :, 0]
        theta = theta + step / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)


def campaigns(n_runs: int, n_votes: int, truth: Any, seed: int) -> Any:
    """After every vote: the wins, which campaigns have connected items, and the estimates of these."""
    rng, k = np.random.default_rng(seed), len(truth)
    run, wins, theta = np.arange(n_runs), np.zeros((n_runs, k, k)), np.zeros((n_runs, k))
    prior, connected = np.full(n_runs, LOCAL), np.zeros(n_runs, dtype=bool)
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
    """The share of campaigns in which intervals cover the truth at all looks together.

    "fixed time" and "difference" are two intervals of one difference. "all differences" are adjusted for
    their number, as for simultaneous ranks. Intervals of scores are not, so "all scores" may be below 0.95.
    """
    first, second = np.triu_indices(len(truth), 1)
    truth = truth - truth.mean()
    level, joint_level = 0.95, 1 - 0.05 / len(first)
    ok = {name: np.ones(n_runs, dtype=bool) for name in NAMES}
    for _, connected, theta, covariance in campaigns(n_runs, n_votes, truth, seed):
        variance = np.diagonal(covariance, axis1=1, axis2=2)
        error = np.sqrt(variance[:, first] + variance[:, second] - 2 * covariance[:, first, second])
        found = theta[connected]
        off = np.abs(found[:, first] - found[:, second] - (truth[first] - truth[second]))
        ok["difference"][connected] &= off[:, 0] <= anytime_width(error[:, 0], level)
        ok["fixed time"][connected] &= off[:, 0] <= quantile(level) * error[:, 0]
        ok["all differences"][connected] &= (off <= anytime_width(error, joint_level)).all(axis=1)
        miss = np.abs(found - truth) > anytime_width(np.sqrt(variance), level)
        ok["score"][connected] &= ~miss[:, 0]
        ok["all scores"][connected] &= ~miss.any(axis=1)
    return {name: float(cover.mean()) for name, cover in ok.items()}


@pytest.mark.filterwarnings("ignore:the skills of:podium.skill.fit.ExistenceWarning")
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
    """1,000 looks in 100 campaigns; the bounds allow for two standard errors of a share of 0.95."""
    found = coverage(100, 1_000)
    for name in ("difference", "all differences", "score"):
        assert found[name] >= 0.95 - 2 * 0.022
    assert found["fixed time"] < 0.8


# ------------------------------------------------------------------------------------ the interval


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_the_interval_is_tightest_at_the_planned_error(level: float) -> None:
    """No other plan gives a narrower interval there."""

    def width(planned: float) -> float:
        return float(anytime_width(np.array(0.1), level, planned))

    best = minimize_scalar(width, bounds=(0.01, 1.0), method="bounded", options={"xatol": 1e-8})
    assert best.x == pytest.approx(0.1, rel=1e-3)
    assert best.fun > quantile(level) * 0.1


def test_the_interval_is_robbins_mixture() -> None:
    """It holds the differences for which the likelihood, averaged over N(0, τ²), is below 1/α."""
    level, error = 0.9, 0.23
    edge = anytime_width(np.array(error), level)
    tau = np.sqrt(certainty._mixture_variance(level, certainty.PLANNED_ERROR))
    effect = np.linspace(-12, 12, 20_001) * tau
    ratio = np.exp((edge * effect - effect**2 / 2) / error**2)
    density = np.exp(-((effect / tau) ** 2) / 2) / np.sqrt(2 * np.pi) / tau
    assert np.trapezoid(ratio * density, effect) == pytest.approx(1 / (1 - level), rel=1e-6)


def test_the_p_value_is_the_smallest_alpha_that_excludes_zero() -> None:
    for error in (0.02, 0.1, 0.7):
        edge = float(anytime_width(np.array(error), 0.95))
        assert anytime_p_value(edge, error, 0.95) == pytest.approx(0.05)
        assert anytime_p_value(-2 * edge, error, 0.95) < 0.05 < anytime_p_value(edge / 2, error, 0.95)
        assert anytime_p_value(0.0, error, 0.95) == 1
    assert anytime_p_value(0.0, 0.0, 0.95) == 1
    assert anytime_width(np.array([0.0, np.inf]), 0.95).tolist() == [0, np.inf]


# ------------------------------------------------------------------------------------ models


def test_compare_at_any_time() -> None:
    c, _ = make_games(5, 2000, random_state=0)
    model = BradleyTerry().fit(c)
    found, usual = model.compare(0, 1, anytime=True), model.compare(0, 1)
    assert (found.difference, found.standard_error) == (usual.difference, usual.standard_error)
    assert found.anytime
    assert not usual.anytime
    assert found.low < usual.low < usual.high < found.high
    assert found.high - found.difference == pytest.approx(
        float(anytime_width(np.array(found.standard_error), 0.95))
    )
    assert found.p_value > usual.p_value
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
    with pytest.raises(ValueError, match="level must be"):
        model.compare(0, 1, level=95, anytime=True)


def test_a_board_at_any_time() -> None:
    c, _ = make_games(6, 3000, order_effect=0.3, spread=0.5, random_state=1)
    model = BradleyTerry(order_effect=True).fit(c)
    board, usual = model.leaderboard(anytime=True, scale="log"), model.leaderboard(scale="log")
    place = np.searchsorted(model.items_, board.item.astype(int))
    width = anytime_width(model.standard_error_[place], 0.95)
    np.testing.assert_allclose(board.high - board.score, width)
    assert board.order_effect is not None
    assert usual.order_effect is not None
    assert board.order_effect.low < usual.order_effect.low
    assert "intervals hold whenever you look" in repr(board)
    assert "Intervals hold whenever you look." in board_caption(board)
    assert "whenever" not in repr(usual)
    kinds: list[tuple[Any, int]] = [("simultaneous", 15), ("pairwise", 1)]
    for ranks, share in kinds:
        found = model.leaderboard(anytime=True, ranks=ranks)
        better = [
            sum(model.compare(b, a, 1 - 0.05 / share, anytime=True).low > 0 for b in board.item if b != a)
            for a in board.item
        ]
        worse = [
            sum(model.compare(a, b, 1 - 0.05 / share, anytime=True).low > 0 for b in board.item if b != a)
            for a in board.item
        ]
        assert found.rank.tolist() == [*range(1, len(found) + 1)]
        assert found.rank_low.tolist() == [1 + count for count in better]
        assert found.rank_high.tolist() == [len(found) - count for count in worse]
        assert found.rank_low.max() > 1


def test_a_board_of_rankings_and_boards_by_category() -> None:
    c, _ = make_games(4, 300, tie_rate=0, random_state=0)
    pairs = np.where(c.outcome < 0, (c.left, c.right), (c.right, c.left)).T  # type: ignore[operator]
    ranking = PlackettLuce().fit(Rankings.from_lists(pairs.tolist()))
    plain = BradleyTerry().fit(c)
    np.testing.assert_allclose(ranking.leaderboard(anytime=True).low, plain.leaderboard(anytime=True).low)
    boards = plain.leaderboard(by=np.arange(len(c)) % 2, anytime=True)
    for board in (boards.overall, *(boards[name] for name in (0, 1))):
        assert board.method == ("intervals hold whenever you look",)
        assert board.unpooled is None  # pooling needs a normal prior


def test_what_has_no_anytime_intervals() -> None:
    c, _ = make_games(4, 100, random_state=0)
    model = BradleyTerry().fit(c)
    with pytest.raises(ValueError, match="one look only"):
        model.leaderboard(anytime=True, bootstrap=100)
    timed = Comparisons.from_arrays(c.left, c.right, c.outcome, time=np.arange(len(c)))
    fading = BradleyTerry(half_life=10).fit(timed)
    for moving in (fading, DynamicBradleyTerry().fit(timed)):
        with pytest.raises(ValueError, match="skills that stay the same"):
            moving.compare(0, 1, anytime=True)
        with pytest.raises(ValueError, match="skills that stay the same"):
            moving.leaderboard(anytime=True)
    normal = BradleyTerry(prior="normal").fit(c)
    with pytest.raises(ValueError, match="prior='normal' is not possible"):
        normal.compare(0, 1, anytime=True)
    with pytest.raises(ValueError, match="prior='normal' is not possible"):
        normal.leaderboard(anytime=True)
    with pytest.raises(ValueError, match="at most 3 items, but this board has 4"):
        certain_order(model.fit_, 0.95, np.arange(4), together=True, anytime=True, most=3)


if __name__ == "__main__":
    for name, truth in (("spread skills", TRUTH), ("equal skills", 0 * TRUTH)):
        print(name, coverage(int(sys.argv[1]), 10_000, truth))
