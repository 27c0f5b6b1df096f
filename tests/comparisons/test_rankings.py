import copy
import pickle
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from podium import Comparisons, Rankings
from tests.comparisons.ranking_strategies import lists, rankings

FOUR = [["ann", ("bob", "cat"), "dan"], ["dan", "ann"], ["cat"], [("ann", "dan")]]


# ------------------------------------------------------------------------------------ constructors


def test_lists_become_arrays() -> None:
    r = Rankings.from_lists(FOUR)
    assert r.items.tolist() == ["ann", "bob", "cat", "dan"]
    assert r.indptr.tolist() == [0, 4, 6, 7, 9]
    assert r.entries.tolist() == [0, 1, 2, 3, 3, 0, 2, 0, 3]
    assert r.level.tolist() == [0, 1, 1, 2, 0, 1, 0, 0, 0]
    assert [str(array.dtype) for array in (r.indptr, r.entries, r.level)] == ["int64", "int32", "int32"]
    assert r.rest is None
    assert r.weight.strides == r.count.strides == (0,)
    assert len(r) == 4
    assert r.shape == (4, 4)


@given(lists())
def test_lists_and_back(orders: list[list[Any]]) -> None:
    r = Rankings.from_lists(orders)
    assert r.to_lists() == orders
    assert Rankings.from_codes(r.items, r.indptr, r.entries, r.level) == r
    assert Rankings.from_codes(r.items, r.indptr, r.entries, r.level).to_lists() == orders


@given(lists(ties=False))
def test_without_levels_there_are_no_ties(orders: list[list[Any]]) -> None:
    r = Rankings.from_lists(orders)
    assert Rankings.from_codes(r.items, r.indptr, r.entries) == r


def test_a_table_of_labels_has_rankings_of_equal_size() -> None:
    assert Rankings.from_lists(np.array([[3, 1], [1, 7]])).to_lists() == [[3, 1], [1, 7]]


def test_choices() -> None:
    r = Rankings.from_choices(["b", "a"], [["c", "a", "b"], ["a", "c"]], count=[2, 3])
    assert r.to_lists() == [["b", ("c", "a")], ["a", "c"]]
    assert r.rest is not None
    assert r.rest.all()
    assert r.count.tolist() == [2, 3]
    table = np.array([["c", "a", "b"], ["a", "c", "b"]])
    assert Rankings.from_choices(["b", "a"], table).to_lists() == [["b", ("c", "a")], ["a", ("c", "b")]]
    assert repr(r) == "<Rankings: 2 choices of 3 items, connected, count 5>"


def test_scores() -> None:
    scores = pd.DataFrame({"b": [1.0, 2.0, np.inf], "a": [3.0, np.nan, np.inf], "c": [1.0, 5.0, -np.inf]})
    assert Rankings.from_scores(scores).to_lists() == [["a", ("b", "c")], ["c", "b"], [("b", "a"), "c"]]
    low = Rankings.from_scores(scores, higher_is_better=False)
    assert low.to_lists() == [[("b", "c"), "a"], ["b", "c"], ["c", ("b", "a")]]
    assert Rankings.from_scores(scores.to_numpy()).items.tolist() == [0, 1, 2]


def test_scores_of_other_frames() -> None:
    gaps = pd.DataFrame({"a": [1, None], "b": [2, 3]}, dtype="Int64")
    assert Rankings.from_scores(gaps).to_lists() == [["b", "a"], ["b"]]
    assert Rankings.from_scores(pl.DataFrame(gaps)).to_lists() == [["b", "a"], ["b"]]


