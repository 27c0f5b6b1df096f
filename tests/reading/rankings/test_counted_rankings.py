"""Equal rankings are counted where the data are, and the result is that of all rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import podium as pod

N = 600


def wide() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = np.array([rng.permutation(list("abcd")) for _ in range(N)]).astype(object)
    table[rng.random(N) < 0.3, 3] = None
    frame = pd.DataFrame(table, columns=["rank1", "rank2", "rank3", "rank4"])
    return frame.assign(group=rng.integers(0, 3, N).astype(str))


def text() -> pd.DataFrame:
    """Spellings of one ranking that differ: their rows are counted apart and merged afterwards."""
    choices = ["a > b = c", "a > c = b", "a>b=c", "c > a"]
    return pd.DataFrame({"ranking": np.random.default_rng(0).choice(choices, N)})


def as_lists(r: pod.Rankings) -> list[tuple[Any, ...]]:
    group = np.zeros(len(r)) if r.group is None else r.group
    return sorted((str(x), g, n) for x, g, n in zip(r.to_lists(), group, r.count, strict=True))


@pytest.mark.parametrize("frame", [wide(), text()], ids=["wide", "text"])
def test_lazy_frames_and_files_past_memory_are_counted(frame: pd.DataFrame, tmp_path: Path) -> None:
    all_rows = pod.read_rankings(frame)
    assert len(all_rows) == N
    frame.to_csv(tmp_path / "votes.csv", index=False)
    with pytest.warns(UserWarning, match="equal rows are counted"):
        found = pod.read_rankings(tmp_path / "votes.csv", memory="1KB")
    expected = all_rows.aggregate(by_group=True)
    assert len(found) == len(expected) < N / 4
    assert as_lists(found) == as_lists(expected)
    assert pod.read_rankings(pl.from_pandas(frame).lazy()) == found
    assert pod.read_rankings(frame[::-1], counted=True) == found  # in the same order, whatever the rows'
    one, other = (pod.PlackettLuce().fit(r).log_skill_ for r in (all_rows, found))
    np.testing.assert_allclose(one, other, atol=1e-9)


LAZY: dict[str, Callable[[pd.DataFrame], Any]] = {
    "duckdb": duckdb.from_df,
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
}


@pytest.mark.parametrize("engine", LAZY)
@pytest.mark.parametrize("frame", [wide(), text()], ids=["wide", "text"])
def test_plackett_luce_fits_a_lazy_frame(frame: pd.DataFrame, engine: str) -> None:
    lazy = pod.PlackettLuce().fit(LAZY[engine](frame))
    eager = pod.PlackettLuce().fit(pod.read_rankings(frame))
    assert lazy.items_.tolist() == eager.items_.tolist()
    np.testing.assert_allclose(lazy.log_skill_, eager.log_skill_, atol=1e-9)
    np.testing.assert_allclose(lazy.standard_error_, eager.standard_error_, atol=1e-9)


def test_plackett_luce_fits_a_file_and_a_frame(tmp_path: Path) -> None:
    frame = wide()
    frame.to_csv(tmp_path / "votes.csv", index=False)
    expected = pod.PlackettLuce().fit(pod.read_rankings(frame)).log_skill_
    for source in (frame, tmp_path / "votes.csv", str(tmp_path / "votes.csv")):
        np.testing.assert_allclose(pod.PlackettLuce().fit(source).log_skill_, expected, atol=1e-9)


@pytest.mark.parametrize("source", [[["a", "b"]], np.zeros((2, 2)), None, 3])
def test_plackett_luce_refuses_what_is_no_table(source: Any) -> None:
    with pytest.raises(ValueError, match=r"rankings are expected, not|is read from a file, a frame"):
        pod.PlackettLuce().fit(source)


def test_progress_is_told_in_rankings(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    wide().to_parquet(tmp_path / "votes.parquet")
    pod.read_rankings(tmp_path / "votes.parquet", counted=True, progress=lambda *far: told.append(far))
    assert told[-1] == (N, N)


def test_a_long_table_is_loaded() -> None:
    frame = pd.DataFrame({"race": [1, 1, 2, 2], "driver": list("abba"), "place": [1, 2, 1, 2]})
    assert len(pod.read_rankings(pl.from_pandas(frame).lazy())) == 2
    with pytest.raises(ValueError, match="kind='long' needs every row"):
        pod.read_rankings(frame, counted=True)
