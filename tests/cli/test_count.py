"""podium count: yesterday's rows as counts, read together with those of today."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import podium as pod
from tests.cli.runs import CHESS, done, offers, sentence

N = 400


def games(seed: int, last: str = "Flo") -> pd.DataFrame:
    """Games with outcomes in several spellings, and with columns that nobody uses."""
    rng = np.random.default_rng(seed)
    names = np.array(["Ann", "Bob", "Cat", "=Dan", "Zoë", last])
    left = rng.integers(0, 6, N)
    return pd.DataFrame(
        {
            "white": names[left],
            "black": names[(left + rng.integers(1, 6, N)) % 6],
            "result": rng.choice(["1-0", "0-1", "1/2-1/2", "½-½"], N),
            "time": rng.integers(0, 100, N),
            "judge": rng.choice(["x", "y"], N),
            "rated": rng.choice([True, False], N),
        }
    )


def written(frame: pd.DataFrame, path: Path) -> Path:
    write: Any = {
        ".csv": frame.to_csv,
        ".parquet": frame.to_parquet,
        ".jsonl": lambda path, index: frame.to_json(path, orient="records", lines=True),
    }[path.suffix]
    write(path, index=False)
    return path


def check_same(counted: pod.Comparisons, whole: pod.Comparisons) -> None:
    """The same distinct rows with the same counts."""
    names = [name for name in counted.to_frame() if name != "count"]
    found, wanted = (
        c.aggregate(by_group=True, by_category=True).to_frame().sort_values(names).reset_index(drop=True)
        for c in (counted, whole)
    )
    pd.testing.assert_frame_equal(found, wanted, check_exact=True)


@pytest.mark.parametrize("old", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("new", [False, True])
def test_counts_and_new_files_are_all_rows(old: str, new: bool, tmp_path: Path) -> None:
    last = "Flo" if old == "parquet" else " Flo "  # blanks of text files are not part of a name
    before, added = (written(games(k, last), tmp_path / f"{k}.{old}") for k in range(2))
    counts = tmp_path / "counts.parquet"
    said = done("count", before, "--group", "judge", "--by", "rated", "--out", counts)
    assert "white and black (sides), result (outcome), judge (group), rated (category)" in said
    assert f"count {N}" in said
    files = [counts, added] if new else [counts]
    options: dict[str, Any] = {"group": "judge", "category": "rated"}
    whole = pod.read_comparisons([before, added] if new else before, **options)
    whole = replace(whole, time=None)
    for source in (files, files[::-1]):
        check_same(pod.read_comparisons(source, **options), whole)
    check_same(pod.read_comparisons(files, counted=True, **options), whole)


def test_the_second_command_makes_the_board_of_all_rows(tmp_path: Path) -> None:
    table = pd.read_csv(CHESS)
    old, new = (
        written(part, tmp_path / name) for part, name in ((table[:600], "old.csv"), (table[600:], "new.csv"))
    )
    counts, boards = tmp_path / "counts.parquet", [tmp_path / "one.json", tmp_path / "other.json"]
    done("count", old, "--out", counts)
    assert pd.read_parquet(counts).columns.tolist() == ["white", "black", "result", "count"]
    assert set(pd.read_parquet(counts)["result"]) == {"1-0", "0-1", "1/2-1/2"}
    done("rank", counts, new, "--out", boards[0])
    done("rank", CHESS, "--out", boards[1])
    one, other = (pd.DataFrame(json.loads(path.read_text())) for path in boards)
    assert one["item"].tolist() == other["item"].tolist()
    for name in ("score", "low", "high", "games"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-9)


def test_counts_can_be_counted_again(tmp_path: Path) -> None:
    old, new = (written(games(seed), tmp_path / f"{seed}.parquet") for seed in range(2))
    one, both = tmp_path / "one.parquet", tmp_path / "both.parquet"
    done("count", old, "--out", one)
    done("count", one, new, "--out", both)
    assert not pd.read_parquet(both).duplicated(["white", "black", "result"]).any()
    check_same(pod.read_comparisons(both), pod.read_comparisons([old, new], counted=True))


def test_a_column_of_counts_keeps_its_name(tmp_path: Path) -> None:
    old, new = (written(games(k).assign(n=1.0 + k), tmp_path / f"{k}.csv") for k in range(2))
    out = tmp_path / "counts.parquet"
    done("count", old, new, "--count", "n", "--out", out)
    found = pd.read_parquet(out)
    assert found.columns.tolist() == ["white", "black", "result", "n"]
    assert found["n"].sum() == 3 * N
    check_same(
        pod.read_comparisons(out, count="n"), pod.read_comparisons([old, new], count="n", counted=True)
    )


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_counts_made_elsewhere_are_read_with_new_files_too(ending: str, tmp_path: Path) -> None:
    old, new = (games(k)[["white", "black", "result"]] for k in range(2))
    counts = written(old.value_counts().reset_index(), tmp_path / f"counts.{ending}")
    files = [written(new, tmp_path / f"new.{ending}"), counts]
    whole = pod.read_comparisons(pd.concat([old, new]))
    check_same(pod.read_comparisons(files), whole)
    check_same(pod.read_comparisons(files, counted=True), whole)


def test_empty_counts_are_no_counts(tmp_path: Path) -> None:
    """Only files without the column have rows that count once."""
    counts = written(
        games(0)[["white", "black", "result"]].assign(count=[None] + [1.0] * (N - 1)), tmp_path / "c.csv"
    )
    with pytest.raises(ValueError, match="'count'"):
        pod.read_comparisons([counts, written(games(1), tmp_path / "n.csv")])


def test_chosen_pairs_are_still_chosen(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    old, new = (written(games(k).assign(probability=rng.random(N)), tmp_path / f"{k}.csv") for k in range(2))
    done("count", old, "--out", tmp_path / "counts.parquet")
    assert "hold whenever you look" in done("rank", tmp_path / "counts.parquet", new)
    assert len(pd.read_parquet(tmp_path / "counts.parquet")) < N / 2


def test_rows_that_cannot_be_read_are_named_or_left_out(tmp_path: Path) -> None:
    spoiled = written(games(0).replace({"result": {"½-½": "?!"}}), tmp_path / "g.csv")
    out = tmp_path / "counts.parquet"
    assert "the outcome '?!'" in sentence("count", spoiled, "--out", out)
    done("count", spoiled, "--skip-invalid", "--out", out)
    assert "?!" not in set(pd.read_parquet(out)["result"])
    good = written(games(0).query("result != '½-½'"), tmp_path / "good.csv")
    check_same(pod.read_comparisons(out), pod.read_comparisons(good, counted=True))


def test_what_cannot_be_counted_is_refused(tmp_path: Path) -> None:
    path, out = written(games(0), tmp_path / "g.csv"), tmp_path / "counts.parquet"
    count = ("count", path, "--out", out)
    assert "'podium count' merges equal rows, and --time needs every row" in sentence(
        *count, "--time", "time"
    )
    assert "--drop-ties is for those who read the counts" in sentence(*count, "--drop-ties")
    offered = written(offers()[0], tmp_path / "offers.csv")
    assert "needs every row" in sentence("count", offered, "--out", out)
    mixed = written(
        pd.DataFrame({"white": [1, 2], "black": [2, 1], "result": "1-0"}), tmp_path / "new.parquet"
    )
    done(*count)
    assert "over a file that is read" in sentence("count", path, out, "--out", out)
    assert "differ: column white has incompatible types" in sentence("rank", out, mixed)
    assert not list(tmp_path.glob("*.html"))
