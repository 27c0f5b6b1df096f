"""Equal rows are counted where the data are, with the result of reading all of them."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import podium
from podium import BradleyTerry, Comparisons
from podium.reading.counting import bytes_of

N = 3000


@pytest.fixture(scope="module")
def games() -> pd.DataFrame:
    """Games with outcomes in several spellings, judges, countries and times."""
    rng = np.random.default_rng(0)
    names = np.array(["Ann", "Bob", "Cat", "Dan", "Eve", "Zoë", " Flo"])
    left = rng.integers(0, 7, N)
    right = (left + rng.integers(1, 7, N)) % 7
    return pd.DataFrame(
        {
            "white": names[left],
            "black": names[right],
            "result": rng.choice(["1-0", "0-1", "1/2-1/2", "½-½"], N),
            "time": rng.integers(0, 100, N),
            "judge": rng.choice(["x", "y"], N),
            "country": rng.choice(["pt", "nz"], N),
            "turn": rng.integers(1, 4, N),
        }
    )


def ibis_table(frame: pd.DataFrame) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ibis sets an option that pandas will remove
        return pytest.importorskip("ibis").memtable(frame)


def dask_frame(frame: pd.DataFrame) -> Any:
    return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)


LAZY: dict[str, Callable[[pd.DataFrame], Any]] = {
    "dask": dask_frame,
    "duckdb": duckdb.from_df,
    "ibis": ibis_table,
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
}


def written(frame: pd.DataFrame, path: Path) -> Path:
    match path.suffix:
        case ".csv" | ".gz":
            frame.to_csv(path, index=False)
        case ".parquet":
            frame.to_parquet(path)
        case ".jsonl":
            frame.to_json(path, orient="records", lines=True)
        case ".xlsx":
            frame.to_excel(path, index=False)
    return path


def in_one_order(c: Comparisons) -> pd.DataFrame:
    frame = c.to_frame()
    return frame.sort_values([name for name in frame if name != "count"]).reset_index(drop=True)


def check_same(counted: Comparisons, read: Comparisons) -> None:
    """The counts are those of all rows, to the bit."""
    whole = read.aggregate(by_group=True, by_category=True)
    pd.testing.assert_frame_equal(in_one_order(counted), in_one_order(whole), check_exact=True)
    assert counted.items.tolist() == read.items.tolist()


@pytest.mark.parametrize("engine", LAZY)
def test_lazy_frames_are_counted_by_their_engine(games: pd.DataFrame, engine: str) -> None:
    counted = podium.read_comparisons(LAZY[engine](games), group="judge", category="country")
    assert len(counted) < N / 2
    check_same(counted, podium.read_comparisons(games, group="judge", category="country"))


@pytest.mark.parametrize("name", ["g.csv", "g.csv.gz", "g.parquet", "g.jsonl", "g.xlsx"])
def test_files_are_counted_inside_duckdb(games: pd.DataFrame, tmp_path: Path, name: str) -> None:
    path = written(games, tmp_path / name)
    options: dict[str, Any] = {"group": "judge", "where": "turn < 3"}
    check_same(
        podium.read_comparisons(path, counted=True, **options), podium.read_comparisons(path, **options)
    )


def test_a_dataset_is_counted(games: pd.DataFrame) -> None:
    dataset = ds.dataset(pa.Table.from_pandas(games))
    check_same(podium.read_comparisons(dataset, counted=True), podium.read_comparisons(games))


def test_the_order_of_the_rows_does_not_matter(games: pd.DataFrame) -> None:
    mixed = games.sample(frac=1, random_state=1)
    assert podium.read_comparisons(games, counted=True) == podium.read_comparisons(mixed, counted=True)


def test_files_past_memory_are_counted_and_others_are_not(games: pd.DataFrame, tmp_path: Path) -> None:
    path = written(games, tmp_path / "g.parquet")
    assert len(podium.read_comparisons(path)) == N
    with pytest.warns(UserWarning, match="equal rows are counted, without order and time"):
        assert len(podium.read_comparisons(path, memory="50KB")) < N
    assert len(podium.read_comparisons(path, memory="50KB", counted=False)) == N


def test_counts_and_weights_of_rows_are_kept(games: pd.DataFrame) -> None:
    weighted = games.assign(count=games["turn"], weight=games["turn"] / 7)
    check_same(podium.read_comparisons(weighted, counted=True), podium.read_comparisons(weighted))


def test_a_column_of_time_that_was_not_asked_for_is_not_used(games: pd.DataFrame) -> None:
    counted = podium.read_comparisons(duckdb.from_df(games))
    assert counted.time is None
    assert "not used: judge, country, turn, time" in str(counted.columns)
    assert podium.read_comparisons(duckdb.from_df(games), time="time").time is not None


@pytest.mark.parametrize(
    ("options", "name"),
    [({"time": "time"}, "time="), ({"dedup": "turn"}, "dedup="), ({"since": 3}, "since=")],
)
def test_what_needs_rows_cannot_be_counted(games: pd.DataFrame, options: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"merges equal rows, and {name} needs every row"):
        podium.read_comparisons(games, counted=True, **options)


def test_skipped_rows_are_counted_in_full(games: pd.DataFrame, tmp_path: Path) -> None:
    spoiled = games.assign(result=games["result"].where(games["turn"] > 1, "*"))
    path = written(spoiled, tmp_path / "g.csv")
    lost = int((games["turn"] == 1).sum())
    with pytest.warns(
        UserWarning, match=rf"{lost:,} of {N:,} rows cannot be read: no outcome \({lost:,}: '\*'\)"
    ):
        podium.read_comparisons(path, counted=True, bad_rows="skip")


def test_an_outcome_that_is_not_understood_is_an_error(games: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="the outcome 'sideways'"):
        podium.read_comparisons(duckdb.from_df(games.assign(result="sideways")))


@pytest.mark.parametrize("name", ["g.csv", "g.csv.gz", "g.parquet", "g.jsonl"])
def test_progress_is_told_in_rows(games: pd.DataFrame, tmp_path: Path, name: str) -> None:
    told: list[tuple[int, int]] = []
    path = written(games, tmp_path / name)
    podium.read_comparisons(path, counted=True, progress=lambda done, of: told.append((done, of)))
    done, of = told[-1]
    assert done == of
    assert of == N if name == "g.parquet" else N / 4 < of < N * 4  # an estimate, rough for packed files


def test_progress_moves_through_all_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.reading.sources.counting.EVERY", 0.001)
    n, told = 300_000, list[tuple[int, int]]()
    path = tmp_path / "g.csv"
    duckdb.sql(
        f"select 'x' || (i % 4001) as white, 'y' || (i % 1009) as black, '1-0' as result from range({n}) t(i)"
    ).write_csv(str(path))
    podium.read_comparisons(path, counted=True, progress=lambda done, of: told.append((done, of)))
    done, of = np.array(told).T
    assert (np.diff(done) >= 0).all()
    assert len(set(of)) == 1
    assert abs(of[0] / n - 1) < 0.1
    share = done / of
    assert ((share > 0.02) & (share < 0.25)).any()  # while texts are listed
    assert ((share > 0.3) & (share < 0.98)).any()  # while rows are grouped


@pytest.mark.parametrize("engine", LAZY)
def test_bradley_terry_fits_a_lazy_frame(games: pd.DataFrame, engine: str) -> None:
    lazy = BradleyTerry().fit(LAZY[engine](games))
    eager = BradleyTerry().fit(podium.read_comparisons(games))
    np.testing.assert_allclose(lazy.log_skill_, eager.log_skill_, atol=1e-9)


def test_a_warning_names_the_line_that_reads(games: pd.DataFrame, tmp_path: Path) -> None:
    """Not a line of podium."""
    path = written(games.assign(result=games["result"].where(games["turn"] > 1, "*")), tmp_path / "g.csv")
    with pytest.warns(UserWarning, match=r"equal rows are counted|cannot be read") as warned:
        podium.read_comparisons(path, memory="1KB", bad_rows="skip")
    assert [Path(warning.filename) for warning in warned] == [Path(__file__)] * 2


@pytest.mark.parametrize("size", ["much", "-1GB", "0", "50", "1.2.3GB", "4 PB"])
def test_a_size_that_is_none(size: str) -> None:
    with pytest.raises(ValueError, match="memory= takes a size such as '4GB'"):
        bytes_of(size)


def test_memory_of_a_lazy_frame_is_not_limited_in_silence() -> None:
    frame = pl.LazyFrame({"left": ["a", "b"], "right": ["b", "c"], "outcome": ["left", "left"]})
    with pytest.warns(
        UserWarning, match="engine of a lazy frame counts its rows, which memory= does not limit"
    ):
        podium.read_comparisons(frame, memory="1GB")


def test_many_distinct_rows_say_that_they_take_more_than_the_limit(
    games: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(games, tmp_path / "g.parquet")
    monkeypatch.setattr("podium.reading.plan.LEAST", 1)
    with pytest.warns(
        UserWarning, match=r"distinct rows are left, which take about 0.0 GB, more than memory="
    ):
        podium.read_comparisons(path, memory="5KB", counted=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        podium.read_comparisons(path, memory="1GB", counted=True)


@pytest.mark.parametrize(
    ("sides", "winner", "outcome"),
    [
        (("right", "b"), ["right", "b", "right"], [-1, 1, -1]),  # the column on the left is called right
        (("a", "right"), ["right", "a", "right"], [1, -1, 1]),
        (("right", "left"), ["right", "left", "right"], [-1, 1, -1]),
        (("left", "right"), ["Ann", "Cat", "right"], None),
    ],
)
def test_a_side_in_a_column_called_right(
    sides: tuple[str, str], winner: list[str], outcome: list[int] | None
) -> None:
    """A word that is the name of a side's column means that side, wherever the column is."""
    left, right = sides
    frame = pd.DataFrame({left: ["Ann", "Bob", "Ann"], right: ["Bob", "Cat", "right"], "winner": winner})
    c = podium.read_comparisons(frame, left=left, right=right)
    assert c.outcome is not None
    assert c.outcome.tolist() == (outcome or [-1, 1, 1])
