"""Counts, covariates and neutral ground of rows."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from podium import Comparisons
from tests.comparisons.strategies import described

SIDES = (["a", "b", "a"], ["b", "c", "c"], [1, 0, -1])
LENGTHS = ([5.0, 2.0, 1.0], [7.0, 2.0, -3.0])
MASKED = np.ma.MaskedArray([1.0, 2.0, 3.0], [False, True, False])  # type: ignore[no-untyped-call]


@given(described())
def test_the_mass_is_count_times_weight(c: Comparisons) -> None:
    np.testing.assert_array_equal(c.mass, c.count * c.weight)
    assert c.record().games.sum() >= 2 * c.mass.sum() or not len(c)


def test_what_is_one_number_for_all_rows_takes_no_memory() -> None:
    c = Comparisons.from_arrays(*SIDES)
    for part in (c, c[[0, 2]], c[1:], c[c.outcome != 0], c.swap()):
        assert (part.count.strides, part.mass.strides) == ((0,), (0,))
    weighted = Comparisons.from_arrays(*SIDES, weight=[2, 3, 0.5])
    counted = Comparisons.from_arrays(*SIDES, count=[2, 3, 0.5])
    assert np.shares_memory(weighted.mass, weighted.weight)
    assert np.shares_memory(counted.mass, counted.count)


@pytest.mark.parametrize(
    ("covariates", "names"),
    [
        ({"length": LENGTHS}, ("length",)),
        ({"length": [np.array(side) for side in LENGTHS]}, ("length",)),
        ({"length": [2, 0, -4]}, ("length",)),
        ([2, 0, -4], ("x1",)),
        (np.array([[2.0], [0.0], [-4.0]]), ("x1",)),
        (pd.DataFrame({"length": [2, 0, -4]}), ("length",)),
        (pl.DataFrame({"length": [2, 0, -4]}), ("length",)),
        (pd.Series([2, 0, -4]), ("x1",)),
    ],
)
def test_covariates_in_many_forms(covariates: Any, names: tuple[str, ...]) -> None:
    for c in (
        Comparisons.from_arrays(*SIDES, covariates=covariates),
        Comparisons.from_arrays(*SIDES).with_covariates(covariates),
        Comparisons.from_features([[0], [1], [0]], [[1], [2], [2]], covariates=covariates),
    ):
        assert c.covariates is not None
        assert c.covariates.tolist() == [[2], [0], [-4]]
        assert c.covariate_names == names
        assert not c.covariates.flags.writeable


def test_none_and_nothing_are_no_covariates() -> None:
    c = Comparisons.from_arrays(*SIDES, covariates=LENGTHS[0])
    nothings: list[Any] = [None, {}, np.empty((3, 0))]
    assert all(c.with_covariates(nothing) == Comparisons.from_arrays(*SIDES) for nothing in nothings)


def test_a_pair_of_differences_is_not_a_pair_of_sides() -> None:
    c = Comparisons.from_arrays(["a", "b"], ["b", "c"], covariates={"length": (3, 4)})
    assert c.covariates is not None
    assert c.covariates.ravel().tolist() == [3, 4]


def test_rows_keep_what_describes_them() -> None:
    c = Comparisons.from_arrays(*SIDES, count=[2, 1, 4], covariates={"length": LENGTHS}, neutral=[1, 0, 0])
    assert "count 7, 1 covariate, 1 on neutral ground" in repr(c)
    assert {"count": "7", "covariates": "1", "neutral": "1"}.items() <= c.summary().rows().items()
    assert c.to_frame().columns.tolist() == [
        "left",
        "right",
        "outcome",
        "count",
        "weight",
        "neutral",
        "length",
    ]
    soft = c.with_probability([0.5, 1.0, 0.25])
    assert soft.count.tolist() == [2, 2, 1, 4, 4]
    assert soft.mass.tolist() == [1, 1, 1, 1, 3]
    assert soft.to_frame()["length"].tolist() == [2, 2, 0, -4, -4]
    moved = c.with_items(np.array(["c", "b", "a"]))
    np.testing.assert_array_equal(moved.covariates, c.covariates)
    np.testing.assert_array_equal(moved.neutral, c.neutral)
    assert c != c.with_covariates({"width": LENGTHS})
    assert c != c.with_covariates({"length": [1, 2, 3]})


def test_rows_merge_if_all_that_describes_them_is_equal() -> None:
    sides: dict[str, Any] = {"left": ["a"] * 4, "right": ["b"] * 4, "outcome": [1] * 4}
    assert Comparisons.from_arrays(**sides, count=[1, 2, 3, 0.5]).aggregate().count.tolist() == [6.5]
    for different in ({"weight": [1, 2, 1, 2]}, {"covariates": [0, 1, -0.0, 1]}, {"neutral": [0, 1, 0, 1]}):
        merged = Comparisons.from_arrays(**sides, **different, count=[1, 2, 3, 0.5]).aggregate()
        assert merged.count.tolist() == [4, 2.5]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"count": [1, 0, 2]}, r"the count 0.0 at row 2 \(counting from 1\) is not a positive finite number"),
        ({"count": [1, np.nan, 2]}, "the count nan at row 2"),
        ({"count": [1, 2]}, "'count' has 2 rows where 3 rows are expected"),
        ({"count": ["many"] * 3}, "'count' is not a column of numbers"),
        ({"covariates": {"length": [1, 2, np.inf]}}, "covariate 'length' is missing or infinite at row 3"),
        ({"covariates": {"length": ([1, 2, 3], [1, None, 3])}}, "covariate 'length' is missing or .* row 2"),
        ({"covariates": np.array([[1, 1], [1, np.nan], [1, 1]])}, "covariate 'x2' is missing or .* row 2"),
        ({"covariates": {"length": [1, 2]}}, "'length' has 2 rows where 3 rows are expected"),
        ({"covariates": [[1, 2, 3]]}, r"covariates has the shape \(1, 3\) where 3 rows are expected"),
        ({"covariates": {"length": ["long"] * 3}}, "covariate 'length' has something that is not a number"),
        (
            {"covariates": {"weight": [1, 2, 3]}},
            "a covariate is called 'weight', a column of every table",
        ),
        ({"covariates": pd.DataFrame([[1, 2]] * 3, columns=["x", "x"])}, "two covariates are called 'x'"),
        ({"covariates": MASKED}, "covariates is masked at row 2"),
        ({"neutral": [True, None, False]}, r"'neutral' is missing \(None\) at row 2"),
        ({"neutral": [0, 2, 1]}, "'neutral' has 2 at row 2 .*, not true or false"),
        ({"neutral": ["yes", "no", "no"]}, "'neutral' has 'yes' at row 1"),
        ({"neutral": [True]}, "'neutral' has 1 rows where 3 rows are expected"),
    ],
)
def test_what_is_wrong_with_a_row_is_one_sentence(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        Comparisons.from_arrays(*SIDES, **options)
    assert "\n" not in str(caught.value)


def test_names_are_as_many_as_columns() -> None:
    c = Comparisons.from_arrays(*SIDES)
    assert c.with_covariates(LENGTHS[0], ["length"]).covariate_names == ("length",)
    with pytest.raises(ValueError, match="there are 2 names for 1 covariates"):
        c.with_covariates(LENGTHS[0], ["length", "bold"])


def test_a_series_names_its_covariate() -> None:
    c = Comparisons.from_arrays(*SIDES, covariates=pd.Series([1.0, 2.0, 3.0], name="length"))
    assert c.covariate_names == ("length",)
    assert Comparisons.from_arrays(*SIDES, covariates=pd.Series([1.0, 2.0, 3.0])).covariate_names == ("x1",)


@pytest.mark.parametrize(
    "values", [np.array(["2020-01-01"] * 3, "M8[D]"), np.ones(3, "m8[s]"), np.ones(3) * 1j]
)
def test_dates_and_complex_numbers_are_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="covariate 'x' has dates, spans of time or complex numbers"):
        Comparisons.from_arrays(*SIDES, covariates={"x": values})
