"""Leagues and cups against the enumeration of all their outcomes."""

from collections import defaultdict
from itertools import combinations, groupby, permutations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import podium as pod
from podium.core.links import Link, outcome_probabilities
from podium.skill.fit import ExistenceWarning

N = 40_000
NAMES = ["ann", "bob", "cat", "dan"]


def sure(skills: dict[str, float], home: float = 0.3, tie: float = 0.8) -> Any:
    """A model that knows these skills almost exactly."""
    rows: list[Any] = []
    p: list[float] = []
    for a, b in permutations(skills, 2):
        d = np.array([skills[b] - skills[a] - home])
        for outcome, share in zip((-1, 0, 1), outcome_probabilities(d, Link(tie))[0], strict=True):
            rows.append((a, b, outcome))
            p.append(1e8 * share)
    left, right, y = zip(*rows, strict=True)
    c = pod.Comparisons.from_arrays(left, right, y, count=p)
    return pod.BradleyTerry(order_effect=True).fit(c)


MODEL = sure({"ann": 0.6, "bob": 0.2, "cat": -0.1, "dan": -0.7})


def pairs(rows: Any) -> pod.Comparisons:
    left, right = zip(*rows, strict=True)
    return pod.Comparisons.from_arrays(left, right)


def table_of(games: Any, results: Any, points: Any) -> list[list[str]]:
    """The items in groups of equal rank, the best first: points, then the direct games, then wins."""

    def scored(among: set[str]) -> dict[str, float]:
        total: dict[str, float] = defaultdict(float)
        for (a, b), outcome in zip(games, results, strict=True):
            if a in among and b in among:
                total[a] += points[outcome + 1]
                total[b] += points[1 - outcome]
        return total

    items = sorted({name for game in games for name in game})
    every = scored(set(items))
    wins = dict.fromkeys(items, 0)
    for (a, b), outcome in zip(games, results, strict=True):
        if outcome:
            wins[a if outcome < 0 else b] += 1
    key = {}
    for name in items:
        equal = {other for other in items if every[other] == every[name]}
        key[name] = (every[name], scored(equal)[name], wins[name])
    ranked = sorted(items, key=lambda name: key[name], reverse=True)
    return [list(group) for _, group in groupby(ranked, key=lambda name: key[name])]


def enumerated(model: Any, games: Any, points: Any, known: Any = ()) -> tuple[pd.DataFrame, pd.Series]:
    """The chances of all places and the expected points, over all outcomes of the games; lots share."""
    chance = model.predict_proba(pairs(games))
    every = [*games, *(game for game, _ in known)]
    items = sorted({name for game in every for name in game})
    places = pd.DataFrame(0.0, index=items, columns=range(1, len(items) + 1))
    expected = pd.Series(0.0, index=items)
    for results in product((-1, 0, 1), repeat=len(games)):
        p = float(np.prod([chance[g, y + 1] for g, y in enumerate(results)]))
        full = [*results, *(y for _, y in known)]
        place = 1
        for group in table_of(every, full, points):
            for name in group:
                places.loc[name, place : place + len(group) - 1] += p / len(group)
            place += len(group)
        for (a, b), y in zip(every, full, strict=True):
            expected[a] += p * points[y + 1]
            expected[b] += p * points[1 - y]
    return places, expected


def agrees(found: pd.DataFrame, expected: pd.DataFrame, n: int = N) -> None:
    exact = expected.to_numpy(dtype=float)
    gap = np.abs(found.loc[expected.index].to_numpy(dtype=float) - exact)
    assert (gap < 4.5 * np.sqrt(exact * (1 - exact) / n) + 1e-4).all()


@pytest.mark.parametrize("points", [(3, 1, 0), (1, 0.5, 0), (2, 1, 0)])
@pytest.mark.parametrize("n_items", [3, 4])
def test_a_league_has_the_chances_of_all_its_outcomes(points: Any, n_items: int) -> None:
    games = list(combinations(NAMES[:n_items], 2)) if n_items == 4 else list(permutations(NAMES[:3], 2))
    found = pod.simulate(MODEL, pairs(games), points=points, n=N, random_state=0)
    places, expected = enumerated(MODEL, games, points)
    agrees(found.chances, places)
    assert found.points is not None
    mean = found.points.set_index("item")["expected"]
    assert np.abs(mean[expected.index] - expected).max() < 5 * 2.0 * points[0] / np.sqrt(N)


