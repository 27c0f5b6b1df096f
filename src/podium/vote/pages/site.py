"""What the pages of one vote share: its parts, its templates, and how a request finds them."""

from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from podium.version import __version__
from podium.vote.database.store import Store, fact_of
from podium.vote.live import LiveBoard
from podium.vote.nouns import Settings
from podium.vote.pages.booth import Booth
from podium.vote.pages.drawing import drawn
from podium.vote.pages.guard import Pace
from podium.vote.tokens import Signer


class Site:
    """The parts of one vote; ``owner`` is the secret of the owner's page, ``url`` the address for voters."""

    def __init__(self, store: Store, settings: Settings, url: str | None = None) -> None:
        with store.read() as connection:
            self.signer = Signer(str(fact_of(connection, "signing")))
            self.owner = str(fact_of(connection, "owner"))
        self.store = store
        self.settings = settings
        self.url = url
        self.live = LiveBoard(store.read, settings)
        self.booth = Booth(store, settings, self.signer, self.live)
        self.pace = Pace(settings.votes_per_minute)
        self._templates = Environment(
            loader=PackageLoader("podium.vote.pages"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
            auto_reload=False,
        )
        self._templates.globals.update(settings=settings, version=__version__, draw=drawn)

    def address(self, request: Request) -> str:
        """The address that voters use; without ``url``, that of the request."""
        return (self.url or str(request.base_url)).rstrip("/")

    def page(self, template: str, status: int = 200, **context: Any) -> Response:
        """A template as a response."""
        return HTMLResponse(self._templates.get_template(template).render(context), status)

    def problem(self, request: Request, sentence: str, status: int) -> Response:
        """A sentence that says what went wrong.

        If htmx asks, the sentence becomes the notice, and the rest of the page stays as it is.
        """
        if from_htmx(request):
            response = self.page("notice.html", status, said=sentence, alarm=True)
            response.headers["HX-Retarget"] = "#notice"
            response.headers["HX-Reswap"] = "innerHTML"
            return response
        return self.page("problem.html", status, sentence=sentence, back=_way_back(request, status))


# FastAPI runs dependencies that are not async in another thread, which takes longer than looking up a site.
async def site_of(request: Request) -> Site:
    """The vote that a request is about."""
    site: Site = request.app.state.site
    return site


CurrentSite = Annotated[Site, Depends(site_of)]


def from_htmx(request: Request) -> bool:
    """Whether the request wants a part of the page, not all of it."""
    return "hx-request" in request.headers


def _way_back(request: Request, status: int) -> str:
    """The owner's page if one of its requests failed, else the vote. A 404 means that the secret is wrong."""
    _, first, *rest = request.url.path.split("/")
    return f"/owner/{rest[0]}" if first == "owner" and rest and status != 404 else "/"
