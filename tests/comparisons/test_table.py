import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

from podium import Comparisons, read_comparisons
from tests.comparisons.strategies import comparisons, described


def rows(c: Comparisons) -> Counter[Any]:
    """The table as a bag of rows with their total count."""
    frame = c.to_frame().drop(columns=["time", "group", "count"], errors="ignore")
    bag: Counter[Any] = Counter()
    for row, count in zip(frame.itertuples(index=False, name=None), c.count, strict=True):
        bag[row] += count
    return bag


# ------------------------------------------------------------------------------------ invariants


@given(described())
def test_swap_twice_is_the_same(c: Comparisons) -> None:
    assert c.swap().swap() == c
    if c.covariates is not None:
        np.testing.assert_array_equal(c.swap().covariates, -c.covariates)
    assert c.swap().outcome is not None
    np.testing.assert_array_equal(c.swap().outcome, -np.asarray(c.outcome))


@given(described(), st.randoms())
def test_aggregate_keeps_every_row_and_count(c: Comparisons, random: Any) -> None:
    assert rows(c.aggregate()) == rows(c)
    order = list(range(len(c)))
    random.shuffle(order)
    assert rows(c[order].aggregate()) == rows(c)
    assert len(c.aggregate()) == len(rows(c))


@given(described())
def test_aggregate_by_group_keeps_groups_apart(c: Comparisons) -> None:
    merged = c.aggregate(by_group=True)
    assert merged.count.sum() == c.count.sum()
    assert merged.mass.sum() == c.mass.sum()
    if c.group is not None:
        assert merged.group is not None
        for code in range(len(np.asarray(c.groups))):
            assert rows(c[c.group == code]) == rows(merged[merged.group == code])


@given(described(), st.data())
def test_indexing_is_that_of_the_frame(c: Comparisons, data: Any) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(c), max_size=len(c))), dtype=bool)
    expected = c.to_frame()[mask].reset_index(drop=True)
    if (c[mask].count == 1).all():
        expected = expected.drop(columns="count", errors="ignore")
    for part in (c[mask], c[mask, ...], c[np.flatnonzero(mask)], c[np.flatnonzero(mask).tolist()]):
        pd.testing.assert_frame_equal(part.to_frame(), expected)
        assert part == c[mask]


@given(described(min_size=1))
def test_the_frame_reads_back(c: Comparisons) -> None:
    neutral = None if c.neutral is None else "neutral"
    options: dict[str, Any] = {"covariates": c.covariate_names, "neutral": neutral}
    assert read_comparisons(c.to_frame(), outcome_format="sign", **options) == c


@given(described())
def test_pickle_and_copy(c: Comparisons) -> None:
    again = pickle.loads(pickle.dumps(c))
    assert again == c
    assert copy.copy(c) is c
    assert copy.deepcopy(c) is c
    assert not again.left.flags.writeable
    assert again.teams is None or not again.teams.members.flags.writeable


@given(comparisons(min_size=1))
def test_components_are_those_of_a_walk(c: Comparisons) -> None:
    frame = c.to_frame()
    reach = {item: {item} for item in c.items}
    for left, right in zip(frame["left"], frame["right"], strict=True):
        sides = [side if isinstance(side, tuple) else (side,) for side in (left, right)]
        joined = set().union(*(reach[item] for side in sides for item in side))
        for item in joined:
            reach[item] = joined
    for i, a in enumerate(c.items):
        for j, b in enumerate(c.items):
            assert (c.components[i] == c.components[j]) == (b in reach[a])


def test_components_are_numbered_by_size_and_skip_absent_items() -> None:
    c = Comparisons.from_arrays(["a", "c", "d"], ["b", "d", "e"], [-1, -1, -1])
    assert c.components.tolist() == [1, 1, 0, 0, 0]
    assert c[1:].components.tolist() == [-1, -1, 0, 0, 0]
    assert "2 components" in repr(c)
    assert "connected" in repr(c[1:])


# ------------------------------------------------------------------------------------ constructors


def test_items_are_sorted_whatever_the_order_of_rows() -> None:
    c = Comparisons.from_arrays(["b", "a"], ["c", "b"], [-1, 1])
    assert c.items.tolist() == ["a", "b", "c"]
    assert c.left.tolist() == [1, 0]
    assert c.right.tolist() == [2, 1]


