"""The owner's pages, behind a secret link: items, invitations, judges, downloads."""

import asyncio
import time
import warnings
from functools import partial
from secrets import compare_digest
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Depends, File, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from sqlalchemy import Connection, delete, func, select

from podium.vote.database.catalogue import add_items, withdraw
from podium.vote.database.people import invite, revoke
from podium.vote.database.store import Job, fact_of, set_fact
from podium.vote.database.tables import IS_COUNTED, comparisons, facts, invitations, items, judges, votes
from podium.vote.items import shown_from_upload
from podium.vote.items.checks import checked_name, checked_text
from podium.vote.nouns import Kind, Refused, Shown
from podium.vote.pages.boards import live_board
from podium.vote.pages.site import CurrentSite, Site, from_htmx
from podium.writing.frames import as_csv, as_parquet

MEDIA = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
DONE = {  # what the page says after each change
    "added": "Added. The new items are shown from now on.",
    "withdrawn": "The item is withdrawn; its votes are kept.",
    "restored": "The item is shown again.",
    "paused": "Voting is paused.",
    "resumed": "Voting is open again.",
    "invited": "There is a new invitation at the end of the list.",
    "revoked": "The invitation is revoked; its votes are kept.",
}
COLUMNS = "left right winner grade judge judge_name prompt time shown probability invitation".split()
_VOTES = (
    comparisons.add_columns(
        judges.c.name.label("judge_name"), votes.c.shown, invitations.c.label.label("invitation")
    )
    .join(judges, judges.c.id == votes.c.judge)
    .outerjoin(invitations, invitations.c.id == judges.c.invitation)
    .order_by(votes.c.id)
)
_ITEMS = select(items.c.id, items.c.name, items.c.withdrawn).order_by(items.c.name)
_USED = (
    select(
        judges.c.invitation,
        func.count(judges.c.id.distinct()).label("people"),
        func.count(votes.c.id).label("cast"),
    )
    .outerjoin(votes, (votes.c.judge == judges.c.id) & IS_COUNTED)
    .group_by(judges.c.invitation)
    .subquery()
)
_INVITATIONS = (  # with the number of people who used them, and their votes
    select(
        invitations,
        func.coalesce(_USED.c.people, 0).label("people"),
        func.coalesce(_USED.c.cast, 0).label("cast"),
    )
    .outerjoin(_USED, _USED.c.invitation == invitations.c.id)
    .order_by(invitations.c.id)
)
Count = Annotated[int | None, Form(ge=1, le=10**9)]


def _is_owner(site: CurrentSite, secret: str) -> None:
    """With any other secret there is no such page."""
    if not compare_digest(secret.encode(), site.owner.encode()):
        raise HTTPException(404)


router = APIRouter(prefix="/owner/{secret}", dependencies=[Depends(_is_owner)])


def _home(site: Site) -> str:
    return f"/owner/{site.owner}"


async def _done(site: Site, job: Job, done: str) -> Response:
    """Write, then show the page again, which says what was done."""
    await asyncio.wrap_future(site.store.write(job))
    site.live.nudge()
    return RedirectResponse(f"{_home(site)}?done={done}", 303)


@router.get("")
def page(request: Request, site: CurrentSite, done: str = "") -> Response:
    """Everything that the owner can see and do."""
    with site.store.read() as connection:
        return site.page(
            "owner.html",
            home=_home(site),
            said=DONE.get(done, ""),
            alarm=False,
            address=site.address(request),
            items=connection.execute(_ITEMS).all(),
            invitations=connection.execute(_INVITATIONS).all(),
            paused=fact_of(connection, "paused") is not None,
            standing=site.live.standing,
            feed=f"{_home(site)}/live",
        )


@router.get("/live")
def live(site: CurrentSite, revision: int = -1) -> Response:
    """The board, if it has changed, even if it is hidden from judges."""
    return live_board(site, revision, f"{_home(site)}/live")


@router.get("/judges")
def judges_section(request: Request, site: CurrentSite) -> Response:
    """The table of judges, which may take a while."""
    template = "judges.html" if from_htmx(request) else "judges_page.html"
    with site.store.read() as connection:
        return site.page(template, table=judges_table(connection), home=_home(site))


@router.post("/items")
async def add(
    site: CurrentSite,
    uploads: Annotated[list[UploadFile], File(default_factory=list)],
    name: Annotated[str, Form(max_length=200)] = "",
    text: Annotated[str, Form(max_length=1_000_000)] = "",
    kind: Annotated[Kind, Form()] = "text",
) -> Response:
    """Add an item by name and text, or one item per file."""
    try:
        files = [file for file in uploads if file.filename]
        shown = [shown_from_upload(str(file.filename), await file.read()) for file in files]
        if name.strip():
            item = checked_name(name, "the name")
            shown.append(Shown(item, kind, checked_text(text.strip() or item, "the text")))
        if not shown:
            raise ValueError("give a name, or choose files")
        if site.live.standing.choice.catalogue.has_prompts:
            raise ValueError(
                "the items of this vote are answers to prompts; to add a new item, start podium vote with "
                "its answers"
            )
        return await _done(site, partial(add_items, shown=shown, now=time.time()), "added")
    except ValueError as error:
        raise Refused(f"Nothing was added: {error}.", 400) from error


