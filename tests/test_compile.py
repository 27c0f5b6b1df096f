"""``python -m podium.compile`` leaves nothing to compile for the models' usual fits."""

import subprocess
import sys
from pathlib import Path

import pytest

from podium import compile as compiling
from tests import tiny_function


def test_help_does_not_compile() -> None:
    code = "import sys, podium.compile as c\ntry: c.main(['--help'])\nfinally: print('numba' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "--jobs" in out
    assert out.endswith("False\n")


def test_a_second_run_compiles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny = tiny_function.written(tmp_path)
    monkeypatch.setattr(compiling, "FAMILIES", {"tiny": lambda: tiny_function.call_twice(tiny)})
    compiling.main(["--jobs", "1"])
    assert "1 functions compiled" in capsys.readouterr().out
    compiling.main(["--jobs", "1"])
    assert "compiled before" in capsys.readouterr().out


@pytest.mark.parametrize("name", compiling.FAMILIES)
def test_every_family_can_be_compiled(name: str) -> None:
    assert compiling.compile_family(name)[0] == name
