import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from podium import Comparisons, read_comparisons

GAMES = pd.DataFrame(
    {"white": ["ann", "bob", "cat"], "black": ["bob", "cat", "ann"], "result": ["1-0", "1/2-1/2", "0-1"]}
)
EXPECTED = Comparisons.from_arrays(GAMES["white"], GAMES["black"], [-1, 0, 1])

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write text or bytes to a file and return its path."""

    def _write(content: str | bytes, name: str = "games.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _write


# ------------------------------------------------------------------------------------ every kind of source


def test_text_files(write: Write) -> None:
    text = GAMES.to_csv(index=False)
    assert read_comparisons(write(text)) == EXPECTED
    assert read_comparisons(str(write(text))) == EXPECTED
    assert read_comparisons(write(gzip.compress(text.encode()), "games.csv.gz")) == EXPECTED
    assert read_comparisons(write(GAMES.to_csv(index=False, sep="\t"), "games.tsv")) == EXPECTED
    assert read_comparisons(write(GAMES.to_csv(index=False, sep=";"))) == EXPECTED
    assert read_comparisons(write(GAMES.to_csv(index=False, sep="|"), "games.txt")) == EXPECTED
    assert read_comparisons(write(text.replace("\n", "\r\n"))) == EXPECTED
    assert read_comparisons(write(text.replace(",", ", "))) == EXPECTED
    assert read_comparisons(write(b"\xef\xbb\xbf" + text.encode())) == EXPECTED
    assert read_comparisons(write(text.rstrip("\n"))) == EXPECTED


def test_parquet(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(GAMES)
    pq.write_table(table, tmp_path / "games.parquet")
    assert read_comparisons(tmp_path / "games.parquet") == EXPECTED
    coded = table.set_column(0, "white", table["white"].dictionary_encode())
    pq.write_table(coded, tmp_path / "coded.parquet")
    assert read_comparisons(tmp_path / "coded.parquet") == EXPECTED


@pytest.mark.parametrize(
    "convert",
    [
        lambda frame: frame,
        pl.DataFrame,
        lambda frame: pl.DataFrame(frame).lazy(),
        pa.Table.from_pandas,
        lambda frame: frame.astype({"white": "category", "result": "category"}),
        lambda frame: pl.DataFrame(frame).with_columns(pl.col("black").cast(pl.Categorical)),
        lambda frame: frame.astype(object).set_index(pd.Index([9, 9, 9])),
    ],
    ids=["pandas", "polars", "lazy", "arrow", "pandas category", "polars category", "objects"],
)
def test_frames(convert: Any) -> None:
    assert read_comparisons(convert(GAMES)) == EXPECTED


def test_a_relation() -> None:
    connection = duckdb.connect()
    connection.register("games", GAMES)
    assert read_comparisons(connection.sql("select * from games")) == EXPECTED
    assert len(read_comparisons(connection.sql("select * from games where result = '1-0'"))) == 1


def test_several_files_and_patterns(write: Write, tmp_path: Path) -> None:
    paths = [write(GAMES.iloc[[k]].to_csv(index=False), f"part-{k}.csv") for k in range(3)]
    assert read_comparisons(paths) == EXPECTED
    assert read_comparisons(str(tmp_path / "part-*.csv")) == EXPECTED
    assert read_comparisons([str(tmp_path / "part-[01].csv"), paths[2]]) == EXPECTED


def test_unnamed_columns_are_passed_over(write: Write) -> None:
    assert read_comparisons(write(GAMES.to_csv())) == EXPECTED
    assert read_comparisons(write(GAMES.to_csv(index=False).replace("\n", ",\n"))) == EXPECTED


def test_a_delimiter_within_quotes(write: Write) -> None:
    c = read_comparisons(write('left,right,outcome,"a;b;c;d;e"\nx,y,left,1\n'))
    assert c.items.tolist() == ["x", "y"]


def test_record_batches() -> None:
    table = pa.Table.from_pandas(GAMES)
    assert read_comparisons(table.to_batches()[0]) == EXPECTED
    assert read_comparisons(table.to_reader()) == EXPECTED


def test_a_file_whose_name_looks_like_a_pattern(write: Write) -> None:
    assert read_comparisons(write(GAMES.to_csv(index=False), "games[1].csv")) == EXPECTED


# ------------------------------------------------------------------------------------ headers


@pytest.mark.parametrize(
    ("header", "row", "outcome"),
    [
        ("white,black,result", "x,y,1-0", -1),
        ("White,Black,Result", "x,y,0-1", 1),
        ("model_a,model_b,winner", "x,y,tie (bothbad)", 0),
        ("home,away,outcome", "x,y,home", -1),
        ("homeTeam,awayTeam,homeScore,awayScore", "x,y,1,3", 1),
        ("home_team,away_team,home_score,away_score", "x,y,2,2", 0),
        ("winner,loser", "x,y", -1),
        ("winners,losers", "x,y", -1),
        ("winner,loser,score", "x,y,6-4 6-4", -1),
        ("left,right,outcome", "x,y,-1", -1),
        ("player1,player2,y", "x,y,0.5", 0),
        ("date,white_id,black_id,white_elo,black_elo,y", "2001,x,y,1,2,0.5", 0),
        ("team1,team2,winner", "x,y,y", 1),
        ("model_a,model_b,winner", "x,y,x", -1),
        ("chosen,rejected", "x,y", -1),
    ],
)
def test_headers_understood(write: Write, header: str, row: str, outcome: int) -> None:
    c = read_comparisons(write(f"{header}\n{row}\n"))
    assert c.items[c.left].tolist() == ["x"]
    assert c.items[c.right].tolist() == ["y"]
    assert np.asarray(c.outcome).tolist() == [outcome]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("alpha,beta,gamma", "no column is known to hold the two sides.*'alpha', 'beta', 'gamma'"),
        ("white,black,white_id,black_id,result", "the two sides could be white/black or white_id/black_id"),
        ("white,black,outcome,result", "the outcome could be outcome or result"),
        ("home,away,home_score,away_score,result", "could be result or home_score/away_score"),
        ("white,black,points", "no column is known to hold the outcome.*'points'"),
        ("white,black,white,result", "'white' more than once"),
    ],
)
def test_headers_refused(write: Write, header: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_comparisons(write(f"{header}\n{','.join('x' for _ in header.split(','))}\n"))


def test_columns_given(write: Write) -> None:
    path = write("p,q,r,w,judge,day\nann,bob,1,2.5,j1,2020-01-31\nbob,cat,0,1,j2,2020.02.01\n")
    options: dict[str, Any] = {"left": "p", "right": "q", "outcome": "r", "outcome_format": "score"}
    c = read_comparisons(path, weight="w", group="judge", time="day", **options)
    assert c.weight.tolist() == [2.5, 1]
    assert np.asarray(c.groups).tolist() == ["j1", "j2"]
    assert np.asarray(c.time).astype("datetime64[D]").astype(str).tolist() == ["2020-01-31", "2020-02-01"]
    with pytest.raises(ValueError, match="no column 'who'; the columns are 'p'"):
        read_comparisons(path, left="who", right="q")
    with pytest.raises(ValueError, match="right= is not given"):
        read_comparisons(path, left="p")
    assert read_comparisons(path, left="p", right="q", outcome=False).outcome is None


def test_scores_follow_the_sides() -> None:
    frame = pd.DataFrame({"home": ["a"], "away": ["b"], "home_score": [5], "away_score": [0]})
    assert np.asarray(read_comparisons(frame).outcome).tolist() == [-1]
    swapped = read_comparisons(frame, left="away", right="home")
    assert np.asarray(swapped.outcome).tolist() == [1]
    models = frame.set_axis(["model_a", "model_b", "score_a", "score_b"], axis=1)
    assert np.asarray(read_comparisons(models, left="model_b", right="model_a").outcome).tolist() == [1]


def test_columns_in_one_text_are_named_by_themselves(write: Write) -> None:
    path = write("home,away,goals_h,goals_a\nx,y,3,1\n")
    with pytest.raises(ValueError, match=r"'goals_h,goals_a'; name each of these columns by itself"):
        read_comparisons(path, outcome="goals_h,goals_a")


def test_winner_and_loser(write: Write) -> None:
    path = write("winner,loser\nx,y\n")
    given = read_comparisons(path, left="winner", right="loser")
    assert np.asarray(given.outcome).tolist() == [-1]
    assert read_comparisons(path, outcome=False).outcome is None
    with pytest.raises(ValueError, match="could be outcome or that the left side is always better"):
        read_comparisons(write("winner,loser,outcome\nx,y,tie\n"))


CONFLICTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "features and sides": (
        "white,black,left_x,right_x,y\na,b,1,2,-1\n",
        {"features": ["x"], "left": "white", "right": "black"},
        "give one of the two",
    ),
    "features as a string": ("left_x,right_x,y\n1,2,-1\n", {"features": "x"}, r"such as \['x'\]"),
    "separator for features": ("left_x,right_x,y\n1,2,-1\n", {"team_separator": "/"}, "drop items="),
    "separator for columns": (
        "a,b,c,y\n1,2,3,-1\n",
        {"left": ["a", "b"], "right": "c", "team_separator": "/"},
        "one column for each side",
    ),
    "no separator": ("left,right,y\na,b,-1\n", {"team_separator": ""}, "not nothing"),
    "key without items": ("left,right,y\na,b,-1\n", {"item_key": "k"}, "give that with items="),
    "no columns": ("left,right,y\na,b,-1\n", {"left": [], "right": []}, "left= takes the name"),
    "three scores": ("left,right,y\na,b,-1\n", {"outcome": ("y", "left", "right")}, "not 3"),
    "a truth": ("left,right,y\na,b,-1\n", {"outcome": True}, "outcome= takes the name"),
    "a number": ("left,right,y\na,b,-1\n", {"left": 5, "right": "right"}, "left= takes the name"),
    "no encoding": ("left,right,y\na,b,-1\n", {"encoding": None}, "there is no encoding=None"),
    "a feature twice": ("left_x,right_x,y\n1,2,-1\n", {"features": ["x", "x"]}, "features= takes"),
    "an empty name": ("left,right,y\na,b,-1\n", {"weight": ""}, "there is no column ''"),
    "a list of weights": ("left,right,y\na,b,-1\n", {"weight": ["y"]}, "weight= takes the name"),
}


@pytest.mark.parametrize("case", CONFLICTS)
def test_options_that_contradict_each_other(write: Write, case: str) -> None:
    text, options, message = CONFLICTS[case]
    with pytest.raises(ValueError, match=message) as caught:
        read_comparisons(write(text), **options)
    check_sentence(caught.value)


def test_columns_named_weight_group_and_time_are_recognised(write: Write) -> None:
    c = read_comparisons(write("left,right,outcome,weight,group,time\na,b,left,2,g,3.5\n"))
    assert (c.weight.tolist(), np.asarray(c.groups).tolist(), np.asarray(c.time).tolist()) == (
        [2],
        ["g"],
        [3.5],
    )


# ------------------------------------------------------------------------------------ labels


def test_labels_of_text_files_are_kept_as_written(write: Write) -> None:
    c = read_comparisons(write("left,right,outcome\n7,07,left\n10,7,tie\n"))
    assert c.items.tolist() == ["07", "10", "7"]
    c = read_comparisons(write("left,right,outcome\n7,10,left\n-3,7,tie\n"))
    assert c.items.tolist() == ["-3", "10", "7"]
    c = read_comparisons(write("left,right,outcome\n2020-01-01,true,left\n#1,1e5,right\n"))
    assert c.items.tolist() == ["#1", "1e5", "2020-01-01", "true"]


def test_quoted_cells(write: Write) -> None:
    c = read_comparisons(write('left,right,outcome\n"Doe, Jane","two\nlines",left\n"say ""hi""",x,right\n'))
    assert c.items.tolist() == ["Doe, Jane", 'say "hi"', "two\nlines", "x"]


