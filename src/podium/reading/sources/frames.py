"""Frames and relations as tables with a header, whose columns are loaded on request."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.messages import listed, quoted
from podium.reading.sources.columns import Path, arrow_columns, arrow_fields, dotted
from podium.reading.sources.connection import duckdb_on, select
from podium.reading.sources.counting import ROWS, Counting
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import File

ENGINES = ("_duckdb", "duckdb", "py4j", "pyspark")  # errors from these packages are those of an engine
CONDITION = r"\[[A-Z]+_[A-Z_.]+\] [^\n]*"  # the line of a Spark error that names the cause


def is_dataset(source: Any) -> bool:
    """Whether the source is a `pyarrow.dataset`, without importing that module, which takes time."""
    module = sys.modules.get("pyarrow.dataset")
    return module is not None and isinstance(source, module.Dataset)


@dataclass(frozen=True)
class ArrowDataset(Opened):
    """Files as `pyarrow.dataset` sees them, those in nested folders included."""

    dataset: Any
    paths: Mapping[str, Path]

    @classmethod
    def open(cls, source: Any) -> "ArrowDataset":
        return cls(source, dotted(arrow_columns(source.schema), arrow_fields))

    def n_rows(self) -> int:
        return int(self.dataset.count_rows())

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
class Frame(Opened):
    """A narwhals frame over whatever was given."""

    frame: Any
    paths: Mapping[str, Path]

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
            raise _two_of_one_name(getattr(source, "column_names", source.columns)) from None
        names = list(source.columns) if _is_spark(frame) else [name for name, _ in schema]
        if len(set(names)) < len(names):
            raise _two_of_one_name(names)
        if strange := [name for name in names if not isinstance(name, str)]:
            raise ValueError(f"the columns of a frame are named by strings, not by {quoted(strange[0])}")
        return cls(frame, dotted(schema, _fields))

    @property
    def is_lazy(self) -> bool:
        import narwhals as nw

        return isinstance(self.frame, nw.LazyFrame)

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        import narwhals as nw

        short = [f"c{place}" for place in range(len(columns))]  # Spark reads a.b as field b of column a
        with _errors_in_one_sentence():
            found = self.frame.lazy().select(*map(self._expression, columns, short))
            if counting is not None:
                found = found.group_by(*short).agg(nw.len().alias(ROWS))
            try:
                table = found.collect("pyarrow").to_native()
            except (pa.ArrowException, OverflowError):
                if len(columns) > 1:
                    for name in columns:  # which of them is it?
                        self.load([name])
                what = f"column {listed(columns)} mixes types"
                raise ValueError(f"{what}; make its values all strings or all numbers") from None
        return table.rename_columns([*columns, *table.column_names[len(columns) :]])

    def sink(self, columns: Sequence[str], path: FilePath) -> None:
        """Let the engine of a lazy frame write columns to a Parquet file, or to a folder of them."""
        if _is_spark(self.frame) and not _is_local(self.frame.to_native()):
            raise ValueError(
                "the workers of Spark cannot write to the disk of this machine; let Spark write Parquet "
                "files that this machine can read, and read those"
            )
        with _errors_in_one_sentence():
            found = self.frame.select(*map(self._expression, columns, columns))
            found.sink_parquet(path.as_uri() if _is_spark(self.frame) else path)

    def _expression(self, name: str, alias: str) -> Any:
        """A column, or a field within one, under another name."""
        import narwhals as nw

        column, *fields = self.paths[name]
        value = nw.col(f"`{column.replace('`', '``')}`" if _is_spark(self.frame) else column)
        for field in fields:
            value = value.struct.field(field)
        return value.alias(alias)


class ArrayFile(Frame):
    """An array that NumPy has saved: items by their numbers, pairs of them, or columns with names."""

    @classmethod
    def read(cls, file: File) -> "ArrayFile":
        try:
            array = np.load(file.path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"'{file}' cannot be read as an array of NumPy: {error}") from None
        if array.dtype.names:
            columns = {name: array[name] for name in array.dtype.names}
        elif array.ndim == 2:
            columns = {"id": np.arange(len(array)), "embedding": array}
        elif array.ndim == 3 and array.shape[1] == 2:
            columns = {"left_embedding": array[:, 0], "right_embedding": array[:, 1]}
        else:
            raise ValueError(
                f"'{file}' has the shape {array.shape}; items have (n, d), pairs (n, 2, d), and for anything "
                "else name the columns (a structured array)"
            )
        opened = cls.open(pa.table({name: _arrow(values) for name, values in columns.items()}))
        return cls(opened.frame, opened.paths)


def _arrow(values: NDArray[Any]) -> pa.Array:
    """A vector as a column, a matrix as a column of lists."""
    flat = pa.array(np.ascontiguousarray(values).ravel())
    return flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def _two_of_one_name(names: Sequence[Any]) -> ValueError:
    twice = next(name for name, count in Counter(names).items() if count > 1)
    return ValueError(f"the frame has two columns of one name, {quoted(twice)}; rename one of them")


def _fields(kind: Any) -> list[tuple[str, Any]]:
    return [(field.name, field.dtype) for field in getattr(kind, "fields", ())]


def _is_spark(frame: Any) -> bool:
    kind = frame.implementation
    return bool(kind.is_pyspark() or kind.is_pyspark_connect())


def _is_local(frame: Any) -> bool:
    """Whether Spark runs on this machine."""
    context = getattr(frame.sparkSession, "sparkContext", None)  # Spark Connect has none
    return context is not None and context.master.startswith("local")


@contextmanager
def _errors_in_one_sentence() -> Iterator[None]:
    """Turn errors of DuckDB and Spark, which may come with a Java stack trace, into one sentence."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ENGINES:
            raise
        found = re.search(CONDITION, str(error))
        reason = found[0] if found else str(error).partition("\n")[0]
        raise ValueError(f"the relation cannot be read: {reason}") from None
