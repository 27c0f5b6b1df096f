"""Attacks on the vote page: each is refused with a sentence, and no vote is lost or won by it."""

import logging
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from itsdangerous import TimestampSigner
from itsdangerous.encoding import base64_encode, int_to_bytes
from sqlalchemy import select
from starlette.testclient import TestClient

from podium.vote import serve
from podium.vote.app import create_app
from podium.vote.database.people import invite, revoke
from podium.vote.database.store import fact_of
from podium.vote.database.tables import invitations, items, judges
from podium.vote.items import read_items
from podium.vote.nouns import Matchup, Shown, StoreError
from podium.vote.opening import Opened, open_vote
from podium.vote.pages import guard
from podium.vote.pages.guard import Pace
from podium.vote.tokens import Signer, new_judge
from tests.vote.servers import in_thread, soon
from tests.vote.voters import HTMX, cast, counted, field, things, undo, vote_on

PAIR = Matchup(1, 1, 2, 0.5)


@dataclass
class Scene:
    """A voter who has cast one vote and taken back another, and looks at a third pair."""

    voter: TestClient
    vote: Opened
    others: int  # votes
    used: str
    undone: str
    page: str

    @classmethod
    def set(cls, voter: TestClient, vote: Opened) -> "Scene":
        """A scene with a new judge."""
        voter.cookies.clear()
        others = counted(vote.store)
        first = voter.get("/").text
        second = cast(voter, first).text
        undo(voter, cast(voter, second).text)
        page = voter.get("/").text
        return cls(voter, vote, others, field(first, "token"), field(second, "token"), page)

    @property
    def votes(self) -> int:
        """The votes that were counted since the scene was set."""
        return counted(self.vote.store) - self.others

    @property
    def token(self) -> str:
        return field(self.page, "token")

    @property
    def judge(self) -> str:
        judge = self.signer.judge(self.voter.cookies["podium_judge"])
        assert judge is not None
        return judge

    @property
    def secret(self) -> str:
        with self.vote.store.read() as connection:
            return str(fact_of(connection, "signing"))

    @property
    def signer(self) -> Signer:
        return Signer(self.secret)

    def send(self, token: str | None = None, answer: str = "left", **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        form = {"token": self.token if token is None else token, "answer": answer}
        return self.voter.post("/vote", data=form, headers=HTMX | named)

    def with_cookie(self, cookie: str | None) -> Any:
        """Send the vote with another cookie, then take the old one again."""
        own = self.voter.cookies["podium_judge"]
        self.voter.cookies.clear()
        if cookie is not None:
            self.voter.cookies.set("podium_judge", cookie)
        try:
            return self.send()
        finally:
            self.voter.cookies.clear()
            self.voter.cookies.set("podium_judge", own)

    def token_of_another(self) -> str:
        return self.signer.token(new_judge(), PAIR)

    def expired(self) -> str:
        return _LongAgo(self.secret, salt="pair").sign(f"nonce~{self.judge}~1~1~2~0.5").decode()

    def altered(self, place: int, value: object) -> str:
        """The token with another value at one place, and the old signature."""
        content, time, signature = self.token.rsplit(".", 2)
        parts = content.split("~")
        assert parts[place] != str(value)
        parts[place] = str(value)
        return f"{'~'.join(parts)}.{time}.{signature}"

    def later(self) -> str:
        """The token with the time of another token, which would make it live longer."""
        payload, _, signature = self.token.rsplit(".", 2)
        return f"{payload}.{base64_encode(int_to_bytes(2**31)).decode()}.{signature}"


class _LongAgo(TimestampSigner):
    def get_timestamp(self) -> int:
        return int(time.time()) - 3602


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with vote_on(tmp_path, n=5, votes_per_minute=1000) as vote:
        yield Scene.set(*vote)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Opened]]:
    """A vote that many tests share."""
    with vote_on(tmp_path_factory.mktemp("vote"), n=5, votes_per_minute=1000) as vote:
        yield vote


