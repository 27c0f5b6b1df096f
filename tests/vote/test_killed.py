"""Servers are killed under load: every vote that was acknowledged is in the database, exactly once."""

import os
import random
import re
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import func, select, text

from podium.vote.database.store import Store
from podium.vote.database.tables import votes
from podium.vote.nouns import StoreError
from podium.vote.opening import open_vote
from podium.vote.tokens import BETWEEN
from tests.vote.servers import Servers, soon
from tests.vote.voters import cast, counted, field, things

MANY = 20  # kills, for make test-engines; make test has only a few, to be quick
VOTERS = 4


class Crowd:
    """Voters who go on voting while servers come and go."""

    def __init__(self) -> None:
        self.address = ""
        self.over = threading.Event()
        self.sent: set[str] = set()
        self.acknowledged: list[str] = []
        self.surprises: list[str] = []
        self._threads = [threading.Thread(target=self._vote_on) for _ in range(VOTERS)]

    @contextmanager
    def voting(self) -> Iterator[None]:
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self.over.set()
            for thread in self._threads:
                thread.join(60)
        assert not any(thread.is_alive() for thread in self._threads)

    def wait_for_a_vote(self) -> None:
        """Wait until one more vote is acknowledged."""
        before = len(self.acknowledged)
        assert soon(lambda: len(self.acknowledged) > before or bool(self.surprises))

    def _vote_on(self) -> None:
        """Vote on page after page; a vote without an answer is sent again, to whichever server there is."""
        page, waits = "", False
        end = time.monotonic() + 300
        with httpx2.Client(timeout=20) as client:
            while (not self.over.is_set() or waits) and time.monotonic() < end and not self.surprises:
                client.base_url = self.address
                try:
                    page = page or client.get("/").raise_for_status().text
                    nonce = field(page, "token").partition(BETWEEN)[0]
                    again, waits = nonce in self.sent, True
                    self.sent.add(nonce)
                    answer = cast(client, page)
                except httpx2.HTTPError:
                    time.sleep(0.02)
                    continue
                if answer.status_code == 503:  # the page says so and stays
                    time.sleep(0.05)
                    continue
                waits, page = False, answer.text
                if answer.status_code == 200 or (again and "counted already" in answer.text):
                    self.acknowledged.append(nonce)
                else:
                    self.surprises.append(f"{answer.status_code}: {answer.text}")


def strike_often(source: str, kills: int, strike: Callable[[Servers], None]) -> int:
    """Strike at random moments while the crowd votes, and check that nothing is lost; return the votes."""
    open_vote(source, things(60), {"votes_per_minute": 1_000_000}).store.close()
    dice, crowd = random.Random(7), Crowd()
    with closing(Servers(source)) as servers:
        crowd.address = servers.start()
        with crowd.voting():
            for _ in range(kills):
                crowd.wait_for_a_vote()
                time.sleep(dice.uniform(0, 0.4))
                strike(servers)
                if not servers.running:
                    crowd.address = servers.start()
        assert not crowd.surprises
        with closing(_opened(source)) as store:
            _nothing_is_lost(store, crowd)
            n = counted(store)
        assert soon(lambda: _board(crowd.address) == n), (_board(crowd.address), n)
    return n


def _opened(source: str) -> Store:
    """The database, once it has recovered."""
    for _ in range(100):
        with suppress(StoreError):
            return Store.open(source)
        time.sleep(0.1)
    return Store.open(source)


def _nothing_is_lost(store: Store, crowd: Crowd) -> None:
    with store.read() as connection:
        tokens = list(connection.scalars(select(votes.c.token)))
        pairs = connection.execute(
            select(func.count())
            .select_from(votes)
            .group_by(votes.c.judge, votes.c.prompt, votes.c.low, votes.c.high)
        ).scalars()
        assert set(pairs) == {1}
    assert len(tokens) == len(set(tokens))
    assert set(crowd.acknowledged) <= set(tokens) <= crowd.sent


def _board(address: str) -> int:
    """The number of votes on the board."""
    found = re.search(r"([\d,]+) votes? by", httpx2.get(f"{address}/board").text)
    return int(found[1].replace(",", "")) if found else -1


@pytest.mark.parametrize("kills", [3, pytest.param(MANY, marks=pytest.mark.engines)])
def test_no_acknowledged_vote_is_lost_when_the_server_is_killed(tmp_path: Path, kills: int) -> None:
    path = tmp_path / "votes.db"
    assert strike_often(str(path), kills, Servers.kill) > kills
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.engines
def test_no_acknowledged_vote_is_lost_when_the_server_is_killed_on_postgresql(empty_database: str) -> None:
    assert strike_often(empty_database, MANY, Servers.kill) > MANY


@pytest.mark.engines
def test_no_acknowledged_vote_is_lost_when_postgresql_is_killed(empty_database: str) -> None:
    """Killing one backend makes PostgreSQL end all of them and recover from its log."""

    def kill_a_backend(_: Servers) -> None:
        others = text(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with closing(_opened(empty_database)) as store, store.read() as connection:
            backend = connection.scalars(others).first()
        assert backend is not None
        os.kill(backend, signal.SIGKILL)

    assert strike_often(empty_database, 3, kill_a_backend) > 3
