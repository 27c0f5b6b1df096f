"""Plackett–Luce against R's PlackettLuce and against choix."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import PlackettLuce, Rankings

Oracle = Callable[[str], Any]


def relative(model: PlackettLuce, names: list[str]) -> tuple[Any, Any]:
    """Log-skills relative to the first name, and their errors."""
    place = {name: row for row, name in enumerate(model.items_.tolist())}
    at = [place[name] for name in names]
    theta, cov = model.log_skill_[at], model.covariance_[np.ix_(at, at)]
    return theta - theta[0], np.sqrt(np.diag(cov) + cov[0, 0] - 2 * cov[0])


def test_pudding(oracle: Oracle) -> None:
    """Pairs with ties, as rankings of two."""
    data = oracle("bt")["pudding"]
    lists: list[Any] = []
    count: list[float] = []
    for row in data["rows"]:
        left, right = row["left"], row["right"]
        lists += [[left, right], [right, left], [(left, right)]]
        count += [row["w1"], row["w2"], row["ties"]]
    model = PlackettLuce(tol=1e-12).fit(Rankings.from_lists(lists, count=count))
    said = data["pl"]
    ability, error = relative(model, said["names"][:-1])
    np.testing.assert_allclose([*ability, np.log(model.tie_[2])], said["coef"], atol=1e-9)
    np.testing.assert_allclose([*error, np.sqrt(model.fit_.joint_covariance[-1, -1])], said["se"], atol=1e-9)
    assert model.log_likelihood_ == pytest.approx(said["loglik"], rel=1e-12)


def races(data: Any, kept: list[str]) -> list[list[str]]:
    return [
        [data["drivers"][code - 1] for code in order if data["drivers"][code - 1] in kept]
        for order in data["orderings"]
    ]


def test_nascar(oracle: Oracle) -> None:
    data = oracle("bt")["nascar"]
    said = data["pl0"]
    model = PlackettLuce(tol=1e-12).fit(Rankings.from_lists(races(data, said["names"])))
    ability, error = relative(model, said["names"])
    np.testing.assert_allclose(ability, said["coef"], atol=1e-9)
    np.testing.assert_allclose(error, said["se"], atol=1e-9)
    assert model.log_likelihood_ == pytest.approx(said["loglik"], rel=1e-12)
    assert model.notes_ == ()


def test_nascar_with_the_pseudo_rankings_of_r(oracle: Oracle) -> None:
    """R's default adds half a win and half a loss of each driver against a driver that does not exist."""
    data = oracle("bt")["nascar"]
    said = data["pl_default"]
    real = races(data, data["drivers"])
    ghost = [pair for name in said["names"] for pair in ([name, "nobody"], ["nobody", name])]
    weight = np.append(np.ones(len(real)), np.full(len(ghost), 0.5))
    model = PlackettLuce(tol=1e-12).fit(Rankings.from_lists([*real, *ghost], weight))
    np.testing.assert_allclose(relative(model, said["names"])[0], said["coef"], atol=1e-7)


# choix's own test cases: rankings and choices of three and four items, and their estimates.
CASES: list[tuple[Any, Any]] = [
    ([[0, 1, 2], [1, 2, 0], [2, 0, 1]], [0.0, 0.0, 0.0]),
    ([[0, 1, 2], [3, 2, 0], [1, 3]], [-0.44328117, 0.69506219, -0.67061442, 0.4188334]),
]
TOP: list[tuple[Any, Any]] = [
    ([(0, [1, 2]), (1, [0, 2]), (2, [0, 1])], [0.0, 0.0, 0.0]),
    ([(0, [1]), (1, [2]), (2, [0, 1])], [0.16040395, -0.32080789, 0.16040394]),
]


@pytest.mark.parametrize(("rankings", "expected"), CASES)
def test_rankings_of_choix(rankings: Any, expected: Any) -> None:
    choix = pytest.importorskip("choix")
    found = PlackettLuce().fit(Rankings.from_lists(rankings)).log_skill_
    np.testing.assert_allclose(found, expected, atol=5e-5)  # as accurate as they are printed there
    theirs = choix.ilsr_rankings(len(expected), rankings, tol=1e-12)
    np.testing.assert_allclose(found, theirs - theirs.mean(), atol=1e-6)
    theirs = choix.opt_rankings(len(expected), rankings, alpha=1e-9, tol=1e-9)
    np.testing.assert_allclose(found, theirs - theirs.mean(), atol=1e-6)


@pytest.mark.parametrize(("choices", "expected"), TOP)
def test_choices_of_choix(choices: Any, expected: Any) -> None:
    choix = pytest.importorskip("choix")
    chosen, sets = [first for first, _ in choices], [[first, *rest] for first, rest in choices]
    found = PlackettLuce().fit(Rankings.from_choices(chosen, sets)).log_skill_
    np.testing.assert_allclose(found, expected, atol=1e-6)
    theirs = choix.ilsr_top1(len(expected), choices, tol=1e-12)
    np.testing.assert_allclose(found, theirs - theirs.mean(), atol=1e-6)


def test_larger_rankings_of_choix() -> None:
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(0)
    lists = choix.generate_rankings(rng.normal(size=30), 200, size=6)
    lists = [list(map(int, each)) for each in lists]
    theirs = choix.ilsr_rankings(30, lists, tol=1e-10)
    found = PlackettLuce().fit(Rankings.from_lists(lists))
    np.testing.assert_allclose(found.log_skill_, theirs - theirs.mean(), atol=1e-6)
