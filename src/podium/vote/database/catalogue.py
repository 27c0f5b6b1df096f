"""The items of the database: add and withdraw them, and read them as a frozen catalogue."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from podium.comparisons.messages import quoted
from podium.vote.database.store import insert_new
from podium.vote.database.tables import contents, items, prompts
from podium.vote.nouns import Shown


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The items that can be shown at this moment.

    Attributes
    ----------
    items : tuple of int
        The ids of the items that are not withdrawn.
    names : mapping of int to str
        The names of all items, the withdrawn ones included.
    answers : mapping of int to frozenset of int
        For every prompt the items that answer it, if there are at least two.
    has_prompts : bool
        Whether items are shown for what they answer to prompts, not for themselves.
    """

    items: tuple[int, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    answers: Mapping[int, frozenset[int]] = field(default_factory=dict)
    has_prompts: bool = False


def load_catalogue(connection: Connection) -> Catalogue:
    """Read the catalogue."""
    rows = connection.execute(select(items.c.id, items.c.name, items.c.withdrawn).order_by(items.c.id)).all()
    active = [row.id for row in rows if row.withdrawn is None]
    answers: defaultdict[int, set[int]] = defaultdict(set)
    for item, prompt in connection.execute(
        select(contents.c.item, contents.c.prompt).join(items).where(items.c.withdrawn.is_(None))
    ):
        answers[prompt].add(item)
    return Catalogue(
        items=tuple(active),
        names={row.id: row.name for row in rows},
        answers={prompt: frozenset(found) for prompt, found in answers.items() if len(found) > 1},
        has_prompts=connection.scalar(select(prompts.c.id).where(prompts.c.text != "").limit(1)) is not None,
    )


class Added(NamedTuple):
    """How many items and contents were new."""

    items: int
    contents: int


def add_items(connection: Connection, shown: Iterable[Shown], *, now: float) -> Added:
    """Store what is to be shown; what is stored already stays as it is.

    Raises
    ------
    ValueError
        If an item of the database shows something else: its votes would be about two different things.
    """
    new_items = new_contents = 0
    for one in shown:
        new_items += insert_new(connection, items, {"name": one.item, "added": now})
        item = connection.scalar(select(items.c.id).where(items.c.name == one.item))
        digest = sha256(one.prompt.encode()).hexdigest()
        insert_new(connection, prompts, {"digest": digest, "text": one.prompt})
        prompt = connection.scalar(select(prompts.c.id).where(prompts.c.digest == digest))
        what = {"kind": one.kind, "text": one.text, "data": one.data, "language": one.language}
        if insert_new(connection, contents, {"item": item, "prompt": prompt, **what}):
            new_contents += 1
        elif what != _stored(connection, item, prompt):
            answer = f" to {quoted(one.prompt)}" if one.prompt else ""
            raise ValueError(
                f"the item {quoted(one.item)} shows something else{answer} in the database; give the new one "
                "another name, so that its votes are counted apart"
            )
    return Added(new_items, new_contents)


def _stored(connection: Connection, item: int | None, prompt: int | None) -> dict[str, object]:
    row = connection.execute(
        select(contents.c.kind, contents.c.text, contents.c.data, contents.c.language).where(
            contents.c.item == item, contents.c.prompt == prompt
        )
    ).one()
    return dict(row._mapping)


def withdraw(connection: Connection, item: int, *, now: float | None) -> None:
    """Stop showing an item; its votes are kept. With ``now=None`` it is shown again."""
    connection.execute(update(items).where(items.c.id == item).values(withdrawn=now))
