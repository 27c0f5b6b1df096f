"""Dates and times as they are written in files."""

import numpy as np
import pyarrow as pa
import pytest

from podium.reading.dates import times


def read(*cells: str) -> list[str]:
    moments, _ = times(pa.table({"t": list(cells)}), "t")
    return [str(moment) for moment in moments.astype("datetime64[us]")]


def test_time_zones_become_one() -> None:
    assert read("2021-01-01T10:00:00Z", "2021-01-01T12:00:00+02:00") == ["2021-01-01T10:00:00.000000"] * 2
    assert read("2021-01-01 10:00:00.5Z") == ["2021-01-01T10:00:00.500000"]


def test_a_column_that_changes_its_mind_after_the_first_rows() -> None:
    days = [f"{day:02}.03.2024 10:00" for day in range(1, 29)]
    plain = ["2024-03-01 10:00:00"] * 200
    assert read(*plain, *days)[-1] == "2024-03-28T10:00:00.000000"
    assert read(*days, *plain)[-1] == "2024-03-01T10:00:00.000000"


def test_fractions_of_a_second() -> None:
    moments = times(pa.table({"t": ["2021-01-01 10:00:00.123456789", "2021-01-02"]}), "t")[0]
    assert moments[0] == np.datetime64("2021-01-01T10:00:00.123456789")


@pytest.mark.parametrize("first", ["2021-01-01T10:00:00Z", "2021-01-01T10:00:00"])
def test_some_with_a_zone_and_some_without(first: str) -> None:
    second = {"Z": first[:-1]}.get(first[-1], f"{first}Z")
    with pytest.raises(ValueError, match=f"'{second}' at row 2 .* where a date like '{first}' should be"):
        read(first, second)
