"""Tables of whatever can be read. Files: CSV, TSV and Parquet, opened by DuckDB with nothing left to chance.

The dialect of a text file is read off its header, every cell stays text, and a line with too few or too many
cells is an error: DuckDB's own sniffer would rather skip the header, or lines that look like comments.
"""

import codecs
import csv
import glob
import io
import os
import re
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from podium.reading.frames import Frame

PARQUET = {".parquet", ".pq"}
TEXT = {".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ""}
PACKED = {".gz": "gzip", ".zst": "zstd"}
BLOCK = 1 << 20
QUOTED = re.compile(r'"(?:[^"]|"")*"')

REASONS = (  # what DuckDB says, at the start of a line, and how to put it
    (r"^Expected Number of Columns: (\d+) Found: (\d+)", "has {1} cells where the header has {0}"),
    (r"^Maximum line size", "is longer than two million characters"),
    (r"^Value with unterminated quote", "has a quote that is never closed"),
)


def is_path(source: Any) -> bool:
    """Whether the source is a path, a pattern or a list of them."""
    parts = source if isinstance(source, list | tuple) else [source]
    return bool(parts) and all(isinstance(part, str | Path) for part in parts)


def open_table(source: Any, encoding: str) -> "TextFiles | ParquetFiles | Frame":
    """A frame, a relation, or files as one table; ``encoding`` is for text files."""
    if not is_path(source):
        return Frame.open(source)
    paths = paths_of(source)
    real = Counter(map(os.path.realpath, paths))
    if twice := [path for path in paths if real[os.path.realpath(path)] > 1]:
        raise ValueError(f"'{twice[0]}' is named twice; name each file once")
    kinds = {_ending(path) in PARQUET for path in paths}
    if len(kinds) > 1:
        raise ValueError("the files are partly Parquet and partly text; read one kind at a time")
    return ParquetFiles(paths) if kinds == {True} else TextFiles.open(paths, encoding)


@dataclass(frozen=True)
class ParquetFiles:
    """Parquet files with the same columns, in whatever order."""

    paths: list[Path]
    is_text: ClassVar[bool] = False

    @property
    def header(self) -> list[str]:
        with _duckdb(self.paths, self.paths) as connection:
            return list(self._relation(connection).columns)

    def load(self, columns: Sequence[str]) -> pa.Table:
        with _duckdb(self.paths, self.paths) as connection:
            return _select(self._relation(connection), columns)

    def _relation(self, connection: Any) -> Any:
        names = [glob.escape(str(path)) for path in self.paths]  # DuckDB takes every name for a pattern
        return connection.read_parquet(names, union_by_name=True, hive_partitioning=False)


@dataclass(frozen=True)
class TextFiles:
    """Text files with the same header."""

    paths: list[Path]
    encoding: str
    header: list[str]
    delimiter: str
    is_text: ClassVar[bool] = True

    @classmethod
    def open(cls, paths: list[Path], encoding: str) -> "TextFiles":
        try:
            codecs.lookup(encoding)
            io.TextIOWrapper(io.BytesIO(), encoding)  # base64 is a codec of bytes
        except (LookupError, TypeError):
            raise ValueError(
                f"there is no encoding={encoding!r}; say for example 'utf-8' or 'latin-1'"
            ) from None
        header, delimiter = _header(paths[0], encoding)
        for path in paths[1:]:
            if _header(path, encoding) != (header, delimiter):
                what = f"'{path}' has another header or delimiter than '{paths[0]}'"
                raise ValueError(f"{what}; read them one by one")
        return cls(paths, encoding, header, delimiter)

    def load(self, columns: Sequence[str]) -> pa.Table:
        with _as_utf8(self.paths, self.encoding) as readable:
            try:
                return self._read(readable, columns, parallel=True)
            except ValueError:  # several threads may stumble over line breaks in quotes, one does not;
                if any(_has_open_quote(path) for path in readable):  # but it swallows a quote left open
                    raise
            with _with_even_ends(readable) as even:  # and none can read lines that end in several ways
                return self._read(even, columns, parallel=False)

    def _read(self, readable: Sequence[Path], columns: Sequence[str], *, parallel: bool) -> pa.Table:
        with _duckdb(readable, self.paths) as connection:
            relation = connection.read_csv(
                [glob.escape(str(path)) for path in readable],
                auto_detect=False,
                columns=dict.fromkeys(self.header, "VARCHAR"),
                header=True,
                delimiter=self.delimiter,
                quotechar='"',
                escapechar='"',
                compression=_compression(readable[0]) or "none",
                hive_partitioning=False,
                parallel=parallel,
            )
            return _select(relation, columns)


def _select(relation: Any, columns: Sequence[str]) -> pa.Table:
    quoted = (f'"{name.replace(chr(34), chr(34) * 2)}"' for name in columns)
    return relation.project(", ".join(quoted)).to_arrow_table()  # select() takes minutes of 20,000 columns


@contextmanager
def _duckdb(readable: Sequence[Path], paths: Sequence[Path]) -> Iterator[Any]:
    """A connection of its own that never looks for extensions, and whose errors are one sentence.

    It names the files by their ``paths``, whatever copies of them are read.
    """
    import duckdb

    named = dict(zip(map(str, readable), paths, strict=True))
    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        try:
            yield connection
        except duckdb.Error as error:
            raise ValueError(_one_sentence(str(error), named)) from None
        except RuntimeError as error:
            if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from None
            raise


# ------------------------------------------------------------------------------------------------ paths


def paths_of(source: Any) -> list[Path]:
    """The files that a path, a pattern or a list of them names; an error for whatever else it names."""
    if isinstance(source, list | tuple):
        return [path for part in source for path in paths_of(part)]
    path = Path(source)
    if path.is_dir():
        raise ValueError(f"'{path}' is a directory; name its files, for example '{path / '*.csv'}'")
    if path.is_file():
        return [path]
    if path.exists():
        raise ValueError(
            f"'{path}' is a pipe or a device, which cannot be read twice; save it to a file first"
        )
    if path.is_symlink():
        raise FileNotFoundError(f"'{path}' is a link that leads to no file")
    matched = glob.glob(str(source), recursive=True)
    if not matched:
        raise FileNotFoundError(f"there is no file '{source}'")
    if not (found := [path for path in map(Path, sorted(matched)) if path.is_file()]):
        raise FileNotFoundError(f"there is no file among what '{source}' matches, such as '{matched[0]}'")
    return found


def _ending(path: Path) -> str:
    """The ending that tells the format: .csv of games.csv.gz."""
    ending = path.suffix.lower()
    if ending in PACKED:
        ending = Path(path.stem).suffix.lower()
    if ending not in PARQUET | TEXT:
        raise ValueError(
            f"'{path}' ends in '{ending}'; podium reads .csv, .tsv, .txt, .parquet, and .gz of text"
        )
    return ending


def _compression(path: Path) -> str | None:
    return PACKED.get(path.suffix.lower())


# ------------------------------------------------------------------------------------------------ text


def _header(path: Path, encoding: str) -> tuple[list[str], str]:
    """The names of the columns and the delimiter between them."""
    text = next(_blocks(path, encoding), "").removeprefix("\ufeff")
    if not text.strip():
        raise ValueError(f"'{path}' is empty; its first line has to name the columns")
    outside_quotes = re.split(r"[\r\n]", QUOTED.sub("", text), maxsplit=1)[0]
    delimiter = max("\t,;|", key=outside_quotes.count)
    try:
        header = [
            cell.strip() for cell in next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        ]
    except csv.Error as error:
        raise ValueError(f"the header of '{path}' cannot be read: {error}") from None
    if not any(header):
        raise ValueError(f"the first line of '{path}' is blank; it has to name the columns")
    header = [cell or f"column {number}" for number, cell in enumerate(header, start=1)]
    count = Counter(cell.casefold() for cell in header)
    if twice := [cell for cell in header if count[cell.casefold()] > 1]:
        raise ValueError(f"'{path}' has the column '{twice[0]}' more than once; rename one of them")
    return header, delimiter


def _blocks(path: Path, encoding: str) -> Iterator[str]:
    """The text of a file, some of it at a time."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with pa.input_stream(str(path), compression=_compression(path)) as stream:
            while block := stream.read(BLOCK):
                yield decoder.decode(block)
            yield decoder.decode(b"", final=True)
    except UnicodeError:
        raise ValueError(_wrong_encoding(path, encoding)) from None
    except OSError as error:
        if error.errno:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
        raise ValueError(_not_whole(path)) from None


def _has_open_quote(path: Path) -> bool:
    return sum(block.count('"') for block in _blocks(path, "latin-1")) % 2 == 1


@contextmanager
def _as_utf8(paths: Sequence[Path], encoding: str) -> Iterator[list[Path]]:
    """The files themselves, or copies for as long as they are read, if they are encoded otherwise."""
    if codecs.lookup(encoding).name in {"utf-8", "ascii"}:
        for path in filter(_compression, paths):
            deque(_blocks(path, "latin-1"), maxlen=0)  # to the end, where the checksum is; DuckDB skips it
        yield list(paths)
        return
    with _copies(paths, partial(_blocks, encoding=encoding)) as copies:
        yield copies


@contextmanager
def _copies(paths: Sequence[Path], text_of: Callable[[Path], Iterable[str]]) -> Iterator[list[Path]]:
    """Plain files of other text, for as long as they are read."""
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / f"{number}.csv" for number in range(len(paths))]
        for path, copy in zip(paths, copies, strict=True):
            with copy.open("w", encoding="utf-8", newline="") as out:
                out.writelines(text_of(path))
        yield copies


@contextmanager
def _with_even_ends(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The files themselves, or copies whose lines all end alike, if they may not."""
    if not any("\r" in block for path in paths for block in _blocks(path, "utf-8")):
        yield list(paths)
        return
    with _copies(paths, _even_text) as copies:
        yield copies


def _even_text(path: Path) -> Iterator[str]:
    r"""The text of a file whose lines all end in \n; what is quoted stays as it is."""
    quoted, held = False, ""
    for block in _blocks(path, "utf-8"):
        block = held + block
        held = block[-1:] if block.endswith("\r") else ""  # its \n may begin the next block
        parts = block.removesuffix("\r").split('"')
        for number, part in enumerate(parts):
            inside = quoted ^ bool(number % 2)
            parts[number] = part if inside else part.replace("\r\n", "\n").replace("\r", "\n")
        quoted ^= len(parts) % 2 == 0
        yield '"'.join(parts)
    yield "\n" if held else ""


# ------------------------------------------------------------------------------------------------ errors


def _wrong_encoding(path: Path | str, encoding: str = "utf-8") -> str:
    return f"'{path}' is not encoded in {encoding}; say how it is, for example encoding='latin-1' or 'utf-16'"


def _not_whole(path: Path | str) -> str:
    return f"'{path}' is not a whole compressed file; it may be damaged, or cut off, or plain text"


def _one_sentence(text: str, named: Mapping[str, Path]) -> str:
    """DuckDB explains itself over thirty lines; one is enough."""
    found = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
    file = named.get(re.sub(r"\[(.)\]", r"\1", found[1]) if found else "", next(iter(named.values())))
    if re.search(r"^Invalid unicode", text, re.MULTILINE):
        return _wrong_encoding(file)
    first = text.partition("\n")[0]
    if re.search(r"^IO Error: .*GZIP", first):
        return _not_whole(file)
    line = re.search(r"^Invalid Input Error: CSV Error on Line: (\d+)", text)
    for pattern, reason in REASONS:
        if line and (found := re.search(pattern, text, re.MULTILINE)):
            where = f"line {line[1]} of '{file}' (line breaks within quotes not counted)"
            return f"{where} {reason.format(*found.groups())}"
    return f"'{file}' cannot be read: {first[:200]}"
