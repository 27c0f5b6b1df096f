"""The experiments of `make papers-quick` that need no data, from the cells to the page."""

from pathlib import Path

import pytest

from experiments.experiment import Experiment
from experiments.run import Place, all_experiments, run


@pytest.mark.slow
@pytest.mark.parametrize("experiment", all_experiments(), ids=lambda experiment: experiment.name)
def test_quick_simulations_reach_the_page(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PODIUM_DATA", raising=False)
    if not experiment.possible_cells(True):
        pytest.skip("it needs real data")
    place = Place.of(True, tmp_path)
    run(experiment, True, place, n_jobs=1)
    assert experiment.title in (place.results / f"{experiment.name}.md").read_text(encoding="utf-8")