def test_encodings(write: Write) -> None:
    text = "left,right,outcome\nAndré,Zoë,left\n"
    for encoding in ("latin-1", "utf-16", "cp1252"):
        c = read_comparisons(write(text.encode(encoding)), encoding=encoding)
        assert c.items.tolist() == ["André", "Zoë"]


# ------------------------------------------------------------------------------------ teams and features


TEAMS = Comparisons.from_arrays([("a", "b"), "c"], [("c", "d"), "a"], [-1, 1])


def test_teams_in_one_cell(write: Write) -> None:
    assert (
        read_comparisons(write("left,right,outcome\na/b,d / c,left\nc,a,right\n"), team_separator="/")
        == TEAMS
    )
    winner = read_comparisons(write("left,right,winner\na/b,d/c,a/b\nc,a,a\n"), team_separator="/")
    assert winner == TEAMS
    numbers = read_comparisons(write("left,right,outcome\n1+2,3+4,left\n"), team_separator="+")
    assert numbers.items.tolist() == ["1", "2", "3", "4"]


def test_teams_in_several_columns(write: Write) -> None:
    path = write("a1,a2,b1,b2,y\na,b,c,d,1\nc,,,a,0\n")
    options: dict[str, Any] = {"left": ["a1", "a2"], "right": ["b1", "b2"], "outcome_format": "score"}
    assert read_comparisons(path, **options) == TEAMS


