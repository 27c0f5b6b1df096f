"""Frames and relations as tables that have a header, and load the columns that are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from podium.comparisons.messages import listed, quoted


@dataclass(frozen=True)
class Frame:
    """A narwhals frame over whatever was given: what `TextFiles` and `ParquetFiles` are for files."""

    frame: Any
    header: list[str]
    is_text: ClassVar[bool] = False

    @classmethod
    def open(cls, source: Any) -> "Frame":
        import narwhals as nw
        from narwhals.exceptions import DuplicateError

        if isinstance(source, pa.RecordBatch | pa.RecordBatchReader):
            source = pa.Table.from_batches([source] if isinstance(source, pa.RecordBatch) else source)
        try:
            frame = nw.from_native(source)
            header = list(frame.collect_schema().names())
        except TypeError:
            kind = type(source).__name__
            raise ValueError(f"a table is read from a file, a frame or a relation, not from {kind}") from None
        except DuplicateError:
            header = ["", ""]
        if len(set(header)) < len(header):
            raise ValueError("the frame has two columns of one name; rename one of them")
        if strange := [name for name in header if not isinstance(name, str)]:
            raise ValueError(f"the columns of a frame are named by strings, not by {quoted(strange[0])}")
        return cls(frame, header)

    def load(self, columns: Sequence[str]) -> pa.Table:
        import duckdb

        try:
            return self.frame.lazy().select(list(columns)).collect("pyarrow").to_native()
        except (pa.ArrowException, OverflowError):
            what = f"one of the columns {listed(columns)} mixes types"
            raise ValueError(f"{what}; make its values all strings or all numbers") from None
        except duckdb.Error as error:
            raise ValueError(f"the relation cannot be read: {str(error).partition(chr(10))[0]}") from None
