from typing import Any

import numpy as np
import pytest

from podium.comparisons.outcomes import SideLabels, parse_outcomes
from podium.options import OutcomeFormat

UNDERSTOOD: list[tuple[list[Any], list[int], dict[str, Any]]] = [
    (["left", "right", "tie"], [-1, 1, 0], {}),
    (["A", "b", "Tie", "draw"], [-1, 1, 0, 0], {}),
    (["model_a", "model_b", "tie", "tie (bothbad)"], [-1, 1, 0, 0], {}),
    (["white", "black", "draw"], [-1, 1, 0], {}),
    (["WIN", "loss", "Draw"], [-1, 1, 0], {}),
    (["1-0", "0-1", "1/2-1/2", "½-½", "0.5-0.5", "½ – ½", "1 - 0"], [-1, 1, 0, 0, 0, 0, -1], {}),
    ([1, 0.5, 0], [-1, 0, 1], {}),
    (["1", "1/2", "½", "0", "0.50"], [-1, 0, 0, 1, 0], {}),
    ([-1, 0, 1], [-1, 0, 1], {}),
    (["-1", "0", "+1", "1.0"], [-1, 0, 1, 1], {}),
    ([-1.0, 1.0], [-1, 1], {}),
    ([-0.0, -1.0], [0, -1], {}),
    ([1, 0], [-1, 1], {"outcome_format": "score"}),
    ([1, 0], [1, 0], {"outcome_format": "sign"}),
    ([True, False], [-1, 1], {"outcome_format": "score"}),
    (["true", "FALSE"], [-1, 1], {"outcome_format": "score"}),
    (["H", "A", "D"], [-1, 1, 0], {"side_names": ("home", "away")}),
    (["home_team", "away_team"], [-1, 1], {"side_names": ("home_team", "away_team")}),
    (["W", "B"], [-1, 1], {"side_names": ("white", "black")}),
    (["a", "tie"], [-1, 0], {"outcome_format": "winner"}),
    (["a", "No preference", "can't tell", "can’t tell", "cannot tell"], [-1, 0, 0, 0, 0], {}),
    (["1:0", "lose", "win"][:1], [-1], {}),
    (["win", "lose"], [-1, 1], {}),
    (["home", "away"], [1, -1], {"side_names": ("away", "home")}),
    (["1-0", "0-1"], [-1, 1], {"side_names": ("black", "white"), "outcome_format": "score"}),
    (["2-1", "1-0"], [-1, -1], {}),
    (["3:1", "2–2", "0 : 4", "98-102"], [-1, 0, 1, 1], {}),
    (["5½-2½", "4,5-3,5", "4-4"], [-1, -1, 0], {}),
    (["1", "0,5", "0"], [-1, 0, 1], {}),
    (["6-4 3-6 7-5", "4-6, 6-7 (5)", "7:6(3) 6:1"], [-1, 1, -1], {}),
    (["6-4 6-2"] * 8, [-1] * 8, {"outcome_format": "score"}),
    (["3:1", "1:2"], [-1, 1], {"side_names": ("away", "home"), "outcome_format": "score"}),
    ([], [], {}),
]


@pytest.mark.parametrize(("values", "signs", "options"), UNDERSTOOD)
def test_understood(values: list[Any], signs: list[int], options: dict[str, Any]) -> None:
    assert parse_outcomes(values, **options).tolist() == signs
    assert parse_outcomes(np.array(values, dtype=object), **options).dtype == np.int8


REFUSED: list[tuple[list[Any], OutcomeFormat | None, str]] = [
    ([0, 1], None, "outcome_format"),
    ([1, 1], None, "outcome_format"),
    ([0], None, "outcome_format"),
    ([True, False], None, "outcome True at row 1"),
    ([True, False], "sign", "outcome True at row 1"),
    ([0.5000001], "score", r"0\.5000001 at row 1"),
    ([0.9999999], "score", r"0\.9999999 at row 1"),
    (["0 1", "1 0"], "score", "'0 1' at row 1"),
    (["1_0"], "score", "'1_0' at row 1"),
    (["1", "0"], None, "outcome_format"),
    ([0.5, -1], None, r"outcome -1\.0 at row 2"),
    (["left", "rihgt", "tie"], None, "'rihgt' at row 2"),
    (["Left", "black"], None, "'black' at row 2"),
    (["won", "lost", "drawn", "Win"], None, "'Win' at row 4"),
    ([["left"]], None, "holds list"),
    (["6-4 3-6", "6-4 6-4"], None, "'6-4 3-6' at row 1"),
    (["6-4 6-2", "6-4 2-1 ret."], None, "'6-4 2-1 ret.' at row 2"),
    (["6-4 6-2"] * 8, None, "may list the winner first"),
    (["1-0", "*"], None, r"no outcome at row 2 \(counting from 1\) \('\*'\)"),
    (["2:1 (1:0)"], None, r"'2:1 \(1:0\)' at row 1"),
    (["0,1"], None, "'0,1' at row 1"),
    ([1, 2, 0], None, "outcome 2 at row 2"),
    ([0.7], "score", r"outcome 0\.7 at row 1"),
    ([0.5], "sign", r"outcome 0\.5 at row 1"),
    (["x"], "winner", "'x' at row 1"),
    ([1.0, float("nan")], None, "no outcome at row 2"),
    (["left", None], None, "no outcome at row 2"),
    (["left", " "], None, "no outcome at row 2"),
    (["left", "nan"], None, "no outcome at row 2"),
    ([float("inf")], None, "outcome inf at row 1"),
    (["left", 1], None, "mixes types"),
    (["l" * 10**6], None, r"'lll\w*\.\.\.\w*' at row 1"),
]


