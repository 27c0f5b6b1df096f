import copy
import csv
import errno
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.leaderboard.board import COLUMNS, NO_RANK
from podium.leaderboard.leaderboard import Leaderboard
from tests.leaderboard.boards import HOSTILE, board

RANGES = ("rank_low", "rank_high")
SUFFIXES = (".csv", ".json", ".parquet", ".md")


@st.composite
def boards(draw: Any) -> Leaderboard:
    labels = st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
        st.integers(-(2**63), 2**63 - 1),
        st.tuples(st.sampled_from("abc"), st.sampled_from("def")),
    )
    kind = draw(st.sampled_from(["mixed", "text", "int"]))
    types = {"mixed": object, "text": str, "int": int}
    items = draw(st.lists(labels.filter(lambda label: isinstance(label, types[kind])), max_size=6))
    number = st.floats(allow_nan=True, allow_infinity=True)
    columns = {
        name: draw(st.lists(number, min_size=len(items), max_size=len(items)))
        for name in ("score", "low", "high", "games", "wins", "ties", "losses")
    }
    places = st.lists(st.integers(0, 9), min_size=len(items), max_size=len(items))
    return board(items, **columns, **{name: draw(places) for name in RANGES})


# ------------------------------------------------------------------------------------ as a value


def test_columns_are_typed_read_only_copies() -> None:
    score = np.array([3.0, 2.0, 1.0])
    b = board(score=score, rank=[1.0, 2.0, 2.0])
    score[0] = 99
    assert b.score.tolist() == [3, 2, 1]
    assert [column.dtype.str[1:] for column in (b.rank, b.component, b.games)] == ["i8", "i8", "f8"]
    with pytest.raises(ValueError, match="read-only"):
        b.score[0] = 1
    with pytest.raises(AttributeError):
        b.level = 0.5  # type: ignore[misc]
    with pytest.raises(TypeError):
        hash(b)


@given(boards())
def test_equality_pickle_and_copy(b: Leaderboard) -> None:
    again = pickle.loads(pickle.dumps(b))
    assert again == b
    assert not again.score.flags.writeable
    assert copy.copy(b) == copy.deepcopy(b) == b == b[:]


def test_not_equal() -> None:
    b = board()
    assert b != board(["ann", "bob", "dan"])
    assert b != board(score=[np.nan, 1, 2])
    assert b != board(level=0.9)
    assert b != board(notes=["careful"])
    assert b != b[:2]
    assert b != "something else"


def test_rows_keep_their_rank() -> None:
    b = board()
    parts = (b[1:], b[[1, 2]], b[b.rank > 1], b[[False, True, True]])
    for part in parts:
        assert part == parts[0]
        assert part.item.tolist() == ["bob", "cat"]
        assert part.rank.tolist() == [2, 3]
    assert b[-1].item.tolist() == ["cat"]
    assert len(b[[]]) == 0
    assert b[[]].scale == "elo"
    with pytest.raises(IndexError):
        b[3]


@pytest.mark.parametrize("labels", [["b", "a"], [7, -3], [("a", "b"), ("c", "d")], ["a", 1], [2**70, 1]])
@pytest.mark.parametrize("convert", [list, tuple, lambda x: pd.Series(x, dtype=object)])
def test_labels_of_any_kind(labels: list[Any], convert: Any) -> None:
    b = board(convert(labels))
    assert b.item.tolist() == labels
    assert b.to_frame()["item"].tolist() == labels


def test_the_frame_has_the_columns() -> None:
    frame = board([3, 1]).to_frame()
    assert tuple(frame.columns) == COLUMNS
    assert frame["item"].dtype.kind == "i"
    assert frame["score"].tolist() == [1600.125, 1560.125]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"score": [1.0]}, "'score' has 1 rows, but there are 3 items"),
        ({"wins": ["x", "y", "z"]}, "'wins' is not a column of numbers"),
        ({"rank": [1, 1.5, 2]}, "'rank' is not a column of whole numbers"),
        ({"component": [0, np.nan, 0]}, "'component' is not a column of whole numbers"),
        ({"low": [[1.0], [2.0], [3.0]]}, "'low' has 2 dimensions"),
        ({"scale": "glicko"}, "scale must be 'elo', 'log' or 'skill', not 'glicko'"),
        ({"level": 95}, "level must be between 0 and 1, not 95"),
        ({"rank": [1, 3, 2]}, "'cat', rank 2, comes after a worse rank"),
    ],
)
def test_inconsistent_columns_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        board(**changes)
    assert "\n" not in str(caught.value)


