"""Columns and the fields within them: their dotted names, their types, and both as SQL writes them.

``conversation.turn`` is the field ``turn`` of ``conversation``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow as pa

Path = tuple[str, ...]  # a column, or the way from a column to a field within it
Fields = Iterable[tuple[str, Any]]


def dotted(columns: Fields, fields_of: Callable[[Any], Fields]) -> dict[str, Path]:
    """Every column by its name, nested ones by the names of their fields.

    ``fields_of`` gives the fields of a type, none if it has no fields. A column whose own name has dots goes
    before a field of that name.

    >>> schema = pa.schema([("a", pa.struct([("b", pa.int64()), ("c.d", pa.int64())])), ("y", pa.string())])
    >>> dotted(arrow_columns(schema), arrow_fields)
    {'a.b': ('a', 'b'), 'a.c.d': ('a', 'c.d'), 'y': ('y',)}
    """
    found: dict[str, Path] = {}
    for path in _leaves((), columns, fields_of):
        name = ".".join(path)
        if name not in found or len(path) < len(found[name]):
            found[name] = path
    return found


def _leaves(above: Path, columns: Fields, fields_of: Callable[[Any], Fields]) -> Iterable[Path]:
    for name, kind in columns:
        if within := list(fields_of(kind)):
            yield from _leaves((*above, name), within, fields_of)
        else:
            yield (*above, name)


def arrow_columns(schema: pa.Schema) -> Fields:
    return zip(schema.names, schema.types, strict=True)


def arrow_fields(kind: pa.DataType) -> Fields:
    return [(field.name, field.type) for field in kind] if pa.types.is_struct(kind) else ()


# ------------------------------------------------------------------------------------ DuckDB


def columns_of(relation: Any) -> Fields:
    """The columns of a relation and their types in DuckDB, without reading any rows."""
    return zip(relation.columns, relation.types, strict=True)


def fields_of(kind: Any) -> Fields:
    """The fields of a nested type of DuckDB."""
    return list(kind.children) if kind.id == "struct" else ()


def projection(paths: Mapping[str, Path]) -> str:
    """Columns by their names as SQL selects them, each a column or a field within one."""
    parts = []
    for name, (column, *fields) in paths.items():
        value = in_quotes(column)
        for field in fields:
            value = f"struct_extract({value}, {in_single_quotes(field)})"
        parts.append(f"{value} as {in_quotes(name)}")
    return ", ".join(parts)


def in_quotes(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def in_single_quotes(text: str) -> str:
    """Text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
