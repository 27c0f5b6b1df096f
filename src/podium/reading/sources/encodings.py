"""The text of files in any encoding and compression, with any line ends; DuckDB wants UTF-8."""

import codecs
import io
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from podium.comparisons.messages import InputError
from podium.reading.sources.connection import not_whole, wrong_encoding
from podium.reading.sources.paths import File

BLOCK = 1 << 20
UTF8 = {"utf-8", "ascii"}


def checked_encoding(encoding: str, file: File) -> str:
    """The given encoding; UTF-16 if UTF-8 was given and the file begins with the mark of UTF-16."""
    try:
        name = codecs.lookup(encoding).name
        io.TextIOWrapper(io.BytesIO(), encoding)  # base64 is a codec of bytes
    except (LookupError, TypeError):
        raise InputError(
            f"there is no {{@encoding}}{encoding!r}; say for example 'utf-8' or 'latin-1'"
        ) from None
    if name not in UTF8:
        return encoding
    begin = next(blocks(file, "latin-1"), "")[:2]
    if begin in ("\xff\xfe", "\xfe\xff"):
        return "utf-16"
    if "\0" in begin:  # half of an ASCII character in UTF-16; no text in UTF-8 begins like this
        how = "utf-16-be" if begin[0] == "\0" else "utf-16-le"
        raise InputError(
            f"'{file}' is encoded in UTF-16 without a mark that says so; say {{@encoding}}'{how}'"
        )
    return encoding


def blocks(file: File, encoding: str) -> Iterator[str]:
    """The text of a file, block by block."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with pa.input_stream(str(file.path), compression=file.packed) as stream:
            while block := stream.read(BLOCK):
                yield decoder.decode(block)
            yield decoder.decode(b"", final=True)
    except UnicodeError:
        raise InputError(wrong_encoding(file, encoding)) from None
    except OSError as error:
        if error.errno:
            raise OSError(error.errno, os.strerror(error.errno), file.name) from None
        raise ValueError(not_whole(file)) from None


@contextmanager
def as_utf8(files: Sequence[File], encoding: str) -> Iterator[list[File]]:
    """The files themselves if they are in UTF-8, else temporary copies that are."""
    if codecs.lookup(encoding).name in UTF8:
        for file in files:
            if file.packed:
                deque(blocks(file, "latin-1"), maxlen=0)  # to the checksum at the end, which DuckDB skips
        yield list(files)
        return
    with _copies(files, partial(blocks, encoding=encoding)) as copies:
        yield copies


@contextmanager
def with_even_ends(files: Sequence[File]) -> Iterator[list[File]]:
    """The files themselves, or temporary copies with equal line ends, if line ends may differ."""
    if not any("\r" in block for file in files for block in blocks(file, "utf-8")):
        yield list(files)
        return
    with _copies(files, _even_text) as copies:
        yield copies


@contextmanager
def _copies(files: Sequence[File], text_of: Callable[[File], Iterable[str]]) -> Iterator[list[File]]:
    """Temporary files with the given text."""
    with tempfile.TemporaryDirectory() as folder:
        copies = [
            replace(file, path=Path(folder) / f"{number}{file.ending}", packed=None)
            for number, file in enumerate(files)
        ]
        for file, copy in zip(files, copies, strict=True):
            with copy.path.open("w", encoding="utf-8", newline="") as out:
                out.writelines(text_of(file))
        yield copies


def has_open_quote(file: File) -> bool:
    return sum(block.count('"') for block in blocks(file, "latin-1")) % 2 == 1


def _even_text(file: File) -> Iterator[str]:
    r"""The text of a file whose lines all end in \n; what is quoted stays as it is."""
    quoted, held = False, ""
    for block in blocks(file, "utf-8"):
        block = held + block
        held = block[-1:] if block.endswith("\r") else ""  # its \n may begin the next block
        parts = block.removesuffix("\r").split('"')
        for number, part in enumerate(parts):
            inside = quoted ^ bool(number % 2)
            parts[number] = part if inside else part.replace("\r\n", "\n").replace("\r", "\n")
        quoted ^= len(parts) % 2 == 0
        yield '"'.join(parts)
    yield "\n" if held else ""
