"""Sampled variances on badly connected graphs, compared with a dense pseudo-inverse, and their invariants."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.errors import sampling, series
from podium.bradley_terry.errors.covariance import Robust, exact_covariance, exact_variances
from podium.bradley_terry.errors.information import pair_terms
from podium.bradley_terry.errors.laplacian import graph_of, solve_laplacian
from podium.bradley_terry.errors.sampling import sampled_errors
from podium.bradley_terry.errors.series import solved_variances, variances_by_series
from podium.bradley_terry.model import BradleyTerry
from podium.core.groups import centred
from podium.datasets import make_games
from podium.numerics import threads

N_CLUBS, CLUB = 20, 50
N_PLAYERS = N_CLUBS * CLUB


def league(outcomes: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """A chain of clubs that hardly meet; the first ten never meet the rest. Both sides of a pair win once."""
    rng = np.random.default_rng(0)
    player = np.arange(N_PLAYERS)
    home = player - player % CLUB
    ring = home + (player + 1) % CLUB
    clubmate = home + rng.integers(0, CLUB, N_PLAYERS)
    away = np.repeat(np.setdiff1d(np.arange(N_CLUBS - 1), [9]), 3) * CLUB
    left = np.concatenate([player, player, away + rng.integers(0, CLUB, len(away))])
    right = np.concatenate([ring, clubmate, away + CLUB + rng.integers(0, CLUB, len(away))])
    left, right = (np.tile(side[left != right], 3) for side in (left, right))
    n_pairs = len(left) // 3
    outcome = np.concatenate([np.repeat([-1, 1], n_pairs), rng.choice(outcomes, n_pairs)])
    return left, right, outcome


def fitted(outcomes: tuple[int, ...], **options: Any) -> tuple[Any, Any]:
    c = Comparisons.from_arrays(*league(outcomes))
    model = BradleyTerry(**options)
    if options.get("prior") == 0.0:
        with pytest.warns(UserWarning, match="2 groups"):
            model.fit(c)
    else:
        model.fit(c)
    return model.fit_.problem, model.result_.solution


@pytest.fixture
def no_factorization(monkeypatch: pytest.MonkeyPatch) -> None:
    """This graph does not need a factorization."""
    monkeypatch.delattr(sampling, "solver_of")


def errors(variance: Any, exact: Any) -> Any:
    """The relative errors of the standard errors."""
    return np.sqrt(variance / exact) - 1


@pytest.fixture(scope="module")
def two_groups() -> tuple[Any, Any]:
    return fitted((-1, 1), prior=0.0)


@pytest.fixture(scope="module")
def sampled(two_groups: Any) -> Any:
    return sampled_errors(*two_groups).variance


@pytest.mark.usefixtures("no_factorization")
def test_sampled_variances_agree_with_a_dense_pseudo_inverse(two_groups: Any, sampled: Any) -> None:
    """The information is computed game by game; its pseudo-inverse has mean 0 in both groups."""
    problem, x = two_groups
    assert variances_by_series(problem, x) is None
    left, right, _ = league((-1, 1))
    full = np.zeros((N_PLAYERS, N_PLAYERS))
    p = 1 / (1 + np.exp(x[left] - x[right]))
    for i, j, w in zip(left, right, p * (1 - p), strict=True):
        full[[i, j], [i, j]] += w
        full[[i, j], [j, i]] -= w
    off = errors(sampled, np.diag(np.linalg.pinv(full, rcond=1e-9, hermitian=True)))
    assert np.sqrt((off**2).mean()) < 0.031
    assert np.abs(off).max() < 5 * 0.031


@pytest.mark.parametrize("options", [{"prior": 0.5}, {"prior": 2.0, "order_effect": True}])
def test_the_variances_include_the_prior(options: Any) -> None:
    problem, x = fitted((-1, 0, 1), **options)
    off = errors(sampled_errors(problem, x).variance, exact_variances(problem, x))
    assert np.sqrt((off**2).mean()) < 0.01
    assert abs(off.mean()) < 0.002


def test_draws_for_half_ties_have_the_sandwich_covariance() -> None:
    """Every other meeting is three ties; the information counts them like three decisive games."""
    left, right, outcome = league((-1, 1))
    n_pairs = len(left) // 3
    outcome[np.tile(np.arange(n_pairs) % 2 == 0, 3)] = 0
    model = BradleyTerry(ties="half", prior=0.1).fit(Comparisons.from_arrays(left, right, outcome))
    problem, x = model.fit_.problem, model.result_.solution
    found = sampled_errors(problem, x, Robust(problem, x, problem.counts)).variance
    off = errors(found, np.diag(exact_covariance(problem, x, Robust(problem, x, problem.counts))))
    assert np.sqrt((off**2).mean()) < 0.03
    assert abs(off.mean()) < 0.005


def test_draws_have_the_information_as_their_covariance() -> None:
    c, _ = make_games(6, 200, random_state=0)
    model = BradleyTerry(prior=20.0).fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    graph, _, _ = graph_of(problem, x)
    draw = sampling.noise_of(problem, x, graph, pair_terms(problem, x).curvature)
    drawn = np.hstack([draw(block) for block in range(2_000)])
    np.testing.assert_allclose(drawn.sum(axis=0), 0, atol=1e-12)
    information = np.column_stack([graph @ unit for unit in np.eye(6)])
    found = drawn @ drawn.T / drawn.shape[1]
    np.testing.assert_allclose(found, information, atol=0.03 * np.abs(information).max())


def test_slow_descent_falls_back_to_a_factorization(
    two_groups: Any, sampled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, x = two_groups
    np.testing.assert_allclose(sampled_errors(problem, x, quick=5).variance, sampled, rtol=2e-3)
    monkeypatch.delattr(sampling, "solver_of")
    with pytest.raises(NameError, match="solver_of"):
        sampled_errors(problem, x, quick=5)


def test_relabelling_only_changes_the_draws(sampled: Any) -> None:
    order = np.random.default_rng(1).permutation(N_PLAYERS)
    left, right, outcome = league((-1, 1))
    c = Comparisons.from_arrays(order[left], order[right], outcome)
    with pytest.warns(UserWarning, match="2 groups"):
        model = BradleyTerry(prior=0.0).fit(c)
    np.testing.assert_array_equal(model.items_, np.arange(N_PLAYERS))
    found = sampled_errors(model.fit_.problem, model.result_.solution).variance
    off = errors(found[order], sampled)
    assert 0 < np.sqrt((off**2).mean()) < 0.031 * np.sqrt(2)
    assert np.abs(off).max() < 5 * 0.031 * np.sqrt(2)


def test_an_isolated_pair_is_exact() -> None:
    """Two items that only met each other: y is ± 1 / (2 √w) in every draw, whatever the other groups do."""
    left, right, outcome = league((-1, 1))
    a, b = [N_PLAYERS] * 5, [N_PLAYERS + 1] * 5
    c = Comparisons.from_arrays([*left, *a], [*right, *b], [*outcome, -1, -1, -1, 1, 1])
    with pytest.warns(UserWarning, match="3 groups"):
        model = BradleyTerry(prior=0.0).fit(c)
    found = sampled_errors(model.fit_.problem, model.result_.solution).variance
    np.testing.assert_allclose(found[-2:], 1 / (4 * 5 * 0.6 * 0.4), rtol=1e-4)


def test_a_single_pair_between_two_leagues_is_not_missed() -> None:
    """Its mode has an eigenvalue of 1e-5, and no energy is gained for long before it is found."""
    first, _ = make_games(500, 60_000, tie_rate=0, random_state=0)
    second, _ = make_games(700, 60_000, tie_rate=0, random_state=1)
    assert first.outcome is not None
    assert second.outcome is not None
    c = Comparisons.from_arrays(
        [*first.left, *(second.left + 500), 0, 0],
        [*first.right, *(second.right + 500), 500, 500],
        [*first.outcome, *second.outcome, -1, 1],
    )
    model = BradleyTerry(prior=0.0).fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    off = errors(sampled_errors(problem, x).variance, exact_variances(problem, x))
    assert np.sqrt((off**2).mean()) < 0.1  # all from one mode, so every item has the same error


@pytest.mark.parametrize("n_threads", [1, 3])
def test_draws_do_not_depend_on_the_number_of_threads(
    n_threads: int, two_groups: Any, sampled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "n_cores", lambda: n_threads)
    np.testing.assert_array_equal(sampled_errors(*two_groups).variance, sampled)


def test_teams_are_solved_exactly() -> None:
    c, _ = make_games(40, 800, team_size=2, random_state=0)
    model = BradleyTerry().fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    found = solved_variances(problem, x)
    assert found is not None
    np.testing.assert_allclose(found, np.diag(exact_covariance(problem, x))[:40], rtol=1e-8)


@pytest.mark.slow
def test_a_year_of_chess_has_nearly_exact_errors(real_data: Path) -> None:
    from podium.datasets import fetch_chess

    c = fetch_chess("twic", data_home=real_data)
    assert c.outcome is not None
    first = slice(40_000)
    c = Comparisons.from_arrays(c.left[first], c.right[first], c.outcome[first])
    model = BradleyTerry(prior=0.1).fit(c)
    graph, border, corner = graph_of(model.fit_.problem, model.result_.solution)
    assert not model.fit_.is_exact
    chosen = np.random.default_rng(0).choice(len(model.items_), 40, replace=False)
    exact = series._from_the_rest(graph, border, corner)[chosen]
    for place, i in enumerate(chosen):
        unit = centred(np.eye(1, len(model.items_), i)[0], graph.group)
        exact[place] += unit @ solve_laplacian(graph, unit, 1e-8)
    off = errors(model.standard_error_[chosen] ** 2, exact)
    assert np.sqrt((off**2).mean()) < 0.012
    assert np.abs(off).max() < 0.08
