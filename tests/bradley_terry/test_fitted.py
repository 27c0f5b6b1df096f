"""Many items with bottlenecks: errors, ranks, probabilities and anchors agree with the dense inverse."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.errors.sampling import sampled_errors
from podium.bradley_terry.errors.series import variances_by_series
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games
from podium.skill.joint import Dense, Drawn, Independent
from tests.many_items import with_many_items

LEAGUE = 250


def two_leagues(n_bridges: int = 3, order_effect: float = 0.0) -> Comparisons:
    """Two well connected leagues, joined by a few games."""
    options: Any = {"tie_rate": 0.2, "order_effect": order_effect}
    first, second = (make_games(LEAGUE, 20_000, **options, random_state=seed)[0] for seed in (0, 1))
    assert first.outcome is not None
    assert second.outcome is not None
    bridge = np.arange(n_bridges)
    return Comparisons.from_arrays(
        np.concatenate([first.left, second.left + LEAGUE, bridge]),
        np.concatenate([first.right, second.right + LEAGUE, bridge + LEAGUE]),
        np.concatenate([first.outcome, second.outcome, np.resize([-1, 1], n_bridges)]),
    )


@pytest.mark.parametrize(
    "options",
    [{"prior": 0.0}, {"prior": 0.3}, {"order_effect": True}, {"ties": "half"}, {"ties": "rao-kupper"}],
    ids=str,
)
def test_draws_have_the_covariance(options: Any) -> None:
    model = BradleyTerry(**options).fit(two_leagues(4))
    fit = model.fit_
    exact = exact_covariance(fit.problem, fit.solution, fit.score_covariance)[: 2 * LEAGUE, : 2 * LEAGUE]
    assert variances_by_series(fit.problem, fit.solution, fit.score_covariance) is None
    joint = Drawn(sampled_errors(fit.problem, fit.solution, fit.score_covariance).errors)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, 2 * LEAGUE, (40, 2)):
        if i != j:
            expected = exact[i, i] + exact[j, j] - 2 * exact[i, j]
            assert np.sqrt(joint.variances_to(i)[j] / expected) == pytest.approx(1, abs=0.14)  # 4.5 errors


def test_teams_are_drawn_side_by_side() -> None:
    c, _ = make_games(40, 3_000, team_size=2, random_state=0)
    fit = BradleyTerry().fit(c).fit_
    exact = exact_covariance(fit.problem, fit.solution)[:40, :40]
    large: Any = replace(fit, exact_items=2)
    errors = large.joint.errors.astype(np.float64)
    np.testing.assert_allclose((errors**2).mean(axis=1), np.diag(exact), rtol=1e-4)
    found = errors @ errors.T / errors.shape[1]
    # Correlations are those of the expected information.
    np.testing.assert_allclose(found, exact, atol=0.25 * exact.max())


def test_draws_from_a_factorization_have_the_covariance() -> None:
    fit = BradleyTerry().fit(two_leagues()).fit_
    before = sampled_errors(fit.problem, fit.solution).errors
    found = sampled_errors(fit.problem, fit.solution, quick=1).errors
    np.testing.assert_allclose(found, before, atol=0.02 * np.abs(before).max())


@pytest.fixture(scope="module")
def exact() -> BradleyTerry:
    model = BradleyTerry(order_effect=True).fit(two_leagues(order_effect=0.3))
    assert isinstance(model.fit_.joint, Dense)
    return model


@pytest.fixture
def many(exact: BradleyTerry) -> Any:
    return with_many_items(exact)


def test_the_case_is_a_bottleneck(exact: BradleyTerry, many: BradleyTerry) -> None:
    """Most of an item's error is that of its league, and cancels in differences within the league."""
    assert isinstance(many.fit_.joint, Drawn)
    assert exact.compare(5, 9).standard_error < exact.standard_error_[5]


def test_standard_errors(exact: BradleyTerry, many: BradleyTerry) -> None:
    np.testing.assert_allclose(many.standard_error_, exact.standard_error_, rtol=0.03)


