"""The board follows the votes, survives errors and leaves the server alone."""

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from podium.vote import live as module
from podium.vote.database.catalogue import withdraw
from podium.vote.live import LiveBoard
from podium.vote.nouns import Settings, StoreError
from tests.vote.databases import add_items, add_votes, with_tables
from tests.vote.servers import soon


class Server:
    """A database that can fail."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.error: Exception | None = None
        self.looks = 0

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        self.looks += 1
        if self.error is not None:
            raise self.error
        with self.engine.connect() as connection:
            yield connection

    def vote(self, left: int, right: int, answer: str) -> None:
        with self.engine.begin() as connection:
            add_votes(connection, [(left, right, answer)])


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(module, "PAUSE", 0.01)
    engine = with_tables(tmp_path / "votes.db")
    with engine.begin() as connection:
        add_items(connection, "abc")
    yield Server(engine)
    engine.dispose()


@pytest.fixture
def live(server: Server) -> Iterator[LiveBoard]:
    live = LiveBoard(server.connect, Settings())
    assert live.standing.votes == 0
    live.start()
    yield live
    began = time.monotonic()
    live.stop()
    assert time.monotonic() - began < 2
    assert not live._thread.is_alive()


def wait_for_looks(server: Server) -> None:
    looks = server.looks
    assert soon(lambda: server.looks > looks + 3)


def test_it_follows_the_votes(server: Server, live: LiveBoard) -> None:
    for n in (1, 2):
        server.vote(1, 2, "left")
        assert soon(lambda n=n: live.standing.votes == n)  # type: ignore[misc]
    assert live.standing.board is not None
    assert live.standing.board.item[0] == "a"


def test_it_makes_no_new_board_without_new_votes(server: Server, live: LiveBoard) -> None:
    server.vote(1, 2, "left")
    assert soon(lambda: live.standing.votes == 1)
    wait_for_looks(server)  # the vote may have come between the stamp and the tally
    standing = live.standing
    wait_for_looks(server)
    assert live.standing is standing


def test_a_nudge_makes_a_new_board(server: Server, live: LiveBoard) -> None:
    assert soon(lambda: live.standing.revision > 0)
    revision = live.standing.revision
    live.nudge()
    assert soon(lambda: live.standing.revision > revision)


def test_it_shows_no_item_that_is_withdrawn(server: Server, live: LiveBoard) -> None:
    assert live.standing.choice.catalogue.items == (1, 2, 3)
    with server.engine.begin() as connection:
        withdraw(connection, 3, now=time.time())
    assert soon(lambda: live.standing.choice.catalogue.items == (1, 2))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (StoreError("The disk is full."), "The disk is full."),
        (
            OperationalError("SELECT", {}, Exception("secret path")),
            "It cannot be updated; the server's log says why.",
        ),
        (ZeroDivisionError("oops"), "It cannot be updated; the server's log says why."),
    ],
)
def test_an_error_keeps_the_last_board(
    server: Server, live: LiveBoard, caplog: pytest.LogCaptureFixture, error: Exception, reason: str
) -> None:
    server.vote(1, 2, "left")
    assert soon(lambda: live.standing.votes == 1)
    wait_for_looks(server)
    good = live.standing
    with caplog.at_level(logging.ERROR):
        server.error = error
        assert soon(lambda: live.standing is not good)
        excused = live.standing
        wait_for_looks(server)
    assert live.standing is excused  # the same error is no news
    assert len(caplog.records) == 1
    assert excused.board is good.board
    assert excused.revision > good.revision
    *others, excuse = excused.notes
    assert tuple(others) == good.notes
    assert re.fullmatch(rf"The board is as of \d\d:\d\d: {re.escape(reason)}", excuse)
    server.error = None
    assert soon(lambda: live.standing.notes == good.notes)
    assert live.standing.revision > excused.revision


def test_it_rests_four_times_as_long_as_it_works(
    server: Server, monkeypatch: pytest.MonkeyPatch, live: LiveBoard
) -> None:
    def slow(connection: Connection) -> tuple[int, ...]:
        time.sleep(0.02)
        return (0,)

    assert soon(lambda: live.standing.revision > 0)
    monkeypatch.setattr(module, "stamp_of", slow)
    looks, began = server.looks, time.monotonic()
    assert soon(lambda: server.looks >= looks + 5)
    assert time.monotonic() - began > 4 * 0.1 * 0.9  # four whole rounds of 0.02 s work and 0.08 s rest
