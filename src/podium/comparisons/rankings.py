"""Rankings: orders and choices of several items."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons import flat_rankings as flat
from podium.comparisons.arrays import Codes, FrozenTable, Index, frozen, ranges, row_arrays, rows_of_key, take
from podium.comparisons.checks import check_unmasked, checked_multiples, checked_order
from podium.comparisons.items import connected_items
from podium.comparisons.labels import codes_among, merge_equal
from podium.comparisons.pairing import pairs_of_rankings
from podium.comparisons.summary import Facts, RankingSummary
from podium.comparisons.table import Comparisons, encode_groups

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Rankings(FrozenTable):
    """A frozen table of rankings and choices among several items.

    Make one with `podium.read_rankings` or with one of the constructors ``from_*``. A ranking may have any of
    the items; it says nothing about those it leaves out. A ranking of a single item, or one that is all rest,
    says nothing at all. It is kept, so that rows stay where they are in the source.

    Attributes
    ----------
    items : array of shape (n_items,)
        The labels of the items, sorted.
    indptr : array of int64 of shape (n + 1,)
        Ranking i is ``entries[indptr[i]:indptr[i + 1]]``.
    entries : array of int32
        All rankings end to end, best first: indices into ``items``.
    level : array of int32
        The level of each entry within its ranking: 0 for the best, then 1, and so on. Entries of equal level
        are tied.
    rest : array of bool or None
        True for rankings whose last level is an unordered rest: it is known only that all entries above are
        better. The rest of a choice are the alternatives that were not chosen. None if no ranking has one.
    weight : array of float
        How important each ranking is; above 0, 1 by default.
    count : array of float
        How many equal observations each ranking stands for; above 0, 1 by default.
    group, groups : array or None
        The group of each ranking (judge, season): an index into ``groups``, which has the labels.
    time : array or None
        The time of each ranking: numbers or moments.
    columns : object or None
        What each column of the source was used for, if the table was read; ``print`` it.
    skipped : tuple of (int, str)
        The rows of the source that could not be read, each with its line and the reason.

    See Also
    --------
    read_rankings : read rankings and choices
    PlackettLuce : skills from rankings and choices
    Comparisons : a table of comparisons

    Examples
    --------
    >>> r = Rankings.from_lists([["ann", "bob", "cat"], ["bob", ("ann", "cat")]])
    >>> r
    <Rankings: 2 rankings of 3 items, 1 with ties, connected>
    >>> r[1].to_lists()
    [['bob', ('ann', 'cat')]]
    """

    _ROW_ARRAYS = ("weight", "count", "rest", "group", "time")
    items: NDArray[Any]
    indptr: Index
    entries: Codes
    level: Codes
    weight: NDArray[np.float64]
    count: NDArray[np.float64]
    rest: NDArray[np.bool_] | None = None
    group: Codes | None = None
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None
    columns: Any = None
    skipped: tuple[tuple[int, str], ...] = ()

    # ------------------------------------------------------------------------------------ constructors

    @classmethod
    def from_lists(
        cls,
        rankings: Any,
        weight: ArrayLike | None = None,
        *,
        count: ArrayLike | None = None,
        group: Any = None,
        time: Any = None,
        rest: Any = None,
    ) -> Self:
        """Make a table from lists of labels, best first.

        Parameters
        ----------
        rankings
            One list per ranking; a tuple inside a list is a tie. An array of shape (n, k) if all rankings
            have the same number of items and no ties.
        weight, count, group, time
            One value per ranking, see the attributes.
        rest
            Whether the last entry of each ranking is an unordered rest: one truth value per ranking, or one
            for all.

        Examples
        --------
        >>> Rankings.from_lists([["ann", "bob", ("cat", "dan")]], rest=True).to_comparisons().to_frame()
          left right  outcome  weight  group
        0  ann   bob       -1     1.0      0
        1  ann   cat       -1     1.0      0
        2  ann   dan       -1     1.0      0
        3  bob   cat       -1     1.0      0
        4  bob   dan       -1     1.0      0
        """
        options = {"count": count, "group": group, "time": time, "rest": rest}
        return cls.from_codes(*flat.flat_lists(rankings), weight, **options)

    @classmethod
    def from_choices(
        cls,
        chosen: Any,
        alternatives: Any,
        weight: ArrayLike | None = None,
        *,
        count: ArrayLike | None = None,
        group: Any = None,
        time: Any = None,
    ) -> Self:
        """Make a table from choices: which of several alternatives was chosen.

        Parameters
        ----------
        chosen
            The label of the chosen item of each row.
        alternatives
            The labels that each row had to choose from, the chosen one included: one list per row, or an
            array of shape (n, k).
        weight, count, group, time
            One value per choice, see the attributes.

        Examples
        --------
        >>> Rankings.from_choices(["tea", "milk"], [["milk", "tea", "wine"], ["milk", "wine"]])
        <Rankings: 2 choices of 3 items, connected>
        """
        options = {"count": count, "group": group, "time": time, "rest": True}
        return cls.from_codes(*flat.flat_choices(chosen, alternatives), weight, **options)

    @classmethod
    def from_scores(
        cls,
        table: Any,
        higher_is_better: bool = True,
        *,
        weight: ArrayLike | None = None,
        count: ArrayLike | None = None,
        group: Any = None,
        time: Any = None,
    ) -> Self:
        """Make a table from scores: one row per ranking, one column per item.

        Parameters
        ----------
        table
            A frame whose columns are the items, or an array with the items 0, 1, 2, ... Absent items are nan;
            equal scores are a tie.
        higher_is_better
            False for times, places and other scores of which the lowest is the best.
        weight, count, group, time
            One value per ranking, see the attributes.

        Examples
        --------
        >>> Rankings.from_scores([[7.5, 9.0, 7.5], [8.0, float("nan"), 6.0]]).to_lists()
        [[1, (0, 2)], [0, 2]]
        """
        options = {"count": count, "group": group, "time": time}
        return cls.from_codes(*flat.flat_scores(table, higher_is_better), weight, **options)

    @classmethod
    def from_codes(
        cls,
        items: NDArray[Any],
        indptr: Any,
        entries: Any,
        level: Any = None,
        weight: ArrayLike | None = None,
        *,
        count: ArrayLike | None = None,
        group: Any = None,
        time: Any = None,
        rest: Any = None,
    ) -> Self:
        """Make a table from the arrays it consists of; all other constructors call this one.

        Parameters
        ----------
        items, indptr, entries, level
            See the attributes; without ``level`` there are no ties. Arrays are kept, not copied.
        weight, count, group, time
            One value per ranking, see the attributes.
        rest
            As in `from_lists`.

        Examples
        --------
        >>> Rankings.from_codes(np.array(["ann", "bob", "cat"]), [0, 2, 5], [1, 0, 2, 0, 1]).to_lists()
        [['bob', 'ann'], ['cat', 'ann', 'bob']]
        """
        check_unmasked(indptr=indptr, entries=entries, level=level, time=time)
        items, indptr, entries = np.asarray(items), np.asarray(indptr), np.asarray(entries)
        flat.check_offsets(indptr, len(entries))
        flat.check_entries(items, indptr, entries)
        n = len(indptr) - 1
        groups, group = encode_groups(group, n, "group")
        return cls(
            items=items,
            indptr=indptr.astype(np.int64, copy=False),
            entries=entries.astype(np.int32, copy=False),
            level=flat.positions_within(indptr) if level is None else flat.checked_level(level, indptr),
            weight=checked_multiples(weight, n),
            count=checked_multiples(count, n, "count"),
            rest=flat.checked_rest(rest, n),
            group=group,
            groups=groups,
            time=None if time is None else checked_order(time, n, "time"),
        )

    # ------------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Rankings and items: what scikit-learn asks of an X."""
        return len(self), self.n_items

    def __getitem__(self, key: Any) -> Self:
        """Choose rankings by a mask, indices, a slice or one index; ``items`` and codes stay the same."""
        rows = rows_of_key(key, len(self), "rankings")
        chosen: dict[str, Any] = {name: take(array, rows) for name, array in row_arrays(self).items()}
        positions = np.arange(len(self))[rows]
        _, entry = ranges(self.indptr[positions], self.indptr[positions + 1])
        indptr = np.concatenate([[0], np.cumsum(self.sizes[positions])])
        return replace(self, indptr=indptr, entries=self.entries[entry], level=self.level[entry], **chosen)

    # ------------------------------------------------------------------------------------ what it holds

    @property
    def sizes(self) -> Index:
        """How many items each ranking has."""
        return np.diff(self.indptr)

    @property
    def in_rest(self) -> NDArray[np.bool_]:
        """For each entry, whether it belongs to the unordered rest of its ranking."""
        if self.rest is None:
            return np.broadcast_to(np.False_, len(self.entries))
        last = np.where(self.rest, self.level[self.indptr[1:] - 1], np.int32(-1))
        return np.asarray(self.level == np.repeat(last, self.sizes))

    @property
    def is_tied(self) -> NDArray[np.bool_]:
        """For each entry but the first of its level, whether it is tied; a rest is not a tie."""
        return np.asarray((flat.starts_of_levels(self.indptr, self.level) == 0) & ~self.in_rest)

    @cached_property
    def appears(self) -> NDArray[np.bool_]:
        """For each item, whether it is in some ranking; a part of a table keeps the items of the whole."""
        found = np.zeros(self.n_items, dtype=bool)
        found[self.entries] = True
        return frozen(found)

    @cached_property
    def components(self) -> Codes:
        """For each item, the number of its component; -1 if no ranking compares it with another.

        A component is a set of items that rankings connect; component 0 is the largest.
        """
        follows = np.ones(len(self.entries), dtype=bool)
        follows[self.indptr[:-1]] = False
        follows &= ~(self.in_rest & (self.level == 0))  # these are not compared with each other
        after = np.flatnonzero(follows)
        return frozen(connected_items(self.entries[after - 1], self.entries[after], self.n_items, None))

    def summary(self) -> RankingSummary:
        """Sum up the table: how many rankings, items, components, ties, groups and so on it has.

        Returns
        -------
        RankingSummary
            With ``text()``, ``html()`` and ``rows()``.
        """
        ties = np.concatenate([[0], np.cumsum(self.is_tied)])[self.indptr]
        return RankingSummary(
            **Facts.of(self),
            noun=self._noun(),
            rankings=len(self),
            sizes=(int(self.sizes.min()), int(self.sizes.max())) if len(self) else (0, 0),
            tied=int(np.count_nonzero(np.diff(ties))),
            rests=0 if self.rest is None else int(self.rest.sum()),
        )

    # ------------------------------------------------------------------------------------ other forms

    def to_lists(self) -> list[list[Any]]:
        """One list of labels per ranking, best first; tuples are ties, or a rest at the end.

        ``Rankings.from_lists(r.to_lists(), rest=r.rest)`` has the same rankings.
        """
        labels = self.items[self.entries].tolist()
        new = flat.starts_of_levels(self.indptr, self.level)
        cuts = np.append(np.flatnonzero(new), len(labels)).tolist()
        places = [
            labels[start] if end == start + 1 else tuple(labels[start:end]) for start, end in pairwise(cuts)
        ]
        bounds = np.concatenate([[0], np.cumsum(new)])[self.indptr].tolist()
        return [places[start:end] for start, end in pairwise(bounds)]

    def to_comparisons(self) -> Comparisons:
        """Break rankings into all their pairs; a tie becomes outcome 0, the pairs of a rest are left out.

        Pairs have the count, weight and time of their ranking, and its number as their group. Pairs of one
        ranking are not independent, and Bradley–Terry on them is not the Plackett–Luce model.

        Returns
        -------
        Comparisons
        """
        ranking, better, worse = pairs_of_rankings(self.sizes)
        if self.rest is not None:
            known = ~self.in_rest[better]  # if the better one is in the rest, so is the other
            ranking, better, worse = ranking[known], better[known], worse[known]
        outcome = -(self.level[worse] > self.level[better]).astype(np.int8)
        rows: dict[str, Any] = {name: take(getattr(self, name), ranking) for name in ("weight", "count")}
        time = None if self.time is None else self.time[ranking]
        sides = self.entries[better], self.entries[worse]
        c = Comparisons.from_codes(self.items, *sides, outcome, group=ranking, time=time)
        return replace(c, **rows)

    def to_frame(self) -> "pd.DataFrame":
        """Make a pandas frame with one row per entry: its ranking (from 0), its item and its place (from 1).

        The places of a rest are missing. `podium.read_rankings` reads it back.
        """
        import pandas as pd

        row = np.repeat(np.arange(len(self)), self.sizes)
        place = pd.Series(self.level + 1, dtype="Int64").mask(self.in_rest)
        columns: dict[str, Any] = {"ranking": row, "item": pd.Series(self.items).array.take(self.entries)}
        columns["place"] = place
        for name in ("count", "weight"):
            if (getattr(self, name) != 1).any():
                columns[name] = getattr(self, name)[row]
        if self.group is not None and self.groups is not None:
            columns["group"] = pd.Series(self.groups).array.take(self.group[row])
        if self.time is not None:
            columns["time"] = self.time[row]
        return pd.DataFrame(columns)

    def with_items(self, items: NDArray[Any]) -> Self:
        """Make the codes index other ``items``, such as those of a fitted model.

        Parameters
        ----------
        items
            Different labels, among them all items of the rankings.

        Examples
        --------
        >>> Rankings.from_lists([["ann", "bob"]]).with_items(np.array(["bob", "cat", "ann"])).entries
        array([2, 0], dtype=int32)
        """
        items = np.asarray(items)
        codes = codes_among(items, self.items, self.appears)
        return replace(self, items=items, entries=codes[self.entries])

    def with_rest(self) -> Self:
        """Put the items that a ranking does not name behind those that it names, in no order.

        Use it for short ballots: everybody could rank all of ``items`` and stopped after the best few.
        Without it, an item that a ranking does not name was not there, and the ranking says nothing about it.

        Returns
        -------
        Rankings
            The unnamed items are the unordered rest of each ranking, or join the rest that it has.

        Examples
        --------
        >>> r = Rankings.from_lists([["ann"], ["bob", "cat"], ["cat", "ann", "bob"]]).with_rest()
        >>> r.to_lists(), r.rest.tolist()
        ([['ann', ('bob', 'cat')], ['bob', 'cat', 'ann'], ['cat', 'ann', 'bob']], [True, True, False])
        """
        row = np.repeat(np.arange(len(self)), self.sizes)
        unnamed = np.ones(self.shape, dtype=bool)
        unnamed[row, self.entries] = False
        row_added, added = np.nonzero(unnamed)
        rest = np.zeros(len(self), dtype=bool) if self.rest is None else self.rest
        behind = self.level[self.indptr[1:] - 1] + ~rest
        order = np.argsort(np.concatenate([row, row_added]), kind="stable")
        rest = rest | unnamed.any(axis=1)
        return replace(
            self,
            indptr=np.arange(len(self) + 1) * self.n_items,
            entries=np.concatenate([self.entries, added.astype(np.int32)])[order],
            level=np.concatenate([self.level, behind[row_added].astype(np.int32)])[order],
            rest=rest if rest.any() else None,
        )

    def aggregate(self, *, by_group: bool = False) -> Self:
        """Merge equal rankings of equal weight into one that has the sum of their counts.

        ``time`` is dropped. Rankings are in the order of their first appearance.

        Parameters
        ----------
        by_group
            Keep rankings of different groups apart; otherwise ``group`` is dropped too.

        Examples
        --------
        >>> r = Rankings.from_lists([["a", ("b", "c")], ["c", "a"], ["a", ("c", "b")]]).aggregate()
        >>> r.to_lists(), r.count
        ([['a', ('b', 'c')], ['c', 'a']], array([2., 1.]))
        """
        rest = replace(self, time=None) if by_group else replace(self, time=None, group=None, groups=None)
        ranking = flat.bytes_of_rankings(self.indptr, self._canonical(), self.level)
        keys = {**row_arrays(rest), "ranking": ranking}
        keys.pop("count")
        rows, counts = merge_equal(keys, self.count)
        return replace(rest[rows], count=counts)

    # ------------------------------------------------------------------------------------ as a value

    def _canonical(self) -> Codes:
        return flat.in_order_of_items(self.indptr, self.entries, self.level, self.n_items)

    def __eq__(self, other: object) -> bool:
        """Equal tables have the same rankings; the order of the items of a tie does not matter."""
        if not isinstance(other, Rankings):
            return NotImplemented
        names = ("items", "indptr", "level", "groups", *self._ROW_ARRAYS)  # None equals None
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names) and bool(
            np.array_equal(self._canonical(), other._canonical())
        )

    def __array__(self, *args: Any, **options: Any) -> NDArray[Any]:
        raise TypeError("rankings are not an array of numbers; see r.indptr, r.entries and r.to_lists()")

    def _noun(self) -> str:
        """A choice has one item and an unordered rest."""
        if self.rest is None or not self.rest.all() or self.is_tied.any():
            return "ranking"
        return "choice" if self.level.max(initial=0) <= 1 else "ranking"
