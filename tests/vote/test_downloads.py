"""The downloaded votes are read by `podium rank` as the database itself is."""

import csv
import io
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pytest
from pyarrow import parquet
from sqlalchemy import text

import podium as pod
from podium.vote.pages.owner import votes_file
from tests.cli.runs import done
from tests.vote.databases import VOTES, engine_of

COLUMNS = "left right winner grade judge judge_name prompt time shown probability invitation".split()


def downloaded(path: Path, kind: Literal["csv", "parquet"]) -> Path:
    engine = engine_of(path)
    with engine.connect() as connection:
        content = votes_file(connection, kind)
    engine.dispose()
    file = path.with_name(f"votes.{kind}")
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_download_reads_as_the_database_does(votes_db: Path, kind: Literal["csv", "parquet"]) -> None:
    sources = votes_db, downloaded(votes_db, kind)
    one, other = map(pod.read_comparisons, sources)
    assert one.to_frame().equals(other.to_frame())
    assert set(one.items) == {name for vote in VOTES for name in vote[:2]}
    assert one.outcome is not None
    assert one.outcome.tolist() == [-1, 0, 1, 0, -1, 1, 1, -1, -1, -1]
    boards = [done("rank", path, "--prior", "normal") for path in sources]
    assert boards[0].partition("rank")[2] == boards[1].partition("rank")[2]


def test_the_columns_of_csv(votes_db: Path) -> None:
    text = downloaded(votes_db, "csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(rows[0]) == COLUMNS
    assert len(rows) == len(VOTES)
    assert rows[0] == {
        "left": "ann",
        "right": "bob",
        "winner": "left",
        "grade": "-1",
        "judge": "j1",
        "judge_name": "'=Eve",
        "prompt": 'Which, "now"?',
        "time": "2023-11-14T22:13:20.623456Z",
        "shown": "2023-11-14T22:13:20.123456Z",
        "probability": "0.25",
        "invitation": "'-friends",
    }
    assert rows[1]["judge_name"] == rows[1]["invitation"] == ""
    for row in rows:
        assert int(row.pop("grade")) in (-1, 0, 1)  # a number, which a spreadsheet does not run
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_the_columns_of_parquet(votes_db: Path) -> None:
    table = parquet.read_table(downloaded(votes_db, "parquet"))
    assert table.column_names == COLUMNS
    assert table.schema.field("time").type == table.schema.field("shown").type == pa.timestamp("us", "UTC")
    assert table["judge_name"].to_pylist()[:2] == ["=Eve", None]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_vote_that_has_not_begun(votes_db: Path, kind: Literal["csv", "parquet"]) -> None:
    engine = engine_of(votes_db)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM votes"))
    engine.dispose()
    with pytest.raises(ValueError, match="no rows to read"):
        pod.read_comparisons(downloaded(votes_db, kind))
