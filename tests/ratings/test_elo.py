from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Comparisons
from podium.ratings import Elo
from tests.ratings.games import few_examples, games, named, played


def oracle(
    c: Comparisons, k: Any = 20.0, start: float = 1200.0, scale: float = 400.0
) -> tuple[dict[Any, float], list[list[float]]]:
    """Elo in plain Python: the ratings at the end, and those of both sides before each game."""
    rating: dict[Any, float] = {}
    peak: dict[Any, float] = {}
    n_games: Counter[Any] = Counter()
    before = []

    def step(item: Any) -> float:
        if k != "fide":
            return float(k)
        if n_games[item] < 30:
            return 40.0
        return 10.0 if peak[item] >= 2400 else 20.0

    for _, left, right, score in played(c):
        for item in left + right:
            rating.setdefault(item, start)
            peak.setdefault(item, start)
        mean_left, mean_right = (sum(rating[i] for i in team) / len(team) for team in (left, right))
        expected = 1 / (1 + 10 ** (-(mean_left - mean_right) / scale))
        before.append([mean_left, mean_right])
        for team, surprise in ((left, score - expected), (right, expected - score)):
            change = sum(step(i) for i in team) / len(team) * surprise
            for item in team:
                rating[item] += change
                peak[item] = max(peak[item], rating[item])
        n_games.update(left + right)
    return rating, before


def many_games(n: int, n_items: int = 12, seed: int = 0, **rest: Any) -> Comparisons:
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    return Comparisons.from_arrays(left, right, rng.integers(-1, 2, n), **rest)


# ------------------------------------------------------------------------------------ against the oracle


@few_examples
@given(games(teams=None), st.sampled_from(["fide", 1, 32.5]), st.sampled_from([1200.0, 2395.0]))
def test_is_the_oracle(c: Comparisons, k: Any, start: float) -> None:
    rating, before = oracle(c, k, start, 350.0)
    elo = Elo(k=k, start=start, scale=350.0)
    seen = elo.ratings_before(c)
    assert named(elo) == pytest.approx(rating)
    order = np.arange(len(c)) if c.time is None else np.argsort(c.time, kind="stable")
    np.testing.assert_allclose(seen[order], np.reshape(before, (-1, 2)))


@pytest.mark.parametrize("start", [1200.0, 2380.0])
def test_many_games_by_the_rules_of_fide(start: float) -> None:
    c = many_games(2000, time=np.random.default_rng(1).integers(0, 50, 2000))
    rating, _ = oracle(c, "fide", start)
    assert named(Elo(k="fide", start=start).fit(c)) == pytest.approx(rating)


# ------------------------------------------------------------------------------------ worked examples


def test_the_event_of_a_player_of_1613() -> None:
    """The common worked example with K = 32: five games rated at once take 1613 to 1601."""
    games_of_a = [("b", 1609, 1), ("c", 1477, 0), ("d", 1388, -1), ("e", 1586, -1), ("f", 1720, 1)]
    change = 0.0
    for opponent, rating, outcome in games_of_a:
        elo = Elo(k=32, initial={"a": 1613, opponent: rating})
        elo.fit(Comparisons.from_arrays(["a"], [opponent], [outcome]))
        change += named(elo)["a"] - 1613
    assert round(1613 + change) == 1601


def test_two_games_by_hand() -> None:
    elo = Elo(k=32, initial={"strong": 1400, "weak": 1000})
    upset = Comparisons.from_arrays(["strong"], ["weak"], [1])
    elo.fit(upset)  # expected 10 / 11
    assert named(elo) == pytest.approx({"strong": 1400 - 320 / 11, "weak": 1000 + 320 / 11})
    assert Elo(scale=800, initial={"a": 800, "b": 0}).fit(
        Comparisons.from_arrays(["a"], ["b"], [0])
    ).rating_ == pytest.approx([800 - 20 * (10 / 11 - 0.5), 20 * (10 / 11 - 0.5)])


def test_fide_changes_k_after_thirty_games() -> None:
    first = Comparisons.from_arrays(["a"] * 30, ["b"] * 30, [0] * 30)
    elo = Elo(k="fide").fit(first[:29])
    assert elo.rating_.tolist() == [1200, 1200]
    win = Comparisons.from_arrays(["a"], ["b"], [-1])
    assert elo.update(win).rating_.tolist() == [1220, 1180]  # the thirtieth: 40 * ½
    assert elo.games_.tolist() == [30, 30]
    assert Elo(k="fide").fit(first).update(win).rating_.tolist() == [1210, 1190]
    newcomer = Elo(k="fide").fit(first).update(Comparisons.from_arrays(["a"], ["c"], [-1]))
    assert named(newcomer) == {"a": 1210, "b": 1200, "c": 1180}  # each side has a k of its own


