from typing import Any

import numpy as np
import pytest

from podium.outcomes import OutcomeFormat, parse_outcomes

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
    ([1, 0], [-1, 1], {"outcome_format": "score"}),
    ([1, 0], [1, 0], {"outcome_format": "sign"}),
    ([True, False], [-1, 1], {"outcome_format": "score"}),
    (["true", "FALSE"], [-1, 1], {"outcome_format": "score"}),
    (["H", "A", "D"], [-1, 1, 0], {"side_names": ("home", "away")}),
    (["home_team", "away_team"], [-1, 1], {"side_names": ("home_team", "away_team")}),
    (["W", "B"], [-1, 1], {"side_names": ("white", "black")}),
    (["a", "tie"], [-1, 0], {"outcome_format": "winner"}),
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
    ([True, False], None, "outcome_format"),
    (["1", "0"], None, "outcome_format"),
    ([0.5, -1], None, "'-1' at row 2|'0.5' at row 1"),
    (["left", "rihgt", "tie"], None, "'rihgt' at row 2"),
    (["left", "black"], None, "row"),
    (["2-1", "1-0"], None, "'2-1' at row 1"),
    ([1, 2, 0], None, "'2' at row 2"),
    ([0.7], "score", "'0.7' at row 1"),
    ([0.5], "sign", "'0.5' at row 1"),
    (["x"], "winner", "'x' at row 1"),
    ([1.0, float("nan")], None, "no outcome at row 2"),
    (["left", None], None, "no outcome at row 2"),
    (["left", " "], None, "no outcome at row 2"),
    (["left", "nan"], None, "no outcome at row 2"),
    ([float("inf")], None, "'inf' at row 1"),
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
    # l is the left side by its initial and a loss by the words win and loss
    with pytest.raises(ValueError, match="'l' could mean"):
        parse_outcomes(["l", "d"], side_names=("left", "right"))
    assert parse_outcomes(["w", "l", "d"], side_names=("left", "right")).tolist() == [-1, 1, 0]


def test_unknown_format() -> None:
    with pytest.raises(ValueError, match="outcome_format is"):
        parse_outcomes([1], "points")  # type: ignore[arg-type]
