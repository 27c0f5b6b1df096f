"""Rows past memory: podium's counting beside a bare group-by of DuckDB, in processes of their own.

The script writes Parquet files of three million rows each: 100,000 players, each with about 100 opponents,
named as text. podium keeps to a memory limit. The group-by may use all memory there is, since it fails on 300
million rows within the same limit.

    python benchmarks/scale.py [--case PATTERN] [--full]
    python benchmarks/scale.py --save [--files 4 10 30 100] [--folder FOLDER]

With ``--save``, the table goes to benchmarks/results/scale.csv, and docs/assets/scale.svg is drawn from it.
``--draw`` only draws.
"""

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measuring.alone import measured_alone
from measuring.cases import Case, Contestant
from measuring.turns import main

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


def same(files: list[str], found: int) -> dict[str, float]:
    return {"distinct": found}


def case(size: int, rows: int, folder: Path) -> Case:
    """Both sides on so many files, which are written if they are not there."""

    def files() -> list[str]:
        paths = [folder / f"games-{rows}-{seed:03d}.parquet" for seed in range(size)]
        for seed, path in enumerate(paths):
            if not path.exists():
                write_file(path, seed, rows)
        return [str(path) for path in paths]

    who = {"podium": Contestant(podium, patience=600), "DuckDB": Contestant(bare, "duckdb", patience=600)}
    return Case(f"{size * rows / 1e6:g}M rows in {size} files", files, who, reference="DuckDB")


def grown(sizes: Sequence[int], rows: int, folder: Path) -> Iterator[dict[str, float]]:
    """Both sides on more and more files."""
    for size in sizes:
        one = replace(case(size, rows, folder), check=same)
        files = one.make()
        floor, ours = measured_alone(one, "DuckDB", files), measured_alone(one, "podium", files)
        assert floor["distinct"] == ours["distinct"]
        row = {
            "rows": size * rows,
            "distinct": ours["distinct"],
            "bare_s": round(floor["seconds"], 2),
            "podium_s": round(ours["seconds"], 2),
            "peak_gib": round(ours["memory"] / 2**10, 2),
        }
        print(row, flush=True)
        yield row


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


def grow() -> None:
    """The command line with ``--save`` and ``--draw``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[4, 10, 30, 100], help="numbers of files")
    parser.add_argument("--folder", type=Path, help="keep the files here, and use those of an earlier run")
    parser.add_argument("--save", action="store_true", help=f"write {TABLE.relative_to(ROOT)} and draw it")
    parser.add_argument("--draw", action="store_true", help="only draw the table that was saved")
    options = parser.parse_args()
    if options.save:
        with nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as folder:
            save(list(grown(sorted(options.files), ROWS, Path(folder))))
    draw(PICTURE, DARK_PICTURE)


if __name__ == "__main__":
    if {"--save", "--draw"} & {*sys.argv}:
        grow()
    else:
        with tempfile.TemporaryDirectory() as folder:
            small, large = case(2, 500_000, Path(folder)), case(10, ROWS, Path(folder))
            main([small], [large])
