"""The pages of judges: joining, the pair, the vote, and undo."""

import asyncio
import time
from dataclasses import replace
from functools import partial
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from podium.vote.database.ballots import cast, undo
from podium.vote.database.people import join, place_of
from podium.vote.database.tables import contents
from podium.vote.items import image_type
from podium.vote.nouns import Answer, Matchup, Refused, Settings, StoreError
from podium.vote.pages.booth import View
from podium.vote.pages.site import CurrentSite, Site, from_htmx, site_of
from podium.vote.tokens import new_judge

COOKIE = "podium_judge"
YEAR = 365 * 24 * 3600
LONGEST_TOKEN, LONGEST_ANSWER = 1000, 20  # characters
SAID: dict[Answer, str] = {
    "left": "Your vote for the left one is counted.",
    "right": "Your vote for the right one is counted.",
    "tie": "Your vote for no difference is counted.",
    "both bad": "Your vote for both being bad is counted.",
    "much left": "Your vote for the left one, as much better, is counted.",
    "much right": "Your vote for the right one, as much better, is counted.",
}

router = APIRouter()


async def _visitor(request: Request) -> str | None:
    """The judge of the cookie."""
    return (await site_of(request)).signer.judge(request.cookies.get(COOKIE))


async def _member(request: Request) -> str:
    """The judge of the cookie, which every page with a form sets."""
    judge = await _visitor(request)
    if judge is None:
        raise Refused("Voting needs a cookie. Please allow it and reload the page.", 403)
    return judge


Visitor = Annotated[str | None, Depends(_visitor)]
Member = Annotated[str, Depends(_member)]


# ------------------------------------------------------------------------------------ before the first vote


@router.get("/")
def index(request: Request, site: CurrentSite, judge: Visitor) -> Response:
    """The next pair, or a form or a message in its place."""
    return _welcome(request, site, judge)


@router.get("/invited/{code}")
def invited(request: Request, site: CurrentSite, code: str, judge: Visitor) -> Response:
    """A form that accepts the invitation, unless the judge has one. Opening the link alone takes no place."""
    return _welcome(request, site, judge, code)


def _welcome(request: Request, site: Site, judge: str | None, code: str = "") -> Response:
    view = site.booth.view(site.booth.judge(judge or new_judge()))
    if code:
        with site.store.read() as connection:
            if place_of(connection, view.judge.id, code) is None:
                code = ""
            else:
                view = replace(view, state="join")
    response = site.page("index.html", view=view, code=code)
    if judge is None:
        secure = site.address(request).startswith("https:")
        cookie = site.signer.cookie(view.judge.id)
        response.set_cookie(COOKIE, cookie, max_age=YEAR, httponly=True, samesite="lax", secure=secure)
    return response


@router.post("/join")
async def joined(
    request: Request,
    site: CurrentSite,
    judge: Member,
    form: Annotated[str, Form()],
    name: Annotated[str, Form(max_length=100)] = "",
    consents: Annotated[bool, Form()] = False,
    code: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Store the name, the consent and the invitation of a judge."""
    site.signer.check_form(form, judge)
    if site.settings.ask_name and not name.strip():
        raise Refused("Please give a name.", 400)
    if site.settings.consent and not consents:
        raise Refused("Voting needs your consent.", 400)
    job = partial(
        join,
        judge=judge,
        now=time.time(),
        name=name.strip() if site.settings.ask_name else None,
        consents=consents,
        code=code,
        address=_address(request, site.settings),
    )
    await asyncio.wrap_future(site.store.write(job))
    return RedirectResponse("/", 303)


# ------------------------------------------------------------------------------------ voting


@router.post("/vote")
async def vote(request: Request) -> Response:
    """Count a vote and show the next pair.

    The request is read here: parameters that FastAPI reads would take a quarter of the time of a vote.
    """
    site, judge = await site_of(request), await _member(request)
    token, answer = await _ballot_fields(request)
    try:
        ballot = site.signer.ballot(token, judge, site.settings.expires)
        chosen = _checked(answer, site.settings)
        if not site.pace.allows(judge):
            raise Refused("That was too fast to be counted. Please wait a moment.", 429, stays=True)
        job = partial(
            cast,
            ballot=ballot,
            answer=chosen,
            settings=site.settings,
            now=time.time(),
            address=_address(request, site.settings),
        )
        after = await asyncio.wrap_future(site.store.write(job))
    except Refused as refusal:
        if refusal.stays and from_htmx(request):
            raise
        again = ballot.matchup if refusal.stays else None
        return await run_in_threadpool(_refused, request, site, judge, refusal, again)
    if not from_htmx(request):
        return RedirectResponse("/", 303)  # so that reloading the page sends no vote again
    try:
        view = site.booth.view(after, said=SAID[chosen])
    except StoreError as error:
        raise Refused(f"{SAID[chosen]} There is no next pair yet: {error}", 503, stays=True) from error
    return _next(request, site, view)


@router.post("/undo")
async def undone(
    request: Request, site: CurrentSite, judge: Member, form: Annotated[str, Form()]
) -> Response:
    """Take back the last vote and show its pair again."""
    site.signer.check_form(form, judge)
    job = partial(undo, judge=judge, settings=site.settings, now=time.time())
    after, matchup = await asyncio.wrap_future(site.store.write(job))
    said = "There is no vote to take back." if matchup is None else "Your last vote is taken back."
    return _next(request, site, await run_in_threadpool(site.booth.view, after, matchup, said))


async def _ballot_fields(request: Request) -> tuple[str, str]:
    """The token and the answer of a form."""
    try:
        fields = dict(parse_qsl((await request.body()).decode(), max_num_fields=5))
        token, answer = fields["token"], fields["answer"]
    except (KeyError, ValueError):
        token = answer = ""
    if not (0 < len(token) <= LONGEST_TOKEN and 0 < len(answer) <= LONGEST_ANSWER):
        raise Refused("The request was not understood. Please reload the page.", 400)
    return token, answer


def _checked(answer: str, settings: Settings) -> Answer:
    """The answer, if it is one of the buttons."""
    for allowed in settings.answers:
        if answer == allowed:
            return allowed
    raise Refused("This vote was not counted: its answer is not one of the buttons.", 400)


def _address(request: Request, settings: Settings) -> str | None:
    """The network address of a judge, if it is to be kept."""
    return request.client.host if settings.keep_addresses and request.client else None


def _refused(request: Request, site: Site, judge: str, refusal: Refused, again: Matchup | None) -> Response:
    """The page after a vote that was not counted; ``again`` is its pair, if it may still be voted on."""
    view = site.booth.view(site.booth.judge(judge), again, str(refusal), alarm=True)
    return _next(request, site, view, refusal.status)


def _next(request: Request, site: Site, view: View, status: int = 200) -> Response:
    """The next pair: in place of the last one, or, without htmx, as a page of its own."""
    template = "booth.html" if from_htmx(request) else "index.html"
    return site.page(template, status, view=view, code="")


# ------------------------------------------------------------------------------------ images


@router.get("/image/{content}")
def image(site: CurrentSite, content: int) -> Response:
    """The bytes of an image."""
    with site.store.read() as connection:
        data = connection.scalar(select(contents.c.data).where(contents.c.id == content))
    if data is None:
        raise HTTPException(404)
    # An image that is opened on its own, such as an SVG with a script, must not act for the page.
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    headers = {"content-security-policy": policy, "cache-control": "private, max-age=86400"}
    return Response(data, media_type=image_type(data), headers=headers)