def test_what_is_played_counts_and_breaks_ties() -> None:
    known = [(("ann", "bob"), 1), (("cat", "dan"), 0), (("bob", "ann"), 0), (("dan", "ann"), -1)]
    games = [("ann", "cat"), ("bob", "dan"), ("cat", "bob"), ("ann", "dan"), ("dan", "bob")]
    left, right = zip(*(game for game, _ in known), strict=True)
    played = pod.Comparisons.from_arrays(left, right, [y for _, y in known])
    found = pod.simulate(MODEL, pairs(games), played=played, n=N, random_state=1)
    agrees(found.chances, enumerated(MODEL, games, (3, 1, 0), known)[0])
    calendar = pairs([*(game for game, _ in known), *games])
    again = pod.simulate(MODEL, calendar, played=played, n=N, random_state=1)
    assert again.facts == found.facts == f"{N:,} leagues, 5 fixtures drawn, 4 games played"
    assert (again.chances == found.chances).all(axis=None)


def test_the_order_of_equal_points() -> None:
    """All games are played, so the table is certain."""
    rows = [
        ("ann", "bob", -1), ("bob", "ann", 0), ("ann", "cat", 1), ("ann", "cat", 1), ("bob", "cat", -1),
        ("cat", "dan", 1), ("cat", "dan", 1), ("cat", "dan", 1), ("ann", "dan", 0), ("dan", "bob", 0),
    ]  # fmt: skip
    left, right, outcome = zip(*rows, strict=True)
    played = pod.Comparisons.from_arrays(left, right, outcome)
    found = pod.simulate(MODEL, played, played=played, n=500, random_state=0)
    games = [(a, b) for a, b, _ in rows]
    expected = table_of(games, outcome, (3, 1, 0))
    place = 1
    for group in expected:
        for name in group:
            assert found.chances.loc[name, place : place + len(group) - 1].sum() == pytest.approx(1)
        place += len(group)
    assert not len(found.decisive)


def test_wins_break_what_direct_games_leave_open() -> None:
    """Of two points each, ann has a win and a loss, and bob two ties; they have not met."""
    rows = [("ann", "cat", -1), ("ann", "dan", 1), ("bob", "cat", 0), ("bob", "dan", 0)]
    left, right, outcome = zip(*rows, strict=True)
    played = pod.Comparisons.from_arrays(left, right, outcome)
    found = pod.simulate(MODEL, played, played=played, points=(2, 1, 0), n=200, random_state=0)
    ann, bob = (found.chances.loc[name] for name in ("ann", "bob"))
    assert ann.idxmax() + 1 == bob.idxmax()
    assert ann.max() == bob.max() == 1


def test_chances_are_means_over_the_draws_of_the_fit() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.choice(NAMES[:3], 30), rng.choice(NAMES[:3], 30)
    keep = left != right
    few = pod.Comparisons.from_arrays(left[keep], right[keep], rng.integers(-1, 2, 30)[keep])
    model = pod.BradleyTerry(prior="normal", order_effect=True).fit(few)
    games = [("ann", "bob"), ("bob", "cat"), ("cat", "ann")]
    draws = model.draws(2_000, random_state=3)
    total = np.zeros((3, 3))
    for results in product((-1, 0, 1), repeat=3):
        p = np.ones(len(draws))
        for (a, b), y in zip(games, results, strict=True):
            d = (draws[b] - draws[a] - draws["order_effect"]).to_numpy()
            x, nu = np.exp(d / 2), draws["tie"].to_numpy()
            p *= np.array([1 + 0 * x, nu * x, x * x])[y + 1] / (1 + nu * x + x * x)
        place = 0
        for group in table_of(games, results, (3, 1, 0)):
            for name in group:
                total[NAMES.index(name), place : place + len(group)] += p.mean() / len(group)
            place += len(group)
    found = pod.simulate(model, pairs(games), n=N, random_state=0).chances
    assert np.abs(found.loc[NAMES[:3]].to_numpy() - total).max() < 0.015


# ------------------------------------------------------------------------------------ cups


