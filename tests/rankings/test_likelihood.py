"""The passes against a plain sum over all subsets, and against each other."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import Rankings
from podium.comparisons.arrays import frozen
from podium.core.marginal import NormalPrior
from podium.numerics.threads import SHARED_PAIRS
from podium.rankings.ballots import Ballots, ballots_of
from podium.rankings.likelihood import RankingProblem
from tests.oracles.ranked import plain_gradient, plain_information, plain_loss, random_rankings


def problem_of(
    r: Rankings, ignore_ties: bool = False, prior: float = 0.0, local: bool = False
) -> RankingProblem:
    n = r.n_items
    ballots = ballots_of(r, n, np.arange(n, dtype=np.int32), ignore_ties=ignore_ties)
    return RankingProblem(
        ballots, rank_group=np.zeros(n, np.int32), prior=np.full(n, prior), local=np.full(n, local)
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_value_gradient_and_information(seed: int, ties: float) -> None:
    r = random_rankings(seed, ties=ties)
    problem = problem_of(r)
    x = np.random.default_rng(seed).normal(size=r.n_items + problem.n_ties)
    assert problem.loss(x) == pytest.approx(plain_loss(r, x), rel=1e-12)
    np.testing.assert_allclose(problem.derivatives(x).gradient, plain_gradient(r, x), atol=1e-11)
    np.testing.assert_allclose(problem.information(x), plain_information(r, x), atol=1e-7)


@pytest.mark.parametrize("ties", [0.0, 0.4])
@pytest.mark.parametrize("kind", ["none", "mu", "normal", "local"])
def test_products_and_priors(ties: float, kind: str) -> None:
    r = random_rankings(7, ties=ties)
    problem = problem_of(r, prior=0.3 if kind == "mu" else 0.0, local=kind == "local")
    normal = replace(NormalPrior.of(np.zeros(r.n_items)), scale=0.7, tilt=np.full(problem.n_ties, 0.1))
    problem = replace(
        problem, normal=normal if kind == "normal" else None, ridge=np.full(problem.n_ties, 0.2)
    )
    rng = np.random.default_rng(0)
    x = rng.normal(size=r.n_items + problem.n_ties)
    v, h = rng.normal(size=(len(x), 3)), 1e-5
    np.testing.assert_allclose(problem.times(x, v), problem.information(x) @ v, atol=1e-12)
    units = h * np.eye(len(x))
    slope = [(problem.objective(x + u) - problem.objective(x - u)) / (2 * h) for u in units]
    np.testing.assert_allclose(problem.derivatives(x).gradient, slope, atol=1e-7)
    bends = [
        (problem.derivatives(x + u).gradient - problem.derivatives(x - u).gradient) / (2 * h) for u in units
    ]
    np.testing.assert_allclose(problem.information(x), bends, atol=1e-7)


@pytest.mark.parametrize("apart", [False, True])
def test_without_ties_all_kinds_of_passes_agree(apart: bool) -> None:
    """Passes with ties are used if skills are far apart, or if there are ties; here ties never happen."""
    r = random_rankings(1, n_items=8, n=60, ties=0.0)
    problem = problem_of(r)
    x = np.random.default_rng(1).normal(size=8)
    plain = (problem.derivatives(x).gradient, problem.information(x), problem.times(x, np.eye(8)))
    if apart:
        problem = replace(problem, wide=-1.0)
    else:
        problem = replace(problem, ballots=replace(problem.ballots, sizes=np.array([1, 2])))
        x = np.append(x, -50.0)
    found = (problem.derivatives(x).gradient, problem.information(x), problem.times(x, np.eye(len(x))))
    tied = [values[(slice(8),) * values.ndim] for values in found]
    for one, other in zip(plain, tied, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_threads_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.numerics.threads.n_cores", lambda: 3)
    for ties in (0.0, 0.3):
        problem = problem_of(random_rankings(2, n_items=8, n=400, ties=ties))
        x = np.random.default_rng(2).normal(size=8 + problem.n_ties)
        v = np.random.default_rng(3).normal(size=(len(x), 2))
        alone = problem.derivatives(x).gradient, problem.times(x, v)
        copies = SHARED_PAIRS // len(problem.ballots.entries) + 1
        many = replace(problem, ballots=repeated(problem.ballots, copies))
        shared = many.derivatives(x).gradient / copies, many.times(x, v) / copies
        np.testing.assert_allclose(shared[0], alone[0], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(shared[1], alone[1], rtol=1e-10, atol=1e-10)


def repeated(ballots: Ballots, n: int) -> Ballots:
    indptr = frozen(np.append(0, np.cumsum(np.tile(np.diff(ballots.indptr), n))))
    entries, mass = frozen(np.tile(ballots.entries, n)), frozen(np.tile(ballots.mass, n))
    return replace(ballots, indptr=indptr, entries=entries, won=np.tile(ballots.won, n), mass=mass)


def test_with_ties_both_scales_agree() -> None:
    problem = problem_of(random_rankings(4, ties=0.4))
    x = np.random.default_rng(4).normal(size=5 + problem.n_ties)
    near: list[Any] = [problem.derivatives(x).gradient, problem.information(x), problem.loss(x)]
    problem = replace(problem, wide=-1.0)
    far: list[Any] = [problem.derivatives(x).gradient, problem.information(x), problem.loss(x)]
    for one, other in zip(near, far, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_skills_of_any_size_stay_finite(ties: bool) -> None:
    """Skills that differ by e^2000: the favourite wins, and the others are as if it were not there."""
    last = (2, 3) if ties else 2
    r = Rankings.from_lists([[0, 1, last, *([] if ties else [3])], [0, 2, 1, 3], [3, 1]])
    problem = problem_of(r)
    x = np.append([2000.0, 0.3, -0.2, 0.1], np.zeros(problem.n_ties))
    here = problem.derivatives(x)
    assert np.isfinite(here.gradient).all()
    assert here.gradient[0] == pytest.approx(0.0, abs=1e-12)
    near = x.copy()
    near[0] = 40.0
    np.testing.assert_allclose(here.gradient[1:], problem.derivatives(near).gradient[1:], atol=1e-7)
    assert np.isfinite(problem.objective(x))
    assert np.isfinite(problem.information(x)).all()


def test_a_rest_is_only_in_the_denominators() -> None:
    choice = Rankings.from_choices(["a"], [["a", "b", "c"]])
    problem, x = problem_of(choice), np.log([3.0, 2.0, 1.0])
    assert problem.loss(x) == pytest.approx(-np.log(3 / 6))
    assert problem.n_ties == 0


def test_ignored_ties_leave_out_one_choice() -> None:
    r = Rankings.from_lists([["a", ("b", "c"), "d"]])
    x = np.log([4.0, 3.0, 2.0, 1.0])
    assert problem_of(r, ignore_ties=True).loss(x) == pytest.approx(-np.log(0.4))


def test_a_huge_tie_is_refused() -> None:
    r = Rankings.from_lists([[0, 1], [tuple(range(101))]])
    with pytest.raises(ValueError, match=r"ranking 2 \(counting from 1\) has a tie of 101 items"):
        problem_of(r)
