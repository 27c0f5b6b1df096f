"""Chunks of a table mean what the table means in one piece."""

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import podium
from podium import Comparisons, read_chunks, read_comparisons

NAMES = st.sampled_from(["ann", "bob", "cat", "7", "none", "tie", "b", " dan "])
OUTCOMES = {
    "score": ["1-0", "0-1", "1/2-1/2", "½-½", "3:1", "6-4 3-6 7-5"],
    "number": ["1", "0", "0.5", "0,5"],
    "sign": ["-1", "0", "1"],
    "word": ["left", "right", "tie", "draw"],
    "letters": ["w", "l", "d"],
    "a or b": ["a", "b", "both bad"],
    "label": ["ann", "bob", "cat", "tie"],
    "mixed": ["1-0", "white", "*", "", "left"],
}
TIMES = {
    "order unclear": ["03/04/2022", "04/03/2022", "13/04/2022", "04/13/2022", "5/5/2022"],
    "season": ["2008/09", "2009/10", "2010-11"],
    "month": ["2008-09", "2008-10", "2022-01"],
    "iso": ["2022-01-05", "2022-01-04 10:00", "2022-01-05T09:00:00.5", "2022/01/03"],
    "zoned": ["2022-01-05 10:00Z", "2022-01-05 10:00+02:00"],
    "number": ["1", "10", "9", "2.5", " 3"],
    "seconds": ["1662336000", "1662422400", "1662336000.5", "7"],
    "digits": ["20220905", "20220906", "20221340"],
    "words": ["5 Sep 2022", "September 6, 2022", "x", "2022-09-04"],
}
WEIGHTS = ["1", "2.5", "0,5", "1,234", "1.234,5", "x", "12 345"]
NEUTRAL = ["n", "y", "h", "neutral", "no", "1", "0"]


@st.composite
def tables(draw: Any) -> pd.DataFrame:
    n = draw(st.integers(1, 12))
    outcome, time = draw(st.sampled_from(list(OUTCOMES))), draw(st.sampled_from(list(TIMES)))

    def column(cells: Any) -> Any:
        return draw(st.lists(st.sampled_from(cells), min_size=n, max_size=n))

    some = draw(st.integers(1, 4))
    table = {
        "white": draw(st.lists(NAMES, min_size=n, max_size=n)),
        "black": draw(st.lists(NAMES, min_size=n, max_size=n)),
        "result": column(OUTCOMES[outcome][:some]),
        "time": column(TIMES[time][: draw(st.integers(1, 5))]),
    }
    if draw(st.booleans()):
        table["weight"] = column(WEIGHTS[: draw(st.integers(1, 7))])
    if draw(st.booleans()):
        table["ground"] = column(NEUTRAL)
    return pd.DataFrame(table)


