"""Comparisons: who met whom, how it ended, with what weight. What every model learns from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.checks import check_length, check_two_sides, checked_order, checked_weight, encoded_group
from podium.features import as_features, distinct_rows, stack_rows
from podium.graph import connected_items, items_that_appear
from podium.labels import as_column, encode, equal_rows
from podium.outcomes import OutcomeFormat, parse_outcomes
from podium.pairing import pairs_of_labels, pairs_of_rankings
from podium.summary import as_html, as_text, facts_of
from podium.teams import Teams, intern

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.int32]
TEAM_TYPES = (tuple, list, set, frozenset)


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """A frozen table of comparisons between items or teams of items.

    Make one with `podium.read_comparisons` or with a constructor below. ``left`` and ``right`` hold, row by
    row, an index into ``items``; or into ``teams``, if some side is a team. ``outcome`` is -1 where the left
    side is better, 0 where there is no difference, 1 where the right side is better, or None for comparisons
    yet to be made. Rows have positive ``weight`` and may have a ``group`` (judge, prompt, season: an index
    into ``groups``) and a ``time``; items may have ``features``.

    >>> c = Comparisons.from_arrays(["ann", "bob", "ann"], ["bob", "cat", "cat"], [-1, 0, -1])
    >>> c
    <Comparisons: 3 comparisons of 3 items, 1 tie (33.3 %), connected>
    >>> c[c.outcome != 0].to_frame()
      left right  outcome  weight
    0  ann   bob       -1     1.0
    1  ann   cat       -1     1.0
    """

    items: NDArray[Any]
    left: Codes
    right: Codes
    outcome: NDArray[np.int8] | None
    weight: NDArray[np.float64]
    teams: Teams | None = None
    group: Codes | None = None
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None
    features: Any = None
    feature_names: tuple[str, ...] | None = None

    # ------------------------------------------------------------------------------------ constructors

    @classmethod
    def from_arrays(
        cls,
        left: Any,
        right: Any,
        outcome: Any = None,
        weight: ArrayLike | None = None,
        *,
        group: Any = None,
        time: Any = None,
        outcome_format: OutcomeFormat = "sign",
    ) -> Self:
        """From one label a side and row, strings or integers; a tuple of labels is a team.

        >>> Comparisons.from_arrays([("ann", "bob"), "eve"], [("cat", "dan"), "ann"], [1, -1])
        <Comparisons: 2 comparisons of 5 items, no ties, teams of 1 to 2, connected>
        """
        if outcome is not None:
            outcome = parse_outcomes(outcome, outcome_format)
        sides = [_flat_side(left), _flat_side(right)]
        names = ("left", "right")
        labels = encode([as_column(flat, name) for (flat, _), name in zip(sides, names, strict=True)], names)
        items, (left, right) = labels
        if all(sizes is None for _, sizes in sides):
            return cls.from_codes(items, left, right, outcome, weight, group=group, time=time)
        rows = [
            Teams.from_sizes(np.ones(len(codes), dtype=np.int64) if sizes is None else sizes, codes)
            for codes, (_, sizes) in zip(labels.codes, sides, strict=True)
        ]
        teams, (left, right) = intern(rows, items)
        return cls.from_codes(items, left, right, outcome, weight, teams=teams, group=group, time=time)

    @classmethod
    def from_features(
        cls, X_left: Any, X_right: Any, outcome: Any = None, weight: ArrayLike | None = None, **rest: Any
    ) -> Self:
        """From the features of the two sides, dense or sparse; equal rows are one item.

        >>> c = Comparisons.from_features([[0.0], [1.0]], [[1.0], [2.0]], [1, 1])
        >>> c.features.ravel(), c.left, c.right
        (array([0., 1., 2.]), array([0, 1], dtype=int32), array([1, 2], dtype=int32))
        """
        left, right = as_features(X_left, "X_left"), as_features(X_right, "X_right")
        if left.shape != right.shape:
            raise ValueError(f"X_left has the shape {left.shape} and X_right {right.shape}; make them alike")
        if outcome is not None:
            outcome = parse_outcomes(outcome, "sign")
        first, codes = distinct_rows(both := stack_rows(left, right))
        n = left.shape[0]
        return cls.from_codes(
            np.arange(len(first)), codes[:n], codes[n:], outcome, weight, features=both[first], **rest
        )

    @classmethod
    def from_labels(
        cls, X: Any, y: ArrayLike, qid: Any = None, partners: int | None = None, random_state: Any = None
    ) -> Self:
        """From items with ordered labels, a higher label being better: the pairs with different labels.

        Pairs are formed within a ``qid`` only. ``partners=None`` takes all of them, which grows with the
        square of the items; ``partners=5`` pairs each item with five others at random, as [SwappedPairs] §4
        does for Herbrich's machine. Item i is row i of ``X``.

        >>> c = Comparisons.from_labels([[1.0], [2.0], [3.0]], [0, 1, 1])
        >>> c.left, c.right, c.outcome
        (array([0, 0], dtype=int32), array([1, 2], dtype=int32), array([1, 1], dtype=int8))
        """
        features = as_features(X, "X")
        y = checked_order(y, features.shape[0], "y")
        query = None if qid is None else encoded_group(qid, len(y), "qid")
        left, right = pairs_of_labels(y, None if query is None else query[1], partners, random_state)
        outcome = np.sign((y[right] > y[left]) - 0.5).astype(np.int8)
        group = None if query is None else query[0][query[1][left]]
        return cls.from_codes(np.arange(len(y)), left, right, outcome, group=group, features=features)

    @classmethod
    def from_rankings(cls, rankings: Sequence[Sequence[Any]], weight: ArrayLike | None = None) -> Self:
        """From rankings, best first: each makes the pairs of all its items, and is their group.

        >>> Comparisons.from_rankings([["a", "b", "c"], ["b", "a"]]).to_frame()
          left right  outcome  weight  group
        0    a     b       -1     1.0      0
        1    a     c       -1     1.0      0
        2    b     c       -1     1.0      0
        3    b     a       -1     1.0      1
        """
        sizes = np.array([len(ranking) for ranking in rankings], dtype=np.int64)
        flat = as_column(list(chain.from_iterable(rankings)), "rankings")
        items, (codes,) = encode([flat], ["rankings"])
        ranking, better, worse = pairs_of_rankings(sizes)
        if weight is not None:
            weight = checked_weight(weight, len(sizes))[ranking]
        outcome = np.full(len(better), -1, dtype=np.int8)
        return cls.from_codes(items, codes[better], codes[worse], outcome, weight, group=ranking)

    @classmethod
    def from_codes(
        cls,
        items: NDArray[Any],
        left: NDArray[np.integer[Any]],
        right: NDArray[np.integer[Any]],
        outcome: NDArray[np.int8] | None = None,
        weight: ArrayLike | None = None,
        *,
        teams: Teams | None = None,
        group: Any = None,
        time: Any = None,
        features: Any = None,
        feature_names: tuple[str, ...] | None = None,
    ) -> Self:
        """From indices into ``items`` (or ``teams``): what every other constructor ends with, and checks."""
        n = len(left)
        check_length(n, right, "right")
        if outcome is not None:
            check_length(n, outcome, "outcome")
        sides = left.astype(np.int32, copy=False), right.astype(np.int32, copy=False)
        check_two_sides(items, *sides, teams)
        groups, group = (None, None) if group is None else encoded_group(group, n, "group")
        return cls(
            items=items,
            left=sides[0],
            right=sides[1],
            outcome=outcome,
            weight=checked_weight(weight, n),
            teams=teams,
            group=group,
            groups=groups,
            time=None if time is None else checked_order(time, n, "time"),
            features=features,
            feature_names=feature_names,
        )

    # ------------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self.left)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and sides: what scikit-learn asks of an X."""
        return len(self), 2

    def __getitem__(self, key: Any) -> Self:
        """Rows by a mask, indices, a slice or one index; the items stay, so that codes keep their meaning."""
        if isinstance(key, tuple):
            key, *rest = key
            if any(not isinstance(axis, EllipsisType) for axis in rest):
                raise IndexError(
                    "comparisons have one axis to choose from, their rows: c[rows] or c[rows, ...]"
                )
        if not isinstance(key, slice):
            key = np.atleast_1d(np.asarray(key))
            key = key.astype(np.intp) if key.size == 0 and key.dtype != bool else key
        chosen = {name: array[key] for name, array in self._rows().items()}
        if self.weight.strides == (0,):  # ones stay free of memory
            chosen["weight"] = checked_weight(None, len(chosen["left"]))
        return replace(self, **chosen)

    def __iter__(self) -> Iterator[Self]:
        return (self[row] for row in range(len(self)))

    def _rows(self) -> dict[str, NDArray[Any]]:
        """The arrays that have an entry a row."""
        names = ("left", "right", "outcome", "weight", "group", "time")
        return {name: array for name in names if (array := getattr(self, name)) is not None}

    # ------------------------------------------------------------------------------------ what it holds

    @property
    def n_items(self) -> int:
        return len(self.items)

    @property
    def n_sides(self) -> int:
        """How many different values ``left`` and ``right`` can take: teams if there are any, else items."""
        return len(self.items if self.teams is None else self.teams)

    @cached_property
    def appears(self) -> NDArray[np.bool_]:
        """For each item, whether some row has it: a part of a table keeps the items of the whole."""
        return items_that_appear(self.left, self.right, self.n_items, self.teams)

    @cached_property
    def components(self) -> Codes:
        """For each item, the group of items that comparisons connect it to; -1 where no row has the item.

        Groups are numbered from the largest on. Items of different groups were never compared, not even
        through others.
        """
        return connected_items(self.left, self.right, self.n_items, self.teams)

    # ------------------------------------------------------------------------------------ other tables

    def swap(self) -> Self:
        """The same comparisons seen from the other side."""
        outcome = None if self.outcome is None else -self.outcome
        return replace(self, left=self.right, right=self.left, outcome=outcome)

    def with_features(self, features: Any, feature_names: tuple[str, ...] | None = None) -> Self:
        """The same comparisons, the items described by the rows of ``features``."""
        features = as_features(features, "features")
        if features.shape[0] != self.n_items:
            raise ValueError(f"features has {features.shape[0]:,} rows for {self.n_items:,} items")
        return replace(self, features=features, feature_names=feature_names)

    def aggregate(self, *, by_group: bool = False) -> Self:
        """Rows with equal sides and outcome become one row that has the sum of their weights.

        ``time`` is dropped, and so is ``group`` unless ``by_group`` keeps the rows of different groups apart.

        >>> c = Comparisons.from_arrays(["a", "a", "b"], ["b", "b", "a"], [-1, -1, 1])
        >>> c.aggregate().to_frame()
          left right  outcome  weight
        0    a     b       -1     2.0
        1    b     a        1     1.0
        """
        columns = {
            name: array for name, array in self._rows().items() if name in ("left", "right", "outcome")
        }
        if by_group and self.group is not None:
            columns["group"] = self.group
        order, starts = equal_rows(list(columns.values()))
        merged: dict[str, Any] = {"time": None, "group": None}
        merged |= {name: array[order[starts]] for name, array in columns.items()}
        merged["weight"] = np.add.reduceat(self.weight[order], starts) if len(self) else self.weight
        if merged["group"] is None:
            merged["groups"] = None
        return replace(self, **merged)

    def to_frame(self) -> "pd.DataFrame":
        """A pandas frame with a row a comparison, which `podium.read_comparisons` reads back; no features."""
        import pandas as pd

        sides = pd.Series(self.items if self.teams is None else self.teams.labels(self.items)).array
        columns: dict[str, Any] = {"left": sides.take(self.left), "right": sides.take(self.right)}
        if self.outcome is not None:
            columns["outcome"] = self.outcome
        columns["weight"] = self.weight
        if self.group is not None and self.groups is not None:
            columns["group"] = pd.Series(self.groups).array.take(self.group)
        if self.time is not None:
            columns["time"] = self.time
        return pd.DataFrame(columns)

    # ------------------------------------------------------------------------------------ as a value

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = value.view()
                value.flags.writeable = False
                object.__setattr__(self, field.name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        mine: dict[str, Any] = dict(self._rows())
        theirs: dict[str, Any] = dict(other._rows())
        if self.teams is not None and other.teams is not None:  # teams may be numbered differently
            if len(self) != len(other):
                return False
            for side in ("left", "right"):
                if not self.teams.expand(mine.pop(side)).same(other.teams.expand(theirs.pop(side))):
                    return False
        mine |= {"items": self.items, "groups": self.groups, "features": _dense(self.features)}
        theirs |= {"items": other.items, "groups": other.groups, "features": _dense(other.features)}
        return (
            (self.teams is None) == (other.teams is None)
            and self.feature_names == other.feature_names
            and mine.keys() == theirs.keys()
            and all(np.array_equal(mine[name], theirs[name]) for name in mine)
        )

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __repr__(self) -> str:
        return as_text(facts_of(self))

    def _repr_html_(self) -> str:
        return as_html(facts_of(self))


def _flat_side(side: Any) -> tuple[Any, NDArray[np.int64] | None]:
    """All labels of a side in one row of labels, and the size of each team (None if there are no teams)."""
    if isinstance(side, np.ndarray) and side.ndim == 2:
        return side.ravel(), np.full(side.shape[0], side.shape[1], dtype=np.int64)
    listed = isinstance(side, list | tuple) or getattr(side, "dtype", None) == np.dtype(object)
    if listed and any(issubclass(kind, TEAM_TYPES) for kind in set(map(type, side))):
        rows = [label if isinstance(label, TEAM_TYPES) else (label,) for label in side]
        return list(chain.from_iterable(rows)), np.array([len(row) for row in rows], dtype=np.int64)
    return side, None


def _dense(features: Any) -> Any:
    return features.toarray() if hasattr(features, "toarray") else features
