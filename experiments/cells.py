"""Finished cells are kept, so that a run that was killed goes on where it was.

One file of JSON lines an experiment: a line is written when its cell is done, by one process, whole. Quick
and full runs share the file, since a cell is known by all its arguments. Delete the file to compute again.
"""

import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from experiments.experiment import Cell, Experiment


def finished_cells(path: Path) -> dict[str, dict[str, Any]]:
    """Results by cell; a last line that a killed run left half-written is not one."""
    finished = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            finished[key_of(record["cell"])] = record["result"]
    return finished


def key_of(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def run_cells(experiment: Experiment, quick: bool, cache: Path, n_jobs: int) -> pd.DataFrame:
    """Every cell of the experiment with its numbers: computed, or as the cache has them."""
    cells = experiment.possible_cells(quick)
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{experiment.name}.jsonl"
    finished = finished_cells(path)
    open_cells = [cell for cell in cells if key_of(cell) not in finished]
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns) as progress, path.open("a", encoding="utf-8") as file:
        task = progress.add_task(experiment.name, total=len(cells), completed=len(cells) - len(open_cells))
        file.write("\n" if path.stat().st_size else "")  # ends what a killed run left half-written
        workers = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        for cell, result in workers(joblib.delayed(timed)(experiment.compute, cell) for cell in open_cells):
            finished[key_of(cell)] = result
            file.write(json.dumps({"cell": cell, "result": result}) + "\n")
            file.flush()
            progress.advance(task)
    return pd.DataFrame([cell | finished[key_of(cell)] for cell in cells])


def timed(compute: Callable[..., dict[str, float]], cell: Cell) -> tuple[Cell, dict[str, float]]:
    """A cell with its numbers, the seconds it took and how often it warned."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        numbers = {name: float(value) for name, value in compute(**cell).items()}
    return cell, numbers | {"seconds": time.perf_counter() - start, "warnings": float(len(caught))}
