"""The database: a SQLite file, or PostgreSQL by its address.

One thread writes. It takes all jobs that wait, runs them in one transaction and hands out their results
after the commit. So a vote is acknowledged only once it is safe, and many voters share the cost of a commit.
"""

import logging
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from queue import Empty, Full, Queue
from secrets import token_urlsafe
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine, Insert, Table, bindparam, inspect, select, update
from sqlalchemy.dialects import postgresql, sqlite

from podium.reading.sources.paths import without_password
from podium.vote.database import engines
from podium.vote.database.tables import create_view, facts, metadata
from podium.vote.nouns import Refused, StoreError

MOST_JOBS = 256  # in one transaction: a commit of so many takes a few hundredths of a second
MOST_WAITING = 10_000  # jobs; further ones are refused
FORMAT = "1"  # of the tables

log = logging.getLogger(__name__)
T = TypeVar("T")
Job = Callable[[Connection], Any]


@dataclass(eq=False)
class Ticket:
    """A job that waits for the thread that writes."""

    job: Job
    future: "Future[Any]" = field(default_factory=Future)


class Store:
    """A database of items, judges and votes.

    Parameters
    ----------
    engine : Engine
        The connections.
    path : Path or None
        The file of a SQLite database.
    """

    def __init__(self, engine: Engine, path: Path | None) -> None:
        self.engine = engine
        self._writing = engine.execution_options(writes=True)
        self.path = path
        self._file = None if path is None else _identity(path)
        # Stays open, so that the votes can be saved from a file that somebody deletes.
        self._anchor = None if path is None else engine.raw_connection()
        if self._anchor is not None:
            engines.read_without_waiting(self._anchor.driver_connection)
        self._rescued = ""
        self._rescuing = threading.Lock()
        self._waiting: Queue[Ticket | None] = Queue(MOST_WAITING)
        self._writer = threading.Thread(target=self._write_all, name="podium-writer", daemon=True)
        self._writer.start()

    @classmethod
    def open(cls, source: str | os.PathLike[str]) -> Self:
        """Open a database, and make it if it is new.

        Raises
        ------
        StoreError
            If it cannot be opened, or belongs to something else.
        """
        name = os.fspath(source)
        path = None if "://" in name else Path(name)
        if path is not None and not path.parent.is_dir():
            raise StoreError(f"There is no folder '{path.parent}' for the database '{path.name}'.")
        with engines.in_sentences():
            engine = engines.postgresql_engine(name) if path is None else engines.sqlite_engine(path)
            try:
                with engine.execution_options(writes=True).begin() as connection:
                    _make_tables(connection, without_password(name))
                return cls(engine, path)
            except BaseException:
                engine.dispose()
                raise

    def close(self) -> None:
        """Write what waits, then close all connections."""
        self._waiting.put(None)
        self._writer.join(timeout=2 * engines.BUSY)
        try:
            self._check_file()
        except StoreError as error:
            log.error("%s", error)
        if self._anchor is not None:
            self._anchor.close()
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection to read from."""
        self._check_file()
        with engines.in_sentences(), self.engine.connect() as connection:
            yield connection

    def write(self, job: Callable[[Connection], T]) -> "Future[T]":
        """Run a job in a transaction; its result comes after the commit.

        A job may raise `Refused`; what it wrote before that is kept.
        """
        ticket = Ticket(job)
        if not self._writer.is_alive():
            ticket.future.set_exception(StoreError("The server is stopping."))
            return ticket.future
        try:
            self._waiting.put_nowait(ticket)
        except Full:
            ticket.future.set_exception(StoreError("Too many people are voting at this moment."))
        return ticket.future

    # ---------------------------------------------------------------------------------- the writer

    def _write_all(self) -> None:
        """Commit all tickets that wait, again and again, until the store closes, which None says."""
        waiting: list[Ticket | None] = []
        while None not in waiting:
            waiting = [self._waiting.get()]
            with suppress(Empty):
                while len(waiting) < MOST_JOBS and waiting[-1] is not None:
                    waiting.append(self._waiting.get_nowait())
            # A request that was cancelled no longer waits for its result.
            batch = [one for one in waiting if one is not None and one.future.set_running_or_notify_cancel()]
            while batch:
                batch = self._commit(batch)

    def _commit(self, batch: list[Ticket]) -> list[Ticket]:
        """Run the jobs in one transaction. If one fails, return the others, to be run again without it."""
        running: Ticket | None = None
        outcomes: list[Any] = []
        try:
            with engines.in_sentences(), self._writing.begin() as connection:
                for running in batch:
                    outcomes.append(_outcome(running.job, connection))
                running = None
                self._check_file()  # before the commit, so that nothing is written to the wrong file
            self._check_file()  # and after it, in case the file went away in between
        except Exception as error:
            failed = batch if running is None else [running]
            for ticket in failed:
                ticket.future.set_exception(error)
            return [ticket for ticket in batch if ticket not in failed]
        for ticket, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Refused):
                ticket.future.set_exception(outcome)
            else:
                ticket.future.set_result(outcome)
        return []

    def _check_file(self) -> None:
        """Raise an error if the file was deleted or replaced: what is written then goes nowhere."""
        if self.path is None or _identity(self.path) == self._file:
            return
        with self._rescuing:
            self._rescued = self._rescued or self._rescue(self.path)
        sentence = self._rescued or "Its votes could not be saved elsewhere yet."
        raise StoreError(f"The database '{self.path.name}' was deleted or replaced. {sentence}")

    def _rescue(self, path: Path) -> str:
        """Save what the deleted file held, which lives on while it is open, and say where.

        Pages show no folders. An empty sentence means that there was no place for it.
        """
        name = f"{path.stem}-rescued-{token_urlsafe(4)}{path.suffix}"
        for folder in (path.parent, Path(tempfile.gettempdir())):
            try:
                with closing(sqlite3.connect(folder / name)) as copy:
                    self._anchor.driver_connection.backup(copy)  # type: ignore[union-attr]
            except (OSError, sqlite3.Error):
                (folder / name).unlink(missing_ok=True)
                continue
            log.error("The database '%s' is gone; its votes are saved in '%s'.", path, folder / name)
            return f"Its votes are saved in '{name}': the owner has to put it back and start again."
        return ""


def _outcome(job: Job, connection: Connection) -> Any:
    try:
        return job(connection)
    except Refused as refusal:
        return refusal


# ------------------------------------------------------------------------------------ tables and files


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _make_tables(connection: Connection, name: str) -> None:
    found = set(inspect(connection).get_table_names())
    if found and facts.name not in found:
        raise StoreError(f"'{name}' is a database of something else: it has a table '{min(found)}'.")
    metadata.create_all(connection)
    create_view(connection)
    for fact, value in {"format": FORMAT, "signing": token_urlsafe(32), "owner": token_urlsafe(24)}.items():
        insert_new(connection, facts, {"name": fact, "value": value})
    if (found_format := fact_of(connection, "format")) != FORMAT:
        raise StoreError(f"'{name}' has the format {found_format}, which this version cannot read.")


# ------------------------------------------------------------------------------------ statements


# Statements are made once: making one takes as long as running it.
_FACT = select(facts.c.value).where(facts.c.name == bindparam("fact"))
_SET_FACT = update(facts).where(facts.c.name == bindparam("fact")).values(value=bindparam("new"))


def insert_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless it is there already, and say whether it was new."""
    return connection.execute(_insert(table, connection.dialect.name), row).rowcount > 0


@cache
def _insert(table: Table, dialect: str) -> Insert:
    maker = postgresql.insert if dialect == "postgresql" else sqlite.insert
    # Without this option, the number of new rows is not known in PostgreSQL.
    return maker(table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)


def fact_of(connection: Connection, name: str) -> str | None:
    """A secret, a setting or a state."""
    value: str | None = connection.scalar(_FACT, {"fact": name})
    return value


def set_fact(connection: Connection, name: str, value: str) -> None:
    """Store a fact in place of the one before."""
    if not insert_new(connection, facts, {"name": name, "value": value}):
        connection.execute(_SET_FACT, {"fact": name, "new": value})
