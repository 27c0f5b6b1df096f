"""PlackettLuce against the formulas with every subset listed, and against choix."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import PlackettLuce, Rankings
from tests.oracles.rankings import (
    Array,
    Fitted,
    Objective,
    Orders,
    drawn_orders,
    fit_normal,
    fit_orders,
    has_estimate,
)

CASES: dict[str, dict[str, Any]] = {
    "orders of two to five": {},
    "pairs": {"largest": 2},
    "choices": {"stages": 1},
    "top two and a rest": {"stages": 2, "smallest": 3},
    "ties of two": {"ties": {2: 0.7}},
    "ties of two and three": {"ties": {2: 0.7, 3: 0.5}},
    "ties of three but not of two": {"ties": {3: 0.8}},
    "ties of two, three and four": {"ties": {2: 0.5, 3: 0.4, 4: 0.6}, "n": 120},
    "tied choices": {"ties": {2: 0.7, 3: 0.5}, "stages": 1, "smallest": 3},
    "ties above a rest": {"ties": {2: 0.7, 3: 0.5}, "stages": 2, "smallest": 4},
    "likely ties": {"ties": {2: 6.0, 3: 9.0}},
}
EXTRAS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weighted": True},
    "counts": {"counted": True},
    "weights and counts": {"weighted": True, "counted": True},
}


def fitted(orders: Orders, **parameters: Any) -> PlackettLuce:
    return PlackettLuce(tol=1e-12, **parameters).fit(orders.rankings())


def assert_same(model: PlackettLuce, said: Fitted) -> None:
    k = len(said.skill)
    np.testing.assert_allclose(model.log_skill_, said.skill, atol=1e-6)
    assert model.log_likelihood_ == pytest.approx(said.log_likelihood, abs=1e-6)
    assert list(model.tie_) == said.objective.tie_sizes
    np.testing.assert_allclose(list(model.tie_.values()), said.ties, rtol=1e-6)
    np.testing.assert_allclose(model.covariance_, said.covariance[:k, :k], atol=1e-6)
    np.testing.assert_allclose(model.standard_error_, said.skill_errors, rtol=1e-6)
    v = said.covariance
    difference = np.sqrt(v[0, 0] + v[1, 1] - 2 * v[0, 1])
    assert model.compare(0, 1).standard_error == pytest.approx(difference, rel=1e-6)


# ------------------------------------------------------------------------------------ the oracle itself


def derivatives(function: Callable[[Array], Any], x: Array) -> Array:
    """By complex steps, which are exact to rounding."""
    steps = x + 1e-30j * np.eye(len(x))
    return np.array([np.imag(function(step)) / 1e-30 for step in steps])


@pytest.mark.parametrize("case", CASES)
def test_the_derivatives_of_the_oracle(case: str) -> None:
    o = Objective(drawn_orders(1, weighted=True, **CASES[case]))
    x = np.random.default_rng(2).normal(size=o.size)
    np.testing.assert_allclose(o.row_scores(x).T @ o.mass, derivatives(o.log_likelihood, x), atol=1e-10)
    hessian = derivatives(lambda z: o.row_scores(z).T @ o.mass, x)
    np.testing.assert_allclose(-hessian, o.information(x), atol=1e-10)


def test_the_probabilities_of_the_oracle_add_up_to_one() -> None:
    """There are 13 orders of three items with ties."""
    orders: list[list[tuple[int, ...]]] = [[(0, 1, 2)]]
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        pair = (min(b, c), max(b, c))
        orders += [[(a,), (b,), (c,)], [(a,), (c,), (b,)], [(a,), pair], [pair, (a,)]]
    o = Objective(Orders(orders, 3))
    x = np.array([0.3, -0.5, 1.1, 0.2, -0.4])
    row, chosen, _, _ = o.choices
    logs = np.bincount(row, chosen @ x - o.chances(x)[0])
    assert np.exp(logs).sum() == pytest.approx(1, abs=1e-12)


# ------------------------------------------------------------------------------------ podium


@pytest.mark.parametrize("prior", [0, 0.3])
@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("case", CASES)
def test_estimates_and_errors(case: str, extra: str, prior: Any) -> None:
    orders = drawn_orders(3, **CASES[case], **EXTRAS[extra])
    assert_same(fitted(orders, prior=prior), fit_orders(orders, prior=prior))


@pytest.mark.parametrize(("kind", "prior"), [("robust", 0), ("cluster", 0.3)])
@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("case", CASES)
def test_sandwiches(case: str, extra: str, kind: Any, prior: Any) -> None:
    orders = drawn_orders(4, judges=12, **CASES[case], **EXTRAS[extra])
    assert_same(
        fitted(orders, prior=prior, covariance=kind), fit_orders(orders, prior=prior, covariance=kind)
    )


@pytest.mark.parametrize("kind", ["model", "robust", "cluster"])
@pytest.mark.parametrize("case", [name for name, options in CASES.items() if "ties" in options])
def test_ignored_ties(case: str, kind: Any) -> None:
    orders = drawn_orders(7, judges=12, weighted=True, **CASES[case])
    options: dict[str, Any] = {"prior": 0.3, "covariance": kind}
    assert_same(fitted(orders, ties="ignore", **options), fit_orders(orders, ignore_ties=True, **options))


@pytest.mark.parametrize("seed", range(20))
def test_many_small_tables(seed: int) -> None:
    """With a prior every table has an estimate, however few rankings there are."""
    rng = np.random.default_rng(seed)
    ties = {d: rng.uniform(0.2, 3) for d in range(2, rng.integers(2, 6))}
    stages = [None, 1, 2][rng.integers(3)]
    orders = drawn_orders(seed, n=15, n_items=5, ties=ties, stages=stages, weighted=seed % 2 == 0)
    if len({item for order in orders.levels for level in order for item in level}) < 5:
        pytest.skip("an item is missing")
    assert_same(fitted(orders, prior=0.5), fit_orders(orders, prior=0.5))


def test_an_estimate_is_found_if_and_only_if_there_is_one() -> None:
    """Small tables with ties and rests, decided by a linear program over all subsets."""
    decisions = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        ties = {d: rng.uniform(0.2, 3) for d in range(2, rng.integers(2, 5))}
        orders = drawn_orders(
            seed, n=int(rng.integers(3, 12)), n_items=4, largest=4, ties=ties, stages=[None, 1, 2][seed % 3]
        )
        if len({item for order in orders.levels for level in order for item in level}) < 4:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # of components
                fitted(orders, prior=0)
            found = True
        except (ValueError, UserWarning):
            found = False
        assert found == has_estimate(orders), orders
        decisions.append(found)
    assert 30 < sum(decisions) < len(decisions) - 30


@pytest.mark.parametrize("kind", ["model", "robust", "cluster"])
def test_components(kind: Any) -> None:
    """Two groups of items that were never ranked together: skills are centred in each."""
    orders = drawn_orders(5, ties={2: 0.7}, judges=10)
    other = [[tuple(item + 6 for item in level) for level in order] for order in orders.levels[:40]]
    group = np.append(orders.group, orders.group[:40]) if orders.group is not None else None
    both = Orders([*orders.levels, *other], 12, group=group)
    with pytest.warns(UserWarning, match="2 groups that were never"):
        model = fitted(both, prior=0, covariance=kind)
    assert_same(model, fit_orders(both, component=np.repeat([0, 1], 6), covariance=kind))


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_sandwiches_do_not_depend_on_the_scale_of_weights(scale: float) -> None:
    orders = drawn_orders(6, ties={2: 0.7, 3: 0.5}, judges=12)
    for kind in ("robust", "cluster"):
        scaled = Orders(orders.levels, 6, group=orders.group, weight=np.full(80, scale))
        said = fit_orders(orders, covariance=kind)
        model = fitted(scaled, prior=0, covariance=kind)
        np.testing.assert_allclose(model.standard_error_, said.skill_errors, rtol=1e-6)


@pytest.mark.parametrize("case", [*CASES][:-1])
def test_normal_skills(case: str) -> None:
    orders = drawn_orders(8, counted=True, weighted=True, **CASES[case])
    scale, skill, ties = fit_normal(orders)
    model = fitted(orders, prior="normal")
    assert model.prior_scale_ == pytest.approx(scale, rel=1e-4)
    np.testing.assert_allclose(model.log_skill_, skill, atol=1e-4)
    np.testing.assert_allclose(list(model.tie_.values()), ties, rtol=1e-4)


# ------------------------------------------------------------------------------------ other software

CHOIX_RANKINGS = [[[0, 1, 2], [1, 2, 0], [2, 0, 1]], [[0, 1, 2], [3, 2, 0], [1, 3]]]
CHOIX_CHOICES = [[(0, [1, 2]), (1, [0, 2]), (2, [0, 1])], [(0, [1]), (1, [2]), (2, [0, 1])]]


@pytest.mark.parametrize("rankings", CHOIX_RANKINGS)
def test_the_rankings_in_the_tests_of_choix(rankings: Any) -> None:
    """Their expected numbers are only good to 3e-5, so choix is run again with a smaller tolerance."""
    choix = pytest.importorskip("choix")
    model = PlackettLuce(prior=0).fit(Rankings.from_lists(rankings))
    expected = choix.ilsr_rankings(len(model.items_), rankings, tol=1e-12)
    np.testing.assert_allclose(model.log_skill_, expected, atol=1e-6)


@pytest.mark.parametrize("choices", CHOIX_CHOICES)
def test_the_choices_in_the_tests_of_choix(choices: Any) -> None:
    choix = pytest.importorskip("choix")
    alternatives = [[first, *others] for first, others in choices]
    model = PlackettLuce(prior=0).fit(Rankings.from_choices([first for first, _ in choices], alternatives))
    expected = choix.ilsr_top1(3, choices, tol=1e-12)
    np.testing.assert_allclose(model.log_skill_, expected, atol=1e-6)
