"""Every finished page has a description, pictures in words and no raw markup; equations are plain text."""

import html
import re
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
RAW_MARKUP = re.compile(r"--8 ?<|:::|\{py:|\{literalinclude|\{include|^(!!!|\?\?\?) ", re.MULTILINE)
UNCHECKED = re.compile(r"""\b(?:src|href)=["']?(?!https?:|mailto:|data:|#)""")
TAG = re.compile(r"<[^>]*>")
DESCRIPTION_LENGTH = 160


def check_markup(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Warn, which is an error in our builds, about markup that is still in the text of a page."""
    text = html.unescape(TAG.sub("", context.get("body") or ""))
    if found := RAW_MARKUP.search(text):
        LOGGER.warning(
            "the page shows raw markup: %r", text[found.start() :].splitlines()[0][:60], location=page
        )


def check_pictures(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Warn about pictures that a screen reader cannot describe, and files that Sphinx does not look for."""
    if doctree is None:
        return
    for picture in doctree.findall(nodes.image):
        if not picture.get("alt", "").strip():
            said = "the picture %s has no text for those who cannot see it"
            LOGGER.warning(said, picture["uri"], location=page)
    for raw in doctree.findall(nodes.raw):
        if UNCHECKED.search(raw.astext()):
            said = "a link in HTML may be dead, write it in Markdown: %s"
            LOGGER.warning(said, raw.astext()[:60], location=page)


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Use the beginning of the first paragraph as the description, which search engines show."""
    if doctree is None:
        return
    paragraph = next(iter(doctree.findall(nodes.paragraph)), None)
    words = " ".join(paragraph.astext().split()) if paragraph else f"{context['title']} of podium"
    if len(words) > DESCRIPTION_LENGTH:
        words = words[:DESCRIPTION_LENGTH].rsplit(" ", 1)[0] + " …"
    context["metatags"] += f'\n<meta name="description" content="{html.escape(words)}">'


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_lexer("equation", TextLexer)  # so that podium.css can style blocks ```equation
    app.connect("html-page-context", check_markup)
    app.connect("html-page-context", check_pictures)
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