FORGED = "not counted: the pair was not shown by this page"
ELSEWHERE = "sent by another site"
COOKIE = "Please allow it and reload the page."
NO_BUTTON = "its answer is not one of the buttons"
UNCLEAR = "The request was not understood"
NOT_TEXT = "characters that are not text"

FORM = {"content-type": "application/x-www-form-urlencoded"}

# name, what is sent, the status and the sentence that come back
ATTACKS: list[tuple[str, Callable[[Scene], Any], int, str]] = [
    ("a forged token", lambda s: s.send("forged"), 403, FORGED),
    ("an empty signature", lambda s: s.send(s.token.rpartition(".")[0] + "."), 403, FORGED),
    ("another nonce", lambda s: s.send(s.altered(0, "new")), 403, FORGED),
    ("another judge in the token", lambda s: s.send(s.altered(1, "eve")), 403, FORGED),
    ("another prompt", lambda s: s.send(s.altered(2, 7)), 403, FORGED),
    ("another left item", lambda s: s.send(s.altered(3, 7)), 403, FORGED),
    ("another right item", lambda s: s.send(s.altered(4, 7)), 403, FORGED),
    ("another probability", lambda s: s.send(s.altered(5, 1e-9)), 403, FORGED),
    ("another time", lambda s: s.send(s.later()), 403, FORGED),
    ("a token of the other kind", lambda s: s.send(s.signer.form(s.judge)), 403, FORGED),
    ("a token signed elsewhere", lambda s: s.send(Signer("else").token(s.judge, PAIR)), 403, FORGED),
    ("a token of somebody else", lambda s: s.send(s.token_of_another()), 403, "shown to somebody else"),
    ("a replay", lambda s: s.send(s.used), 409, "This vote is counted already."),
    ("a replay with another answer", lambda s: s.send(s.used, "right"), 409, "counted already"),
    ("a replay after undo", lambda s: s.send(s.undone), 409, "This vote was taken back."),
    ("a late vote", lambda s: s.send(s.expired()), 410, "shown too long ago"),
    ("no cookie", lambda s: s.with_cookie(None), 403, COOKIE),
    ("a forged cookie", lambda s: s.with_cookie("eve.forged"), 403, COOKIE),
    ("a cookie signed elsewhere", lambda s: s.with_cookie(Signer("else").cookie(s.judge)), 403, COOKIE),
    ("a form as cookie", lambda s: s.with_cookie(s.signer.form(s.judge)), 403, COOKIE),
    ("both bad, which is no button", lambda s: s.send(answer="both bad"), 400, NO_BUTTON),
    ("an answer in capitals", lambda s: s.send(answer="LEFT"), 400, NO_BUTTON),
    ("an empty answer", lambda s: s.send(answer=""), 400, UNCLEAR),
    ("a long answer", lambda s: s.send(answer="left" * 100), 400, UNCLEAR),
    ("a long token", lambda s: s.send("x" * 1001), 400, UNCLEAR),
    ("a foreign origin", lambda s: s.send(Origin="https://evil.example"), 403, ELSEWHERE),
    ("no origin", lambda s: s.send(Origin="null"), 403, ELSEWHERE),
    ("a broken origin", lambda s: s.send(Origin="http://["), 403, ELSEWHERE),
    ("an origin that starts alike", lambda s: s.send(Origin="http://testserver.evil"), 403, ELSEWHERE),
    ("a form of another site", lambda s: s.send(Sec_Fetch_Site="cross-site"), 403, ELSEWHERE),
    ("a form of a sister site", lambda s: s.send(Sec_Fetch_Site="same-site"), 403, ELSEWHERE),
    ("undo without the signed field", lambda s: s.voter.post("/undo"), 400, UNCLEAR),
    ("undo with a forged field", lambda s: s.voter.post("/undo", data={"form": "x"}), 403, "out of date"),
    (
        "undo with the field of somebody else",
        lambda s: s.voter.post("/undo", data={"form": s.signer.form("eve")}),
        403,
        "out of date",
    ),
    ("joining with a forged field", lambda s: s.voter.post("/join", data={"form": "x"}), 403, "out of date"),
    ("a null byte", lambda s: s.send(answer="left\0"), 400, NOT_TEXT),
    (
        "broken UTF-8",
        lambda s: s.voter.post("/vote", content=b"token=%ff%fe&answer=left", headers=FORM),
        400,
        NOT_TEXT,
    ),
    (
        "JSON instead of a form",
        lambda s: s.voter.post("/vote", json={"token": s.token, "answer": "left"}),
        400,
        UNCLEAR,
    ),
    (
        "a broken multipart form",
        lambda s: s.voter.post("/vote", content=b"--x", headers={"content-type": "multipart/form-data"}),
        400,
        UNCLEAR,
    ),
    ("a vote by GET", lambda s: s.voter.get("/vote", params={"token": s.token}), 405, "Not Allowed"),
    ("a vote by PUT", lambda s: s.voter.put("/vote", data={"token": s.token}), 405, "Not Allowed"),
    ("deleting the page", lambda s: s.voter.delete("/"), 405, "Not Allowed"),
    ("a body that is too large", lambda s: s.send(answer="x" * 20_000), 413, "larger than 16 KiB"),
    ("a guessed owner", lambda s: s.voter.get("/owner/x" * 3), 404, "no such page"),
    (
        "an owner with one wrong letter",
        lambda s: s.voter.post(f"/owner/{s.vote.owner[:-1]}~/pause", data={"paused": "true"}),
        404,
        "no such page",
    ),
    (
        "a large upload by somebody else",
        lambda s: s.voter.post("/owner/guessed/items", content=b"x" * 20_000),
        413,
        "larger than 16 KiB",
    ),
    ("an image that is none", lambda s: s.voter.get("/image/1"), 404, "no such page"),
    ("an image with an endless number", lambda s: s.voter.get(f"/image/{10**30}"), 400, "cannot be stored"),
    ("an image with a name", lambda s: s.voter.get("/image/x"), 400, UNCLEAR),
]


