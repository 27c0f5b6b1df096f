"""The experiments of `make papers-quick` that need no data, from the cells to the page."""

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.experiment import Cell, Experiment
from experiments.run import Place, all_experiments, run


def once(cells: list[Cell]) -> list[Cell]:
    """One repetition of every setting."""
    return [cell for cell in cells if cell.get("seed", 0) == 0]


@pytest.mark.slow
@pytest.mark.parametrize("experiment", all_experiments(), ids=lambda experiment: experiment.name)
def test_quick_simulations_reach_the_page(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PODIUM_DATA", raising=False)
    if not experiment.possible_cells(True):
        pytest.skip("it needs real data")
    place = Place.of(True, tmp_path)
    run(replace(experiment, cells=lambda quick: once(experiment.cells(quick))), True, place, n_jobs=1)
    assert experiment.title in (place.results / f"{experiment.name}.md").read_text(encoding="utf-8")
