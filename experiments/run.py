"""Run the experiments and write the page of the papers.

    PODIUM_DATA=... python -m experiments.run [--quick] [name ...]

The full run writes `docs/papers.md`, its pictures, and the numbers of every cell to `experiments/results`;
the quick one writes the same to `build/papers-quick`. Each also runs alone: `python -m experiments.<name>`.
"""

import argparse
import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path

import joblib

import experiments
from experiments.cells import run_cells
from experiments.experiment import Experiment
from experiments.page import Result, write_page, write_result

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Place:
    """Where a run keeps what: the cache is shared, what it makes is not."""

    cache: Path
    results: Path
    docs: Path

    @classmethod
    def of(cls, quick: bool, root: Path = ROOT) -> "Place":
        made = root / "build" / "papers-quick" if quick else root
        return cls(root / "build" / "cells", made / "experiments" / "results", made / "docs")


def all_experiments() -> list[Experiment]:
    """Every module of this folder that describes one, in the order of their names, the papers first."""
    names = [module.name for module in pkgutil.iter_modules(experiments.__path__)]
    names.sort(key=lambda name: (not name.startswith("seed"), name))
    modules = [importlib.import_module(f"experiments.{name}") for name in names]
    return [module.EXPERIMENT for module in modules if hasattr(module, "EXPERIMENT")]


def run(experiment: Experiment, quick: bool, place: Place, n_jobs: int) -> None:
    """Compute what is missing of one experiment and write its numbers, picture and part of the page."""
    left_out = len(experiment.cells(quick)) - len(experiment.possible_cells(quick))
    if left_out:
        print(
            f"{experiment.name}: {left_out} cells left out, since PODIUM_DATA names no folder with their data"
        )
    if not experiment.possible_cells(quick):
        return
    frame = run_cells(experiment, quick, place.cache, n_jobs)
    result = Result(experiment, experiment.report(frame), frame, quick)
    write_result(result, place.results, place.docs)
    write_page(all_experiments(), place.docs)
    print(f"{experiment.name}: {result.cost}. {result.report.sentence}")


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="The tables and figures of the papers, computed with podium."
    )
    parser.add_argument(
        "--quick", action="store_true", help="minutes, not hours: fewer repetitions, smaller sizes"
    )
    parser.add_argument(
        "--jobs", type=int, default=joblib.cpu_count(), help="processes (as many as there are cores)"
    )
    return parser


def main(experiment: Experiment) -> None:
    """Run one experiment alone: what every file of this folder does when it is called."""
    options = arguments().parse_args()
    run(experiment, options.quick, Place.of(options.quick), options.jobs)


def main_all() -> None:
    parser = arguments()
    parser.add_argument("names", nargs="*", help="experiments to run (all)")
    options = parser.parse_args()
    known = {experiment.name: experiment for experiment in all_experiments()}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"there is no experiment {', '.join(unknown)}; there are {', '.join(known)}")
    place = Place.of(options.quick)
    for name in options.names or known:
        run(known[name], options.quick, place, options.jobs)
    print(f"wrote {place.docs / 'papers.md'}")


if __name__ == "__main__":
    main_all()
