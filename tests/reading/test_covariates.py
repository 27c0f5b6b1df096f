"""Columns of covariates, counts and neutral ground."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import Comparisons, read_comparisons

VOTES = pd.DataFrame(
    {
        "model_a": ["x", "y", "x"],
        "model_b": ["y", "z", "z"],
        "winner": ["a", "b", "tie"],
        "length_a": [1, 2, 3],
        "length_b": [2, 2, 9],
        "price": [0.5, 0.0, -1.0],
    }
)
DIFFERENCE = [1.0, 0.0, 6.0]


def sides(left: str, right: str, length_left: str, length_right: str) -> pd.DataFrame:
    names = {"model_a": left, "model_b": right, "length_a": length_left, "length_b": length_right}
    return VOTES.drop(columns="winner").rename(columns=names)


@pytest.mark.parametrize(
    "names",
    [
        ("left", "right", "left_length", "right_length"),
        ("white", "black", "white_length", "black_length"),
        ("player1", "player2", "length_1", "length_2"),
        ("model_a", "model_b", "length_1", "length_2"),
        ("player1", "player2", "first_length", "second_length"),
        ("home", "away", "homeLength", "awayLength"),
        ("a.name", "b.name", "a.length", "b.length"),
        ("vote.model_a", "vote.model_b", "vote.length_a", "vote.length_b"),
        ("vote.a.model", "vote.b.model", "vote.a.usage.length", "vote.b.usage.length"),
        ("winner", "loser", "winner_length", "loser_length"),
        ("chosen", "rejected", "length_chosen", "length_rejected"),
    ],
)
def test_the_columns_of_the_sides_are_found(names: tuple[str, str, str, str]) -> None:
    frame = sides(*names)
    for table in (frame, frame[frame.columns[::-1]]):
        c = read_comparisons(table, outcome=False, covariates=["length"])
        assert (c.columns is not None and c.columns.covariates) == (("length", names[2:]),)
        assert c.to_frame()["length"].tolist() == DIFFERENCE


def test_the_order_is_that_of_the_sides() -> None:
    frame = sides("black", "white", "black_length", "white_length")
    options: dict[str, Any] = {"outcome": False, "covariates": ["length"]}
    c = read_comparisons(frame, left="black", right="white", **options)
    assert c.to_frame()["length"].tolist() == DIFFERENCE
    turned = read_comparisons(frame, left="white", right="black", **options)
    assert turned.to_frame()["length"].tolist() == [-d for d in DIFFERENCE]


@pytest.mark.parametrize(
    ("covariates", "said"),
    [
        (["length"], "length_a and length_b (covariate length, right minus left); not used: price"),
        (["price"], "price (covariate, right minus left); not used: length_a, length_b"),
        (("price", "length"), "price (covariate, right minus left), length_a and length_b (covariate length"),
        ({"words": ("length_a", "length_b")}, "length_a and length_b (covariate words, right minus left)"),
        ({"euros": "price"}, "price (covariate euros, right minus left)"),
        ([], "winner (outcome); not used: length_a, length_b, price"),
    ],
)
def test_columns_say_what_they_were_used_for(covariates: Any, said: str) -> None:
    c = read_comparisons(VOTES, covariates=covariates)
    assert said in str(c.columns)
    assert c.covariate_names == tuple(covariates)


def test_a_text_file_reads_like_a_frame(tmp_path: Path) -> None:
    VOTES.assign(neutral=["yes", "no", "YES"], count=[1, 2, 0.5]).to_csv(tmp_path / "votes.csv", index=False)
    c = read_comparisons(tmp_path / "votes.csv", covariates=["length", "price"], neutral="neutral")
    assert c == Comparisons.from_arrays(
        VOTES["model_a"],
        VOTES["model_b"],
        [-1, 1, 0],
        count=[1, 2, 0.5],
        covariates={"length": DIFFERENCE, "price": [0.5, 0.0, -1.0]},
        neutral=[True, False, True],
    )


def test_covariates_are_not_features() -> None:
    frame = pd.DataFrame(
        {
            "left_x": [1, 2],
            "right_x": [2, 3],
            "left_length": [1, 2],
            "right_length": [5, 5],
            "winner": ["left", "right"],
        }
    )
    c = read_comparisons(frame, covariates=["length"])
    assert c.feature_names == ("x",)
    assert c.to_frame()["length"].tolist() == [4, 3]


@pytest.mark.parametrize(
    ("covariates", "said"),
    [
        (
            ["width"],
            r"no column pair for covariate 'width'; give {'width': \(left column, right column\)}; the col",
        ),
        ({"width": ("width_a", "length_b")}, "there is no column 'width_a'; the columns are 'model_a'"),
        ("length", r"covariates= takes a list of names, such as \['length'\]"),
        (["length", "length"], "covariates= takes different names, or a mapping to columns"),
        (3, "covariates= takes different names, or a mapping to columns, not 3"),
        ({"length": 3}, "covariates= has 3 for 'length'; give the columns of the two sides, left first"),
        ({"length": ("length_a", "length_b", "price")}, "covariates= has .* for 'length'"),
    ],
)
def test_what_cannot_be_found_is_one_sentence(covariates: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        read_comparisons(VOTES, covariates=covariates)
    assert "\n" not in str(caught.value)


def test_two_pairs_of_columns_are_asked_about() -> None:
    frame = VOTES.assign(a_length=[1, 2, 3], b_length=[3, 2, 1])
    with pytest.raises(
        ValueError, match="covariate 'length' could be length_a/length_b or a_length/b_length; give"
    ):
        read_comparisons(frame, covariates=["length"])


@pytest.mark.parametrize(
    ("cells", "said"),
    [([1, None, 2], "column 'price' is missing at row 2"), (["1", "dear", "2"], "has 'dear' at row 2")],
)
def test_bad_covariates_are_bad_rows(cells: list[Any], said: str) -> None:
    frame = VOTES.assign(price=cells)
    with pytest.raises(
        ValueError, match=f"{said}.*bad_rows='skip' leaves out what cannot be read, 1 of 3 rows"
    ):
        read_comparisons(frame, covariates=["price"])
    with pytest.warns(UserWarning, match="in 'price'"):
        c = read_comparisons(frame, covariates=["price"], bad_rows="skip")
    assert (c.to_frame()["price"].tolist(), [line for line, _ in c.skipped]) == ([1, 2], [2])


@pytest.mark.parametrize(
    "cells",
    [
        [True, False, True],
        [1, 0, 1],
        [1.0, 0.0, 1.0],
        ["true", "FALSE", " True "],
        ["1", "0", "1"],
        ["yes", "no", "Yes"],
        ["y", "n", "Y"],
        ["t", "f", "T"],
        ["neutral", "home", "Neutral"],
        ["N", "H", "N"],
        pd.Categorical(["yes", "no", "yes"]),
    ],
)
def test_neutral_ground_as_people_write_it(cells: Any) -> None:
    c = read_comparisons(VOTES.assign(place=cells), neutral="place")
    assert c.neutral is not None
    assert c.neutral.tolist() == [True, False, True]
    assert "place (neutral ground)" in str(c.columns)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["yes", "maybe", "no"], "column 'place' has 'maybe' at row 2 .* where true or false should be"),
        (["neutral", "home", "away"], "column 'place' has 'away' at row 3"),
        ([0, 1, 2], "column 'place' has 2 at row 3"),
        ([True, None, False], "column 'place' is missing at row 2"),
        (["yes", "", "no"], "column 'place' is missing at row 2"),
        (["N", "N", "N"], "column 'place' has 'N' at row 1 .*, which could mean no or neutral"),
        (["N", "yes", "home"], "column 'place' has 'N' at row 1|'home' at row 3"),
    ],
)
def test_other_words_are_no_truth_values(cells: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_comparisons(VOTES.assign(place=cells), neutral="place")


def test_rows_without_a_truth_value_can_be_skipped() -> None:
    frame = VOTES.assign(place=["yes", "maybe", "no"])
    with pytest.warns(UserWarning, match="no truth value in 'place'"):
        c = read_comparisons(frame, neutral="place", bad_rows="skip")
    assert c.neutral is not None
    assert (c.neutral.tolist(), c.skipped) == ([True, False], ((2, "no truth value in 'place': 'maybe'"),))


def test_a_column_called_count_is_used() -> None:
    frame = VOTES.assign(count=[2, 1, 0.5], n=[3, 4, 5])
    assert read_comparisons(frame).count.tolist() == [2, 1, 0.5]
    assert read_comparisons(frame, count="n").count.tolist() == [3, 4, 5]
    assert (read_comparisons(frame, outcome=("length_a", "count")).count == 1).all()
    with pytest.raises(ValueError, match=r"the count 0\.0 at row 1"):
        read_comparisons(frame.assign(count=[0, 1, 1]))


def test_wins_are_the_counts() -> None:
    frame = pd.DataFrame(
        {"player1": ["a"], "player2": ["b"], "win1": [3], "win2": [1], "count": [4], "weight": [2]}
    )
    c = read_comparisons(frame)
    assert (c.count.tolist(), c.weight.tolist()) == ([3, 1], [2, 2])
    assert c.columns is not None
    assert c.columns.unused == ("count",)
    np.testing.assert_array_equal(read_comparisons(frame, wins="count").count, [4])
    with pytest.raises(ValueError, match="wins= counts the observations of a pair, and so does count="):
        read_comparisons(frame, wins=("win1", "win2"), count="count")


@pytest.mark.parametrize("sides", [("white", "black"), ("winner", "loser")])
def test_sides_with_names_of_their_own_have_no_first_place(sides: tuple[str, str]) -> None:
    games = pd.DataFrame({sides[0]: ["x"], sides[1]: ["y"], "length_1": [1], "length_2": [2]})
    with pytest.raises(ValueError, match="no column pair for covariate 'length'"):
        read_comparisons(games, outcome=False, covariates=["length"])
