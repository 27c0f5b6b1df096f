"""Rows past memory: podium's counting beside a bare group-by of DuckDB, in processes of their own.

The script writes Parquet files of three million rows each: 100,000 players, each with about 100 opponents,
named as text. podium keeps to a memory limit. The group-by may use all memory there is, since it fails on 300
million rows within the same limit.

With ``--save``, the table goes to benchmarks/results/scale.csv, and docs/assets/scale.svg is drawn from it.
``--draw`` only draws.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ITEMS, OPPONENTS, ROWS = 100_000, 100, 3_000_000
MEMORY = "2GB"
ROOT = Path(__file__).parents[1]
TABLE = ROOT / "benchmarks" / "results" / "scale.csv"
PICTURE, DARK_PICTURE = (ROOT / "docs" / "assets" / name for name in ("scale.svg", "scale-dark.svg"))


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


def grown(sizes: Sequence[int], rows: int, folder: Path) -> Iterator[dict[str, float]]:
    """Both sides on more and more files; the files are written as they are needed."""
    files: list[str] = []
    for size in sizes:
        for seed in range(len(files), size):
            path = folder / f"games-{rows}-{seed:03d}.parquet"
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
        yield {
            "rows": size * rows,
            "distinct": ours["rows"],
            "bare_s": round(floor["s"], 2),
            "podium_s": round(ours["s"], 2),
            "peak_gib": round(ours["peak"], 2),
        }


def save(table: Sequence[dict[str, float]]) -> None:
    TABLE.parent.mkdir(exist_ok=True)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def draw(picture: Path, dark: Path) -> None:
    """Draw the picture for light pages and for dark ones."""
    import matplotlib as mpl

    from podium.plot import dark_mode, style

    for path, mode in ((picture, nullcontext()), (dark, dark_mode())):
        with mode, mpl.rc_context({**style(), "svg.hashsalt": "podium", "svg.fonttype": "none"}):
            drawing().savefig(path, metadata={"Date": None, "Creator": None})


def drawing() -> "Figure":
    """The seconds against the rows, with a line along which the time is proportional to the rows."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator

    from podium.plot import palette

    rows, bare, ours = np.loadtxt(TABLE, delimiter=",", skiprows=1, usecols=(0, 2, 3), ndmin=2).T
    figure = Figure(figsize=(6.5, 3.4), layout="constrained")
    ax = figure.add_subplot()
    ends = np.array([10 ** np.floor(np.log10(rows.min())), 10 ** np.ceil(np.log10(rows.max()))])
    guide = ends * (ours[-1] / rows[-1])
    ax.plot(ends, guide, color=palette().soft, linewidth=1, linestyle="--", label="time proportional to rows")
    ax.plot(rows, ours, "o-", label=f"podium, limited to {MEMORY}")
    ax.plot(rows, bare, "s-", label="bare group-by of DuckDB")
    ax.set(xscale="log", yscale="log", xlabel="million rows", ylabel="seconds")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 3)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1e6:,.0f}"))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    ax.tick_params(which="minor", length=0, labelleft=False, labelbottom=False)
    ax.legend()
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[4, 10, 30, 100], help="numbers of files")
    parser.add_argument("--folder", type=Path, help="keep the files here, and use those of an earlier run")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--quick", action="store_true", help="two small files")
    only.add_argument("--save", action="store_true", help=f"write {TABLE.relative_to(ROOT)} and draw it")
    only.add_argument("--draw", action="store_true", help="only draw the table that was saved")
    only.add_argument("--run", choices=["bare", "podium"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run)
        return
    if not options.draw:
        sizes, rows = ([1, 2], 200_000) if options.quick else (sorted(options.files), ROWS)
        names = (
            f"{'rows':>12} {'distinct':>12} {'bare':>9} {'podium':>9} {'times':>6} {'CPU':>6} {'peak GiB':>9}"
        )
        print(names)
        with nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as folder:
            table = list(grown(sizes, rows, Path(folder)))
        if options.save:
            save(table)
    if options.save or options.draw:
        draw(PICTURE, DARK_PICTURE)


if __name__ == "__main__":
    main()
