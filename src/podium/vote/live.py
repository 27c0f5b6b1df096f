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
from podium.vote.database.catalogue import Catalogue, load_catalogue
from podium.vote.nouns import Settings, StoreError
from podium.vote.pairs import Choice
from podium.vote.standing import Standing, standing_from
from podium.vote.tally import Tally, read_tally, stamp_of

PAUSE = 1.0  # seconds between two looks at the database, at least
REST = 4.0  # each pause takes at least this many times as long as the update before it

log = logging.getLogger(__name__)


class LiveBoard:
    """The standing of a vote, updated in the background.

    Parameters
    ----------
    connect : callable
        Returns a context manager that gives a connection to the database.
    settings : Settings
        What the votes are for, and how many pairs are drawn at random.

    Attributes
    ----------
    standing : Standing
        The last standing. It is replaced, never changed, so any thread may read it.
    """

    def __init__(self, connect: Callable[[], AbstractContextManager[Connection]], settings: Settings) -> None:
        self._connect = connect
        self._settings = settings
        self._as_of = time.time()  # when the standing was last known to be up to date
        with connect() as connection:
            choice = Choice(load_catalogue(connection), (), settings.explore)
        self.standing = Standing(choice=choice, notes=("The board is not ready yet.",), made=self._as_of)
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
        """Ask for an update at once, even without new votes."""
        self._nudged.set()

    def _run(self) -> None:
        with one_blas_thread():
            self._update(forced=True)
            _rehearse()
            pause = PAUSE
            while True:
                forced = self._nudged.wait(pause)
                if self._stopping.is_set():
                    return
                if forced:
                    self._nudged.clear()
                began = time.monotonic()
                self._update(forced)
                pause = max(PAUSE, REST * (time.monotonic() - began))

    def _update(self, forced: bool) -> None:
        """Replace the standing if something has changed."""
        now = time.time()
        try:
            with self._connect() as connection:
                stamp = stamp_of(connection)
                changed = forced or stamp != self._stamp
                if changed:
                    tally = read_tally(connection)
                    catalogue = load_catalogue(connection)  # after the votes, so that it has all their items
            if changed:
                made = standing_from(tally, self._settings, catalogue)
                self._good = self.standing = replace(made, revision=self._next_revision())
                self._stamp = stamp
            self._as_of = now
        except Exception as error:  # whatever it is, the thread must go on
            self._stamp = None  # so that the next round tries again
            self._excuse(error)

    def _next_revision(self) -> int:
        """A number that no earlier standing had, not even that of a server before a restart."""
        return max(self.standing.revision + 1, time.time_ns() // 1_000_000)

    def _excuse(self, error: Exception) -> None:
        """Keep the last standing, with a note that says why it is old."""
        known = isinstance(error, StoreError)
        reason = str(error) if known else "It cannot be updated; the server's log says why."
        as_of = time.strftime("%H:%M", time.localtime(self._as_of))
        notes = (*self._good.notes, f"The board is as of {as_of}: {reason}")
        if notes != self.standing.notes:  # otherwise the pages and the log say so already
            log.error("The board cannot be updated.", exc_info=error)
            self.standing = replace(self._good, revision=self._next_revision(), notes=notes)


def _rehearse() -> None:
    """Make a tiny board, so that the code is imported and compiled before the first votes arrive."""
    tally = Tally(np.array([[1, 2], [2, 3]]), np.ones((2, 3), dtype=np.int64), judges=1, over_time=None)
    items = {item: str(item) for item in (1, 2, 3)}
    with suppress(Exception):  # the first update will fail in the same way, and say so
        standing_from(tally, Settings(), Catalogue(tuple(items), items, {1: frozenset(items)}))