def outcome_of(read: Any) -> tuple[str, Any]:
    """What reading gives: comparisons in order of time, or that it is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            c = read()
        except ValueError as error:
            return "error", str(error)
    return "read", c


def rows_of(c: Comparisons) -> pd.DataFrame:
    """The rows in order of time, where the unit of a time makes no difference."""
    frame = c.to_frame()
    if c.time is not None:
        frame["time"] = c.time.astype("datetime64[us]") if c.time.dtype.kind == "M" else c.time.astype(float)
        frame = frame.sort_values("time", kind="stable")
    return frame.reset_index(drop=True)


def in_chunks(source: Any, rows: int, **options: Any) -> Comparisons:
    return podium.concat(list(read_chunks(source, rows=rows, **options)))


def check_same(source: Any, rows: int, **options: Any) -> None:
    how, whole = outcome_of(lambda: read_comparisons(source, **options))
    how_chunked, chunked = outcome_of(lambda: in_chunks(source, rows, **options))
    assert how_chunked == how, (whole, chunked)
    if how == "read":
        pd.testing.assert_frame_equal(rows_of(chunked), rows_of(whole), check_dtype=False)
        assert set(chunked.skipped) <= set(whole.skipped)  # those after the last chunk are in the warning


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables(), rows=st.integers(1, 5), skip=st.booleans())
def test_a_text_file_means_the_same_in_chunks(
    table: pd.DataFrame, rows: int, skip: bool, tmp_path: Path
) -> None:
    table.to_csv(tmp_path / "games.csv", index=False)
    neutral = "ground" if "ground" in table else None
    check_same(tmp_path / "games.csv", rows, neutral=neutral, bad_rows="skip" if skip else "error")


GAMES = pd.DataFrame(
    {
        "white": ["ann", "bob", "cat", "ann", "dan"],
        "black": ["bob", "cat", "ann", "cat", "ann"],
        "result": ["1-0", "0-1", "1/2-1/2", "1-0", "0-1"],
        "time": ["13/04/2022", "03/04/2022", "04/03/2022", "03/04/2022", "01/01/2021"],
        "weight": ["1,234", "1,5", "2", "2", "3"],
        "group": ["x", "y", "x", "y", "z"],
        "count": [1, 2, 1, 1, 4],
    }
)


def write(kind: str, folder: Path) -> Any:
    """The games in a file, or as a lazy frame."""
    if kind == "csv":
        GAMES.to_csv(folder / "games.csv", index=False)
    elif kind == "gz":
        GAMES.to_csv(folder / "games.csv.gz", index=False)
    elif kind == "json":
        GAMES.to_json(folder / "games.json", orient="records")
    elif kind == "jsonl":
        GAMES.to_json(folder / "games.jsonl", orient="records", lines=True)
    elif kind == "parquet":
        GAMES[:2].to_parquet(folder / "a.parquet")
        GAMES[2:].to_parquet(folder / "b.parquet")
    elif kind == "xlsx":
        GAMES.to_excel(folder / "games.xlsx", index=False)
    return folder


@pytest.mark.parametrize("kind", ["csv", "gz", "json", "jsonl", "parquet", "xlsx"])
def test_every_kind_of_file(kind: str, tmp_path: Path) -> None:
    check_same(write(kind, tmp_path), 2, time="time", group="group", count="count", weight="weight")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis, which calls what is old in DuckDB
@pytest.mark.parametrize("kind", ["polars", "duckdb", "ibis", "dask", "arrow dataset", "pandas"])
def test_frames(kind: str, tmp_path: Path) -> None:
    check_same(frame(kind, tmp_path), 2, time="time", group="group", count="count", weight="weight")


def frame(kind: str, folder: Path) -> Any:
    if kind == "polars":
        return pytest.importorskip("polars").from_pandas(GAMES).lazy()
    if kind == "ibis":
        GAMES.to_parquet(folder / "games.parquet")
        return pytest.importorskip("ibis").read_parquet(folder / "games.parquet")
    if kind == "dask":
        return pytest.importorskip("dask.dataframe").from_pandas(GAMES, npartitions=3)
    if kind == "pandas":
        return GAMES
    GAMES.to_parquet(folder / "games.parquet")
    if kind == "duckdb":
        return pytest.importorskip("duckdb").read_parquet(str(folder / "games.parquet"))
    return pytest.importorskip("pyarrow.dataset").dataset(folder / "games.parquet")


@pytest.mark.parametrize(
    "options",
    [
        {"where": "\"group\" <> 'z' and weight <> '2'"},
        {"since": "2022-04-01"},
        {"drop_ties": True},
        {"outcome": False},
        {"dates": "dmy", "category": "group"},
    ],
)
def test_rows_that_are_wanted(options: dict[str, Any], tmp_path: Path) -> None:
    check_same(write("csv", tmp_path), 2, **{"time": "time", **options})


def test_without_time_rows_keep_their_order() -> None:
    games = GAMES.drop(columns="time")
    chunks = list(read_chunks(games, rows=2))
    assert [len(c) for c in chunks] == [2, 2, 1]
    assert podium.concat(chunks).to_frame().equals(read_comparisons(games).to_frame())


def test_times_as_numbers_and_teams(tmp_path: Path) -> None:
    games = pd.DataFrame(
        {"left": ["a/b", "c/d", "a/c"], "right": ["c", "a", "b/d"], "winner": ["left", "right", "tie"]}
    ).assign(time=[1662336000000, 1662422400000, 1662336000000])
    games.to_parquet(tmp_path / "games.parquet")
    check_same(tmp_path / "games.parquet", 1, team_separator="/")
    chunks = list(read_chunks(tmp_path / "games.parquet", rows=1, team_separator="/"))
    assert [len(c) for c in chunks] == [2, 1]  # rows of one time stay together
    assert chunks[0].time is not None
    assert chunks[0].time.dtype.kind == "M"


def test_scores_covariates_and_probabilities() -> None:
    games = pd.DataFrame({"home": list("abca"), "away": list("bcab"), "time": [4, 3, 2, 1]})
    scores = games.assign(
        home_goals=[1, 0, 2, 3], away_goals=[1, 2, 0, 1], len_home=["1,5", "2", "1", "0,25"]
    )
    scores["len_away"] = ["1", "1", "2", "3"]
    check_same(scores, 1, covariates={"length": ("len_home", "len_away")})
    points = games.assign(home_x=[101, 90, 80, 70], away_x=[90, 91, 99, 100])
    check_same(points, 1, outcome=("home_x", "away_x"))  # many points, and a pair twice: no counts
    check_same(points[:3], 1, outcome=("home_x", "away_x"))  # they may be counts: an error
    check_same(games.assign(p=[0.2, 1.0, 0.5, 0.7]), 1, outcome="p", outcome_format="probability")


def test_a_bad_row_is_named_as_in_one_piece(tmp_path: Path) -> None:
    GAMES.assign(result=["1-0", "0-1", "1-0", "x", "1-0"]).to_csv(tmp_path / "games.csv", index=False)
    with pytest.raises(ValueError, match=r"has the outcome 'x' at row 4 \(line 5 of '.*games\.csv'\)"):
        list(read_chunks(tmp_path / "games.csv", rows=2, time="time"))
    with pytest.warns(UserWarning, match="1 of 5 rows cannot be read, such as line 5, an outcome not"):
        chunks = list(read_chunks(tmp_path / "games.csv", rows=2, time="time", bad_rows="skip"))
    assert sum(map(len, chunks)) == 4
    GAMES.assign(black=["bob", "cat", "", "cat", "ann"]).to_csv(tmp_path / "games.csv", index=False)
    with pytest.raises(ValueError, match="column 'black' has no label at row 3"):
        list(read_chunks(tmp_path / "games.csv", rows=2, time="time"))


def test_more_than_half_is_too_much_to_skip() -> None:
    games = GAMES.assign(white=["", "", "", "ann", "dan"])
    with pytest.raises(ValueError, match=r"3 of 5 rows cannot be read.*more than half"):
        list(read_chunks(games, rows=1, time="time", bad_rows="skip"))


@pytest.mark.parametrize("option", ["items", "dedup", "wins"])
def test_what_needs_all_rows_is_refused(option: str) -> None:
    options: dict[str, Any] = {option: ["white"]}
    with pytest.raises(ValueError, match=f"{option}= needs all rows at once"):
        read_chunks(GAMES, **options)


@pytest.mark.parametrize("rows", [0, -1, 2.5, "many"])
def test_a_strange_number_of_rows(rows: Any) -> None:
    with pytest.raises(ValueError, match="is no number of rows"):
        read_chunks(GAMES, rows=rows)


def test_a_condition_cannot_read_other_files(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("1-0")
    condition = f"result in (select content from read_text('{tmp_path / 'secret.txt'}'))"
    with pytest.raises(ValueError, match="where= is no condition"):
        list(read_chunks(GAMES, where=condition))


def test_progress_and_memory(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    list(read_chunks(GAMES, rows=2, memory="200MB", progress=lambda done, of: seen.append((done, of))))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (5, 5)
    with pytest.raises(ValueError, match="memory= takes a size"):
        read_chunks(GAMES, memory="lots")


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    chunks = read_chunks(GAMES, rows=1)
    next(chunks)
    assert any(tmp_path.iterdir())
    chunks.close()  # type: ignore[attr-defined]
    assert not any(tmp_path.iterdir())