def test_teams_in_lists() -> None:
    frame = pl.DataFrame({"left": [["b", "a"], ["c"]], "right": [["c", "d"], ["a"]], "outcome": [-1, 1]})
    assert read_comparisons(frame) == TEAMS
    assert read_comparisons(TEAMS.to_frame()) == TEAMS


def test_features_in_columns(write: Write) -> None:
    path = write("left_size,left_age,right_size,right_age,outcome\n1,2,3,4,right\n3,4,5,6,tie\n")
    c = read_comparisons(path)
    assert c == read_comparisons(pd.read_csv(path))
    assert c.feature_names == ("size", "age")
    assert c.features.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert c.right.tolist() == [1, 2]
    assert read_comparisons(path, features=["age"]).features.ravel().tolist() == [2, 4, 6]


def test_equal_features_may_meet() -> None:
    c = Comparisons.from_features([[1.0], [2.0]], [[1.0], [3.0]], [0, 1])
    assert c.left[0] == c.right[0]
    assert c.components.tolist() == [1, 0, 0]


def test_scores_are_no_features(write: Write) -> None:
    c = read_comparisons(write("left_score,right_score,left_x,right_x\n1,2,3,4\n"))
    assert c.feature_names == ("x",)
    assert np.asarray(c.outcome).tolist() == [1]


