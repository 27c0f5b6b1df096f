"""A thread that keeps the board up to date while votes come in."""

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import numpy as np
from sqlalchemy import Connection

from podium.numerics.threads import one_blas_thread
from podium.vote.board.standing import Standing, standing_from
from podium.vote.board.tally import Tally, read_tally, stamp_of
from podium.vote.database.catalogue import Catalogue
from podium.vote.nouns import Settings, StoreError
from podium.vote.pairs import Choice

PAUSE = 1.0  # the least number of seconds between two looks at the database
REST = (
    4.0  # times as long as the last update took, so that the thread is busy for at most a fifth of the time
)

log = logging.getLogger(__name__)


class Live:
    """The standing of a vote, updated in the background.

    Parameters
    ----------
    connect : callable
        Gives a connection to the database as a context manager.
    current : callable
        Gives the settings and the catalogue.

    Attributes
    ----------
    standing : Standing
        The last standing. It is replaced, never changed, so any thread may read it.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractContextManager[Connection]],
        current: Callable[[], tuple[Settings, Catalogue]],
    ) -> None:
        self._connect = connect
        self._current = current
        settings, catalogue = current()
        self.standing = Standing(choice=Choice(catalogue, (), settings.explore), made=time.time())
        self._good = self.standing  # without notes about errors
        self._stamp: tuple[Any, ...] | None = None
        self._nudged, self._stopping = Event(), Event()
        self._thread = Thread(target=self._run, name="podium-live", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; an update that takes longer than two seconds is abandoned."""
        self._stopping.set()
        self._nudged.set()
        self._thread.join(timeout=2.0)

    def nudge(self) -> None:
        """Ask for an update at once, even if the votes are the same."""
        self._nudged.set()

    def _run(self) -> None:
        forced = True
        with one_blas_thread():
            _rehearse()
            while not self._stopping.is_set():
                began = time.monotonic()
                self._update(forced)
                forced = self._nudged.wait(max(PAUSE, REST * (time.monotonic() - began)))
                if forced:
                    self._nudged.clear()

    def _update(self, forced: bool) -> None:
        try:
            with self._connect() as connection:
                stamp = stamp_of(connection)
                if stamp == self._stamp and not forced:
                    return
                tally = read_tally(connection)
            made = standing_from(tally, *self._current())  # the catalogue is newer, so it names all items
        except Exception as error:
            self._stamp = None  # so that the next round tries again
            self._excuse(error)
        else:
            self._good = self.standing = replace(made, revision=self.standing.revision + 1)
            self._stamp = stamp

    def _excuse(self, error: Exception) -> None:
        """Keep the last standing, with a note that says why it is old."""
        known = isinstance(error, StoreError)
        reason = str(error) if known else "It cannot be updated; the server's log says why."
        made = time.strftime("%H:%M", time.localtime(self._good.made))
        notes = (*self._good.notes, f"The board is as of {made}: {reason}")
        if notes != self.standing.notes:  # otherwise the pages and the log say so already
            log.error("The board cannot be updated.", exc_info=error)
            self.standing = replace(self._good, revision=self.standing.revision + 1, notes=notes)


def _rehearse() -> None:
    """Make a tiny board, so that the code is imported and compiled before the first votes arrive."""
    tally = Tally(np.array([[1, 2], [2, 3]]), np.ones((2, 3), dtype=np.int64), judges=1, over_time=None)
    items = {item: str(item) for item in (1, 2, 3)}
    with suppress(Exception):  # the first update will fail in the same way, and say so
        standing_from(tally, Settings(), Catalogue(tuple(items), items, {1: frozenset(items)}))
