"""Differences of skills with judges in the model: intervals cover, and judges who are alike cost nothing."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import podium as pod
from tests.bradley_terry.judge_effects.simulated import judged_votes, log_probabilities


class Simulated(NamedTuple):
    """The share of covered differences, and the mean distances from the true probabilities of the votes."""

    coverage: float
    plain: float
    judged: float


def simulated(runs: int, n_judges: int, n: int, spread: Any, effects: Any) -> Simulated:
    """Eight items; 95 % intervals of all differences, and the divergence of predictions from the truth."""
    covered, plain, judged = list[float](), list[float](), list[float]()
    for seed in range(runs):
        c, skill, u = judged_votes(n_judges, n, spread, seed=1000 + seed, n_items=8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, other = (
                pod.BradleyTerry(order_effect=True, judge_effects=how).fit(c) for how in (effects, None)
            )
        a, b = np.triu_indices(8, 1)
        v, gap = one.covariance_, one.log_skill_[a] - one.log_skill_[b] - skill[a] + skill[b]
        covered.append(float(np.mean(np.abs(gap) < 1.96 * np.sqrt(v[a, a] + v[b, b] - 2 * v[a, b]))))
        judge = np.asarray(c.group)
        eta = np.exp(u[judge, 0]) * (skill[c.right] - skill[c.left]) - 0.3 - u[judge, 2]
        truth = log_probabilities(eta, np.log(0.6) + u[judge, 1])
        for model, found in ((one, judged), (other, plain)):
            away = np.exp(truth) * (truth - np.log(model.predict_proba(c)))
            found.append(float(away.sum(axis=1).mean()))
    return Simulated(*(float(np.mean(part)) for part in (covered, plain, judged)))


def test_intervals_of_differences_cover() -> None:
    found = simulated(2, 25, 25, (0.7, 1.0, 0.0), ("sharpness", "ties"))
    assert found.coverage >= 0.8
    assert found.judged < found.plain / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_judges", "n", "spread", "effects", "least"),
    [
        (40, 30, (0.7, 1.0, 0.4), ("sharpness", "ties", "side"), 0.93),
        (200, 10, (0.7, 1.0, 0.0), ("sharpness", "ties"), 0.91),
    ],
)
def test_intervals_of_differences_cover_in_many_data_sets(
    n_judges: int, n: int, spread: Any, effects: Any, least: float
) -> None:
    found = simulated(60, n_judges, n, spread, effects)
    assert found.coverage >= least
    assert found.judged < 0.5 * found.plain


@pytest.mark.slow
def test_judges_who_are_alike_cost_hardly_anything() -> None:
    found = simulated(60, 60, 8, (0.0, 0.0, 0.0), "auto")
    assert found.coverage >= 0.93
    assert found.judged < found.plain + 0.005
