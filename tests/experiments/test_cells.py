import json
from dataclasses import replace
from pathlib import Path

import pytest

from experiments import svmcompare_figure2
from experiments.cells import run_cells
from experiments.experiment import Experiment
from experiments.run import ROOT, all_experiments, main
from experiments.sources import CHANGED, UNKNOWN
from tests.experiments.squares import never, square, squares


def test_a_full_run_computes_only_what_a_quick_one_left(tmp_path: Path) -> None:
    asked = []

    def compute(x: int) -> dict[str, float]:
        asked.append(x)
        return square(x)

    assert list(run_cells(squares(compute), True, tmp_path, 1, "now")["square"]) == [0, 1]
    assert list(run_cells(squares(compute), False, tmp_path, 1, "now")["square"]) == [0, 1, 4, 9]
    assert asked == [0, 1, 2, 3]
    assert len(run_cells(squares(never), False, tmp_path, 1, "now")) == 4


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    def dies(x: int) -> dict[str, float]:
        if x == 2:
            raise KeyboardInterrupt
        return square(x)

    with pytest.raises(KeyboardInterrupt):
        run_cells(squares(dies), False, tmp_path, 1, "now")
    with (tmp_path / "squares.jsonl").open("a") as file:
        file.write('{"cell": {"x": 2}, "res')  # the run died within a line
    frame = run_cells(squares(square), False, tmp_path, 1, "now")
    assert list(frame["square"]) == [0, 1, 4, 9]
    lines = (tmp_path / "squares.jsonl").read_text().splitlines()
    whole = [line for line in lines if line.endswith("}}")]
    assert sorted(json.loads(line)["cell"]["x"] for line in whole) == [0, 1, 2, 3]


def test_a_cell_keeps_the_state_of_the_code_that_computed_it(tmp_path: Path) -> None:
    run_cells(squares(square), True, tmp_path, 1, "then")
    frame = run_cells(squares(square), False, tmp_path, 1, "now")
    assert list(frame["state"]) == ["then", "then", "now", "now"]


def test_a_cell_that_does_not_say_what_computed_it_is_computed_again(tmp_path: Path) -> None:
    (tmp_path / "squares.jsonl").write_text('{"cell": {"x": 1}, "result": {"square": 7, "seconds": 0}}\n')
    assert list(run_cells(squares(square), True, tmp_path, 1, "now")["square"]) == [0, 1]


def test_a_fresh_run_computes_what_the_present_code_did_not(tmp_path: Path) -> None:
    asked = []

    def compute(x: int) -> dict[str, float]:
        asked.append(x)
        return {"square": -x}

    run_cells(squares(square), False, tmp_path, 1, "then")
    run_cells(squares(compute), True, tmp_path, 1, "now", fresh=True)
    frame = run_cells(squares(compute), False, tmp_path, 1, "now", fresh=True)
    assert asked == [0, 1, 2, 3]
    assert list(frame["square"]) == [0, -1, -2, -3]
    assert set(frame["state"]) == {"now"}
    assert list(run_cells(squares(never), False, tmp_path, 1, "later")["square"]) == [0, -1, -2, -3]


@pytest.mark.parametrize("vague", [UNKNOWN, CHANGED])
def test_a_fresh_run_does_not_trust_a_state_without_its_commit(tmp_path: Path, vague: str) -> None:
    state = f"podium 0.2.0{vague}"
    run_cells(squares(lambda x: {"square": -x}), True, tmp_path, 1, state)
    assert list(run_cells(squares(square), True, tmp_path, 1, state, fresh=True)["square"]) == [0, 1]


def test_cells_without_their_data_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PODIUM_DATA", raising=False)
    experiment = replace(squares(square), needs=lambda cell: "odd" if cell["x"] % 2 else None)
    assert list(run_cells(experiment, False, tmp_path, 1, "now")["square"]) == [0, 4]
    (tmp_path / "data" / "odd").mkdir(parents=True)
    monkeypatch.setenv("PODIUM_DATA", str(tmp_path / "data"))
    assert list(run_cells(experiment, False, tmp_path, 1, "now")["square"]) == [0, 1, 4, 9]


@pytest.mark.parametrize("experiment", all_experiments(), ids=lambda experiment: experiment.name)
def test_every_experiment_is_named_after_its_file(experiment: Experiment) -> None:
    assert (ROOT / "experiments" / f"{experiment.name}.py").exists()
    cells = experiment.cells(True)
    assert cells
    assert len(cells) < len(experiment.cells(False))


def test_a_file_that_is_called_runs_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of ``__main__`` cannot be sent to other processes."""
    ran: list[Experiment] = []
    monkeypatch.setattr("sys.argv", ["svmcompare_figure2"])
    monkeypatch.setattr("experiments.run.run_all", lambda chosen, _: ran.extend(chosen))
    main(replace(svmcompare_figure2.EXPERIMENT, compute=square))
    assert ran == [svmcompare_figure2.EXPERIMENT]
