"""One Dask cluster of two worker processes for all tests of a session."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def two_workers() -> Iterator[Any]:
    """A client of two worker processes with one thread each; it is the current client in this context.

    The cluster starts on first use and stops at the end of the process.
    """
    client = _client()
    with client.as_current():
        yield client


@cache
def _client() -> Any:
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        cluster = LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # any free port
            scheduler_kwargs={"dashboard": False},
            memory_limit=None,
            silence_logs=50,
        )
        return Client(cluster, set_as_default=False)
