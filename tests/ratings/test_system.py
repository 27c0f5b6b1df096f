"""Properties of every rating system."""

import pickle
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from podium import Comparisons
from podium.ratings import Elo, Glicko, Glicko2
from podium.ratings.system import RatingSystem
from tests.ratings.games import few_examples, games, named

SYSTEMS = [
    Elo(),
    Elo(k="fide", start=2390.0),
    Glicko(growth=40.0, deviation=200.0),
    Glicko2(deviation=200.0, volatility=0.2),
]
every_system = pytest.mark.parametrize("system", SYSTEMS, ids=str)
GAMES = Comparisons.from_arrays(["ann", "bob", "ann"], ["bob", "cat", "cat"], [-1, 0, -1])


def in_order(c: Comparisons) -> Comparisons:
    return c if c.time is None else c[np.argsort(c.time, kind="stable")]


def assert_same(one: RatingSystem, other: RatingSystem) -> None:
    assert one.items_.tolist() == other.items_.tolist()
    for name in ("rating_", "games_", "deviation_", "volatility_", "peak_"):
        if hasattr(one, name):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)


# ------------------------------------------------------------------------------------ invariants


@every_system
@few_examples
@given(c=games(), cuts=st.lists(st.integers(0, 20), max_size=3))
def test_a_stream_may_be_cut_anywhere(system: RatingSystem, c: Comparisons, cuts: list[int]) -> None:
    c = in_order(c)
    whole, parts = clone(system), clone(system)
    seen = whole.ratings_before(c)
    bounds = [0, *sorted(cuts), len(c)]
    rows = [c[i:j] for i, j in pairwise(bounds)]
    np.testing.assert_allclose(np.concatenate([parts.ratings_before(part) for part in rows]), seen)
    assert_same(parts, whole)


@every_system
@few_examples
@given(c=games())
def test_swapping_sides_changes_nothing(system: RatingSystem, c: Comparisons) -> None:
    one, other = clone(system).fit(c), clone(system).fit(c.swap())
    assert_same(one, other)
    np.testing.assert_allclose(one.decision_function(c), -other.decision_function(c.swap()), atol=1e-9)
    np.testing.assert_allclose(one.predict_proba(c), other.predict_proba(c.swap())[:, ::-1])
    np.testing.assert_allclose(clone(system).before(c), clone(system).before(c.swap())[:, ::-1])
    seen, swapped = clone(system).ratings_before(c), clone(system).ratings_before(c.swap())
    np.testing.assert_allclose(seen, swapped[:, ::-1])


@every_system
@few_examples
@given(c=games())
def test_relabelling_permutes(system: RatingSystem, c: Comparisons) -> None:
    rank = np.arange(c.n_items)[::-1]
    relabelled = Comparisons.from_arrays(rank[c.left], rank[c.right], c.outcome, time=c.time)
    other = named(clone(system).fit(relabelled))
    code = {item: i for i, item in enumerate(c.items)}
    assert {rank[code[item]]: r for item, r in named(clone(system).fit(c)).items()} == pytest.approx(other)


@every_system
@few_examples
@given(c=games())
def test_time_decides_the_order(system: RatingSystem, c: Comparisons) -> None:
    one, other = clone(system), clone(system)
    seen = one.ratings_before(c)
    order = np.arange(len(c)) if c.time is None else np.argsort(c.time, kind="stable")
    np.testing.assert_array_equal(other.ratings_before(c[order]), seen[order])
    assert_same(one, other)


@every_system
@few_examples
@given(c=games())
def test_fitted_attributes_belong_together(system: RatingSystem, c: Comparisons) -> None:
    system = clone(system).fit(c)
    assert system.items_.tolist() == c.items[c.appears].tolist()
    assert len(system.rating_) == len(system.games_) == len(system.items_)
    assert system.games_.sum() == 2 * len(c)
    assert system.games_.dtype == np.int64
    assert np.isfinite(system.rating_).all()


