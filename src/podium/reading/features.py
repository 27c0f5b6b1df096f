"""Tables that describe things by numbers: rows with a label each, and items that are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import encode, find_labels, is_text
from podium.comparisons.messages import InputError, extended, few, first_true, listed, quoted
from podium.comparisons.summary import columns_text, counted
from podium.comparisons.table import Comparisons
from podium.reading.files import open_table
from podium.reading.formats import first_cast, matrix, numbers, trimmed
from podium.reading.header import check_known, names_given, without
from podium.reading.plan import load_where
from podium.reading.selection import named_in
from podium.reading.sources.frames import ArrayFile
from podium.reading.sources.preflib import PreflibFiles
from podium.reading.sources.svmlight import SvmlightFiles

LABEL_NAMES = set("class grade label relevance target y".split())
QUERY_NAMES = set("qid query query_id".split())
KEY_NAMES = set("item id name label player team model school".split())


@dataclass(frozen=True)
class RowColumns:
    """What the columns are used for: as `podium.comparisons.summary.Columns`, for labelled rows."""

    label: str | None
    query: str | None
    features: tuple[str, ...]
    unused: tuple[str, ...]

    def __str__(self) -> str:
        single = [(few([name]), what) for what in ("label", "query") if (name := getattr(self, what))]
        return columns_text([*single, (few(self.features), "features")], self.unused)


@dataclass(frozen=True)
class LabelledRows:
    """Things with a label each: a class, or a grade of which the higher is better, within a query or not."""

    features: Any  # dense, or sparse as svmlight files are
    label: NDArray[Any] | None
    query: NDArray[np.int32] | None  # positions in ``queries``
    columns: RowColumns
    queries: NDArray[Any] | None = None
    names: tuple[str, ...] | None = None  # of the features, if a column has several

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.names or self.columns.features

    def __len__(self) -> int:
        return int(self.features.shape[0])

    def __repr__(self) -> str:
        n, n_features = self.features.shape
        parts = [counted(n, "row"), counted(n_features, "feature")]
        if self.label is not None:
            parts.append(counted(len(np.unique(self.label)), "label"))
        if self.query is not None:
            number = len(np.unique(self.query))
            parts.append("1 query" if number == 1 else f"{number:,} queries")
        return f"<LabelledRows: {', '.join(parts)}>"

    def __getitem__(self, rows: Any) -> "LabelledRows":
        label, query = (None if part is None else part[rows] for part in (self.label, self.query))
        return replace(self, features=self.features[rows], label=label, query=query)


def read_rows(
    source: Any,
    *,
    label: str | bool | None = None,
    query: str | None = None,
    features: Sequence[str] | None = None,
    where: str | None = None,
    encoding: str = "utf-8",
    sheet: str | Sequence[str] | None = None,
) -> LabelledRows:
    """Read labelled rows from anything that `read_comparisons` reads, and from svmlight and LETOR files.

    A file is svmlight if it ends in .svmlight, .svm, .libsvm or .letor, or if it ends in .txt, .dat, .data
    or nothing and its first line looks like ``2 qid:1 1:0.5 3:0.7``. Its features are named by their numbers,
    and are sparse if most of them are 0. A feature that a row does not mention is 0.

    Parameters
    ----------
    source
        A file, a folder, a frame or a relation.
    label
        The column of the label: a class, or a grade of which the higher is better. Guessed if one column
        alone could be meant (class, grade, label, relevance, target, y). ``False`` reads no labels.
    query
        The column of the query within which rows are ranked. Guessed like the label (qid, query, query_id).
    features
        The columns to use as features, by default all others.
    where
        A condition that rows have to meet, as in SQL: ``"year > 2020"``.
    encoding
        Of text and JSON files.
    sheet
        The sheet of a workbook, or table of a database, if it has several. A list of sheets with the same
        header is read as one table; ``"*"`` is every sheet that is neither hidden nor empty.

    Returns
    -------
    LabelledRows
        With ``features``, ``label`` (numbers if all of them are, else text), ``query`` (positions in
        ``queries``) and ``columns``.

    See Also
    --------
    read_comparisons : read comparisons from files, frames and databases
    SwappedPairsSVM : all pairs of rows with ordered labels
    OrdinalSVM : the class of rows with ordered classes

    Examples
    --------
    >>> import pandas as pd
    >>> rows = read_rows(pd.DataFrame({"size": [1, 2], "class": ["small", "large"]}))
    >>> rows.label.tolist(), rows.feature_names
    (['small', 'large'], ('size',))
    """
    opened = open_table(source, encoding, sheet)
    if isinstance(opened, ArrayFile) and label is not False:
        raise InputError(
            "a .npy file has no labels; read it as {@items}, or as pairs (podium.read_comparisons)"
        )
    if isinstance(opened, SvmlightFiles):
        if where is not None:
            raise InputError("a svmlight file has no columns that {@where} could name")
        if label or query:
            raise ValueError(
                "a svmlight file has its label first and its query as qid:; name no columns of them"
            )
        return _of_svmlight(opened, label is not False, features)
    if isinstance(opened, PreflibFiles):
        raise ValueError(
            f"'{opened.files[0]}' has rankings, not labelled rows; podium.read_rankings reads it"
        )
    header = opened.header
    target = _column(header, label, LABEL_NAMES, "the label") if label is not False else None
    if label is False and query not in header:
        query = None
    group = _column(header, query, QUERY_NAMES, "the query", needed=False)
    aside = {target, group, *([] if features else _known(header, LABEL_NAMES))}
    chosen = list(features or [name for name in header if name not in aside])
    check_known(chosen, header)
    if not chosen:
        raise ValueError("there are no columns to use as features")
    used = [*chosen, *(name for name in (target, group) if name)]
    table, rows = load_where(opened, list(dict.fromkeys([*used, *named_in(where, header)])), where)
    try:
        queries, [codes] = (None, [None]) if group is None else encode([trimmed(table[group])], [group])
        values, names = matrix(chosen, _numbers(table, chosen, all_columns=not features))
        labels = None if target is None else _labels(table, target)
    except InputError as error:
        raise opened.placed(error, rows) from None
    columns = RowColumns(target, group, tuple(chosen), without(header, used))
    return LabelledRows(values, labels, codes, columns, queries, names)


def _of_svmlight(opened: SvmlightFiles, labelled: bool, features: Sequence[str] | None) -> LabelledRows:
    found = opened.read(features)
    label = None
    if labelled:
        whole = bool((found.label % 1 == 0).all())
        label = found.label.astype(np.int64) if whole else found.label
    queries, query = (None, None) if found.query is None else np.unique(found.query, return_inverse=True)
    columns = RowColumns(
        "label" if labelled else None, "qid" if query is not None else None, tuple(found.names), ()
    )
    codes = None if query is None else query.astype(np.int32)
    return LabelledRows(found.features, label, codes, columns, queries)


def _known(header: Sequence[str], names: set[str]) -> list[str]:
    return [name for name in header if name.casefold() in names]


def _column(
    header: Sequence[str], given: Any, names: set[str], what: str, *, needed: bool = True
) -> str | None:
    if given is not None:
        check_known([given], header)
        return str(given)
    found = _known(header, names)
    if len(found) == 1 or (not found and not needed):
        return found[0] if found else None
    raise ValueError(f"which column holds {what} is not clear; name it out of {listed(found or header)}")


def _numbers(table: pa.Table, names: Sequence[str], all_columns: bool) -> list[NDArray[np.float64]]:
    """The features; an error says what to do about a column of text."""
    columns = []
    for name in names:
        try:
            columns.append(numbers(table, name))
        except InputError as error:
            if all_columns and error.facts.get("wanted"):
                which = "all columns but the label and the query are features, unless {@features} names some"
                raise extended(error, which) from None
            if error.facts.get("cell") == "":
                _check_complete(table, name)
            raise
    return columns


def _check_complete(table: pa.Table, name: str) -> None:
    """Say how to leave out the rows in which a column is empty."""
    column = table[name]
    if column.null_count:
        sql = name.replace('"', '""')
        raise InputError(
            f"column '{name}' is missing at {{@row}}; fill in such cells, or "
            f"leave out their rows with {{@where}}'\"{sql}\" is not null'",
            column=name,
            row=first_true(column.is_null()),
        )


def _labels(table: pa.Table, name: str) -> NDArray[Any]:
    """Numbers, if all of them are."""
    _check_complete(table, name)
    column = trimmed(table[name])
    if not is_text(column.type):
        return np.asarray(column.to_numpy())
    if (empty := column.to_numpy() == "").any():
        raise InputError(f"column '{name}' is missing at {{@row}}", column=name, row=first_true(empty))
    found = first_cast(column, (pa.int64(), pa.float64()))
    return np.asarray(column.to_pylist(), dtype=object) if found is None else found


# ------------------------------------------------------------------------------------ features of items


def with_item_features(
    c: Comparisons, items: Any, key: str | None, features: Sequence[str] | None, encoding: str
) -> Comparisons:
    """The same comparisons, the items described by the rows of a table."""
    opened = open_table(items, encoding)
    key = key or _guess_key(opened.header)
    chosen = list(names_given(features, "features")) or [name for name in opened.header if name != key]
    known = set(opened.header)
    if unknown := [name for name in [key, *chosen] if name not in known]:
        raise ValueError(f"the table of items has no column '{unknown[0]}'; it has {listed(opened.header)}")
    if not chosen:
        raise ValueError(f"the table of items has no column beside its key '{key}'")
    table = opened.load([key, *chosen])
    keys, (row_key,) = encode([table[key]], [key], text=opened.is_text)
    if len(keys) < table.num_rows:
        twice = first_true(np.bincount(row_key) > 1)
        raise ValueError(f"the table of items has item {quoted(keys[twice])} more than once")
    rows = find_labels(keys[row_key], c.items)
    if (lost := rows < 0).any():
        first = f"the first is {quoted(c.items[first_true(lost)])}"
        raise ValueError(f"the table of items lacks {lost.sum():,} of the items compared, {first}")
    values, names = matrix(chosen, [numbers(table, name) for name in chosen])
    c = c.with_features(values[rows], names)
    return c if c.columns is None else replace(c, columns=replace(c.columns, item_features=tuple(chosen)))


def _guess_key(header: Sequence[str]) -> str:
    known = _known(header, KEY_NAMES)
    if len(known) == 1:
        return known[0]
    raise InputError(
        f"which column names the items is not clear; choose {{@item_key}} out of {listed(header)}"
    )
