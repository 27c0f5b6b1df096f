"""Performance ratings against a root finder, and against the model with fixed skills."""

import numpy as np
import pytest
from scipy.optimize import brentq

import podium as pod


@pytest.mark.parametrize("seed", range(5))
def test_against_brentq(seed: int) -> None:
    rng = np.random.default_rng(seed)
    opponents = rng.normal(1800, 300, 12)
    results = rng.choice([0, 0.5, 1], 12)

    def missing(r: float) -> float:
        return float((1 / (1 + 10 ** ((opponents - r) / 400))).sum() - results.sum())

    root = brentq(missing, -5000, 9000, xtol=1e-10)
    found = pod.performance_rating(results, opponents)
    assert found.rating == pytest.approx(root, abs=1e-7)
    slope = (missing(root + 0.01) - missing(root - 0.01)) / 0.02  # Σ p (1 - p) / unit
    assert found.error == pytest.approx(np.sqrt(400 / np.log(10) / slope), rel=1e-5)


def test_it_is_the_fit_with_fixed_opponents() -> None:
    results, opponents = [1, 0, 0.5, 1], np.array([1500.0, 1650.0, 1580.0, 1400.0])
    names = ["a", "b", "c", "d"]
    c = pod.Comparisons.from_arrays(["me"] * 4, names, [-1, 1, 0, -1])
    fixed = dict(zip(names, (opponents - 1500) * np.log(10) / 400, strict=True))
    board = pod.BradleyTerry("half", fixed=fixed).fit(c).leaderboard()
    found = pod.performance_rating(results, opponents)
    assert board.score[board.item == "me"][0] == pytest.approx(found.rating, abs=1e-5)
    doubled = pod.performance_rating(results, 2 * opponents, scale=800)
    assert doubled == pytest.approx((2 * found.rating, 2 * found.error))


@pytest.mark.parametrize(("results", "word"), [([1, 1], "won"), ([0, 0], "lost")])
def test_no_finite_rating(results: list[float], word: str) -> None:
    with pytest.raises(ValueError, match=f"all games were {word}, so no finite rating"):
        pod.performance_rating(results, [1500, 1600])


@pytest.mark.parametrize(
    ("results", "opponents", "message"),
    [
        ([1, 0], [1500], "one result for each opponent"),
        ([], [], "at least one game"),
        ([2, 0], [1500, 1600], "between 0"),
        ([1, 0], [1500, np.nan], "finite ratings"),
    ],
)
def test_bad_input(results: list[float], opponents: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pod.performance_rating(results, opponents)