@every_system
@few_examples
@given(c=games(min_size=1))
def test_probabilities(system: RatingSystem, c: Comparisons) -> None:
    system = clone(system).fit(c)
    p = system.predict_proba(c)
    assert system.classes_.tolist() == [-1, 0, 1]
    assert p.shape == (len(c), 3)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p[:, 1] == 0).all()
    assert (np.sign(p[:, 2] - p[:, 0]) * system.predict(c) >= 0).all()
    np.testing.assert_array_equal(system.predict(c), np.sign(system.decision_function(c)))


# ------------------------------------------------------------------------------------ before


@every_system
@few_examples
@given(c=games(), cut=st.integers(0, 8))
def test_before_knows_what_came_strictly_earlier(system: RatingSystem, c: Comparisons, cut: int) -> None:
    """Fitted to everything earlier than a row, the model predicts what ``before`` does."""
    c = in_order(c)
    system = clone(system).set_params(growth=0.0) if hasattr(system, "growth") else system
    moment = np.arange(len(c)) if c.time is None else np.asarray(c.time)
    expected = [
        clone(system).fit(c[moment < moment[row]]).predict_proba(c[row : row + 1])[0] for row in range(len(c))
    ]
    np.testing.assert_allclose(clone(system).before(c), np.reshape(expected, (-1, 3)), atol=1e-12)
    fitted = clone(system).fit(c[:cut])  # the time of the last game may continue
    np.testing.assert_allclose(fitted.before(c[cut:]), np.reshape(expected, (-1, 3))[cut:], atol=1e-12)


@every_system
@few_examples
@given(c=games(min_size=1))
def test_before_changes_nothing(system: RatingSystem, c: Comparisons) -> None:
    c = in_order(c)
    half = len(c) // 2
    asked, other = clone(system).fit(c[:half]), clone(system).fit(c[:half])
    first = asked.before(c[half:])
    np.testing.assert_array_equal(asked.before(c[half:]), first)
    assert_same(asked, other)
    assert_same(asked.update(c[half:]), other.update(c[half:]))
    unfitted = clone(system)
    unfitted.before(c)
    assert not hasattr(unfitted, "items_")


@every_system
def test_before_does_not_know_its_own_time(system: RatingSystem) -> None:
    time = [1, 1, 2, 2, 2, 3]
    sides = list("abacab"), list("bccbcc")
    c = Comparisons.from_arrays(*sides, [1, -1, 0, 1, -1, 1], time=time)
    flipped = Comparisons.from_arrays(*sides, [1, -1, 1, -1, 0, 1], time=time)
    one, other = clone(system).before(c), clone(system).before(flipped)
    np.testing.assert_array_equal(one[:5], other[:5])
    assert (one[5] != other[5]).any()
    shuffled = [0, 1, 4, 2, 3, 5]
    np.testing.assert_allclose(clone(system).before(c[shuffled])[:5], one[shuffled][:5])


# ------------------------------------------------------------------------------------ streaming


@every_system
def test_fit_forgets_and_update_goes_on(system: RatingSystem) -> None:
    once = named(clone(system).fit(GAMES))
    assert named(clone(system).update(GAMES)) == once
    assert named(clone(system).fit(GAMES).fit(GAMES)) == once
    twice = clone(system).fit(GAMES).update(GAMES)
    assert named(twice) != once
    assert twice.games_.tolist() == [4, 4, 4]


@every_system
def test_new_items_enter_sorted_among_the_known(system: RatingSystem) -> None:
    system = clone(system).fit(GAMES)
    known = named(system)
    system.update(Comparisons.from_arrays(["aaron"], ["bert"], [0]))
    assert system.items_.tolist() == ["aaron", "ann", "bert", "bob", "cat"]
    assert named(system) == known | {"aaron": system.start, "bert": system.start}
    assert system.games_.tolist() == [1, 2, 1, 2, 2]


@every_system
def test_an_update_leaves_arrays_already_handed_out(system: RatingSystem) -> None:
    system = clone(system).fit(GAMES)
    rating, copy = system.rating_, system.rating_.copy()
    system.update(GAMES)
    np.testing.assert_array_equal(rating, copy)


