"""Small files as people have them: each is read as they mean it, or refused with a word on what to type."""

import re
import warnings
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import BradleyTerry, Comparisons, Elo, read_comparisons
from podium.reading.dates import times
from podium.reading.formats import numbers


class File(NamedTuple):
    """A file, the options to read it with, and what comes out of it."""

    text: str
    outcome: list[int]
    options: Mapping[str, Any] = MappingProxyType({})
    time: list[Any] | None = None
    weight: list[float] | None = None
    skipped: tuple[tuple[int, str], ...] = ()
    columns: str = ""


def days(*texts: str) -> list[Any]:
    return list(np.array(texts, dtype="datetime64[s]").tolist())


SKIP = {"bad_rows": "skip"}
READ: dict[str, File] = {
    "a club's spreadsheet, with byes and blanks": File(
        "Round;White;Black;Result\n1;Ann;Bob;1-0\n1;Cat;;\n1;Dan;BYE;1\n2;Bob;Cat;½-½\n2;Ann;Dan;*\n"
        "3;Bob;Dan;0-1\n3;Cat;Ann;0,5\n4;Ann;Ann;1-0\n4;Cat;Dan;0-1\n",
        [-1, 0, 1, 0, 1],
        SKIP,
        skipped=(
            (3, "nothing in 'Black'"),
            (4, "a bye in 'Black'"),
            (6, "no outcome: '*'"),
            (9, "an item against itself"),
        ),
    ),
    "unknown words and NaN": File(
        "left,right,winner\na,b,left\nb,c,nan\nc,a,right\na,c,leftish\nb,a,tie\nc,b,\n",
        [-1, 1, 0],
        SKIP,
        skipped=((3, "no outcome: 'nan'"), (5, "an outcome not understood: 'leftish'"), (7, "no outcome")),
    ),
    "weights that are none": File(
        "left,right,outcome,weight\na,b,left,2\na,b,left,two\nb,a,tie,1,5\n".replace("1,5", '"1,5"')
        + "b,a,left,-1\na,b,left,0\na,b,right,3\nb,a,right,\na,b,tie,1\n",
        [-1, 0, 1, 0],
        SKIP,
        weight=[2, 1.5, 3, 1],
        skipped=(
            (3, "no positive number in 'weight': 'two'"),
            (5, "no positive number in 'weight': '-1'"),
            (6, "no positive number in 'weight': '0'"),
            (8, "nothing in 'weight'"),
        ),
    ),
    "times that are none": File(
        "left,right,outcome,time\na,b,left,2022-09-05\na,b,left,soon\nb,a,tie,2022-02-30\nb,a,tie,2022-09-06\n",
        [-1, 0],
        SKIP,
        time=days("2022-09-05", "2022-09-06"),
        skipped=((3, "no time in 'time': 'soon'"), (4, "no time in 'time': '2022-02-30'")),
    ),
    "groups that are missing": File(
        "left,right,outcome,group\na,b,left,x\na,b,left,\nb,a,tie,y\n",
        [-1, 0],
        SKIP,
        skipped=((3, "nothing in 'group'"),),
    ),
    "doubles with a partner missing": File(
        "left,right,outcome\nann/bob,cat/dan,left\nann/ann,cat/dan,left\nann/bob,bob/dan,left\n"
        " / ,cat/dan,left\nann/cat,bob/dan,right\nann/dan,bob/cat,tie\nbob/cat,ann/dan,tie\n",
        [-1, 1, 0, 0],
        SKIP | {"team_separator": "/"},
        skipped=((3, "an item against itself"), (4, "an item against itself"), (5, "nothing in 'left'")),
    ),
    "doubles in columns": File(
        "a1,a2,b1,b2,outcome\nann,bob,cat,dan,left\nann,,cat,dan,right\n,,cat,dan,left\nann,bob,ann,dan,left\n",
        [-1, 1],
        SKIP | {"left": ["a1", "a2"], "right": ["b1", "b2"]},
        skipped=((4, "nothing in 'a1', 'a2'"), (5, "an item against itself")),
    ),
    "winners by name, one of whom did not play": File(
        "player1,player2,winner\nann,bob,ann\nbob,cat,ann\ncat,ann,draw\nann,cat,cat\n",
        [-1, 0, 1],
        SKIP,
        skipped=((3, "an outcome not understood: 'ann'"),),
    ),
    "two columns of goals, a game not played": File(
        "home,away,home_goals,away_goals\nA,B,3,1\nB,C,,\nC,A,0,0\nA,C,1,x\nB,A,0,2\n",
        [-1, 0, 1],
        SKIP,
        skipped=((3, "nothing in 'home_goals'"), (5, "no number in 'away_goals': 'x'")),
    ),
    "features with a gap": File(
        "left_x,right_x,outcome\n1,2,left\n,2,left\n1,2,right\n0,5,tie\n".replace("0,5,", '"0,5",1,'),
        [-1, 1, 0],
        SKIP,
        skipped=((3, "nothing in 'left_x'"),),
    ),
    "nothing to skip": File("left,right,outcome\na,b,left\n", [-1], SKIP),
    "a league's table": File(
        "home,away,result\nAjax,PSV,3:1\nPSV,AZ,2:2\nAZ,Ajax,0:4\n",
        [-1, 0, 1],
        columns="home and away (sides), result (score, left first)",
    ),
    "a league's table with en dashes": File("home,away,result\nA,B,2–1\nB,A,0 – 0\n", [-1, 0]),
    "basketball in one column": File("home,away,result\nA,B,98-102\nB,A,110-97\n", [1, -1]),
    "a match of chess teams": File("home,away,result\nA,B,5½-2½\nB,A,4-4\nA,B,\"3,5:4,5\"\n", [-1, 0, 1]),
    "sets of tennis": File(
        "player1,player2,result\nann,bob,6-4 3-6 7-5\nbob,ann,4-6 4-6\ncat,ann,\"7-6(5), 6-4\"\n", [-1, 1, -1]
    ),
    "sets of table tennis": File(
        "player1;player2;result\nann;bob;11:9 9:11 11:5\nbob;ann;8:11, 3:11\n", [-1, 1]
    ),
    "a tennis match that was abandoned": File(
        "player1,player2,result\nann,bob,6-4 3-6 7-5\nbob,ann,6-4 2-1 ret.\ncat,ann,6-4 3-6\n"
        "ann,cat,0-6 1-6\n",
        [-1, 1],
        SKIP,
        skipped=(
            (3, "an outcome not understood: '6-4 2-1 ret.'"),
            (4, "an outcome not understood: '6-4 3-6'"),
        ),
    ),
    "forfeits of a FIDE report": File(
        "White,Black,Result\nAnn,Bob,1-0\nBob,Cat,+:-\nCat,Ann,0-1\nAnn,Cat,½-½\nCat,Bob,-:+\n",
        [-1, 1, 0],
        SKIP,
        skipped=((3, "no outcome: '+:-'"), (6, "no outcome: '-:+'")),
    ),
    "scores with decimal commas": File("white;black;y\nAnn;Bob;1\nBob;Cat;0,5\nCat;Ann;0\n", [-1, 0, 1]),
    "weights with decimal commas": File(
        "left;right;outcome;weight\na;b;left;0,5\nb;a;tie;1,25\n", [-1, 0], weight=[0.5, 1.25]
    ),
    "weights with thousands": File(
        'left,right,outcome,weight\na,b,left,"1,234"\nb,a,tie,"1,234,567"\n', [-1, 0], weight=[1234, 1234567]
    ),
    "points with decimal commas": File(
        "home;away;home_points;away_points\nA;B;10,5;9,5\nB;A;7,25;7,25\n", [-1, 0]
    ),
    "German dates": File(
        "left;right;outcome;time\na;b;left;05.09.2022\nb;a;tie;1.10.2022\n",
        [-1, 0],
        time=days("2022-09-05", "2022-10-01"),
        columns="left and right (sides), outcome (outcome), time (time)",
    ),
    "short years": File("left;right;outcome;time\na;b;left;5.9.22\nb;a;tie;31.12.99\n", [-1, 0],
                        time=days("2022-09-05", "1999-12-31")),
    "American dates that a day above 12 settles": File(
        "left,right,outcome,time\na,b,left,09/05/2022\nb,a,tie,09/25/2022\n",
        [-1, 0],
        time=days("2022-09-05", "2022-09-25"),
        columns="left and right (sides), outcome (outcome), time (time, month first)",
    ),
    "British dates": File("left,right,outcome,time\na,b,left,05/09/2022\nb,a,tie,25/09/2022\n", [-1, 0],
                          time=days("2022-09-05", "2022-09-25")),
    "dates that the option settles": File(
        "left,right,outcome,time\na,b,left,03/04/2022\nb,a,tie,05/06/2022\n",
        [-1, 0],
        {"dates": "dmy"},
        time=days("2022-04-03", "2022-06-05"),
        columns="left and right (sides), outcome (outcome), time (time, day first)",
    ),
    "dates in words": File("left,right,outcome,time\na,b,left,5 Sep 2022\nb,a,tie,\"October 1, 2022\"\n",
                           [-1, 0], time=days("2022-09-05", "2022-10-01")),
    "an export with times of day": File(
        "left,right,outcome,time\na,b,left,9/5/2022 3:04 PM\nb,a,tie,9/25/2022 12:30 AM\n",
        [-1, 0],
        time=days("2022-09-05T15:04", "2022-09-25T00:30"),
    ),
    "moments with a zone": File(
        "left,right,outcome,time\na,b,left,2022-09-05T10:00:00+02:00\nb,a,tie,2022-09-05T09:00:00Z\n",
        [-1, 0],
        time=days("2022-09-05T08:00", "2022-09-05T09:00"),
    ),
    "an arena's seconds": File(
        "model_a,model_b,winner,tstamp\nx,y,model_a,1662336000.5\ny,x,tie,1662422400.0\n",
        [-1, 0],
        {"time": "tstamp"},
        time=np.array(["2022-09-05T00:00:00.5", "2022-09-06"], dtype="datetime64[us]").tolist(),
        columns="model_a and model_b (sides), winner (outcome), tstamp (time, seconds since 1970)",
    ),
    "milliseconds": File("left,right,outcome,time\na,b,left,1662336000000\nb,a,tie,1662422400000\n", [-1, 0],
                         time=days("2022-09-05", "2022-09-06")),
    "dates of the ATP": File("left,right,outcome,time\na,b,left,20220905\nb,a,tie,20221231\n", [-1, 0],
                             time=days("2022-09-05", "2022-12-31")),
    "seasons": File(
        "left,right,outcome,season\na,b,left,2008-9\nb,a,tie,2009-10\n", [-1, 0], {"time": "season"},
        time=[2008, 2009],
        columns="left and right (sides), outcome (outcome), season (time, seasons)",
    ),
    "seasons with a slash": File("left,right,outcome,time\na,b,left,1999/00\nb,a,tie,2000/01\n", [-1, 0],
                                 time=[1999, 2000]),
    "seasons in full": File("left,right,outcome,time\na,b,left,1999-2000\nb,a,tie,2000–2001\n", [-1, 0],
                            time=[1999, 2000]),
    "months": File("left,right,outcome,time\na,b,left,2022-09\nb,a,tie,2023-01\n", [-1, 0],
                   time=days("2022-09-01", "2023-01-01")),
    "years": File("left,right,outcome,time\na,b,left,2021\nb,a,tie,2022\n", [-1, 0], time=[2021, 2022]),
    "rounds": File("left,right,outcome,time\na,b,left,1\nb,a,tie,2\n", [-1, 0], time=[1, 2]),
    "probabilities": File(
        "left;right;p\na;b;0,75\nb;c;1\nc;a;0\n",
        [-1, 1, -1, 1],
        {"outcome": "p", "outcome_format": "probability"},
        weight=[0.75, 0.25, 1, 1],
        columns="left and right (sides), p (probability that the left side is better)",
    ),
    "probabilities with gaps": File(
        "left,right,p\na,b,0.5\nb,c,\nc,a,1.5\na,c,1\n",
        [-1, 1, -1],
        SKIP | {"outcome": "p", "outcome_format": "probability"},
        weight=[0.5, 0.5, 1],
        skipped=((3, "nothing in 'p'"), (4, "no probability in 'p': '1.5'")),
    ),
    "a bye that nobody asked about": File("white,black,result\nann,bob,1-0\ncat,bye,1-0\n", [-1, -1]),
    "an item that is called none": File("left,right,winner\nnone,b,none\nb,none,b\n", [-1, -1]),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_read_as_a_person_would(case: str, tmp_path: Path) -> None:
    file = READ[case]
    path = tmp_path / "file.csv"
    path.write_text(file.text, encoding="utf-8")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        c = read_comparisons(path, **file.options)
    assert np.asarray(c.outcome).tolist() == file.outcome
    assert c.skipped == file.skipped
    assert len(said) == (1 if file.skipped else 0)
    if file.time is not None:
        assert np.asarray(c.time).tolist() == file.time
    if file.weight is not None:
        assert c.weight.tolist() == file.weight
    if file.columns:
        assert str(c.columns) == file.columns


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "probabilities that nobody called so": (
        "left,right,p\ntea,milk,0.7\nmilk,tea,1\n",
        {"outcome": "p"},
        "if it is the probability that the left side is better, say outcome_format='probability'",
    ),
    "counts with a format of outcomes": (
        "i,j,win_i,win_j\ntea,milk,3,1\n",
        {"outcome_format": "probability"},
        "win_i and win_j count wins, which have no outcome_format=; drop it, or name .* with outcome=",
    ),
    "a judge who is missing": (
        "left,right,winner,judge\ntea,milk,left,ann\ntea,milk,right,ann\ntea,milk,left,\n",
        {"group": "judge"},
        "column 'judge' has no label at row 3",
    ),
    "one blank cell": (
        "white,black,result\nann,bob,1-0\ncat,,\n",
        {},
        "'black' has no label at row 2 .*; bad_rows='skip' leaves out what .*, 1 of 2 rows$",
    ),
    "an unfinished game": (
        "white,black,result\nann,bob,1-0\ncat,ann,*\n",
        {},
        r"'result' has no outcome at row 2 \(line 3 of '.*'\) \('\*'\); bad_rows='skip'",
    ),
    "more than half": (
        "white,black,result\nann,bob,1-0\ncat,,\ndan,,\n",
        SKIP,
        r"2 of 3 rows cannot be read: nothing in 'black' \(2\).*line 3, nothing in 'black'.*more than half",
    ),
    "dates that could be either": (
        "left,right,outcome,time\na,b,left,03/04/2022\nb,a,tie,05/06/2022\n",
        {},
        "'03/04/2022' at row 1 .* whether the day or the month comes first; say it with dates='dmy' or",
    ),
    "dates that could be either, with bad rows": (
        "left,right,outcome,time\na,b,left,03/04/2022\nb,a,tie,soon\n",
        SKIP,
        "say it with dates='dmy' or dates='mdy'",
    ),
    "dates in two orders": (
        "left,right,outcome,time\na,b,left,31/01/2022\nb,a,tie,01/31/2022\n",
        {},
        "'01/31/2022' at row 2 .* where a date like '31/01/2022' should be; bad_rows='skip'",
    ),
    "thousands or decimals": (
        'left,right,outcome,weight\na,b,left,"12,345"\n',
        {},
        "'12,345' at row 1 .* could be 12345 or 12.345; write it with a dot or no comma",
    ),
    "tennis with the winner first": (
        "player1,player2,result\n" + "ann,bob,6-4 6-2\n" * 8,
        {},
        "may list the winner first.* say outcome_format='score'",
    ),
    "a score that lists home first": (
        "away,home,result\nA,B,3:1\n",
        {"left": "away", "right": "home"},
        "'3:1' at row 1 .* could mean .*outcome_format='score'",
    ),
    "a retirement": (
        "player1,player2,result\nann,bob,6-4 6-2\nann,bob,6-4 2-1 ret.\n",
        {},
        "'6-4 2-1 ret.' at row 2 .*bad_rows='skip'",
    ),
    "a probability as a score": ("left,right,outcome\na,b,0.7\n", {}, "outcome '0.7' at row 1"),
    "a probability above 1": (
        "left,right,outcome\na,b,70\n",
        {"outcome_format": "probability"},
        "'outcome' has 70 at row 1 .* where a probability between 0 and 1 should be",
    ),
    "two probabilities": (
        "left,right,left_score,right_score\na,b,0.7,0.3\n",
        {"outcome_format": "probability"},
        "outcome_format='probability' is for one column",
    ),
    "an order of dates that there is not": (
        "left,right,outcome\na,b,left\n",
        {"dates": "dym"},
        "dates is None, 'dmy', 'mdy' or 'ymd', not 'dym'",
    ),
    "an unknown wish for bad rows": (
        "left,right,outcome\na,b,left\n",
        {"bad_rows": "drop"},
        "bad_rows is 'error' or 'skip', not 'drop'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_word_on_what_to_type(case: str, tmp_path: Path) -> None:
    text, options, message = REFUSED[case]
    path = tmp_path / "file.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read_comparisons(path, **options)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


# ------------------------------------------------------------------------------------ rows left out


def test_the_warning_counts_and_names_the_first(tmp_path: Path) -> None:
    rows = [
        "ann,bob,1-0",
        "ann,,1-0",
        "bob,ann,*",
        "bob,ann,-",
        "ann,bob,0-1",
        "ann,bob,won",
        *["a,b,1-0"] * 9,
    ]
    path = tmp_path / "file.csv"
    path.write_text("white,black,result\n" + "\n".join(rows) + "\n")
    expected = (
        "4 of 15 rows cannot be read: no outcome (2: '*', '-'), nothing in 'black' (1), an outcome not "
        "understood (1: 'won'); the first: line 3, nothing in 'black'; line 4, no outcome: '*'; line 5, no "
        "outcome: '-'; they are left out"
    )
    with pytest.warns(UserWarning, match=re.escape(expected)):
        read_comparisons(path, bad_rows="skip")


def test_rows_of_frames_and_of_several_files_count_from_one(tmp_path: Path) -> None:
    table = pa.table({"left": ["a", None, "b", "b"], "right": ["b", "a", "a", "a"], "outcome": [-1, 0, 1, 1]})
    with pytest.warns(UserWarning, match="the first: row 2, nothing in 'left'"):
        c = read_comparisons(table, bad_rows="skip")
    assert c.skipped == ((2, "nothing in 'left'"),)
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text("left,right,outcome\na,b,left\na,,left\n")
    with pytest.warns(UserWarning, match="row 2"):
        c = read_comparisons([tmp_path / "one.csv", tmp_path / "two.csv"], bad_rows="skip")
    assert [line for line, _ in c.skipped] == [2, 4]


def test_what_was_skipped_stays_with_the_table(tmp_path: Path) -> None:
    table = pa.table({"left": ["a", None, "b"], "right": ["b", "a", "a"], "outcome": [-1, 0, 1]})
    with pytest.warns(UserWarning, match="left out"):
        c = read_comparisons(table, bad_rows="skip")
    assert c[:1].skipped == c.swap().skipped == c.skipped
    assert c == read_comparisons(table.filter(table["left"].is_valid()))
    assert Comparisons.from_arrays(["a"], ["b"], [1]).skipped == ()


CELLS = st.sampled_from(["left", "right", "tie", "", "?", "*", "lefty", " Left "])
NAMES = st.sampled_from(["a", "b", "c", " ", "", "bye", "a "])


@given(st.lists(st.tuples(NAMES, NAMES, CELLS, st.sampled_from(["1", "2,5", "0", "x", ""])), min_size=1))
def test_what_is_left_is_what_a_strict_reader_reads(rows: list[tuple[str, str, str, str]]) -> None:
    """Rows are good or bad one by one here: good ones can be read alone, and nobody in them is a bye."""
    table = pa.table(
        dict(zip(("left", "right", "outcome", "weight"), map(list, zip(*rows, strict=True)), strict=True))
    )
    good = ["bye" not in row and _readable(table.slice(k, 1)) for k, row in enumerate(rows)]
    if sum(good) < len(rows) / 2:
        with pytest.raises(ValueError, match="more than half"):
            read_comparisons(table, bad_rows="skip", outcome_format="winner")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        c = read_comparisons(table, bad_rows="skip", outcome_format="winner")
    assert c == read_comparisons(table.filter(pa.array(good)), outcome_format="winner")
    assert [line for line, _ in c.skipped] == [k + 1 for k, fine in enumerate(good) if not fine]


def _readable(table: pa.Table) -> bool:
    try:
        read_comparisons(table, outcome_format="winner")
    except ValueError:
        return False
    return True


# ------------------------------------------------------------------------------------ dates and numbers

WAYS: dict[str, tuple[Callable[[date], str], dict[str, Any]]] = {
    "iso": (lambda day: day.isoformat(), {}),
    "iso, short": (lambda day: f"{day.year}-{day.month}-{day.day}", {}),
    "dots": (lambda day: f"{day:%d.%m.%Y}", {}),
    "dots, short": (lambda day: f"{day.day}.{day.month}.{day.year % 100:02d}", {}),
    "American": (lambda day: f"{day:%m/%d/%Y}", {"order": "mdy"}),
    "British": (lambda day: f"{day.day}/{day.month}/{day.year}", {"order": "dmy"}),
    "years first": (lambda day: f"{day:%y/%m/%d}", {"order": "ymd"}),
    "words": (lambda day: f"{day:%d %b %Y}", {}),
    "American words": (lambda day: f"{day:%B} {day.day}, {day.year}", {}),
    "digits": (lambda day: f"{day:%Y%m%d}", {}),
    "slashes": (lambda day: f"{day:%Y/%m/%d}", {}),
}


@pytest.mark.parametrize("way", WAYS)
@given(st.lists(st.dates(date(1970, 1, 1), date(2068, 12, 31)), min_size=1))
def test_dates_come_back(way: str, dates: list[date]) -> None:
    spell, options = WAYS[way]
    found = times(pa.table({"t": [spell(day) for day in dates]}), "t", **options)[0]
    assert found.astype("datetime64[D]").tolist() == dates


MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)


@given(st.lists(MOMENTS, min_size=1), st.integers(-12, 14))
def test_moments_come_back(moments: list[datetime], hours: int) -> None:
    spelled = [f"{moment + timedelta(hours=hours):%d.%m.%Y %H:%M:%S}{hours:+03d}:00" for moment in moments]
    assert times(pa.table({"t": spelled}), "t")[0].tolist() == moments
    noon = [f"{moment:%m/%d/%Y %I:%M:%S %p}" for moment in moments]
    assert times(pa.table({"t": noon}), "t", "mdy")[0].tolist() == moments
    seconds = [str(int((moment - datetime(1970, 1, 1)).total_seconds())) for moment in moments]
    assert times(pa.table({"t": seconds}), "t")[0].tolist() == moments


@given(st.lists(st.dates(date(1970, 1, 1), date(2068, 12, 31)), min_size=1))
def test_a_day_above_twelve_settles_the_column(dates: list[date]) -> None:
    column = pa.table({"t": [f"{day:%m/%d/%Y}" for day in dates]})
    if any(day.day > 12 for day in dates) or all(day.day == day.month for day in dates):
        assert times(column, "t")[0].astype("datetime64[D]").tolist() == dates
    else:
        with pytest.raises(ValueError, match="dates='dmy' or dates='mdy'"):
            times(column, "t")


@given(st.lists(st.decimals(-9999, 9999, places=2), min_size=1))
def test_decimal_commas_come_back(values: list[Any]) -> None:
    spelled = [str(value).replace(".", ",") for value in values]
    assert numbers(pa.table({"x": spelled}), "x").tolist() == [float(value) for value in values]


# ------------------------------------------------------------------------------------ probabilities


def test_probabilities_are_weights_of_both_outcomes() -> None:
    p = [0.7, 0.4, 0.9]
    sides = (["a", "b", "a"], ["b", "c", "c"])
    soft = Comparisons.from_arrays(*sides, p, [1, 2, 1], group=["x", "y", "x"], outcome_format="probability")
    assert soft.weight.tolist() == pytest.approx([0.7, 0.3, 0.8, 1.2, 0.9, 0.1])
    assert np.asarray(soft.group).tolist() == [0, 0, 1, 1, 0, 0]
    counts = Comparisons.from_arrays(
        [side for side in sides[0] for _ in range(2)],
        [side for side in sides[1] for _ in range(2)],
        [-1, 1] * 3,
        [7, 3, 8, 12, 9, 1],
    )
    one, other = (BradleyTerry(prior=0).fit(c) for c in (soft, counts))
    np.testing.assert_allclose(one.log_skill_, other.log_skill_, atol=1e-5)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_swapping_sides_turns_the_probability(p: list[float]) -> None:
    left, right = ["a"] * len(p), ["b"] * len(p)
    one = Comparisons.from_arrays(left, right).with_probability(p)
    other = Comparisons.from_arrays(right, left).with_probability(1 - np.array(p))
    assert one.record().wins == pytest.approx(other.record().wins)
    assert one.weight.sum() == pytest.approx(len(p))


def test_hostile_probabilities() -> None:
    c = Comparisons.from_arrays(["a", "b"], ["b", "a"])
    for p, message in (
        ([0.5, 1.5], "'probability' has 1.5 at row 2"),
        ([0.5, float("nan")], "'probability' has nan at row 2"),
        (["x", "y"], "not a column of probabilities"),
        ([0.5], "'probability' has 1 rows where 2 rows are expected"),
    ):
        with pytest.raises(ValueError, match=message):
            c.with_probability(p)
    with pytest.raises(
        ValueError, match="outcome_format is None, 'score', 'sign', 'winner', 'grades' or 'probability'"
    ):
        BradleyTerry().fit(Comparisons.from_arrays(["a"], ["b"], [1], outcome_format="odds"))  # type: ignore[arg-type]


def test_rating_systems_follow_dates_as_written(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text("left;right;outcome;time\na;b;left;05.10.2022\nb;a;left;30.09.2022\na;b;left;1.10.2022\n")
    elo = Elo(period="month").fit(read_comparisons(path))
    assert elo.rating_.tolist() == pytest.approx([1210 + 1.15, 1190 - 1.15], abs=0.6)


def look_alike(names: list[str], other: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"left": names, "right": other, "outcome": ["left", "right"] * (len(names) // 2)})


def test_names_that_look_alike_and_never_met_are_listed_once() -> None:
    games = look_alike(
        ["Schaefer, Lukas", "Schäfer, Lukas", "José", "Otto"], ["Otto", "Meier", "Otto", "jose"]
    )
    with pytest.warns(UserWarning, match="look alike") as caught:
        read_comparisons(games)
    pairs = "'Schaefer, Lukas' and 'Schäfer, Lukas', 'José' and 'jose'"
    said = f"{pairs} look alike and never met; if they are one, spell them alike"
    assert [str(one.message) for one in caught] == [said]


def test_names_that_met_are_two(recwarn: pytest.WarningsRecorder) -> None:
    read_comparisons(look_alike(["Ann", "ann"], ["ann", "Bob"]))
    assert not recwarn


def test_first_and_second_where_columns_are_called_so() -> None:
    games = pd.DataFrame(
        {"first_model": ["x", "y"], "second_model": ["y", "z"], "winner": ["first", "second"]}
    )
    assert np.asarray(read_comparisons(games).outcome).tolist() == [-1, 1]
    with pytest.raises(ValueError, match=r"'first' at row 1.*not understood"):
        read_comparisons(games.rename(columns={"first_model": "white", "second_model": "black"}))


def test_a_win_without_a_game_is_explained() -> None:
    games = pd.DataFrame({"white": ["x", "y"], "black": ["y", "z"], "result": ["1:0", "+:-"]})
    with pytest.raises(ValueError, match=r"at row 2.*'\+:-'\), a win without a game; write 1-0 or 0-1"):
        read_comparisons(games)
