"""A small database of votes for tests."""

from collections.abc import Iterable
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, insert, select

from podium.vote.database import tables
from podium.vote.database.catalogue import Catalogue

NOON = 1_750_000_020.0  # begins a minute
_tokens = count()


def engine_of(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}")
    tables.metadata.create_all(engine)
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


def add_votes(connection: Connection, cast: Iterable[tuple[int, int, str]], time: float = NOON) -> None:
    """Votes (left, right, answer), each of a new judge."""
    rows = [
        {
            "token": str(next(_tokens)),
            "prompt": 1,
            "left": left,
            "right": right,
            "low": min(left, right),
            "high": max(left, right),
            "answer": answer,
            "probability": 0.5,
            "shown": time,
            "time": time,
        }
        for left, right, answer in cast
    ]
    rows = [row | {"judge": row["token"]} for row in rows]
    connection.execute(insert(tables.judges), [{"id": row["judge"], "joined": time} for row in rows])
    connection.execute(insert(tables.votes), rows)


def shop(n: int, withdrawn: Iterable[int] = (), answers: dict[int, set[int]] | None = None) -> Catalogue:
    """The items 1 to n, called a, b, c … or by their numbers."""
    items = tuple(item for item in range(1, n + 1) if item not in set(withdrawn))
    names = {item: chr(96 + item) if n <= 26 else f"item {item}" for item in range(1, n + 1)}
    found = {prompt: frozenset(group) for prompt, group in (answers or {1: set(items)}).items()}
    return Catalogue(items, names, found)
