"""Files larger than memory, for rating systems that follow games chunk by chunk."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.cli.options.reading import check_names
from podium.cli.options.registry import Model
from podium.options import RATINGS, FeatureReading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podium.comparisons.summary import Columns
    from podium.comparisons.table import Comparisons


@dataclass
class Streamed:
    """What is left of comparisons that were read chunk by chunk: how many, and the times of the latest."""

    columns: "Columns | None" = None
    time: "NDArray[Any] | None" = None
    rows: int = 0

    def __len__(self) -> int:
        return self.rows

    def noting(self, chunks: "Iterator[Comparisons]") -> "Iterator[Comparisons]":
        """The chunks as they are, each noted as it passes."""
        import numpy as np

        for c in chunks:
            check_names(c)
            self.columns, self.rows = c.columns, self.rows + len(c)
            if c.time is not None and len(c):
                time = c.time if self.time is None else np.concatenate([self.time, c.time])
                self.time = time[time == time[-1]]
            yield c


def streams(model: Model, files: list[str], reading: FeatureReading) -> bool:
    """Whether the model follows games in order and the files are larger than a share of the memory."""
    from podium.reading.counting import bytes_of, is_past_memory
    from podium.reading.files import open_table

    needs_all = reading.items or reading.dedup or reading.wins
    if model.name not in RATINGS or needs_all:
        return False
    limit = None if reading.memory is None else bytes_of(reading.memory)
    return is_past_memory(open_table(files, reading.encoding, reading.sheet), limit)


def follow(
    estimator: Any, files: list[str], reading: FeatureReading, progress: Callable[[int, int], None]
) -> Streamed:
    """Fit a rating system to the files chunk by chunk."""
    from podium.reading.chunks import chunks_from

    seen = Streamed()
    estimator.fit(seen.noting(chunks_from(files, reading, progress=progress)))
    return seen
