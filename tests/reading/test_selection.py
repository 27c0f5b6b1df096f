"""Rows that are chosen as they are read: by a condition, a time, without repeats and without ties."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from podium import read_comparisons
from podium.reading.features import read_rows

VOTES = pd.DataFrame(
    {
        "judge": ["x", "x", "y", "y", "x"],
        "left": ["a", "b", "a", "c", "a"],
        "right": ["b", "c", "b", "a", "b"],
        "winner": ["left", "tie", "right", "left", "tie"],
        "turn": [1, 1, 2, 1, 3],
        "rating": ["1.5", "2.5", "", "3", "10"],
        "date": ["2021-01-01", "2022-01-01", "2022-06-01", "2023-01-01", "2023-02-01"],
        "language": ["en", "en", "de", "de", "fr"],
    }
)


@pytest.fixture(params=["csv", "parquet", "frame"])
def votes(request: pytest.FixtureRequest, tmp_path: Path) -> str | pd.DataFrame:
    if request.param == "frame":
        return VOTES
    path = tmp_path / f"votes.{request.param}"
    VOTES.to_csv(path, index=False) if request.param == "csv" else VOTES.to_parquet(path)
    return str(path)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("turn = 1", [0, 1, 3]),
        ("Turn in (2, 3)", [2, 4]),
        ("language <> 'en' and turn < 2", [3]),
        ("\"left\" = 'a'", [0, 2, 4]),
        ("date >= '2022-06-01'", [2, 3, 4]),
    ],
)
def test_a_condition(votes: str | pd.DataFrame, where: str, rows: list[int]) -> None:
    assert read_comparisons(votes, where=where).to_frame()["left"].tolist() == VOTES["left"][rows].tolist()


def test_numbers_of_a_text_file_are_compared_as_numbers(tmp_path: Path) -> None:
    """An empty cell meets no condition."""
    VOTES.to_csv(tmp_path / "votes.csv", index=False)
    assert len(read_comparisons(tmp_path / "votes.csv", where="rating > 2.6")) == 2  # and not "10" < "2"


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("turns = 1", "where= names 'turns', which is no column; the columns are 'judge', 'left'"),
        ("turn =", "where= is no condition that can be checked"),
        ("turn = 1; drop table votes", "where= is no condition that can be checked"),
        ("judge in (select judge from read_csv('votes.csv'))", "where= is no condition"),
        ("turn = 99", "no row meets where='turn = 99'"),
        ("", "where= takes a condition"),
    ],
)
def test_a_wrong_condition_is_one_sentence(votes: str | pd.DataFrame, where: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        read_comparisons(votes, where=where)
    assert "\n" not in str(caught.value)


def test_of_repeated_rows_the_first_stays(votes: str | pd.DataFrame) -> None:
    c = read_comparisons(votes, dedup=["judge", "left", "right"])
    assert c.to_frame()["outcome"].tolist() == [-1, 0, 1, -1]
    assert str(c.columns).endswith("left out: 1 of 5 rows that repeat judge, left, right of an earlier row")
    assert len(read_comparisons(votes, dedup="group", group="judge")) == 2
    with pytest.raises(ValueError, match="dedup= names 'jugde', which is no column"):
        read_comparisons(votes, dedup="jugde")
    teams = pd.DataFrame({"left": [["a", "b"]], "right": [["c"]], "winner": ["left"]})
    with pytest.raises(ValueError, match="dedup= cannot compare column 'left', which holds list"):
        read_comparisons(teams, dedup="left")


def test_ties_are_dropped_if_asked(votes: str | pd.DataFrame) -> None:
    c = read_comparisons(votes, drop_ties=True)
    assert c.to_frame()["outcome"].tolist() == [-1, 1, -1]
    assert str(c.columns).endswith("left out: 2 ties")
    with pytest.raises(ValueError, match="drop_ties= needs outcomes"):
        read_comparisons(votes, drop_ties=True, outcome=False)


@pytest.mark.parametrize(
    ("since", "rows"), [("2022-01-01", 4), (2023, 2), ("2022-01-01T00:00:01", 3), ("2020-01-01", 5)]
)
def test_since(since: object, rows: int, tmp_path: Path) -> None:
    VOTES.to_csv(tmp_path / "votes.csv", index=False)
    c = read_comparisons(tmp_path / "votes.csv", time="date", since=since)
    assert len(c) == rows
    assert ("left out" in str(c.columns)) == (rows < 5)


def test_since_of_numbers_and_what_it_refuses(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    VOTES.to_csv(file, index=False)
    assert len(read_comparisons(file, time="turn", since=2)) == 2
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "since= needs a column of time"),
        ({"time": "date", "since": "soon"}, "since= takes a date or a number, not 'soon'"),
        ({"time": "turn"}, "does not fit the column of time, which has numbers"),
        (
            {"time": "date", "since": "2030-01-01"},
            "no row is from 2030-01-01 on; the latest is from 2023-02-01",
        ),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            read_comparisons(file, **({"since": "2022-01-01"} | options))


def test_labelled_rows_meet_conditions_too() -> None:
    rows = read_rows(
        pd.DataFrame({"x": [1, 2, 3], "kind": ["a", "b", "b"], "y": [0, 1, 0]}),
        features=["x"],
        where="kind = 'b'",
    )
    assert rows.features.ravel().tolist() == [2, 3]
