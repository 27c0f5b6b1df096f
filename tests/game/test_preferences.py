"""Tables of preferences: accepted forms, and the errors for bad ones."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from podium.game.preferences import Preferences

ROWS = [(0, "x", "y"), (2, "y", "x"), (0, "x", "y"), (1, "z", "x")]


def test_tables_of_every_kind_are_the_same() -> None:
    frame = pd.DataFrame(ROWS, columns=["instance", "better", "worse"])
    tables = [ROWS, [list(row) for row in ROWS], np.array(ROWS, dtype=object), frame, pl.from_pandas(frame)]
    for table in [*tables, np.array(ROWS)]:
        found = Preferences.from_table(table, 3, None)
        np.testing.assert_array_equal(found.labels.astype(str), ["x", "y", "z"])
        np.testing.assert_array_equal(found.instance, [0, 2, 0, 1])
        np.testing.assert_array_equal(found.better, [0, 1, 0, 2])
        np.testing.assert_array_equal(found.worse, [1, 0, 1, 0])


def test_classes_are_better_than_every_other() -> None:
    found = Preferences.from_classes(np.array([5, 3, 9]), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found.labels, [3, 5, 9])
    np.testing.assert_array_equal(found.instance, [0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(found.better, [1, 1, 0, 0, 2, 2])
    np.testing.assert_array_equal(found.worse, [0, 2, 1, 2, 0, 1])
    np.testing.assert_array_equal(found.weight, [1, 1, 2, 2, 3, 3])
    assert found.named(2) == "3 over 5 for row 2 (counting from 1) of X"


@pytest.mark.parametrize(
    ("rows", "weight", "sentence"),
    [
        ([], None, "no preferences"),
        ([(0, "a")], None, r"row 1 \(counting from 1\) has 2 cells"),
        (np.zeros((2, 4)), None, r"three columns .* not the shape \(2, 4\)"),
        ([(0, "a", "b"), (3, "a", "b")], None, r"instance 3 at row 2 .* from 0 to 2"),
        ([(0.5, "a", "b")], None, r"instance 0.5 at row 1"),
        ([("first", "a", "b")], None, "must hold numbers of rows"),
        ([(0, "a", "b"), (1, "b", "b")], None, r"'b' is preferred to itself at row 2"),
        (ROWS, [1.0, -1.0, 1.0, 1.0], r"weight -1.0 at row 2"),
        (ROWS, [0.0] * 4, "sample_weight is zero for every row"),
        (ROWS, [1.0] * 3, "3 rows where 4"),
        (ROWS, ["a"] * 4, "not a column of numbers"),
    ],
)
def test_bad_tables_are_one_sentence(rows: Any, weight: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Preferences.from_table(rows, 3, weight)