@pytest.mark.parametrize(
    "convert",
    [list, np.array, pd.Series, lambda x: np.array(x, dtype=object), pd.Categorical],
    ids=["list", "array", "series", "objects", "categorical"],
)
@pytest.mark.parametrize("labels", [["b", "a", "c"], [30, 10, 20], [2, 0, 1], [2**60, -5, 0]])
def test_labels_of_any_kind(convert: Any, labels: list[Any]) -> None:
    c = Comparisons.from_arrays(convert(labels), convert(labels[1:] + labels[:1]), [-1, 0, 1])
    assert c.items.tolist() == sorted(labels)
    assert c.items[c.left].tolist() == labels


def test_integers_far_apart_and_close_together_agree() -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 50, 1000)
    right = (left + rng.integers(1, 50, 1000)) % 50
    close = Comparisons.from_arrays(left, right, np.ones(1000))
    far = Comparisons.from_arrays(left * 10**12, right * 10**12, np.ones(1000))
    np.testing.assert_array_equal(close.left, far.left)
    np.testing.assert_array_equal(close.items * 10**12, far.items)


def test_equal_teams_are_one_team_in_whatever_order() -> None:
    c = Comparisons.from_arrays([("a", "b"), ("b", "a"), "c"], [("c", "d"), ("d", "c"), "a"], [1, 1, 0])
    assert c.left[0] == c.left[1]
    assert len(c.aggregate()) == 2
    assert c.teams is not None
    assert c.teams.matrix(c.n_items).toarray().sum(axis=1).tolist() == c.teams.sizes.tolist()
    assert c == Comparisons.from_arrays(
        [["b", "a"], {"a", "b"}, ["c"]], [("d", "c"), ("c", "d"), ["a"]], [1, 1, 0]
    )


def test_teams_from_a_table_of_labels() -> None:
    c = Comparisons.from_arrays(np.array([[1, 2], [3, 4]]), np.array([[3, 4], [1, 5]]), [-1, 1])
    assert c.to_frame()["left"].tolist() == [(1, 2), (3, 4)]


def test_features_find_equal_rows_dense_and_sparse() -> None:
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    pool = rng.normal(size=(7, 3)) * (rng.random((7, 3)) < 0.7)
    pool[0, 0] = -0.0
    left = rng.integers(0, 7, 60)
    right = (left + rng.integers(1, 7, 60)) % 7
    dense = Comparisons.from_features(pool[left], pool[right], np.ones(60))
    sparse = Comparisons.from_features(csr_matrix(pool[left]), csr_matrix(pool[right]), np.ones(60))
    assert dense.n_items == sparse.n_items == 7
    assert dense == sparse
    np.testing.assert_array_equal(dense.features[dense.left], pool[left])


def test_labels_make_all_pairs_within_a_query() -> None:
    rng = np.random.default_rng(1)
    y, qid = rng.integers(0, 3, 30), rng.choice(["p", "q", "r"], 30)
    c = Comparisons.from_labels(np.arange(30.0)[:, None], y, qid)
    expected = {(i, j) for i in range(30) for j in range(i + 1, 30) if qid[i] == qid[j] and y[i] != y[j]}
    assert set(zip(c.left.tolist(), c.right.tolist(), strict=True)) == expected
    assert len(c) == len(expected)
    np.testing.assert_array_equal(c.outcome, np.sign(y[c.right] - y[c.left]))
    assert c.groups is not None
    assert c.group is not None
    np.testing.assert_array_equal(c.groups[c.group], qid[c.left])


def test_labels_with_partners_draws_without_replacement() -> None:
    rng = np.random.default_rng(2)
    y, qid = rng.integers(0, 4, 200), rng.integers(0, 12, 200)
    c = Comparisons.from_labels(np.arange(200.0)[:, None], y, qid, partners=5, random_state=0)
    for i in range(200):
        others = np.flatnonzero((qid == qid[i]) & (y != y[i]))
        drawn = c.right[c.left == i]
        assert len(drawn) == min(5, len(others))
        assert len(set(drawn.tolist())) == len(drawn)
        assert set(drawn.tolist()) <= set(others.tolist())


def test_random_partners_are_uniform() -> None:
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 1, 2])
    draws = [Comparisons.from_labels(X, y, partners=2, random_state=seed) for seed in range(1500)]
    partners_of_0 = np.concatenate([c.right[c.left == 0] for c in draws])
    share = np.bincount(partners_of_0, minlength=6)[2:] / len(partners_of_0)
    np.testing.assert_allclose(share, 0.25, atol=0.03)


