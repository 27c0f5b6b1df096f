"""Grades of comparisons: by how much a side is better."""

from typing import Any

import numpy as np
import pytest

import podium as pod

LEFT, RIGHT, GRADE = ["ann", "bob", "ann"], ["bob", "cat", "cat"], [-2, 1, 0]


def graded() -> pod.Comparisons:
    return pod.Comparisons.from_arrays(LEFT, RIGHT, grade=GRADE)


def test_outcomes_are_the_signs_of_grades() -> None:
    c = graded()
    assert c.outcome is not None
    assert c.grade is not None
    assert c.outcome.tolist() == [-1, 1, 0]
    assert c.grade.tolist() == GRADE
    assert c.outcome.dtype == c.grade.dtype == np.int8
    assert pod.Comparisons.from_arrays(LEFT, RIGHT, [-1, 1, 0], grade=GRADE) == c
    assert pod.Comparisons.from_arrays(LEFT, RIGHT, [-1, 1, 0]) != c


def test_features_have_grades_too() -> None:
    c = pod.Comparisons.from_features([[0.0], [1.0]], [[1.0], [2.0]], grade=np.array([1.0, -3.0]))
    assert c.grade is not None
    assert c.grade.tolist() == [1, -3]


def test_swapping_negates_and_aggregating_keeps_grades_apart() -> None:
    c = graded()
    swapped = c.swap()
    assert swapped.grade is not None
    assert swapped.grade.tolist() == [2, -1, 0]
    assert swapped.swap() == c
    both = pod.concat([c, c[:1], pod.Comparisons.from_arrays(["ann"], ["bob"], grade=[-1])])
    merged = both.aggregate().to_frame()
    assert merged[["outcome", "grade", "count"]].to_numpy().tolist() == [
        [-1, -2, 2], [1, 1, 1], [0, 0, 1], [-1, -1, 1],
    ]  # fmt: skip


def test_other_outcomes_have_no_grades() -> None:
    from podium.comparisons.inputs import with_outcomes

    assert with_outcomes(graded(), [1, 1, 1]).grade is None
    assert graded().with_probability([0.5, 1.0, 0.0]).grade is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grade": [-2, 1.5, 0]}, "'grade' has 1.5 at row 2 .*, not a whole number from -100 to 100"),
        ({"grade": [-2, 1, 101]}, "'grade' has 101 at row 3"),
        ({"grade": ["much", "a", "b"]}, "'grade' is not a column of whole numbers"),
        ({"grade": [1, 2]}, "'grade' has 2 rows where 3 rows are expected"),
        ({"grade": GRADE, "outcome": [-1, -1, 0]}, "'outcome' at row 2 .* is not the sign of the grade 1"),
    ],
)
def test_strange_grades_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pod.Comparisons.from_arrays(LEFT, RIGHT, **options)


def test_tables_with_and_without_grades_do_not_mix() -> None:
    with pytest.raises(ValueError, match="table 1 has grades and table 2 has none"):
        pod.concat([graded(), pod.Comparisons.from_arrays(["ann"], ["bob"], [1])])
