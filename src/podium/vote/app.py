"""The web application: pages, error pages, and the thread that updates the board."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from podium.vote.database.store import Store
from podium.vote.nouns import Refused, Settings, StoreError
from podium.vote.pages import boards, judging, owner
from podium.vote.pages.guard import Guard
from podium.vote.pages.site import Site

log = logging.getLogger(__name__)


def create_app(store: Store, settings: Settings, url: str | None = None) -> FastAPI:
    """The web application of one vote.

    Parameters
    ----------
    store : Store
        The database.
    settings : Settings
        What the page asks, and of whom.
    url : str, optional
        The address that voters use, such as ``"https://vote.example.org"``; by default that of the request.
    """
    site = Site(store, settings, url)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        site.live.start()
        yield
        site.live.stop()
        await run_in_threadpool(store.close)

    # include_router would prepare the routes at the first request, beside the thread of the live board. Both
    # change Python's filters of warnings, which threads share.
    routes = [route for pages in (judging, boards, owner) for route in pages.router.routes]
    for route in routes:
        if "GET" in route.methods:
            route.methods.add("HEAD")  # FastAPI leaves it out, and programs that watch a server ask with it
    app = FastAPI(routes=routes, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    app.mount("/static", StaticFiles(directory=str(files("podium.vote.pages") / "static")))
    _explain_errors(app, site)
    app.add_middleware(Guard, owner=f"/owner/{site.owner}/")
    return app


def _explain_errors(app: FastAPI, site: Site) -> None:
    """Turn every error into a page with one sentence."""

    @app.exception_handler(Refused)
    def refused(request: Request, error: Refused) -> Response:
        return site.problem(request, str(error), error.status)

    @app.exception_handler(StoreError)
    def failed(request: Request, error: StoreError) -> Response:
        log.error("%s", error)
        return site.problem(request, f"{error} Please try again later; no vote counts twice.", 503)

    @app.exception_handler(RequestValidationError)
    def misunderstood(request: Request, _: RequestValidationError) -> Response:
        return site.problem(request, "The request was not understood. Please reload the page.", 400)

    @app.exception_handler(HTTPException)
    def missing(request: Request, error: HTTPException) -> Response:
        sentence = "There is no such page." if error.status_code == 404 else str(error.detail)
        return site.problem(request, sentence, error.status_code)