@pytest.mark.parametrize(
    ("send", "status", "sentence"), [a[1:] for a in ATTACKS], ids=[a[0] for a in ATTACKS]
)
def test_attacks_are_refused_and_lose_nothing(
    running: tuple[TestClient, Opened], send: Callable[[Scene], Any], status: int, sentence: str
) -> None:
    scene = Scene.set(*running)
    answer = send(scene)
    assert (answer.status_code, scene.votes) == (status, 1)
    assert sentence in answer.text
    assert scene.send().status_code == 200  # the honest vote on the pair still counts
    assert scene.votes == 2


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://testserver"},
        {"Sec_Fetch_Site": "same-origin", "Origin": "https://vote.example.org"},  # behind another server
        {"Sec_Fetch_Site": "none"},
    ],
)
def test_own_forms_are_accepted(running: tuple[TestClient, Opened], headers: dict[str, str]) -> None:
    assert Scene.set(*running).send(**headers).status_code == 200


@pytest.mark.parametrize("side", [3, 4])  # the place of the left and the right item in the token
def test_a_pair_with_an_item_that_was_withdrawn_meanwhile_does_not_count(scene: Scene, side: int) -> None:
    home, item = f"/owner/{scene.vote.owner}", {"item": scene.token.split("~")[side]}
    scene.voter.post(f"{home}/withdraw", data=item)
    refused = scene.send()
    assert (refused.status_code, scene.votes) == (410, 1)
    assert "One of the two was withdrawn, so this vote was not counted." in refused.text
    scene.voter.post(f"{home}/restore", data=item)
    assert scene.send().status_code == 200
    assert scene.votes == 2


def test_undo_shows_no_item_that_was_withdrawn_meanwhile(tmp_path: Path) -> None:
    with vote_on(tmp_path, n=3) as (voter, vote):
        first = voter.get("/").text
        page = cast(voter, first).text
        voter.post(f"/owner/{vote.owner}/withdraw", data={"item": field(first, "token").split("~")[3]})
        name = f"thing {field(first, 'token').split('~')[3]}"
        assert soon(lambda: name not in "".join(voter.get("/").text for _ in range(3)))
        answer = undo(voter, page).text
        assert "Your last vote is taken back." in answer
        assert name not in answer
        assert counted(vote.store) == 0


