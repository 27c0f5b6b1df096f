"""When something is wrong with the database, pages say so, and no vote is lost or counted twice."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select, text
from starlette.testclient import TestClient

from podium.vote.app import create_app
from podium.vote.database import engines
from podium.vote.database.store import Store, fact_of, set_fact
from podium.vote.database.tables import facts
from podium.vote.nouns import Refused, StoreError
from podium.vote.opening import Opened, open_vote
from tests.vote.servers import soon
from tests.vote.voters import cast, counted, things, vote_on

MANY = {"votes_per_minute": 1_000_000}


def stays(answer: Any, sentence: str) -> bool:
    """Whether a vote was refused with a sentence, and its pair stays on the page."""
    assert (answer.status_code, answer.headers["HX-Retarget"]) == (503, "#notice"), answer.text
    assert sentence in unescape(answer.text)
    return "token" not in answer.text


# ------------------------------------------------------------------------------------ while people vote


def test_a_locked_database_keeps_the_pair_and_counts_the_same_token_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "BUSY", 0.3)
    with vote_on(tmp_path) as (voter, vote):
        page = voter.get("/").text
        with closing(sqlite3.connect(tmp_path / "votes.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert stays(cast(voter, page), "another program has locked it")
            assert voter.get("/").status_code == 200  # reading goes on
            other.execute("ROLLBACK")
        assert cast(voter, page).status_code == 200
        assert cast(voter, page).status_code == 409
        assert counted(vote.store) == 1


def test_a_full_disk_keeps_the_pair_and_counts_the_same_token_once_there_is_room(tmp_path: Path) -> None:
    with vote_on(tmp_path, n=30, **MANY) as (voter, vote):
        page = voter.get("/").text
        for _ in range(3):
            page = cast(voter, page).text
        pages = [0]

        def limit(connection: Any, *_: Any) -> None:
            most = pages[0] or 2**30
            connection.execute(f"PRAGMA max_page_count = {most}")

        event.listen(vote.store.engine, "checkout", limit)
        pages[0] = 1  # SQLite takes the present size
        acknowledged = 3
        while (answer := cast(voter, page)).status_code == 200:  # until the last page is full
            page, acknowledged = answer.text, acknowledged + 1
        assert stays(answer, "The disk with the database is full.")
        assert counted(vote.store) == acknowledged
        pages[0] = 0
        assert cast(voter, page).status_code == 200
        assert counted(vote.store) == acknowledged + 1


def test_a_database_that_cannot_be_written_to_keeps_the_pair(tmp_path: Path) -> None:
    with vote_on(tmp_path) as (voter, vote):
        page = voter.get("/").text
        state = ["ON"]
        event.listen(
            vote.store.engine, "checkout", lambda c, *_: c.execute(f"PRAGMA query_only = {state[0]}") and None
        )
        assert stays(cast(voter, page), "The database cannot be written to.")
        state[0] = "OFF"
        assert cast(voter, page).status_code == 200
        assert counted(vote.store) == 1


def delete(path: Path) -> None:
    for file in path.parent.glob("votes.db*"):
        file.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    """Another vote takes the place of the file."""
    delete(path)
    open_vote(path, things(4)).store.close()


def remove_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


@pytest.mark.parametrize("harm", [delete, move, replace, remove_folder])
def test_votes_of_a_file_that_vanishes_are_rescued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None]
) -> None:
    home, safe = tmp_path / "home", tmp_path / "safe"
    home.mkdir()
    safe.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(safe))
    with vote_on(home, n=5) as (voter, _):
        page = cast(voter, cast(voter, voter.get("/").text).text).text
        harm(home / "votes.db")
        assert stays(cast(voter, page), "The database 'votes.db' was deleted or replaced.")
        assert str(tmp_path) not in cast(voter, page).text  # folders are nobody's business
        assert "was deleted or replaced" in voter.get("/").text
    assert _votes_in(*tmp_path.glob("*/votes-rescued-*.db")) == 2
    if harm is replace:
        assert _votes_in(home / "votes.db") == 0


def _votes_in(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(connection.execute("SELECT count(*) FROM comparisons").fetchone()[0])


def test_a_rescue_is_tried_again_if_there_was_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with vote_on(tmp_path) as (voter, _):
        page = cast(voter, voter.get("/").text).text
        with monkeypatch.context() as patch:
            patch.setattr(sqlite3, "connect", full)
            delete(tmp_path / "votes.db")
            assert stays(cast(voter, page), "could not be saved elsewhere yet")
        assert stays(cast(voter, page), "Its votes are saved in 'votes-rescued-")
    assert _votes_in(*tmp_path.glob("votes-rescued-*.db")) == 1


def test_votes_are_rescued_although_nobody_looks_before_the_server_stops(tmp_path: Path) -> None:
    opened = open_vote(tmp_path / "votes.db", things(3))
    opened.store.write(lambda c: set_fact(c, "seen", "yes")).result()
    delete(tmp_path / "votes.db")
    opened.store.close()
    rescued = next(tmp_path.glob("votes-rescued-*.db"))
    with closing(Store.open(rescued)) as store, store.read() as connection:
        assert fact_of(connection, "seen") == "yes"


# ------------------------------------------------------------------------------------ at the start


def test_databases_that_cannot_be_used_are_named_in_one_sentence(tmp_path: Path) -> None:
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"no database at all " * 500)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    newer = tmp_path / "newer.db"
    with closing(Store.open(newer)) as store:
        store.write(
            lambda c: c.execute(facts.update().where(facts.c.name == "format").values(value="9"))
        ).result()
    damaged = tmp_path / "damaged.db"
    with closing(Store.open(damaged)):
        pass
    damaged.write_bytes(damaged.read_bytes()[:4096] + b"\xff" * 40_000)
    for path, sentence in {
        noise: "not a SQLite database",
        other: "a database of something else: it has a table 'recipes'",
        newer: "has the format 9, which this version cannot read",
        damaged: "The database is damaged.",
        tmp_path: "cannot be opened",
        tmp_path / "nowhere" / "votes.db": "There is no folder",
    }.items():
        with pytest.raises(StoreError, match=sentence):
            Store.open(path)
    assert other.stat().st_size < 20_000  # nothing was added
    with closing(sqlite3.connect(other)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)  # as it was
    assert [path.name for path in tmp_path.glob("other*")] == ["other.db"]


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "x%20y.db", "what?.db", "number #1.db", "日本.db"])
def test_any_name_of_a_file_is_taken_literally(tmp_path: Path, name: str) -> None:
    with closing(Store.open(tmp_path / name)) as store:
        store.write(lambda c: set_fact(c, "seen", "yes")).result()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_servers_that_start_at_the_same_moment_do_not_block_each_other(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)

    def start(_: int) -> str:
        barrier.wait()
        opened = open_vote(tmp_path / "votes.db", things(20))
        opened.store.close()
        return opened.owner

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(start, range(8)))) == 1


# ------------------------------------------------------------------------------------ several servers


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[TestClient, TestClient, Opened]]:
    """Two servers of one database."""
    yield from _two(str(tmp_path / "votes.db"))


@pytest.fixture
def two_on_postgresql(empty_database: str) -> Iterator[tuple[TestClient, TestClient, Opened]]:
    yield from _two(empty_database)


def _two(source: str) -> Iterator[tuple[TestClient, TestClient, Opened]]:
    with ExitStack() as stack:
        opened = [open_vote(source, things(5), MANY) for _ in range(2)]
        apps = [create_app(vote.store, vote.settings) for vote in opened]
        first, second = (stack.enter_context(TestClient(app, follow_redirects=False)) for app in apps)
        yield first, second, opened[0]


def _voting_at_both(first: TestClient, second: TestClient, vote: Opened) -> None:
    page = first.get("/").text
    second.cookies = first.cookies
    assert cast(first, page).status_code == 200
    assert cast(second, page).status_code == 409  # the same token counts once
    turns = [first, second] * 4 + [first]
    for voter in turns:
        assert cast(voter, voter.get("/").text).status_code == 200
    for voter in (first, second):
        assert "You have seen every pair." in voter.get("/").text  # ten pairs, none twice
    assert counted(vote.store) == 10
    for voter in (first, second):
        assert soon(lambda voter=voter: voter.get("/health").json()["votes"] == 10)  # type: ignore[misc]


def _token_at_both(first: TestClient, second: TestClient, vote: Opened) -> None:
    first.get("/")
    second.cookies = first.cookies
    for n in range(1, 6):
        page = first.get("/").text
        with ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda voter, page=page: cast(voter, page).status_code, (first, second))
            assert sorted(answers) == [200, 409]
        assert counted(vote.store) == n


def test_a_judge_at_two_servers_sees_no_pair_twice(two: Any) -> None:
    _voting_at_both(*two)


def test_a_token_sent_to_two_servers_at_once_counts_once(two: Any) -> None:
    _token_at_both(*two)


@pytest.mark.engines
def test_a_judge_at_two_servers_on_postgresql_sees_no_pair_twice(two_on_postgresql: Any) -> None:
    _voting_at_both(*two_on_postgresql)


@pytest.mark.engines
def test_a_token_sent_to_two_servers_on_postgresql_counts_once(two_on_postgresql: Any) -> None:
    _token_at_both(*two_on_postgresql)


@pytest.mark.engines
def test_a_limit_holds_at_two_servers_on_postgresql(empty_database: str) -> None:
    with ExitStack() as stack:
        opened = [open_vote(empty_database, things(9), MANY | {"votes_per_judge": 1}) for _ in range(2)]
        apps = [create_app(vote.store, vote.settings) for vote in opened]
        voters = [stack.enter_context(TestClient(app)) for app in apps]
        first = voters[0].get("/")
        for voter in voters:
            voter.cookies = voters[0].cookies
        pages = [first.text, voters[1].get("/").text]
        with ThreadPoolExecutor(2) as pool:
            assert sorted(a.status_code for a in pool.map(cast, voters, pages)) == [200, 403]


def test_a_restart_keeps_cookies_tokens_settings_and_the_owners_link(tmp_path: Path) -> None:
    with vote_on(tmp_path, question="Who is taller?") as (before, vote):
        page = before.get("/").text
    with vote_on(tmp_path) as (after, restarted):
        after.cookies = before.cookies
        assert cast(after, page).status_code == 200
        assert "1 vote by you" in (shown := after.get("/").text)
        assert "Who is taller?" in shown
        assert restarted.owner == vote.owner


# ------------------------------------------------------------------------------------ one vote among others


class Slow:
    """Holds the thread that writes, so that the next jobs come in one batch."""

    def __init__(self, store: Store) -> None:
        self._go = threading.Event()
        started = threading.Event()

        def job(_: Any) -> None:
            started.set()
            self._go.wait(10)

        store.write(job)
        assert started.wait(10)

    def ends(self) -> None:
        self._go.set()


def _note(name: str) -> Callable[[Any], None]:
    return lambda connection: set_fact(connection, name, "here")


def _fail(error: Exception) -> Callable[[Any], None]:
    def job(connection: Any) -> None:
        set_fact(connection, "half", "written")
        raise error

    return job


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.engines)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    sqlite = request.param == "sqlite"
    source = str(tmp_path / "votes.db") if sqlite else request.getfixturevalue("empty_database")
    with closing(Store.open(source)) as opened:
        yield opened


def test_a_job_that_fails_does_not_fail_the_others_of_its_batch(store: Store) -> None:
    slow = Slow(store)
    good = [store.write(_note(f"good {k}")) for k in range(3)]
    bad: list[tuple[Future[Any], type[Exception]]] = [
        (store.write(_fail(ZeroDivisionError())), ZeroDivisionError),
        (store.write(lambda c: c.execute(text("SELECT nonsense"))), StoreError),
        (store.write(_fail(Refused("no", 403))), Refused),
    ]
    good += [store.write(_note(f"good {k}")) for k in range(3, 6)]
    slow.ends()
    for future in good:
        future.result(10)
    for failing, error in bad:
        assert isinstance(failing.exception(10), error)
    with store.read() as connection:
        names = set(connection.scalars(select(facts.c.name)))
    assert {f"good {k}" for k in range(6)} <= names


def test_a_request_that_is_cancelled_does_not_stop_the_others(store: Store) -> None:
    slow = Slow(store)
    cancelled, kept = store.write(_note("cancelled")), store.write(_note("kept"))
    assert cancelled.cancel()
    slow.ends()
    kept.result(10)
    store.write(_note("later")).result(10)
    with store.read() as connection:
        assert fact_of(connection, "cancelled") is None
        assert fact_of(connection, "kept") == fact_of(connection, "later") == "here"


def test_what_waits_is_written_before_the_store_closes_and_nothing_waits_after(tmp_path: Path) -> None:
    opened = Store.open(tmp_path / "votes.db")
    slow = Slow(opened)
    waiting = [opened.write(_note(f"fact {k}")) for k in range(5)]
    closer = threading.Thread(target=opened.close)
    closer.start()
    slow.ends()
    for future in waiting:
        future.result(10)
    closer.join(10)
    assert isinstance(opened.write(_note("late")).exception(10), StoreError)


@pytest.mark.parametrize("committed", [True, False])
def test_a_vote_of_unknown_outcome_counts_once(tmp_path: Path, committed: bool) -> None:
    """The connection is lost during the commit: before or after it took place."""
    with vote_on(tmp_path) as (voter, vote):
        page = voter.get("/").text
        dialect: Any = vote.store.engine.dialect
        commit = dialect.do_commit

        def lost(connection: Any) -> None:
            dialect.do_commit = commit
            if committed:
                commit(connection)
            raise sqlite3.OperationalError("server closed the connection unexpectedly")

        dialect.do_commit = lost
        assert stays(cast(voter, page), "The database server cannot be reached.")
        again = cast(voter, page)
        assert again.status_code == (409 if committed else 200)
        assert ("counted already" if committed else "is counted.") in again.text
        assert counted(vote.store) == 1


# ------------------------------------------------------------------------------------ PostgreSQL goes away


@pytest.mark.engines
def test_postgresql_that_stops_and_starts_again_loses_no_vote(
    stoppable_postgres: tuple[str, Callable[[str], None]],
) -> None:
    source, control = stoppable_postgres
    opened = open_vote(source, things(9), MANY)
    with TestClient(create_app(opened.store, opened.settings)) as voter:
        page = cast(voter, voter.get("/").text).text
        control("stop")
        assert stays(cast(voter, page), "The database server cannot be reached.")
        assert "cannot be reached" in voter.get("/").text
        control("start")
        assert cast(voter, page).status_code == 200
        assert counted(opened.store) == 2


@pytest.mark.engines
def test_a_lock_of_another_program_in_postgresql_keeps_the_pair(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "BUSY", 1.0)
    opened = open_vote(empty_database, things(4), MANY)
    with TestClient(create_app(opened.store, opened.settings)) as voter:
        page = voter.get("/").text
        with opened.store.engine.begin() as other:
            other.execute(text("LOCK TABLE votes IN SHARE MODE"))
            assert stays(cast(voter, page), "another program has locked it")
        assert cast(voter, page).status_code == 200
        assert counted(opened.store) == 1
