"""Check that names, texts and images can be stored in any database and shown on a page."""

import re
import unicodedata
from typing import Literal
from xml.etree import ElementTree

from podium.comparisons.messages import quoted

MOST_TEXT = 1_000_000  # bytes: a thick book; nobody compares more in one glance
MOST_NAME = 200  # characters, so that a name fits into a table
MOST_IMAGE = 10_000_000  # bytes: a large photograph; more would be slow to load on a phone
MOST_PIXELS = 100_000_000  # of an image: a browser takes 4 bytes for each of them, however small the file
TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}
STARTS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
SIZES: dict[str, tuple[slice, slice, Literal["big", "little"]]] = {  # where its width and height are
    "image/png": (slice(16, 20), slice(20, 24), "big"),
    "image/gif": (slice(6, 8), slice(8, 10), "little"),
}
SVG_ROOT = "{http://www.w3.org/2000/svg}svg"  # browsers draw no <svg> without this namespace in an <img>
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
    _check_size(len(text.encode()), where)
    return text


def decoded(data: bytes, where: str) -> str:
    """The bytes of a file as text."""
    _check_size(len(data), where)
    try:
        return checked_text(data.decode("utf-8-sig"), where)
    except UnicodeDecodeError:
        raise ValueError(f"{where} is not UTF-8 text; save it as UTF-8") from None


def _check_size(size: int, where: str) -> None:
    if size > MOST_TEXT:
        raise ValueError(f"{where} is larger than {MOST_TEXT // 1_000_000} MB; shorten it")


# ------------------------------------------------------------------------------------ images


def image_type(data: bytes) -> str | None:
    """The media type of an image by its first bytes, None if it is not a known one.

    >>> image_type(b"GIF89a..."), image_type(b"Hello")
    ('image/gif', None)
    >>> image_type(b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    'image/svg+xml'
    """
    for start, kind in STARTS.items():
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp" and {b"avif", b"avis"} & _brands(data):
        return "image/avif"
    return "image/svg+xml" if _is_svg(data) else None


def checked_image(data: bytes, suffix: str, where: str) -> bytes:
    """The bytes of an image that is what its file name says, and not too large."""
    if len(data) > MOST_IMAGE:
        raise ValueError(f"{where} is larger than {MOST_IMAGE // 1_000_000} MB; make the image smaller")
    found, said = image_type(data), TYPES[suffix]
    if found == said:
        _check_pixels(data, found, where)
        return data
    if found is not None:
        ending = next(each for each, kind in TYPES.items() if kind == found)
        raise ValueError(
            f"{where} is of type {found}, which its name does not say; rename it to end in {ending}"
        )
    if said == "image/svg+xml":
        raise ValueError(f"{where} is not an SVG image; it must be XML that begins with <svg xmlns=…>")
    raise ValueError(f"{where} does not begin like an image of type {said}; save it again as an image")


def _check_pixels(data: bytes, kind: str, where: str) -> None:
    """Refuse an image whose few bytes unfold to more than a phone can hold; PNG and GIF may be so small."""
    if kind in SIZES:
        *places, order = SIZES[kind]
        width, height = (int.from_bytes(data[place], order) for place in places)
        if width * height > MOST_PIXELS:
            raise ValueError(
                f"{where} has {width:,} × {height:,} pixels; make it smaller, of at most "
                f"{MOST_PIXELS // 1_000_000} million"
            )


def _brands(data: bytes) -> set[bytes]:
    """The formats that the first box of an AVIF or similar file names."""
    size = min(int.from_bytes(data[:4], "big"), 256)
    return {data[start : start + 4] for start in (8, *range(16, size, 4))}


def _is_svg(data: bytes) -> bool:
    """Whether the data is well-formed XML with <svg> as its root. Nothing outside is ever loaded."""
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return False
    try:
        return ElementTree.fromstring(data).tag == SVG_ROOT  # expat refuses entities that grow without bound
    except (ElementTree.ParseError, LookupError, ValueError):  # the last two if there is no such encoding
        return False
