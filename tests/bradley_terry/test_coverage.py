"""How often 95 % intervals hold the truth, by simulation.

The tests run few replications with fixed seeds. For more of them::

    python -m tests.bradley_terry.test_coverage 2000
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import roots_hermitenorm
from scipy.stats import norm

from podium import BradleyTerry
from tests.oracles.paired_rows import Array, Rows, fit_rows, logs_of_outcomes
from tests.oracles.simulated import NU, drawn

QUANTILE = norm.ppf(0.975)


class Estimate(NamedTuple):
    """What a simulation compares: estimates, their errors, and the truth."""

    found: Array
    error: Array
    truth: Array


def podium_fit(rows: Rows, **parameters: Any) -> BradleyTerry:
    return BradleyTerry(**parameters).fit(rows.comparisons())


Fit = Callable[..., Any]
Simulation = Callable[[np.random.Generator, Fit], Estimate]


def coverage(simulate: Simulation, replications: int, fit: Fit = podium_fit) -> float:
    """The share of intervals that hold the truth."""
    hits = [
        np.abs(each.found - each.truth) <= QUANTILE * each.error
        for each in (simulate(np.random.default_rng([18, i]), fit) for i in range(replications))
    ]
    return float(np.concatenate(hits).mean())


def random_pairs(n: int, n_items: int, rng: np.random.Generator) -> tuple[Array, Array]:
    left = rng.integers(n_items, size=n)
    return left, (left + rng.integers(1, n_items, size=n)) % n_items


# ------------------------------------------------------------------------------------ covariates


def covariates(rng: np.random.Generator, fit: Fit) -> Estimate:
    """Two covariates, one of which goes with skill: better models write longer answers."""
    n, skill, effect = 400, np.linspace(-1, 1, 8), np.array([0.5, -0.3])
    left, right = random_pairs(n, 8, rng)
    Z = rng.normal(size=(n, 2))
    Z[:, 0] += skill[right] - skill[left]
    d = skill[right] - skill[left] - 0.3 + Z @ effect
    model = fit(Rows(left, right, drawn(d, "davidson", rng), 8, covariates=Z), order_effect=True)
    return Estimate(model.covariate_effect_, model.covariate_error_, effect)


# ------------------------------------------------------------------------------------ clustered votes

TASTE, STYLE = 0.6, 0.8  # how much judges differ about items and about style
SKILL = np.array([-0.8, -0.3, 0.0, 0.4, 0.7])


def votes(judges: int, covariance: str) -> Simulation:
    """Each judge has a taste of their own, for every item and for a style that an answer has or lacks."""

    def simulate(rng: np.random.Generator, fit: Fit) -> Estimate:
        each, k = 40, len(SKILL)
        judge = np.repeat(np.arange(judges), each)
        left, right = random_pairs(len(judge), k, rng)
        z = rng.integers(-1, 2, size=len(judge))
        taste, style = SKILL + TASTE * rng.normal(size=(judges, k)), 0.5 + STYLE * rng.normal(size=judges)
        d = taste[judge, right] - taste[judge, left] + style[judge] * z
        rows = Rows(
            left, right, drawn(d, "davidson", rng), k, covariates=z[:, None].astype(float), group=judge
        )
        model = fit(rows, covariance=covariance)
        truth = average_judge()
        return Estimate(
            np.append(model.log_skill_, model.covariate_effect_),
            np.append(model.standard_error_, model.covariate_error_),
            np.append(truth.skill, truth.effects),
        )

    return simulate


@cache
def average_judge() -> Any:
    """What infinitely many votes of infinitely many judges would give: the fit to the mean probabilities."""
    node, weight = roots_hermitenorm(41)
    k = len(SKILL)
    left, right = (side.ravel() for side in np.nonzero(~np.eye(k, dtype=bool)))
    left, right, z = np.tile(left, 3), np.tile(right, 3), np.repeat([-1, 0, 1], len(left))
    spread = np.sqrt(2 * TASTE**2 + STYLE**2 * z**2)
    d = SKILL[right] - SKILL[left] + 0.5 * z
    p = sum(
        w * np.exp(logs_of_outcomes(d + spread * x, np.log(NU), "davidson"))
        for x, w in zip(node, weight / weight.sum(), strict=True)
    )
    rows = Rows(
        np.tile(left, 3),
        np.tile(right, 3),
        np.repeat([-1, 0, 1], len(left)),
        k,
        weight=np.concatenate(np.asarray(p).T),
        covariates=np.tile(z, 3)[:, None].astype(float),
    )
    return fit_rows(rows, "davidson")


# ------------------------------------------------------------------------------------ normal skills


def normal_skills(rng: np.random.Generator, fit: Fit) -> Estimate:
    """Skills are drawn again each time."""
    k, n = 30, 600
    skill = 0.8 * rng.normal(size=k)
    left, right = random_pairs(n, k, rng)
    rows = Rows(left, right, drawn(skill[right] - skill[left], "davidson", rng), k)
    model = fit(rows, prior="normal")
    return Estimate(model.log_skill_, model.standard_error_, skill - skill.mean())


# ------------------------------------------------------------------------------------ tests


def test_covariate_effects() -> None:
    assert 0.92 <= coverage(covariates, 150) <= 0.975


def test_votes_of_judges() -> None:
    assert 0.91 <= coverage(votes(30, "cluster"), 100) <= 0.975
    assert coverage(votes(30, "model"), 40) < 0.9


def test_normal_skills() -> None:
    assert 0.92 <= coverage(normal_skills, 40) <= 0.97


def simulations() -> Iterator[tuple[str, Simulation]]:
    yield "covariate effects", covariates
    for judges in (30, 60):
        for kind in ("model", "robust", "cluster"):
            yield f"{judges} judges, covariance={kind!r}", votes(judges, kind)
    yield "normal skills", normal_skills


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for title, one in simulations():
        print(f"{title}: {coverage(one, repeats):.3f}")
