import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from podium import Rankings, read_comparisons, read_rankings, read_rows
from tests.comparisons.ranking_strategies import lists, rankings

Write = Callable[..., Path]
RACES = """race,driver,place
Spa,ann,1
Spa,bob,2
Rome,ann,DNF
Spa,cat,=2
Rome,cat,retired
Rome,bob,2nd
Rome,dan,1.
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(content: str, name: str = "rankings.csv") -> Path:
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return _write


# ------------------------------------------------------------------------------------ one order, many tables


def wide_frame(r: Rankings) -> pd.DataFrame:
    width = r.sizes.max()
    rows = [row + [None] * (width - len(row)) for row in r.to_lists()]
    return pd.DataFrame(rows, columns=[f"rank{number + 1}" for number in range(width)], dtype=object)


def text_frame(r: Rankings) -> pd.DataFrame:
    def place(each: Any) -> str:
        return " = ".join(each) if isinstance(each, tuple) else str(each)

    return pd.DataFrame({"ranking": [" > ".join(map(place, places)) for places in r.to_lists()]})


@given(rankings())
def test_long_and_back(r: Rankings) -> None:
    back = read_rankings(r.to_frame(), kind="long")
    assert back.to_lists() == r.to_lists()
    assert back == r


@given(rankings())
def test_the_order_of_rows_does_not_matter(r: Rankings) -> None:
    frame = r.to_frame()
    mixed = frame.sample(frac=1, random_state=0).sort_values("ranking", kind="stable")
    assert read_rankings(mixed, kind="long") == r


@given(lists())
def test_text_and_back(orders: list[list[Any]]) -> None:
    r = Rankings.from_lists([*orders, ["item 0", "item 1"]])
    assert read_rankings(text_frame(r)) == r


@given(lists(ties=False))
def test_wide_and_back(orders: list[list[Any]]) -> None:
    r = Rankings.from_lists([*orders, ["item 0", "item 1"]])
    assert read_rankings(wide_frame(r)) == r
    assert read_rankings(pl.DataFrame(wide_frame(r))) == r


@given(lists())
def test_scores_and_back(orders: list[list[Any]]) -> None:
    r = Rankings.from_lists([*orders, ["item 0", "item 1"]])
    table = np.full((len(r), r.n_items), np.nan)
    table[np.repeat(np.arange(len(r)), r.sizes), r.entries] = r.level
    frame = pd.DataFrame(table, columns=r.items.tolist())
    assert read_rankings(frame, kind="scores", higher_is_better=False) == r


def test_the_judges_of_a_table_of_scores() -> None:
    frame = pd.DataFrame({"taster": ["T1", "T2"], "red": [8, 5], "white": [6, None]})
    with pytest.raises(ValueError, match=r"'taster' has no numbers.* items with ranks=.* judges with group="):
        read_rankings(frame, kind="scores")
    r = read_rankings(frame, kind="scores", group="taster")
    assert r.items.tolist() == ["red", "white"]
    assert r.groups is not None
    assert r.groups.tolist() == ["T1", "T2"]


# ------------------------------------------------------------------------------------ wide


@pytest.mark.parametrize(
    "header",
    [
        "rank1,rank2,rank3",
        "1st,2nd,3rd",
        "First,Second,Third",
        "Place 1,Place 2,Place 3",
        "pos_1,pos_2,pos_3",
        "What first? [1st choice],What first? [2nd choice],What first? [3rd choice]",
    ],
)
def test_names_of_ranks(write: Write, header: str) -> None:
    r = read_rankings(write(f"voter,{header}\n1,a,b,c\n2,b, ,\n"))
    assert r.to_lists() == [["a", "b", "c"], ["b"]]
    told = "1 of 2 rankings leave items out: taken as absent"
    assert str(r.columns) == f"{header.replace(',', ', ')} (items, best first); not used: voter; {told}"


def test_what_a_short_ballot_leaves_out(write: Write) -> None:
    file = write("vote,count\na > b = c,2\nb,3\nc > a,1\n")
    assert "; 4 of 6 rankings leave items out: taken as absent" in str(read_rankings(file).columns)
    r = read_rankings(file, unranked="last")
    assert r.to_lists() == [["a", ("b", "c")], ["b", ("a", "c")], ["c", "a", "b"]]
    assert r.rest is not None
    assert r.rest.tolist() == [False, True, True]
    assert "leave items out: behind the others, in no order" in str(r.columns)
    with pytest.raises(ValueError, match="unranked is 'absent' or 'last', not 'first'"):
        read_rankings(file, unranked="first")  # type: ignore[arg-type]


def test_blank_scores_are_told(write: Write) -> None:
    file = write("well,shed,fence\n1,2,\n3,1,2\n")
    r = read_rankings(file, kind="scores", higher_is_better=False)
    assert str(r.columns) == "well, shed, fence (scores); 1 of 2 rankings leave items out: taken as absent"


def test_what_describes_a_ranking(write: Write) -> None:
    text = "rank1,rank2,count,day,judge,w\na,b,3,2021-05-01,x,2\nb,a,1,2022-05-01,y,1\n"
    r = read_rankings(write(text), time="day", group="judge", weight="w")
    assert (r.count.tolist(), r.weight.tolist()) == ([3, 1], [2, 1])
    assert r.groups is not None
    assert r.time is not None
    assert r.groups.tolist() == ["x", "y"]
    assert r.time.dtype.kind == "M"
    late = read_rankings(write(text), time="day", since=2022)
    assert late.to_lists() == [["b", "a"]]
    assert "1 of 2 rows before 2022-01-01" in str(late.columns)
    assert read_rankings(write(text), where="w > 1").to_lists() == [["a", "b"]]
    once = read_rankings(write("rank1,rank2,voter\na,b,1\nb,a,1\na,b,2\n"), dedup="voter")
    assert once.to_lists() == [["a", "b"], ["a", "b"]]


def test_numbers_name_items() -> None:
    frame = pd.DataFrame({"rank1": [3, 1], "rank2": [1.0, np.nan]})
    assert read_rankings(frame).to_lists() == [[3, 1], [1]]


# ------------------------------------------------------------------------------------ long


def test_races(write: Write) -> None:
    r = read_rankings(write(RACES))
    assert r.to_lists() == [["ann", ("bob", "cat")], ["dan", "bob", ("ann", "cat")]]
    assert r.rest is not None
    assert r.rest.tolist() == [False, True]
    assert "place; 2 without a place (DNF, retired): behind all others, in no order" in str(r.columns)
    dropped = read_rankings(write(RACES), dnf="drop")
    assert dropped.to_lists() == [["ann", ("bob", "cat")], ["dan", "bob"]]
    assert "(DNF, retired): left out" in str(dropped.columns)


def test_a_ballot_may_need_several_columns(write: Write) -> None:
    text = "season,race,horse,finish\n1,1,a,1\n1,1,b,2\n2,1,b,1\n2,1,a,2\n"
    assert read_rankings(write(text), ballot=["season", "race"]).to_lists() == [["a", "b"], ["b", "a"]]
    with pytest.raises(ValueError, match="item 'a' is twice in ranking 1"):
        read_rankings(write(text))


def test_all_rows_of_a_ballot_have_one_weight(write: Write) -> None:
    text = "race,horse,place,weight\n1,a,1,2\n1,b,2,2\n2,a,1,1\n2,b,2,3\n"
    with pytest.raises(ValueError, match="column 'weight' has different values in the rows of ranking 2"):
        read_rankings(write(text))
    assert read_rankings(write(text.replace(",3\n", ",1\n"))).weight.tolist() == [2, 1]


# ------------------------------------------------------------------------------------ choices


@pytest.mark.parametrize(
    "text",
    [
        "chosen,alternatives\ntea,milk; tea ;wine\nmilk,milk;wine\n",
        "choice,options\ntea,milk|tea|wine\nmilk,milk|wine\n",
        "chosen,alt1,alt2,alt3\ntea,milk,tea,wine\nmilk,milk,wine,\n",
    ],
)
def test_choices(write: Write, text: str) -> None:
    r = read_rankings(write(text))
    expected = Rankings.from_choices(["tea", "milk"], [["milk", "tea", "wine"], ["milk", "wine"]])
    assert r == expected


def test_numbers_that_a_frame_has_read() -> None:
    frame = pd.DataFrame({"chosen": [1, 2], "alternatives": ["1;2", "3;2"]})
    assert read_rankings(frame).to_lists() == [["1", "2"], ["2", "3"]]


def test_alternatives_as_lists() -> None:
    frame = pd.DataFrame({"chosen": ["a", "b"], "menu": [["a", "b"], ["c", "b", "a"]]})
    assert read_rankings(frame).to_lists() == [["a", "b"], ["b", ("c", "a")]]


# ------------------------------------------------------------------------------------ PrefLib


NEW = """# FILE NAME: 00001-00000001.toi
# NUMBER ALTERNATIVES: 3
# ALTERNATIVE NAME 1: Ann > Bob
# ALTERNATIVE NAME 2: Cat, the
# ALTERNATIVE NAME 3: Dan
5: 1,{2,3}
2: 3,1
"""
OLD = "3\n1,Ann > Bob\n2,Cat, the\n3,Dan\n7,7,2\n5,1,{2,3}\n2,3,1\n"


@pytest.mark.parametrize("name", ["x.toi", "x.toc", "x.soi", "x.soc"])
@pytest.mark.parametrize("text", [NEW, OLD])
def test_preflib(write: Write, text: str, name: str) -> None:
    r = read_rankings(write(text, name))
    assert r.to_lists() == [["Ann > Bob", ("Cat, the", "Dan")], ["Dan", "Ann > Bob"]]
    assert r.count.tolist() == [5, 2]


def test_pairs_are_not_read_from_preflib(write: Write) -> None:
    with pytest.raises(ValueError, match="has rankings; podium"):
        read_comparisons(write(NEW, "x.toc"))


def test_other_files(write: Write, tmp_path: Path) -> None:
    packed = tmp_path / "x.toc.gz"
    packed.write_bytes(gzip.compress(NEW.encode()))
    assert read_rankings(packed).count.tolist() == [5, 2]
    lines = '{"chosen": "a", "options": ["a", "b"]}\n{"chosen": "b", "options": ["b", "c"]}\n'
    assert read_rankings(write(lines, "x.jsonl")).to_lists() == [["a", "b"], ["b", "c"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NEW + "1: 4\n", "line 8 of .* has '4', and no alternative has this number"),
        (NEW + "1: {1,{2}}\n", "line 8 of .* which is no count and order"),
        (NEW + "one: 1\n", "line 8 of .* which is no count and order"),
        (NEW + "1: 2,2\n", "'Cat, the' is twice in ranking 3 .* line 8$"),
        (NEW.replace("Dan", "Ann > Bob"), "two alternatives called 'Ann > Bob'"),
        ("rank1,rank2\na,b\n", "does not name its alternatives"),
    ],
)
def test_errors_of_preflib(write: Write, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_rankings(write(text, "x.toi"))


# ------------------------------------------------------------------------------------ errors and bad rows


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("x,y\n1,2\n", {}, "no columns are known to hold rankings"),
        ("race,driver,team,place\n", {}, "the item could be driver or team; choose with item="),
        ("driver,place\n", {}, r"no column is known to hold the ballot .* ballot="),
        (
            "rank1,rank2,1st place,2nd place\n",
            {},
            "rank1/rank2 or 1st place/2nd place; choose with ranks=",
        ),
        ("rank1,rank2,horse,place,race\n", {}, "could be read as kind='wide' or kind='long'"),
        ("rank1,rank2\n", {"ranks": ["rank1", "rank3"]}, "there is no column 'rank3'"),
        ("rank1,rank2\n", {}, "no rows to read"),
        ("rank1,rank2\na,b\n", {"kind": "tall"}, "kind is None, 'wide', .* or 'choices', not 'tall'"),
        ("rank1,rank2\na,b\n", {"dnf": "first"}, "dnf is 'last' or 'drop', not 'first'"),
        ("a,b\n1,2\n", {"ranks": ["a"], "ranking": "b"}, "ranks= and ranking= are for different kinds"),
        (
            "rank1,rank2\na,b\n",
            {"kind": "long", "ranks": ["rank1"]},
            "ranks= and kind='long' are",
        ),
        (
            "rank1,rank2\na,b\n",
            {"dnf": "drop"},
            "dnf='drop' is for .* and this one is 'wide'",
        ),
        ("rank1,rank2\na,b\n", {"separator": ";"}, "separator= is for tables of kind='choices'"),
        ("rank1,rank2\na,b\n", {"higher_is_better": False}, "higher_is_better=False is for"),
        ("rank1,rank2\na,b\n", {"dates": "dmy"}, "name their column with time="),
        ("rank1,rank2\na,b\n,a\n", {}, r"row 2 \(line 3 of '.*'\) has a gap .* 1 of 2 rows$"),
        ("rank1,rank2\na,b\n , \n", {"kind": "wide"}, "row 2 .* has no item at all"),
        (
            "ranking\na > b\na >> b\n",
            {},
            "row 2 .* has no ranking such as .* in 'ranking': 'a >> b'",
        ),
        ("ranking\na b\n", {}, "column 'ranking' has no '>' in any cell.*comparisons are named with left="),
        ("race,car,place\n1,a,1\n1,b,soon\n", {}, "row 2 .* has no place in 'place': 'soon'"),
        ("race,car,place\n1,a,DNF\n", {"dnf": "drop"}, "no item has a place"),
        (
            "chosen,alternatives\na,a;b\nb,a;c\n",
            {},
            "item 'b', chosen at row 2 .* is not among .* 1 of 2 rows$",
        ),
        (
            "chosen,alternatives\na,a;b,c\n".replace("a;b,c", '"a;b,c"'),
            {},
            "separator= .* ';', ',' all occur",
        ),
        ("x,y\n1,2\n3,high\n", {"kind": "scores"}, "row 2 .* has no number in 'y': 'high'"),
    ],
)
def test_errors(write: Write, text: str, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_rankings(write(text), **options)


@pytest.mark.parametrize(
    ("text", "skipped", "left"),
    [
        ("rank1,rank2\na,b\n,a\nb,b\nb,a\na,c\n", ["a gap", "an item twice"], 3),
        ("race,car,place\n1,a,1\n1,b,2\n1,a,3\n1,c,soon\n2,a,1\n", ["an item twice", "no place"], 2),
        ("ranking\na>b\nb>\na>a\nb>a\n", ["no ranking", "an item twice"], 2),
        ("chosen,alternatives\na,a;b\nb,a;c\nb,b;a\n", ["a chosen item that is not among"], 2),
        ("rank1,rank2,weight\na,b,1\nb,a,-2\na,c,1\n", ["no positive number in 'weight'"], 2),
    ],
)
def test_bad_rows_are_skipped(write: Write, text: str, skipped: list[str], left: int) -> None:
    with pytest.warns(UserWarning, match="cannot be read"):
        r = read_rankings(write(text), bad_rows="skip")
    assert len(r) == left
    reasons = [reason for _, reason in r.skipped]
    assert len(reasons) == len(skipped)
    assert all(any(reason.startswith(wanted) for reason in reasons) for wanted in skipped)
    with pytest.raises(ValueError, match="bad_rows='skip' leaves out"):
        read_rankings(write(text))


@pytest.mark.parametrize(
    "text",
    [
        "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 1: b\n# ALTERNATIVE NAME 2: c\n3: 1,2\n",
        "3\n1,a\n1,b\n2,c\n3,3,1\n3,1,2\n",
    ],
)
def test_a_number_of_two_alternatives_is_refused(write: Write, text: str) -> None:
    with pytest.raises(ValueError, match="gives number 1 to two alternatives"):
        read_rankings(write(text, "x.soc"))


def test_a_preflib_file_in_utf_16(tmp_path: Path) -> None:
    text = "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n3: 1,2\n"
    (tmp_path / "x.soc").write_bytes(text.encode("utf-16"))
    assert list(read_rankings(tmp_path / "x.soc").items) == ["a", "b"]


def test_a_preflib_file_has_no_labelled_rows(write: Write) -> None:
    with pytest.raises(ValueError, match=r"has rankings, not labelled rows; podium.read_rankings reads it"):
        read_rows(write("# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n3: 1,2\n", "x.soc"))
