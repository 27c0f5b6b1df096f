"""Read one file as one thing to show."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pygments.lexers import find_lexer_class_for_filename

from podium.comparisons.messages import quoted
from podium.vote.items.checks import MOST_IMAGE, MOST_TEXT, TYPES, checked_image, checked_name, decoded
from podium.vote.nouns import Kind, Shown

SHOWS = f"podium shows .txt, .md, code, and images ({', '.join(TYPES)})"
Placed = Iterator[tuple[str, Shown]]  # each thing with the place where it was read, for messages
MARKDOWN = (".md", ".markdown")


def kind_of(file_name: str) -> Kind | None:
    """How a file is shown, by its name; None if it cannot be shown.

    >>> [kind_of(name) for name in ("a.txt", "b.MD", "c.py", "d.svg", "e.pdf", ".hidden.txt")]
    ['text', 'markdown', 'code', 'image', None, None]
    """
    suffix = PurePosixPath(file_name).suffix.lower()
    if file_name.startswith("."):
        return None
    if suffix in TYPES:
        return "image"
    if suffix == ".txt":
        return "text"
    if suffix in MARKDOWN:
        return "markdown"
    return "code" if find_lexer_class_for_filename(file_name) else None


def shown_from_upload(file_name: str, data: bytes) -> Shown:
    r"""An uploaded file as an item, named by the file's stem.

    Only the part of ``file_name`` after the last slash or backslash counts, and nothing is written to disk.

    >>> shown_from_upload(r"C:\photos\../hello.txt", b"Hello!")
    Shown(item='hello', kind='text', text='Hello!', prompt='', data=None, language='')
    """
    base = checked_name(re.split(r"[/\\]", file_name)[-1], "the name of the file")
    where = f"the file {quoted(base)}"
    if (kind := kind_of(base)) is None:
        raise ValueError(f"{where} cannot be shown; {SHOWS}")
    return shown(data, base, kind, item=checked_name(PurePosixPath(base).stem, where), where=where)


def shown_file(path: Path, kind: Kind, *, item: str, prompt: str = "") -> Shown:
    """A file as an item, or as what an item answers to a prompt."""
    return shown(
        read_at_most(path, max(MOST_IMAGE, MOST_TEXT)),
        path.name,
        kind,
        item=checked_name(item, f"the name of '{path}'"),
        prompt=prompt,
        where=f"'{path}'",
    )


def shown(data: bytes, file_name: str, kind: Kind, *, item: str, where: str, prompt: str = "") -> Shown:
    """The bytes of a file as a thing of some kind."""
    if kind == "image":
        suffix = PurePosixPath(file_name).suffix.lower()
        return Shown(item, kind, "", prompt, checked_image(data, suffix, where))
    text = decoded(data, where)
    return Shown(item, kind, text, prompt, language=_language(file_name, text) if kind == "code" else "")


def read_at_most(path: Path, size: int) -> bytes:
    """The bytes of a file; one byte more than ``size`` if it is larger, so that limits can be checked."""
    with path.open("rb") as file:
        return file.read(size + 1)


def is_inside(folder: Path, path: Path) -> bool:
    """Whether a path stays in the folder; links may lead out of it."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a name that is too long, or links in a circle
        return False


def _language(file_name: str, text: str) -> str:
    """The name that Pygments has for the language of a file; its beginning decides between several."""
    lexer = find_lexer_class_for_filename(file_name, text[:10_000])
    return lexer.aliases[0] if lexer and lexer.aliases else ""
