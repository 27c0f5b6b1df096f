"""Run every benchmark within 15 minutes, and write one table: benchmarks/results/benchmarks.csv.

    python benchmarks/run.py [--only SCRIPT ...] [--compare [TABLE]]     measure, then compare
    python benchmarks/run.py --compare OLD NEW                           compare two tables, measure nothing
    python benchmarks/run.py --full                                      long cases too, into results/full.csv

``--compare`` names every line of podium that became slower by more than 10 %, and then exits with 1. If the
case has a reference, the ratio to its seconds in the same run counts, so that a busy machine matters less.
The old table is the last committed one unless another is named. With ``--only``, the table keeps the rows of
the other scripts. gpu.py is not run: it needs another machine.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from measuring.comparison import compare
from measuring.table import FULL_TABLE, TABLE, Results

FOLDER = Path(__file__).parent
NOT_RUN = {"run.py", "gpu.py"}
SCRIPTS = [path.name for path in sorted(FOLDER.glob("*.py")) if path.name not in NOT_RUN]
MINUTES, FULL_MINUTES = 15.0, 600.0
GREEDY = 4  # a script may take this many times its share of the time that is left
RESERVE = 30.0  # seconds that the last case may take longer than the budget of its script


def measure(scripts: list[str], minutes: float, full: bool) -> tuple[Results, list[str]]:
    """The rows of all scripts that ran, and the names of those that broke."""
    deadline = time.monotonic() + 60 * minutes
    results, broken = Results(), []
    with tempfile.TemporaryDirectory() as folder:
        for number, script in enumerate(scripts):
            table, left = Path(folder) / f"{script}.csv", deadline - time.monotonic()
            left = min(left, GREEDY * left / (len(scripts) - number))
            options = ["--table", str(table), "--budget", f"{max(left - RESERVE, 0):.0f}"]
            command = [sys.executable, str(FOLDER / script), *options, *(["--full"] if full else [])]
            if not ended_well(command, max(left, RESERVE)):
                broken.append(script)
            if table.exists():
                results = results.with_scripts_of(Results.read(table))
    return results, broken


def ended_well(command: list[str], limit: float) -> bool:
    """Run it, and end it with all processes that it started if it takes too long."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def committed() -> Results:
    """The table of the last commit."""
    command = ["git", "show", f"HEAD:./{TABLE.relative_to(FOLDER)}"]
    shown = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True)
    return Results.from_text(shown.stdout)


def report_failures(results: Results, broken: list[str]) -> bool:
    """Name what did not run, and say whether podium was among it."""
    failed = [row for row in results.rows.values() if not row.ended and row.note]
    named: dict[tuple[str, str, str], list[str]] = {}
    for row in failed:
        named.setdefault((row.script, row.case, row.note), []).append(row.who)
    for (script, case, note), who in named.items():
        print(f"Not measured: {script}, {case}, {'; '.join(who)}: {note}.")
    for script in broken:
        print(f"Broken: {script}.")
    return bool(broken) or any(row.is_podium for row in failed)


def measure_and_write(scripts: list[str], minutes: float, full: bool) -> tuple[Results, bool]:
    """The new table, and whether a script or a line of podium failed; other scripts keep their rows."""
    table, start = FULL_TABLE if full else TABLE, time.monotonic()
    measured, broken = measure(scripts, minutes, full)
    kept = Results.read(table) if table.exists() and scripts != SCRIPTS else Results()
    new = kept.with_scripts_of(measured)
    new.write(table)
    print(f"{len(measured.rows)} rows in {(time.monotonic() - start) / 60:.1f} minutes, in {table}")
    return new, report_failures(measured, broken)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, default=SCRIPTS, metavar="SCRIPT")
    parser.add_argument("--compare", nargs="*", type=Path, metavar="TABLE")
    parser.add_argument("--full", action="store_true", help="long cases too, with more patience")
    parser.add_argument("--minutes", type=float, help="start no case after this many minutes")
    options = parser.parse_args()
    tables = options.compare
    if tables is not None and len(tables) > 2:
        parser.error("--compare takes at most two tables")
    old = Results() if tables is None else Results.read(tables[0]) if tables else committed()
    if tables is not None and len(tables) == 2:
        new, failed = Results.read(tables[1]), False
    else:
        minutes = options.minutes or (FULL_MINUTES if options.full else MINUTES)
        new, failed = measure_and_write(options.only, minutes, options.full)
    if tables is None:
        return int(failed)
    found = compare(old, new)
    print(found)
    return int(failed or bool(found.slower))


if __name__ == "__main__":
    sys.exit(main())