def test_too_many_votes_keep_the_pair_until_the_voter_slows_down(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Pace, "allows", lambda pace, judge: False)
        refused = scene.send()
    assert (refused.status_code, refused.headers["HX-Retarget"]) == (429, "#notice")
    assert "too fast" in refused.text
    assert "token" not in refused.text
    assert scene.send().status_code == 200


def test_the_pace_is_that_of_each_judge() -> None:
    now = [0.0]
    pace = Pace(6, clock=lambda: now[0])  # a vote every ten seconds, or two at once
    assert [pace.allows("ann") for _ in range(3)] == [True, True, False]
    assert pace.allows("bob")
    now[0] = 10.0
    assert [pace.allows("ann") for _ in range(2)] == [True, False]


# ------------------------------------------------------------------------------------ at the same time


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Opened]]:
    opened = open_vote(tmp_path / "votes.db", things(9))
    with in_thread(opened) as port:
        yield f"http://127.0.0.1:{port}", opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that many tests share."""
    opened = open_vote(tmp_path_factory.mktemp("vote") / "votes.db", things(3))
    with in_thread(opened) as port:
        yield f"http://127.0.0.1:{port}"


def at_once(calls: Sequence[Callable[[], Any]]) -> list[int]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return sorted(answer.status_code for answer in pool.map(lambda call: call(), calls))


def test_a_token_sent_many_times_at_once_counts_once(served: tuple[str, Opened]) -> None:
    address, vote = served
    with httpx2.Client(base_url=address) as voter:
        page = voter.get("/").text
        assert at_once([lambda: cast(voter, page)] * 8) == [200, *[409] * 7]
    assert counted(vote.store) == 1


def test_quotas_of_an_invitation_hold_for_votes_at_once(served: tuple[str, Opened]) -> None:
    address, vote = served
    code = vote.store.write(lambda c: invite(c, "", now=1.0, people=2, most_votes=1)).result()
    people = [httpx2.Client(base_url=address) for _ in range(6)]
    pages = [person.get(f"/invited/{code}").text for person in people]
    forms = [{"form": field(page, "form"), "code": code} for page in pages]
    joins = [partial(person.post, "/join", data=form) for person, form in zip(people, forms, strict=True)]
    assert at_once(joins) == [303, 303, *[403] * 4]
    with vote.store.read() as connection:
        invited = connection.scalars(select(judges.c.id).where(judges.c.invitation == 1)).all()
    guest = next(p for p in people if _judge_of(p, vote) in invited)
    pages = [guest.get("/").text for _ in range(5)]
    assert at_once([partial(cast, guest, page) for page in pages])[0] == 200
    assert counted(vote.store) == 1
    for person in people:
        person.close()


def _judge_of(person: httpx2.Client, vote: Opened) -> str | None:
    with vote.store.read() as connection:
        return Signer(str(fact_of(connection, "signing"))).judge(person.cookies["podium_judge"])


def test_a_revoked_invitation_admits_nobody(tmp_path: Path) -> None:
    with vote_on(tmp_path, invited_only=True) as (voter, vote):
        code = vote.store.write(lambda c: invite(c, "", now=1.0)).result()
        vote.store.write(lambda c: revoke(c, 1, now=2.0)).result()
        voter.get("/")
        judge = _judge_of(voter, vote)
        with vote.store.read() as connection:
            form = Signer(str(fact_of(connection, "signing"))).form(str(judge))
        for wrong in (code, "guessed"):
            for refused in (
                voter.get(f"/invited/{wrong}"),  # at once, not only after a form is filled in
                voter.post("/join", data={"form": form, "code": wrong}),
            ):
                assert refused.status_code == 403
                assert "This invitation is not valid." in refused.text
        assert "Voting needs an invitation." in voter.get("/").text


# ------------------------------------------------------------------------------------ sockets


def talk(port: int, *parts: bytes, pause: float = 0.0, host: bytes = b"127.0.0.1") -> bytes:
    """Send parts with pauses between them, and return all that comes back until the server closes."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as connection:
        try:
            for part in parts:
                connection.sendall(part.replace(b"HOST", host))
                time.sleep(pause)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        except (BrokenPipeError, ConnectionResetError):
            return b"closed"


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