def test_every_component_has_its_own_ranks() -> None:
    assert board(rank=[1, 2, 1], component=[0, 0, 1]).rank.tolist() == [1, 2, 1]


# ------------------------------------------------------------------------------------ files


@given(b=boards())
def test_csv_reads_back(b: Leaderboard, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("csv") / "board.csv"
    b.save(path)
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == COLUMNS
    assert len(rows) == len(b)
    for row, cells in enumerate(rows):
        label = b.item[row]
        name = " + ".join(label) if isinstance(label, tuple) else str(label)
        guarded = isinstance(label, str) and name[:1] in {"=", "+", "-", "@", "\t", "\r", "\n"}
        assert cells[1] == ("'" if guarded else "") + name
        for cell, column in zip(cells[2:11], COLUMNS[2:11], strict=True):
            number = getattr(b, column)[row]
            missing = not np.isfinite(number) or (column in RANGES and number == NO_RANK)
            assert cell == "" if missing else float(cell) == number


def test_csv_defuses_formulas_and_leaves_numbers_alone(tmp_path: Path) -> None:
    board(["=1+1", "-5", "a-b"], score=[-1.5, -2.0, -3.0]).save(tmp_path / "b.csv")
    frame = pd.read_csv(tmp_path / "b.csv")
    assert frame["item"].tolist() == ["'=1+1", "'-5", "a-b"]
    assert frame["score"].tolist() == [-1.5, -2.0, -3.0]
    board([-5, -6]).save(tmp_path / "b.csv")
    assert pd.read_csv(tmp_path / "b.csv")["item"].tolist() == [-5, -6]


@given(b=boards())
def test_json_reads_back(b: Leaderboard, tmp_path_factory: pytest.TempPathFactory) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    path = tmp_path_factory.mktemp("json") / "board.json"
    b.save(path)
    records = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    assert [tuple(record) for record in records] == [COLUMNS] * len(b)
    for row, record in enumerate(records):
        label = b.item[row]
        assert record["item"] == (list(label) if isinstance(label, tuple) else label)
        for name in COLUMNS[2:11]:
            number = getattr(b, name)[row]
            missing = not np.isfinite(number) or (name in RANGES and number == NO_RANK)
            assert record[name] == (None if missing else number)


def test_an_order_effect_is_in_every_row_of_frame_and_file(tmp_path: Path) -> None:
    b = board(order_effect=(35.0, -np.inf, 50.5))
    assert b[:2].order_effect == b.order_effect
    assert b.to_frame()["order_effect"].tolist() == [35.0] * 3
    b.save(tmp_path / "board.json")
    rows = json.loads((tmp_path / "board.json").read_text())
    wanted = {"order_effect": 35.0, "order_effect_low": None, "order_effect_high": 50.5}
    assert all(row == row | wanted for row in rows)
    b.save(tmp_path / "board.csv")
    assert pd.read_csv(tmp_path / "board.csv")["order_effect_high"].tolist() == [50.5] * 3
    assert board() != b


def test_json_of_numpy_integers_in_teams(tmp_path: Path) -> None:
    board([(np.int64(1), np.int64(2)), (np.int64(3),)]).save(tmp_path / "b.json")
    assert [row["item"] for row in json.loads((tmp_path / "b.json").read_text())] == [[1, 2], [3]]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (HOSTILE, HOSTILE),
        ([7, -3], [7, -3]),
        ([("a", "b"), ("c",)], [["a", "b"], ["c"]]),
        (["a", 1, ("b", "c")], ["a", "1", "b + c"]),
        ([2**70, 1], [str(2**70), "1"]),
    ],
)
def test_parquet_reads_back(items: list[Any], expected: list[Any], tmp_path: Path) -> None:
    b = board(items, low=[np.nan] * len(items))
    b.save(tmp_path / "b.parquet")
    frame = pd.read_parquet(tmp_path / "b.parquet")
    assert [list(x) if isinstance(x, np.ndarray) else x for x in frame["item"]] == expected
    numbers = [name for name in COLUMNS if name != "item"]
    expected_numbers = b.to_frame()[numbers]
    pd.testing.assert_frame_equal(frame[numbers].astype(expected_numbers.dtypes), expected_numbers)