@router.post("/withdraw")
async def take_away(site: CurrentSite, item: Annotated[int, Form()]) -> Response:
    """Stop showing an item."""
    return await _done(site, partial(withdraw, item=item, now=time.time()), "withdrawn")


@router.post("/restore")
async def bring_back(site: CurrentSite, item: Annotated[int, Form()]) -> Response:
    """Show an item again."""
    return await _done(site, partial(withdraw, item=item, now=None), "restored")


@router.post("/pause")
async def pause(site: CurrentSite, paused: Annotated[bool, Form()]) -> Response:
    """Pause the vote, or resume it."""
    return await _done(site, partial(_pause, paused=paused), "paused" if paused else "resumed")


@router.post("/invite")
async def invitation(
    site: CurrentSite,
    label: Annotated[str, Form(max_length=200)] = "",
    people: Count = None,
    most_votes: Count = None,
) -> Response:
    """Make an invitation."""
    job = partial(invite, label=label.strip(), now=time.time(), people=people, most_votes=most_votes)
    return await _done(site, job, "invited")


@router.post("/revoke")
async def take_back(site: CurrentSite, invitation: Annotated[int, Form()]) -> Response:
    """Make an invitation invalid."""
    return await _done(site, partial(revoke, invitation=invitation, now=time.time()), "revoked")


@router.get("/votes.{kind}")
def download(site: CurrentSite, kind: Literal["csv", "parquet"]) -> Response:
    """The votes as a file."""
    with site.store.read() as connection:
        content = votes_file(connection, kind)
    headers = {"content-disposition": f'attachment; filename="votes.{kind}"'}
    return Response(content, media_type=MEDIA[kind], headers=headers)


def _pause(connection: Connection, paused: bool) -> None:
    if paused:
        set_fact(connection, "paused", str(time.time()))
    else:
        connection.execute(delete(facts).where(facts.c.name == "paused"))


# ------------------------------------------------------------------------------------ the table of judges


def judges_table(connection: Connection) -> Markup:
    """The judges beside the model of all the others, or a sentence if there are too few votes for that."""
    # Imported here, so that the server starts in half the time.
    import pandas as pd

    from podium.bradley_terry.model import BradleyTerry
    from podium.comparisons.outcomes import only_winner
    from podium.comparisons.table import Comparisons
    from podium.web.judges import judges_section
    from podium.web.text import shown

    votes = pd.DataFrame(connection.execute(comparisons).mappings())
    if votes.empty:
        return Markup("<p>Nobody has voted yet.</p>")
    names = {row.id: row.name for row in connection.execute(select(judges.c.id, judges.c.name))}
    voter = votes["judge"].map(lambda judge: f"{names[judge]} ({judge})" if names[judge] else judge)
    outcome = votes["winner"].map({"left": -1, "right": 1}).fillna(0).astype(int)
    c = Comparisons.from_arrays(votes["left"], votes["right"], outcome, group=voter)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the board says what is missing
            table = BradleyTerry(order_effect=not only_winner(outcome)).fit(c).judges()
    except ValueError as error:
        counts = ", ".join(f"{judge}: {n}" for judge, n in voter.value_counts().items())
        return Markup(f"<p>{shown(str(error)).capitalize()}.</p><p>{shown(counts)}</p>")
    return Markup(judges_section(table))


# ------------------------------------------------------------------------------------ downloads


def votes_file(connection: Connection, kind: Literal["csv", "parquet"]) -> bytes:
    """Return the votes that count in the order in which they were cast, one row per vote.

    The columns are left, right, winner, grade, judge, judge_name, prompt, time, shown, probability and
    invitation (its label). Times are UTC: ISO 8601 in CSV, timestamps in Parquet.

    In CSV, text that starts with = + - @, a tab or a line break gets an apostrophe in front, as OWASP
    recommends, since a spreadsheet would run it as a formula. `podium rank` takes the apostrophe off again,
    so names are kept. Parquet has the text as it is.
    """
    import pandas as pd

    frame = pd.read_sql(_VOTES, connection)[COLUMNS]
    for name in ("time", "shown"):
        microseconds = np.rint(frame[name].astype(float) * 1e6).astype("datetime64[us]")
        if kind == "csv":
            frame[name] = np.datetime_as_string(microseconds, unit="us", timezone="UTC")
        else:
            frame[name] = microseconds.dt.tz_localize("UTC")
    return as_csv(frame) if kind == "csv" else as_parquet(frame)
