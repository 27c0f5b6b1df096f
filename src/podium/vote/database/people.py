"""Judges and invitations: who may vote, and how often."""

from dataclasses import dataclass, replace
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, literal, select, update

from podium.vote.database.store import insert_new
from podium.vote.database.tables import IS_COUNTED, facts, invitations, judges, votes
from podium.vote.nouns import Matchup, Refused, Seen, Settings


@dataclass(frozen=True)
class Judge:
    """What is known of a judge at this moment.

    ``seen`` are the pairs they have voted on, and ``limit`` is the most votes they may cast, if there is a
    limit. ``joins`` says that they first have to fill in a form, and ``barred`` why they may not vote.
    """

    id: str
    seen: frozenset[Seen]
    limit: int | None
    joins: bool
    barred: str = ""

    @property
    def votes(self) -> int:
        """The number of votes that count."""
        return len(self.seen)

    @property
    def finished(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.votes >= self.limit

    def after(self, matchup: Matchup) -> "Judge":
        """The judge with one more vote."""
        return replace(self, seen=self.seen | {matchup.pair})


# One statement for everything, since the time of a vote grows with the number of statements. It has one row
# even for a judge who is not stored yet.
_nobody = select(literal(1)).subquery()
_JUDGE = select(
    judges,
    invitations.c.votes.label("limit"),
    invitations.c.revoked,
    select(facts.c.value).where(facts.c.name == "paused").scalar_subquery().label("paused"),
).select_from(_nobody.outerjoin(judges, judges.c.id == bindparam("judge")).outerjoin(invitations))
_SEEN = select(votes.c.prompt, votes.c.low, votes.c.high).where(
    votes.c.judge == bindparam("judge"), IS_COUNTED
)


def judge_of(connection: Connection, judge: str, settings: Settings) -> Judge:
    """Read what is known of a judge, who may be new."""
    row = connection.execute(_JUDGE, {"judge": judge}).one()
    seen = connection.execute(_SEEN, {"judge": judge})
    limits = (settings.votes_per_judge, row.limit)
    return Judge(
        id=judge,
        seen=frozenset(map(tuple, seen)),
        limit=min((limit for limit in limits if limit is not None), default=None),
        joins=(settings.ask_name and not row.name) or (settings.consent != "" and row.consented is None),
        barred=_barred(row, settings),
    )


def _barred(row: "Row[Any]", settings: Settings) -> str:
    if row.paused:
        return "Voting is paused at the moment."
    if settings.invited_only and row.invitation is None:
        return "Voting needs an invitation. Please open the link that you were sent."
    if row.revoked is not None:
        return "This invitation is no longer valid."
    return ""


def join(
    connection: Connection,
    judge: str,
    *,
    now: float,
    name: str | None = None,
    consents: bool = False,
    code: str | None = None,
    address: str | None = None,
) -> None:
    """Store a judge, or what is new about one. Each judge takes one place of an invitation."""
    place = place_of(connection, judge, code) if code else None
    given = {"name": name or None, "consented": now if consents else None, "invitation": place}
    changes = {column: value for column, value in given.items() if value is not None}
    insert_new(connection, judges, {"id": judge, "joined": now, "address": address})
    if changes:
        connection.execute(update(judges).where(judges.c.id == judge).values(changes))


def place_of(connection: Connection, judge: str, code: str) -> int | None:
    """The id of the invitation with this code, which must have a place left; None if the judge has one.

    To take the place, call it in a transaction that writes. Only one runs at a time, whichever database and
    however many servers there are, so the last place is given away once.
    """
    if connection.scalar(select(judges.c.invitation).where(judges.c.id == judge)) is not None:
        return None
    row = connection.execute(select(invitations).where(invitations.c.code == code)).one_or_none()
    if row is None or row.revoked is not None:
        raise Refused("This invitation is not valid. Please ask for a new link.", 403)
    used = connection.scalar(select(func.count()).select_from(judges).where(judges.c.invitation == row.id))
    if row.judges is not None and used is not None and used >= row.judges:
        raise Refused("This invitation has already been used by as many people as it allows.", 403)
    return int(row.id)


def invite(
    connection: Connection,
    label: str,
    *,
    now: float,
    people: int | None = None,
    most_votes: int | None = None,
) -> str:
    """Make an invitation and return its code."""
    code = token_urlsafe(12)
    connection.execute(
        invitations.insert().values(code=code, label=label, judges=people, votes=most_votes, created=now)
    )
    return code


def revoke(connection: Connection, invitation: int, *, now: float) -> None:
    """Make an invitation invalid; the votes it brought are kept."""
    connection.execute(
        update(invitations)
        .where(invitations.c.id == invitation, invitations.c.revoked.is_(None))
        .values(revoked=now)
    )
