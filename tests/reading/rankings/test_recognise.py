import pandas as pd
import pytest

from podium.reading.files import open_table
from podium.reading.rankings.columns import holds_rankings
from podium.reading.rankings.read import read_rankings

RANKINGS = (
    "race,rank1,rank2,rank3",
    "1st place,2nd place",
    "first,second,third",
    "race,driver,place",
    "driver,place",  # the ballot is still to be named
    "voter_id,candidate,rank,count",
    "ballot",
    "count,ranking",
    "chosen,alternatives",
    "choice,item1,item2,item3",
    "race,driver,place,rank1,rank2",  # of two kinds
)
COMPARISONS = (
    "white,black,result",
    "winner,loser",
    "model_a,model_b,vote",
    "player_1,player_2,rank_1,rank_2,winner",
    "player_1,player_2,rank_1,rank_2",
    "home,away,position,team",
    "first,second,vote",
    "left_x,right_x,outcome",
    "ann,bob,cat",
)


@pytest.mark.parametrize("header", [*RANKINGS, *COMPARISONS])
def test_rankings_are_told_by_the_header(header: str) -> None:
    opened = open_table(pd.DataFrame(columns=header.split(",")))
    assert holds_rankings(opened) == (header in RANKINGS)


@pytest.mark.parametrize(
    ("name", "cells"), [("better", ["ann", "ann"]), ("better", ["tie", "ann"]), ("score", ["2-1", "0:0"])]
)
def test_a_column_that_tells_the_winner_is_asked_about(name: str, cells: list[str]) -> None:
    table = pd.DataFrame({"first": ["ann", "bob"], "second": ["bob", "ann"], name: cells})
    with pytest.raises(ValueError, match=f"say --left first --right second --outcome {name}, or --rankings"):
        holds_rankings(open_table(table))
    assert holds_rankings(open_table(table.assign(third="cat")))
    assert holds_rankings(open_table(table.assign(**{name: ["2008-09", "cat"]})))


def test_an_open_table_is_read_without_opening_it_again() -> None:
    opened = open_table(pd.DataFrame({"vote": ["a > b", "b > a"]}))
    assert open_table(opened) is opened
    assert read_rankings(opened).to_lists() == [["a", "b"], ["b", "a"]]
