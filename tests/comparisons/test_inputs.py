from typing import Any

import numpy as np
import pytest

from podium.comparisons.inputs import group_codes, row_weights


def test_groups_are_numbered() -> None:
    assert group_codes(None, 3) is None
    for qid in ([7, 5, 7], ["x", "y", "x"], np.array([0.5, 0.1, 0.5])):
        codes = group_codes(qid, 3)
        assert codes is not None
        assert list(codes) == [0, 1, 0]


@pytest.mark.parametrize(("given", "expected"), [(None, [1, 1]), (2, [2, 2]), ([0, 3], [0, 3])])
def test_weights(given: Any, expected: Any) -> None:
    np.testing.assert_array_equal(row_weights(given, 2), expected)


@pytest.mark.parametrize(
    ("weight", "message"), [(["a", "b"], "not a column"), ([0, 0], "zero for every"), ([1, np.nan], "row 2")]
)
def test_bad_weights(weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        row_weights(weight, 2)
