"""The pages cover everything public and nothing that does not exist; their examples are doctests."""

import doctest
import importlib
import inspect
import re
import runpy
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import podium
from podium.cli import app

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ESTIMATORS = [name for name in podium.__all__ if hasattr(getattr(podium, name), "fit")]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
PRINTED, FLAGS = importlib.import_module("printed").Printed(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_reference_has_every_public_name() -> None:
    listed = set(re.findall(r"^   ([\w.]+)$", page("api/index.md"), re.MULTILINE))
    names = {name for name in podium.__all__ if not inspect.ismodule(getattr(podium, name))}
    for module in (podium.datasets, podium.evaluation, podium.metrics):
        names |= {f"{module.__name__.removeprefix('podium.')}.{name}" for name in module.__all__}
    names -= {"metrics.Bins"}  # a return value, not a metric
    assert listed == names | {"text.style", "plot.dark_mode", "plot.save_figure", "plot.style"}


@pytest.mark.parametrize("name", [name for name in podium.__all__ if inspect.isclass(getattr(podium, name))])
def test_every_public_class_says_what_is_related(name: str) -> None:
    assert "\nSee Also\n--------\n" in (inspect.getdoc(getattr(podium, name)) or "")


@pytest.mark.parametrize("name", [*ESTIMATORS, "couple"])
def test_every_model_has_a_page_and_is_in_the_guide(name: str) -> None:
    pages = [
        path.name
        for path in (DOCS / "models").glob("*.md")
        if re.search(rf"\{{py:\w+\}}`(reference <)?podium\.{name}>?`", path.read_text("utf-8"))
    ]
    assert len(pages) == 1
    assert f"({pages[0]}" in page("models/index.md")
    assert f"(models/{pages[0]}" in page("index.md")


@pytest.mark.parametrize("part", ["The model", "When to use it", "When not", "Example", "Attributes"])
def test_every_page_of_a_model_has_the_same_parts(part: str) -> None:
    for path in (DOCS / "models").glob("*.md"):
        assert path.stem == "index" or f"\n## {part}\n" in path.read_text("utf-8"), path.name


def test_files_that_pages_name_exist() -> None:
    solvers = re.findall(r"`([\w/]+\.py)`", page("models/index.md"))
    assert len(solvers) > 10
    assert all((ROOT / "src/podium" / name).exists() for name in solvers)
    scripts = re.findall(r"^\| `(\w+\.py)` \|", page("benchmarks.md"), re.MULTILINE)
    assert {path.name for path in (ROOT / "benchmarks").glob("*.py")} == set(scripts)
    folder = ROOT
    for name in re.findall(r"`((?:tests/[\w/]*)?[\w]+\.py|tests/[\w/]+/)`", page("testing.md")):
        path = ROOT / name if "/" in name else folder / name  # a bare name is in the folder of the one before
        folder = path.parent
        assert path.exists(), name


def test_the_picture_of_large_data_shows_the_saved_table(tmp_path: Path) -> None:
    """If this fails, run ``python benchmarks/scale.py --draw``."""
    scale = runpy.run_path(str(ROOT / "benchmarks/scale.py"))
    drawn = tmp_path / "scale.svg", tmp_path / "scale-dark.svg"
    scale["draw"](*drawn)
    for new, shown in zip(drawn, (scale["PICTURE"], scale["DARK_PICTURE"]), strict=True):
        assert new.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8")


def commands() -> list[tuple[str, str]]:
    """The command lines of the page with their expected output, one session per block."""
    blocks = CONSOLE.findall(page("command_line.md"))
    lines = "".join(blocks).split("$ podium ")[1:]
    return [(command, output) for command, _, output in (line.partition("\n") for line in lines)]


def write_pairs(path: Path, n: int, seed: int) -> None:
    c = podium.datasets.make_norm_comparisons(n, norm=1, random_state=seed)
    sides = np.hstack([c.features[c.left], c.features[c.right]]).round(3)
    table = pd.DataFrame(sides, columns=["left_x", "left_y", "right_x", "right_y"])
    assert c.outcome is not None
    table["outcome"] = np.array(["left", "tie", "right"])[c.outcome + 1]
    table.to_csv(path, index=False)


def write_votes(path: Path, n: int = 1500) -> None:
    """The first model is better than the others, and long answers win votes."""
    rng = np.random.default_rng(0)
    models = np.array(["brief", "middling", "wordy"])
    left, right = np.array([rng.permutation(3)[:2] for _ in range(n)]).T
    words = rng.integers(0, 300, (2, n)) + 100 * np.array([left, right])
    appeal = np.array([0.6, 0.0, 0.0])[[left, right]] + 0.004 * words
    winner = np.where(rng.logistic(size=n) < appeal[1] - appeal[0], "model_b", "model_a")
    judge = np.char.add("judge-", rng.integers(0, 40, n).astype(str))
    columns = {"judge": judge, "model_a": models[left], "model_b": models[right]}
    pd.DataFrame(columns | {"length_a": words[0], "length_b": words[1], "winner": winner}).to_csv(
        path, index=False
    )


def write_league(path: Path) -> None:
    """Every club plays once a week, over three years, in which the skills wander."""
    rng = np.random.default_rng(4)
    clubs = np.array(["Albion", "Borough", "City", "Dynamo", "Eagles", "Forest", "Gunners", "Harriers"])
    weeks: Any = np.arange(np.datetime64("2021-09-04"), np.datetime64("2024-06-02"), 7)
    skill = rng.normal(0, 0.12, (len(weeks), 8)).cumsum(axis=0)
    home, away = np.array([rng.permutation(8).reshape(2, 4) for _ in weeks]).transpose(1, 0, 2)
    edge = 0.3 + np.take_along_axis(skill, home, 1) - np.take_along_axis(skill, away, 1)
    result = np.digitize(edge + rng.logistic(size=edge.shape), [-0.3, 0.3])
    columns = {"date": np.repeat(weeks, 4), "home": clubs[home].ravel(), "away": clubs[away].ravel()}
    result = np.array(["away", "draw", "home"])[result.ravel()]
    pd.DataFrame(columns | {"result": result}).to_csv(path, index=False)


def without_seconds(text: str) -> str:
    """Remove times: the last column of a table headed by seconds differs between runs."""
    return re.sub(r" [\d.]+ *$", "", text, flags=re.MULTILINE) if "seconds" in text else text


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("AUC 0.9716 (0.9240–0.9990)", "AUC 0.9718 (0.9240–0.9989)", True),
        ("AUC 0.9716", "AUC 0.9726", False),
        ("AUC 0.9716", "AUC 0.97160", False),
        ("AUC 0.9716", "auc 0.9716", False),
        ("AUC 0.9716", "AUC 0.9716 0.9716", False),
        ("7.0 % of 100", "7.1 % of 100", False),
        ("0.972", "0.973", False),
    ],
)
def test_only_the_fourth_decimal_may_differ(shown: str, printed: str, same: bool) -> None:
    assert PRINTED.check_output(shown, printed, FLAGS) == same


def test_the_command_line_does_what_its_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    shutil.copy(podium.datasets.shipped_file("chess_club.csv"), "games.csv")
    games = pd.read_csv("games.csv")
    for name, rows in (("old.csv", games[:728]), ("today.csv", games[728:])):
        rows.to_csv(name, index=False)
    write_pairs(Path("pairs.csv"), 300, seed=0)
    write_pairs(Path("new.csv"), 100, seed=1)
    write_votes(Path("votes.csv"))
    write_league(Path("league.csv"))
    shutil.copy(podium.datasets.shipped_file("regatta.csv"), "races.csv")
    assert len(commands()) > 5
    for command, expected in commands():
        result = CliRunner().invoke(app, shlex.split(command))
        assert result.exit_code == 0, (command, result.output)
        expected, printed = without_seconds(expected), without_seconds(result.output)
        assert PRINTED.check_output(expected, printed, FLAGS), f"podium {command} printed\n{result.output}"