@every_system
def test_a_stranger_has_the_start(system: RatingSystem) -> None:
    system = clone(system).fit(GAMES)
    c = Comparisons.from_arrays(["new", "ann"], ["newer", "new"])
    assert system.decision_function(c) == pytest.approx([0, system.start - system.rating_[0]])
    assert system.predict(c).tolist() == [0, -1]
    assert system.predict_proba(c)[0].tolist() == [0.5, 0, 0.5]
    assert system.items_.tolist() == ["ann", "bob", "cat"]


@every_system
def test_no_games(system: RatingSystem) -> None:
    system = clone(system)
    assert system.ratings_before(Comparisons.from_arrays([], [], [])).shape == (0, 2)
    assert system.items_.tolist() == []
    system.update(GAMES).update(GAMES[:0])
    assert_same(system, clone(system).fit(GAMES))


@every_system
def test_items_of_a_wider_table_wait_until_they_play(system: RatingSystem) -> None:
    system = clone(system).fit(GAMES[:1])
    assert system.items_.tolist() == ["ann", "bob"]


def test_initial_items_are_known_before_they_play() -> None:
    elo = Elo(initial={"zoe": 1500, "ann": 1000}).fit(GAMES)
    assert elo.items_.tolist() == ["ann", "bob", "cat", "zoe"]
    assert elo.rating_[3] == elo.peak_[3] == 1500
    assert elo.games_.tolist() == [2, 2, 2, 0]


@every_system
def test_time_does_not_go_back(system: RatingSystem) -> None:
    early, late = (Comparisons.from_arrays(["a"], ["b"], [1], time=[t]) for t in (3, 5))
    system = clone(system).fit(late)
    before = named(system)
    with pytest.raises(ValueError, match="'time' goes back to 3, but games up to 5 are already rated"):
        system.update(early)
    assert named(system) == before
    untimed = Comparisons.from_arrays(["a"], ["b"], [1])
    assert system.update(untimed).update(early).games_.tolist() == [3, 3]


# ------------------------------------------------------------------------------------ scoring


def test_score_is_that_of_the_side_predicted() -> None:
    elo = Elo(initial={"a": 1300, "b": 1200, "c": 1200}).fit(Comparisons.from_arrays([], [], []))
    sides = (["a", "a", "a", "b"], ["b", "b", "b", "c"])
    assert elo.score(Comparisons.from_arrays(*sides, [-1, 0, 1, 1])) == (1 + 0.5 + 0 + 0.5) / 4
    assert elo.score(Comparisons.from_arrays(*sides), [-1, -1, -1, 0]) == 3.5 / 4
    with pytest.raises(ValueError, match="no comparisons to score"):
        elo.score(GAMES[:0])


def test_score_is_a_weighted_mean() -> None:
    elo = Elo(initial={"a": 1300, "b": 1200}).fit(Comparisons.from_arrays([], [], []))
    weighted = Comparisons.from_arrays(["a", "a"], ["b", "b"], [-1, 1], weight=[3, 1])
    assert elo.score(weighted) == 3 / 4
    assert elo.score(weighted, sample_weight=[1, 3]) == 1 / 2
    assert elo.score(weighted, sample_weight=[0, 2]) == 0
    with pytest.raises(ValueError, match="sample_weight has 1 rows"):
        elo.score(weighted, sample_weight=[1])


@every_system
def test_y_replaces_the_outcomes(system: RatingSystem) -> None:
    bare = Comparisons.from_arrays(["ann", "bob", "ann"], ["bob", "cat", "cat"])
    assert_same(clone(system).fit(bare, GAMES.outcome), clone(system).fit(GAMES))
    with pytest.raises(ValueError, match="y has 1 outcomes for 3 comparisons"):
        clone(system).fit(bare, [1])


# ------------------------------------------------------------------------------------ scikit-learn


@every_system
def test_a_classifier_as_all_others(system: RatingSystem) -> None:
    system = clone(system).fit(GAMES)
    assert is_classifier(system)
    assert system.classes_.dtype == system.predict(GAMES).dtype == np.int8


@every_system
def test_clone_and_parameters(system: RatingSystem) -> None:
    assert clone(system).get_params() == system.get_params()
    assert clone(system).set_params(start=1.0).start == 1.0
    assert not hasattr(clone(clone(system).fit(GAMES)), "items_")


