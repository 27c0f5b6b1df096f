"""A command writes its files whatever happens to stdout or stderr."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import CHESS

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
PODIUM = f"{shlex.quote(sys.executable)} -m podium"
RANK = f"{PODIUM} rank {shlex.quote(CHESS)} --model elo --out board.csv"


def shell(line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"{RANK} | head -0; exit ${{PIPESTATUS[0]}}", 0, ""),
        pytest.param(f"{RANK} >&-", 0, "", marks=pytest.mark.slow),
        pytest.param(f"{RANK} 2>&-", 0, "", marks=pytest.mark.slow),
        (f"{RANK} <&- >&- 2>&-", 0, ""),
        pytest.param(f"LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 {RANK}", 0, "", marks=pytest.mark.slow),
        pytest.param(
            f"{RANK} > /dev/full", 2, "what was printed is lost: no space left on device", marks=FULL
        ),
    ],
)
def test_the_file_is_written(line: str, code: int, said: str, tmp_path: Path) -> None:
    result = shell(line, tmp_path)
    assert result.returncode == code
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == bool(said)
    assert (tmp_path / "board.csv").read_text().startswith("rank,item,score")


def test_what_a_terminal_cannot_print_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("left,right,outcome\nJosé,Zoë,left\n", encoding="utf-8")
    line = f"PYTHONIOENCODING=ascii {PODIUM} rank games.csv --model elo --out board.csv"
    result = shell(line, tmp_path)
    assert result.returncode == 0, result.stderr
    assert "Jos?" in result.stdout
    assert "José" in (tmp_path / "board.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", [f"{PODIUM} --help", f"{PODIUM} models", f"{PODIUM} --version"])
def test_a_closed_pipe_is_no_error(line: str, tmp_path: Path) -> None:
    result = shell(f"{line} | true; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
