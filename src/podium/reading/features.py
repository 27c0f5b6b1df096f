"""Tables that describe things by numbers: the two sides of comparisons, or rows that have a label each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import encode, is_text
from podium.comparisons.messages import listed
from podium.comparisons.table import Comparisons
from podium.reading.casts import complete, feature_matrix
from podium.reading.comparisons import read_comparisons
from podium.reading.files import open_table
from podium.reading.header import paired_features

LABEL_NAMES = set("class grade label relevance target y".split())
QUERY_NAMES = set("qid query query_id".split())


# ------------------------------------------------------------------------------------------------ two sides


def read_featured(
    source: Any,
    *,
    items: Any = None,
    features: Sequence[str] | None = None,
    encoding: str = "utf-8",
    **options: Any,
) -> Comparisons:
    """Comparisons whose items have features: as `read_comparisons`, with an error if there are none.

    A file that names its sides and describes them too, by columns ``left_*`` and ``right_*``, is read by the
    description.

    >>> import pandas as pd
    >>> offers = {"left": ["a"], "right": ["b"], "left_price": [3], "right_price": [5], "y": ["left"]}
    >>> read_featured(pd.DataFrame(offers)).feature_names
    ('price',)
    """
    c = read_comparisons(source, items=items, features=features, encoding=encoding, **options)
    if c.features is not None:
        return c
    header = open_table(source, encoding).header
    found = paired_features([name for name in header if name not in _names(options.get("outcome"))])
    if not found:
        raise ValueError(
            "the two sides have no features: describe them in columns left_* and right_*, or in a table "
            f"of items; the columns are {listed(header)}"
        )
    sides = dict.fromkeys(("left", "right"))
    return read_comparisons(source, features=found, encoding=encoding, **(options | sides))


def _names(outcome: Any) -> Sequence[str]:
    return [outcome] if isinstance(outcome, str) else outcome or []


# -------------------------------------------------------------------------------------------- labelled rows


@dataclass(frozen=True)
class LabelledRows:
    """Things with a label each: a class, or a grade of which the higher is better, within a query or not."""

    features: NDArray[np.float64]
    label: NDArray[Any] | None
    query: NDArray[np.int32] | None = None
    feature_names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, rows: Any) -> "LabelledRows":
        label, query = (None if part is None else part[rows] for part in (self.label, self.query))
        return replace(self, features=self.features[rows], label=label, query=query)


def read_rows(
    source: Any,
    *,
    label: str | bool | None = None,
    query: str | None = None,
    features: Sequence[str] | None = None,
    encoding: str = "utf-8",
) -> LabelledRows:
    """Labelled rows from anything that `read_comparisons` reads.

    ``label`` and ``query`` name their columns, and are guessed if there is only one that could be meant
    (class, grade, label, relevance, target, y; qid, query); ``label=False`` reads none, and then there need
    not be a query. ``features`` are by default all other columns. Labels that are numbers stay numbers.

    >>> import pandas as pd
    >>> rows = read_rows(pd.DataFrame({"size": [1, 2], "class": ["small", "large"]}))
    >>> rows.label.tolist(), rows.feature_names
    (['small', 'large'], ('size',))
    """
    opened = open_table(source, encoding)
    target = _column(opened.header, label, LABEL_NAMES, "the label") if label is not False else None
    if label is False and query not in opened.header:
        query = None
    group = _column(opened.header, query, QUERY_NAMES, "the query", needed=False)
    aside = {target, group, *([] if features else _known(opened.header, LABEL_NAMES))}
    chosen = list(features or [name for name in opened.header if name not in aside])
    if missing := [name for name in chosen if name not in opened.header]:
        raise ValueError(f"there is no column '{missing[0]}'; the columns are {listed(opened.header)}")
    if not chosen:
        raise ValueError("there are no columns to use as features")
    table = opened.load([*chosen, *(name for name in (target, group) if name)])
    if table.num_rows == 0:
        raise ValueError("there are no rows to read, only a header")
    return LabelledRows(
        feature_matrix(table, chosen),
        None if target is None else _labels(complete(table, target)),
        None if group is None else encode([table[group]], [group])[1][0],
        tuple(chosen),
    )


def _known(header: Sequence[str], names: set[str]) -> list[str]:
    return [name for name in header if name.casefold() in names]


def _column(
    header: Sequence[str], given: Any, names: set[str], what: str, *, needed: bool = True
) -> str | None:
    if given is not None:
        if given not in header:
            raise ValueError(f"there is no column '{given}'; the columns are {listed(header)}")
        return str(given)
    found = _known(header, names)
    if len(found) == 1 or (not found and not needed):
        return found[0] if found else None
    raise ValueError(f"which column holds {what} is not clear; name it out of {listed(found or header)}")


def _labels(column: pa.ChunkedArray) -> NDArray[Any]:
    """Numbers, if all of them are."""
    if not is_text(column.type):
        return np.asarray(column.to_numpy())
    for kind in (pa.int64(), pa.float64()):
        try:
            return np.asarray(column.cast(kind).to_numpy())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return np.asarray(column.to_pylist(), dtype=object)
