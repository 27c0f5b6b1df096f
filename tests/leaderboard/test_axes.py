import numpy as np
import pytest

from podium.leaderboard.axes import Span, number_ticks, time_ticks


def test_a_span_leaves_out_what_is_not_finite() -> None:
    low, high = np.array([-np.inf, 1.0, np.nan]), np.array([3.0, np.inf, 5.0])
    span = Span.of(low, high)
    assert (span.low, span.high, span.length) == (1.0, 5.0, 4.0)
    np.testing.assert_array_equal(span.share(low), [-np.inf, 0.0, np.nan])
    np.testing.assert_array_equal(span.share(high), [0.5, np.inf, 1.0])
    assert Span.of(low[:1]) == Span.of(np.array([])) == Span(0.0, 1.0)


def test_zero_has_no_sign() -> None:
    assert list(number_ticks(-0.3, 1.0, 3).values()) == ["0", "0.5", "1"]
    assert str(next(iter(number_ticks(-0.3, 1.0, 3)))) == "0.0"


def test_equal_scores_have_an_axis_too() -> None:
    span = Span.of(np.array([7.5, 7.5]))
    assert span.length == 1
    assert span.share(np.array([7.5])) == [0]
    assert list(span.ticks(5).values()) == ["7.6", "7.8", "8", "8.2", "8.4"]


@pytest.mark.parametrize(
    ("first", "last", "texts"),
    [
        ("2003-10-05", "2022-12-22", ["2005", "2010", "2015", "2020"]),
        ("1872-11-30", "2026-01-01", ["1880", "1900", "1920", "1940", "1960", "1980", "2000", "2020"]),
        ("2021-01-20", "2021-06-02", ["2021-02", "2021-03", "2021-04", "2021-05", "2021-06"]),
        ("2021-01-01", "2021-01-03", ["2021-01-01", "2021-01-02", "2021-01-03"]),
        ("2021-01-01", "2021-01-01T11", ["2021-01-01 00:00", "2021-01-01 03:00", "2021-01-01 06:00"]),
        ("2020-02-29", "2020-02-29", ["2020-02-29"]),
    ],
)
def test_dates_on_an_axis(first: str, last: str, texts: list[str]) -> None:
    found = list(time_ticks(np.datetime64(first, "s"), np.datetime64(last, "s")).values())
    assert found[: len(texts)] == texts


@pytest.mark.parametrize("span", [1, 60, 5000, 86_400, 10**6, 10**7, 10**8, 10**9, 10**10])
def test_a_few_dates_for_any_span(span: int) -> None:
    first = np.datetime64("2001-02-03T04:05:06")
    found = time_ticks(first, first + np.timedelta64(span, "s"))
    assert 15 + sum(map(len, found.values())) * 6.6 < 640  # they stand beside each other
    assert all(first <= moment <= first + np.timedelta64(span, "s") for moment in found)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (1430, 1583), (-3.2, 4.1), (5, 5), (0, 1e-6), (0, 3e9)])
def test_a_few_numbers_for_any_range(low: float, high: float) -> None:
    found = np.array(list(number_ticks(low, high)))
    assert len(found) <= 9
    assert len(found) >= 4 or low == high
    assert (found >= low - 1e-9 * abs(low)).all()
    assert (found <= high + 1e-9 * abs(high)).all()
