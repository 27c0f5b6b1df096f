"""Ctrl-C ends the command with one sentence, even while it is loading modules."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import CHESS

PRESS = """
import os, signal, sys

def press():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):  # Python hears of it between two steps
        pass

class Lost:
    def __del__(self):  # its exceptions are ignored
        press()

def turned(kind):
    try:
        press()
    except KeyboardInterrupt:
        raise kind("returned a result with an exception set") from None

class Press:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            {press}

sys.meta_path.insert(0, Press)
sys.argv = ["podium", "rank", {file!r}, "--out", "board.csv", "--plot", "board.png"]
from podium.__main__ import main
main()
"""
DAY = "podium.cli duckdb numba matplotlib.figure".split()  # first, in the middle, swallows errors, last
NIGHT = "typer rich.console podium.reading.files pyarrow pandas scipy.linalg sklearn.base".split()
NIGHT += ["podium.bradley_terry.model"]


def stopped(module: str, press: str, tmp_path: Path) -> None:
    code = PRESS.format(module=module, file=CHESS, press=press)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == "podium: interrupted; nothing was written\n"
    assert done.returncode == 130
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("module", [*DAY, *(pytest.param(name, marks=pytest.mark.slow) for name in NIGHT)])
def test_ctrl_c_while_something_is_loaded(module: str, tmp_path: Path) -> None:
    stopped(module, "press()", tmp_path)


@pytest.mark.parametrize("press", ["Lost()", "turned(SystemError)", "turned(ImportError)"])
def test_ctrl_c_that_compiled_code_loses_or_turns_into_another_error(press: str, tmp_path: Path) -> None:
    stopped("podium.bradley_terry.model", press, tmp_path)


def test_a_width_of_0_is_no_width(tmp_path: Path) -> None:
    """Some runners say COLUMNS=0, and nothing fits into that."""
    (tmp_path / "games.csv").write_text("white,black,result\nann,bob,1-0\nbob,ann,1-0\n")
    command = [sys.executable, "-m", "podium", "rank", "games.csv"]
    environment = {**os.environ, "COLUMNS": "0"}
    ranked = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=True
    )
    assert "ann" in ranked.stdout
