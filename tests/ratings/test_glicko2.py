"""Glicko-2 against Glickman's paper and against plain Python."""

from itertools import groupby
from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from podium import Comparisons
from podium.ratings import Glicko2
from tests.ratings.games import named, played
from tests.ratings.test_elo import many_games
from tests.ratings.test_glicko import EXAMPLE, KNOWN

POINTS = 400 / log(10)  # of one unit of Glicko-2


def oracle(c: Comparisons, volatility: float, tau: float) -> dict[Any, list[float]]:
    """The paper's steps in plain Python, on its own scale, with periods at times 0, 1, 2, ...: μ, φ and σ."""
    state: dict[Any, list[float]] = {}
    for number, (time, rows) in enumerate(groupby(played(c), key=lambda row: row[0])):
        assert time == number
        results: dict[Any, list[tuple[Any, float]]] = {}
        for _, (left,), (right,), score in rows:
            for item in (left, right):
                state.setdefault(item, [0.0, 350 / POINTS, volatility])
            results.setdefault(left, []).append((right, score))
            results.setdefault(right, []).append((left, 1 - score))
        before = {item: list(values) for item, values in state.items()}
        for item, values in state.items():
            if item in results:
                against = [(before[other][0], before[other][1], score) for other, score in results[item]]
                state[item] = one_period(before[item], against, tau)
            else:
                values[1] = min(sqrt(values[1] ** 2 + values[2] ** 2), 350 / POINTS)
    return state


def one_period(own: list[float], against: list[tuple[float, float, float]], tau: float) -> list[float]:
    """Steps 3 to 7; the root of f by Brent's method, not by the Illinois algorithm."""
    mu, phi, sigma = own
    precision = surprise = 0.0
    for other, spread, score in against:
        g = 1 / sqrt(1 + 3 * spread**2 / pi**2)
        expected = 1 / (1 + exp(-g * (mu - other)))
        precision += g**2 * expected * (1 - expected)
        surprise += g * (score - expected)
    v, delta, a = 1 / precision, surprise / precision, log(sigma**2)

    def f(x: float) -> float:
        whole = phi**2 + v + exp(x)
        return exp(x) * (delta**2 - whole) / (2 * whole**2) - (x - a) / tau**2

    sigma = exp(brentq(f, a - 20, a + 20, xtol=1e-14) / 2)
    phi = 1 / sqrt(1 / (phi**2 + sigma**2) + precision)
    return [mu + phi**2 * surprise, min(phi, 350 / POINTS), sigma]


def test_glickmans_example() -> None:
    """Glickman rounds on the way and prints 1464.06, 151.52 and 0.05999."""
    model = Glicko2(initial=KNOWN).fit(EXAMPLE)
    assert named(model)["a"] == pytest.approx(1464.06, abs=0.01)
    assert named(model, "deviation_")["a"] == pytest.approx(151.52, abs=0.005)
    assert named(model, "volatility_")["a"] == pytest.approx(0.05999, abs=1e-5)
    idle = model.update(Comparisons.from_arrays(["x"], ["y"], [0], time=[3]))
    assert named(idle, "volatility_")["a"] == named(model, "volatility_")["a"]


@pytest.mark.parametrize(("volatility", "tau"), [(0.06, 0.5), (0.3, 1.2), (0.06, 0.2)])
def test_is_the_oracle(volatility: float, tau: float) -> None:
    c = many_games(400, 15, time=np.sort(np.append(np.arange(30), np.arange(370) % 30)))
    expected = oracle(c, volatility, tau)
    model = Glicko2(volatility=volatility, tau=tau).fit(c)
    found = {item: values for item, *values in zip(model.items_.tolist(), *state_of(model), strict=True)}
    for item, values in expected.items():
        assert found[item] == pytest.approx(values, rel=1e-8, abs=1e-9)


def state_of(model: Glicko2) -> tuple[Any, Any, Any]:
    return (model.rating_ - 1500) / POINTS, model.deviation_ / POINTS, model.volatility_


def test_idle_periods_let_the_deviation_grow() -> None:
    first = Comparisons.from_arrays(["a"], ["b"], [1], time=[0])
    later = Comparisons.from_arrays(["c"], ["d"], [1], time=[4])
    model = Glicko2(volatility=0.2, period=1).fit(first)
    phi, sigma = (named(model, name)["a"] for name in ("deviation_", "volatility_"))
    grown = sqrt(phi**2 + 4 * (POINTS * sigma) ** 2)
    assert named(model.update(later), "deviation_")["a"] == pytest.approx(grown)
    _, deviation = model.ratings_before(
        Comparisons.from_arrays(["a"], ["c"], [1], time=[5]), return_deviation=True
    )
    assert deviation[0, 0] == pytest.approx(grown)


def test_surprises_raise_the_volatility_and_extremes_stay_finite() -> None:
    known = {"strong": (2500, 30, 0.06), "weak": (1000, 30)}
    upset = Comparisons.from_arrays(["strong"] * 5, ["weak"] * 5, [1] * 5, time=[0] * 5)
    expected = Comparisons.from_arrays(["strong"] * 5, ["weak"] * 5, [-1] * 5, time=[0] * 5)
    assert Glicko2(initial=known).fit(upset).volatility_[0] > 0.06
    assert Glicko2(initial=known).fit(expected).volatility_[0] <= 0.06
    far = Glicko2(initial={"strong": (1e7, 350), "weak": (-1e7, 350)}).fit(upset)
    assert np.isfinite([far.rating_, far.deviation_, far.volatility_]).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tau": 0}, "tau is 0, where a number more than 0 is expected"),
        ({"volatility": -0.1}, "volatility is -0.1, where a number more than 0"),
        ({"deviation": 400}, "deviation=400 is more than max_deviation=350"),
        (
            {"initial": {"ann": 1500}},
            r"initial\['ann'\] is 1500, where a rating, a deviation and a volatility",
        ),
        ({"initial": {"ann": (1500, 50, 0)}}, r"the volatility in initial\['ann'\] is 0"),
        ({"initial": {"ann": (1500, 400)}}, "is more than max_deviation=350"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Glicko2(**parameters).fit(Comparisons.from_arrays(["ann"], ["bob"], [1]))


def test_teams_are_refused() -> None:
    with pytest.raises(ValueError, match="Glicko2 rates items, not teams"):
        Glicko2().fit(Comparisons.from_arrays([("a", "b")], [("c", "d")], [1]))