def test_a_cup_has_the_chances_of_all_its_outcomes() -> None:
    found = pod.simulate(MODEL, pairs([("ann", "bob"), ("cat", "dan")]), rules="cup", n=N, random_state=0)
    first = MODEL.predict_proba(pairs([("ann", "bob"), ("cat", "dan")]))
    through = dict(zip(["ann", "cat"], first[:, 0] + first[:, 1] / 2, strict=True))
    through |= {"bob": 1 - through["ann"], "dan": 1 - through["cat"]}
    title: dict[str, float] = defaultdict(float)
    for a, b in product(["ann", "bob"], ["cat", "dan"]):
        d = MODEL.fit_.log_skill[NAMES.index(b)] - MODEL.fit_.log_skill[NAMES.index(a)]
        left, tie, _ = outcome_probabilities(np.array([d]), MODEL.fit_.link)[0]
        title[a] += through[a] * through[b] * (left + tie / 2)
        title[b] += through[a] * through[b] * (1 - left - tie / 2)
    expected = pd.DataFrame({"semi-final": 1.0, "final": through, "title": title})
    agrees(found.chances[list(expected)], expected)
    assert found.reach is not None
    assert list(found.reach) == ["item", "round", "probability"]
    assert found.places is None
    assert found.points is None
    assert set(found.decisive["left"]) == {"ann", "cat"}
    for row in found.decisive.itertuples():
        assert np.isnan(row.if_tie)
        gains = through[row.left] if row.item in (row.left, row.right) else None
        assert gains is None or 0 in (row.if_left, row.if_right)


def test_byes_and_results_of_a_cup() -> None:
    first = pod.Comparisons.from_arrays(["ann", "cat", "dan"], ["bob", "bye", "-"])
    found = pod.simulate(MODEL, first, rules="cup", n=N, random_state=0).chances
    assert list(found) == ["quarter-final", "semi-final", "final", "title"]
    assert found.loc["dan", "final"] == 1  # the third winner of an odd round
    assert found.loc["cat", "semi-final"] == 1
    assert set(found.index) == set(NAMES)
    known = pod.Comparisons.from_arrays(["bob", "cat", "dan"], ["ann", "bob", "cat"], [-1, 1, -1])
    found = pod.simulate(MODEL, first, rules="cup", played=known, n=100, random_state=0).chances
    assert found.loc["bob", "final"] == found.loc["bob", "semi-final"] == 1
    assert found.loc["cat", "final"] == 0
    assert found["title"].sum() == pytest.approx(1)
    even = pod.simulate(MODEL, pairs([("ann", "bob"), ("cat", "dan")]), rules="cup", n=10)
    assert even.chances["title"].sum() == pytest.approx(1)


# ------------------------------------------------------------------------------------ decisive games


def test_the_decisive_game_is_the_one_between_the_leaders() -> None:
    games = [("ann", "bob"), ("cat", "dan")]
    played = pod.Comparisons.from_arrays(["ann", "bob"], ["cat", "dan"], [-1, -1])
    found = pod.simulate(MODEL, pairs(games), played=played, n=N, random_state=0)
    first, last = (found.decisive.iloc[k] for k in (0, 1))
    assert (first["left"], first["right"]) == ("ann", "bob")
    assert first["item"] in ("ann", "bob")
    assert {first["if_left"], first["if_right"]} == {0.0, 1.0}
    chance = MODEL.predict_proba(pairs(games))[0]
    # With a win, ann has the title for sure, and with a loss, bob; after a tie they draw lots.
    after = np.array([[1, 0], [0.5, 0.5], [0, 1]])
    mean = chance @ after
    assert first["shift"] == pytest.approx(np.sqrt(chance @ ((after - mean) ** 2).sum(axis=1)), abs=0.01)
    assert last["shift"] < 0.02


# ------------------------------------------------------------------------------------ skills that move


def test_skills_move_until_the_game() -> None:
    time = np.arange(200)
    outcome = np.random.default_rng(0).choice([-1, -1, 1], 200)
    c = pod.Comparisons.from_arrays(["ann"] * 200, ["bob"] * 200, outcome, time=time)
    model = pod.DynamicBradleyTerry(spread=1.0, drift=0.1, ties="ignore").fit(c)
    later = [200.0, 400.0, 5000.0]
    fixtures = pod.Comparisons.from_arrays(["ann"] * 3, ["bob"] * 3, time=later)
    found = pod.simulate(model, fixtures, points=(1, 0, 0), n=N, random_state=0).points
    assert found is not None
    expected = model.predict_proba(fixtures, uncertainty=True)[:, 0].sum()
    assert found.set_index("item").loc["ann", "expected"] == pytest.approx(expected, abs=0.02)
    one = pod.simulate(model, fixtures[2:], points=(1, 0, 0), n=N, random_state=0).points
    assert one is not None
    assert one.set_index("item").loc["ann", "expected"] < 0.6  # so far away, it is almost even
    with pytest.raises(ValueError, match="before the last comparison"):
        pod.simulate(model, pod.Comparisons.from_arrays(["ann"], ["bob"], time=[7.0]))


