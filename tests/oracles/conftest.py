import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def oracle() -> Callable[[str], Any]:
    """Read a result of R from the folder PODIUM_ORACLES, or skip the test."""
    folder = os.environ.get("PODIUM_ORACLES")
    if not folder:
        pytest.skip("PODIUM_ORACLES is not set")
    return lambda name: json.loads((Path(folder) / f"oracle_{name}.json").read_text(encoding="utf-8"))
