"""Check that names and texts can be stored in any database and shown on a page."""

import re
import unicodedata
from typing import TypeVar

from podium.comparisons.messages import quoted

MOST_TEXT = 1_000_000  # bytes: a thick book; nobody compares more in one glance
MOST_NAME = 200  # characters, so that a name fits into a table
Content = TypeVar("Content", str, bytes)
UNSEEN = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # these reverse the text around them


def checked_name(text: str, where: str) -> str:
    r"""A name on one line, without characters that are invisible or cannot be stored.

    >>> checked_name(" Ann\t\x07 Lee\n", "the name in row 1")
    'Ann Lee'
    """
    seen = (c for c in UNSEEN.sub("", text) if c.isspace() or unicodedata.category(c) not in ("Cc", "Cs"))
    name = " ".join("".join(seen).split())
    if not name:
        raise ValueError(f"{where} is empty; every item needs a name")
    if len(name) > MOST_NAME:
        raise ValueError(f"{where} is longer than {MOST_NAME} characters: {quoted(name)}; shorten it")
    return name


def checked_text(text: str, where: str) -> str:
    """A text that is neither empty nor too long, and that a database can store."""
    if not text.strip():
        raise ValueError(f"{where} is empty; fill it in or remove it")
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(f"{where} has a character that cannot be stored; save it as UTF-8 text")
    return _short(text, len(text.encode()), where)


def decoded(data: bytes, where: str) -> str:
    """The bytes of a file as text."""
    try:
        return checked_text(_short(data, len(data), where).decode("utf-8-sig"), where)
    except UnicodeDecodeError:
        raise ValueError(f"{where} is not UTF-8 text; save it as UTF-8") from None


def _short(content: Content, size: int, where: str) -> Content:
    if size > MOST_TEXT:
        raise ValueError(f"{where} is larger than {MOST_TEXT // 1_000_000} MB; shorten it")
    return content
