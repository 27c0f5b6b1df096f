from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import biggest_movers, highest_ever
from podium.leaderboard.history import highlights, scale_text, time_text
from podium.leaderboard.paths import MOST_POINTS, Paths, apart
from tests.leaderboard.histories import by_hand, history


def test_highest_ever_against_a_loop() -> None:
    frame = history()
    found = highest_ever(frame.sample(frac=1, random_state=0))
    assert found["score"].is_monotonic_decreasing
    for row in found.itertuples():
        own = frame[frame["item"] == row.item]
        assert row.score == own["score"].max()
        assert own.loc[own["score"].idxmax(), "time"] == row.time
        assert (row.low, row.high) == (row.score - 50, row.score + 50)


@pytest.mark.parametrize("dates", [True, False])
@pytest.mark.parametrize("since", [None, "early", "middle"])
def test_biggest_movers_against_interpolation(dates: bool, since: str | None) -> None:
    frame = history(dates=dates, seed=1)
    time = frame["time"]
    begin: Any = {
        None: time.max() - (pd.Timedelta(365, "D") if dates else (time.max() - time.min()) / 10),
        "early": time.min() - (pd.Timedelta(9, "D") if dates else 1),
        "middle": time.iloc[len(time) // 3],
    }[since]
    found = biggest_movers(frame, None if since is None else begin)
    assert found["change"].abs().is_monotonic_decreasing
    numbers = time.astype("int64") if dates else time
    for row in found.itertuples():
        own = frame["item"] == row.item
        start = begin.to_datetime64().astype("M8[s]").astype("int64") if dates else begin
        before = np.interp(start, numbers[own], frame.loc[own, "score"])
        np.testing.assert_allclose([row.before, row.after], [before, frame.loc[own, "score"].iloc[-1]])
        if dates:
            assert row.begin == max(begin, time[own].min())
        assert row.end == time[own].max()


def test_only_items_that_played_since_then_have_moved() -> None:
    frame = by_hand([(1, "old", 1500), (2, "old", 1900), (1, "new", 1500), (9, "new", 1400)])
    assert biggest_movers(frame, since=8)["item"].tolist() == ["new"]
    assert biggest_movers(frame, since=9)["change"].tolist() == [0.0]
    assert not len(biggest_movers(frame, since=10))


@pytest.mark.parametrize(
    ("dates", "since", "said"),
    [
        (True, "yesterday", "since must be a date such as '2022-09-05'"),
        (False, "2020-01-01", "since must be a number"),
    ],
)
def test_a_begin_that_does_not_fit(dates: bool, since: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        biggest_movers(history(dates=dates), since)


def test_a_begin_between_whole_numbers() -> None:
    frame = by_hand([(1, "ann", 1500), (2, "ann", 1600)])
    assert biggest_movers(frame, since=1.5)["before"].tolist() == [1550.0]


def test_wrong_frames() -> None:
    with pytest.raises(ValueError, match="'low' is not there"):
        highest_ever(history().drop(columns="low"))
    with pytest.raises(ValueError, match=r"the score at row 2 .* is missing or infinite; leave the row out"):
        Paths.of(by_hand([(1, "a", 1500.0), (2, "a", np.nan)]))
    with pytest.raises(ValueError, match="no rows"):
        highest_ever(history()[:0])
    with pytest.raises(ValueError, match="'time' is neither a column of numbers nor of dates"):
        highest_ever(history().assign(time="soon"))


def test_sentences() -> None:
    day = np.datetime64("2020-01-01")
    frame = by_hand([(day, "ann", 1600.4), (day + 400, "ann", 1500), (day + 400, "bob\n", 1400)])
    frame.attrs |= {"scale": "elo", "level": 0.9}
    assert highlights(frame) == [
        "highest ever: ann on 2020-01-01, 1600 (1590 to 1610)",
        "biggest mover since 2020-02-05: ann, from 1592 to 1500",
    ]
    assert len(highlights(frame[2:])) == 1  # nobody has moved
    assert scale_text(frame) == "Elo scale, 90 % intervals"
    assert scale_text(pd.DataFrame(frame.to_dict("list"))) == "score"


def test_times_as_text() -> None:
    assert time_text(pd.Timestamp("2020-01-01 12:30")) == "2020-01-01 12:30"
    assert time_text(np.datetime64("2020-01-01", "us")) == "2020-01-01"
    assert time_text(np.int64(2021)) == "2021"
    assert time_text(0.125) == "0.125"


def test_the_best_in_the_end_among_those_who_still_play() -> None:
    rows = [(0, "retired", 1900.0), (99, "b", 1500.0), (95, "c", 1600.0), (100, "a", 1400.0)]
    paths = Paths.of(by_hand([*rows, (80, "gone", 1800.0)]))
    chosen = [path.item for path in paths.drawn(None, 8)]
    assert chosen == ["c", "b", "a"]
    assert [path.item for path in paths.drawn(["gone", "a"], 8)] == ["gone", "a"]
    with pytest.raises(ValueError, match="no item 'nobody'"):
        paths.drawn(["a", "nobody"], 8)
    with pytest.raises(ValueError, match="max_items must be at least 1"):
        paths.drawn(None, 0)


def test_lines_keep_what_is_visible() -> None:
    n = 20_000
    score = np.sin(np.arange(n) / 1500)
    score[12_345] = 9.0
    time = np.datetime64("2000-01-01", "s") + np.arange(n) * np.timedelta64(1, "h")
    frame = pd.DataFrame({"time": time, "item": "ann", "score": score, "low": score - 1, "high": score + 1})
    thin = Paths.of(frame)[0].thinned()
    assert len(thin.time) <= MOST_POINTS + 1
    assert 9.0 in thin.score
    assert (thin.time[0], thin.time[-1]) == (time[0], time[-1])
    assert np.diff(thin.time).max() < 2 * np.timedelta64(n, "h") / MOST_POINTS
    few = Paths.of(frame[:300])[0]
    assert few.thinned() is few


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=12), st.floats(0.1, 20))
def test_labels_move_apart_as_little_as_possible(wanted: list[float], gap: float) -> None:
    """Against a solver: minimise the squared moves under the constraints."""
    from scipy.optimize import isotonic_regression

    found = apart(np.array(wanted), gap)
    order = np.argsort(wanted, kind="stable")
    assert np.diff(found[order]).min(initial=gap) >= gap - 1e-9
    steps = gap * np.arange(len(wanted))
    best = isotonic_regression(np.array(wanted)[order] - steps).x + steps
    np.testing.assert_allclose(found[order], best, atol=1e-9)
