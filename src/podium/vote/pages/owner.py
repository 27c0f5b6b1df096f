"""The owner's pages, behind a secret link: items, invitations, judges, downloads."""

import asyncio
import time
from functools import partial
from secrets import compare_digest
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, File, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import RedirectResponse
from sqlalchemy import Connection, delete, func, select

from podium.vote.database.catalogue import add_items, withdraw
from podium.vote.database.downloads import votes_file
from podium.vote.database.people import invite, revoke
from podium.vote.database.store import Job, fact_of, set_fact
from podium.vote.database.tables import IS_COUNTED, facts, invitations, items, judges, votes
from podium.vote.items import shown_from_upload
from podium.vote.items.checks import checked_name, checked_text
from podium.vote.nouns import Kind, Refused, Shown
from podium.vote.pages.boards import live_board
from podium.vote.pages.judges_table import judges_table
from podium.vote.pages.site import Here, Site
from podium.vote.pages.templating import from_htmx

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
Count = Annotated[int | None, Form(ge=1, le=10**9)]


def _is_owner(site: Here, secret: str) -> None:
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
def page(request: Request, site: Here, done: str = "") -> Response:
    """Everything that the owner can see and do."""
    with site.store.read() as connection:
        return site.pages.page(
            "owner.html",
            home=_home(site),
            said=DONE.get(done, ""),
            alarm=False,
            address=site.address(request),
            items=_items(connection),
            invitations=_invitations(connection),
            paused=fact_of(connection, "paused") is not None,
            standing=site.live.standing,
            feed=f"{_home(site)}/live",
        )


@router.get("/live")
def live(site: Here, revision: int = -1) -> Response:
    """The board, if it has changed, even if it is hidden from judges."""
    return live_board(site, revision, f"{_home(site)}/live")


@router.get("/judges")
def judges_section(request: Request, site: Here) -> Response:
    """The table of judges, which may take a while."""
    template = "judges.html" if from_htmx(request) else "judges_page.html"
    with site.store.read() as connection:
        return site.pages.page(template, table=judges_table(connection), home=_home(site))


@router.post("/items")
async def add(
    site: Here,
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
async def take_away(site: Here, item: Annotated[int, Form()]) -> Response:
    """Stop showing an item."""
    return await _done(site, partial(withdraw, item=item, now=time.time()), "withdrawn")


@router.post("/restore")
async def bring_back(site: Here, item: Annotated[int, Form()]) -> Response:
    """Show an item again."""
    return await _done(site, partial(withdraw, item=item, now=None), "restored")


@router.post("/pause")
async def pause(site: Here, paused: Annotated[bool, Form()]) -> Response:
    """Pause the vote, or resume it."""
    return await _done(site, partial(_pause, paused=paused), "paused" if paused else "resumed")


@router.post("/invite")
async def invitation(
    site: Here,
    label: Annotated[str, Form(max_length=200)] = "",
    people: Count = None,
    most_votes: Count = None,
) -> Response:
    """Make an invitation."""
    job = partial(invite, label=label.strip(), now=time.time(), people=people, most_votes=most_votes)
    return await _done(site, job, "invited")


@router.post("/revoke")
async def take_back(site: Here, invitation: Annotated[int, Form()]) -> Response:
    """Make an invitation invalid."""
    return await _done(site, partial(revoke, invitation=invitation, now=time.time()), "revoked")


@router.get("/votes.{kind}")
def download(site: Here, kind: Literal["csv", "parquet"]) -> Response:
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


def _items(connection: Connection) -> list[dict[str, object]]:
    rows = connection.execute(select(items.c.id, items.c.name, items.c.withdrawn).order_by(items.c.name))
    return [dict(row._mapping) for row in rows]


def _invitations(connection: Connection) -> list[dict[str, object]]:
    """The invitations with the number of people who used them, and their votes."""
    used = (
        select(
            judges.c.invitation,
            func.count(judges.c.id.distinct()).label("people"),
            func.count(votes.c.id).label("cast"),
        )
        .outerjoin(votes, (votes.c.judge == judges.c.id) & IS_COUNTED)
        .group_by(judges.c.invitation)
        .subquery()
    )
    rows = connection.execute(
        select(
            invitations,
            func.coalesce(used.c.people, 0).label("people"),
            func.coalesce(used.c.cast, 0).label("cast"),
        )
        .outerjoin(used, used.c.invitation == invitations.c.id)
        .order_by(invitations.c.id)
    )
    return [dict(row._mapping) for row in rows]
