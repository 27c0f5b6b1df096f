"""The pages of the board, which follow the votes."""

from typing import Literal

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import JSONResponse

from podium.vote.content import highlight_css
from podium.vote.database.store import fact_of
from podium.vote.pages.site import CurrentSite, Site
from podium.web.page import page_script, page_style

router = APIRouter()


def _is_public(site: CurrentSite) -> None:
    if site.settings.hide_board:
        raise HTTPException(404)


@router.get("/board", dependencies=[Depends(_is_public)])
def board(site: CurrentSite) -> Response:
    """The board as a page."""
    return site.page("board.html", standing=site.live.standing, feed="/board/live")


@router.get("/board/live", dependencies=[Depends(_is_public)])
def live(site: CurrentSite, revision: int = -1) -> Response:
    """The board, if it has changed."""
    return live_board(site, revision, "/board/live")


def live_board(site: Site, revision: int, feed: str) -> Response:
    """The board if it is newer than this revision, else nothing."""
    standing = site.live.standing
    if standing.revision == revision:
        return Response(status_code=204)
    return site.page("live.html", standing=standing, feed=feed)


@router.get("/health")
def health(site: CurrentSite) -> Response:
    """Whether the database answers, for programs that watch the server."""
    with site.store.read() as connection:
        paused = fact_of(connection, "paused") is not None
    return JSONResponse({"votes": site.live.standing.votes, "paused": paused})


@router.get("/static/page.{kind}")
def page_file(kind: Literal["css", "js"]) -> Response:
    """The style of reports, and the script that sorts their tables."""
    if kind == "css":
        return Response(page_style(), media_type="text/css")
    return Response(page_script(), media_type="text/javascript")


@router.get("/static/code.css")
def code_css() -> Response:
    """The colours of code."""
    return Response(highlight_css(), media_type="text/css")
