"""Files of svmlight and LETOR: ``2 qid:1 1:0.5 3:0.7``, a label, perhaps a query, and numbered features."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.messages import InputError, first_true, quoted
from podium.reading.sources.connection import not_whole
from podium.reading.sources.counting import Counting
from podium.reading.sources.encodings import as_utf8, blocks, checked_encoding
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import ANY_TEXT, SVMLIGHT, File

LINE = re.compile(r"[-+\d.eE]+(?P<query>\s+qid:\d+)?(\s+\d+:[-+\d.eEnaif]+)+\s*(#.*)?")
MOST_COLUMNS = 10**6  # their names take about 0.1 s and 60 MB
DENSE = 1 / 3  # share of cells above which a dense matrix takes less memory than a sparse one


class Content(NamedTuple):
    """What a file holds, or several together."""

    features: Any  # dense or sparse
    names: list[str]
    label: NDArray[np.float64]
    query: NDArray[np.int64] | None


def is_svmlight(file: File) -> bool:
    """Whether a file is svmlight, by its ending, or by its first line if the ending is open."""
    if file.kind == SVMLIGHT:
        return True
    return file.ending in ANY_TEXT and LINE.fullmatch(_first_line(file)) is not None


@dataclass(frozen=True)
class SvmlightFiles(Opened):
    """Labelled rows, which are not a table of comparisons."""

    files: Sequence[File]
    encoding: str = "utf-8"

    @property
    def header(self) -> list[str]:
        raise ValueError(
            f"'{self.files[0]}' is a svmlight file of labelled rows, which compares nothing; fit a model of "
            "labelled rows to it, for example 'podium fit --model swapped-pairs'"
        )

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        return self.header  # an error

    def read(self, features: Sequence[str] | None) -> Content:
        """Rows with the given features, by their numbers in the file; by default all that occur.

        A feature that a row does not mention is 0. If numbers are very large, as those of hashed features,
        there are columns only for those that occur: a column for each number might not fit into memory.
        """
        from scipy.sparse import csr_array, vstack

        if strange := [name for name in features or () if not name.isdecimal()]:
            raise ValueError(f"there is no feature {quoted(strange[0])}: svmlight files number theirs")
        encoding = checked_encoding(self.encoding, self.files[0])
        with as_utf8(self.files, encoding) as readable:
            parts = [_load(file) for file in readable]
            has_query = [_has_query(file) for file in readable]
        wanted = np.array(features or [], dtype=np.int64)
        width = max(X.shape[1] for X, _, _ in parts)
        every = [X.indices for X, _, _ in parts]
        numbers = np.arange(width) if width <= MOST_COLUMNS else np.unique(np.concatenate(every))
        known = np.union1d(numbers, wanted)
        tables = [
            csr_array((X.data, _places(X.indices, known), X.indptr), (X.shape[0], len(known)))
            for X, _, _ in parts
        ]
        first = 0 if any((numbers == 0).any() for numbers in every) else 1  # most files count from 1
        numbers = wanted if features else numbers[numbers >= first]
        names = list(map(str, numbers.tolist()))
        X = vstack(tables).tocsr()[:, _places(numbers, known)]
        query = np.concatenate([query for _, _, query in parts]) if any(has_query) else None
        dense = X.nnz > DENSE * X.shape[0] * X.shape[1]
        return Content(X.toarray() if dense else X, names, np.concatenate([y for _, y, _ in parts]), query)


def _places(numbers: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """Where numbers are among those that are known; if all are, each is at its own place."""
    return numbers if len(known) > known.max(initial=-1) else np.searchsorted(known, numbers)


def _load(file: File) -> tuple[Any, NDArray[np.float64], NDArray[np.int64]]:
    """The features, labels and queries of one file; feature 3 is column 3."""
    try:
        with pa.input_stream(str(file.path), compression=file.packed) as stream:
            content = stream.read()
    except OSError:
        raise ValueError(not_whole(file)) from None
    try:
        X, y, query = _parsed(content)
    except (ValueError, OverflowError) as error:
        line, why = _first_bad_line(content), str(error)
        if isinstance(error, OverflowError):
            why = f"the number of a feature is above {2**31 - 1:,}"
        raise ValueError(f"'{file}' cannot be read as a svmlight file: {why} (line {line:,})") from None
    if not len(y):
        raise ValueError(f"'{file}' has no rows to read")
    bad = ~np.isfinite(y)
    bad[np.repeat(np.arange(len(y)), np.diff(X.indptr))[~np.isfinite(X.data)]] = True
    if bad.any():
        row = first_true(bad)
        raise InputError(f"a label or feature of '{file}' is missing or infinite at {{@row}}", row=row)
    return X, y, query


def _parsed(content: bytes) -> Any:
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(io.BytesIO(content), query_id=True, zero_based=True)


def _first_bad_line(content: bytes) -> int:
    """The number of the first line that cannot be read, found by halving."""
    lines = content.splitlines(keepends=True)
    low, high = 0, len(lines)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            _parsed(b"".join(lines[low:middle]))
            low = middle
        except (ValueError, OverflowError):
            high = middle
    return low + 1


def _first_line(file: File) -> str:
    """The first line that is neither blank nor a comment."""
    text = next(blocks(file, "latin-1"), "")
    lines = (line.strip() for line in text[:100_000].splitlines())
    return next((line for line in lines if line and not line.startswith("#")), "")


def _has_query(file: File) -> bool:
    found = LINE.fullmatch(_first_line(file))
    return found is not None and found["query"] is not None
