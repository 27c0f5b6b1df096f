"""Render the templates as responses."""

from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from podium.version import __version__
from podium.vote.nouns import Settings
from podium.vote.pages.drawing import drawn


class Pages:
    """Renders the templates with what all of them need."""

    def __init__(self, settings: Settings) -> None:
        self._templates = Environment(
            loader=PackageLoader("podium.vote.pages"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
            auto_reload=False,
        )
        self._templates.globals.update(settings=settings, version=__version__, draw=drawn)

    def html(self, template: str, **context: Any) -> str:
        """A template as HTML."""
        return self._templates.get_template(template).render(context)

    def page(self, template: str, status: int = 200, **context: Any) -> Response:
        """A template as a response."""
        return HTMLResponse(self.html(template, **context), status)

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


def from_htmx(request: Request) -> bool:
    """Whether the request wants a part of the page, not all of it."""
    return "hx-request" in request.headers


def _way_back(request: Request, status: int) -> str:
    """The owner's page if one of its requests failed, else the vote. A 404 means that the secret is wrong."""
    _, first, *rest = request.url.path.split("/")
    return f"/owner/{rest[0]}" if first == "owner" and rest and status != 404 else "/"
