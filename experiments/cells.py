"""Finished cells are stored, so that a killed run can continue where it stopped.

Each experiment has one file of JSON lines. A single process writes a complete line when a cell is done. Quick
and full runs share the file, because all its arguments identify a cell. If a cell has two lines, the later
one counts. Delete the file to start again.

Each line also stores the state of the code that computed the cell: its version and commit. Computing all
cells takes hours, and most code changes affect none of them. A finished cell is therefore used whatever its
state, and the page says which states there are. A fresh run recomputes the cells that the present code did
not compute.
"""

import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import pandas as pd
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from experiments.experiment import Cell, Experiment
from experiments.sources import is_exact


class Finished(NamedTuple):
    """The numbers of a cell, and the state of the code that computed it."""

    numbers: dict[str, Any]
    state: str


def finished_cells(path: Path) -> dict[str, Finished]:
    """Finished results by cell; incomplete lines, such as the last one of a killed run, are ignored."""
    finished = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
                finished[key_of(record["cell"])] = Finished(record["result"], record["state"])
            except (json.JSONDecodeError, KeyError):
                continue
    return finished


def key_of(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def run_cells(
    experiment: Experiment, quick: bool, cache: Path, n_jobs: int, state: str, fresh: bool = False
) -> pd.DataFrame:
    """Every cell of the experiment with its numbers, computed now or taken from the cache."""
    cells = experiment.possible_cells(quick)
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{experiment.name}.jsonl"
    finished = finished_cells(path)
    if fresh:
        finished = {key: cell for key, cell in finished.items() if cell.state == state and is_exact(state)}
    open_cells = [cell for cell in cells if key_of(cell) not in finished]
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns) as progress, path.open("a", encoding="utf-8") as file:
        task = progress.add_task(experiment.name, total=len(cells), completed=len(cells) - len(open_cells))
        file.write("\n" if path.stat().st_size else "")  # ends an incomplete line of a killed run
        workers = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        for cell, result in workers(joblib.delayed(timed)(experiment.compute, cell) for cell in open_cells):
            finished[key_of(cell)] = Finished(result, state)
            file.write(json.dumps({"state": state, "cell": cell, "result": result}) + "\n")
            file.flush()
            progress.advance(task)
    rows = [(cell, finished[key_of(cell)]) for cell in cells]
    return pd.DataFrame([cell | done.numbers | {"state": done.state} for cell, done in rows])


def timed(compute: Callable[..., dict[str, float]], cell: Cell) -> tuple[Cell, dict[str, float]]:
    """A cell with its numbers, the seconds it took and the number of warnings."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        numbers = {name: float(value) for name, value in compute(**cell).items()}
    return cell, numbers | {"seconds": time.perf_counter() - start, "warnings": float(len(caught))}
