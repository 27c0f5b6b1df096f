"""The vote page beside a bare FastAPI application that inserts one row per request.

    python benchmarks/vote.py [--case PATTERN] [--full]

N judges vote at the same time, each on its own connection, and send the next vote as soon as the last one is
confirmed; after 100 votes, a new judge takes over. The vote page checks the token, stores the vote, and shows
the next of the 4,950 pairs of 100 items. Meanwhile its board follows the votes, and a viewer asks for it
every two seconds. The bare application reads a form, inserts a row and answers with a sentence. Both commit
to SQLite (WAL, synchronous = FULL) before they answer, and both run in one process of uvicorn with the same
settings. They take turns, and the best of two turns counts. The seconds of the table are those per vote. A
run fails if the database does not hold exactly the confirmed votes.
"""

import asyncio
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import uvloop

from measuring.cases import Case, Clocked, Contestant, unchanged
from measuring.turns import main

N_ITEMS, FIRST_VOTES, VOTES_EACH = 100, 5_000, 100
WARM_UP = 2.0  # seconds of votes before a run, which load and compile what the board needs
SECONDS = 2.0  # of a run
LOOK = 2.0  # seconds between two looks of the viewer
PATIENCE = 60.0  # seconds for a server to start or stop, and for any answer
TOKEN = re.compile(rb'name="token" value="([^"]+)"')
REVISION = re.compile(rb"revision=(\d+)")


# ------------------------------------------------------------------------------------ the servers


def vote_page(database: str) -> Any:
    """The vote page, with items and votes that fill its board."""
    from podium.vote.app import create_app
    from podium.vote.nouns import Shown
    from podium.vote.opening import open_vote

    shown = [Shown(f"Item {k:03d}", "text", f"This is what item {k} looks like.") for k in range(N_ITEMS)]
    opened = open_vote(database, shown, {"votes_per_minute": 10**6})
    opened.store.write(first_votes).result()
    return create_app(opened.store, opened.settings)


def first_votes(connection: Any) -> None:
    """Store random votes: the larger of two items usually wins."""
    from podium.vote.database.ballots import store_vote
    from podium.vote.database.people import join
    from podium.vote.nouns import Matchup
    from podium.vote.tokens import Ballot

    rng, now = Random(0), time.time()
    pairs = list(combinations(range(1, N_ITEMS + 1), 2))
    for k in range(FIRST_VOTES):
        judge, pair = f"first-{k // len(pairs)}", pairs[k % len(pairs)]
        if k % len(pairs) == 0:
            join(connection, judge, now=now)
        ballot = Ballot(f"first-{k}", judge, Matchup(1, *pair, 1 / len(pairs)), now)
        store_vote(connection, ballot, "left" if pair[0] + rng.gauss(0, 30) > pair[1] else "right", now)


def bare_application(database: str) -> Any:
    """One endpoint that inserts a row. Without SQLAlchemy and without threads, it is as fast as can be."""
    from fastapi import FastAPI, Form
    from fastapi.responses import HTMLResponse

    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE votes (id INTEGER PRIMARY KEY, judge, left, right, answer, time)")
    insert = "INSERT INTO votes (judge, left, right, answer, time) VALUES (?, ?, ?, ?, ?)"
    app = FastAPI()

    @app.post("/vote")
    async def vote(judge: str = Form(), left: int = Form(), right: int = Form(), answer: str = Form()) -> Any:
        connection.execute(insert, (judge, left, right, answer, time.time()))
        return HTMLResponse("<p>Your vote is counted.</p>")

    return app


APPLICATIONS = {"podium": vote_page, "bare": bare_application}


def serve(name: str, database: str, descriptor: str) -> None:
    """Answer on a socket that listens already; this is what the other processes do."""
    from podium.vote import serve

    listening = socket.socket(fileno=int(descriptor))
    names = serve.LOOPBACK if name == "podium" else ()
    app = APPLICATIONS[name](database)
    serve.serve(app, listening, names=names, ready=lambda: print("ready", flush=True))


@contextmanager
def server(name: str, database: Path) -> Iterator[int]:
    """The port of a server in a process of its own."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        command = [sys.executable, __file__, "--serve", name, str(database), str(listening.fileno())]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=[listening.fileno()])
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield listening.getsockname()[1]
        finally:
            process.terminate()
            process.wait(PATIENCE)


# ------------------------------------------------------------------------------------ the judges


class Client:
    """One connection, on which one request follows the other."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookie = b""

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, request: str, body: bytes = b"") -> bytes:
        """The body of the answer."""
        lines = [b"%b HTTP/1.1" % request.encode(), b"host: 127.0.0.1:%d" % self._port, b"hx-request: true"]
        if self._cookie:
            lines.append(b"cookie: " + self._cookie)
        if body:
            lines.append(b"content-type: application/x-www-form-urlencoded\r\ncontent-length: %d" % len(body))
        self._writer.write(b"\r\n".join([*lines, b"", body]))
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        answer = await self._reader.readexactly(int(length[1]) if length else 0)
        if not head.startswith(b"HTTP/1.1 20"):
            raise RuntimeError(f"{request} was refused: {(head + answer).decode()}")
        if found := re.search(rb"set-cookie: ([^;]+)", head):
            self._cookie = found[1]
        return answer

    def close(self) -> None:
        self._writer.close()


