from typing import Any

import numpy as np
import pytest

from podium.metrics import krippendorff_alpha

_ = float("nan")
# Four observers and twelve units: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
VOTES = [
    [-1, 1, 0, _, -1, 1, 1, _, -1, -1, 1, 0, 0, 0, -1],
    [_, _, _, -1, 0, _, 1, 0, -1, 1, 1, 0, 0, 0, -1],
    [_, _, 0, -1, -1, 0, _, 0, 0, 1, 1, 0, _, _, _],
    [_, _, _, 0, _, 0, _, 0, _, 1, 1, 0, 0, 0, -1],
    [_, 1, _, -1, -1, 0, _, 0, 1, _, 1, -1, 0, 0, -1],
    [_, 1, 1, _, -1, 0, -1, _, 1, 1, 1, 1, 1, 0, -1],
]


@pytest.mark.parametrize(
    ("table", "distance", "alpha"),
    [
        (PUBLISHED, "nominal", 0.743421052631579),  # printed as 0.743
        (PUBLISHED, "interval", 0.8491071428571428),  # printed as 0.849
        (VOTES, "nominal", 0.4941263940520445),  # these two by the package krippendorff 0.9.0
        (VOTES, "interval", 0.46804635761589397),
    ],
)
def test_alpha_is_that_of_others(table: Any, distance: Any, alpha: float) -> None:
    judge, unit = np.nonzero(~np.isnan(table))
    value = np.array(table)[judge, unit]
    assert krippendorff_alpha(unit, value, distance=distance) == pytest.approx(alpha, rel=1e-12)


@pytest.mark.parametrize(
    ("distance", "alpha"), [("nominal", 0.32228915662650603), ("interval", 0.4610778443113773)]
)
def test_alpha_takes_counts_for_repeated_values(distance: Any, alpha: float) -> None:
    """Numbers by the package krippendorff 0.9.0, from its table of counts."""
    counts = np.array([[2, 1, 0], [0, 3, 1], [4, 0, 0], [1, 1, 3], [0, 0, 1]])
    unit, value = np.nonzero(counts)
    weight = counts[unit, value]
    found = krippendorff_alpha(unit, value, distance=distance, sample_weight=weight)
    assert found == pytest.approx(alpha, rel=1e-12)
    repeated = krippendorff_alpha(np.repeat(unit, weight), np.repeat(value, weight), distance=distance)
    assert repeated == pytest.approx(alpha, rel=1e-12)


def test_alpha_without_anything_to_compare_is_nan() -> None:
    assert np.isnan(krippendorff_alpha(["a", "b", "c"], [1, 2, 3]))
    assert np.isnan(krippendorff_alpha(["a", "a", "b", "b"], [1, 1, 1, 1]))


def test_alpha_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="distance must be 'nominal' or 'interval', not 'ratio'"):
        krippendorff_alpha([1, 1], [0, 1], distance="ratio")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="value"):
        krippendorff_alpha([1, 1], [0, 1, 1])
