import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("podium", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("podium")


@pytest.fixture
def real_data() -> Path:
    """The folder with real data; skips if there is none."""
    folder = os.environ.get("PODIUM_DATA")
    if not folder:
        pytest.skip("PODIUM_DATA is not set")
    return Path(folder)