class Judge(Client):
    """A judge of the vote page, who sends the token of the pair that the last answer showed."""

    async def begin(self) -> None:
        self._cookie, self._votes = b"", 0
        self._page = await self.ask("GET /")

    async def vote(self) -> bytes:
        if self._votes == VOTES_EACH:  # another judge takes over
            await self.begin()
        token = TOKEN.search(self._page)
        assert token is not None
        self._page = await self.ask("POST /vote", b"token=%b&answer=left" % token[1])
        self._votes += 1
        return self._page


class BareJudge(Client):
    """A judge of the bare application."""

    async def begin(self) -> None:
        """There is no page to begin with."""

    async def vote(self) -> bytes:
        return await self.ask("POST /vote", b"judge=abcdefghijklmnop&left=17&right=42&answer=left")


JUDGES: dict[str, type[Judge] | type[BareJudge]] = {"podium": Judge, "bare": BareJudge}


@dataclass(frozen=True)
class Run:
    """The confirmed votes of one run: how long each took, and how long all took together."""

    latencies: list[float]
    seconds: float

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile(self, q: float) -> float:
        return sorted(self.latencies)[int(q * (len(self.latencies) - 1))]


async def run(name: str, port: int, n_judges: int, seconds: float) -> Run:
    """Let the judges vote; what happens before the first vote is not timed."""
    judges = [JUDGES[name](port) for _ in range(n_judges)]
    await asyncio.gather(*(judge.connect() for judge in judges))
    await asyncio.gather(*(judge.begin() for judge in judges))
    latencies: list[float] = []
    start = time.perf_counter()

    async def vote_on(judge: Judge | BareJudge) -> None:
        while (sent := time.perf_counter()) < start + seconds:
            answer = await judge.vote()
            assert b"is counted." in answer, answer.decode()
            latencies.append(time.perf_counter() - sent)

    await asyncio.gather(*map(vote_on, judges))
    done = Run(latencies, time.perf_counter() - start)
    for judge in judges:
        judge.close()
    return done


async def watch(port: int) -> None:
    """Look at the board every two seconds."""
    viewer = Client(port)
    await viewer.connect()
    revision = b"-1"
    while True:
        answer = await viewer.ask(f"GET /board/live?revision={revision.decode()}")
        if found := REVISION.search(answer):
            revision = found[1]
        await asyncio.sleep(LOOK)


# ------------------------------------------------------------------------------------ cases


def stored_votes(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("SELECT count(*) FROM votes").fetchone()[0])


async def vote_and_look(name: str, port: int, n_judges: int) -> tuple[Run, int]:
    """One run after a warm-up, and the number of votes of both."""
    viewer = asyncio.create_task(watch(port)) if name == "podium" else None
    first = await run(name, port, 10, WARM_UP)
    done = await run(name, port, n_judges, SECONDS)
    if viewer is not None:
        viewer.cancel()
    return done, len(first.latencies) + len(done.latencies)


def seconds_per_vote(name: str, n_judges: int) -> Clocked:
    """Of one run; it fails if a confirmed vote is not in the database."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "votes.db"
        with server(name, database) as port:
            done, confirmed = uvloop.run(vote_and_look(name, port, n_judges))
        stored = stored_votes(database) - (FIRST_VOTES if name == "podium" else 0)
        assert stored == confirmed, f"{stored:,} votes are stored, {confirmed:,} were confirmed"
    half, slowest = (1e3 * done.quantile(q) for q in (0.5, 0.99))
    return Clocked(1 / done.rate, note=f"{done.rate:,.0f} votes/s, p50 {half:.1f} ms, p99 {slowest:.1f} ms")


def cases(*judges: int) -> Iterator[Case]:
    who = {
        "podium": Contestant(partial(seconds_per_vote, "podium"), patience=PATIENCE),
        "bare FastAPI": Contestant(partial(seconds_per_vote, "bare"), "fastapi", patience=PATIENCE),
    }
    for n in judges:
        yield Case(f"one vote, {n:,} judges", partial(unchanged, n), who, reference="bare FastAPI", repeat=2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:])
    else:
        main(list(cases(1, 100)), list(cases(10, 1000)))
