"""Help is fast, because it loads nothing heavy, and it is complete."""

import re
import subprocess
import sys

import pytest
from typer.main import get_command

from podium.cli import app
from podium.cli.command import Command
from podium.cli.options.registry import FITTED, MODELS
from podium.options import EVERY
from tests.cli.runs import done, podium
from tests.test_package import HEAVY

COMMANDS = (
    "rank",
    "count",
    "next",
    "vote",
    "fit",
    "update",
    "predict",
    "score",
    "evaluate",
    "compare",
    "judges",
    "models",
    "demo",
)


def test_help_loads_nothing_heavy() -> None:
    lines = [
        "import contextlib, io, sys",
        "from podium.cli import app",
        f"for words in [[], *([c] for c in {COMMANDS})]:",
        "    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as page:",
        "        app([*words, '--help'])",
        "    assert 'Usage' in page.getvalue()",
        "print(*sorted({name.split('.')[0] for name in sys.modules}))",
    ]
    command = [sys.executable, "-c", "\n".join(lines)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert not (HEAVY | {"skops"}) & set(out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    assert f"podium {command}" in done(command, "--help")
    assert command in done("--help")


def test_fit_names_the_models() -> None:
    said = "".join(done("fit", "--help").replace("│", "").split())
    assert all(name in said for name in FITTED)


def command(name: str) -> Command:
    found = get_command(app).get_command(None, name)  # type: ignore[attr-defined]
    assert isinstance(found, Command)
    return found


def on_page(name: str, option: str) -> set[str]:
    """The options on a page of help, on a terminal so wide that none is cut."""
    page = podium(name, option, env={"COLUMNS": "200"}).stdout
    return set(re.findall(r"^│[ *]*(--?[a-z-]+) ", page, re.MULTILINE)) - {"--help"}


@pytest.mark.parametrize("name", COMMANDS[:3] + COMMANDS[4:9])
def test_help_all_shows_what_help_leaves_out(name: str) -> None:
    every = {flag for one in command(name).options for flag in one.opts}
    some = on_page(name, "--help")
    assert some < on_page(name, "--help-all") == every
    assert {"--left", "--right", "--outcome", "--skip-invalid", "--options", "--help-all"} <= some
    assert some == on_page(name, "--help")  # the other page has changed nothing


def test_rank_shows_what_most_need() -> None:
    some = on_page("rank", "--help")
    assert len(some) <= 26
    assert {"--model", "--prior", "--by", "--out", "--report", "--judges", "--where"} <= some
    assert not {"--bootstrap", "--ballot", "--encoding"} & some


def test_a_model_lists_its_options() -> None:
    every = {name: done("models", name) for name in EVERY}
    assert [name for name in EVERY if " --ties " in every[name]] == [*EVERY[:3]]
    assert [name for name in EVERY if " --judges-out " in every[name]] == ["bradley-terry"]
    assert [name for name in EVERY if " --history " in every[name]] == ["dynamic-bradley-terry"]
    assert [name for name in EVERY if " --period " in every[name]] == ["elo", "glicko", "glicko2"]
    assert "podium rank" not in done("models", "svm-compare")
    assert set(EVERY) < set(MODELS)
