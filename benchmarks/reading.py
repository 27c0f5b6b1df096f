"""Reading a file into `Comparisons`, compared with DuckDB and polars counting its distinct rows.

    python benchmarks/reading.py [--case PATTERN] [--full]

Counting the distinct (left, right, outcome) of a file is the least that any aggregation has to do. JSON lines
are votes of an arena, read with podium and with DuckDB's own read_json. The files are in a temporary folder.
"""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from measuring.cases import Case, Contestant
from measuring.turns import main

N_ITEMS, N_MODELS, SMALL = 10_000, 200, 1_000


def write_votes(path: Path, rows: int) -> None:
    """Votes of an arena of language models, one JSON object per line."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, N_MODELS, rows)
    right = (left + rng.integers(1, N_MODELS, rows)) % N_MODELS
    winner = np.array(["model_a", "model_b", "tie", "tie (bothbad)"])[rng.integers(0, 4, rows)]
    with path.open("w") as out:
        for k, (a, b, said) in enumerate(zip(left.tolist(), right.tolist(), winner.tolist(), strict=True)):
            vote = {
                "question_id": f"{k:016x}",
                "model_a": f"model-{a}",
                "model_b": f"model-{b}",
                "winner": said,
            }
            vote |= {"judge": f"arena_user_{k % 9_999}", "turn": 1 + k % 3, "tstamp": 1682351591.25 + k}
            out.write(json.dumps(vote) + "\n")


def write_games(path: Path, rows: int) -> None:
    """Games as CSV or Parquet; the labels are names or numbers, as the file is called."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    left = rng.integers(0, N_ITEMS, rows)
    right = (left + rng.integers(1, N_ITEMS, rows)) % N_ITEMS
    result: Any = rng.integers(0, 3, rows)
    columns: dict[str, Any] = {"white": left, "black": right, "result": result - 1}
    if "names" in path.name:
        names = pa.array([f"player_{i:05d}" for i in rng.permutation(N_ITEMS)])
        results = pa.array(["1-0", "1/2-1/2", "0-1"])
        columns = {name: names.take(pa.array(side)) for name, side in (("white", left), ("black", right))}
        columns["result"] = results.take(pa.array(result))
    if path.suffix == ".csv":
        pa.csv.write_csv(pa.table(columns), path, pa.csv.WriteOptions(quoting_style="none"))
    else:
        pa.parquet.write_table(pa.table(columns), path)


def written(name: str, rows: int) -> Path:
    """The file in a folder that lives as long as this process."""
    path = FOLDER / f"{rows}-{name}"
    if not path.exists():
        (write_votes if path.suffix == ".jsonl" else write_games)(path, rows)
    return path


# ------------------------------------------------------------------------------------ contestants


def podium(path: Path) -> int:
    import podium

    return len(podium.read_comparisons(path))


def duckdb(path: Path) -> int:
    import duckdb

    query = f"select white, black, result, count(*) as n from '{path}' group by all"
    return int(duckdb.sql(query).fetchnumpy()["n"].sum())


def read_json(path: Path) -> int:
    import duckdb

    return int(duckdb.read_json(str(path)).project("model_a, model_b, winner").to_arrow_table().num_rows)


def polars(path: Path) -> int:
    import polars as pl

    scan = pl.scan_csv(path) if path.suffix == ".csv" else pl.scan_parquet(path)
    return int(scan.group_by("white", "black", "result").len().collect(engine="streaming")["len"].sum())


GROUPING = {
    "podium": Contestant(podium),
    "DuckDB": Contestant(duckdb, "duckdb"),
    "polars": Contestant(polars, "polars"),
}
JSON = {"podium": Contestant(podium), "DuckDB": Contestant(read_json, "duckdb")}


def case(name: str, rows: int, contestants: dict[str, Contestant]) -> Case:
    file, small = partial(written, name, rows), partial(written, name, SMALL)
    return Case(f"{name}, {rows / 1e6:g}M rows", file, contestants, small, all_rows, "DuckDB")


def cases(rows: int, votes: int) -> list[Case]:
    names = [f"{kind}.{form}" for kind in ("names", "numbers") for form in ("csv", "parquet")]
    return [*(case(name, rows, GROUPING) for name in names), case("votes.jsonl", votes, JSON)]


def all_rows(path: Path, rows: int) -> dict[str, float]:
    assert rows == int(path.name.split("-")[0])
    return {}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = Path(folder)
        main(cases(2_000_000, 500_000), cases(10_000_000, 2_000_000))
