"""Files of svmlight and LETOR: ``2 qid:1 1:0.5 3:0.7``, a label, perhaps a query, and numbered features."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.messages import quoted
from podium.reading.sources.connection import not_whole
from podium.reading.sources.counting import Counting
from podium.reading.sources.encodings import blocks
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import ANY_TEXT, SVMLIGHT, File

LINE = re.compile(r"[-+\d.eE]+(?P<query>\s+qid:\d+)?(\s+\d+:[-+\d.eEnaif]+)+\s*(#.*)?")
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

        A feature that a row does not mention is 0.
        """
        from scipy.sparse import csr_array, vstack

        if strange := [name for name in features or () if not name.isdecimal()]:
            raise ValueError(f"there is no feature {quoted(strange[0])}: svmlight files number theirs")
        parts = [_load(file) for file in self.files]
        width = max(X.shape[1] for X, _, _ in parts)
        wide = max(width, *(int(name) + 1 for name in features or ("0",)))
        X = vstack(
            [csr_array((X.data, X.indices, X.indptr), (X.shape[0], wide)) for X, _, _ in parts]
        ).tocsr()
        first = 0 if X[:, [0]].nnz else 1  # most files count from 1
        names = list(features or map(str, range(first, width)))
        X = X[:, np.array(names, dtype=np.int64)]
        has_query = [_has_query(file) for file in self.files]
        query = np.concatenate([query for _, _, query in parts]) if any(has_query) else None
        dense = X.nnz > DENSE * X.shape[0] * X.shape[1]
        return Content(X.toarray() if dense else X, names, np.concatenate([y for _, y, _ in parts]), query)


def _load(file: File) -> tuple[Any, NDArray[np.float64], NDArray[np.int64]]:
    """The features, labels and queries of one file; feature 3 is column 3."""
    from sklearn.datasets import load_svmlight_file

    try:
        with pa.input_stream(str(file.path), compression=file.packed) as stream:
            X, y, query = load_svmlight_file(io.BytesIO(stream.read()), query_id=True, zero_based=True)
    except OSError:
        raise ValueError(not_whole(file)) from None
    except ValueError as error:
        raise ValueError(f"'{file}' cannot be read as a svmlight file: {error}") from None
    if not len(y):
        raise ValueError(f"'{file}' has no rows to read")
    return X, y, query


def _first_line(file: File) -> str:
    """The first line that is neither blank nor a comment."""
    text = next(blocks(file, "latin-1"), "")
    lines = (line.strip() for line in text[:100_000].splitlines())
    return next((line for line in lines if line and not line.startswith("#")), "")


def _has_query(file: File) -> bool:
    found = LINE.fullmatch(_first_line(file))
    return found is not None and found["query"] is not None
