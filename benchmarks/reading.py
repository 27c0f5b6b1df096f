"""Reading beside a bare group-by: a file to `Comparisons`, and DuckDB and polars counting its distinct rows.

    python benchmarks/reading.py [--rows 10000000] [--votes 2000000] [--repeat 3]

Counting the distinct (left, right, outcome) of a file is the least that any aggregation has to do. JSON lines
are votes of an arena, read beside DuckDB's own read_json, which should not be faster by more than 1.3 times.
Every run is a process of its own, so that peak memory is its own too; imports are done, and one small file
read, before the clock starts. The best of the repeats counts. The files are written to a temporary folder.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

N_ITEMS = 10_000
N_MODELS = 200
SMALL = 1_000


def write_votes(folder: Path, rows: int) -> Path:
    """Votes of an arena of language models as JSON lines, and a small file of them to warm up on."""
    rng = np.random.default_rng(0)
    models = [f"model-{k}" for k in range(N_MODELS)]
    left = rng.integers(0, N_MODELS, rows)
    right = (left + rng.integers(1, N_MODELS, rows)) % N_MODELS
    winner = np.array(["model_a", "model_b", "tie", "tie (bothbad)"])[rng.integers(0, 4, rows)]
    path, small = folder / "votes.jsonl", folder / "votes-small.jsonl"
    with path.open("w") as out, small.open("w") as few:
        for k, (a, b, said) in enumerate(zip(left.tolist(), right.tolist(), winner.tolist(), strict=True)):
            vote = {"question_id": f"{k:016x}", "model_a": models[a], "model_b": models[b], "winner": said}
            vote |= {"judge": f"arena_user_{k % 9_999}", "turn": 1 + k % 3, "tstamp": 1682351591.25 + k}
            line = json.dumps(vote) + "\n"
            out.write(line)
            if k < SMALL:
                few.write(line)
    return path


def write_files(folder: Path, rows: int) -> list[Path]:
    """Names and numbers as labels, each as CSV and as Parquet, and a small one of each to warm up on."""
    rng = np.random.default_rng(0)
    names = pa.array([f"player_{i:05d}" for i in rng.permutation(N_ITEMS)])
    left = rng.integers(0, N_ITEMS, rows)
    right = (left + rng.integers(1, N_ITEMS, rows)) % N_ITEMS
    outcome = rng.integers(0, 3, rows)
    tables = {
        "names": pa.table(
            {
                "white": names.take(pa.array(left)),
                "black": names.take(pa.array(right)),
                "result": pa.array(["1-0", "1/2-1/2", "0-1"]).take(pa.array(outcome)),
            }
        ),
        "numbers": pa.table({"white": left, "black": right, "result": outcome - 1}),
    }
    paths = []
    for kind, table in tables.items():
        for size, part in (("", table), ("-small", table.slice(0, SMALL))):
            csv, parquet = folder / f"{kind}{size}.csv", folder / f"{kind}{size}.parquet"
            pa_csv.write_csv(part, csv, pa_csv.WriteOptions(quoting_style="none"))
            pq.write_table(part, parquet)
            paths += [] if size else [csv, parquet]
    return paths


def read_with_podium(path: str) -> int:
    import podium

    return len(podium.read_comparisons(path))


def group_with_duckdb(path: str) -> int:
    import duckdb

    query = f"select white, black, result, count(*) as n from '{path}' group by all"
    return int(duckdb.sql(query).fetchnumpy()["n"].sum())


def read_with_duckdb(path: str) -> int:
    import duckdb

    return int(duckdb.read_json(path).project("model_a, model_b, winner").to_arrow_table().num_rows)


def group_with_polars(path: str) -> int:
    import polars as pl

    scan = pl.scan_csv(path) if path.endswith(".csv") else pl.scan_parquet(path)
    return int(scan.group_by("white", "black", "result").len().collect(engine="streaming")["len"].sum())


CONTESTANTS: dict[str, Callable[[str], int]] = {
    "podium": read_with_podium,
    "DuckDB": group_with_duckdb,
    "polars": group_with_polars,
    "read_json": read_with_duckdb,
}
GROUPING = ("podium", "DuckDB", "polars")


def run_alone(contestant: str, path: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--alone", contestant, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def time_alone(contestant: str, path: str) -> None:
    run = CONTESTANTS[contestant]
    small = Path(path)
    run(str(small.with_name(f"{small.stem}-small{small.suffix}")))
    start = time.perf_counter()
    rows = run(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "peak": peak, "rows": rows}))


def compare(rows: int, votes: int, repeat: int) -> None:
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        table = _table(f"{rows:,} rows, {N_ITEMS:,} items", GROUPING, repeat)
        for path in write_files(Path(folder), rows):
            _add(table, path, GROUPING, rows, repeat)
        console.print(table)
        beside = ("podium", "read_json")
        table = _table(f"{votes:,} votes on {N_MODELS} models, JSON lines", beside, repeat)
        _add(table, write_votes(Path(folder), votes), beside, votes, repeat)
        console.print(table)


def _table(title: str, contestants: Sequence[str], repeat: int) -> Table:
    table = Table(title=f"{title}; best of {repeat}")
    for heading in ("file", *contestants, "podium / faster peer", "podium's peak"):
        table.add_column(heading, justify="left" if heading == "file" else "right")
    return table


def _add(table: Table, path: Path, contestants: Sequence[str], rows: int, repeat: int) -> None:
    runs = {name: [run_alone(name, path) for _ in range(repeat)] for name in contestants}
    assert all(run["rows"] == rows for each in runs.values() for run in each)
    best = {name: min(run["seconds"] for run in each) for name, each in runs.items()}
    ratio = best["podium"] / min(best[name] for name in contestants[1:])
    peak = max(run["peak"] for run in runs["podium"])
    times = [f"{best[name]:.2f} s" for name in contestants]
    table.add_row(path.name, *times, f"{ratio:.2f}", f"{peak:.2f} GiB")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--votes", type=int, default=2_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a million rows, a fifth as many votes, once")
    parser.add_argument("--alone", nargs=2, metavar=("WHO", "PATH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.quick:
        options.rows, options.votes, options.repeat = 1_000_000, 200_000, 1
    if options.alone:
        time_alone(*options.alone)
    else:
        compare(options.rows, options.votes, options.repeat)


if __name__ == "__main__":
    main()
