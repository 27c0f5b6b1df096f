"""The pages of judges: the pair, the vote, what comes before and after."""

import asyncio
import time
from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from podium.vote.database.ballots import cast, undo
from podium.vote.database.people import join
from podium.vote.database.tables import contents
from podium.vote.items import image_type
from podium.vote.nouns import ANSWERS, Answer, Refused, Settings
from podium.vote.pages.booth import Booth, View
from podium.vote.pages.templating import Pages, from_htmx
from podium.vote.tokens import new_judge

COOKIE = "podium_judge"
YEAR = 365 * 24 * 3600
SAID: dict[Answer, str] = {
    "left": "Your vote for the left one is counted.",
    "right": "Your vote for the right one is counted.",
    "tie": "Your vote for no difference is counted.",
    "both bad": "Your vote for both being bad is counted.",
}


def judge_pages(booth: Booth, pages: Pages) -> APIRouter:
    router = APIRouter()

    # FastAPI runs functions that are not async in another thread, which takes longer than these do.
    async def known(request: Request) -> str | None:
        """The judge of the cookie."""
        return booth.signer.judge(request.cookies.get(COOKIE))

    async def member(judge: Annotated[str | None, Depends(known)]) -> str:
        """The judge of the cookie, who has seen a page of this server before."""
        if judge is None:
            raise Refused(
                "This page needs a cookie to count votes. Please allow it and reload the page.", 403
            )
        return judge

    Known, Member = Annotated[str | None, Depends(known)], Annotated[str, Depends(member)]

    def answer_page(request: Request, view: View, status: int = 200) -> Response:
        """The next pair: in place of the last one, or as a page of its own."""
        template = "booth.html" if from_htmx(request) else "index.html"
        return pages.page(template, status, view=view, code="")

    @router.get("/")
    def index(request: Request, judge: Known) -> Response:
        return welcome(request, judge, "")

    @router.get("/invited/{code}")
    def invited(request: Request, code: str, judge: Known) -> Response:
        return welcome(request, judge, code)

    def welcome(request: Request, judge: str | None, code: str) -> Response:
        view = booth.view(booth.judge(judge or new_judge()))
        if code:
            view = replace(view, state="join")
        response = pages.page("index.html", view=view, code=code)
        if judge is None:
            secure = request.url.scheme == "https"
            cookie = booth.signer.cookie(view.judge.id)
            response.set_cookie(COOKIE, cookie, max_age=YEAR, httponly=True, samesite="lax", secure=secure)
        return response

    @router.post("/join")
    async def joining(
        request: Request,
        judge: Member,
        form: Annotated[str, Form()],
        name: Annotated[str, Form(max_length=100)] = "",
        consents: Annotated[bool, Form()] = False,
        code: Annotated[str, Form(max_length=100)] = "",
    ) -> Response:
        booth.signer.check_form(form, judge)
        if booth.settings.ask_name and not name.strip():
            raise Refused("Please give a name.", 400, stays=True)
        if booth.settings.consent and not consents:
            raise Refused("Voting needs your consent.", 400, stays=True)
        job = partial(
            join,
            judge=judge,
            now=time.time(),
            name=name.strip() if booth.settings.ask_name else None,
            consents=consents,
            code=code,
            address=address_of(request, booth.settings),
        )
        await asyncio.wrap_future(booth.store.write(job))
        return RedirectResponse("/", 303)

    @router.post("/vote")
    async def vote(
        request: Request,
        judge: Member,
        token: Annotated[str, Form(max_length=1000)],
        answer: Annotated[str, Form(max_length=20)],
    ) -> Response:
        try:
            ballot = booth.signer.ballot(token, judge, booth.settings.expires)
            chosen = _checked(answer, booth.settings)
            if not booth.pace.allows(judge):
                raise Refused("That was too fast to be counted. Please wait a moment.", 429, stays=True)
            job = cast(
                ballot, chosen, booth.settings, now=time.time(), address=address_of(request, booth.settings)
            )
            after = await asyncio.wrap_future(booth.store.write(job))
        except Refused as refusal:
            if refusal.stays:
                raise
            return await run_in_threadpool(refused_vote, request, judge, refusal)
        if not from_htmx(request):
            return RedirectResponse("/", 303)
        return answer_page(request, booth.view(after, said=SAID[chosen]))

    def refused_vote(request: Request, judge: str, refusal: Refused) -> Response:
        view = booth.view(booth.judge(judge), said=str(refusal), alarm=True)
        return answer_page(request, view, refusal.status)

    @router.post("/undo")
    async def undone(request: Request, judge: Member, form: Annotated[str, Form()]) -> Response:
        booth.signer.check_form(form, judge)
        job = undo(judge, booth.settings, now=time.time())
        after, matchup = await asyncio.wrap_future(booth.store.write(job))
        said = "There is no vote to take back." if matchup is None else "Your last vote is taken back."
        view = await run_in_threadpool(booth.view, after, matchup, said)
        return answer_page(request, view)

    @router.get("/image/{content}")
    def image(content: int) -> Response:
        with booth.store.read() as connection:
            data = connection.scalar(select(contents.c.data).where(contents.c.id == content))
        if data is None:
            raise HTTPException(404)
        # An image that is opened on its own, such as an SVG with a script, must not act for the page.
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        headers = {"content-security-policy": policy, "cache-control": "private, max-age=86400"}
        return Response(data, media_type=image_type(data), headers=headers)

    return router


def _checked(answer: str, settings: Settings) -> Answer:
    """The answer, if it is one of the buttons."""
    for allowed in ANSWERS if settings.both_bad else ANSWERS[:3]:
        if answer == allowed:
            return allowed
    raise Refused("This vote was not counted: its answer is not one of the buttons.", 400)


def address_of(request: Request, settings: Settings) -> str | None:
    """The network address of a judge, if it is to be kept."""
    return request.client.host if settings.keep_addresses and request.client else None
