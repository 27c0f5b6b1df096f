from collections.abc import Sequence
from itertools import groupby
from math import log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Comparisons
from podium.ratings import Glicko
from tests.ratings.games import few_examples, games, named, played

Q = log(10) / 400
KNOWN = {"a": (1500, 200), "b": (1400, 30), "c": (1550, 100), "d": (1700, 300)}
EXAMPLE = Comparisons.from_arrays(["a", "a", "a"], ["b", "c", "d"], [-1, 1, 1], time=[1, 1, 1])


def g(deviation: float) -> float:
    return 1 / sqrt(1 + 3 * Q**2 * deviation**2 / pi**2)


def oracle(
    c: Comparisons, deviation: float = 350.0, growth: float = 0.0, idle: Sequence[int] = ()
) -> tuple[dict[Any, float], dict[Any, float], list[list[float]]]:
    """Glicko in plain Python, period by period: ratings, deviations, and all four before each game.

    ``idle`` says how many periods without games come before each time.
    """
    rating: dict[Any, float] = {}
    spread: dict[Any, float] = {}
    before = []
    for number, (_, period) in enumerate(groupby(played(c), key=lambda row: row[0])):
        rows = list(period)
        passed = 1 + (idle[number] if idle else 0)
        for item in spread:  # a new period has begun for everyone
            spread[item] = min(sqrt(spread[item] ** 2 + passed * growth**2), 350.0)
        results: dict[Any, list[tuple[float, float, float]]] = {}
        for _, (left,), (right,), score in rows:
            for item in (left, right):
                rating.setdefault(item, 1500.0)
                spread.setdefault(item, deviation)
            results.setdefault(left, []).append((rating[right], spread[right], score))
            results.setdefault(right, []).append((rating[left], spread[left], 1 - score))
            before.append([rating[left], rating[right], spread[left], spread[right]])
        new = {item: one_period(rating[item], spread[item], results[item]) for item in results}
        rating |= {item: after[0] for item, after in new.items()}
        spread |= {item: after[1] for item, after in new.items()}
    return rating, spread, before


def one_period(
    rating: float, deviation: float, results: list[tuple[float, float, float]]
) -> tuple[float, float]:
    """Glickman's step 2: ``results`` are rating and deviation of each opponent, and the score against it."""
    inverse_d2 = surprise = 0.0
    for other, spread, score in results:
        expected = 1 / (1 + 10 ** (-g(spread) * (rating - other) / 400))
        inverse_d2 += Q**2 * g(spread) ** 2 * expected * (1 - expected)
        surprise += g(spread) * (score - expected)
    precision = 1 / deviation**2 + inverse_d2
    return rating + Q / precision * surprise, sqrt(1 / precision)


# ------------------------------------------------------------------------------------ worked examples


def test_glickmans_example() -> None:
    """Glickman rounds on the way and prints 1464 and 151.4; these are the digits without rounding."""
    glicko = Glicko(initial=KNOWN).fit(EXAMPLE)
    assert named(glicko)["a"] == pytest.approx(1464.106, abs=5e-4)
    assert named(glicko, "deviation_")["a"] == pytest.approx(151.399, abs=5e-4)
    assert named(glicko, "games_") == {"a": 3, "b": 1, "c": 1, "d": 1}


def test_glickmans_parts_of_the_example() -> None:
    from podium.ratings.glicko_pass import attenuation

    assert [round(attenuation(rd), 4) for rd in (30.0, 100.0, 300.0)] == [0.9955, 0.9531, 0.7242]
    assert attenuation(np.array([30.0, 100.0])) == pytest.approx([g(30), g(100)])


def test_glickmans_expected_outcome() -> None:
    """Glickman's example: 1400 with deviation 80 against 1500 with deviation 150 scores 0.376."""
    c = Comparisons.from_arrays(["weak"], ["strong"])
    glicko = Glicko(initial={"weak": (1400, 80), "strong": (1500, 150)})
    glicko.fit(Comparisons.from_arrays([], [], []))
    assert glicko.predict_proba(c).round(3).tolist() == [[0.376, 0, 0.624]]
    assert glicko.decision_function(c).tolist() == [100]
    assert glicko.predict(c).tolist() == [1]


