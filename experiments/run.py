"""Run the experiments and write the page of the papers.

    PODIUM_DATA=... python -m experiments.run [--quick] [--fresh] [name ...]

The full run writes `docs/papers.md`, its pictures, and the numbers of every cell to `experiments/results`;
the quick one writes the same to `build/papers-quick`. To run one experiment alone, use
`python -m experiments.<name>`. Finished cells are not computed again, unless you pass --fresh. A full run
skips an experiment if some of its data are missing, because a partial result would overwrite a complete one.
"""

import argparse
import importlib
import pkgutil
import sys
from dataclasses import dataclass
from pathlib import Path

import joblib

import experiments
from experiments.cells import run_cells
from experiments.experiment import Experiment
from experiments.page import write_page, write_result
from experiments.sources import state_of

ROOT = Path(__file__).parents[1]
PAPERS = ("svmcompare", "lecture", "swapped_pairs", "preference_game", "generalized_bt", "beyond", "dynamics")


@dataclass(frozen=True)
class Place:
    """Where a run stores its files: quick and full runs share the cache, but not the output."""

    cache: Path
    results: Path
    docs: Path

    @classmethod
    def of(cls, quick: bool, root: Path = ROOT) -> "Place":
        made = root / "build" / "papers-quick" if quick else root
        return cls(root / "build" / "cells", made / "experiments" / "results", made / "docs")


def all_experiments() -> list[Experiment]:
    """The experiments of all modules in this folder, paper by paper."""
    names = [module.name for module in pkgutil.iter_modules(experiments.__path__)]
    names = sorted(name for name in names if name.startswith(PAPERS))
    names.sort(key=lambda name: [name.startswith(paper) for paper in PAPERS], reverse=True)
    modules = [importlib.import_module(f"experiments.{name}") for name in names]
    return [module.EXPERIMENT for module in modules if hasattr(module, "EXPERIMENT")]


def run(experiment: Experiment, quick: bool, place: Place, n_jobs: int, fresh: bool = False) -> bool:
    """Compute the missing cells of one experiment and write its numbers, picture and section of the page.

    Returns False if it was skipped because data are missing. A missing package ends the run.
    """
    missing = experiment.missing_data(quick)
    if missing and not (quick and experiment.possible_cells(quick)):
        print(f"{experiment.name}: skipped, nothing written: the folder PODIUM_DATA lacks {missing}")
        return False
    if packages := experiment.missing_packages():
        sys.exit(f"{experiment.name} needs {packages}; install with: pip install --editable '.[papers]'")
    state = state_of(experiment.name)
    frame = run_cells(experiment, quick, place.cache, n_jobs, state, fresh)
    result = write_result(experiment, frame, quick, place.results, place.docs)
    write_page(all_experiments(), place.docs)
    print(f"{experiment.name}: {result.cost}. {result.report.sentence}")
    other = int((frame["state"] != state).sum())
    if other:
        print(f"{other:,} of these cells were not computed by the present code, {state}; use --fresh")
    return True


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="The tables and figures of the papers, computed with podium."
    )
    parser.add_argument(
        "--quick", action="store_true", help="take minutes instead of hours: fewer repetitions, smaller sizes"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=joblib.cpu_count(),
        help="number of processes (default: the number of cores)",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="recompute every cell that the present code did not compute"
    )
    return parser


def main(experiment: Experiment) -> None:
    """Run one experiment alone, as every file of this folder does when it is run as a script.

    It imports the module again, because other processes cannot find functions of ``__main__``.
    """
    run_all([importlib.import_module(f"experiments.{experiment.name}").EXPERIMENT], arguments().parse_args())


def main_all() -> None:
    parser = arguments()
    parser.add_argument("names", nargs="*", help="experiments to run (default: all)")
    options = parser.parse_args()
    known = {experiment.name: experiment for experiment in all_experiments()}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"there is no experiment {', '.join(unknown)}; there are {', '.join(known)}")
    run_all([known[name] for name in options.names or known], options)


def run_all(chosen: list[Experiment], options: argparse.Namespace) -> None:
    """Run the experiments one after the other, and say at the end how many were skipped for missing data."""
    place = Place.of(options.quick)
    ran = [run(each, options.quick, place, options.jobs, options.fresh) for each in chosen]
    if any(ran):
        print(f"wrote {place.docs / 'papers.md'}")
    if not all(ran):
        print(
            f"{ran.count(False)} of {len(ran)} experiments were skipped, because their data are missing; "
            "set PODIUM_DATA to the folder with the data"
        )


if __name__ == "__main__":
    main_all()