def test_rankings_weigh_all_their_pairs() -> None:
    c = Comparisons.from_rankings([["a", "b", "c"], ["c", "a"]], weight=[2, 5])
    assert c.weight.tolist() == [2, 2, 2, 5]
    assert np.asarray(c.group).tolist() == [0, 0, 0, 1]


# ------------------------------------------------------------------------------------ as a value


def test_frozen() -> None:
    outcome = np.array([-1])
    c = Comparisons.from_arrays(["a"], ["b"], outcome)
    with pytest.raises(AttributeError):
        c.left = c.right  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        c.left[0] = 1
    outcome[0] = 1
    assert np.asarray(c.outcome).tolist() == [-1]
    with pytest.raises(TypeError):
        hash(c)
    with pytest.raises(ValueError, match="read-only"):
        c.components[0] = 5
    teams = Comparisons.from_arrays([("a", "b")], ["c"], [1]).teams
    assert teams is not None
    with pytest.raises(ValueError, match="read-only"):
        teams.members[0] = 1


def test_frozen_sparse_features() -> None:
    from scipy.sparse import csr_array

    c = Comparisons.from_features(csr_array([[1.0, 0.0]]), csr_array([[0.0, 1.0]]), [1])
    with pytest.raises(ValueError, match="read-only"):
        c.features.data[0] = 5


def test_it_cannot_be_converted_to_an_array_of_numbers() -> None:
    c = Comparisons.from_arrays(["a"], ["b"], [1])
    assert (c == np.array([1, 2])) is False
    assert (np.array([1, 2]) == c) is False
    with pytest.raises(TypeError, match="to_frame"):
        np.asarray(c)


@given(comparisons(min_size=1), st.randoms())
def test_relabelling_permutes(c: Comparisons, random: Any) -> None:
    labels = c.items.tolist()
    random.shuffle(labels)
    again = c.with_items(np.array(labels, dtype=object))
    pd.testing.assert_series_equal(
        c.to_frame()["left"].map(lambda side: sorted(side) if isinstance(side, tuple) else side),
        again.to_frame()["left"].map(lambda side: sorted(side) if isinstance(side, tuple) else side),
    )
    assert again.components[np.argsort(labels)].tolist() == c.components.tolist()


def test_unknown_items_are_named() -> None:
    c = Comparisons.from_arrays(["a", "b"], ["b", "c"], [1, 1])
    with pytest.raises(ValueError, match="1 of the items are unknown: 'c'"):
        c.with_items(np.array(["a", "b"]))
    assert len(c[:1].with_items(np.array(["a", "b"]))) == 1


def test_codes_are_checked() -> None:
    items = np.array(["a", "b"])
    for code in (-1, 2, 2**32):
        with pytest.raises(ValueError, match=rf"'left' has {code} at row 2 \(.*\), not a code from 0 to 1"):
            Comparisons.from_codes(items, np.array([0, code]), np.array([1, 1]))
    with pytest.raises(ValueError, match="'left' has codes that are not whole numbers from 0 to 1"):
        Comparisons.from_codes(items, np.array([0.5]), np.array([1]))
    for outcome in (np.array([5], dtype=np.int8), np.array([0.5])):
        with pytest.raises(ValueError, match="'outcome' has something else than the whole numbers"):
            Comparisons.from_codes(items, np.array([0]), np.array([1]), outcome)
    for kind in (np.int64, np.int16, np.uint8):
        c = Comparisons.from_codes(items, np.array([0, 1]), np.array([1, 0]), np.array([1, 0], dtype=kind))
        assert c.outcome is not None
        assert c.outcome.dtype == np.int8


