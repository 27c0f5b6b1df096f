"""The marginal likelihood against brute force, its derivatives against differences, and its symmetries."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.bradley_terry.judge_effects.marginal import Marginal
from podium.bradley_terry.judge_effects.votes import Votes
from tests.bradley_terry.judge_effects.simulated import judged_votes, log_probabilities

EFFECTS, WIDE = ("sharpness", "ties", "side"), (1.0, 1.2, 1.0)


@dataclass(frozen=True, eq=False)
class Fine(Marginal):
    """With more nodes than a fit takes."""

    @property
    def n_nodes(self) -> int:
        return 21


def marginal(model: pod.BradleyTerry, active: tuple[int, ...], kind: type[Marginal] = Marginal) -> Marginal:
    votes = Votes.of(model.fit_)
    mode = np.zeros((votes.n_judges, 3))
    return kind(votes, model.fit_.problem, -np.inf, np.array(active, dtype=bool), mode, False)


def brute_force(c: pod.Comparisons, x: Any, sigma: Any, n: int = 31) -> float:
    """log m by a fixed rule with n nodes in every dimension of every judge."""
    node, weight = np.polynomial.hermite_e.hermegauss(n)
    grids = [(s * node, weight / weight.sum()) if s > 0 else (np.zeros(1), np.ones(1)) for s in sigma]
    u = np.stack([part.ravel() for part in np.meshgrid(*(g for g, _ in grids), indexing="ij")], axis=1)
    w = np.prod([part.ravel() for part in np.meshgrid(*(g for _, g in grids), indexing="ij")], axis=0)
    assert c.outcome is not None
    assert c.group is not None
    home = np.ones(len(c)) if c.neutral is None else 1.0 * ~c.neutral
    delta, found = x[c.right] - x[c.left], 0.0
    for judge in np.unique(c.group):
        rows = np.flatnonzero(c.group == judge)
        eta = np.exp(u[:, :1]) * delta[rows] - (x[-1] + u[:, 2:]) * home[rows]
        p = log_probabilities(eta, x[-2] + u[:, 1:2])
        seen = p[:, np.arange(len(rows)), c.outcome[rows] + 1] @ c.count[rows]
        found += np.log(w @ np.exp(seen - seen.max())) + seen.max()
    return float(found)


@pytest.mark.parametrize("effects", [("sharpness",), ("sharpness", "ties"), ("ties", "side"), EFFECTS])
def test_the_marginal_likelihood_is_that_of_brute_force(effects: tuple[str, ...]) -> None:
    c, *_ = judged_votes(8, 20, WIDE, 5)
    model = pod.BradleyTerry(judge_effects=effects, order_effect=True, prior=0).fit(c)
    x, sigma = model.fit_.solution, np.array(list(model.judge_spread_.values()))
    assert [name for name, s in model.judge_spread_.items() if s] == list(effects)
    at = marginal(model, tuple(int(name in effects) for name in EFFECTS))
    rng = np.random.default_rng(0)
    for away in (0.0, 0.1, 0.3):
        there = x + away * rng.normal(size=len(x))
        s = sigma * np.exp(away * rng.normal(size=3))
        found = float(at.at(there, s).log_marginal.sum())
        assert found == pytest.approx(brute_force(c, there, s), abs=0.03)
    assert model.log_likelihood_ == pytest.approx(brute_force(c, x, sigma), abs=0.005)


def test_podiums_answer_is_the_maximum_of_brute_force() -> None:
    c, *_ = judged_votes(8, 20, WIDE, 5)
    model = pod.BradleyTerry(judge_effects=("sharpness", "ties"), order_effect=True, prior=0).fit(c)
    x, sigma = model.fit_.solution, np.array(list(model.judge_spread_.values()))
    best = brute_force(c, x, sigma)
    errors = np.sqrt(np.diag(model.fit_.joint_covariance))
    for k in range(len(x)):
        for step in (-0.3, 0.3):
            assert brute_force(c, x + step * errors * (np.arange(len(x)) == k), sigma) < best
    for k in range(2):
        for step in (-0.1, 0.1):
            assert brute_force(c, x, sigma * np.exp(step * (np.arange(3) == k))) < best


def test_derivatives_are_those_of_differences() -> None:
    c, *_ = judged_votes(8, 20, seed=1)
    model = pod.BradleyTerry(order_effect=True, prior=0).fit(c)
    at, x, sigma = marginal(model, (1, 1, 1), Fine), model.fit_.solution, np.array([0.6, 0.8, 0.5])
    step = 1e-4

    def slope(x: Any) -> Any:
        out = at.at(x, sigma)
        return at.votes.gradient(out.by_delta, out.by_eta, float(out.by_tie.sum()))

    def value(x: Any, sigma: Any = sigma) -> float:
        return float(at.at(x, sigma).log_marginal.sum())

    moves = step * np.eye(len(x))
    by_differences = [(value(x + move) - value(x - move)) / (2 * step) for move in moves]
    assert slope(x) == pytest.approx(by_differences, abs=2e-4)
    information, _ = at.louis(x, at.at(x, sigma))
    by_differences = [(slope(x - move) - slope(x + move)) / (2 * step) for move in moves]
    assert information == pytest.approx(np.array(by_differences), abs=2e-3)
    out = at.at(x, sigma)
    by_sigma = np.einsum("jq,jqk->k", out.weight, out.node**2) / sigma**2 - at.votes.n_judges
    for k in range(3):
        ends = [value(x, sigma * np.exp(side * step * (np.arange(3) == k))) for side in (1, -1)]
        assert by_sigma[k] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=2e-3)


def test_the_mean_log_sharpness_of_the_judges_is_zero() -> None:
    c, *_ = judged_votes(20, 20, seed=2)
    model = pod.BradleyTerry(order_effect=True, prior=0).fit(c)
    at = marginal(model, (1, 1, 0), Fine)
    found = at.climb(model.fit_.solution, np.array([0.5, 0.5, 0.0]), 1e-9)
    assert np.einsum("jq,jq->", found.integrals.weight, found.integrals.node[..., 0]) == pytest.approx(
        0, abs=1e-3
    )
    model = pod.BradleyTerry(order_effect=True, prior=0, judge_effects=("sharpness", "ties")).fit(c)
    assert np.log(model.judge_effects_.sharpness).mean() == pytest.approx(0, abs=0.01)


def test_swapping_sides_negates_what_prefers_a_side() -> None:
    c, *_ = judged_votes(8, 20, WIDE, 5)
    assert c.outcome is not None
    neutral = np.arange(len(c)) % 5 == 0
    z = np.sin(np.arange(len(c)))[:, None]
    c = replace(c, neutral=neutral, covariates=z, covariate_names=("z",))
    assert c.outcome is not None
    swapped = replace(c, left=c.right, right=c.left, outcome=-c.outcome, covariates=-z)
    how: Any = {"judge_effects": EFFECTS, "order_effect": True, "prior": 0}
    one, other = (pod.BradleyTerry(**how).fit(each) for each in (c, swapped))
    assert one.log_skill_ == pytest.approx(other.log_skill_, abs=1e-12)
    assert one.covariance_ == pytest.approx(other.covariance_, abs=1e-12)
    assert [one.tie_, -one.order_effect_] == pytest.approx([other.tie_, other.order_effect_], abs=1e-12)
    assert one.covariate_effect_ == pytest.approx(other.covariate_effect_, abs=1e-12)
    for name in ("sharpness", "ties_low", "ties_high"):
        assert one.judge_effects_[name].to_numpy() == pytest.approx(other.judge_effects_[name], abs=1e-11)
    assert -one.judge_effects_["side"].to_numpy() == pytest.approx(other.judge_effects_["side"], abs=1e-11)


def test_without_effects_the_criterion_is_that_of_a_normal_prior() -> None:
    c, *_ = judged_votes(12, 25)
    model = pod.BradleyTerry(prior="normal").fit(c)
    found = marginal(model, (0, 0, 0)).climb_normal(model.fit_.solution, np.zeros(3), 1.0, 1e-9)
    assert found.criterion <= model.log_likelihood_ + 1e-6  # whose tie parameter allows for unknown skills
    assert found.criterion == pytest.approx(model.log_likelihood_, abs=0.05)
    assert found.scale == pytest.approx(model.prior_scale_, rel=0.02)
