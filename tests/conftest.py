import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A client of Dask with two worker processes of one thread each, started once; skips without Dask."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # any free port
            scheduler_kwargs={"dashboard": False},
            silence_logs=50,
        ) as running,
        distributed.Client(running) as client,
    ):
        yield client
