"""JSON files (an array of objects) and JSON lines (one object per line), read by DuckDB.

DuckDB guesses types from the first 20,480 objects of each file, and rounds or refuses what does not fit them
later on: after many 0s and 1s a score of 0.5 becomes 0. So every value is read as text, in one pass, and the
guessed types are given to columns all of whose values have them.
"""

import glob
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from podium.comparisons.messages import InputError, first_true, quoted
from podium.reading.formats import as_first
from podium.reading.sources.columns import Path, columns_of, dotted, fields_of, in_quotes, in_single_quotes
from podium.reading.sources.connection import duckdb_on, fetch
from podium.reading.sources.counting import Counting
from podium.reading.sources.encodings import as_utf8, blocks, checked_encoding
from podium.reading.sources.opened import Opened, bytes_of_text, rows_of_text
from podium.reading.sources.paths import File

ROWS = (
    "write an array of objects, [{...}, {...}], or one object per line (in pandas to_json(orient='records'))"
)
NUMBER = (pa.int64(), pa.float64())
MIXED = "json"  # what DuckDB takes values of several kinds for
EXACT = 2.0**53  # up to here a float holds every integer
WANTED = {  # Arrow's types for DuckDB's; a column of nulls may have anything further down
    **dict.fromkeys(("bigint", "ubigint", "hugeint", "uhugeint", "double", "null", '"null"'), NUMBER),
    "boolean": (pa.bool_(),),
}


class Kind(NamedTuple):
    """What DuckDB takes a value for, or the values of a list."""

    id: str
    is_list: bool

    @property
    def text(self) -> str:
        """All values as text, which always works."""
        return "VARCHAR[]" if self.is_list else "VARCHAR"

    @property
    def wanted(self) -> tuple[pa.DataType, ...]:
        """The types that the values may be given, the best first; none if they stay text."""
        return WANTED.get(self.id, ())


@dataclass(frozen=True)
class JsonFiles(Opened):
    """Files of objects. Columns are the keys of the first 20,480 objects of each file."""

    files: Sequence[File]
    encoding: str
    paths: Mapping[str, Path]
    kinds: Mapping[Path, Kind]
    is_text: ClassVar[bool] = True

    @classmethod
    def open(cls, files: Sequence[File], encoding: str) -> "JsonFiles":
        encoding = checked_encoding(encoding, files[0])
        if any(next(blocks(file, encoding), "").startswith("\ufeff") for file in files):
            encoding = "utf-8-sig"  # DuckDB takes the mark for a value
        sampled = {"map_inference_threshold": -1, "maximum_sample_files": len(files)}
        with _relation(files, encoding, None, **sampled) as (_, found):
            schema = dict(columns_of(found))
            if wrong := _why_no_rows(found, schema):
                raise ValueError(f"'{files[0]}' {wrong}")
        paths = dotted(schema.items(), fields_of)
        return cls(files, encoding, paths, {path: _kind(schema, path) for path in paths.values()})

    def n_rows(self) -> int:
        key = f'"{next(iter(self.paths.values()))[0]}"'
        return rows_of_text(self.files[0], self.encoding, key, self.n_bytes())

    def n_bytes(self) -> int:
        return bytes_of_text(self.files)

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        paths = {name: self.paths[name] for name in columns}
        as_text = {path[0]: self.kinds[path].text if len(path) == 1 else "JSON" for path in paths.values()}
        values = ", ".join(f"{self._value(path)} as {in_quotes(name)}" for name, path in paths.items())
        with _relation(self.files, self.encoding, counting, columns=as_text) as (connection, relation):
            table = fetch(connection, relation.project(values), counting)
        for place, (name, path) in enumerate(paths.items()):
            if self.kinds[path] == Kind(MIXED, is_list=False):
                _check_plain(table[name], name)
            table = table.set_column(place, name, _typed(table[name], self.kinds[path]))
        return table

    def _value(self, path: Path) -> str:
        if len(path) == 1:
            return in_quotes(path[0])
        steps = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in path[1:])  # RFC 6901
        kind, where = self.kinds[path], in_single_quotes(steps)
        if kind.is_list:
            return f"cast(json_extract({in_quotes(path[0])}, {where}) as {kind.text})"
        return f"json_extract_string({in_quotes(path[0])}, {where})"


@contextmanager
def _relation(
    files: Sequence[File], encoding: str, counting: Counting | None, **options: Any
) -> Iterator[tuple[Any, Any]]:
    with as_utf8(files, encoding) as readable, duckdb_on(readable, counting) as connection:
        packed = {file.packed or "uncompressed" for file in readable}
        relation = connection.read_json(
            [glob.escape(str(file.path)) for file in readable],
            compression=packed.pop() if len(packed) == 1 else "auto_detect",
            union_by_name=True,
            hive_partitioning=False,
            **options,
        )
        yield connection, relation


def _why_no_rows(relation: Any, schema: Mapping[str, Any]) -> str | None:
    """What is wrong with a file that has no rows: other values, or one object of columns or of lists."""
    if list(schema) == ["json"]:
        return f"has no objects in it; {ROWS}"
    nested = all(kind.id in ("struct", "list", "map") for kind in schema.values())
    if not nested or len(relation.limit(2).fetchall()) > 1:
        return None
    lists = [name for name, kind in schema.items() if kind.id == "list"]
    if len(lists) == 1:
        return f"is one object; save its list '{lists[0]}' as a file of its own"
    return f"is one object, not a list of them; {ROWS}"


def _kind(schema: Mapping[str, Any], path: Path) -> Kind:
    kind = schema[path[0]]
    for step in path[1:]:
        kind = dict(fields_of(kind))[step]
    is_list = kind.id == "list" and kind.child.id not in ("struct", "list", "map")
    value = kind.child if is_list else kind
    return Kind(MIXED if str(value) == "JSON" else value.id, is_list)


def _check_plain(column: pa.ChunkedArray, name: str) -> None:
    """Refuse a column whose values are partly lists or objects; their text would be taken for a name."""
    nested = pc.match_substring_regex(column, r"^\s*[\[{]")
    if pc.any(nested).as_py() and not pc.all(nested).as_py():
        row, cell = first_true(nested.fill_null(False)), quoted(column.filter(nested)[0].as_py())
        raise InputError(
            f"column '{name}' has {cell} at {{@row}}, and other rows have no lists; write them alike",
            column=name,
            row=row,
        )


def _typed(column: pa.ChunkedArray, kind: Kind) -> pa.ChunkedArray:
    """Text as the numbers or truth values that it was, if all of it was; other values stay text."""
    typed = as_first(column, [pa.list_(wanted) if kind.is_list else wanted for wanted in kind.wanted])
    return column if typed is None or _rounds(typed) else typed


def _rounds(column: pa.ChunkedArray) -> bool:
    """Whether integers may have lost digits that tell names apart: the floats have no fractions so large."""
    if not pa.types.is_floating(column.type) or not len(column):
        return False
    least, most = pc.min_max(column).values()
    return bool(most.is_valid) and max(abs(least.as_py()), abs(most.as_py())) > EXACT
