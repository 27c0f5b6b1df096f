"""Databases of votes, written row by row without the vote page."""

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, insert, make_url, select

from podium.vote.database import tables
from podium.vote.database.catalogue import Catalogue

NOON = 1_750_000_020.0  # begins a minute
START = 1_700_000_000.123456  # seconds since 1970
VOTES = [  # left, right, answer
    ("ann", "bob", "left"),
    ("bob", "=1+1", "tie"),
    ("=1+1", "ann", "right"),
    ("ann", "bob", "both bad"),
    ("'-cat", "ann", "left"),
    ("bob", "'-cat", "right"),
    ("=1+1", "'-cat", "right"),
    ("-dog, the \"1st\"", "@bob\nx", "left"),
    ("@bob\nx", "ann", "left"),
    ("ann", "-dog, the \"1st\"", "left"),
]  # fmt: skip
_tokens = count()


def engine_of(source: str | Path) -> Engine:
    """The PostgreSQL database at an address, or a SQLite file."""
    if isinstance(source, Path):
        return create_engine(f"sqlite:///{source}")
    return create_engine(make_url(source).set(drivername="postgresql+psycopg"))


def with_tables(source: str | Path) -> Engine:
    """A new database with the tables and the view of a vote."""
    engine = engine_of(source)
    with engine.begin() as connection:
        tables.metadata.create_all(connection)
        tables.create_view(connection)
    return engine


def add_items(connection: Connection, names: Iterable[str], prompts: int = 1) -> None:
    """Items that answer all prompts."""
    names = list(names)
    connection.execute(insert(tables.items), [{"name": name, "added": NOON} for name in names])
    connection.execute(
        insert(tables.prompts),
        [{"id": k + 1, "digest": str(k), "text": f"prompt {k}"} for k in range(prompts)],
    )
    ids = connection.scalars(select(tables.items.c.id)).all()
    connection.execute(
        insert(tables.contents),
        [{"item": i, "prompt": k + 1, "kind": "text", "text": ""} for i in ids for k in range(prompts)],
    )


def add_votes(
    connection: Connection,
    cast: Iterable[tuple[int, int, str]],
    time: float = NOON,
    per_judge: int = 1,
) -> None:
    """Votes (left, right, answer) of new judges, who each vote on so many prompts, one after the other."""
    judges = (f"judge {next(_tokens)}" for _ in count())
    names = (name for name in judges for _ in range(per_judge))
    rows = [_vote(next(names), *vote, shown=time, time=time) for vote in cast]
    for k, row in enumerate(rows):
        row["prompt"] = 1 + k % per_judge
    known = [row["judge"] for row in rows[::per_judge]]
    connection.execute(insert(tables.judges), [{"id": name, "joined": time} for name in known])
    connection.execute(insert(tables.votes), rows)


def add_odd_votes(source: str | Path) -> None:
    """`VOTES`, with names that a spreadsheet would run, of two judges in turn; one more vote is undone."""
    names = list(dict.fromkeys(name for vote in VOTES for name in vote[:2]))
    number = {name: place for place, name in enumerate(names, start=1)}
    engine = with_tables(source)
    with engine.begin() as connection:
        items = [{"id": number[name], "name": name, "added": START} for name in names]
        connection.execute(insert(tables.items), items)
        connection.execute(insert(tables.prompts), [{"id": 1, "digest": "d", "text": 'Which, "now"?'}])
        invited = {"id": 1, "code": "c", "label": "-friends", "created": START}
        connection.execute(insert(tables.invitations), [invited])
        people = [("j1", "=Eve", 1), ("j2", None, None)]
        known = [{"id": id, "name": name, "invitation": by, "joined": START} for id, name, by in people]
        connection.execute(insert(tables.judges), known)
        rows = [
            _vote(f"j{k % 2 + 1}", number[left], number[right], answer, shown=START + k, time=START + k + 0.5)
            for k, (left, right, answer) in enumerate([*VOTES, VOTES[0]])
        ]
        rows[-1]["undone"] = START + 99
        connection.execute(insert(tables.votes), rows)
    engine.dispose()


def _vote(judge: str, left: int, right: int, answer: str, *, shown: float, time: float) -> dict[str, Any]:
    return {
        "token": str(next(_tokens)),
        "judge": judge,
        "prompt": 1,
        "left": left,
        "right": right,
        "low": min(left, right),
        "high": max(left, right),
        "answer": answer,
        "probability": 0.25,
        "shown": shown,
        "time": time,
        "undone": None,
    }


def shop(n: int, withdrawn: Iterable[int] = (), answers: dict[int, set[int]] | None = None) -> Catalogue:
    """The items 1 to n, called a, b, c … or by their numbers."""
    items = tuple(item for item in range(1, n + 1) if item not in set(withdrawn))
    names = {item: chr(96 + item) if n <= 26 else f"item {item}" for item in range(1, n + 1)}
    found = {prompt: frozenset(group) for prompt, group in (answers or {1: set(items)}).items()}
    return Catalogue(items, names, found)
