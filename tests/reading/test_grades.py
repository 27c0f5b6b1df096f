"""Grades as people write them, and votes that both sides are bad."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from podium import Comparisons, read_chunks, read_comparisons


def votes(*said: Any, **columns: Any) -> pd.DataFrame:
    n = len(said)
    sides = {"model_a": (["x", "y", "z"] * n)[:n], "model_b": (["y", "z", "x"] * n)[:n]}
    return pd.DataFrame(sides | {"vote": list(said)} | columns)


def grades(*said: Any, **options: Any) -> list[int]:
    c = read_comparisons(votes(*said), outcome="vote", outcome_format="grades", **options)
    assert c.grade is not None
    assert c.outcome is not None
    assert [(k > 0) - (k < 0) for k in c.grade.tolist()] == c.outcome.tolist()
    found: list[int] = c.grade.tolist()
    return found


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((-3, 0, 2, 1), [-3, 0, 2, 1]),
        (("-1", "+2", "0", "1.0"), [-1, 2, 0, 1]),
        (("much better", "better", "about the same", "worse", "much worse"), [-2, -1, 0, 1, 2]),
        (("Slightly better", "tie", "much worse", "no difference"), [-1, 0, 2, 0]),
        (("A is much better", "B is slightly better", "A is better", "equal"), [-3, 1, -2, 0]),
        (("model_b slightly better", "model_a much better than the other"), [1, -2]),
        (("Response B is much better", "Response A is a little better", "both bad"), [2, -1, 0]),
        (("right is worse", "left is significantly worse", "the same"), [-1, 2, 0]),
        (("strongly preferred", "equally good", "somewhat better", "a bit worse"), [-3, 0, -2, 1]),
    ],
)
def test_grades_are_recognised(said: tuple[Any, ...], expected: list[int]) -> None:
    assert grades(*said) == expected


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            ("better", "worse", "way better"),
            "the outcome 'way better' at row 3 .* not understood: a grade is a",
        ),
        (("A is better", "C is better"), "the outcome 'C is better' at row 2 "),
        ((1, -1, 1.5), "the outcome '?1.5'? at row 3 "),
        (("1", "-2", "better"), "the outcome 'better' at row 3 "),
        (("better", None), "no outcome at row 2"),
        ((1, 2, 3, 5), "has no grade below 0, so the left side never wins"),
    ],
)
def test_other_words_are_named_with_their_row(said: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grades(*said)


def test_a_column_of_grades_is_pointed_to_the_option() -> None:
    with pytest.raises(ValueError, match="such as 'A much better' say outcome_format='grades'"):
        read_comparisons(votes("B better", "A much better"), outcome="vote")


def test_bad_rows_are_skipped() -> None:
    with pytest.warns(UserWarning, match="left out"):
        assert grades("better", "much worse", "hm", "tie", bad_rows="skip") == [-1, 2, 0]


def test_columns_say_how_grades_were_read() -> None:
    c = read_comparisons(votes(-2, 1), outcome="vote", outcome_format="grades")
    assert str(c.columns) == "model_a and model_b (sides), vote (grades -2 to 2)"
    again = read_comparisons(
        c.to_frame(), left="left", right="right", outcome="grade", outcome_format="grades", weight="weight"
    )
    assert again == c


def test_arrays_and_features_have_grades_in_words() -> None:
    words = ["much better", "worse", "tie"]
    c = Comparisons.from_arrays(["a", "b", "c"], ["b", "c", "a"], words, outcome_format="grades")
    assert c.grade is not None
    assert c.grade.tolist() == [-2, 1, 0]
    c = Comparisons.from_features(
        [[0.0], [1.0], [2.0]], [[1.0], [2.0], [0.0]], words, outcome_format="grades"
    )
    assert c.grade is not None
    assert c.grade.tolist() == [-2, 1, 0]


def test_chunks_and_counted_rows_have_the_grades_of_the_whole_file(tmp_path: Path) -> None:
    frame = votes("slightly better", "better", "much worse", "tie", "much worse", "better", time=range(6))
    path = tmp_path / "votes.csv"
    frame.to_csv(path, index=False)
    how: Any = {"outcome": "vote", "outcome_format": "grades"}
    whole = read_comparisons(path, **how)
    parts = [k for c in read_chunks(path, rows=2, **how) if c.grade is not None for k in c.grade.tolist()]
    assert parts == whole.grade.tolist() == [-1, -2, 3, 0, 3, -2]  # type: ignore[union-attr]
    frame.drop(columns="time").to_csv(path, index=False)
    counted = read_comparisons(path, counted=True, **how)
    rows = counted.to_frame()[["left", "right", "grade"]].to_numpy().tolist()
    assert sorted(map(tuple, rows)) == sorted(
        zip(frame.model_a, frame.model_b, [-1, -2, 3, 0, 3, -2], strict=True)
    )


# ------------------------------------------------------------------------------------ both bad

SAID = ("model_a", "tie (bothbad)", "tie", "both bad", "model_b")


def test_both_bad_is_a_tie_or_left_out_and_the_columns_say_how_many() -> None:
    tie = read_comparisons(votes(*SAID))
    assert tie.outcome is not None
    assert tie.outcome.tolist() == [-1, 0, 0, 0, 1]
    assert "vote (outcome, 2 both bad count as ties)" in str(tie.columns)
    left = read_comparisons(votes(*SAID), both_bad="drop")
    assert left.outcome is not None
    assert left.outcome.tolist() == [-1, 0, 1]
    assert "vote (outcome, 2 both bad left out)" in str(left.columns)


def test_both_bad_is_dropped_beside_names_and_grades() -> None:
    c = read_comparisons(votes("x", "both bad", "x"), both_bad="drop")
    assert c.outcome is not None
    assert c.outcome.tolist() == [-1, 1]
    assert grades("better", "both bad", "worse", "same", both_bad="drop") == [-1, 1, 0]


def test_both_bad_is_one_of_two_words() -> None:
    with pytest.raises(ValueError, match="both_bad"):
        read_comparisons(votes(*SAID), both_bad="skip")  # type: ignore[arg-type]
