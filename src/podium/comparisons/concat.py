"""Several tables of comparisons become one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import LABELLED, Codes, join, row_arrays
from podium.comparisons.features import distinct_rows, equal, rows_at, rows_differ, stacked
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import few, first_true, quoted
from podium.comparisons.table import Comparisons, encode_groups
from podium.comparisons.teams import Teams, intern, stack

ALL_OR_NONE = {  # what every table has, or none of them
    "outcome": "outcomes",
    "grade": "grades",
    "group": "groups",
    "category": "categories",
    "judge_kind": "kinds of judges",
    "time": "times",
    "covariates": "covariates",
    "features": "features",
    "feature_names": "names of features",
}


def concat(parts: Sequence[Comparisons], *, judge_kind: Sequence[Any] | None = None) -> Comparisons:
    """The comparisons of several tables as one table, in the order given.

    Items, groups and categories of the same name are the same; where integers and text come together, all
    of them are text. Items that have no names (`Comparisons.from_features`) are the same if their features
    are.

    Parameters
    ----------
    parts
        One or more tables. Outcomes, grades, groups, categories, kinds of judges, times, covariates and
        features are in all of them or in none. A table that does not say which rows are on neutral ground has
        none of them there.
    judge_kind
        The kind of judge of each table, such as ``["human", "ai"]``, for tables that do not say it.

    Raises
    ------
    ValueError
        If one table lacks what another has, if their features or covariates have different names, or if an
        item has different features in two of them.

    See Also
    --------
    Comparisons : a table of comparisons
    Rankings : rankings and choices among several items

    Examples
    --------
    >>> import podium as pod
    >>> old = pod.Comparisons.from_arrays(["ann", "bob"], ["bob", "cat"], [-1, 0])
    >>> new = pod.Comparisons.from_arrays(["dan"], ["ann"], [1])
    >>> pod.concat([old, new])
    <Comparisons: 3 comparisons of 4 items, 1 tie (33.3 %), connected>
    >>> pod.concat([old, new], judge_kind=["human", "ai"]).to_frame()
      left right  outcome  weight judge_kind
    0  ann   bob       -1     1.0      human
    1  bob   cat        0     1.0      human
    2  dan   ann        1     1.0         ai
    """
    parts = list(parts)
    if not parts or not all(isinstance(part, Comparisons) for part in parts):
        raise ValueError("concat takes a list of one or more podium.Comparisons")
    if judge_kind is not None:
        parts = _of_kinds(parts, judge_kind)
    parts = [_in_order(part, parts[0].covariate_names) for part in parts]
    _check_alike(parts)
    if any(part.neutral is not None for part in parts):
        parts = [replace(part, neutral=_neutral(part)) for part in parts]
    first = parts[0]
    items, features, teams = first.items, first.features, first.teams
    if all(_same_items(part, first) for part in parts):
        sides = [(part.left, part.right) for part in parts]
    else:
        items, codes, features = _items_of(parts)
        teams, sides = _sides_of(parts, items, codes)
    rows: dict[str, Any] = {name: join([getattr(part, name) for part in parts]) for name in row_arrays(first)}
    rows["left"], rows["right"] = (np.concatenate(side) for side in zip(*sides, strict=True))
    for one, many in LABELLED.items():
        if one in rows:
            rows[many], rows[one] = _relabelled([(getattr(part, one), getattr(part, many)) for part in parts])
    if "other_group" in rows:
        every = [[*part.groupings.values()][1:] for part in parts]
        others = [_relabelled(list(each)) for each in zip(*every, strict=True)]
        rows["other_groups"] = tuple(labels for labels, _ in others)
        rows["other_group"] = np.column_stack([codes for _, codes in others])
    columns = first.columns if all(part.columns == first.columns for part in parts) else None
    skipped = sum(dict.fromkeys(part.skipped for part in parts), ())  # once, if all are parts of one table
    options = {"teams": teams, "features": features, "columns": columns, "skipped": skipped}
    return replace(first, items=items, **options, **rows)


def _of_kinds(parts: list[Comparisons], kinds: Sequence[Any]) -> list[Comparisons]:
    """Each table with the kind of its judges."""
    if isinstance(kinds, str) or len(kinds) != len(parts):
        raise ValueError(f"judge_kind takes a list of one kind per table, and there are {len(parts)} tables")
    if any(part.judge_kind is not None for part in parts):
        raise ValueError("some tables have kinds of judges already; leave out judge_kind")
    found = []
    for kind, part in zip(kinds, parts, strict=True):
        labels, codes = encode_groups([kind] * len(part), len(part), "judge_kind")
        found.append(replace(part, judge_kind=codes, judge_kinds=labels))
    return found


def _same_items(part: Comparisons, other: Comparisons) -> bool:
    """Whether codes mean the same in both, as in parts of one table."""
    return (
        np.array_equal(part.items, other.items)
        and part.teams == other.teams
        and equal(part.features, other.features)
    )


def _check_alike(parts: list[Comparisons]) -> None:
    for name, what in ALL_OR_NONE.items():
        has = [getattr(part, name) is not None for part in parts]
        if any(has) and not all(has):
            some, none = has.index(True) + 1, has.index(False) + 1
            raise ValueError(
                f"table {some} has {what} and table {none} has none; give them to all or to none"
            )
    for number, part in enumerate(parts[1:], start=2):
        if part.feature_names != parts[0].feature_names:
            raise ValueError(f"the features of table {number} have other names than those of table 1")
        if part.group_names != parts[0].group_names:
            own, first = (few(p.group_names) or "without a name" for p in (part, parts[0]))
            what = f"the groups of table {number} are {own} and those of table 1 {first}"
            raise ValueError(f"{what}; name them alike")
        if part.covariate_names != parts[0].covariate_names:
            raise ValueError(f"the covariates of table {number} have other names than those of table 1")
        if part.features is not None and part.features.shape[1] != parts[0].features.shape[1]:
            counts = f"{part.features.shape[1]:,} features and table 1 has {parts[0].features.shape[1]:,}"
            raise ValueError(f"table {number} has {counts}; make them alike")
    if len({part.time.dtype.kind == "M" for part in parts if part.time is not None}) > 1:
        raise ValueError("some tables have dates and some have numbers for time; make them alike")


def _in_order(part: Comparisons, names: tuple[str, ...]) -> Comparisons:
    """The same comparisons with their covariates in this order, if they have exactly these."""
    if part.covariates is None or part.covariate_names == names or set(part.covariate_names) != set(names):
        return part
    order = [part.covariate_names.index(name) for name in names]
    return replace(part, covariates=part.covariates[:, order], covariate_names=names)


def _neutral(part: Comparisons) -> NDArray[np.bool_]:
    return np.zeros(len(part), dtype=bool) if part.neutral is None else part.neutral


def _union(labels: list[NDArray[Any]]) -> tuple[NDArray[Any], list[Codes]]:
    """The distinct labels, sorted, and where the labels of each part are among them."""
    if len({part.dtype.kind in "iu" for part in labels if len(part)}) > 1:
        labels = [part.astype(str).astype(object) for part in labels]
    distinct = np.unique(np.concatenate([part for part in labels if len(part)] or labels[:1]))
    return distinct, [find_labels(distinct, part).astype(np.int32) for part in labels]


def _relabelled(parts: list[tuple[Codes, NDArray[Any]]]) -> tuple[NDArray[Any], Codes]:
    """The labels of all parts, and the codes of their rows among them."""
    labels, codes = _union([own for _, own in parts])
    return labels, np.concatenate([new[old] for new, (old, _) in zip(codes, parts, strict=True)])


def _items_of(parts: list[Comparisons]) -> tuple[NDArray[Any], list[Codes], Any]:
    """The items of all parts, the new code of every old one, and the features."""
    if parts[0].features is None:
        return *_union([part.items for part in parts]), None
    features = stacked([part.features for part in parts])
    ends = np.cumsum([part.n_items for part in parts])[:-1]
    if all(np.array_equal(part.items, np.arange(part.n_items)) for part in parts):  # they have no names
        first, code = distinct_rows(features)
        return np.arange(len(first)), np.split(code, ends), rows_at(features, first)
    items, codes = _union([part.items for part in parts])
    every = np.concatenate(codes)
    first = np.empty(len(items), dtype=np.int64)
    first[every[::-1]] = np.arange(len(every))[::-1]
    if (differs := rows_differ(features, first[every])).any():
        item = items[every[first_true(differs)]]
        raise ValueError(f"item {quoted(item)} has different features in two tables; make them alike")
    return items, codes, rows_at(features, first)


def _sides_of(
    parts: list[Comparisons], items: NDArray[Any], codes: list[Codes]
) -> tuple[Teams | None, list[tuple[Codes, Codes]]]:
    """The teams, and the two sides of every part as codes of them, or of items if nobody has teams."""
    if all(part.teams is None for part in parts):
        sides = [(new[part.left], new[part.right]) for new, part in zip(codes, parts, strict=True)]
        return None, sides
    every = [
        Teams.from_sizes(np.ones(part.n_items, dtype=np.int64), new)
        if part.teams is None
        else Teams(part.teams.indptr, new[part.teams.members])
        for new, part in zip(codes, parts, strict=True)
    ]
    teams, code = intern(together := stack(every), np.arange(len(together)), items)
    ends = np.cumsum([len(part) for part in every])[:-1]
    of_part = zip(np.split(code, ends), parts, strict=True)
    return teams, [(new[part.left], new[part.right]) for new, part in of_part]
