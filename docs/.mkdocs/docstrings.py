"""Convert docstrings to Markdown: doctests become code blocks, and parameters become definition lists."""

import re
from typing import Any

from griffe import Extension, Object

SECTION = re.compile(r"^(\w[\w ]*)\n-{4,}\n", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w[\w, *]*?) ?: ?(.*)$")


class MarkdownDocstrings(Extension):
    """mkdocstrings calls this for every object that it reads."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """Keep the text before the first section; turn sections into bold headings and definition lists."""
    start, *sections = SECTION.split(text)
    named = zip(sections[::2], sections[1::2], strict=True)
    return with_code_blocks(
        "\n".join([start, *(f"**{name}**\n\n{as_list(name, body)}" for name, body in named)])
    )


def as_list(name: str, body: str) -> str:
    """Examples and notes are text; other sections list what they are about."""
    return body if name in ("Examples", "Notes") else definitions(body)


def definitions(body: str) -> str:
    """Convert entries ``name : type`` or ``name``, followed by indented lines."""
    listing, blank, rest = body.partition("\n\n")
    lines: list[str] = []
    for line in listing.splitlines():
        if line.startswith(" "):
            lines.append(f"    {line.strip()}" if lines and lines[-1] else f":   {line.strip()}")
        elif entry := ENTRY.match(line):
            names = ", ".join(f"`{name.strip()}`" for name in entry[1].split(","))
            lines += ["", names, f":   {entry[2]}  "]  # two spaces break the line
        else:
            lines += ["", ", ".join(f"`{name.strip()}`" for name in line.rstrip(", ").split(",")), ""]
    return "\n".join(lines) + blank + rest


def with_code_blocks(text: str) -> str:
    """Put a fence around every block that begins with a prompt, up to the next blank line.

    Adjacent keys of papers, such as [A] [B], are escaped, because Markdown would take them for a link.
    """
    lines: list[str] = []
    inside = False
    for line in [*text.splitlines(), ""]:
        if not inside and line.startswith(">>> "):
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line if inside or line.startswith("    ") else line.replace("] [", "]&#32;["))
    return "\n".join(lines)
