"""Rows past memory: podium's counting beside a bare group-by of DuckDB, in processes of their own.

The script writes Parquet files of three million rows each: 100,000 players, each with about 100 opponents,
chosen and named as text. podium keeps to a limit of memory. The group-by may use all memory there is: within
the same limit it fails on 300 million rows.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ITEMS, OPPONENTS, ROWS = 100_000, 100, 3_000_000
MEMORY = "2GB"


def write_file(path: Path, seed: int, rows: int) -> None:
    """One file of games; players are drawn at random, opponents from the neighbours in a ring."""
    rng = np.random.default_rng(seed)
    names = pa.array([f"player-{k:06d}" for k in range(ITEMS)])
    one = rng.integers(0, ITEMS, rows)
    other = (one + 1 + rng.integers(0, OPPONENTS // 2, rows)) % ITEMS
    swapped = rng.random(rows) < 0.5
    sides = np.where(swapped, other, one), np.where(swapped, one, other)
    winner = rng.choice(3, rows, p=[0.45, 0.1, 0.45]).astype(np.int8)
    columns = {
        "left": pa.DictionaryArray.from_arrays(pa.array(sides[0].astype(np.int32)), names),
        "right": pa.DictionaryArray.from_arrays(pa.array(sides[1].astype(np.int32)), names),
        "winner": pa.DictionaryArray.from_arrays(pa.array(winner), pa.array(["left", "tie", "right"])),
    }
    pq.write_table(pa.table(columns), path, compression="zstd")


def bare(files: list[str]) -> int:
    """The group-by that any solution needs."""
    import duckdb

    connection = duckdb.connect(config={"preserve_insertion_order": "false"})
    games = connection.read_parquet(files)
    query = 'SELECT "left", "right", winner, count(*) FROM games GROUP BY ALL'
    return int(games.query("games", query).to_arrow_table().num_rows)


def podium(files: list[str]) -> int:
    """The same as Comparisons that models take."""
    from podium import read_comparisons

    return len(read_comparisons(files, counted=True, memory=MEMORY))


def measured(what: str, files: list[str]) -> dict[str, Any]:
    """Run one side in a process of its own."""
    command = [sys.executable, __file__, "--run", what]
    done = subprocess.run(command, input=json.dumps(files), stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(what: str) -> None:
    """What a process measures of itself; imports are not counted."""
    import duckdb  # noqa: F401

    import podium as _  # noqa: F401

    files = json.load(sys.stdin)
    began, cpu = time.perf_counter(), time.process_time()
    rows = {"bare": bare, "podium": podium}[what](files)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"rows": rows, "s": seconds, "cpu": time.process_time() - cpu, "peak": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[4, 10, 30, 100], help="numbers of files")
    parser.add_argument("--folder", type=Path, help="keep the files here, and use those of an earlier run")
    parser.add_argument("--quick", action="store_true", help="two small files")
    parser.add_argument("--run", choices=["bare", "podium"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run)
        return
    sizes, rows = ([1, 2], 200_000) if options.quick else (sorted(options.files), ROWS)
    with nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as folder:
        files: list[str] = []
        print(
            f"{'rows':>12} {'distinct':>12} {'bare':>9} {'podium':>9} {'times':>6} {'CPU':>6} {'peak GiB':>9}"
        )
        for size in sizes:
            for seed in range(len(files), size):
                path = Path(folder) / f"games-{rows}-{seed:03d}.parquet"
                files.append(str(path))
                if not path.exists():
                    write_file(path, seed, rows)
            floor, ours = measured("bare", files), measured("podium", files)
            assert floor["rows"] == ours["rows"]
            print(
                f"{size * rows:12,} {ours['rows']:12,} {floor['s']:8.1f}s {ours['s']:8.1f}s "
                f"{ours['s'] / floor['s']:6.2f} {ours['cpu'] / floor['cpu']:6.2f} {ours['peak']:9.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
