from pathlib import Path

import pytest

from experiments import sources
from experiments.sources import HERE, own_files, state_of


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one file, and an experiment that imports a helper."""
    for name, text in {
        "podium/solvers/fit.py": "answer = 42",
        "experiments/figure.py": "from experiments.helper import draw\nfrom experiments.run import main\n",
        "experiments/helper.py": "draw = None",
        "experiments/other.py": "",
        "experiments/run.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sources, "HERE", tmp_path / "experiments")
    monkeypatch.setattr(sources, "PODIUM", tmp_path / "podium")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "matters"),
    [
        ("podium/solvers/fit.py", True),
        ("podium/new.py", True),
        ("experiments/figure.py", True),
        ("experiments/helper.py", True),
        ("experiments/other.py", False),
        ("experiments/run.py", False),
    ],
)
def test_the_state_changes_with_what_computes(copied: Path, changed: str, matters: bool) -> None:
    before = state_of("figure")
    assert before == state_of("figure")
    with (copied / changed).open("a") as file:
        file.write("\n# another line")
    assert (state_of("figure") != before) == matters


def test_helpers_of_the_experiments_are_found() -> None:
    assert own_files("preference_game_figures") == {
        HERE / "preference_game_figures.py",
        HERE / "preference_game_table2.py",
    }
    assert HERE / "chess_features.py" in own_files("svmcompare_figure6")


def test_the_machinery_is_what_describes_no_experiment() -> None:
    """Every file is an experiment, is imported by one, or is listed as computing no numbers."""
    names = {path.stem for path in HERE.glob("*.py")} - {"__init__"}
    experiments = {name for name in names if "EXPERIMENT = " in (HERE / f"{name}.py").read_text("utf-8")}
    helpers = {path.stem for name in experiments for path in own_files(name)}
    assert names - helpers == sources.MACHINERY
