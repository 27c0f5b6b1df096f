"""A page as a single HTML file that contains its style and script and loads nothing."""

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from shlex import quote
from string import Template

from podium.leaderboard.palette import DARK, LIGHT
from podium.web.text import shown
from podium.writing.atomic import checked_path, write_whole

PAGES = (".html", ".htm")


@dataclass(frozen=True, kw_only=True)
class Page:
    """The content of a page: ``sections`` maps headings to HTML; everything else is plain text.

    An empty line in the description begins a new paragraph.
    """

    title: str
    facts: str
    sections: Mapping[str, str]
    warnings: tuple[str, ...]
    models: tuple[str, ...]
    command: tuple[str, ...]
    made: datetime
    description: str = ""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a .html or .htm file, completely or not at all."""
        path = checked_path(path, PAGES)
        # A name may contain half of a surrogate pair, which cannot be encoded.
        write_whole(path, self.html().encode("utf-8", "xmlcharrefreplace"))

    def html(self) -> str:
        """The text of the file."""
        from podium.version import __version__

        script = page_script()
        return Template(_part("page.html")).substitute(
            title=shown(self.title),
            description=_paragraphs(self.description),
            facts=shown(self.facts.replace(" %", "\N{NO-BREAK SPACE}%")),
            style=page_style(),
            script=script,
            script_hash=b64encode(sha256(script.encode()).digest()).decode(),
            warnings=_warnings(self.warnings),
            sections="\n".join(
                f"<section>\n<h2>{shown(heading)}</h2>\n{content}\n</section>"
                for heading, content in self.sections.items()
            ),
            command=" ".join(f"<span>{shown(quote(word))}</span>" for word in self.command),
            models="\n".join(f"<p><code>{shown(model)}</code></p>" for model in self.models),
            version=__version__,
            made=f"{self.made:%Y-%m-%d %H:%M %Z}".strip(),
        )


def page_style() -> str:
    """The style of the page; its colours are dark if the reader's screen is. Print uses the light ones."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{{DARK.css()}}}"
    return f"{LIGHT.css()}\n{dark}\n{_part('page.css')}"


def page_script() -> str:
    """The script of the page."""
    return _part("page.js")


def _part(name: str) -> str:
    return files("podium.web").joinpath(name).read_text(encoding="utf-8")


def _paragraphs(text: str) -> str:
    parts = (part.strip() for part in re.split(r"\n\s*\n", text))
    return "\n".join(f'<p class="description">{shown(part)}</p>' for part in parts if part)


def _warnings(sentences: tuple[str, ...]) -> str:
    if not sentences:
        return ""
    listed = "".join(f"<li>{shown(sentence)}</li>" for sentence in sentences)
    return f'<aside class="warnings" aria-label="Warnings"><ul>{listed}</ul></aside>'


def facts_list(facts: Mapping[str, str]) -> str:
    """Facts as an HTML list of names and values."""
    rows = (f"<div><dt>{shown(name)}</dt><dd>{shown(value)}</dd></div>" for name, value in facts.items())
    return f"<dl>{''.join(rows)}</dl>"