def test_parameters_have_their_names() -> None:
    shared = {"advantage": 0.0, "tie": 0.0, "initial": None, "period": None}
    expected = {"k": 20.0, "start": 1200.0, "scale": 400.0, "margin": None, "regression": 0.0, "season": None}
    assert Elo().get_params() == expected | shared
    expected = {"start": 1500.0, "deviation": 350.0, "growth": 0.0, "max_deviation": 350.0}
    assert Glicko().get_params() == expected | shared
    expected = {"start": 1500.0, "deviation": 350.0, "max_deviation": 350.0, "volatility": 0.06, "tau": 0.5}
    assert Glicko2().get_params() == expected | shared


@every_system
def test_not_fitted(system: RatingSystem) -> None:
    system = clone(system)
    names = ("predict", "predict_proba", "decision_function", "score", "leaderboard")
    for method in (getattr(system, name) for name in names):
        with pytest.raises(NotFittedError):
            method(GAMES)


@every_system
def test_pickled_it_goes_on(system: RatingSystem) -> None:
    system = clone(system).fit(GAMES)
    again = pickle.loads(pickle.dumps(system))
    assert_same(again.update(GAMES), system.update(GAMES))


def test_works_in_searches() -> None:
    from podium.datasets import make_games

    c, _ = make_games(6, 300, random_state=0)
    assert cross_val_score(Glicko(), c, cv=3).shape == (3,)
    search = GridSearchCV(Elo(), {"k": [1.0, 10.0]}, cv=3).fit(c, c.outcome)
    assert search.best_score_ > 0.55


# ------------------------------------------------------------------------------------ errors


@every_system
@pytest.mark.parametrize(
    ("c", "message"),
    [
        (Comparisons.from_arrays(["a"], ["b"]), "these comparisons have no outcome to learn from"),
        (np.zeros((3, 2)), "comparisons are expected, not ndarray"),
        (Comparisons.from_arrays([1], [2], [1]), "so far are strings and these are integers"),
    ],
)
def test_bad_games_change_nothing(system: RatingSystem, c: Any, message: str) -> None:
    system = clone(system).fit(GAMES)
    before = named(system)
    for method in (system.update, system.before, system.ratings_before):
        with pytest.raises(ValueError, match=message):
            method(c)
    assert named(system) == before


@every_system
def test_leaderboard(system: RatingSystem) -> None:
    fitted = clone(system).fit(GAMES)
    board = fitted.leaderboard(GAMES)
    assert board.item[0] == "ann"
    assert board.wins.tolist() == [2, 0, 0]
    assert sorted(board.score.tolist(), reverse=True) == board.score.tolist()
    assert np.isfinite(board.low).all() == hasattr(fitted, "deviation_")
    assert len(fitted.leaderboard(GAMES, min_games=3)) == 0
    assert fitted.leaderboard() == board
    assert len(fitted.leaderboard(min_games=3)) == 0
    assert fitted.update(GAMES).leaderboard().games.tolist() == [4, 4, 4]
    assert fitted.leaderboard(GAMES).games.tolist() == [2, 2, 2]


def test_an_initial_rating_waits_for_its_first_game_and_is_named() -> None:
    elo = Elo(initial={"Nobody": 1500, "ann": 1000}).fit(GAMES)
    board = elo.leaderboard()
    assert board.item[0] == "Nobody"
    assert board.games[0] == 0
    assert board.notes == ("'Nobody' has its initial rating and no game yet",)
    assert elo.leaderboard(min_games=1).notes == ()
    assert elo.ratings_before(Comparisons.from_arrays(["Nobody"], ["new"], [1])).tolist() == [[1500, 1200]]
    assert elo.leaderboard().notes == ()


# ------------------------------------------------------------------------------------ weights


