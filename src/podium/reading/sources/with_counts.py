"""Files with a column of counts, and files without it, as one table: what was counted, and what is new."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from podium.comparisons.messages import InputError
from podium.reading.sources.counting import Counting
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import File

COUNT = "count"  # the column, as `Comparisons.to_frame` and 'podium count' call it


@dataclass(frozen=True)
class WithCounts(Opened):
    """The rows of two sources, with the columns that both have and the counts, which are 1 in the second."""

    counted: Opened
    plain: Opened

    @classmethod
    def of(
        cls, files: Sequence[File], counted: Sequence[File], read: Callable[[Sequence[File]], Opened]
    ) -> Opened | None:
        """Files of which only those that are ``counted`` have the column; None if all have it, or none."""
        if len(counted) in (0, len(files)):
            return None
        return cls(read(counted), read([file for file in files if file not in counted]))

    @property
    def header(self) -> list[str]:
        shared = {*self.plain.header, COUNT}
        return [name for name in self.counted.header if name in shared]

    @property
    def is_text(self) -> bool:  # type: ignore[override]
        return self.counted.is_text or self.plain.is_text

    def n_rows(self) -> int:
        return self.counted.n_rows() + self.plain.n_rows()

    def n_bytes(self) -> int:
        return self.counted.n_bytes() + self.plain.n_bytes()

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        counted = self.counted.load(columns, counting)
        plain = self.plain.load([name for name in columns if name != COUNT], counting)
        if COUNT in columns:
            plain = plain.append_column(COUNT, _ones(plain.num_rows, counted.schema.field(COUNT).type))
        try:
            return pa.concat_tables([counted, plain], promote_options="permissive").unify_dictionaries()
        except pa.ArrowTypeError as error:
            what = str(error).rpartition("Field ")[2]
            raise InputError(f"the files with counts and those without differ: column {what}") from None


def _ones(n: int, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return _ones(n, kind.value_type).dictionary_encode()
    return pa.repeat(pa.scalar(1).cast(kind), n)
