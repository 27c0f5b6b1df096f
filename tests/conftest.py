import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.dask_cluster import two_workers

# By day the same few examples each time; at night (`make test-slow`) many, and others each time.
settings.register_profile("day", deadline=None, max_examples=15, derandomize=True)
settings.register_profile("night", deadline=None, max_examples=500)
settings.load_profile("day")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("engines") and os.environ.get("PODIUM_ENGINES") != "1":
        pytest.skip("PODIUM_ENGINES=1 is not set; make test-engines sets it")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of a file in one worker: its fixtures are made once, and few functions compiled twice."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.location[0]))


def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end, so garbage collection, which need not look at it, is faster."""
    gc.freeze()


@pytest.fixture
def real_data() -> Path:
    """The folder with real data; skips if there is none."""
    folder = os.environ.get("PODIUM_DATA")
    if not folder:
        pytest.skip("PODIUM_DATA is not set")
    return Path(folder)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A client of Dask with two workers; skips without Dask."""
    pytest.importorskip("distributed")
    with two_workers() as client:
        yield client
