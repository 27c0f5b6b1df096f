"""The search for spread, drift and the other parameters: a weak prior guides it if there are few games."""

from typing import Any

import numpy as np
import pytest

from podium import Comparisons, DynamicBradleyTerry
from podium.bradley_terry.dynamic.parameters import Search
from tests.bradley_terry.dynamic.simulated import random_games
from tests.bradley_terry.dynamic.states import bands
from tests.oracles.dynamic import Dynamics
from tests.oracles.simulated import NU

ELO = 400 / np.log(10)


def few(n: int, seed: int) -> Comparisons:
    """Games of a year whose winners are drawn at random, or are always the left side."""
    rng = np.random.default_rng(seed)
    left = rng.integers(5, size=n)
    right = (left + rng.integers(1, 5, size=n)) % 5
    outcome = np.full(n, -1) if seed == 0 else rng.choice([-1, 1], size=n)
    return Comparisons.from_arrays(left, right, outcome, time=np.sort(rng.random(n)))


@pytest.mark.parametrize("n", [3, 5, 10, 20])
def test_a_handful_of_games_gives_a_sane_spread(n: int) -> None:
    for seed in range(8):
        model = DynamicBradleyTerry().fit(few(n, seed))
        assert 50 < ELO * model.spread_ < 500
        assert ELO * model.drift_ < 1000  # in the year that the games span


def test_one_winner_hardly_moves() -> None:
    """The drift is that of the prior at most, since 0 is the most likely value."""
    model = DynamicBradleyTerry().fit(
        Comparisons.from_arrays(["a"] * 20, list("bcde") * 5, [-1] * 20, time=range(20))
    )
    assert model.reversion_ == 0
    assert "no movement of the skills was found: a drift of 0 is at least as likely" in model.notes_
    assert 0 < model.drift_ < 1.1 * 0.7 / np.sqrt(19)
    assert 100 < ELO * model.spread_ < 500


def test_with_many_games_the_prior_hardly_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Dynamics(1.2, 0.8, reversion=0.3, tie=NU)
    games, _ = random_games(3, world, n_items=40, n=4000, moments=60, years=6.0)
    with_prior, alone = DynamicBradleyTerry(), DynamicBradleyTerry()
    with_prior.fit(games.comparisons())
    monkeypatch.setattr(Search, "penalty", lambda self, values: 0.0)
    alone.fit(games.comparisons())
    for name in ("spread_", "drift_", "tie_"):
        assert getattr(with_prior, name) == pytest.approx(getattr(alone, name), rel=0.04)
    assert with_prior.log_likelihood_ > alone.log_likelihood_ - 0.1


def test_bands_have_the_errors_of_spread_and_drift() -> None:
    """By refits: the covariance of the logarithms is that of a normal density, and the bands move with it."""
    games = random_games(5, Dynamics(1.0, 0.6), n_items=8, n=400, moments=40)[0].comparisons()
    given: dict[str, Any] = {"ties": "ignore", "reversion": 0.0}
    auto = DynamicBradleyTerry(**given).fit(games)
    best = np.log([auto.spread_, auto.drift_])
    usual = np.log([0.7, 0.7 / np.sqrt(np.ptp(np.asarray(games.time)))])

    def fitted(logs: Any) -> tuple[float, Any]:
        spread, drift = np.exp(logs).tolist()
        model = DynamicBradleyTerry(spread, drift=drift, **given).fit(games)
        return model.log_likelihood_ - 0.5 * float(np.sum((logs - usual) ** 2)), model

    offsets = np.array([(a, b) for a in (-0.2, 0.0, 0.2) for b in (-0.2, 0.0, 0.2)])
    density = [fitted(best + offset)[0] for offset in offsets]
    a, b = offsets.T
    terms = np.linalg.lstsq(np.column_stack([a**2 / 2, b**2 / 2, a * b, a, b, a**0]), density)[0]
    covariance = np.linalg.inv(-np.array([[terms[0], terms[2]], [terms[2], terms[1]]]))
    moves = [fitted(best + h)[1] for h in ((0.05, 0), (-0.05, 0), (0, 0.05), (0, -0.05))]
    states = [bands(model).mean for model in moves]
    slope = np.column_stack([states[0] - states[1], states[2] - states[3]]) / 0.1
    more = bands(auto).error ** 2 - bands(fitted(best)[1]).error ** 2
    said = np.einsum("sk,kl,sl->s", slope, covariance, slope)
    assert more.sum() == pytest.approx(said.sum(), rel=0.25)
    assert np.corrcoef(more, said)[0, 1] > 0.9
    board = auto.covariance_ - fitted(best)[1].covariance_
    assert np.linalg.eigvalsh(board).min() > -1e-9
    assert np.trace(board) > 0
    np.testing.assert_array_equal(auto.predict_proba(games), fitted(best)[1].predict_proba(games))
    last = games[np.asarray(games.time) == np.asarray(games.time).max()]
    updated, known = (model.update(last) for model in (auto, fitted(best)[1]))
    wider = bands(updated).error / bands(known).error
    assert wider.min() >= 1
    assert wider.max() > 1.02


def test_the_unit_of_time_does_not_matter() -> None:
    games, _ = random_games(4, n=30)
    in_years, in_days = (
        DynamicBradleyTerry().fit(games.comparisons(time=unit * games.time)) for unit in (1, 365.25)
    )
    assert in_years.spread_ == pytest.approx(in_days.spread_)
    assert in_years.drift_ == pytest.approx(in_days.drift_ * np.sqrt(365.25))