def test_blanks_around_numbers(write: Write) -> None:
    c = read_comparisons(write("left, right, outcome, weight, time\na, b, left, 5, 2020-01-31\n"))
    assert c.weight.tolist() == [5]
    assert np.asarray(c.time).dtype.kind == "M"


# ------------------------------------------------------------------------------------ hostile input


BIG = "x" * 1_000_000
HEADER = "left,right,outcome\n"

HOSTILE_FILES: dict[str, tuple[str | bytes, str, dict[str, Any]]] = {
    "empty file": ("", "is empty", {}),
    "blank file": ("\n \n", "is empty", {}),
    "header only": (HEADER, "no rows", {}),
    "missing column": ("left,result\na,left\n", "two sides", {}),
    "missing column named": (HEADER + "a,b,left\n", "no column 'white'", {"left": "white", "right": "right"}),
    "missing outcome": (HEADER + "a,b,left\nc,d,\n", "no outcome at row 2", {}),
    "nan outcome": (HEADER + "a,b,1\nc,d,nan\n", "no outcome at row 2", {}),
    "unknown spelling": (HEADER + "a,b,left\nc,d,leftish\n", "'leftish' at row 2", {}),
    "zeros and ones": (HEADER + "a,b,0\nc,d,1\n", "outcome_format", {}),
    "missing label": (HEADER + "a,b,left\n,d,left\n", "column 'left' has no label at row 2", {}),
    "blank label": (HEADER + "a,b,left\n  ,d,left\n", "column 'left' has an empty label at row 2", {}),
    "item against itself": (HEADER + "a,b,left\nc,c,left\n", "item 'c' is compared with itself at row 2", {}),
    "player on both teams": (
        HEADER + "a/b,c/d,left\na/b,c/a,left\n",
        "item 'a' is on both teams at row 2",
        {"team_separator": "/"},
    ),
    "player twice in a team": (
        HEADER + "a/b,c/d,left\na/b,c/d,left\nd/d,a/c,left\n",
        "item 'd' is twice in one team at row 3",
        {"team_separator": "/"},
    ),
    "empty team": (
        HEADER + "a/b,c/d,left\na/b,c/d,left\na/b, / ,left\n",
        "empty at row 3",
        {"team_separator": "/"},
    ),
    "empty team in columns": (
        "a1,a2,b1,b2,outcome\na,b,c,d,left\na,b,,,left\n",
        "empty at row 2",
        {"left": ["a1", "a2"], "right": ["b1", "b2"]},
    ),
    "negative weight": ("left,right,outcome,weight\na,b,left,-1\n", "weight -1.0 at row 1", {}),
    "zero weight": ("left,right,outcome,weight\na,b,left,1\nc,d,left,0\n", "weight 0.0 at row 2", {}),
    "infinite weight": (
        "left,right,outcome,weight\na,b,left,inf\n",
        "'weight' is missing or infinite at row 1",
        {},
    ),
    "missing weight": ("left,right,outcome,weight\na,b,left,1\na,b,left,\n", "'weight' is .* at row 2", {}),
    "weight in words": ("left,right,outcome,weight\na,b,left,1\na,b,left,two\n", "'two' at row 2", {}),
    "missing score": ("home,away,home_score,away_score\na,b,1,2\na,b,,2\n", "'home_score' .* at row 2", {}),
    "latin-1": ("left,right,outcome\nAndré,b,left\n".encode("latin-1"), "encoding='cp1252'", {}),
    "latin-1 far down": (
        b"left,right,outcome\n" + b"a,b,left\n" * 300_000 + "André,b,left\n".encode("latin-1"),
        "encoding='cp1252'",
        {},
    ),
    "latin-1 header": ("left,right,outcome,prénom\na,b,left,c\n".encode("latin-1"), "encoding='cp1252'", {}),
    "utf-16 without a mark": ((HEADER + "a,b,left\n").encode("utf-16-le"), "encoding='utf-16-le'", {}),
    "utf-16, large end first": ((HEADER + "a,b,left\n").encode("utf-16-be"), "encoding='utf-16-be'", {}),
    "unknown encoding": (HEADER + "a,b,left\n", "encoding='klingon'", {"encoding": "klingon"}),
    "wrong encoding": (
        HEADER + "é,b,left\n",
        "is not encoded in utf-16",
        {"encoding": "utf-16"},
    ),
    "open quote": (HEADER + 'a,b,left\n"c,d,left\n', "line 3 .* quote that is never closed", {}),
    "too few cells": (HEADER + "a,b,left\nc,d\n", "line 3 .* has 2 cells where the header has 3", {}),
    "too many cells": (HEADER + "a,b,left\nc,d,left,e\n", "line 3 .* has 4 cells where the header has 3", {}),
    "names of 1 MB": (HEADER + f"{BIG},b,left\n", "label too long at row 1", {}),
    "lines of 4 MB": (HEADER + f"{BIG}{BIG},{BIG}{BIG},left\n", "longer than two million", {}),
    "random bytes": (bytes(np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8)), "encoding", {}),
    "blank lines": ("\n\n\n", "is empty", {}),
    "weight with underscores": (
        "left,right,outcome,weight\na,b,left,5\na,b,left,1_000\n",
        "'1_000' at row 2",
        {},
    ),
    "no header": ("ann,bob,left\ncat,dan,right\n", "no column is known", {}),
    "bad time": ("left,right,outcome,time\na,b,left,yesterday\n", "'yesterday'", {}),
    "impossible date": (
        "left,right,outcome,time\na,b,left,2020-01-31\nc,d,left,2020-02-31\n",
        "'2020-02-31' at row 2",
        {},
    ),
    "missing time": ("left,right,outcome,time\na,b,left,3\na,b,left,\n", "'time' is missing at row 2", {}),
    "missing group": (
        "left,right,outcome,group\na,b,left,3\na,b,left,\n",
        "'group' has no label at row 2",
        {},
    ),
    "feature in words": ("left_x,right_x,outcome\n1,2,left\n1,two,left\n", "'two' at row 2", {}),
    "missing feature": ("left_x,right_x,outcome\n1,2,left\n,2,left\n", "'left_x' .* at row 2", {}),
}