def test_outcomes_of_codes_may_be_any_whole_numbers() -> None:
    c = Comparisons.from_codes(np.array(["a", "b"]), np.array([0, 1]), np.array([1, 0]), np.array([-1, 1]))
    assert c.outcome is not None
    assert c.outcome.dtype == np.int8
    assert c.outcome.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        (2, "'weight' has one value where 2 rows are expected"),
        (np.float64(2), "'weight' has one value"),
        ([1.0, 1e200], r"the weight 1e\+200 at row 2 \(counting from 1\) is above 1e\+15"),
        ([1e300, 1e300], "at row 1 .* divide all weights by a number"),
    ],
)
def test_weights_that_cannot_be_computed_with(weight: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Comparisons.from_arrays(["a", "b"], ["b", "a"], [-1, 0], weight)


def test_items_of_another_table_and_teams_that_play_no_more() -> None:
    c = Comparisons.from_arrays([("a", "b"), ("x", "y")], [("c", "d"), ("c", "d")], [-1, 1])
    part = c[:1].with_items(np.array(["d", "c", "b", "a"], dtype=object))
    assert part.teams is not None
    assert part.teams.matrix(4).toarray().tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert [sorted(side) for side in part.to_frame()["left"]] == [["a", "b"]]
    with pytest.raises(ValueError, match="one of them twice"):
        c.with_items(np.array(["a", "a"]))


def test_frames_of_features_keep_their_names() -> None:
    left, right = pd.DataFrame({"u": [1.0], "v": [2.0]}), pd.DataFrame({"u": [3.0], "v": [4.0]})
    assert Comparisons.from_features(left, right, [1]).feature_names == ("u", "v")
    with pytest.raises(ValueError, match="different names"):
        Comparisons.from_features(left, right[["v", "u"]], [1])


def test_dates_as_time() -> None:
    from datetime import date

    c = Comparisons.from_arrays(["a"], ["b"], [1], time=[date(2020, 1, 31)])
    assert np.asarray(c.time).dtype.kind == "M"


def test_a_generator_of_rankings() -> None:
    assert len(Comparisons.from_rankings(r for r in [["a", "b"]])) == 1  # type: ignore[arg-type]


def test_more_partners_than_there_are() -> None:
    c = Comparisons.from_labels(np.zeros((4, 1)), [0, 0, 1, 1], partners=10**9)
    assert len(c) == 8


def test_features_are_checked() -> None:
    c = Comparisons.from_arrays(["a"], ["b"], [1])
    with pytest.raises(ValueError, match="3 rows for 2 items"):
        c.with_features(np.zeros((3, 1)))
    with pytest.raises(ValueError, match="2 names for 1 features"):
        c.with_features(np.zeros((2, 1)), ["x", "y"])


def test_aggregate_without_outcomes() -> None:
    c = Comparisons.from_arrays(["a", "a"], ["b", "b"]).aggregate()
    assert c.outcome is None
    assert c.count.tolist() == [2]


def test_a_table_may_be_empty() -> None:
    for c in (
        Comparisons.from_arrays([], [], []),
        Comparisons.from_features(np.zeros((0, 2)), np.zeros((0, 2)), []),
        Comparisons.from_labels(np.zeros((0, 1)), []),
        Comparisons.from_labels(np.zeros((3, 1)), [1, 1, 1], partners=2),
        Comparisons.from_rankings([]),
        Comparisons.from_rankings([["a"], []]),
    ):
        assert len(c) == len(c.aggregate()) == len(c.swap()) == len(c.to_frame()) == 0
        assert repr(c).startswith("<Comparisons: 0 comparisons of 0 items")


def test_features_are_a_copy() -> None:
    X = np.zeros((1, 2))
    c = Comparisons.from_features(X, X + 1, [1])
    X[:] = 7
    assert c.features.max() == 1


def test_not_equal() -> None:
    c = Comparisons.from_arrays(["a", "a"], ["b", "c"], [-1, 0])
    assert c != c.swap()
    assert c != c[:1]
    assert c != Comparisons.from_arrays(["a", "a"], ["b", "c"], [-1, 0], weight=[1, 2])
    assert c != Comparisons.from_arrays(["a", "a"], ["b", "c"])
    assert c != c.with_features(np.eye(3))
    assert c != Comparisons.from_arrays([("a",), ("a",)], [("b",), ("c",)], [-1, 0])
    assert c != "something else"


def test_one_row_and_iteration() -> None:
    c = Comparisons.from_arrays(["a", "a"], ["b", "c"], [-1, 0])
    assert c[-1] == c[1:] == c[1]
    assert [len(row) for row in c] == [1, 1]
    with pytest.raises(IndexError):
        c[2]
    with pytest.raises(IndexError, match="one axis"):
        c[0, 1]
    with pytest.raises(IndexError, match="one or a list"):
        c[[[0, 1]]]
    with pytest.raises(IndexError):
        c[[True]]
    assert c[...] == c
    assert len(c[[]]) == 0
    assert c[pd.Series([False, True])] == c[1:]


def test_repr_tells_what_there_is() -> None:
    c = Comparisons.from_arrays(
        [("a", "<b>"), "a"], ["c", "d"], [0, 1], [2, 3], group=["x", "y"], time=[2001, 2002]
    )
    facts = "2 comparisons of 4 items, 1 tie (50.0 %), teams of 1 to 2, connected, weight 5, 2 groups"
    assert repr(c) == f"<Comparisons: {facts}>"
    html = c._repr_html_()
    assert "2001 to 2002" in html
    assert "<td style='text-align:right'>1 (50.0 %)</td>" in html
    assert "no outcomes" in repr(Comparisons.from_arrays(["a"], ["b"]))
    assert "0 comparisons of 0 items" in repr(Comparisons.from_arrays([], [], []))


# ------------------------------------------------------------------------------------ scikit-learn


class TieShare(BaseEstimator):  # type: ignore[misc]
    """Guesses the share of ties; its score is how close that is to the share in the test rows."""

    def __init__(self, guess: float = 0.0) -> None:
        self.guess = guess

    def fit(self, c: Comparisons, y: Any = None) -> "TieShare":
        assert isinstance(c, Comparisons)
        self.n_seen_ = len(c)
        return self

    def score(self, c: Comparisons, y: Any = None) -> float:
        return -abs(float(np.mean(np.asarray(c.outcome) == 0)) - self.guess)


def test_works_as_X_in_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    c = Comparisons.from_arrays(rng.integers(0, 5, 200), rng.integers(5, 9, 200), rng.integers(-1, 2, 200))
    train, test, y_train, _ = train_test_split(
        c, c.outcome, test_size=0.25, stratify=c.outcome, random_state=0
    )
    assert (len(train), len(test)) == (150, 50)
    np.testing.assert_array_equal(train.outcome, y_train)
    assert cross_val_score(TieShare(), c, cv=4).shape == (4,)
    search = GridSearchCV(TieShare(), {"guess": [0.0, 0.35, 1.0]}, cv=3).fit(c)
    assert search.best_params_ == {"guess": 0.35}
    assert search.best_estimator_.n_seen_ == 200


def test_works_with_groups_in_scikit_learn() -> None:
    from sklearn.model_selection import GroupKFold

    rng = np.random.default_rng(0)
    judges = rng.choice(["ann", "bob", "cat"], 60)
    c = Comparisons.from_arrays(rng.integers(0, 5, 60), rng.integers(5, 9, 60), np.zeros(60), group=judges)
    for train, test in GroupKFold(3).split(c, groups=c.group):
        assert not set(judges[train]) & set(judges[test])


@given(comparisons())
def test_record_is_that_of_the_frame(c: Comparisons) -> None:
    record = c.record()
    frame = c.to_frame()
    for code, item in enumerate(c.items):
        wins = ties = losses = 0.0
        for left, right, sign, weight in zip(
            *(frame[n] for n in ("left", "right", "outcome", "weight")), strict=True
        ):
            for side, better in ((left, -1), (right, 1)):
                if item == side or (isinstance(side, tuple) and item in side):
                    wins += weight * (sign == better)
                    ties += weight * (sign == 0)
                    losses += weight * (sign == -better)
        assert (record.wins[code], record.ties[code], record.losses[code]) == (wins, ties, losses)


def test_no_record_without_outcomes() -> None:
    with pytest.raises(ValueError, match="no outcomes"):
        Comparisons.from_arrays(["a"], ["b"]).record()


@given(comparisons(), st.data())
def test_rows_between_items_are_those_of_the_frame(c: Comparisons, data: Any) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=c.n_items, max_size=c.n_items)), dtype=bool)
    among = set(c.items[mask].tolist())
    frame = c.to_frame()
    expected = [
        all(among.issuperset(side if isinstance(side, tuple) else [side]) for side in sides)
        for sides in zip(frame["left"], frame["right"], strict=True)
    ]
    assert c.between(mask).tolist() == expected


def test_rows_of_different_kinds_of_judges_stay_apart() -> None:
    c = Comparisons.from_arrays(["a"] * 3, ["b"] * 3, [1] * 3, judge_kind=["human", "ai", "human"])
    assert c.judge_kinds is not None
    assert c.judge_kinds.tolist() == ["ai", "human"]
    assert c.aggregate().to_frame()[["judge_kind", "count"]].to_numpy().tolist() == [["human", 2], ["ai", 1]]
    assert c[c.judge_kind == 0].to_frame()["judge_kind"].tolist() == ["ai"]
    described = Comparisons.from_features([[0.0]], [[1.0]], [1], judge_kind=["ai"])
    assert described.judge_kinds is not None
    assert described.judge_kinds.tolist() == ["ai"]
    with pytest.raises(ValueError, match="judge_kind"):
        Comparisons.from_arrays(["a"], ["b"], [1], judge_kind=[None])
