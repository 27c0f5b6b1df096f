"""Some votes, and databases that hold them."""

from typing import Any

from sqlalchemy import Engine, create_engine, insert, make_url

from podium.vote.database import tables

SQLITE = "sqlite:///{}".format
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


def fill(address: str, votes: list[tuple[str, str, str]] = VOTES) -> None:
    """Make the tables and the view, and cast the votes; the last vote of all is undone."""
    names = list(dict.fromkeys(name for vote in votes for name in vote[:2]))
    number = {name: place for place, name in enumerate(names, start=1)}
    engine = engine_of(address)
    with engine.begin() as connection:
        tables.metadata.create_all(connection)
        tables.create_view(connection)
        tables.create_view(connection)  # as a server does that starts again
        items = [{"id": number[name], "name": name, "added": START} for name in names]
        connection.execute(insert(tables.items), items)
        connection.execute(insert(tables.prompts), [{"id": 1, "digest": "d", "text": 'Which, "now"?'}])
        invited = {"id": 1, "code": "c", "label": "-friends", "created": START}
        connection.execute(insert(tables.invitations), [invited])
        people = [("j1", "=Eve", 1), ("j2", None, None)]
        known = [{"id": id, "name": name, "invitation": by, "joined": START} for id, name, by in people]
        connection.execute(insert(tables.judges), known)
        rows = [_row(place, number, vote) for place, vote in enumerate([*votes, votes[0]])]
        rows[-1]["undone"] = START + 99
        connection.execute(insert(tables.votes), rows)
    engine.dispose()


def _row(place: int, number: dict[str, int], vote: tuple[str, str, str]) -> dict[str, Any]:
    left, right = number[vote[0]], number[vote[1]]
    return {
        "token": f"t{place}",
        "judge": f"j{place % 2 + 1}",
        "prompt": 1,
        "left": left,
        "right": right,
        "low": min(left, right),
        "high": max(left, right),
        "answer": vote[2],
        "probability": 0.25,
        "shown": START + place,
        "time": START + place + 0.5,
        "undone": None,
    }


def engine_of(address: str) -> Engine:
    url = make_url(address)
    return create_engine(url if url.drivername == "sqlite" else url.set(drivername="postgresql+psycopg"))
