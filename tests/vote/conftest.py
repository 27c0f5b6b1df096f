"""Votes in a database, and a temporary PostgreSQL server for the tests marked ``engines``."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, make_url, text

from tests.vote.databases import add_odd_votes

DEBIAN = Path("/usr/lib/postgresql")


@pytest.fixture
def votes_db(tmp_path: Path) -> Path:
    path = tmp_path / "votes.db"
    add_odd_votes(path)
    return path


# ------------------------------------------------------------------------------------ PostgreSQL


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a new PostgreSQL server on a free port, which keeps its data safe as a real one does."""
    with _server() as (address, _):
        yield address


@pytest.fixture
def stoppable_postgres() -> Iterator[tuple[str, Callable[[str], None]]]:
    """The address of a server for one test, and a function that can "stop" and "start" it."""
    with _server() as server:
        yield server


@contextmanager
def _server() -> Iterator[tuple[str, Callable[[str], None]]]:
    programs = _programs()
    user = "postgres" if os.getuid() == 0 else None  # PostgreSQL refuses to run as root
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        home, password = Path(folder) / "data", Path(folder) / "password"
        password.write_text("s3cret")
        if user is not None:
            for path in (folder, password):
                shutil.chown(path, user)

        def run(program: str, *arguments: str) -> None:
            command = [str(programs / program), "-D", str(home), *arguments]
            subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)

        settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=on"
        actions = {
            "start": ("start", "--wait", "--log", f"{folder}/log", "--options", settings),
            "stop": ("stop", "--wait", "--mode=immediate"),
        }
        run("initdb", "--username=podium", "--auth=scram-sha-256", f"--pwfile={password}", "--encoding=UTF8")
        run("pg_ctl", *actions["start"])
        try:
            address = f"postgresql://podium:s3cret@127.0.0.1:{port}/postgres"
            yield address, lambda action: run("pg_ctl", *actions[action])
        finally:
            run("pg_ctl", *actions["stop"])


def _programs() -> Path:
    """The folder of the server's programs, the newest version of Debian's or the one on the path."""
    debian = sorted(DEBIAN.glob("*/bin"), key=lambda path: int(path.parent.name))
    if debian:
        return debian[-1]
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    pytest.skip("there is no PostgreSQL server: apt-get install postgresql")


@pytest.fixture
def empty_database(postgres: str) -> Iterator[str]:
    """The address of a new database of that server, for one test."""
    name = f"podium_{uuid4().hex}"
    server = make_url(postgres).set(drivername="postgresql+psycopg")
    engine = create_engine(server, isolation_level="AUTOCOMMIT", pool_pre_ping=True)
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield make_url(postgres).set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()
