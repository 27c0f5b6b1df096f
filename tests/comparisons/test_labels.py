"""Names match whether they are text in a file or integers in a frame."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, Comparisons, Elo, Glicko, read_comparisons
from podium.comparisons.labels import find_labels

ROWS = [("1", "2"), ("2", "10"), ("10", "1"), ("2", "1")]
Source = Callable[[list[tuple[str, str]], Path], Comparisons]


def from_file(rows: list[tuple[str, str]], folder: Path) -> Comparisons:
    table = pd.DataFrame(rows, columns=["left", "right"]).assign(outcome="left")
    table.to_csv(folder / "games.csv", index=False)
    return read_comparisons(folder / "games.csv")


def from_frame(rows: list[tuple[str, str]], folder: Path) -> Comparisons:
    table = pd.DataFrame(rows, columns=["left", "right"]).astype(int).assign(outcome="left")
    return read_comparisons(table)


BOTH_WAYS = pytest.mark.parametrize(
    ("fitted", "asked"), [(from_file, from_frame), (from_frame, from_file), (from_file, from_file)]
)


@BOTH_WAYS
@pytest.mark.parametrize("model", [BradleyTerry(prior=1.0), Elo(), Glicko()], ids=lambda m: type(m).__name__)
def test_a_model_knows_its_items_again(model: Any, fitted: Source, asked: Source, tmp_path: Path) -> None:
    model.fit(fitted(ROWS, tmp_path))
    np.testing.assert_array_equal(
        model.predict_proba(asked(ROWS[:2], tmp_path)), model.predict_proba(fitted(ROWS[:2], tmp_path))
    )


def test_another_name_in_the_file_changes_nothing(tmp_path: Path) -> None:
    model = BradleyTerry(prior=1.0).fit(from_file(ROWS, tmp_path))
    known = model.predict_proba(from_file(ROWS, tmp_path))
    with pytest.raises(ValueError, match="the item 'X9' was not seen in fit"):
        model.predict_proba(from_file([*ROWS, ("1", "X9")], tmp_path))
    both = from_file([*ROWS, ("1", "X9")], tmp_path)
    np.testing.assert_array_equal(model.predict_proba(both[:4]), known)


@BOTH_WAYS
def test_items_are_asked_for_by_either(fitted: Source, asked: Source, tmp_path: Path) -> None:
    model = BradleyTerry(prior=1.0).fit(fitted(ROWS, tmp_path))
    asked_for = [("10", "2"), (10, 2), (np.int64(10), np.str_("2"))]
    assert len({model.compare(*items).difference for items in asked_for}) == 1
    boards = [model.leaderboard(anchor=anchor) for anchor in ("10", 10, (10, 1500.0))]
    assert {board.score.tolist()[0] for board in boards} == {boards[0].score[0]}
    with pytest.raises(ValueError, match="the item '010' was not seen in fit"):
        model.compare("010", "2")
    c = asked(ROWS, tmp_path).with_items(model.items_)
    assert c.items[c.left].astype(str).tolist() == ["1", "2", "10", "2"]


def test_a_stream_goes_on_from_a_frame_to_a_file(tmp_path: Path) -> None:
    new = [("1", "X9"), ("11", "2")]
    one = Elo().fit(from_frame(ROWS, tmp_path)).update(from_file(new, tmp_path))
    other = Elo().fit(from_file(ROWS, tmp_path)).update(from_file(new, tmp_path))
    assert one.items_.tolist() == other.items_.tolist() == ["1", "10", "11", "2", "X9"]
    np.testing.assert_array_equal(one.rating_, other.rating_)
    initial = Elo(initial={1: 2000.0}).fit(from_file(ROWS, tmp_path))
    assert initial.rating_[initial.items_.tolist().index("1")] > 1900


def test_known_labels_of_both_types_are_told_apart() -> None:
    known = np.array([7, "7", 8], dtype=object)
    assert find_labels(known, [7, "7", 8, "8"]).tolist() == [0, 1, 2, -1]


@pytest.mark.parametrize("label", [None, 7.5, ("7",), True, np.nan])
def test_what_is_no_label_is_not_found(label: Any) -> None:
    assert find_labels(np.array(["7", "None", "7.5", "nan"], dtype=object), [label]).tolist() == [-1]


@pytest.mark.parametrize("as_text", [True, False])
def test_a_table_of_items_is_joined_by_either(as_text: bool, tmp_path: Path) -> None:
    items = pd.DataFrame({"id": [10, 2, 1], "size": [3.0, 2.0, 1.0]})
    items.to_csv(tmp_path / "items.csv", index=False)
    source: Any = tmp_path / "items.csv" if as_text else items
    for make in (from_file, from_frame):
        games = make(ROWS, tmp_path).to_frame()[["left", "right"]]
        c = read_comparisons(games, outcome=False, items=source)
        assert c.features[c.left].ravel().tolist() == [1, 2, 3, 2]
