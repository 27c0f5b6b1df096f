"""Compiling is reported, loading from the cache is not. Without a cache there is one warning."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import podium
from podium.numerics import progress
from tests import tiny_function
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


# ------------------------------------------------------------------------------------ what is said


def test_compiling_is_reported_and_loading_from_the_cache_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = tiny_function.written(tmp_path)
    said: list[str | None] = []
    monkeypatch.setattr(progress, "_bars", [said.append])
    tiny_function.call_twice(tiny)
    assert said == ["compiling (only the first time)", None]
    tiny_function.call_twice(tiny)
    assert len(said) == 2


@pytest.mark.parametrize("is_interactive", [True, False])
def test_without_a_bar_it_is_said_once(
    is_interactive: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    progress._say_once.cache_clear()
    monkeypatch.delattr(sys, "ps1", raising=False)
    if is_interactive:
        monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    with caplog.at_level(logging.INFO, "podium"):
        for doing in ("compiling", None, "compiling", None):
            progress.compiling(doing)
    assert capsys.readouterr().err == "podium: compiling\n" * is_interactive
    assert caplog.messages == ["compiling"] * (not is_interactive)
