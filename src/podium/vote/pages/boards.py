"""The pages of the board, which follow the votes."""

from importlib.resources import files
from typing import Literal

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import JSONResponse

from podium.vote.content import highlight_css
from podium.vote.database.store import fact_of
from podium.vote.pages.booth import Booth
from podium.vote.pages.templating import Pages


def board_pages(booth: Booth, pages: Pages) -> APIRouter:
    router = APIRouter()

    def visible() -> None:
        if booth.settings.hide_board:
            raise HTTPException(404)

    @router.get("/board", dependencies=[Depends(visible)])
    def board() -> Response:
        return pages.page("board.html", standing=booth.live.standing, feed="/board/live")

    @router.get("/board/live", dependencies=[Depends(visible)])
    def live(revision: int = -1) -> Response:
        return live_board(booth, pages, revision, "/board/live")

    @router.get("/health")
    def health() -> Response:
        with booth.store.read() as connection:
            paused = fact_of(connection, "paused") is not None
        return JSONResponse({"votes": booth.live.standing.votes, "paused": paused})

    @router.get("/static/page.{kind}")
    def page_file(kind: Literal["css", "js"]) -> Response:
        """The style of reports, and the script that sorts their tables."""
        text = files("podium.web").joinpath(f"page.{kind}").read_text("utf-8")
        return Response(text, media_type=f"text/{'css' if kind == 'css' else 'javascript'}")

    @router.get("/static/code.css")
    def code_css() -> Response:
        return Response(highlight_css(), media_type="text/css")

    return router


def live_board(booth: Booth, pages: Pages, revision: int, feed: str) -> Response:
    """The board if it is newer than this revision, else nothing."""
    standing = booth.live.standing
    if standing.revision == revision:
        return Response(status_code=204)
    return pages.page("live.html", standing=standing, feed=feed)
