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


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("talk.turn = 1", 1),
        ("Talk.meta.size > 6 and winner = 'tie'", 1),
        ('"talk.turn" >= 1', 2),
        ("a.b = 2", 1),
        ("talk.turns = 1", "where= names 'turns', which is no column; the columns are 'talk.model_a'"),
        ("talks.turn = 1", "where= names 'talks', which is no column"),
    ],
)
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_condition_on_a_nested_field(where: str, rows: int | str, ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"votes.{ending}"
    talks = [
        {"model_a": a, "model_b": b, "turn": turn, "meta": {"size": turn + 5}}
        for a, b, turn in [("x", "y", 1), ("y", "z", 2)]
    ]
    votes = pd.DataFrame({"talk": talks, "winner": ["model_a", "tie"], "a.b": [1, 2]})
    votes.to_parquet(file) if ending == "parquet" else votes.to_json(file, orient="records", lines=True)
    if isinstance(rows, int):
        assert len(read_comparisons(file, where=where)) == rows
    else:
        with pytest.raises(ValueError, match=rows):
            read_comparisons(file, where=where)


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


def test_a_row_that_is_skipped_is_repeated_by_none(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_text(
        "white,black,result\nann,bob,*\nann,bob,1-0\nbob,cat,0-1\nann,bob,0-1\n", encoding="utf-8"
    )
    with pytest.warns(UserWarning, match="1 of 4 rows cannot be read"):
        c = read_comparisons(file, dedup=["left", "right"], bad_rows="skip")
    assert c.to_frame()["outcome"].tolist() == [-1, 1]
    assert c.skipped == ((2, "no outcome: '*'"),)
    assert str(c.columns).endswith("left out: 1 of 3 rows that repeat left, right of an earlier row")
    with pytest.raises(ValueError, match=r"bad_rows='skip' leaves out .*, 1 of 3 rows$"):
        read_comparisons(file, dedup=["left", "right"], where="white = 'ann'")


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
        ({"time": "date", "since": "soon"}, "since= takes a number or a date such as 2022-09-05, not 'soon'"),
        ({"time": "turn"}, "does not fit the column of time, which has numbers"),
        (
            {"time": "date", "since": "2030-01-01"},
            "no row is from 2030-01-01 on; the latest is from 2023-02-01",
        ),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            read_comparisons(file, **({"since": "2022-01-01"} | options))


def test_since_is_written_as_the_column_is() -> None:
    games = pd.DataFrame({"home": ["a", "b"], "away": ["b", "a"], "result": ["1-0", "2:1"]})
    dated = games.assign(date=["03/04/2022", "04/05/2022"])
    assert len(read_comparisons(dated, time="date", dates="dmy", since="04/04/2022")) == 1
    assert len(read_comparisons(dated, time="date", dates="mdy", since="04/04/2022")) == 1
    assert len(read_comparisons(dated, time="date", dates="mdy", since="02/03/2022")) == 2
    numbered = games.assign(time=[5, 1_700_000_000])  # no seconds since 1970, for 5 is none
    assert len(read_comparisons(numbered, since=1_700_000_000)) == 1
    with pytest.raises(ValueError, match="dates= says how times are written, and none are read; name their"):
        read_comparisons(games, dates="dmy")


def test_labelled_rows_meet_conditions_too() -> None:
    rows = read_rows(
        pd.DataFrame({"x": [1, 2, 3], "kind": ["a", "b", "b"], "y": [0, 1, 0]}),
        features=["x"],
        where="kind = 'b'",
    )
    assert rows.features.ravel().tolist() == [2, 3]
