"""Voters for tests: they look at the page, find its forms and send them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import func, select
from starlette.testclient import TestClient

from podium.vote.app import create_app
from podium.vote.database.store import Store
from podium.vote.database.tables import votes
from podium.vote.nouns import Shown
from podium.vote.opening import Opened, open_vote

HTMX = {"HX-Request": "true"}


def things(n: int) -> list[Shown]:
    """Items that show their names."""
    return [Shown(f"item {k}", "text", f"thing {k}") for k in range(1, n + 1)]


@contextmanager
def vote_on(path: Path, n: int = 4, **settings: Any) -> Iterator[tuple[TestClient, Opened]]:
    """A vote on n items, and a voter who has not opened the page yet."""
    opened = open_vote(path / "votes.db", things(n), settings)
    app = create_app(opened.store, opened.settings)
    with TestClient(app, follow_redirects=False) as client:
        yield client, opened


def field(html: str, name: str) -> str:
    """The value of a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert found, f"no field {name} in {html}"
    return found[1]


def cast(client: httpx2.Client, html: str, answer: str = "left") -> Any:
    """Vote on the pair of a page."""
    return client.post("/vote", data={"token": field(html, "token"), "answer": answer}, headers=HTMX)


def undo(client: TestClient, html: str) -> Any:
    """Take back the last vote, on the page that came after it."""
    return client.post("/undo", data={"form": field(html, "form")}, headers=HTMX)


def counted(store: Store) -> int:
    """The number of votes that count."""
    with store.read() as connection:
        return connection.execute(
            select(func.count()).select_from(votes).where(votes.c.undone.is_(None))
        ).scalar_one()
