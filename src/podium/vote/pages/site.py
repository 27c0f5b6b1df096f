"""What the pages of one vote share, and how a request finds it."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from podium.vote.database.store import Store
from podium.vote.live import Live
from podium.vote.nouns import Settings
from podium.vote.pages.booth import Booth
from podium.vote.pages.guard import Pace
from podium.vote.pages.templating import Pages
from podium.vote.tokens import Signer


@dataclass(frozen=True, eq=False)
class Site:
    """The parts of one vote; ``owner`` is the secret of the owner's page, ``url`` the address for voters."""

    store: Store
    settings: Settings
    signer: Signer
    live: Live
    booth: Booth
    pages: Pages
    pace: Pace
    owner: str
    url: str | None

    def address(self, request: Request) -> str:
        """The address that voters use; without ``url``, that of the request."""
        return (self.url or str(request.base_url)).rstrip("/")


# FastAPI runs dependencies that are not async in another thread, which takes longer than looking up a site.
async def _here(request: Request) -> Site:
    return site_of(request)


def site_of(request: Request) -> Site:
    """The vote that a request is about."""
    site: Site = request.app.state.site
    return site


Here = Annotated[Site, Depends(_here)]
