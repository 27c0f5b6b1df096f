"""Cast a vote, or take it back."""

from sqlalchemy import Connection, bindparam, select, update

from podium.vote.database.people import Judge, join, judge_of
from podium.vote.database.store import insert_new
from podium.vote.database.tables import IS_COUNTED, items, votes
from podium.vote.nouns import Answer, Matchup, Refused, Settings
from podium.vote.tokens import Ballot

COUNTED = "This vote is counted already."
TAKEN_BACK = "This vote was taken back. Please vote on the pair as it is shown now."
WITHDRAWN = "One of the two was withdrawn, so this vote was not counted. Here is a new pair."
_WITHDRAWN = select(items.c.id).where(
    items.c.id.in_((bindparam("left"), bindparam("right"))), items.c.withdrawn.is_not(None)
)


def cast(
    connection: Connection,
    ballot: Ballot,
    answer: Answer,
    settings: Settings,
    *,
    now: float,
    address: str | None,
) -> Judge:
    """Store a vote and return the judge after it."""
    judge = judge_of(connection, ballot.judge, settings)
    if judge.barred:
        raise Refused(f"{judge.barred} This vote was not counted.", 403, stays=True)
    if judge.joins:
        raise Refused("Please answer the questions first. This vote was not counted.", 403)
    if ballot.matchup.pair in judge.seen:
        raise Refused(COUNTED, 409)
    if judge.finished:
        raise Refused("You have cast all your votes. This one was not counted.", 403)
    shown = {"left": ballot.matchup.left, "right": ballot.matchup.right}
    if connection.scalar(_WITHDRAWN, shown) is not None:
        raise Refused(WITHDRAWN, 410)
    if not judge.seen:
        join(connection, judge.id, now=now, address=address)
    store_vote(connection, ballot, answer, now)
    return judge.after(ballot.matchup)


def store_vote(connection: Connection, ballot: Ballot, answer: Answer, now: float) -> None:
    """Insert a vote, unless its token or its pair was used before."""
    _, low, high = ballot.matchup.pair
    row = {
        "token": ballot.token,
        "judge": ballot.judge,
        **vars(ballot.matchup),
        "low": low,
        "high": high,
        "answer": answer,
        "shown": ballot.shown,
        "time": now,
    }
    if not insert_new(connection, votes, row):  # the token was used before, or another server was faster
        undone = connection.scalar(select(votes.c.undone).where(votes.c.token == ballot.token))
        raise Refused(COUNTED if undone is None else TAKEN_BACK, 409)


def undo(
    connection: Connection, judge: str, settings: Settings, *, now: float
) -> tuple[Judge, Matchup | None]:
    """Take back the last vote of a judge, and return its pair, if there is one."""
    last = connection.execute(
        select(votes).where(votes.c.judge == judge, IS_COUNTED).order_by(votes.c.id.desc()).limit(1)
    ).one_or_none()
    matchup = None
    if last is not None:
        connection.execute(update(votes).where(votes.c.id == last.id).values(undone=now))
        matchup = Matchup(last.prompt, last.left, last.right, last.probability)
    return judge_of(connection, judge, settings), matchup
