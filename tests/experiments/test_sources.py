import shutil
import subprocess
from pathlib import Path

import pytest

import podium
from experiments import sources
from experiments.sources import CHANGED, HERE, UNKNOWN, own_files, state_of


def git(folder: Path, *arguments: str) -> str:
    name = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path) -> str:
    """Commit everything, and return the commit."""
    git(folder, "add", "--all")
    git(folder, "commit", "--message=all")
    return git(folder, "rev-parse", "--short=7", "HEAD")


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


@pytest.mark.skipif(shutil.which("git") is None, reason="it asks git")
@pytest.mark.parametrize(
    ("changed", "matters"),
    [
        ("podium/solvers/fit.py", True),
        ("podium/new.py", True),
        ("podium/page.css", False),
        ("experiments/figure.py", True),
        ("experiments/helper.py", True),
        ("experiments/other.py", False),
        ("experiments/run.py", False),
    ],
)
def test_the_state_is_the_last_commit_of_what_computes(copied: Path, changed: str, matters: bool) -> None:
    git(copied, "init")
    now = f"podium {podium.__version__} at"
    first = commit(copied)
    assert state_of("figure") == f"{now} {first}"
    with (copied / changed).open("a") as file:
        file.write("\n# another line")
    assert state_of("figure") == f"{now} {first}{CHANGED if matters else ''}"
    second = commit(copied)
    assert state_of("figure") == f"{now} {second if matters else first}"


@pytest.mark.parametrize("path", [None, ""], ids=["no repository", "no git"])
def test_without_a_repository_the_state_is_the_version(
    copied: Path, monkeypatch: pytest.MonkeyPatch, path: str | None
) -> None:
    if path is not None:
        monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(copied.parent))
    assert state_of("figure") == f"podium {podium.__version__}{UNKNOWN}"


def test_helpers_of_the_experiments_are_found() -> None:
    assert own_files("preference_game_figures") == {
        HERE / "game_grid.py",
        HERE / "preference_game_figures.py",
        HERE / "preference_game_table2.py",
    }
    assert HERE / "chess_features.py" in own_files("svmcompare_figure6")


def test_the_machinery_is_what_describes_no_experiment() -> None:
    """Every file is an experiment, is imported by one, or is listed as computing no numbers.

    The heuristic of Zadrozny is a counterexample for docs/errata.md.
    """
    names = {path.stem for path in HERE.glob("*.py")} - {"__init__", "zadrozny"}
    experiments = {name for name in names if "EXPERIMENT = " in (HERE / f"{name}.py").read_text("utf-8")}
    helpers = {path.stem for name in experiments for path in own_files(name)}
    assert names - helpers == sources.MACHINERY
