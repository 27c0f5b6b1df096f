"""Run a command as on a processor of another family: ``python tests/foreign_processor.py pytest tests/game``.

OpenBLAS, NumPy and Numba choose their code by the processor, and each choice rounds differently. The command
gets OpenBLAS's code for Haswell, NumPy's code without AVX-512, and Numba's code for any processor.
"""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

CACHE = Path(__file__).parents[1] / "build" / "numba-foreign"


def foreign(dispatched: Sequence[str], has: Mapping[str, bool]) -> tuple[dict[str, str], list[str]]:
    """The variables, and what is left out of them because this processor does not have it.

    ``dispatched`` are the features for which this NumPy has code of its own, ``has`` those of the processor.
    NumPy warns about features that it does not know, and refuses to disable those that it always uses.
    """
    newer = [name for name in dispatched if name.startswith("AVX512") or name == "X86_V4"]
    left_out = [name for name in newer if not has.get(name)]
    variables = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(CACHE)}
    if disabled := [name for name in newer if has.get(name)]:
        variables["NPY_DISABLE_CPU_FEATURES"] = " ".join(disabled)
    if has.get("AVX2") or has.get("X86_V3"):
        variables["OPENBLAS_CORETYPE"] = "Haswell"
    else:
        left_out.append("Haswell")
    return variables, left_out


if __name__ == "__main__":
    core = importlib.import_module("numpy._core._multiarray_umath")  # mypy does not know it
    variables, left_out = foreign(core.__cpu_dispatch__, core.__cpu_features__)
    said = " ".join(f"{name}='{value}'" for name, value in variables.items())
    print(f"{said}; left out: {', '.join(left_out) or 'nothing'}", flush=True)
    os.execvpe(sys.argv[1], sys.argv[1:], os.environ | variables)
