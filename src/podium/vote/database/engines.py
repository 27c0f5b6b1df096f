"""Connections to a SQLite file or a PostgreSQL server, and what goes wrong with them in sentences."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError

from podium.vote.nouns import Refused, StoreError

BUSY = 5.0  # seconds to wait for another program that holds the lock


def sqlite_engine(path: Path) -> Engine:
    """A SQLite file, which is made if it is new."""
    if not path.exists():
        path.touch()
    # In this mode a connection never makes a new file in place of one that was deleted.
    address = URL.create("sqlite", database=path.resolve().as_uri(), query={"mode": "rw", "uri": "true"})
    engine = create_engine(address, connect_args={"timeout": BUSY, "check_same_thread": False})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def postgresql_engine(address: str) -> Engine:
    """A PostgreSQL database, by its address."""
    try:
        url = make_url(address)
    except (SQLAlchemyError, ValueError):  # the latter if the port is no number
        raise StoreError(
            "The address is not understood; write postgresql://user:password@host:port/name, with %40 for an "
            "@ in the password."
        ) from None
    if url.get_backend_name() != "postgresql":
        raise StoreError("The database must be a SQLite file or an address like postgresql://user@host/name.")
    patience = {"connect_timeout": int(BUSY), "tcp_user_timeout": int(1000 * 2 * BUSY)}
    url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(url, pool_pre_ping=True, connect_args=patience)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says
    connection.execute("PRAGMA synchronous = FULL")  # a committed vote survives a power cut
    connection.execute("PRAGMA foreign_keys = ON")


def read_without_waiting(connection: Any) -> None:
    """Change a SQLite file to WAL, in which readers do not wait for the writer.

    The file stays so, thus a file of something else must have been refused before. SQLite does not wait for a
    connection that is changing it at this moment.
    """
    deadline = time.monotonic() + BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()  # only a read opens the file again
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            if time.monotonic() > deadline:
                raise StoreError(SENTENCES["database is locked"]) from error
        time.sleep(0.01)


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("writes", False))


def _begin_sqlite(connection: Connection) -> None:
    """A transaction that writes takes the lock at once; otherwise two servers could block each other."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    """As in SQLite, one transaction writes at a time: servers cannot block each other, and limits hold."""
    if _writes(connection):
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{BUSY}s'")
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7063646975)")


# ------------------------------------------------------------------------------------ errors as sentences

SENTENCES = {
    "database is locked": "The database is busy: another program has locked it.",
    "lock timeout": "The database is busy: another program has locked it.",
    "disk is full": "The disk with the database is full.",
    "No space left": "The disk with the database is full.",
    "disk I/O error": "The disk with the database fails.",
    "readonly database": "The database cannot be written to.",
    "unable to open database file": "The database cannot be opened; its file is missing or not readable.",
    "not a database": "The file is not a SQLite database.",
    "malformed": "The database is damaged.",
    "authentication failed": "The database server refuses the user or the password.",
    "does not exist": "The database server has no such database, user or table.",
    "connection": "The database server cannot be reached.",
}


@contextmanager
def in_sentences() -> Iterator[None]:
    """Turn errors of the database into sentences for people."""
    try:
        yield
    except (DataError, OverflowError) as error:  # such as a number that no column holds
        raise Refused("The request has a value that cannot be stored.", 400) from error
    except DBAPIError as error:
        cause = str(error.orig)
        known = (sentence for words, sentence in SENTENCES.items() if words in cause)
        raise StoreError(next(known, f"The database failed: {cause.partition(chr(10))[0]}.")) from error
    except SQLAlchemyError as error:
        raise StoreError(f"The database failed: {str(error).splitlines()[0]}.") from error