def test_markdown_reads_back(tmp_path: Path) -> None:
    b = board(HOSTILE, title="a*b", notes=("<careful>",), losses=[np.nan] * len(HOSTILE))
    b.save(tmp_path / "b.MD")
    lines = (tmp_path / "b.MD").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"a\\*b: {len(HOSTILE)} items, Elo scale, 95 % intervals"
    assert lines[-1] == "Note: &lt;careful&gt;"
    table = [line for line in lines if line.startswith("|")]
    cells = [re.findall(r"(?:\\.|[^|\\])+", line.strip("|")) for line in table]
    assert {len(row) for row in cells} == {9}
    assert set(re.sub(r"[ :]", "", "".join(cells[1]))) == {"-"}
    for row, name in zip(cells[2:], HOSTILE, strict=True):
        text = row[1].removeprefix(" ").removesuffix(" ").replace("<br>", "\n")
        text = re.sub(r"\\(.)", r"\1", text).replace("&lt;", "<").replace("&gt;", ">")
        assert text == name
        assert row[8].strip() == "–"
        assert "<script>" not in row[1]


# ------------------------------------------------------------------------------------ whole or not at all


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_saving_replaces_and_leaves_nothing_else(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"board{suffix}"
    board([f"item {row}" for row in range(500)]).save(path)
    board().save(str(path))
    content = path.read_bytes()
    board().save(tmp_path / f"again{suffix}")
    assert (tmp_path / f"again{suffix}").read_bytes() == content
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_failure_changes_nothing(
    suffix: str, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "some temporary name")

    path = tmp_path / f"board{suffix}"
    path.write_bytes(b"before")
    monkeypatch.setattr(step, fail)
    with pytest.raises(OSError, match=re.escape(f"No space left on device: '{path}'")):
        board().save(path)
    with pytest.raises(OSError, match="No space left"):
        board().save(tmp_path / f"new{suffix}")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        board().save(tmp_path / "board.csv")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("before")
    with pytest.raises(UnicodeEncodeError):
        board(["\ud800", "b"]).save(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("before")
    real.chmod(0o640)
    link.symlink_to(real)
    board().save(link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert real.read_text().startswith("rank,item")
    board().save(tmp_path / "new.csv")
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    assert (tmp_path / "new.csv").stat().st_mode == ordinary.stat().st_mode


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("board.xlsx", "ends in none of .csv, .json, .parquet and .md"),
        ("board", "ends in none of .csv, .json, .parquet and .md"),
        (f"no{os.sep}such{os.sep}board.csv", "there is no folder"),
        ("folder.csv", "is a directory"),
    ],
)
def test_paths_that_cannot_be(name: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        board().save(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


# ------------------------------------------------------------------------------------ near an item


def test_around_an_item() -> None:
    b = board(["ann", ("bob", "cat"), 7, "dan", "eve"])
    assert b.around(7, 1).item.tolist() == [("bob", "cat"), 7, "dan"]
    assert b.around(("bob", "cat"), 0).rank.tolist() == [2]
    assert b.around("ann") == b
    assert b.around("eve", 2).item.tolist() == [7, "dan", "eve"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("an",), "'an' is not on the board; did you mean 'dan' or 'ann'?"),
        (("?",), "'?' is not on the board"),
        (("ann", -1), "n must be 0 or more, not -1"),
    ],
)
def test_around_an_item_that_is_not_there(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        board(["ann", "dan", "eve"]).around(*arguments)


def test_importing_needs_no_pandas() -> None:
    code = "import sys, podium.leaderboard.leaderboard; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pandas", "matplotlib", "scipy", "sklearn"} & set(out.split())
