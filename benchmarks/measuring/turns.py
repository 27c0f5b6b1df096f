"""Run the cases of one script: contestants take turns, and the best of a few turns counts."""

import argparse
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from measuring.alone import Found, measured_alone, reason
from measuring.cases import Case
from measuring.table import Results, Row, digits, memory_text

PRELOADED = ("numba", "pandas", "scipy.sparse.linalg", "sklearn.linear_model", "sklearn.svm")
LONG = 4.0  # seconds; whoever takes longer gets one turn
PATIENT = 10  # ``--full`` waits so many times as long


def main(cases: Sequence[Case], more: Sequence[Case] = ()) -> None:
    """The command line of a script; ``more`` are cases that take too long for every day."""
    script = Path(sys.argv[0]).name
    doc = sys.modules["__main__"].__doc__
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="*", metavar="PATTERN", help="only these cases, such as '*ties*'")
    parser.add_argument(
        "--full", action="store_true", help="also long cases, and more patience with everyone"
    )
    parser.add_argument("--table", type=Path, help="write the rows to this CSV file")
    parser.add_argument("--budget", type=float, default=np.inf, help="start no case after this many seconds")
    options = parser.parse_args()
    chosen = [*cases, *more] if options.full else cases
    results = Results()
    deadline = time.monotonic() + options.budget
    for case in chosen:
        if not fnmatchcase(case.name, options.case):
            continue
        if time.monotonic() > deadline:
            rows = [Row(script, case.name, who, note="not run: no time left") for who in case.contestants]
        else:
            rows = list(measured(script, patient(case) if options.full else case, deadline))
        results = Results([*results.rows.values(), *rows])
        if options.table:
            results.write(options.table)


def patient(case: Case) -> Case:
    waiting = {who: replace(one, patience=PATIENT * one.patience) for who, one in case.contestants.items()}
    return replace(case, contestants=waiting)


def measured(script: str, case: Case, deadline: float) -> Iterator[Row]:
    """The rows of a case, printed as soon as the last turn is over."""
    left = deadline - time.monotonic()
    clock = "" if np.isinf(left) else f"  ({left / 60:.1f} minutes left)"
    print(f"{script}  {case.name}{clock}", flush=True)
    for module in PRELOADED:  # so that not every process has to
        import_module(module)
    try:
        problem = case.make()
    except Exception as error:  # for example because PODIUM_DATA is not set
        yield from (Row(script, case.name, who, note=reason(error)) for who in case.contestants)
        return
    found: dict[str, Found] = {}
    for turn in range(case.repeat):
        for who in case.contestants:
            if turn == 0 or worth_another(case, who, found[who], deadline):
                one = measured_alone(case, who, problem)
                found[who] = min(found.get(who, one), one, key=lambda run: run.get("seconds", np.inf))
    for who in case.contestants:
        row = row_of(script, case, who, found[who])
        show(row)
        yield row


def worth_another(case: Case, who: str, found: Found, deadline: float) -> bool:
    """Only podium and the reference are compared with earlier tables, so the others get one turn."""
    compared = who.startswith("podium") or who == case.reference
    return compared and found.get("seconds", np.inf) < LONG and time.monotonic() < deadline


def row_of(script: str, case: Case, who: str, found: Found) -> Row:
    reference = case.reference if who.startswith("podium") else ""
    return Row(script, case.name, who, reference, **found, **circumstances(case.contestants[who].package))


def circumstances(package: str) -> dict[str, Any]:
    """When and with which versions; nothing that names the machine."""
    try:
        own = f"{package} {version(package)}"
    except PackageNotFoundError:
        own = ""
    return {
        "date": f"{date.today()}",
        "processors": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "version": own,
    }


def show(row: Row) -> None:
    facts = [f"{name} {getattr(row, name):.0e}" for name in ("gap", "gradient") if getattr(row, name) >= 0]
    facts += [f"error {100 * row.error:.2f} %"] if row.error >= 0 else []
    facts += [memory_text(row.memory)] if row.memory >= 0 else []
    facts += [row.note] if row.ended and row.note else []
    seconds = f"{digits(row.seconds, 3)} s" if row.ended else row.outcome
    print(f"    {row.who:40} {seconds:>12}  {', '.join(facts)}", flush=True)