GET = b"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n"
POST = b"POST /vote HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/x-www-form-urlencoded\r\n"
SLOW = [b"x"] * 40  # with pauses of 0.05 seconds: two seconds, if nobody ends it

# name, what is sent with short pauses, and what the answer contains
IMPATIENCE: list[tuple[str, list[bytes], bytes]] = [
    ("silence", [], b""),
    ("a request line that never ends", [b"GET /", *SLOW], b""),
    ("headers that never end", [b"GET / HTTP/1.1\r\nHost: HOST\r\n", *[b"X: y\r\n"] * 40], b""),
    ("a second request that never ends", [GET, b"GET /", *SLOW], b"200 OK"),
    ("empty lines after a request", [GET, *[b"\r\n"] * 40], b"200 OK"),
    ("silence after a request", [GET], b"200 OK"),
    ("a body that trickles", [POST + b"Content-Length: 999\r\n\r\n", *SLOW], b"408"),
    ("a body that never comes", [POST + b"Content-Length: 999\r\n\r\n"], b"408"),
    ("chunks that trickle", [POST + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\nx\r\n"] * 40], b"408"),
]


def test_slow_clients_are_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "SILENCE", 0.4)
    monkeypatch.setattr(serve, "KEEP_ALIVE", 1)
    monkeypatch.setattr(guard, "PATIENCE", 0.4)

    def ends(port: int, parts: list[bytes], answer: bytes) -> bool:
        start = time.monotonic()
        said = talk(port, *parts, pause=0.05)
        return (answer in said or said == b"closed") and time.monotonic() - start < 5

    opened = open_vote(tmp_path / "votes.db")
    with in_thread(opened) as port, ThreadPoolExecutor(len(IMPATIENCE)) as clients:
        ended = {name: clients.submit(ends, port, parts, answer) for name, parts, answer in IMPATIENCE}
        assert [name for name, end in ended.items() if not end.result()] == []


CHUNKS = POST + b"Transfer-Encoding: chunked\r\n\r\n"
LONG = b"x" * 200_000
OVERSIZED = [
    ("a body of a named size", [POST + b"Content-Length: 99999999\r\n\r\n"], b"413"),
    ("a body in chunks", [CHUNKS + b"4000\r\n", b"x" * 0x4000, b"\r\n1\r\nx\r\n"], b"413"),
    ("a long header", [b"GET / HTTP/1.1\r\nHost: HOST\r\nX: ", LONG], b"400"),
    ("many headers", [b"GET / HTTP/1.1\r\nHost: HOST\r\n", b"X: y\r\n" * 40_000], b"400"),
    ("a long cookie", [GET[:-2] + b"Cookie: podium_judge=" + LONG + b"\r\n\r\n"], b"400"),
    ("a long query", [b"GET /board?revision=" + LONG], b"400"),
    ("a long trailer", [CHUNKS + b"0\r\nX: ", LONG], b"400"),
    ("two lengths", [POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"], b"400"),
    ("a negative length", [POST + b"Content-Length: -5\r\n\r\n"], b"400"),
    ("no HTTP", [b"\x16\x03\x01\x02\x00" * 9], b"400"),
    ("null bytes in headers", [b"GET / HTTP/1.1\r\nHost: HOST\r\nX: \0\r\n\r\n"], b"400"),
    ("a foreign host", [b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"], b"400"),
    ("no host", [b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"], b"400"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "answer"), [o[1:] for o in OVERSIZED], ids=[o[0] for o in OVERSIZED])
def test_oversized_and_broken_requests_are_refused(page: str, parts: list[bytes], answer: bytes) -> None:
    said = talk(port_of(page), *parts)
    assert said == b"closed" or answer in said.partition(b"\r\n")[0]
    assert httpx2.get(page).status_code == 200


def test_half_a_form_is_none(served: tuple[str, Opened]) -> None:
    address, vote = served
    with httpx2.Client(base_url=address) as voter:
        form = f"answer=left&token={field(voter.get('/').text, 'token')}&more="
        cookie = f"Cookie: podium_judge={voter.cookies['podium_judge']}\r\n"
    with closing(socket.create_connection(("127.0.0.1", port_of(address)))) as connection:
        head = POST.replace(b"HOST", b"127.0.0.1") + cookie.encode()
        connection.sendall(head + f"Content-Length: {len(form) + 9}\r\n\r\n{form}".encode())
    time.sleep(0.3)
    assert counted(vote.store) == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]:8000"])
def test_names_of_this_machine_are_no_foreign_hosts(page: str, host: str) -> None:
    assert httpx2.get(page, headers={"Host": host}).status_code == 200


def test_idle_connections_keep_nobody_out(page: str) -> None:
    idle = [socket.create_connection(("127.0.0.1", port_of(page))) for _ in range(200)]
    assert httpx2.get(page).status_code == 200
    for connection in idle:
        connection.close()


OUTSIDE = [
    "/static/../guard.py",
    "/static/..%2fguard.py",
    "/static/%2e%2e/guard.py",
    "/static/..%5cguard.py",
    "/static/..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/static//etc/passwd",
    "/static/%00",
    "/static/",
    "/image/../board.py",
    "/image/..%2f1",
    "/image/-1",
    "/owner/..%2fx",
    "/owner/%00",
    "/invited/..%2f..%2f%00",
    "//evil.example/",
    "/%ff",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_lead_nowhere_else(page: str, path: str) -> None:
    said = talk(port_of(page), f"GET {path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n".encode())
    assert said.split()[1] in (b"400", b"404"), said
    assert b"class Guard" not in said
    assert b"root:" not in said


# ------------------------------------------------------------------------------------ content

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;{{7*7}}"
MARKDOWN = f"""{EVIL}
<script>alert(1)</script>

[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](javascript&colon;alert(1)) [d](data:text/html,x)
![e](javascript:alert(1)) ![f](https://evil.example/x.png) <javascript:alert(1)> [g](vbscript:x)
[h](https://evil.example/"onmouseover="alert(1)) <a href="javascript:alert(1)">i</a>

```"><script>alert(1)</script>
<script>alert(1)</script>
```
"""
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script>
<a href="javascript:alert(1)"><rect width="9" height="9"/></a></svg>"""
SHOWN = [
    Shown(f"{EVIL} text", "text", EVIL, EVIL),
    Shown(f"{EVIL} markdown", "markdown", MARKDOWN, EVIL),
    Shown(f"{EVIL} code", "code", EVIL, EVIL, language="html"),
    Shown(f"{EVIL} odd code", "code", EVIL, EVIL, language=EVIL),
    Shown(f"{EVIL} image", "image", EVIL, EVIL, data=SVG),
]


class Reader(HTMLParser):
    """Reads a page and notes everything that could run."""

    ADDRESSES = ("href", "src", "action", "formaction", "srcset", "data", "xlink:href", "hx-get", "hx-post")
    NEVER = ("iframe", "object", "embed", "base", "style", "foreignobject", "applet", "frame", "math")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self._in_script = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._in_script = tag == "script"
        wrong = tag in self.NEVER
        if tag in ("script", "img", "link"):  # our own files alone
            wrong |= not str(given.get("src") or given.get("href")).startswith(("/static/", "/image/"))
        if tag == "meta":
            wrong |= "http-equiv" in given
        for name, value in attrs:
            wrong |= name.startswith(("on", "hx-on"))
            if name in self.ADDRESSES:
                wrong |= not str(value).startswith(("/", "http://", "https://", "mailto:"))
        if wrong:
            self.wrong.append(self.get_starttag_text() or tag)

    def handle_data(self, data: str) -> None:
        if self._in_script and data.strip():
            self.wrong.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


def test_the_reader_of_this_test_sees_what_runs() -> None:
    bad = [
        "<script>x</script>",
        "<p onclick=x>",
        "<a href=javascript:x>",
        "<img src=//evil>",
        "<style>x</style>",
    ]
    assert all(Reader(page).wrong for page in bad)


@pytest.mark.filterwarnings("ignore")  # two threads that ignore warnings may undo each other's filters
def test_nothing_that_people_write_can_run_on_a_page(tmp_path: Path) -> None:
    settings = {
        "question": EVIL,
        "consent": EVIL,
        "ask_name": True,
        "both_bad": True,
        "votes_per_minute": 1000,
    }
    opened = open_vote(tmp_path / "votes.db", SHOWN, settings)
    home = f"/owner/{opened.owner}"
    with TestClient(create_app(opened.store, opened.settings), follow_redirects=False) as client:
        client.post(f"{home}/invite", data={"label": EVIL})
        files = [
            ("uploads", (f"{EVIL}.svg", SVG, "image/svg+xml")),
            ("uploads", (f"{EVIL}.md", MARKDOWN.encode(), "text/plain")),
        ]
        client.post(f"{home}/items", files=files)
        pages = [client.get(f"/invited/{quote(EVIL, safe='')}").text, client.get(f"/{quote(EVIL)}").text]
        form = {"form": field(client.get("/").text, "form"), "name": EVIL[:100], "consents": "true"}
        assert client.post("/join", data=form).status_code == 303
        pages.append(client.get("/").text)
        while 'name="token"' in pages[-1]:
            pages.append(cast(client, pages[-1], "both bad").text)
        n = counted(opened.store)
        assert soon(lambda: client.get("/health").json()["votes"] == n)  # the board is a second behind
        pages += [client.get(path).text for path in ("/board", "/board/live", home, f"{home}/judges")]
        pages.append(client.post(f"{home}/items", data={"name": f"{EVIL} text", "text": "x"}).text)
    assert len(pages) > 15
    assert sum("alert(1)" in page for page in pages) > 12  # it is all there, as text
    for page in pages:
        assert not Reader(page).wrong
        assert "{{7*7}}" in page or "alert(1)" not in page  # templates in texts are not run


def test_an_image_opened_on_its_own_can_run_nothing(tmp_path: Path) -> None:
    opened = open_vote(tmp_path / "votes.db", SHOWN)
    with TestClient(create_app(opened.store, opened.settings)) as client:
        image = client.get("/image/5")
    policy = image.headers["content-security-policy"]
    assert (image.content, image.headers["content-type"]) == (SVG, "image/svg+xml")
    assert "default-src 'none'" in policy
    assert policy.endswith("sandbox")
    assert "script" not in policy


@pytest.mark.parametrize("name", ["../../x.txt", "..\\..\\x.txt", "/etc/x.txt", "C:\\x.txt"])
def test_uploads_write_no_files(tmp_path: Path, name: str) -> None:
    with vote_on(tmp_path) as (client, vote):
        before = sorted(tmp_path.parent.rglob("*"))
        files = [("uploads", (name, b"hello", "text/plain"))]
        assert client.post(f"/owner/{vote.owner}/items", files=files).status_code == 303
        with vote.store.read() as connection:
            assert "x" in connection.scalars(select(items.c.name)).all()
        assert sorted(tmp_path.parent.rglob("*")) == before


@pytest.mark.parametrize("path", ["../secret.svg", "/etc/passwd", "a/../../secret.svg", "link.svg"])
def test_tables_of_items_read_no_files_outside_their_folder(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "items"
    folder.mkdir()
    (tmp_path / "secret.svg").write_bytes(SVG)
    (folder / "link.svg").symlink_to(tmp_path / "secret.svg")
    (folder / "items.csv").write_text(f"name,image\nann,{path}\nbob,{path}\n")
    with pytest.raises(ValueError, match="row 1"):
        read_items(folder / "items.csv")


# ------------------------------------------------------------------------------------ what is sent and kept


@pytest.fixture
def responses(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Every kind of response."""
    client, home = (
        TestClient(scene.voter.app, follow_redirects=False, raise_server_exceptions=False),
        "/owner/",
    )
    client.cookies = scene.voter.cookies
    found = {
        "page": client.get("/"),
        "file": client.get("/static/vote.css"),
        "board": client.get("/board"),
        "json": client.get("/health"),
        "owner": client.get(home + scene.vote.owner),
        "download": client.get(f"{home}{scene.vote.owner}/votes.csv"),
        "vote": scene.send(),
        "redirect": client.post(f"{home}{scene.vote.owner}/pause", data={"paused": "false"}),
        "refused": scene.send("forged"),
        "foreign": scene.send(Origin="https://evil.example"),
        "missing": client.get("/nothing"),
        "missing file": client.get("/static/nothing"),
        "too large": scene.send(answer="x" * 20_000),
        "method": client.put("/"),
    }
    monkeypatch.setattr("podium.vote.pages.booth.Booth.judge", _fails(StoreError("The disk is full.")))
    found["trouble"] = client.get("/")
    monkeypatch.setattr("podium.vote.pages.booth.Booth.judge", _fails(ZeroDivisionError("a mistake")))
    found["mistake"] = client.get("/")
    assert {name: answer.status_code for name, answer in found.items() if answer.status_code >= 500} == {
        "trouble": 503,
        "mistake": 500,
    }
    return found


def _fails(error: Exception) -> Callable[..., Any]:
    def failing(*_: Any) -> Any:
        raise error

    return failing


def test_every_response_has_the_headers_that_browsers_obey(responses: dict[str, Any]) -> None:
    for name, answer in responses.items():
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, name
        scripts = re.search(r"script-src ([^;]*)", policy)
        assert scripts is not None, name
        assert scripts[1] == "'self'", name
        assert "frame-ancestors 'none'" in policy, name
        assert answer.headers["x-content-type-options"] == "nosniff", name
        assert answer.headers["referrer-policy"] in ("no-referrer", "same-origin", "strict-origin"), name
        assert answer.headers["x-frame-options"] == "DENY", name
        assert "server" not in answer.headers, name
    assert "a mistake" not in responses["mistake"].text


def test_a_foreign_host_gets_the_headers_too(page: str) -> None:
    answer = httpx2.get(page, headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
def test_cookies_are_for_the_server_alone(tmp_path: Path, scheme: str, secure: bool) -> None:
    opened = open_vote(tmp_path / "votes.db")
    with TestClient(create_app(opened.store, opened.settings), base_url=f"{scheme}://vote.example") as client:
        cookie = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert ("Secure" in cookie) == secure


def test_a_server_in_front_says_that_it_speaks_https(page: str) -> None:
    assert "Secure" in httpx2.get(page, headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"]


def test_the_owners_secret_stays_with_the_owner(
    scene: Scene, responses: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = scene.vote.owner
    for page in ("", "/judges", "/votes.csv", "/nothing"):
        scene.voter.get(f"/owner/{secret}{page}")
    scene.voter.post(f"/owner/{secret}/items", data={})
    podium = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx")]
    assert not any(secret in line for line in podium)
    for name in responses.keys() - {"owner", "redirect"}:
        assert secret not in responses[name].text + str(responses[name].headers), name


def test_the_owners_secret_is_compared_in_constant_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[bytes] = []

    def compare(given: bytes, secret: bytes) -> bool:
        compared.append(given)
        return False

    monkeypatch.setattr("podium.vote.pages.owner.compare_digest", compare)
    assert scene.voter.get(f"/owner/{scene.vote.owner}").status_code == 404
    assert compared == [scene.vote.owner.encode()]


def test_no_address_is_stored_unless_asked(scene: Scene) -> None:
    with scene.vote.store.read() as connection:
        assert connection.scalars(select(judges.c.address)).all() == [None]
        assert connection.execute(select(invitations)).all() == []
