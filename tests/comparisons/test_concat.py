"""Tables laid end to end: the rows of all of them, under one set of names."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium as pod
from podium import Comparisons
from tests.comparisons.strategies import comparisons, described


@given(described(), st.integers(0, 20))
def test_parts_of_a_table_make_the_table_again(c: Comparisons, cut: int) -> None:
    assert pod.concat([c[:cut], c[cut:]]) == c


@given(comparisons(teams=False, min_size=1), comparisons(min_size=1))
def test_the_rows_are_those_of_the_frames(a: Comparisons, b: Comparisons) -> None:
    drop = [name for name in ("group", "time") if (getattr(a, name) is None) != (getattr(b, name) is None)]
    if drop:
        with pytest.raises(ValueError, match=f"has {drop[0]}s and table . has none"):
            pod.concat([a, b])
        return
    joined = pod.concat([a, b])
    frames = [part.to_frame() for part in (a, b)]
    if (a.teams is None) != (b.teams is None):
        for name in ("left", "right"):
            frames[0][name] = [(label,) for label in frames[0][name]]
    expected = pd.concat(frames, ignore_index=True)
    if "left" in expected and b.teams is not None:
        for name in ("left", "right"):
            expected[name] = [tuple(sorted(team)) for team in expected[name]]
    pd.testing.assert_frame_equal(joined.to_frame(), expected, check_dtype=False)
    assert set(joined.items) == {*a.items, *b.items}


def test_integers_and_text_are_text() -> None:
    joined = pod.concat([Comparisons.from_arrays([7], [10], [1]), Comparisons.from_arrays(["7"], ["x"], [1])])
    assert joined.items.tolist() == ["10", "7", "x"]
    assert joined.items[joined.left].tolist() == ["7", "7"]


def test_things_without_names_are_known_by_their_features() -> None:
    one = Comparisons.from_features([[0.0], [1.0]], [[1.0], [2.0]], [1, 1], feature_names=["x"])
    other = Comparisons.from_features([[2.0]], [[5.0]], [-1], feature_names=["x"])
    joined = pod.concat([one, other])
    assert joined.features.ravel().tolist() == [0, 1, 2, 5]
    assert joined.features[joined.left].ravel().tolist() == [0, 1, 2]
    assert joined.features[joined.right].ravel().tolist() == [1, 2, 5]


def test_named_items_bring_their_features() -> None:
    one = Comparisons.from_arrays(["a"], ["b"], [1]).with_features([[1.0], [2.0]])
    other = Comparisons.from_arrays(["b"], ["c"], [1]).with_features([[2.0], [3.0]])
    assert pod.concat([one, other]).features.ravel().tolist() == [1, 2, 3]
    changed = other.with_features([[9.0], [3.0]])
    with pytest.raises(ValueError, match="item 'b' has different features in two tables"):
        pod.concat([one, changed])


def test_groups_and_categories_are_united() -> None:
    one = Comparisons.from_arrays(["a"], ["b"], [1], group=["x"], category=["en"])
    other = Comparisons.from_arrays(["a"], ["b"], [1], group=["w"], category=["de"])
    frame = pod.concat([one, other]).to_frame()
    assert frame["group"].tolist() == ["x", "w"]
    assert frame["category"].tolist() == ["en", "de"]


def test_each_table_has_a_kind_of_judge() -> None:
    joined = pod.concat([PLAIN, PLAIN[:1]], judge_kind=["human", "ai"])
    assert joined.to_frame()["judge_kind"].tolist() == ["human"] * len(PLAIN) + ["ai"]
    assert pod.concat([joined[:1], joined[1:]]) == joined != pod.concat([PLAIN, PLAIN[:1]])
    with pytest.raises(ValueError, match="one kind per table, and there are 2"):
        pod.concat([PLAIN, PLAIN], judge_kind="human")
    with pytest.raises(ValueError, match="kinds of judges already"):
        pod.concat([joined], judge_kind=["human"])
    with pytest.raises(ValueError, match="table 1 has kinds of judges and table 2 has none"):
        pod.concat([joined, PLAIN])


def test_a_table_without_neutral_ground_has_none() -> None:
    away = Comparisons.from_arrays(["a"], ["b"], [1], neutral=[True])
    joined = pod.concat([PLAIN, away, PLAIN])
    assert joined.neutral is not None
    assert joined.neutral.tolist() == [False, True, False]


def test_counts_of_one_take_no_memory() -> None:
    joined = pod.concat([PLAIN, PLAIN[[0, 0]]])
    assert (joined.count.strides, joined.weight.strides) == ((0,), (0,))
    assert pod.concat([PLAIN, Comparisons.from_arrays(["a"], ["b"], [1], count=[3])]).count.tolist() == [1, 3]


PLAIN = Comparisons.from_arrays(["a"], ["b"], [1])
FEATURED = PLAIN.with_features([[1.0], [2.0]], ["x"])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "concat takes a list of one or more"),
        ([PLAIN, "b"], "concat takes a list of one or more"),
        ([PLAIN, Comparisons.from_arrays(["a"], ["b"])], "table 1 has outcomes and table 2 has none"),
        ([PLAIN, FEATURED], "table 2 has features and table 1 has none"),
        (
            [FEATURED, PLAIN.with_features([[1.0], [2.0]], ["y"])],
            "table 2 have other names than those of table 1",
        ),
        (
            [FEATURED, PLAIN.with_features([[1.0], [2.0]])],
            "table 1 has names of features and table 2 has none",
        ),
        ([PLAIN, PLAIN.with_covariates([1.0])], "table 2 has covariates and table 1 has none"),
        (
            [PLAIN.with_covariates({"length": [1]}), PLAIN.with_covariates({"bold": [1]})],
            "the covariates of table 2 have other names than those of table 1",
        ),
        (
            [
                Comparisons.from_arrays(["a"], ["b"], [1], time=[3]),
                Comparisons.from_arrays(["a"], ["b"], [1], time=np.array(["2022-01-01"], dtype="M8[s]")),
            ],
            "some tables have dates and some have numbers",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(parts: list[Comparisons], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pod.concat(parts)


def test_covariates_may_come_in_another_order() -> None:
    sides = (["a", "b"], ["b", "c"], [-1, 1])
    one = Comparisons.from_arrays(*sides, covariates={"x": [1.0, 2.0], "y": [3.0, 4.0]})
    other = Comparisons.from_arrays(*sides, covariates={"y": [3.0, 4.0], "x": [1.0, 2.0]})
    assert pod.concat([one, other]) == pod.concat([one, one])