@pytest.mark.parametrize(("values", "outcome_format", "message"), REFUSED)
def test_refused(values: list[Any], outcome_format: OutcomeFormat | None, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        parse_outcomes(values, outcome_format)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_word_with_two_meanings_is_refused() -> None:
    # l is an initial of left, and of loss next to win
    with pytest.raises(ValueError, match=r"'l' at row 1 .* could mean"):
        parse_outcomes(["l", "d"], side_names=("left", "right"))
    assert parse_outcomes(["w", "l", "d"], side_names=("left", "right")).tolist() == [-1, 1, 0]


def test_unknown_format() -> None:
    with pytest.raises(ValueError, match="outcome_format is"):
        parse_outcomes([1], "points")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("names", "cell"),
    [
        (("away_team", "home_team"), "home"),
        (("model_b", "model_a"), "a"),
        (("model_b", "model_a"), "model_a"),
        (("black_player", "white_player"), "White"),
        (("right_item", "left_item"), "left"),
        (("visitor", "home"), "home"),
    ],
)
def test_words_follow_the_columns_they_name(names: tuple[str, str], cell: str) -> None:
    assert parse_outcomes([cell], side_names=names).tolist() == [1]
    assert parse_outcomes([cell], side_names=(names[1], names[0])).tolist() == [-1]


def test_labels_that_differ_in_blanks() -> None:
    labels = SideLabels(np.array([" x", "x"], dtype=object), np.array([0, 1]), np.array([1, 0]))
    assert parse_outcomes([" x", "x"], side_labels=labels).tolist() == [-1, -1]


def test_scores_listed_from_the_other_side_are_refused() -> None:
    # 1-0 names White first, but White is on the right here
    for names in (("black", "white"), ("black_player", "white_player"), ("model_b", "model_a")):
        with pytest.raises(ValueError, match=r"ambiguous.*outcome_format='score'"):
            parse_outcomes(["1-0", "0-1"], side_names=names)


def test_a_score_may_list_home_first() -> None:
    with pytest.raises(ValueError, match="outcome_format='score'"):
        parse_outcomes(["3:1"], side_names=("away", "home"))


LABELS = SideLabels(np.array(["ann", "bob", "tie"], dtype=object), np.array([0, 1]), np.array([1, 2]))


def test_winner_by_label() -> None:
    assert parse_outcomes(["bob", "bob"], side_labels=LABELS).tolist() == [1, -1]
    assert parse_outcomes(["draw", "bob"], "winner", side_labels=LABELS).tolist() == [0, -1]
    numbers = SideLabels(np.array([3, 5]), np.array([0, 1]), np.array([1, 0]))
    assert parse_outcomes([3.0, 3.0], side_labels=numbers).tolist() == [-1, 1]


def test_a_winner_who_did_not_play() -> None:
    with pytest.raises(ValueError, match="'ann' at row 2"):
        parse_outcomes(["ann", "ann"], side_labels=LABELS)
    with pytest.raises(ValueError, match="'zed' at row 2"):
        parse_outcomes(["ann", "zed"], side_labels=LABELS)


def test_an_item_called_tie_is_ambiguous_when_it_wins() -> None:
    with pytest.raises(ValueError, match=r"'tie' at row 2 .* could mean no difference or the right side"):
        parse_outcomes(["ann", "tie"], side_labels=LABELS)
    with pytest.raises(ValueError, match="rename the items"):
        parse_outcomes(["ann", "tie"], "winner", side_labels=LABELS)
