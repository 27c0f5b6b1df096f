"""Tables and views of SQLite files and PostgreSQL servers, read through SQLAlchemy."""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from podium.comparisons.messages import InputError, listed, quoted
from podium.reading.sources.counting import Counting
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import SQLITE, without_password

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

COMPARISONS = "comparisons"  # the view that the vote page makes
MAGIC = b"SQLite format 3\0"
BATCH = 50_000  # rows
PATIENCE = 10  # seconds to wait for a lock or a server
POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")
NUMBERS = {pa.int64(), pa.float64()}
REASONS = (  # what a database says, and how to put it
    (r"database is locked", "is locked by another program; try again when that has finished"),
    (r"unable to open database file", "cannot be opened; it may have been moved or deleted"),
    (r"file is not a database|malformed", "is damaged or encrypted"),
    (r"password|role .* does not exist|pg_hba", "does not admit this user with this password"),
    (r"database .* does not exist", "is not on that server; check the name of the database"),
    (r"FATAL: +(.+)", "refuses the connection: {0}"),
    (r"connection.* failed|connection.* timeout|resolve host", "cannot be reached; check host and port"),
)


@dataclass(frozen=True)
class Database(Opened):
    """A table or view of a database."""

    source: Path | str  # a SQLite file, or an address
    table: str
    columns: list[str]

    @classmethod
    def open(cls, source: Path | str, sheet: str | None) -> "Database":
        """Choose the table called ``sheet``; else the view of votes, or the only table."""
        if isinstance(source, str) and (file := SQLITE.fullmatch(source)):
            source = Path(file[1])
        with _connected(source) as connection:
            from sqlalchemy import inspect

            table = _chosen(connection, _name(source), sheet)
            return cls(source, table, [str(each["name"]) for each in inspect(connection).get_columns(table)])

    @property
    def header(self) -> list[str]:
        return self.columns

    def why_no_rows(self) -> str:
        empty = f"there are no rows to read: the table {quoted(self.table)} is empty"
        return f"{empty}; if this is a vote, nobody has voted yet" if self.table == COMPARISONS else empty

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        with _connected(self.source) as connection:
            from sqlalchemy import column, select, table

            wanted: Any = select(*map(column, columns)).select_from(table(self.table))
            rows = connection.execution_options(yield_per=BATCH).execute(wanted)
            batches = [[_array(cells) for cells in zip(*batch, strict=True)] for batch in rows.partitions()]
        cells = zip(*batches, strict=True) if batches else [()] * len(columns)
        return pa.table(dict(zip(columns, map(_joined, cells), strict=True)))


def _chosen(connection: "Connection", name: str, sheet: str | None) -> str:
    from sqlalchemy import inspect

    found = inspect(connection)
    tables, views = found.get_table_names(), found.get_view_names()
    known = [*tables, *views]
    if sheet is not None and sheet not in known:
        raise ValueError(f"{name} has no table {quoted(sheet)}; its tables are {listed(known)}")
    if sheet is not None or COMPARISONS in known:
        return sheet or COMPARISONS
    if not known:
        raise ValueError(f"{name} has no tables")
    if len(tables or views) > 1:
        raise InputError(f"{name} has the tables {listed(known)}; choose one with {{@sheet}}")
    return str((tables or views)[0])


# ------------------------------------------------------------------------------------ cells


def _array(cells: Sequence[Any]) -> pa.Array:
    """Cells of one type keep it; cells of several types, or of types that Arrow does not have, are text."""
    with suppress(pa.ArrowException, OverflowError):
        array = pa.array(cells)
        if not isinstance(array.type, pa.BaseExtensionType):  # such as a UUID
            return array
    return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())


def _joined(parts: Iterable[pa.Array]) -> pa.ChunkedArray:
    """A column from its batches: SQLite's cells have types of their own, so those of batches may differ."""
    parts = list(parts)
    kinds = {part.type for part in parts} - {pa.null()}
    kind = pa.float64() if kinds == NUMBERS else pa.string() if len(kinds) > 1 else (*kinds, pa.null())[0]
    return pa.chunked_array([part.cast(kind) for part in parts], kind)


# ------------------------------------------------------------------------------------ connections


@contextmanager
def _connected(source: Path | str) -> Iterator["Connection"]:
    """A connection that cannot write, and whose errors are one sentence without the password."""
    try:
        engine = _file_engine(source) if isinstance(source, Path) else _server_engine(source)
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise ImportError("databases need SQLAlchemy: pip install 'podium-learn[vote]'") from None
    try:
        with engine.connect() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise ValueError(_one_sentence(error, source)) from None


def _file_engine(path: Path) -> "Engine":
    """SQLite opened for reading only, also while a server writes to the file."""
    with path.open("rb") as file:
        start = file.read(20)
    if not start:
        raise ValueError(f"'{path}' is empty; it has no tables")
    if not start.startswith(MAGIC):
        raise ValueError(
            f"'{path}' is no SQLite database; if it holds text, give it another ending such as .csv"
        )
    in_wal_mode = start[18:20] == b"\2\2"
    log = path.with_name(f"{path.name}-wal")
    # To read in WAL mode, SQLite writes a file into the folder, unless told that nobody changes the database.
    unchanging = in_wal_mode and not log.exists() and not os.access(path.parent, os.W_OK)
    uri = f"{path.absolute().as_uri()}?{'immutable=1' if unchanging else 'mode=ro'}"
    return _engine("sqlite://", creator=lambda: sqlite3.connect(uri, uri=True, timeout=PATIENCE))


def _server_engine(address: str) -> "Engine":
    """PostgreSQL through psycopg, in transactions that only read."""
    if address.partition("://")[0].lower() not in POSTGRESQL:
        raise ValueError(
            f"{_name(address)} cannot be read; podium reads databases at "
            "postgresql://user:password@host/name and sqlite:///path, and files that were downloaded"
        )
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        url = make_url(address)
    except (SQLAlchemyError, ValueError):
        raise ValueError(
            f"{_name(address)} is no address; write postgresql://user:password@host:port/name, with %40 for "
            "an @ in the password"
        ) from None
    query = {"connect_timeout": str(PATIENCE), **url.query}
    readonly = {"postgresql_readonly": True}
    return _engine(url.set(drivername="postgresql+psycopg", query=query), execution_options=readonly)


def _engine(url: Any, **options: Any) -> "Engine":
    from sqlalchemy import NullPool, create_engine

    return create_engine(url, poolclass=NullPool, **options)


def _name(source: Path | str) -> str:
    return f"'{source}'" if isinstance(source, Path) else f"the database '{without_password(source)}'"


def _one_sentence(error: Exception, source: Path | str) -> str:
    """The cause of an error, which drivers put into many lines."""
    text = str(getattr(error, "orig", None) or error)
    for pattern, reason in REASONS:
        if found := re.search(pattern, text):
            return f"{_name(source)} {reason.format(*found.groups())}"
    return f"{_name(source)} cannot be read: {text.partition(chr(10))[0][:200]}"
