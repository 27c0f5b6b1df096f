"""The objective, its derivatives, and the methods that minimise it."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from podium import Comparisons
from podium.bradley_terry.counts.counting import count_pairs
from podium.bradley_terry.errors.information import information, whole
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.likelihood import PairedProblem
from podium.datasets import make_games
from podium.numerics import threads
from podium.numerics.result import NotConverged


def n_sides(c: Comparisons) -> int:
    return c.n_items if c.teams is None else len(c.teams)


def problem_of(c: Comparisons, prior: float = 0.0, groups: int = 1, **rest: Any) -> PairedProblem:
    assert c.outcome is not None
    ordered = rest.get("free_order", False)
    counts = count_pairs(c.left, c.right, c.outcome, c.weight, n_sides(c), ordered=ordered)
    teams = None if c.teams is None else c.teams.matrix(c.n_items)
    group = (np.arange(c.n_items) % groups).astype(np.int32)
    local = rest.pop("local", np.zeros(c.n_items, np.bool_))
    return PairedProblem(
        counts, teams, rank_group=group, prior=np.full(c.n_items, prior), local=local, **rest
    )


@pytest.mark.parametrize("team_size", [1, 2])
@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize("free_order", [False, True])
@pytest.mark.parametrize("rao_kupper", [False, True])
def test_gradient_and_information_match_finite_differences(
    rao_kupper: bool, free_order: bool, prior: float, team_size: int
) -> None:
    c, _ = make_games(6, 300, team_size=team_size, random_state=0)
    problem = problem_of(c, prior, free_tie=True, free_order=free_order, rao_kupper=rao_kupper)
    x = np.random.default_rng(1).normal(scale=0.4, size=len(problem.start()))
    x[6] = abs(x[6]) + 0.2
    np.testing.assert_allclose(
        problem.derivatives(x).gradient, approx_fprime(x, problem.objective, 1e-7), atol=1e-3
    )
    if team_size == 1:
        step = 1e-6
        hessian = np.array(
            [
                (problem.derivatives(x + step * u).gradient - problem.derivatives(x - step * u).gradient)
                / (2 * step)
                for u in np.eye(len(x))
            ]
        )
        skills, border, corner = information(problem, x)
        found = np.block([[whole(skills), border], [border.T, corner]])
        share, weight = problem.shares(x)
        found[:6, :6] += weight[0] * (np.diag(share) - np.outer(share, share))
        np.testing.assert_allclose(found, hessian, atol=1e-4)
        np.testing.assert_allclose(np.diag(found)[6:], problem.derivatives(x).curvature[6:], atol=1e-6)


@pytest.mark.parametrize("rao_kupper", [False, True])
def test_threads_that_share_a_pass_change_nothing(rao_kupper: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = np.triu_indices(1_001, 1)
    outcome = np.random.default_rng(0).choice([-1, 0, 1], len(left))
    c = Comparisons.from_arrays(left, right, outcome)
    problem = problem_of(c, free_tie=True, free_order=True, rao_kupper=rao_kupper)
    assert len(problem.counts.total) >= threads.SHARED_PAIRS
    x = problem.start()
    monkeypatch.setattr(threads, "n_cores", lambda: 1)
    alone = problem.derivatives(x)
    monkeypatch.setattr(threads, "n_cores", lambda: 3)
    for mine, theirs in zip(alone[:2], problem.derivatives(x)[:2], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=2e-13 * len(c))


@pytest.mark.parametrize("solver", ["auto", "newton"])
@pytest.mark.parametrize("shape", ["chain", "ladder"])
def test_chains_and_ladders_are_solved(shape: str, solver: Any) -> None:
    """First-order methods hardly move here, because each item met only its neighbours."""
    rng = np.random.default_rng(0)
    n = 1000 if shape == "chain" else 2000
    step = 1 if shape == "chain" else 2
    left = np.arange(n - step)
    right = left + step
    if shape == "ladder":
        rung = np.arange(0, n, 2)
        left, right = np.concatenate([left, rung]), np.concatenate([right, rung + 1])
    left, right = np.tile(left, 6), np.tile(right, 6)
    outcome = np.where(rng.random(len(left)) < 0.6, -1, 1)
    outcome[: len(left) // 6], outcome[len(left) // 6 : len(left) // 3] = -1, 1  # each side won at least once
    problem = problem_of(Comparisons.from_arrays(left, right, outcome))
    result = fit_paired(problem, solver, 1e-9, 300)
    assert result.converged
    assert result.gradient_norm is not None
    assert result.gradient_norm <= 1e-9
    if shape == "chain":  # the pairs are independent
        counts = problem.counts
        odds = np.log(counts.left_wins / counts.right_wins)
        theta = result.solution
        np.testing.assert_allclose(theta[counts.first] - theta[counts.partner], odds, atol=1e-6)


def test_log_skills_may_span_more_than_floats_can() -> None:
    """Nine wins of ten all along a chain of 2,000 items: the best has e^4390 times the skill of the worst."""
    left = np.tile(np.arange(1999), 10)
    outcome = np.where(np.arange(len(left)) < 1999, 1, -1)
    problem = problem_of(Comparisons.from_arrays(left, left + 1, outcome))
    result = fit_paired(problem, "newton", 1e-9, 100)
    assert result.converged
    np.testing.assert_allclose(np.diff(result.solution), -np.log(9), atol=1e-6)
    assert np.isfinite(result.objective)


def test_mm_never_raises_the_objective_and_warns_when_it_stops_early() -> None:
    c, _ = make_games(20, 500, random_state=0)
    problem = problem_of(c, 0.1, free_tie=True)
    objectives = [fit_paired(problem, "mm", 1e-9, n).objective for n in range(1, 8)]
    assert np.all(np.diff(objectives) < 0)
    stopped = fit_paired(problem, "mm", 1e-12, 3)
    assert not stopped.converged
    with pytest.warns(NotConverged, match="'mm' stopped after 3 iterations"):
        stopped.warn_if_stopped_early(1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit_paired(problem, "auto", 1e-9, 100).warn_if_stopped_early(1e-9)


def test_mm_takes_the_steps_of_the_paper() -> None:
    """One sweep of eq. (3), component by component, without ties."""
    c, _ = make_games(5, 200, tie_rate=0, random_state=0)
    problem = problem_of(c)
    assert c.outcome is not None
    wins = np.zeros((5, 5))
    winner, loser = np.where(c.outcome == -1, (c.left, c.right), (c.right, c.left))
    np.add.at(wins, (winner, loser), 1)
    p = np.ones(5)
    for s in range(5):
        others = [i for i in range(5) if i != s]
        p[s] = wins[s].sum() / sum((wins[s, i] + wins[i, s]) / (p[s] + p[i]) for i in others)
    found = fit_paired(problem, "mm", 1e-15, 1, np.zeros(5)).solution
    np.testing.assert_allclose(found, np.log(p) - np.log(p).mean(), atol=1e-12)


@pytest.mark.parametrize("solver", ["lbfgs", "newton", "mm"])
def test_groups_are_solved_apart(solver: Any) -> None:
    """Even-numbered items never met odd-numbered items."""
    first, _ = make_games(5, 400, random_state=0)
    second, _ = make_games(5, 400, random_state=1)
    left, right = (
        np.concatenate([getattr(first, side) * 2, getattr(second, side) * 2 + 1])
        for side in ("left", "right")
    )
    outcome = np.concatenate([np.asarray(first.outcome), np.asarray(second.outcome)])
    both = problem_of(Comparisons.from_arrays(left, right, outcome), 0.3, groups=2)
    found = fit_paired(both, solver, 1e-10, 5000)
    assert found.converged
    for group, games in enumerate((first, second)):
        alone = fit_paired(problem_of(games, 0.3), solver, 1e-10, 5000)
        np.testing.assert_allclose(found.solution[group::2], alone.solution, atol=1e-7)


def test_another_start_reaches_the_same_optimum() -> None:
    c, _ = make_games(8, 500, team_size=2, random_state=0)
    problem = problem_of(c, 0.1, free_tie=True)
    start = problem.start() + np.random.default_rng(0).normal(size=9)
    first, other = (fit_paired(problem, "lbfgs", 1e-10, 500, x) for x in (None, start))
    np.testing.assert_allclose(first.solution, other.solution, atol=1e-6)
    assert replace(first, iterations=0).objective == first.objective
