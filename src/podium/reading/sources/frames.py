"""Frames and relations as tables with a header, whose columns are loaded on request."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from podium.comparisons.messages import listed, quoted
from podium.reading.sources.connection import duckdb_on, select
from podium.reading.sources.counting import ROWS, Counting
from podium.reading.sources.nested import Path, arrow_columns, arrow_fields, dotted


def is_dataset(source: Any) -> bool:
    """Whether the source is a `pyarrow.dataset`, without importing that module, which takes time."""
    module = sys.modules.get("pyarrow.dataset")
    return module is not None and isinstance(source, module.Dataset)


@dataclass(frozen=True)
class ArrowDataset:
    """Files as `pyarrow.dataset` sees them, partitions included."""

    dataset: Any
    paths: Mapping[str, Path]
    is_text: ClassVar[bool] = False

    @classmethod
    def open(cls, source: Any) -> "ArrowDataset":
        return cls(source, dotted(arrow_columns(source.schema), arrow_fields))

    @property
    def header(self) -> list[str]:
        return list(self.paths)

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        if counting is not None:
            with duckdb_on([], counting) as connection:
                paths = {name: self.paths[name] for name in columns}
                return select(connection, connection.from_arrow(self.dataset), paths, counting)
        try:
            return self.reader(columns).read_all()
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"the dataset cannot be read: {str(error).partition(chr(10))[0]}") from None

    def reader(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Some of the columns, batch by batch."""
        chosen = {name: pc.field(*self.paths[name]) for name in columns}
        return self.dataset.scanner(columns=chosen).to_reader()


@dataclass(frozen=True)
class Frame:
    """A narwhals frame over whatever was given."""

    frame: Any
    paths: Mapping[str, Path]
    is_text: ClassVar[bool] = False

    @classmethod
    def open(cls, source: Any) -> "Frame":
        import narwhals as nw
        from narwhals.exceptions import DuplicateError

        if isinstance(source, pa.RecordBatch | pa.RecordBatchReader):
            source = pa.Table.from_batches([source] if isinstance(source, pa.RecordBatch) else source)
        try:
            frame = nw.from_native(source)
            schema = list(frame.collect_schema().items())
        except TypeError:
            kind = type(source).__name__
            raise ValueError(f"a table is read from a file, a frame or a relation, not from {kind}") from None
        except DuplicateError:
            schema = [("", None), ("", None)]
        names = [name for name, _ in schema]
        if len(set(names)) < len(names):
            raise ValueError("the frame has two columns of one name; rename one of them")
        if strange := [name for name in names if not isinstance(name, str)]:
            raise ValueError(f"the columns of a frame are named by strings, not by {quoted(strange[0])}")
        return cls(frame, dotted(schema, _fields))

    @property
    def header(self) -> list[str]:
        return list(self.paths)

    @property
    def is_lazy(self) -> bool:
        """Whether an engine holds the rows."""
        import narwhals as nw

        return isinstance(self.frame, nw.LazyFrame)

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        import duckdb
        import narwhals as nw

        chosen = self.frame.lazy().select(*(_expression(self.paths[name]).alias(name) for name in columns))
        if counting is not None:
            chosen = chosen.group_by(*columns).agg(nw.len().alias(ROWS))
        try:
            return chosen.collect("pyarrow").to_native()
        except (pa.ArrowException, OverflowError):
            what = f"one of the columns {listed(columns)} mixes types"
            raise ValueError(f"{what}; make its values all strings or all numbers") from None
        except duckdb.Error as error:
            raise ValueError(f"the relation cannot be read: {str(error).partition(chr(10))[0]}") from None

    def sink(self, columns: Sequence[str], path: Any) -> None:
        """Let the engine of a lazy frame write columns to a Parquet file, or to a folder of them."""
        chosen = self.frame.select(*(_expression(self.paths[name]).alias(name) for name in columns))
        chosen.sink_parquet(path)


def _fields(kind: Any) -> list[tuple[str, Any]]:
    return [(field.name, field.dtype) for field in getattr(kind, "fields", ())]


def _expression(path: Path) -> Any:
    import narwhals as nw

    value = nw.col(path[0])
    for field in path[1:]:
        value = value.struct.field(field)
    return value
