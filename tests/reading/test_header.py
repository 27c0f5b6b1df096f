"""The use of each column is decided once and can be inspected."""

import pickle
import time
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import read_comparisons
from podium.comparisons.summary import Columns
from podium.reading.features import read_rows
from podium.reading.header import find_columns

OFFERS = pd.DataFrame(
    {
        "left_id": [1, 2],
        "right_id": [2, 3],
        "left_name": ["a", "b"],
        "right_name": ["b", "c"],
        "left_len": [10.0, 20.0],
        "right_len": [20.0, 30.0],
        "left_score": [1, 0],
        "right_score": [0, 1],
        "weight": [2, 1],
    }
)
BY_ID: dict[str, Any] = {"left": "left_id", "right": "right_id"}


def test_names_and_scores_are_no_features() -> None:
    for options in ({}, BY_ID, {"outcome": False}):
        c = read_comparisons(OFFERS, features=True, **options)
        assert c.feature_names == ("len",)
        assert c.columns is not None
        assert {"left_id", "right_id", "left_name", "right_name"} <= set(c.columns.unused)
    chosen = read_comparisons(OFFERS, features=["len", "id"])
    assert chosen.feature_names == ("len", "id")


def test_sides_that_were_named_are_no_features() -> None:
    table = OFFERS.drop(columns=["left_name", "right_name", "left_id", "right_id"])
    table = table.assign(left_alias=[1, 2], right_alias=[2, 3])
    c = read_comparisons(table, left="left_alias", right="right_alias", features=True)
    assert c.feature_names == ("len",)


def test_features_are_said_to_be_unused_where_names_are_ranked() -> None:
    c = read_comparisons(OFFERS, **BY_ID)
    assert c.features is None
    assert c.columns == Columns(
        ("left_id",),
        ("right_id",),
        ("left_score", "right_score"),
        weight="weight",
        unused=("left_name", "right_name", "left_len", "right_len"),
    )
    assert str(c.columns) == (
        "left_id and right_id (sides), left_score and right_score (score), weight (weight); "
        "not used: left_name, right_name, left_len, right_len"
    )
    assert pickle.loads(pickle.dumps(c[:1])).columns == c.columns
    assert c == read_comparisons(OFFERS[[*BY_ID.values(), "left_score", "right_score", "weight"]])


def test_the_summary_names_every_column() -> None:
    games = pd.DataFrame({"winner": ["a"], "loser": ["b"], "day": [1], "judge": ["x"]})
    items = pd.DataFrame({"id": ["a", "b"], "size": [1, 2]})
    c = read_comparisons(games, time="day", group="judge", items=items)
    assert str(c.columns) == (
        "winner and loser (sides, the left one is better), table of items (features size), "
        "judge (group), day (time)"
    )
    teams = pd.DataFrame({"a1": ["a"], "a2": ["b"], "b1": ["c"], "b2": ["d"], "y": [0.5]})
    c = read_comparisons(teams, left=["a1", "a2"], right=["b1", "b2"])
    assert str(c.columns) == "a1, a2 and b1, b2 (sides), y (outcome)"
    rows = read_rows(pd.DataFrame({"qid": [1, 1], "a": [1, 2], "b": [1, 2], "grade": [1, 2]}), features=["a"])
    assert str(rows.columns) == "grade (label), qid (query), a (features); not used: b"


def test_it_is_not_guessed_which_side_the_left_features_describe() -> None:
    """Nothing says that the winner, or white, is the side that left_len describes."""
    features = OFFERS[["left_len", "right_len"]]
    for more in ({"winner": ["x", "y"], "loser": ["y", "x"]}, {"white_score": [1, 2], "black_score": [0, 3]}):
        with pytest.raises(ValueError, match="outcome"):
            read_comparisons(features.assign(**more), features=True)


def test_a_feature_of_one_side_beside_names_is_an_error() -> None:
    with pytest.raises(ValueError, match="column 'left_cost' has no partner 'right_cost'"):
        read_comparisons(OFFERS.assign(left_cost=1), features=True)


def spelled_alike(*words: str, n: int = 5_000) -> list[str]:
    """Other column names that consist of the same words."""
    return ["".join(marks).join(words) for marks in islice(product("_-. ", repeat=7), n)]


WIDE = [f"{side}_{k}" for side in ("left", "right") for k in range(10_000)]


def test_a_wide_header_takes_linear_time() -> None:
    alike = spelled_alike("left", "id") + spelled_alike("right", "id")
    start = time.process_time()
    for header in ([*WIDE, "y"], [*WIDE, *alike, "y"]):
        columns = find_columns(header, Columns(), described=True)
        assert len(columns.features) == 10_000
        find_columns(header, Columns(features=columns.features))
    assert time.process_time() - start < 5  # a list searched for every column takes minutes


WRONG: list[tuple[list[str], dict[str, Any]]] = [
    ([f"c{k}" for k in range(20_000)], {}),
    ([*WIDE, "y"], {"left": "nobody", "right": "left_1"}),
    ([*WIDE, "left_lonely", "y"], {}),
    (["left", "right", *spelled_alike("y", "")], {}),
    (spelled_alike("left", "") + spelled_alike("right", ""), {}),
    ([f"{'long' * 1_000}{k}" for k in range(20)], {}),
    (["left", "right", "y", "x\x1b[31m"], {"weight": "w\x1b[31m"}),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_errors_of_a_wide_file_are_short(case: int) -> None:
    header, options = WRONG[case]
    frame = pd.DataFrame(np.zeros((1, len(header)), dtype=int), columns=header)
    with pytest.raises(ValueError, match=r"column|could be") as caught:
        read_comparisons(frame, **options)
    assert len(str(caught.value)) < 800
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"features": ["none"]}, "there is no column 'none'"),
        ({"label": "none"}, "there is no column 'none'"),
        ({}, "which column holds the label is not clear"),
    ],
)
def test_errors_of_wide_rows_are_short(options: dict[str, Any], said: str) -> None:
    frame = pd.DataFrame(np.zeros((1, 20_000), dtype=int), columns=[f"c{k}" for k in range(20_000)])
    with pytest.raises(ValueError, match=said) as caught:
        read_rows(frame if not options.get("features") else frame.assign(y=1), **options)
    assert len(str(caught.value)) < 300
