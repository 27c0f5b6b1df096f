"""The variables of `make test-foreign` are those that this processor and this NumPy know."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.foreign_processor import CACHE, foreign

NUMBA = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(CACHE)}
LOOK = """
from threadpoolctl import threadpool_info
import numba, numpy, scipy.linalg
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
assert not [name for name in __cpu_dispatch__ if "AVX512" in name and __cpu_features__[name]]
assert not {pool.get("architecture") for pool in threadpool_info()} & {"SkylakeX", "SapphireRapids"}
assert (numba.config.CPU_NAME, numba.config.CPU_FEATURES) == ("generic", "")
"""


@pytest.mark.parametrize(
    ("dispatched", "has", "variables", "left_out"),
    [
        (
            ["AVX2", "AVX512F", "AVX512_SKX", "AVX512_KNL"],
            {"AVX2": True, "AVX512F": True, "AVX512_SKX": True, "AVX512_KNL": False},
            {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512_SKX", "OPENBLAS_CORETYPE": "Haswell"},
            ["AVX512_KNL"],
        ),
        (
            ["X86_V3", "X86_V4", "AVX512_ICL"],
            {"X86_V3": True, "X86_V4": True, "AVX512_ICL": False},
            {"NPY_DISABLE_CPU_FEATURES": "X86_V4", "OPENBLAS_CORETYPE": "Haswell"},
            ["AVX512_ICL"],
        ),
        (["AVX2", "AVX512F"], {"AVX2": True}, {"OPENBLAS_CORETYPE": "Haswell"}, ["AVX512F"]),
        (["ASIMDHP", "SVE"], {"ASIMDHP": True, "SVE": True}, {}, ["Haswell"]),
    ],
    ids=["today's names", "newer names", "without AVX-512", "ARM"],
)
def test_only_what_is_there_is_asked_for(
    dispatched: list[str], has: dict[str, bool], variables: dict[str, str], left_out: list[str]
) -> None:
    assert foreign(dispatched, has) == (NUMBA | variables, left_out)


def test_it_computes_as_another_processor_without_a_warning() -> None:
    script = Path(__file__).with_name("foreign_processor.py")
    command = [sys.executable, str(script), sys.executable, "-W", "error", "-c", LOOK]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "; left out: " in done.stdout
    assert not done.stderr
