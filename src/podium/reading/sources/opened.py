"""What every source is once it is opened: a table whose header is known and whose columns can be loaded."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.messages import InputError
from podium.reading.sources.columns import Path
from podium.reading.sources.counting import Counting
from podium.reading.sources.encodings import blocks
from podium.reading.sources.paths import File

BYTES_OF_ROW = 90  # of memory while a file is read: 40 million rows took 3.6 GB
Wrong = TypeVar("Wrong", bound=ValueError)
UNPACKED = 6  # how many times larger a text file is without its compression


class Opened(ABC):
    """A table whose header is known and whose columns can be loaded."""

    is_text: ClassVar[bool] = False  # whether blanks around a label are to be dropped

    paths: Mapping[str, Path]  # of most sources: the columns by their names

    @property
    def header(self) -> list[str]:
        """The names of the columns; a field within a column has a dotted name."""
        return list(self.paths)

    @abstractmethod
    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        """Some of the columns; an engine that can count equal rows does so if it is told how."""

    @property
    def is_lazy(self) -> bool:
        """Whether an engine holds the rows."""
        return False

    def counted_from(self) -> tuple[str, int]:
        """What a reader of the source calls a row, and the number of the first."""
        return "row", 1

    def in_files(self) -> str:
        """The file that the rows are in, for messages; nothing if there is none."""
        files: Sequence[File] = getattr(self, "files", ())
        return f"of '{files[0]}'" if len(files) == 1 else f"through all {len(files):,} files" * bool(files)

    def placed(self, error: Wrong, rows: NDArray[np.int64] | None = None) -> Wrong:
        """The error with its row as a reader of the source finds it.

        ``rows`` are the positions in the source of those that were read; None if all were.
        """
        if not (source := self.in_files()) or not isinstance(error, InputError) or error.row is None:
            return error
        row, (noun, first) = error.row if rows is None else int(rows[error.row]), self.counted_from()
        here = "counting from 1," if first == 1 else f"{noun} {first + row:,}"
        return error.with_facts(place=f"{here} {source}")

    def n_rows(self) -> int:
        """The number of rows of files, without reading them all; 0 for other tables."""
        return 0

    def n_bytes(self) -> int:
        """About how many bytes loading all rows would take; 0 for tables that are in memory already."""
        return BYTES_OF_ROW * self.n_rows()

    def why_no_rows(self) -> str:
        """What to say if there are no rows."""
        return "there are no rows to read, only a header"


def bytes_of_text(files: Sequence[File]) -> int:
    """About how many bytes text files have without their compression."""
    return sum(file.path.stat().st_size * (UNPACKED if file.packed else 1) for file in files)


def rows_of_text(file: File, encoding: str, once_per_row: str, size: int) -> int:
    """About how many rows text files have, judged by the first rows and their ``size`` in bytes."""
    text = next(blocks(file, encoding), "")
    return max(1, text.count(once_per_row) * size // max(1, len(text.encode(encoding))))
