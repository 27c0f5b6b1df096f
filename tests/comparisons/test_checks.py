"""Masked values are missing values."""

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from podium import (
    BradleyTerry,
    CodedClassifier,
    Comparisons,
    HerbrichSVM,
    LinearCompare,
    OnlineSVC,
    OrdinalSVM,
    PreferenceGame,
    SwappedPairsSVM,
    metrics,
)
from podium.comparisons.checks import checked_order

SIDES = (["a", "b", "c"], ["b", "c", "a"])
GAMES = Comparisons.from_arrays(*SIDES, [1, 1, 1])
PAIRS = np.arange(12.0).reshape(3, 2, 2) ** 2
ROWS = np.arange(6.0).reshape(3, 2)


def masked(values: Any) -> Any:
    """The same array with its second row masked."""
    array = np.array(values)
    mask = np.zeros(array.shape, dtype=bool)
    mask[1] = True
    return np.ma.MaskedArray(array, mask)  # type: ignore[no-untyped-call]


CASES: dict[str, Callable[[], Any]] = {
    "left": lambda: Comparisons.from_arrays(masked(SIDES[0]), SIDES[1], [1, 1, 1]),
    "outcome": lambda: Comparisons.from_arrays(*SIDES, masked([1, 1, 1])),
    "weight": lambda: Comparisons.from_arrays(*SIDES, [1, 1, 1], masked([1.0, 2.0, 3.0])),
    "time": lambda: Comparisons.from_arrays(*SIDES, [1, 1, 1], time=masked([1, 2, 3])),
    "group": lambda: Comparisons.from_arrays(*SIDES, [1, 1, 1], group=masked([1, 2, 3])),
    "codes": lambda: Comparisons.from_codes(GAMES.items, masked(GAMES.left), GAMES.right),
    "features of a side": lambda: Comparisons.from_features(masked(PAIRS[:, 0]), PAIRS[:, 1]),
    "features of items": lambda: GAMES.with_features(masked([[1.0], [2.0], [3.0]])),
    "labelled items": lambda: Comparisons.from_labels(masked([[1.0], [2.0], [3.0]]), [1, 2, 3]),
    "labels": lambda: Comparisons.from_labels([[1.0], [2.0], [3.0]], masked([1, 2, 3])),
    "queries": lambda: Comparisons.from_labels([[1.0], [2.0], [3.0]], [1, 2, 3], masked([1, 1, 1])),
    "weights of rankings": lambda: Comparisons.from_rankings([["a", "b"], ["b", "c"]], weight=masked([1, 2])),
    "pairs": lambda: LinearCompare().fit(masked(PAIRS), [1, -1, 1]),
    "pairs to predict": lambda: LinearCompare().fit(PAIRS, [1, -1, 1]).predict(masked(PAIRS)),
    "y": lambda: LinearCompare().fit(PAIRS, masked([1, -1, 1])),
    **{
        f"{name} of {type(model).__name__}": partial(model.fit, *rows)
        for model in (SwappedPairsSVM(), HerbrichSVM(), OrdinalSVM(), OnlineSVC(), PreferenceGame())
        for name, rows in {"X": (masked(ROWS), [0, 1, 1]), "y": (ROWS, masked([0, 1, 1]))}.items()
    },
    "X of CodedClassifier": lambda: CodedClassifier(LogisticRegression()).fit(masked(ROWS), [0, 1, 1]),
    "sample_weight": lambda: BradleyTerry().fit(GAMES, sample_weight=masked([1, 1, 1])),
    "sample_weight of a score": lambda: metrics.comparison_error(
        [1, -1, 1], [1, 1, 1], sample_weight=masked([1, 1, 1])
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_masked_values_are_refused_by_their_row(case: str) -> None:
    with pytest.raises(ValueError, match="row 2"):
        CASES[case]()


def test_a_mask_without_masked_values_is_no_matter() -> None:
    weight = np.ma.MaskedArray([1.0, 2.0, 3.0], mask=[False] * 3)  # type: ignore[no-untyped-call]
    assert Comparisons.from_arrays(*SIDES, [1, 1, 1], weight).weight.tolist() == [1, 2, 3]


def test_tiny_weights_are_refused_by_their_row() -> None:
    """Robust errors square weights; if all squares were 0, the errors would be 0 too."""
    sides = ["a", "b"], ["b", "c"], [1, -1]
    with pytest.raises(ValueError, match=r"the weight 1e-300 at row 2 .* is below 1e-100.*multiply"):
        Comparisons.from_arrays(*sides, [1.0, 1e-300])
    with pytest.raises(ValueError, match=r"the sample_weight 1e-300 at row 1 .*below"):
        BradleyTerry().fit(Comparisons.from_arrays(*sides), sample_weight=[1e-300, 1.0])


def test_times_as_objects_are_dates_or_numbers() -> None:
    ends = [datetime(2020, 1, 1, 3, tzinfo=timezone(timedelta(hours=2))), datetime(2020, 1, 1, 1)]
    assert checked_order(ends, 2, "time").tolist() == [datetime(2020, 1, 1, 1)] * 2
    assert checked_order(np.array([3, 4], object), 2, "time").tolist() == [3, 4]
    for mixed in ([1, "2020-01-01"], [1, date(2020, 1, 1)]):
        with pytest.raises(ValueError, match="'time' is neither a column of numbers nor of dates"):
            checked_order(np.array(mixed, object), 2, "time")