def test_fide_keeps_the_k_of_who_ever_had_2400() -> None:
    known = {"a": 2398, "b": 2398}
    ties = Comparisons.from_arrays(["a"] * 30, ["b"] * 30, [0] * 30)
    elo = Elo(k="fide", initial=known).fit(ties)
    win, loss = (Comparisons.from_arrays(["a"], ["b"], [outcome]) for outcome in (-1, 1))
    elo.update(win)
    assert elo.rating_.tolist() == [2408, 2388]
    elo.update(loss).update(loss)
    assert elo.peak_[0] == 2408
    assert elo.rating_[0] < 2400
    a, b = elo.rating_
    expected = 1 / (1 + 10 ** ((b - a) / 400))
    elo.update(win)
    assert elo.rating_ == pytest.approx([a + 10 * (1 - expected), b - 10 * (1 - expected)])


def test_the_first_thirty_games_count_40_even_at_2400() -> None:
    elo = Elo(k="fide", start=2500).fit(Comparisons.from_arrays(["a"], ["b"], [-1]))
    assert elo.rating_.tolist() == [2520, 2480]


def test_members_of_a_team_change_alike() -> None:
    c = Comparisons.from_arrays([("a", "b")], [("c", "d", "e")], [-1])
    elo = Elo(k=20, initial={"a": 1300, "b": 1500, "c": 1400, "d": 1400, "e": 1400})
    assert elo.ratings_before(c).tolist() == [[1400, 1400]]
    assert elo.rating_.tolist() == [1310, 1510, 1390, 1390, 1390]
    assert elo.games_.tolist() == [1] * 5
    assert elo.decision_function(c).tolist() == [-20]
    assert elo.decision_function(Comparisons.from_arrays([("a", "new")], ["c"])).tolist() == [1390 - 1255]


# The table in 8.1.2 of FIDE's rating regulations: the lead in points, and the expected score of the leader.
FIDE_TABLE = {0: 0.50, 50: 0.57, 100: 0.64, 150: 0.70, 200: 0.76, 250: 0.81, 300: 0.85, 350: 0.89, 400: 0.92}


@pytest.mark.parametrize(("lead", "expected"), FIDE_TABLE.items())
def test_expected_scores_are_those_of_fide(lead: float, expected: float) -> None:
    """FIDE's table is that of a normal distribution, so the logistic curve differs by a hundredth or so."""
    elo = Elo(initial={"a": 2000 + lead, "b": 2000})
    chance = elo.before(Comparisons.from_arrays(["a"], ["b"], [0]))[0, 0]
    assert chance == pytest.approx(expected, abs=0.0125)


def test_a_tournament_by_the_rules_of_fide() -> None:
    """8.3.2: the change is K times the sum of score minus expected score, by the ratings before the event.

    A player of 2200 draws with 2300 and beats 1950; the table expects 0.36 + 0.81, and K is 40 at first.
    """
    event = Comparisons.from_arrays(["a", "a"], ["b", "c"], [0, -1], time=[1, 1])
    elo = Elo(k="fide", period="season", initial={"a": 2200, "b": 2300, "c": 1950}).fit(event)
    assert elo.rating_[0] - 2200 == pytest.approx(40 * (1.5 - 0.36 - 0.81), abs=0.1)


# ------------------------------------------------------------------------------------ invariants


@few_examples
@given(games())
def test_one_k_for_all_keeps_the_mean(c: Comparisons) -> None:
    elo = Elo(k=30).fit(c)
    assert elo.rating_.sum() == pytest.approx(1200 * len(elo.items_))


@few_examples
@given(games(teams=None), st.floats(-1e4, 1e4), st.floats(0.1, 10))
def test_start_shifts_and_scale_stretches(c: Comparisons, shift: float, stretch: float) -> None:
    plain = Elo(k=20, start=0.0, scale=400).fit(c)
    other = Elo(k=20 * stretch, start=shift, scale=400 * stretch).fit(c)
    np.testing.assert_allclose(other.rating_, shift + stretch * plain.rating_, atol=1e-7)


def test_finds_who_is_strong() -> None:
    from podium.datasets import make_games

    c, log_skill = make_games(10, 20_000, random_state=0)
    elo = Elo(k=4).fit(c)
    assert np.corrcoef(elo.rating_, log_skill)[0, 1] > 0.98
    assert elo.score(c) > 0.6


def test_extreme_differences_do_not_overflow() -> None:
    c = Comparisons.from_arrays(["a", "b"], ["b", "a"], [1, 0])
    elo = Elo(initial={"a": 1e7, "b": -1e7}).fit(c)
    assert elo.predict_proba(c).tolist() == [[1, 0, 0], [0, 0, 1]]


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": "uscf"}, "k is 'uscf', where a number or 'fide' is expected"),
        ({"k": 0}, "k is 0, where a number more than 0 is expected"),
        ({"k": None}, "k is None"),
        ({"start": np.nan}, "start is nan, where a number is expected"),
        ({"scale": -400.0}, "scale is -400.0, where a number more than 0"),
        ({"initial": {"ann": "good"}}, r"initial\['ann'\] is 'good', where a number is expected"),
        ({"initial": ["ann"]}, "initial is a list, where a mapping of items is expected"),
        ({"initial": {1: 1200}}, "the items known so far are integers and these are strings"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Elo(**parameters).fit(Comparisons.from_arrays(["ann"], ["bob"], [1]))