def test_glickmans_growth() -> None:
    """Glickman's c = 63.2: after 30 periods a deviation of 50 is back at 350."""
    idle = Comparisons.from_arrays(["x", "y"], ["y", "x"], [0, 0], time=[0, 1])
    glicko = Glicko(growth=63.2, initial={"a": (1500, 50.0), "b": (1500, 50.0)})
    once = Comparisons.from_arrays(["a"], ["b"], [0], time=[-1])
    settled = named(glicko.fit(once), "deviation_")["a"]
    glicko.update(idle)
    assert named(glicko, "deviation_")["a"] == pytest.approx(sqrt(settled**2 + 2 * 63.2**2))
    glicko.update(Comparisons.from_arrays(["x"] * 28, ["y"] * 28, [0] * 28, time=range(2, 30)))
    assert named(glicko, "deviation_")["a"] == pytest.approx(350, abs=1)


# ------------------------------------------------------------------------------------ against the oracle


@few_examples
@given(games(), st.sampled_from([100.0, 350.0]), st.sampled_from([0.0, 25.0, 200.0]))
def test_is_the_oracle(c: Comparisons, deviation: float, growth: float) -> None:
    rating, spread, before = oracle(c, deviation, growth)
    glicko = Glicko(deviation=deviation, growth=growth)
    seen = np.hstack(glicko.ratings_before(c, return_deviation=True))
    assert named(glicko) == pytest.approx(rating)
    assert named(glicko, "deviation_") == pytest.approx(spread)
    order = np.arange(len(c)) if c.time is None else np.argsort(c.time, kind="stable")
    np.testing.assert_allclose(seen[order], np.reshape(before, (-1, 4)))


@pytest.mark.parametrize("periods", [1, 40, None])
def test_many_games(periods: int | None) -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 12, 2000)
    right = (left + rng.integers(1, 12, 2000)) % 12
    time = None if periods is None else rng.integers(0, periods, 2000)
    c = Comparisons.from_arrays(left, right, rng.integers(-1, 2, 2000), time=time)
    rating, spread, _ = oracle(c, growth=3.0)
    glicko = Glicko(growth=3.0).fit(c)
    assert named(glicko) == pytest.approx(rating)
    assert named(glicko, "deviation_") == pytest.approx(spread)


# ------------------------------------------------------------------------------------ periods


