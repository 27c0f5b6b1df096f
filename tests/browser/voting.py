"""A vote served on this machine, and people who visit it in Chromium."""

import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.request import urlopen

from podium.vote.nouns import Shown

AXE = Path(__file__).with_name("axe.min.js").read_text(encoding="utf-8")
RULES = [f"wcag{version}{level}" for version in ("2", "21", "22") for level in ("a", "aa")]
TEXTS = tuple(Shown(name, "text", f"The words of {name}.") for name in ("ann", "bob", "cat", "dan", "eve"))
READY = "htmx-internal-data"  # a property of the elements that htmx has seen
PATIENCE = 30.0


@dataclass(frozen=True)
class Vote:
    """A vote that is served, with the database behind it."""

    url: str
    owner: str
    store: Any

    def answers(self) -> list[str]:
        """The votes that count, in the order in which they were cast."""
        from sqlalchemy import select

        from podium.vote.database.tables import votes

        with self.store.read() as connection:
            query = select(votes.c.answer).where(votes.c.undone.is_(None)).order_by(votes.c.id)
            return list(connection.scalars(query))


@contextmanager
def served(folder: Path, shown: Sequence[Shown] = TEXTS, **settings: Any) -> Iterator[Vote]:
    """Serve a vote from a thread."""
    import uvicorn

    from podium.vote.app import create_app
    from podium.vote.opening import open_vote
    from podium.vote.serve import listen

    opened = open_vote(folder / "votes.db", shown, {"votes_per_minute": 6000, **settings})
    listening = listen("127.0.0.1", 0)
    app = create_app(opened.store, opened.settings)
    server = uvicorn.Server(uvicorn.Config(app, ws="none", log_level="warning"))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        yield Vote(url, f"{url}/owner/{opened.owner}", opened.store)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


class Process:
    """The command ``podium vote`` as a process that can be killed and started again."""

    def __init__(self, database: Path, port: int) -> None:
        self._database, self._port = database, port
        self.url = f"http://127.0.0.1:{port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "podium", "vote", "--db", str(self._database)]
        self._process = subprocess.Popen([*command, "--port", str(self._port)], stdout=subprocess.DEVNULL)
        end = monotonic() + PATIENCE
        while True:
            try:
                with urlopen(f"{self.url}/health", timeout=PATIENCE):
                    return
            except OSError:
                assert monotonic() < end, "the server did not start"
                sleep(0.1)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def visiting(browser: Any, url: str, refused: bool = False, phone: bool = False, **how: Any) -> Iterator[Any]:
    """A person with cookies of their own.

    Nothing may be requested from other hosts. Unless requests are ``refused``, nothing may be logged to the
    console either.
    """
    size = {"width": 390, "height": 780} if phone else {"width": 1200, "height": 800}
    touch = {"has_touch": True, "is_mobile": True} if phone else {}
    context = browser.new_context(viewport=size, reduced_motion="reduce", **touch, **how)
    context.set_default_timeout(1000 * PATIENCE)
    complaints: list[str] = []
    hosts: set[str] = set()
    context.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on("request", lambda request: hosts.add("/".join(request.url.split("/")[:3])))
    page = context.new_page()
    page.goto(url)
    if how.get("java_script_enabled", True):
        # Otherwise a quick key would send the form without htmx, or get lost before the page is painted.
        page.wait_for_function(
            f"!document.querySelector('#ballot') || '{READY}' in document.querySelector('#ballot')"
        )
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    yield page
    context.close()
    assert refused or not complaints, complaints
    assert hosts == {"/".join(url.split("/")[:3])}


def accessibility_problems(page: Any) -> list[str]:
    """What axe-core finds, by rule and element."""
    page.evaluate(AXE)
    found = page.evaluate(
        "tags => axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']})",
        [*RULES, "best-practice"],
    )
    assert len(found["passes"]) > 10
    return [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]