@pytest.mark.parametrize("ranks", ["pairwise", "simultaneous"])
def test_ranks(exact: BradleyTerry, many: BradleyTerry, ranks: Any) -> None:
    expected, found = exact.leaderboard(ranks=ranks), many.leaderboard(ranks=ranks)
    np.testing.assert_array_equal(found.item, expected.item)
    np.testing.assert_array_equal(found.rank, expected.rank)
    for end in ("rank_low", "rank_high"):
        off = np.abs(getattr(found, end) - getattr(expected, end))
        assert off.max() <= 20
        assert off.mean() < 2
    independent = Independent(exact.standard_error_**2).certain(exact.log_skill_, 1.96).better
    dependent = exact.fit_.joint.certain(exact.log_skill_, 1.96).better
    assert np.abs(dependent - independent).mean() > 50  # treating the errors as independent would be far off


def test_top_probability(exact: BradleyTerry, many: BradleyTerry) -> None:
    for k in (1, 10):
        expected, found = (m.top_probability(k, n_draws=4_000, random_state=0) for m in (exact, many))
        assert found.sum() == pytest.approx(k)
        np.testing.assert_allclose(found, expected, atol=0.06)


def test_anchored_intervals(exact: BradleyTerry, many: BradleyTerry) -> None:
    expected, found = (m.leaderboard(anchor=7, scale="log") for m in (exact, many))
    np.testing.assert_allclose(found.high - found.low, expected.high - expected.low, rtol=0.15, atol=1e-9)


def test_well_connected_items_are_all_but_independent() -> None:
    c, _ = make_games(400, 60_000, random_state=0)
    exact = BradleyTerry().fit(c)
    expected, errors = exact.leaderboard(), exact.standard_error_
    model = with_many_items(exact)
    assert isinstance(model.fit_.joint, Independent)
    np.testing.assert_allclose(model.standard_error_, errors, rtol=0.01)
    assert np.abs(model.leaderboard().rank_low - expected.rank_low).max() <= 3


@pytest.mark.slow
def test_two_leagues_of_four_thousand_joined_by_one_pair() -> None:
    """A series that misses the bottleneck gives half of the error across it."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, 4_000, 120_000)
    right = (left + rng.integers(1, 4_000, 120_000)) % 4_000
    shift = np.repeat([0, 4_000], 60_000)
    sides = np.append(left + shift, [0, 0]), np.append(right + shift, [4_000, 4_000])
    c = Comparisons.from_arrays(*sides, np.append(rng.choice([-1, 1], 120_000), [-1, 1]))
    model = BradleyTerry().fit(c)
    across = model.compare(5, 4_005).standard_error  # by conjugate gradients, to eight digits
    assert model.standard_error_[[5, 4_005]].max() < across < model.standard_error_[[5, 4_005]].sum() * 1.02
    joint = model.fit_.joint
    assert np.sqrt(joint.variances_to(5)[4_005]) == pytest.approx(across, rel=0.13)
    within = model.compare(5, 6).standard_error
    assert np.sqrt(joint.variances_to(5)[6]) == pytest.approx(within, rel=0.13)


def test_a_bridge_that_hardly_weighs_is_not_missed() -> None:
    """A million games within each league and two between them: a mode with an eigenvalue of 1e-7."""
    i, j = np.triu_indices(60, 1)
    sides = np.concatenate([i, i + 60, [0]]), np.concatenate([j, j + 60, [60]])
    weight = np.append(np.full(2 * len(i), 1e3), 1.0)
    both = [np.tile(side, 2) for side in sides]
    left, right = both
    c = Comparisons.from_arrays(left, right, np.repeat([-1, 1], len(weight)), np.tile(weight, 2))
    model = with_many_items(BradleyTerry().fit(c))
    assert isinstance(model.fit_.joint, Drawn)
    across = model.compare(5, 65).standard_error
    assert across == pytest.approx(np.sqrt(2), rel=0.01)
    assert np.sqrt(model.fit_.joint.variances_to(5)[65]) == pytest.approx(across, rel=0.14)
    assert model.standard_error_[5] == pytest.approx(across / 2, rel=0.14)


def test_with_only_ties_every_error_is_infinite() -> None:
    with pytest.warns(UserWarning, match="only ties"):
        model = BradleyTerry().fit(Comparisons.from_arrays([0, 1, 2], [1, 2, 0], [0, 0, 0]))
    model = with_many_items(model, 2)
    assert model.compare(0, 1).standard_error == np.inf
    assert np.isinf(model.standard_error_).all()
