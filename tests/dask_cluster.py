"""One Dask cluster of two workers for all tests of a session.

The workers are processes if PODIUM_ENGINES=1 is set, as by `make test-engines`. Otherwise they are threads of
this process, which start much faster.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def two_workers() -> Iterator[Any]:
    """A client of two workers with one thread each; it is the current client in this context.

    The cluster starts on first use and stops at the end of the process.
    """
    client = _client()
    with client.as_current():
        yield client


@cache
def _client() -> Any:
    from distributed import Client, LocalCluster

    processes = os.environ.get("PODIUM_ENGINES") == "1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        cluster = LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=processes,
            host="127.0.0.1" if processes else None,  # threads talk without a network
            dashboard_address="127.0.0.1:0",  # any free port
            scheduler_kwargs={"dashboard": False},
            memory_limit=None,
            silence_logs=50,
        )
        return Client(cluster, set_as_default=False)