@every_system
def test_a_game_of_weight_0_is_absent_and_weights_multiply(system: RatingSystem) -> None:
    weights = [2.0, 0.0, 0.5]
    heavy = Comparisons.from_arrays(["ann", "ann"], ["bob", "cat"], [-1, -1], weight=[2.0, 0.5])
    by_hand = clone(system).fit(heavy)
    assert_same(clone(system).fit(GAMES, sample_weight=weights), by_hand)
    assert_same(clone(system).fit(GAMES[:1], sample_weight=[2.0]).update(GAMES[1:], weights[1:]), by_hand)
    halved = replace(GAMES, weight=np.array([4.0, 1.0, 1.0]))
    assert_same(clone(system).fit(halved, sample_weight=[0.5, 0.0, 0.5]), by_hand)
    assert by_hand.leaderboard().wins.tolist() == by_hand.leaderboard(heavy).wins.tolist() == [2.5, 0, 0]
    assert by_hand.games_.tolist() == [2, 1, 1]
    with pytest.raises(ValueError, match="sample_weight has 1 rows"):
        by_hand.update(GAMES, [1.0])


def test_a_weight_multiplies_the_step_of_elo() -> None:
    once, twice = (Elo(k=k).fit(GAMES[:1], sample_weight=[w]) for k, w in ((20.0, 3.0), (60.0, 1.0)))
    assert_same(once, twice)


@few_examples
@given(games(min_size=1), st.integers(1, 3))
def test_in_a_period_of_glicko_weight_2_is_the_game_twice(c: Comparisons, times: int) -> None:
    period = replace(c, time=np.zeros(len(c)))
    heavy = Glicko().fit(period, sample_weight=np.full(len(c), times))
    repeated = Glicko().fit(period[np.repeat(np.arange(len(c)), times)])
    np.testing.assert_allclose(heavy.rating_, repeated.rating_, rtol=1e-9)
    np.testing.assert_allclose(heavy.deviation_, repeated.deviation_, rtol=1e-9)


# ------------------------------------------------------------------------------------ advantage and ties

HOME = [Elo(advantage=80.0), Glicko(advantage=80.0, growth=20.0), Glicko2(advantage=80.0)]


@pytest.mark.parametrize("system", HOME, ids=str)
def test_an_advantage_is_points_for_the_left_side_only_in_games_that_are_not_neutral(system: Any) -> None:
    sides, time = (list("abacab"), list("bccbcc")), [1, 1, 2, 2, 3, 3]
    c = Comparisons.from_arrays(*sides, [1, -1, 0, 1, -1, 1], time=time)
    plain, home = clone(system).set_params(advantage=0.0).fit(c), clone(system).fit(c)
    everywhere = clone(system).fit(replace(c, neutral=np.ones(6, dtype=bool)))
    assert_same(everywhere, plain)
    assert home.rating_.tolist() != plain.rating_.tolist()
    mixed = replace(c, neutral=np.array([False, True] * 3))
    lead = home.decision_function(replace(c, neutral=None))
    np.testing.assert_allclose(home.decision_function(mixed) - lead, [0, 80] * 3)
    first = clone(system).before(mixed)[:2]
    assert first[1].tolist() == [0.5, 0, 0.5]
    assert first[0, 0] > 0.55
    turned = clone(system).set_params(advantage=-80.0).fit(c.swap())
    assert_same(turned, home)


@every_system
def test_ties_by_davidson(system: RatingSystem) -> None:
    system = clone(system).fit(GAMES)
    before, p = named(system), system.predict_proba(GAMES)
    system.set_params(tie=0.5)
    tied = system.predict_proba(GAMES)
    np.testing.assert_allclose(tied[:, 2] / tied[:, 0], p[:, 2] / p[:, 0])
    np.testing.assert_allclose(tied[:, 1], 0.5 * np.sqrt(tied[:, 0] * tied[:, 2]))
    np.testing.assert_allclose(tied.sum(axis=1), 1)
    assert named(system.fit(GAMES)) == before
    assert clone(system).before(GAMES)[0] == pytest.approx([0.4, 0.2, 0.4])
    assert system.set_params(tie=1e3).predict(GAMES).tolist() == [0, 0, 0]
    assert system.score(GAMES) > 0.5


@every_system
@pytest.mark.parametrize(("name", "value"), [("tie", -0.1), ("tie", np.inf), ("advantage", "home")])
def test_advantage_and_tie_are_numbers(system: RatingSystem, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} is "):
        clone(system).set_params(**{name: value}).fit(GAMES)