@pytest.mark.parametrize("case", HOSTILE_FILES)
def test_hostile_files(write: Write, case: str) -> None:
    content, message, options = HOSTILE_FILES[case]
    path = write(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_comparisons(path, **options)
    check_sentence(caught.value)


HOSTILE_FRAMES: dict[str, tuple[Any, str]] = {
    "0 rows": (GAMES.iloc[:0], "no rows"),
    "0 rows of polars": (pl.DataFrame(GAMES).head(0), "no rows"),
    "no columns": (pd.DataFrame(), "two sides"),
    "mixed labels": (GAMES.assign(white=["ann", 3, "cat"]), "^column 'white' mixes types"),
    "mixed outcomes": (GAMES.assign(result=["1-0", 1, None]), "^column 'result' mixes types"),
    "labels of two types": (GAMES.assign(white=[1, 2, 3]), "'white' holds int64.* make them alike"),
    "fractions as labels": (GAMES.assign(white=[1.5, 2.0, 3.0]), "'white' holds fractions"),
    "dates as labels": (GAMES.assign(white=pd.Timestamp("2020-01-01")), "'white' holds timestamp"),
    "truths as labels": (GAMES.assign(white=True), "'white' holds bool"),
    "missing label": (GAMES.assign(black=["ann", None, "cat"]), "'black' has no label at row 2"),
    "nan outcome": (GAMES.assign(result=[1, np.nan, 0.5]), "no outcome at row 2"),
    "a column twice": (
        pd.DataFrame([["a", "b", 1]], columns=["white", "white", "black"]),
        "two columns of one name, 'white'",
    ),
    "not a table": (42, "not from int"),
    "a list of rows": ([["ann", "bob", "1-0"]], "not from list"),
    "a dictionary": ({"white": ["ann"]}, "not from dict"),
    "numbers as column names": (pd.DataFrame([["a", "b", "left"]]), "named by strings"),
    "nothing": (None, "not from NoneType"),
}


@pytest.mark.parametrize("case", HOSTILE_FRAMES)
def test_hostile_frames(case: str) -> None:
    frame, message = HOSTILE_FRAMES[case]
    with pytest.raises(ValueError, match=message) as caught:
        read_comparisons(frame)
    check_sentence(caught.value)


def test_categories_that_no_row_has() -> None:
    left = pd.Categorical(["a", "b"], categories=["a", "b", "z"])
    frame = pd.DataFrame({"left": left, "right": ["b", "a"], "outcome": ["left", "right"]})
    frame["outcome"] = pd.Categorical(frame["outcome"], categories=["left", "right", "n/a"])
    assert read_comparisons(frame).items.tolist() == ["a", "b"]
    items = pd.DataFrame({"id": pd.Categorical(["a", "b", "b"], categories=["a", "b", "z"]), "x": [1, 2, 3]})
    with pytest.raises(ValueError, match="item 'b' more than once"):
        read_comparisons(frame, items=items)
    teams = frame.assign(left=pd.Categorical(["a/c", "d"], categories=["a/c", "q/q", "d"]))
    assert len(read_comparisons(teams, team_separator="/", left="left", right="right")) == 2


def test_team_columns_of_different_types() -> None:
    frame = pd.DataFrame(
        {"a1": [1, 2], "a2": [3, None], "b1": pd.Categorical(["4", "5"]), "outcome": [-1, 0]}
    )
    c = read_comparisons(frame.assign(b1=[4, 5]), left=["a1", "a2"], right="b1")
    assert c.to_frame()["left"].tolist() == [(1, 3), (2,)]
    words = pd.DataFrame(
        {"a1": pd.Categorical(["x"]), "a2": ["y"], "a3": [None], "b": ["z"], "outcome": [-1]}
    )
    assert read_comparisons(words, left=["a1", "a2", "a3"], right=["b"]).items.tolist() == ["x", "y", "z"]
    with pytest.raises(ValueError, match="different types"):
        read_comparisons(frame.assign(a2=["x", "y"], b1=[4, 5]), left=["a1", "a2"], right="b1")


def test_rows_of_teams_are_named_rightly(write: Write) -> None:
    with pytest.raises(ValueError, match="row 2"):
        Comparisons.from_arrays([("a", "b"), ("c", None)], ["d", "e"], [1, 1])
    with pytest.raises(ValueError, match="empty label at row 3"):
        read_comparisons(write('a1,a2,b,y\np,q,r,-1\np,q,r,-1\np," ",r,-1\n'), left=["a1", "a2"], right="b")


def test_names_of_files_are_no_patterns(write: Write, tmp_path: Path) -> None:
    write("left,right,outcome\nwrong,x,left\n", "g1.csv")
    right = write("left,right,outcome\nright,x,left\n", "g[1].csv")
    assert read_comparisons(right).items.tolist() == ["right", "x"]
    (tmp_path / "left=zed").mkdir()
    assert read_comparisons(write(GAMES.to_csv(index=False), "left=zed/games.csv")) == EXPECTED


def test_line_breaks_in_quotes_in_a_large_file(write: Write) -> None:
    rows = "".join(
        f'p{i % 99},q{i % 97},1-0,"{chr(10).join(["x,y,1-0,z"] * (i % 9))}"\n' for i in range(300_000)
    )
    assert len(read_comparisons(write("white,black,result,note\n" + rows))) == 300_000


def test_scores_too_large_for_floats(write: Write) -> None:
    text = "home,away,home_score,away_score\na,b,9007199254740993,9007199254740992\n"
    assert np.asarray(read_comparisons(write(text)).outcome).tolist() == [-1]


def test_groups_are_trimmed(write: Write) -> None:
    c = read_comparisons(write("left,right,outcome,group\na,b,left,g\na,b,left, g\n"))
    assert np.asarray(c.groups).tolist() == ["g"]


def test_columns_that_differ_in_case() -> None:
    frame = GAMES.assign(White=GAMES["black"])
    with pytest.raises(ValueError, match="could be white/black or White/black"):
        read_comparisons(frame)


def test_a_relation_that_fails() -> None:
    relation = duckdb.connect().sql("select error('boom') as left, 'b' as right, 'left' as outcome")
    with pytest.raises(ValueError, match="the relation cannot be read") as caught:
        read_comparisons(relation)
    check_sentence(caught.value)


def test_odd_types(tmp_path: Path) -> None:
    base = {"left": ["a"], "right": ["b"], "outcome": ["left"]}
    with pytest.raises(ValueError, match="'weight'"):
        read_comparisons(pa.table({**base, "weight": [[1.0]]}))
    nested = read_comparisons(pa.table({**base, "weight": [{"x": 2}]}), weight="weight.x")
    assert nested.weight.tolist() == [2]
    views = pa.table({**base, "weight": pa.array(["2"], pa.string_view())})
    assert read_comparisons(views).weight.tolist() == [2]


def test_hostile_paths(write: Write, tmp_path: Path) -> None:
    whole = gzip.compress((HEADER + "".join(f"p{i},q{i},left\n" for i in range(100_000))).encode())
    truncated = write(whole[: len(whole) // 2], "cut.csv.gz")
    other_header = write("left,winner,right\na,left,b\n", "other.csv")
    games = write(GAMES.to_csv(index=False))
    parquet = write(b"not parquet", "broken.parquet")
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    (mixed / "games.csv").write_text("left\n")
    (mixed / "games.parquet").write_bytes(b"not parquet")
    cases: list[tuple[Any, str]] = [
        (truncated, "not a whole compressed file"),
        (write(b"left,right,outcome\n", "plain.csv.gz"), "not a whole compressed file"),
        (mixed, "one kind at a time"),
        ([games, other_header], "another header"),
        ([games, parquet], "one kind at a time"),
        (parquet, "cannot be read"),
        (write(b"PK", "games.xlsx"), "cannot be read as a workbook"),
        (write(b"PK", "games.zip"), "is not a whole zip archive"),
        (write(b"BZ", "games.csv.bz2"), "ends in '.bz2'"),
    ]
    for source, message in cases:
        with pytest.raises(ValueError, match=message) as caught:
            read_comparisons(source)
        check_sentence(caught.value)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_comparisons(tmp_path / "nowhere.csv")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_comparisons(str(tmp_path / "nowhere-*.csv"))


def check_sentence(error: ValueError) -> None:
    """One sentence, on one line, that fits a terminal."""
    text = str(error)
    assert text
    assert "\n" not in text
    assert len(text) < 500


HOSTILE_ARRAYS: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "lengths of sides": ((["a", "b"], ["c"], [1, 1]), {}, "'right' has 1 rows where 2 rows are expected"),
    "length of outcome": ((["a", "b"], ["c", "d"], [1]), {}, "'outcome' has 1"),
    "length of weight": ((["a"], ["b"], [1], [1, 2]), {}, "'weight' has 2"),
    "length of group": ((["a"], ["b"], [1]), {"group": ["x", "y"]}, "'group' has 2"),
    "length of time": ((["a"], ["b"], [1]), {"time": [1, 2]}, "'time' has 2"),
    "weight in words": ((["a"], ["b"], [1], ["two"]), {}, "'weight' is not"),
    "nan weight": ((["a"], ["b"], [1], [np.nan]), {}, "weight nan at row 1"),
    "nan time": ((["a"], ["b"], [1]), {"time": [np.nan]}, "'time' is missing"),
    "time in words": ((["a"], ["b"], [1]), {"time": ["noon"]}, "neither"),
    "outcome 2": ((["a"], ["b"], [2]), {}, "outcome 2 at row 1"),
    "empty team": (([("a",), ()], ["b", "c"], [1, 1]), {}, "empty at row 2"),
    "on both teams": (([("a", "b")], [("b", "c")], [1]), {}, "'b' is on both teams at row 1"),
    "twice in a team": (([("a", "a")], ["b"], [1]), {}, "'a' is twice in one team at row 1"),
    "team of mixed types": (([("a", 1)], ["b"], [1]), {}, "mixes types"),
    "nested teams": (([("a", ("b",))], ["c"], [1]), {}, "mixes types"),
    "bytes": (([b"a"], [b"b"], [1]), {}, "'left' holds binary"),
}


@pytest.mark.parametrize("case", HOSTILE_ARRAYS)
def test_hostile_arrays(case: str) -> None:
    arguments, options, message = HOSTILE_ARRAYS[case]
    with pytest.raises(ValueError, match=message) as caught:
        Comparisons.from_arrays(*arguments, **options)
    check_sentence(caught.value)


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ([[1.0, 2.0]], [[1.0]], "make them alike"),
        ([[np.nan]], [[1.0]], "X_left has a value that is missing or infinite at row 1"),
        ([[1.0], [2.0]], [[1.5], [np.inf]], "X_right .* at row 2"),
        ([1.0], [2.0], "1 dimensions"),
        ([["x"]], [["y"]], "not a table of numbers"),
    ],
)
def test_hostile_features(left: Any, right: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Comparisons.from_features(left, right, [1] * len(left))
    check_sentence(caught.value)


def test_hostile_labels_and_rankings() -> None:
    with pytest.raises(ValueError, match="'y' has 2 rows where 1 rows are expected"):
        Comparisons.from_labels([[1.0]], [1, 2])
    with pytest.raises(ValueError, match="partners"):
        Comparisons.from_labels([[1.0], [2.0]], [1, 2], partners=0)
    with pytest.raises(ValueError, match="'y' is missing or infinite at row 2"):
        Comparisons.from_labels([[1.0], [2.0]], [1, np.nan])
    with pytest.raises(ValueError, match=r"'a' is twice in ranking 2"):
        Comparisons.from_rankings([["a", "b"], ["a", "b", "a"]])
    with pytest.raises(ValueError, match="a ranking is a list of labels"):
        Comparisons.from_rankings(["ann", "bob"])


def test_kinds_of_judges(write: Write) -> None:
    text = "left,right,outcome,by\na,b,left,human\nb,c,tie,\nc,a,right,ai\n"
    with pytest.warns(UserWarning, match="nothing in 'by'"):
        c = read_comparisons(write(text), judge_kind="by", bad_rows="skip")
    assert c.to_frame()["judge_kind"].tolist() == ["human", "ai"]
    assert "by (kind of judge)" in str(c.columns)
    again = read_comparisons(c.to_frame(), judge_kind="judge_kind", outcome_format="sign")
    assert again == c
    with pytest.raises(ValueError, match="nope"):
        read_comparisons(write(text), judge_kind="nope")
    twice = "left,right,outcome,by\na,b,left,human\na,b,left,ai\na,b,left,ai\n"
    assert len(read_comparisons(write(twice), judge_kind="by", dedup=["left", "right", "judge_kind"])) == 2
    assert read_comparisons(write(twice), judge_kind="by", counted=True).count.sum() == 3
