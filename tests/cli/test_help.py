"""Help is fast, because it loads nothing heavy, and it is complete."""

import subprocess
import sys

import pytest

from podium.cli.options.registry import FITTED
from tests.cli.runs import done
from tests.test_package import HEAVY

COMMANDS = ("rank", "next", "vote", "fit", "update", "predict", "evaluate", "compare", "models", "demo")


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
