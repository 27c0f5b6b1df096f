"""DuckDB reads some columns of some files; its errors become one sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import pyarrow as pa

from podium.comparisons.messages import InputError
from podium.reading.sources.columns import Path, projection
from podium.reading.sources.counting import Counting
from podium.reading.sources.paths import File

REASONS = (  # what DuckDB says, at the start of a line, and how to put it
    (r"^Expected Number of Columns: (\d+) Found: (\d+)", "has {1} cells where the header has {0}"),
    (r"^Maximum line size", "is longer than two million characters"),
    (r"^Value with unterminated quote", "has a quote that is never closed"),
)


@contextmanager
def duckdb_on(files: Sequence[File], counting: Counting | None = None) -> Iterator[Any]:
    """A new connection that never looks for extensions and whose errors are one sentence."""
    import duckdb

    named = {str(file.path): file.name for file in files}
    settings: AbstractContextManager[dict[str, str]]
    settings = nullcontext({}) if counting is None else counting.config()
    with (
        settings as config,
        duckdb.connect(config={"autoinstall_known_extensions": "false", **config}) as connection,
    ):
        try:
            yield connection
        except duckdb.Error as error:
            raise InputError(_one_sentence(str(error), named)) from None
        except RuntimeError as error:
            if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from None
            raise


def select(connection: Any, relation: Any, paths: Mapping[str, Path], counting: Counting | None) -> pa.Table:
    """Columns of a relation by their names, each a column or a field within one."""
    return fetch(connection, relation.project(projection(paths)), counting)  # select() is slow if many


def fetch(connection: Any, relation: Any, counting: Counting | None) -> pa.Table:
    """All rows, or what counting makes of them."""
    return relation.to_arrow_table() if counting is None else counting.fetch(connection, relation)


# ------------------------------------------------------------------------------------ errors


def wrong_encoding(file: File | str, encoding: str = "utf-8") -> str:
    return (
        f"'{file}' is not encoded in {encoding}; say how it is, for example {{@encoding}}'cp1252' (Windows "
        "in western Europe), 'latin-1' or 'utf-16'"
    )


def not_whole(file: File | str) -> str:
    return f"'{file}' is not a whole compressed file; it may be damaged, or cut off, or plain text"


def _one_sentence(text: str, named: Mapping[str, str]) -> str:
    """The cause of an error of DuckDB, which can take thirty lines, in one sentence."""
    found = re.search(r'^\s*file = (.+)$|in file "(.+?)"', text, re.MULTILINE)
    path = re.sub(r"\[(.)\]", r"\1", found[1] or found[2]) if found else ""
    file = named.get(path, next(iter(named.values()), "the dataset"))
    if re.search(r"^Invalid unicode|[Ii]nvalid UTF-?8|utf-?8 error", text, re.MULTILINE):
        return wrong_encoding(file)
    first = text.partition("\n")[0]
    if re.search(r"^IO Error: .*(GZIP|ZSTD)", first):
        return not_whole(file)
    line = re.search(r"^Invalid Input Error: CSV Error on Line: (\d+)", text)
    for pattern, reason in REASONS:
        if line and (found := re.search(pattern, text, re.MULTILINE)):
            where = f"line {line[1]} of '{file}' (line breaks within quotes not counted)"
            return f"{where} {reason.format(*found.groups())}"
    if broken := re.search(r"^Invalid Input Error: Malformed JSON.*? in (\S+ [\d,]+): (.*?)\.?\s*$", first):
        return f"'{file}' is not valid JSON: {broken[2]} in {broken[1]}"
    if "differ only in case" in first:
        return f"'{file}' has keys that differ only in case; rename one of them"
    return f"'{file}' cannot be read: {first[:200]}"
