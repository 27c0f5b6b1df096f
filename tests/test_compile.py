"""``python -m podium.compile`` leaves nothing to compile for the models' usual fits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from podium import compile as compiling


def test_help_does_not_compile() -> None:
    code = "import sys, podium.compile as c\ntry: c.main(['--help'])\nfinally: print('numba' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "--jobs" in out
    assert out.endswith("False\n")


def test_a_second_run_compiles_nothing(tmp_path: Path) -> None:
    code = """
from podium import compile
compile.FAMILIES = {"ratings": compile.ratings}
compile.main(["--jobs", "1"])
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert "functions compiled" in runs[0]
    assert "compiled before" in runs[1]


@pytest.mark.parametrize("name", compiling.FAMILIES)
def test_every_family_can_be_compiled(name: str) -> None:
    assert compiling.compile_family(name)[0] == name
