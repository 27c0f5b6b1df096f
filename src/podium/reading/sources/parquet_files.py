"""Parquet files, read by DuckDB."""

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from podium.reading.sources.columns import Path, columns_of, dotted, fields_of
from podium.reading.sources.connection import duckdb_on, select
from podium.reading.sources.counting import Counting
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import File


@dataclass(frozen=True)
class ParquetFiles(Opened):
    """Parquet files with the same columns, in whatever order."""

    files: Sequence[File]

    @cached_property
    def paths(self) -> dict[str, Path]:  # type: ignore[override]  # read when first needed
        """Every column by its name, fields within columns too."""
        with duckdb_on(self.files) as connection:
            return dotted(columns_of(self.relation(connection)), fields_of)

    def n_rows(self) -> int:
        """The ends of the files tell it."""
        with duckdb_on(self.files) as connection:
            return len(self.relation(connection))

    def rows_of_files(self) -> list[int]:
        """The number of rows of each file."""
        import pyarrow.parquet as pq

        return [pq.read_metadata(file.path).num_rows for file in self.files]

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        with duckdb_on(self.files, counting) as connection:
            paths = {name: self.paths[name] for name in columns}
            return select(connection, self.relation(connection), paths, counting)

    def relation(self, connection: Any) -> Any:
        """All rows of the files."""
        names = [glob.escape(str(file.path)) for file in self.files]  # DuckDB takes every name for a pattern
        return connection.read_parquet(names, union_by_name=True, hive_partitioning=False)
