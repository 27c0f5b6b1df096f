"""If no folder is writable, functions are still compiled, with one warning."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import podium
from tests.cli.runs import CHESS

SOURCE = Path(podium.__file__).parent


def locked_copy(folder: Path) -> Path:
    """The package with a file in place of each cache folder, which stops even root from writing."""
    copy = folder / "podium"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for room in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (room / "__pycache__").touch()
    return folder


def test_a_command_on_a_machine_that_cannot_be_written_to(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(locked_copy(tmp_path)), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache", "NUMBA_CACHE_DIR": ""}
    command = [sys.executable, "-m", "podium", "rank", CHESS, "--model", "elo"]
    ranked = subprocess.run(command, env=environment, capture_output=True, text=True, cwd="/")
    assert ranked.returncode == 0, ranked.stderr
    assert "Ada" in ranked.stdout
    assert len(ranked.stderr.splitlines()) == 1
    assert ranked.stderr.startswith("podium: compiled code cannot be cached")
    assert "NUMBA_CACHE_DIR" in ranked.stderr


def test_numba_is_reached_through_this_module_alone() -> None:
    direct = [
        path for path in SOURCE.rglob("*.py") if "from numba import" in path.read_text(encoding="utf-8")
    ]
    assert not direct
