"""Pairs are drawn with exactly the probability that is stored."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from podium.vote.database.catalogue import Catalogue
from podium.vote.nouns import Matchup, Seen
from podium.vote.pairs import Choice

DRAWS = 4000
Case = tuple[Choice, frozenset[Seen]]


def catalogue(answers: Mapping[int, set[int]]) -> Catalogue:
    items = tuple(sorted(set().union(*answers.values())))
    return Catalogue(
        items,
        {item: f"item {item}" for item in items},
        {prompt: frozenset(found) for prompt, found in answers.items()},
    )


def all_matchups(choice: Choice) -> list[Seen]:
    answers = choice.catalogue.answers
    return [(prompt, *pair) for prompt in answers for pair in combinations(sorted(answers[prompt]), 2)]


def stated(choice: Choice, matchup: Seen, seen: frozenset[Seen]) -> float:
    """The probability of a matchup, written down from the rule."""
    free = [one for one in all_matchups(choice) if one not in seen]
    wanted = {tuple(sorted(target)) for target in choice.targets} & {one[1:] for one in free}
    explore = choice.explore if wanted else 1.0
    chance = explore / len(free)
    if matchup[1:] in wanted:
        chance += (1 - explore) / len(wanted) / sum(one[1:] == matchup[1:] for one in free)
    return chance


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sets = draw(st.lists(st.sets(st.integers(1, 6), max_size=6), min_size=1, max_size=4))
    shop = catalogue(dict(enumerate(sets, start=10)))
    pairs = st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda pair: pair[0] != pair[1])
    choice = Choice(
        shop, tuple(draw(st.lists(pairs, max_size=6))), draw(st.sampled_from([0.0, 0.2, 0.7, 1.0]))
    )
    free = all_matchups(choice)
    seen = draw(st.sets(st.sampled_from(free))) if free else set()
    gone = {(99, 1, 2), (10, 1, 77)}  # a prompt and an item that are no longer there
    return choice, frozenset(seen | (gone if draw(st.booleans()) else set()))


@given(cases(), st.integers(0, 2**32))
def test_a_matchup_is_new_to_the_judge_and_its_probability_follows_the_rule(case: Case, seed: int) -> None:
    choice, seen = case
    free = set(all_matchups(choice)) - seen
    drawn = choice.draw(seen, Random(seed))
    assert (drawn is None) == (not free)
    if drawn is not None:
        assert drawn.pair in free
        assert drawn.left != drawn.right
        assert {drawn.left, drawn.right} <= choice.catalogue.answers[drawn.prompt]
        assert drawn.probability == pytest.approx(stated(choice, drawn.pair, seen), rel=1e-12)
        assert sum(stated(choice, one, seen) for one in free) == pytest.approx(1, rel=1e-12)


@given(cases())
def test_every_matchup_has_one_number(case: Case) -> None:
    choice, _ = case
    numbered = [choice._numbered(k) for k in range(choice.n_matchups)]
    assert sorted(numbered) == sorted(all_matchups(choice))


ONE = {1: {1, 2, 3, 4, 5}}
SEVERAL = {1: {1, 2, 3}, 2: {1, 2}, 3: {1, 2, 3, 4}, 4: {3}}
TARGETS = ((2, 1), (3, 4))
CASES = {
    "one prompt": (ONE, TARGETS, 0.3, set()),
    "one target seen": (ONE, TARGETS, 0.3, {(1, 1, 2), (1, 4, 5)}),
    "all targets seen": (ONE, TARGETS, 0.3, {(1, 1, 2), (1, 3, 4)}),
    "most seen": (ONE, ((1, 5),), 0.5, {(1, a, b) for a, b in combinations(range(1, 5), 2)}),
    "unequal prompts": (SEVERAL, TARGETS, 0.4, set()),
    "a target seen with some prompts": (SEVERAL, TARGETS, 0.4, {(1, 1, 2), (3, 1, 2), (3, 1, 4)}),
    "no exploration": (SEVERAL, TARGETS, 0.0, {(1, 1, 2)}),
    "no target": (SEVERAL, (), 0.1, {(1, 1, 2)}),
}


@pytest.mark.parametrize(("answers", "targets", "explore", "seen"), CASES.values(), ids=CASES)
def test_matchups_come_as_often_as_their_probability_says(
    answers: dict[int, set[int]], targets: tuple[tuple[int, int], ...], explore: float, seen: set[Seen]
) -> None:
    choice, rng = Choice(catalogue(answers), targets, explore), Random(7)
    drawn = [choice.draw(seen, rng) for _ in range(DRAWS)]
    count = Counter(one.pair for one in drawn if one)
    chance = {one.pair: one.probability for one in drawn if one}
    assert sum(chance.values()) == pytest.approx(1)
    if len(chance) > 1:
        expected = [DRAWS * chance[pair] for pair in chance]
        assert chisquare([count[pair] for pair in chance], expected).pvalue > 1e-3
    n_ordered = sum(one.left < one.right for one in drawn if one)
    assert chisquare([n_ordered, DRAWS - n_ordered]).pvalue > 1e-3


def test_a_judge_who_has_seen_everything_gets_nothing() -> None:
    choice = Choice(catalogue(SEVERAL), TARGETS, 0.2)
    assert choice.draw(set(all_matchups(choice)), Random(0)) is None
    assert Choice(Catalogue(), (), 0.2).draw(set(), Random(0)) is None


def test_a_judge_sees_each_matchup_once() -> None:
    choice, rng, seen = Choice(catalogue(SEVERAL), TARGETS, 0.2), Random(3), set[Seen]()
    while isinstance(drawn := choice.draw(seen, rng), Matchup):
        seen.add(drawn.pair)
    assert seen == set(all_matchups(choice))