@few_examples
@given(games(min_size=1), st.randoms())
def test_the_order_within_a_period_is_of_no_matter(c: Comparisons, random: Any) -> None:
    c = Comparisons.from_codes(c.items, c.left, c.right, c.outcome, time=np.arange(len(c)) // 4)
    order = list(range(len(c)))
    random.shuffle(order)
    shuffled = Glicko(growth=20.0).fit(c[order])
    glicko = Glicko(growth=20.0).fit(c)
    np.testing.assert_allclose(shuffled.rating_, glicko.rating_)
    np.testing.assert_allclose(shuffled.deviation_, glicko.deviation_)


def test_a_period_goes_on_in_the_next_update() -> None:
    whole = Glicko(initial=KNOWN).fit(EXAMPLE)
    parts = Glicko(initial=KNOWN).fit(EXAMPLE[:1])
    before, deviation = parts.ratings_before(EXAMPLE[1:], return_deviation=True)
    assert before.tolist() == [[1500, 1550], [1500, 1700]]
    assert deviation.tolist() == [[200, 100], [200, 300]]
    np.testing.assert_array_equal(parts.rating_, whole.rating_)
    np.testing.assert_array_equal(parts.deviation_, whole.deviation_)


def test_of_plain_numbers_only_those_with_games_count_and_a_new_item_has_not_aged() -> None:
    near = Comparisons.from_arrays(["a", "c", "a"], ["b", "d", "e"], [1, 0, 1], time=[1, 2, 3])
    far = Comparisons.from_arrays(["a", "c", "a"], ["b", "d", "e"], [1, 0, 1], time=[1, 50, 900])
    glicko = Glicko(growth=40.0, deviation=100.0)
    before, deviation = glicko.ratings_before(near, return_deviation=True)
    assert deviation[2, 1] == 100
    assert deviation[2, 0] == pytest.approx(sqrt(named(glicko.fit(near[:1]), "deviation_")["a"] ** 2 + 3200))
    np.testing.assert_array_equal(Glicko(growth=40.0, deviation=100.0).ratings_before(far), before)


ROWS = (["a", "b", "a"], ["b", "c", "c"], [-1, 0, 1])


@pytest.mark.parametrize(
    ("period", "passed"), [("month", 3), (30, 3), ("day", 91), (None, 91), ("season", 1), (0.5, 182)]
)
def test_periods_of_dates_count_whether_they_have_games_or_not(period: Any, passed: int) -> None:
    dates = np.array(["2024-01-01", "2024-01-01", "2024-04-01"], dtype="datetime64[D]")
    dated = Comparisons.from_arrays(*ROWS, time=dates)
    numbered = Comparisons.from_arrays(*ROWS, time=[0, 0, passed])
    glicko, other = Glicko(growth=9.0, period=period).fit(dated), Glicko(growth=9.0, period=1).fit(numbered)
    np.testing.assert_allclose(glicko.rating_, other.rating_)
    np.testing.assert_allclose(glicko.deviation_, other.deviation_)
    with pytest.raises(ValueError, match="'time' is 5 here and was 2024-0"):
        Glicko().fit(dated).update(Comparisons.from_arrays(["a"], ["b"], [1], time=[5]))


def test_numbers_count_if_there_is_a_period_of_their_unit() -> None:
    near, far = (Comparisons.from_arrays(*ROWS, time=[0, 0, t]) for t in (1, 90))
    np.testing.assert_array_equal(Glicko(growth=9.0).fit(near).rating_, Glicko(growth=9.0).fit(far).rating_)
    per_unit, per_ten = Glicko(growth=9.0, period=1).fit(far), Glicko(growth=9.0, period=10).fit(far)
    assert per_unit.deviation_[1] == pytest.approx(sqrt(Glicko().fit(far).deviation_[1] ** 2 + 90 * 81))
    assert per_ten.deviation_[1] == pytest.approx(sqrt(Glicko().fit(far).deviation_[1] ** 2 + 9 * 81))


@few_examples
@given(games(min_size=1))
def test_games_make_surer(c: Comparisons) -> None:
    glicko = Glicko().fit(c)
    assert (glicko.deviation_ < 350).all()
    assert (glicko.deviation_ > 0).all()
    assert (Glicko(growth=1e4).fit(c).deviation_ <= 350).all()


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"start": "1500"}, "start is '1500', where a number is expected"),
        ({"deviation": 0}, "deviation is 0, where a number more than 0 is expected"),
        ({"deviation": 400}, "deviation=400 is more than max_deviation=350"),
        ({"growth": -1.0}, "growth is -1.0, where a number of at least 0 is expected"),
        ({"max_deviation": np.inf}, "max_deviation is inf"),
        (
            {"initial": {"ann": 1500}},
            r"initial\['ann'\] is 1500, where a rating and a deviation",
        ),
        ({"initial": {"ann": (1500, -3)}}, r"the deviation in initial\['ann'\] is -3"),
        ({"initial": {"ann": (1500, 351)}}, "is more than max_deviation=350"),
        ({"initial": {"ann": (None, 50)}}, r"the rating in initial\['ann'\] is None"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Glicko(**parameters).fit(Comparisons.from_arrays(["ann"], ["bob"], [1]))


def test_teams_are_refused() -> None:
    glicko = Glicko().fit(Comparisons.from_arrays(["a"], ["b"], [1]))
    teams = Comparisons.from_arrays([("a", "b")], [("c", "d")], [1])
    for method in (glicko.fit, glicko.update, glicko.ratings_before, glicko.predict_proba):
        with pytest.raises(ValueError, match="Glicko rates items, not teams"):
            method(teams)
    assert glicko.items_.tolist() == ["a", "b"]
