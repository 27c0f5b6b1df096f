"""A table of items is joined by its key; missing and repeated items are refused."""

import io
from pathlib import Path

import pandas as pd
import pytest

from podium import read_comparisons


def table(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype=str)


GAMES = table("left,right,outcome\nb,a,left\na,c,tie\n")
ITEMS = table("item,size,colour,age\nc,5,red,6\na,1,red,2\nb,3,blue,4\nd,7,red,8\n")


def test_rows_are_found_by_the_key(tmp_path: Path) -> None:
    ITEMS.to_csv(tmp_path / "items.csv", index=False)
    for items in (ITEMS, tmp_path / "items.csv"):
        c = read_comparisons(GAMES, items=items, features=["size", "age"])
        assert c.items.tolist() == ["a", "b", "c"]
        assert c.features.tolist() == [[1, 2], [3, 4], [5, 6]]
        assert c.feature_names == ("size", "age")


@pytest.mark.parametrize(
    ("items", "features", "sentence"),
    [
        (ITEMS, None, "column 'colour' has 'red' at row 1"),
        (ITEMS, ["hue"], "no column 'hue'"),
        (ITEMS[["item"]], None, "no column beside its key 'item'"),
        (table("item,x\na,1\nb,2\n"), None, "lacks 1 of the items compared, the first is 'c'"),
        (table("item,x\na,1\nb,2\na,3\n"), None, "item 'a' more than once"),
        (table("who,x\na,1\n"), None, "choose item_key="),
    ],
)
def test_tables_refused(items: pd.DataFrame, features: list[str] | None, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_comparisons(GAMES, items=items, features=features)
