import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from experiments.cells import run_cells
from experiments.experiment import Experiment, Report
from experiments.page import Result, write_page, write_result
from experiments.run import Place, all_experiments


def squares(compute: Any) -> Experiment:
    return Experiment(
        name="squares",
        paper="A paper",
        title="Table 1: squares",
        cells=lambda quick: [{"x": x} for x in range(2 if quick else 4)],
        compute=compute,
        report=lambda frame: Report(f"The largest is {frame['square'].max():g}.", frame[["x", "square"]]),
    )


def square(x: int) -> dict[str, float]:
    return {"square": x * x}


def never(x: int) -> dict[str, float]:
    raise AssertionError(f"cell {x} was finished and is computed again")


def test_a_full_run_computes_only_what_a_quick_one_left(tmp_path: Path) -> None:
    asked = []

    def compute(x: int) -> dict[str, float]:
        asked.append(x)
        return square(x)

    assert list(run_cells(squares(compute), True, tmp_path, 1)["square"]) == [0, 1]
    assert list(run_cells(squares(compute), False, tmp_path, 1)["square"]) == [0, 1, 4, 9]
    assert asked == [0, 1, 2, 3]
    assert len(run_cells(squares(never), False, tmp_path, 1)) == 4


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    def dies(x: int) -> dict[str, float]:
        if x == 2:
            raise KeyboardInterrupt
        return square(x)

    with pytest.raises(KeyboardInterrupt):
        run_cells(squares(dies), False, tmp_path, 1)
    with (tmp_path / "squares.jsonl").open("a") as file:
        file.write('{"cell": {"x": 2}, "res')  # the power went off within a line
    frame = run_cells(squares(square), False, tmp_path, 1)
    assert list(frame["square"]) == [0, 1, 4, 9]
    lines = (tmp_path / "squares.jsonl").read_text().splitlines()
    whole = [line for line in lines if line.endswith("}}")]
    assert sorted(json.loads(line)["cell"]["x"] for line in whole) == [0, 1, 2, 3]


def test_the_page_has_a_part_for_every_experiment_that_ended(tmp_path: Path) -> None:
    place = Place.of(False, tmp_path)
    experiment = squares(square)
    frame = run_cells(experiment, False, place.cache, 1)
    write_result(Result(experiment, experiment.report(frame), frame, False), place.results, place.docs)
    page = write_page([experiment], place.docs).read_text()
    assert "## A paper\n" in page
    assert "The largest is 9." in page
    assert "| 3 | 9.0 |" in page
    assert pd.read_csv(place.results / "squares.csv")["square"].tolist() == [0, 1, 4, 9]


def test_cells_without_their_data_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PODIUM_DATA", raising=False)
    experiment = replace(squares(square), needs=lambda cell: "odd" if cell["x"] % 2 else None)
    assert list(run_cells(experiment, False, tmp_path, 1)["square"]) == [0, 4]
    (tmp_path / "data" / "odd").mkdir(parents=True)
    monkeypatch.setenv("PODIUM_DATA", str(tmp_path / "data"))
    assert list(run_cells(experiment, False, tmp_path, 1)["square"]) == [0, 1, 4, 9]


@pytest.mark.parametrize("experiment", all_experiments(), ids=lambda experiment: experiment.name)
def test_every_experiment_is_named_after_its_file(experiment: Experiment) -> None:
    assert (Path("experiments") / f"{experiment.name}.py").exists()
    cells = experiment.cells(True)
    assert cells
    assert len(cells) < len(experiment.cells(False))