@given(lists())
def test_scores_of_levels_are_the_rankings(orders: list[list[Any]]) -> None:
    r = Rankings.from_lists(orders)
    table = np.full((len(r), r.n_items), np.nan)
    table[np.repeat(np.arange(len(r)), r.sizes), r.entries] = -r.level
    assert Rankings.from_scores(pd.DataFrame(table, columns=r.items)) == r


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rankings.from_lists([["a"], ["a", "b", "a"]]), r"item 'a' is twice in ranking 2 \(counting"),
        (lambda: Rankings.from_lists([["a", ("b", "a")]]), "item 'a' is twice in ranking 1"),
        (lambda: Rankings.from_lists([["a"], []]), r"ranking 2 \(counting from 1\) is empty"),
        (lambda: Rankings.from_lists([["a"], ["b", ()]]), "ranking 2 .* has a tie of no items"),
        (lambda: Rankings.from_lists([["a"], ["b", None]]), "has no label at row 2"),
        (lambda: Rankings.from_lists(["ab"]), "list of lists"),
        (lambda: Rankings.from_lists([["a", 1]]), "mixes types"),
        (lambda: Rankings.from_lists([["a"]], [-1]), "the weight -1.0 at row 1"),
        (lambda: Rankings.from_lists([["a"]], count=[1, 2]), "'count' has 2 rows where 1"),
        (lambda: Rankings.from_lists([["a"]], rest=["yes"]), "'rest' has 'yes' at row 1"),
        (lambda: Rankings.from_choices(["a"], [["b", "c"]]), "item 'a', chosen at row 1 .* is not among"),
        (lambda: Rankings.from_choices(["a"], [["a", "a"]]), "item 'a', chosen at row 1 .* is twice among"),
        (lambda: Rankings.from_choices(["a"], [["a", "b", "b"]]), "item 'b' is twice in ranking 1"),
        (lambda: Rankings.from_choices(["a", "b"], [["a"]]), "'chosen' has 2 rows where 1"),
        (lambda: Rankings.from_scores([[1.0, 2.0], [np.nan, np.nan]]), "ranking 2 .* is empty"),
        (lambda: Rankings.from_scores([["x", "y"]]), "not numbers"),
        (lambda: Rankings.from_scores([1.0]), "rows × items"),
        (lambda: Rankings.from_codes(np.arange(2), [0, 2], [0, 2]), "whole numbers from 0 to 1"),
        (lambda: Rankings.from_codes(np.arange(2), [0, 1], [0, 1]), "'indptr' ends with 1"),
        (lambda: Rankings.from_codes(np.arange(2), [1, 2], [0, 1]), "starts with 0"),
        (lambda: Rankings.from_codes(np.arange(2), [0, 2], [0, 1], [0, 2]), "levels of ranking 1"),
        (lambda: Rankings.from_codes(np.arange(2), [0, 1, 2], [0, 1], [0, 1]), "levels of ranking 2"),
        (lambda: Rankings.from_codes(np.arange(2), [0, 2], [0, 1], [1, 0]), "levels of ranking 1"),
        (
            lambda: Rankings.from_codes(np.arange(2), [0, 2], [0, 1], [0.0, 1.0]),
            "'level' is not an array of 2",
        ),
    ],
)
def test_errors_name_what_is_wrong(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# ------------------------------------------------------------------------------------ pairs


@given(lists(ties=False))
def test_pairs_are_those_of_from_rankings(orders: list[list[Any]]) -> None:
    weight = np.arange(1, len(orders) + 1)
    pairs = Rankings.from_lists(orders, weight).to_comparisons()
    assert pairs == Comparisons.from_rankings(orders, weight)


@given(rankings())
def test_pairs_one_by_one(r: Rankings) -> None:
    expected = []
    for number, places in enumerate(r.to_lists()):
        level = [(each, at) for at, place in enumerate(places) for each in _items(place)]
        for (one, above), (other, below) in combinations(level, 2):
            if not (r.rest is not None and r.rest[number] and above == below == len(places) - 1):
                expected.append((one, other, -int(above < below), r.mass[number], number))
    c = r.to_comparisons()
    sides = c.items[c.left].tolist(), c.items[c.right].tolist()
    assert c.outcome is not None
    assert c.group is not None
    assert c.groups is not None
    found = zip(*sides, c.outcome.tolist(), c.mass.tolist(), c.groups[c.group].tolist(), strict=True)
    assert list(found) == expected


def _items(place: Any) -> tuple[Any, ...]:
    return place if isinstance(place, tuple) else (place,)


def test_pairs_keep_counts_and_times() -> None:
    c = Rankings.from_lists([["a", "b", "c"]], [2.0], count=[3], time=[2001]).to_comparisons()
    assert (c.weight.tolist(), c.count.tolist()) == ([2.0] * 3, [3.0] * 3)
    assert c.time is not None
    assert c.time.tolist() == [2001] * 3


# ------------------------------------------------------------------------------------ rows and values


@given(rankings(), st.data())
def test_choosing_rows(r: Rankings, data: Any) -> None:
    rows = data.draw(st.lists(st.integers(0, len(r) - 1), max_size=5))
    part = r[rows]
    assert part.to_lists() == [r.to_lists()[row] for row in rows]
    assert part.mass.tolist() == [r.mass[row] for row in rows]
    assert np.array_equal(part.items, r.items)
    assert r[:] == r[np.ones(len(r), dtype=bool)] == r
    assert [one.to_lists()[0] for one in r] == r.to_lists()
    assert r[-1].to_lists() == r.to_lists()[-1:]


def test_folds_of_scikit_learn() -> None:
    r = Rankings.from_lists([[number, number + 1] for number in range(10)])
    train, test = train_test_split(r, test_size=3, random_state=0)
    assert isinstance(train, Rankings)
    assert sorted([*train.to_lists(), *test.to_lists()]) == r.to_lists()


@given(rankings())
def test_frozen_and_copied(r: Rankings) -> None:
    assert copy.deepcopy(r) is r
    assert pickle.loads(pickle.dumps(r)) == r
    with pytest.raises(ValueError, match="read-only"):
        r.entries[0] = 0
    with pytest.raises(TypeError, match="not an array"):
        np.asarray(r)


def test_the_order_of_tied_items_does_not_matter() -> None:
    one, other = Rankings.from_lists([["a", ("b", "c")]]), Rankings.from_lists([["a", ("c", "b")]])
    assert one == other
    assert one != Rankings.from_lists([["a", ("b", "c")]], rest=True)
    assert one != Rankings.from_lists([["a", "b", "c"]])
    assert one != "a"


@given(rankings())
def test_labels_do_not_matter(r: Rankings) -> None:
    new = {label: f"{-number} {label}" for number, label in enumerate(r.items.tolist())}
    renamed = [
        [tuple(new[each] for each in place) if isinstance(place, tuple) else new[place] for place in places]
        for places in r.to_lists()
    ]
    other = Rankings.from_lists(renamed, r.weight, count=r.count, rest=r.rest)
    assert np.array_equal(other.level, r.level)
    assert other.items[other.entries].tolist() == [new[label] for label in r.items[r.entries]]
    assert other.components.max() == r.components.max()


@given(rankings())
def test_merged_rankings_have_all_counts(r: Rankings) -> None:
    twice = r[np.repeat(np.arange(len(r)), 2)].aggregate()
    once = r.aggregate()
    assert twice == replace(once, count=2 * once.count)
    assert once.count.sum() == pytest.approx(r.count.sum())
    kinds = {
        (str([set(_items(place)) for place in places]), r.weight[k], r.rest is not None and r.rest[k])
        for k, places in enumerate(Rankings.to_lists(_sorted(r)))
    }
    assert len(once) == len(kinds)
    assert once.group is None
    if r.groups is not None:
        assert r.aggregate(by_group=True).groups is not None


def _sorted(r: Rankings) -> Rankings:
    return replace(r, entries=r._canonical())


def test_other_items() -> None:
    r = Rankings.from_lists(FOUR)
    other = r.with_items(np.array(["dan", "cat", "eve", "bob", "ann"]))
    assert other.to_lists() == FOUR
    assert other.appears.tolist() == [True, True, False, True, True]
    with pytest.raises(ValueError, match="1 of the items are unknown: 'dan'"):
        r.with_items(np.array(["ann", "bob", "cat"]))
    with pytest.raises(ValueError, match="twice"):
        r.with_items(np.array(["ann", "ann"]))


def test_components() -> None:
    r = Rankings.from_lists([["a", ("b", "c")], ["d", "e"], ["f"], [("g", "h")]], rest=[0, 0, 0, 1])
    assert r.components.tolist() == [0, 0, 0, 1, 1, -1, -1, -1]
    assert r.appears.all()


def test_repr_and_emptiness() -> None:
    empty = Rankings.from_lists([])
    assert repr(empty) == "<Rankings: 0 rankings of 0 items>"
    assert empty.to_lists() == []
    assert len(empty.to_comparisons()) == len(empty.aggregate()) == 0
    r = Rankings.from_lists(FOUR, [1, 2, 3, 4], group=list("xxyz"), rest=[False, False, False, True])
    text = "4 rankings of 4 items, 1 with ties, 1 with an unordered rest, connected, weight 10, 3 groups"
    assert repr(r) == f"<Rankings: {text}>"


def test_the_summary_lists_what_a_table_holds() -> None:
    lists: list[list[Any]] = [["a", ("b", "c")], ["c", "a", "b"], ["a", ("b", "c", "d")]]
    rest = [False, False, True]
    r = Rankings.from_lists(lists, count=[2, 1, 1], group=[1, 1, 2], time=[2020, 2021, 2022], rest=rest)
    assert r.summary().rows() == {
        "rankings": "3",
        "items": "4",
        "items per ranking": "3 to 4",
        "with ties": "1",
        "with an unordered rest": "1",
        "components": "1",
        "count": "4",
        "groups": "2",
        "time": "2020 to 2022",
    }
    assert "<caption>Rankings</caption>" in r._repr_html_()
    choices = Rankings.from_choices(["a", "b"], [["a", "b"], ["a", "b"]], weight=[1, 2])
    assert choices.summary().rows() == {
        "choices": "2",
        "items": "2",
        "items per choice": "2",
        "components": "1",
        "weight": "3",
    }


@given(rankings())
def test_what_a_ranking_does_not_name_is_behind(r: Rankings) -> None:
    full = r.with_rest()
    assert full.sizes.tolist() == [r.n_items] * len(r)
    for one, short in zip(full, r, strict=True):
        assert one.entries[: len(short.entries)].tolist() == short.entries.tolist()
        assert one.level[: len(short.entries)].tolist() == short.level.tolist()
        unnamed = one.entries[len(short.entries) :]
        assert one.in_rest[len(short.entries) :].all()
        assert one.in_rest[: len(short.entries)].tolist() == short.in_rest.tolist()
        assert set(unnamed.tolist()).isdisjoint(short.entries.tolist())
    assert full.with_rest() == full