def test_new_items_come_from_the_prior_or_are_refused() -> None:
    c = pod.datasets.load_chess_club()
    games = pairs([("Ada", "a stranger"), ("a stranger", "Nils")])
    with pytest.raises(ValueError, match="a stranger"):
        pod.simulate(pod.BradleyTerry().fit(c), games)
    model = pod.BradleyTerry(prior="normal", order_effect=True).fit(c)
    found = pod.simulate(model, games, points=(1, 0.5, 0), n=N, random_state=0).points
    assert found is not None
    chance = model.predict_proba(games, uncertainty=True)
    expected = chance[0] @ [0, 0.5, 1] + chance[1] @ [1, 0.5, 0]
    assert found.set_index("item").loc["a stranger", "expected"] == pytest.approx(expected, abs=0.015)


def test_rankings_and_other_sources() -> None:
    lists = [["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"], ["a", "c", "b"]] * 5
    model = pod.PlackettLuce().fit(pod.Rankings.from_lists(lists))
    frame = pd.DataFrame({"left": ["a", "b", "c"], "right": ["b", "c", "a"]})
    found = pod.simulate(model, frame, n=2000, random_state=0)
    assert found.chances.index[0] == "a"
    played = pd.DataFrame({"left": ["c"], "right": ["a"], "outcome": ["1-0"]})
    assert "2 fixtures drawn, 1 games played" in pod.simulate(model, frame, played=played, n=10).facts


def test_errors_name_what_is_wrong() -> None:
    games = pairs([("ann", "bob")])
    with pytest.raises(ValueError, match="takes a fitted"):
        pod.simulate(pod.Elo().fit(pod.datasets.load_chess_club()), games)
    votes = pod.datasets.load_model_votes()
    with pytest.raises(ValueError, match="without effects or kinds of judges"):
        pod.simulate(pod.BradleyTerry(judge_effects=("sharpness",)).fit(votes), votes[:3])
    with pytest.raises(ValueError, match="'league' or 'cup'"):
        pod.simulate(MODEL, games, rules="knockout")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"points are .* not \(3, nan, 0\)"):
        pod.simulate(MODEL, games, points=(3, np.nan, 0))
    with pytest.raises(ValueError, match=r"points are .* not \(3, 1\)"):
        pod.simulate(MODEL, games, points=(3, 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'ann' is twice"):
        pod.simulate(MODEL, pairs([("ann", "bob"), ("ann", "cat")]), rules="cup")
    with pytest.raises(ValueError, match="without teams and counts"):
        pod.simulate(MODEL, pod.Comparisons.from_arrays([("ann", "bob")], [("cat", "dan")]))
    with pytest.raises(ValueError, match="needs games"):
        pod.simulate(MODEL, games[:0], rules="cup")
    with pytest.raises(ValueError, match="n is a whole number"):
        pod.simulate(MODEL, games, n=0)
    apart = pod.Comparisons.from_arrays(["a", "b", "c", "d"], ["b", "a", "d", "c"], [1, 1, 1, 1])
    with pytest.warns(ExistenceWarning):
        model = pod.BradleyTerry().fit(apart)
    with pytest.raises(ValueError, match="'a' and 'c' are in groups that were never compared"):
        pod.simulate(model, pairs([("a", "c")]))


def test_the_result_is_a_table_and_frames() -> None:
    found = pod.simulate(MODEL, pairs(list(permutations(NAMES, 2))), n=1000, random_state=0)
    lines = str(found).splitlines()
    assert lines[0] == "1,000 leagues, 12 fixtures drawn, 0 games played; chances in %"
    assert lines[1].split() == ["item", "points", "interval", "1", "2", "3", "4"]
    assert lines[2].startswith("ann")
    assert found.places is not None
    assert found.points is not None
    assert found.places.groupby("item")["probability"].sum().to_numpy() == pytest.approx(np.ones(4))
    assert found.places.groupby("place")["probability"].sum().to_numpy() == pytest.approx(np.ones(4))
    assert (found.points["low"] <= found.points["expected"]).all()
    assert (found.points["expected"] <= found.points["high"]).all()
    assert str(found) == str(pod.simulate(MODEL, pairs(list(permutations(NAMES, 2))), n=1000, random_state=0))
