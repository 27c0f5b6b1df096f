"""Files as tables: CSV, TSV and Parquet, opened by DuckDB with nothing left to chance.

The dialect of a text file is read off its header, every cell stays text, and a line with too few or too many
cells is an error: DuckDB's own sniffer would rather skip the header, or lines that look like comments.
"""

import csv
import glob
import io
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

PARQUET = {".parquet", ".pq"}
TEXT = {".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ""}
PACKED = {".gz", ".zst"}
HEADER_BYTES = 1 << 20
QUOTED = re.compile(r'"(?:[^"]|"")*"')
Source = str | Path


def is_path(source: Any) -> bool:
    """Whether the source is a path, a pattern or a list of them."""
    parts = source if isinstance(source, list | tuple) else [source]
    return bool(parts) and all(isinstance(part, str | Path) for part in parts)


@contextmanager
def open_files(source: Source | Sequence[Source], encoding: str) -> Iterator[tuple[Any, bool]]:
    """The files as one DuckDB relation, and whether its cells are text."""
    paths = _paths(source)
    are_parquet = {_kind(path) in PARQUET for path in paths}
    if len(are_parquet) > 1:
        raise ValueError("the files are partly Parquet and partly text; read one kind at a time")
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        try:
            if are_parquet == {True}:
                yield connection.read_parquet([str(path) for path in paths], union_by_name=True), False
            else:
                with _as_utf8(paths, encoding) as readable:
                    yield _open_text(connection, readable, paths), True
        except (duckdb.Error, OSError) as error:
            raise ValueError(_one_sentence(error, paths)) from None


def _paths(source: Source | Sequence[Source]) -> list[Path]:
    if isinstance(source, list | tuple):
        return [path for part in source for path in _paths(part)]
    path = Path(source)  # type: ignore[arg-type]
    if path.is_dir():
        raise ValueError(f"'{path}' is a directory; name its files, for example '{path / '*.csv'}'")
    if path.exists():
        return [path]
    found = sorted(Path(name) for name in glob.glob(str(source), recursive=True))
    if not found:
        raise FileNotFoundError(f"there is no file '{source}'")
    return found


def _kind(path: Path) -> str:
    """The ending that tells the format: .csv of games.csv.gz."""
    ending = path.suffix.lower()
    if ending in PACKED:
        ending = Path(path.stem).suffix.lower()
    if ending not in PARQUET | TEXT:
        raise ValueError(
            f"'{path}' ends in '{ending}'; podium reads .csv, .tsv, .txt, .parquet, and .gz of text"
        )
    return ending


@contextmanager
def _as_utf8(paths: Sequence[Path], encoding: str) -> Iterator[list[Path]]:
    """The files themselves, or copies for as long as they are read, if they are encoded otherwise."""
    if encoding.lower().replace("_", "-") in {"utf-8", "utf8", "ascii"}:
        yield list(paths)
        return
    with tempfile.TemporaryDirectory() as folder:
        copies = []
        for number, path in enumerate(paths):
            copies.append(Path(folder) / f"{number}.csv")
            try:
                with (
                    pa.input_stream(str(path), compression="detect") as raw,
                    copies[-1].open("w", encoding="utf-8", newline="") as out,
                ):
                    text = io.TextIOWrapper(io.BufferedReader(raw), encoding=encoding, newline="")
                    while block := text.read(HEADER_BYTES):
                        out.write(block)
            except (UnicodeError, LookupError) as error:
                raise ValueError(f"'{path}' cannot be read with encoding='{encoding}': {error}") from None
        yield copies


def _open_text(connection: Any, readable: Sequence[Path], named: Sequence[Path]) -> Any:
    header, delimiter = _header(readable[0], named[0])
    for path, name in zip(readable[1:], named[1:], strict=True):
        if _header(path, name) != (header, delimiter):
            raise ValueError(
                f"'{name}' has another header or delimiter than '{named[0]}'; read them one by one"
            )
    return connection.read_csv(
        [str(path) for path in readable],
        auto_detect=False,
        columns=dict.fromkeys(header, "VARCHAR"),
        header=True,
        delimiter=delimiter,
        quotechar='"',
        escapechar='"',
    )


def _header(path: Path, name: Path) -> tuple[list[str], str]:
    """The names of the columns and the delimiter between them."""
    with pa.input_stream(str(path), compression="detect") as stream:
        start = stream.read(HEADER_BYTES)
    text = start.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise ValueError(f"'{name}' is empty; its first line has to name the columns")
    try:
        outside_quotes = QUOTED.sub("", text).partition("\n")[0]
        delimiter = max("\t,;|", key=outside_quotes.count)
        header = [
            cell.strip() for cell in next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        ]
    except csv.Error as error:
        raise ValueError(f"the header of '{name}' cannot be read: {error}") from None
    if not any(header):
        raise ValueError(f"the first line of '{name}' is blank; it has to name the columns")
    if "\ufffd" in "".join(header):
        raise ValueError(_wrong_encoding(name))
    header = [cell or f"column {number}" for number, cell in enumerate(header, start=1)]
    folded = [cell.casefold() for cell in header]
    if twice := [cell for cell, key in zip(header, folded, strict=True) if folded.count(key) > 1]:
        raise ValueError(f"'{name}' has the column '{twice[0]}' more than once; rename one of them")
    return header, delimiter


def _wrong_encoding(path: Path) -> str:
    return f"'{path}' is not encoded in UTF-8; say how it is, for example encoding='latin-1' or 'utf-16'"


def _one_sentence(error: Exception, paths: Sequence[Path]) -> str:
    """DuckDB explains itself over thirty lines; one is enough."""
    text = str(error)
    where = f"'{paths[0]}'" if len(paths) == 1 else f"one of '{paths[0]}' and {len(paths) - 1} more files"
    if "unicode" in text.lower() or "utf-8" in text.lower():
        return _wrong_encoding(paths[0])
    if re.search("gzip|zlib|compressed", text, re.IGNORECASE):
        return f"{where} is not a whole compressed file; it may have been cut off, or be plain text"
    line = re.search(r"CSV Error on Line: (\d+)", text)
    reasons = (
        (r"Expected Number of Columns: (\d+) Found: (\d+)", "has {1} cells where the header has {0}"),
        (r"Maximum line size", "is longer than two million characters"),
        (r"unterminated quote", "has a quote that is never closed"),
    )
    for pattern, reason in reasons:
        if found := re.search(pattern, text):
            return f"line {line[1] if line else '?'} of {where} {reason.format(*found.groups())}"
    first = text.splitlines()[0] if text else type(error).__name__
    return f"{where} cannot be read: {first[:300]}"
