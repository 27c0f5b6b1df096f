"""Comparisons: who met whom and how it ended. What every model learns from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays.devices.boundary import from_device, to_numpy
from podium.comparisons import checks
from podium.comparisons import features as tables
from podium.comparisons.arrays import LABELLED, Codes, FrozenTable, frozen, row_arrays, rows_of_key, take
from podium.comparisons.flat_rankings import check_entries
from podium.comparisons.items import Record, connected_items, items_that_appear, record_of
from podium.comparisons.labels import (
    as_column,
    codes_among,
    encode,
    factorize_rows,
    merge_equal,
    truths_as_text,
)
from podium.comparisons.messages import InputError, quoted
from podium.comparisons.outcomes import SideLabels, checked_probabilities, parse_outcomes
from podium.comparisons.pairing import pairs_of_counts, pairs_of_labels, pairs_of_rankings
from podium.comparisons.sides import encode_sides, side_of_values
from podium.comparisons.summary import Columns, Facts, Summary
from podium.comparisons.teams import Teams, intern
from podium.options import OutcomeFormat

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(FrozenTable):
    """A frozen table of comparisons between items or teams of items.

    Make one with `podium.read_comparisons` or with one of the constructors ``from_*``.

    Attributes
    ----------
    items : array of shape (n_items,)
        The labels of the items, sorted.
    left, right : array of int
        The two sides of each row: an index into ``items``, or into ``teams`` if some side is a team.
    outcome : array of int8 or None
        -1 if the left side is better, 0 if there is no difference, 1 if the right side is better. None for
        comparisons yet to be made.
    grade : array of int8 or None
        By how much a side is better: -2 if the left side is much better, -1 if it is better, 1 and 2 for the
        right side; 0 if there is no difference. ``outcome`` is its sign.
    weight : array of float
        How important each row is; above 0, 1 by default.
    count : array of float
        How many equal observations each row stands for; above 0, 1 by default. Halves are fine.
    teams : Teams or None
        The distinct teams, if some side is a team.
    group, groups : array or None
        The group of each row (judge, prompt, season): an index into ``groups``, which has the labels. Of
        several groups it is the one called "judge", or else the first.
    other_group, other_groups : array of shape (n, n_others) or None, tuple of arrays
        The other groups of each row: one column of indices for each, and their labels.
    group_names : tuple of str
        The names of the groups, that of ``group`` first; empty if it has no name.
    time : array or None
        The time of each row: numbers or moments.
    category, categories : array or None
        The category of each row (language, task): an index into ``categories``, which has the labels.
    judge_kind, judge_kinds : array or None
        The kind of judge of each row (human, ai): an index into ``judge_kinds``, which has the labels.
    covariates : array of shape (n, n_covariates), or None
        What else differs between the two sides of each row (length of an answer, price): the value of the
        right side minus that of the left side.
    covariate_names : tuple of str
        The names of the covariates.
    neutral : array of bool or None
        True for rows in which no side has the advantage of its place, such as games on neutral ground.
    features : array or sparse array of shape (n_items, n_features), or None
        What describes each item. It may be an array of torch, CuPy or another library of the array API, on
        any device; such an array is not copied.
    feature_names : tuple of str or None
        The names of the features.
    columns : Columns or None
        What each column of the source was used for, if the table was read.
    skipped : tuple of (int, str)
        The rows of the source that could not be read, each with its line and the reason. Parts of a table
        keep it.

    See Also
    --------
    read_comparisons : read comparisons from files, frames and databases
    Rankings : rankings and choices among several items
    PartitionedComparisons : comparisons in several parts, larger than memory
    concat : join several tables of comparisons

    Examples
    --------
    >>> c = Comparisons.from_arrays(["ann", "bob", "ann"], ["bob", "cat", "cat"], [-1, 0, -1])
    >>> c
    <Comparisons: 3 comparisons of 3 items, 1 tie (33.3 %), connected>
    >>> c[c.outcome != 0].to_frame()
      left right  outcome  weight
    0  ann   bob       -1     1.0
    1  ann   cat       -1     1.0
    """

    _ROW_ARRAYS = (
        "left", "right", "outcome", "weight", "count", "group", "time", "category", "judge_kind",
        "covariates", "neutral", "grade", "other_group",
    )  # fmt: skip
    items: NDArray[Any]
    left: Codes
    right: Codes
    outcome: NDArray[np.int8] | None
    weight: NDArray[np.float64]
    count: NDArray[np.float64]
    teams: Teams | None = None
    group: Codes | None = None
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None
    features: Any = None
    feature_names: tuple[str, ...] | None = None
    columns: Columns | None = None
    category: Codes | None = None
    categories: NDArray[Any] | None = None
    skipped: tuple[tuple[int, str], ...] = ()
    covariates: NDArray[np.float64] | None = None
    covariate_names: tuple[str, ...] = ()
    neutral: NDArray[np.bool_] | None = None
    judge_kind: Codes | None = None
    judge_kinds: NDArray[Any] | None = None
    grade: NDArray[np.int8] | None = None
    other_group: Codes | None = None
    other_groups: tuple[NDArray[Any], ...] = ()
    group_names: tuple[str, ...] = ()

    # ------------------------------------------------------------------------------------ constructors

    @classmethod
    def from_arrays(
        cls,
        left: Any,
        right: Any,
        outcome: Any = None,
        weight: ArrayLike | None = None,
        *,
        count: ArrayLike | None = None,
        group: Any = None,
        time: Any = None,
        category: Any = None,
        judge_kind: Any = None,
        covariates: Any = None,
        neutral: Any = None,
        grade: ArrayLike | None = None,
        outcome_format: OutcomeFormat = "sign",
    ) -> Self:
        """Make a table from the labels of the two sides.

        Parameters
        ----------
        left, right
            The label of each side in each row: strings or integers. A tuple of labels is a team.
        outcome
            The outcomes, spelled as ``outcome_format`` says; None if they are not known yet.
        weight
            How important each row is: positive numbers, 1 by default.
        count
            How many equal observations each row stands for: positive numbers, 1 by default.
        group
            The group of each row, any label. For several groups, a mapping from their names to labels:
            ``{"judge": judges, "prompt": prompts}``. Judges are the group called "judge", or else the first.
        time
            The time of each row: numbers or dates.
        category
            The category of each row (language, task), any label.
        judge_kind
            The kind of judge of each row (human, ai), any label.
        covariates
            What else differs between the two sides of each row, such as the length of an answer: right side
            minus left side, as an array of shape (n, p) or (n,), a frame, or a mapping from names to
            differences or to pairs (left values, right values).
        neutral
            Whether each row is on neutral ground, where no side has the advantage of its place.
        grade
            By how much a side is better: whole numbers, below 0 for the left side, above 0 for the right
            side. Leave out ``outcome`` then; it is their sign.
        outcome_format
            ``"sign"`` (-1, 0, 1), ``"score"`` of the left side (1, 0.5, 0), ``"winner"`` (a word or a label),
            ``"grades"`` (as ``grade``, or words such as "much better", seen from the left side), or the
            ``"probability"`` that the left side is better, see `with_probability`.

        Examples
        --------
        >>> Comparisons.from_arrays([("ann", "bob"), "eve"], [("cat", "dan"), "ann"], [1, -1])
        <Comparisons: 2 comparisons of 5 items, no ties, teams of 1 to 2, connected>
        """
        items, left, right, teams = encode_sides(side_of_values(left, "left"), side_of_values(right, "right"))
        soft = outcome if outcome_format == "probability" else None
        if soft is not None:
            outcome = None
        elif outcome is not None:
            labels = SideLabels(items, left, right) if teams is None and len(left) == len(right) else None
            outcome = parse_outcomes(outcome, outcome_format, side_labels=labels)
        outcome, grade = (None, outcome) if outcome_format == "grades" else (outcome, grade)
        options: dict[str, Any] = {"count": count, "group": group, "time": time, "category": category}
        options |= {"judge_kind": judge_kind, "covariates": covariates, "neutral": neutral}
        options |= {"grade": grade, "teams": teams}
        c = cls.from_codes(items, left, right, outcome, weight, **options)
        return c if soft is None else c.with_probability(soft)

    @classmethod
    def from_features(
        cls,
        X_left: Any,
        X_right: Any,
        outcome: Any = None,
        weight: ArrayLike | None = None,
        *,
        count: ArrayLike | None = None,
        group: Any = None,
        time: Any = None,
        category: Any = None,
        judge_kind: Any = None,
        covariates: Any = None,
        neutral: Any = None,
        grade: ArrayLike | None = None,
        outcome_format: OutcomeFormat = "sign",
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Make a table from the features of the two sides; equal rows of features are one item.

        On a device rows are not compared, so every row is an item of its own.

        Parameters
        ----------
        X_left, X_right
            Arrays, sparse arrays or frames of shape (n, n_features).
        outcome, weight, count, group, time, category, judge_kind, covariates, neutral, grade, outcome_format
            As in `from_arrays`.
        feature_names
            Names of the features; by default the columns of a frame.

        Examples
        --------
        >>> c = Comparisons.from_features([[0.0], [1.0]], [[1.0], [2.0]], [1, 1])
        >>> c.features.ravel(), c.left, c.right
        (array([0., 1., 2.]), array([0, 1], dtype=int32), array([1, 2], dtype=int32))
        """
        checks.check_unmasked(X_left=X_left, X_right=X_right)
        names = tables.column_names(X_left)
        if names != tables.column_names(X_right):
            raise ValueError("X_left and X_right have columns of different names; bring them in one order")
        feature_names = feature_names or names
        left, right = tables.as_features(X_left, "X_left"), tables.as_features(X_right, "X_right")
        if left.shape != right.shape:
            raise ValueError(f"X_left has the shape {left.shape} and X_right {right.shape}; make them alike")
        soft = outcome if outcome_format == "probability" else None
        if outcome is not None:
            outcome = None if soft is not None else parse_outcomes(outcome, outcome_format)
        outcome, grade = (None, outcome) if outcome_format == "grades" else (outcome, grade)
        first, codes = tables.distinct_rows(both := tables.stacked([left, right]))
        sides = np.split(codes, 2)
        items = np.arange(len(first))
        options: dict[str, Any] = {"count": count, "group": group, "time": time, "category": category}
        options |= {"judge_kind": judge_kind, "covariates": covariates, "neutral": neutral}
        options |= {"grade": grade, "named": False}
        c = cls.from_codes(items, sides[0], sides[1], outcome, weight, **options)
        c = c.with_features(tables.rows_at(both, first), feature_names)
        return c if soft is None else c.with_probability(soft)

    @classmethod
    def from_labels(
        cls, X: Any, y: ArrayLike, qid: Any = None, partners: int | None = None, random_state: Any = None
    ) -> Self:
        """Make the pairs of labelled items that have different labels; the higher label is better.

        Parameters
        ----------
        X
            The features of the items; item i is row i.
        y
            Their labels: numbers or dates.
        qid
            The query of each item; pairs are formed within a query only.
        partners
            None forms all pairs, whose number grows with the square of the items. A number pairs each item
            with that many others at random, as [SwappedPairs] §4 does for Herbrich's machine.
        random_state
            The seed or generator for the random partners.

        Examples
        --------
        >>> c = Comparisons.from_labels([[1.0], [2.0], [3.0]], [0, 1, 1])
        >>> c.left, c.right, c.outcome
        (array([0, 0], dtype=int32), array([1, 2], dtype=int32), array([1, 1], dtype=int8))
        """
        checks.check_unmasked(X=X, y=y)
        names = tables.column_names(X)
        features = tables.as_features(X, "X")
        y = checks.checked_order(y, features.shape[0], "y")
        queries, query = encode_groups(qid, len(y), "qid")
        left, right = pairs_of_labels(y, query, partners, random_state)
        outcome = np.where(y[right] > y[left], np.int8(1), np.int8(-1))
        c = cls.from_codes(np.arange(len(y)), left, right, outcome).with_features(features, names)
        return c if query is None else replace(c, group=query[left], groups=queries)

    @classmethod
    def from_rankings(cls, rankings: Sequence[Sequence[Any]], weight: ArrayLike | None = None) -> Self:
        """Make all pairs of the items of each ranking; the ranking is their group.

        Parameters
        ----------
        rankings
            Lists of labels, best first.
        weight
            The weight of each ranking, which its pairs have too.

        Examples
        --------
        >>> Comparisons.from_rankings([["a", "b", "c"], ["b", "a"]]).to_frame()
          left right  outcome  weight  group
        0    a     b       -1     1.0      0
        1    a     c       -1     1.0      0
        2    b     c       -1     1.0      0
        3    b     a       -1     1.0      1
        """
        rankings = list(rankings)
        if any(isinstance(ranking, str) or not hasattr(ranking, "__len__") for ranking in rankings):
            raise ValueError("a ranking is a list of labels, best first, not one of them")
        sizes = np.array([len(ranking) for ranking in rankings], dtype=np.int64)
        flat = as_column(list(chain.from_iterable(rankings)), "rankings")
        items, (codes,) = encode([flat], ["rankings"])
        check_entries(items, np.concatenate([[0], np.cumsum(sizes)]), codes)
        ranking, better, worse = pairs_of_rankings(sizes)
        if weight is not None:
            weight = checks.checked_multiples(weight, len(sizes))[ranking]
        outcome = np.full(len(better), -1, dtype=np.int8)
        return cls.from_codes(items, codes[better], codes[worse], outcome, weight, group=ranking)

    @classmethod
    def from_counts(cls, wins: Any, ties: Any = None) -> Self:
        """Make a table from a square table of counts: ``wins[i, j]`` says how often i beat j.

        Parameters
        ----------
        wins
            A pandas frame with the same labels on both axes, or an array of items 0, 1, 2, ... The item of
            the row beat the item of the column. The diagonal is 0 or empty; halves are fine.
        ties
            How often i and j tied, in the same form: symmetric, or one triangle only.

        Examples
        --------
        >>> Comparisons.from_counts([[0, 3], [1, 0]], ties=[[0, 2], [2, 0]]).to_frame()
           left  right  outcome  count  weight
        0     0      1       -1    3.0     1.0
        1     1      0       -1    1.0     1.0
        2     0      1        0    2.0     1.0
        """
        *rows, count = pairs_of_counts(wins, ties)
        return cls.from_codes(*rows, count=count)

    @classmethod
    def from_codes(
        cls,
        items: NDArray[Any],
        left: NDArray[np.integer[Any]],
        right: NDArray[np.integer[Any]],
        outcome: NDArray[np.integer[Any]] | None = None,
        weight: ArrayLike | None = None,
        *,
        count: ArrayLike | None = None,
        teams: Teams | None = None,
        group: Any = None,
        time: Any = None,
        category: Any = None,
        judge_kind: Any = None,
        covariates: Any = None,
        neutral: Any = None,
        grade: ArrayLike | None = None,
        named: bool = True,
    ) -> Self:
        """Make a table from indices into ``items`` (or ``teams``); all other constructors call this one.

        The arrays are kept, not copied. An item with a name (``named``) cannot meet itself; one that only
        stands for its features can.
        """
        left, right, outcome = to_numpy(left), to_numpy(right), from_device(outcome)
        n = len(left)
        checks.check_unmasked(left=left, right=right, outcome=outcome, time=time)
        if grade is not None:
            outcome, grade = checks.graded_outcome(outcome, grade, n)
        checks.check_length(n, right, "right")
        checks.check_codes(items, left, right, teams)
        if named:
            checks.check_two_sides(items, left, right, teams)
        sides = left.astype(np.int32, copy=False), right.astype(np.int32, copy=False)
        categories, category = encode_groups(category, n, "category")
        judge_kinds, judge_kind = encode_groups(judge_kind, n, "judge_kind")
        differences, covariate_names = tables.as_covariates(covariates, n)
        return cls(
            items=items,
            left=sides[0],
            right=sides[1],
            outcome=None if outcome is None else checks.checked_outcome(outcome, n),
            weight=checks.checked_multiples(weight, n),
            count=checks.checked_multiples(count, n, "count"),
            teams=teams,
            **encode_all_groups(group, n, covariate_names),
            category=category,
            categories=categories,
            judge_kind=judge_kind,
            judge_kinds=judge_kinds,
            time=None if time is None else checks.checked_order(time, n, "time"),
            covariates=differences,
            covariate_names=covariate_names,
            neutral=None if neutral is None else checks.checked_flags(neutral, n, "neutral"),
            grade=grade,
        )

    # ------------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self.left)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and sides: what scikit-learn asks of an X."""
        return len(self), 2

    def __getitem__(self, key: Any) -> Self:
        """Choose rows by a mask, indices, a slice or one index; ``items`` and their codes stay the same."""
        key = rows_of_key(key, len(self), "comparisons")
        chosen: dict[str, Any] = {name: take(array, key) for name, array in row_arrays(self).items()}
        return replace(self, **chosen)

    # ------------------------------------------------------------------------------------ what it holds

    @cached_property
    def appears(self) -> NDArray[np.bool_]:
        """For each item, whether it is in some row; a part of a table keeps the items of the whole."""
        return frozen(items_that_appear(self.left, self.right, self.n_items, self.teams))

    @cached_property
    def components(self) -> Codes:
        """For each item, the number of its component; -1 if it is in no row.

        A component is a set of items that comparisons connect; component 0 is the largest. Items of different
        components were never compared, not even through others.
        """
        return frozen(connected_items(self.left, self.right, self.n_items, self.teams))

    @property
    def groupings(self) -> dict[str, tuple[Codes, NDArray[Any]]]:
        """The codes and the labels of every group by its name; one without a name is called "group"."""
        if self.group is None or self.groups is None:
            return {}
        codes = [self.group, *(() if self.other_group is None else self.other_group.T)]
        every = zip(codes, (self.groups, *self.other_groups), strict=True)
        return dict(zip(self.group_names or ("group",), every, strict=True))

    def record(self) -> Record:
        """Sum up what each item won, tied and lost; members of a team have its results.

        A row adds its count times its weight.

        Returns
        -------
        Record
            Arrays ``wins``, ``ties``, ``losses`` and ``games``, with one entry per item.

        Examples
        --------
        >>> Comparisons.from_arrays(["a", "a"], ["b", "c"], [-1, 0]).record().wins
        array([1., 0., 0.])
        """
        if self.outcome is None:
            raise ValueError("these comparisons have no outcomes, so nobody has won or lost")
        return record_of(self.left, self.right, self.outcome, self.mass, self.n_items, self.teams)

    def summary(self) -> Summary:
        """Sum up the table: how many rows, items, components, ties, groups and so on it has.

        Returns
        -------
        Summary
            With ``text()``, ``html()`` and ``rows()``.
        """
        played = None if self.teams is None else self.teams.sizes[np.concatenate([self.left, self.right])]
        seen = None if self.outcome is None else np.bincount(self.outcome + 1, self.count, 3).tolist()
        return Summary(
            **Facts.of(self),
            comparisons=len(self),
            outcomes=None if seen is None else tuple(seen),
            team_sizes=None if played is None or not len(self) else (int(played.min()), int(played.max())),
            features=None if self.features is None else self.features.shape[1],
            covariates=None if self.covariates is None else self.covariates.shape[1],
            neutral=None if self.neutral is None else int(self.neutral.sum()),
        )

    def between(self, items: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row, whether all its items are in a mask, such as the items that other rows have.

        Parameters
        ----------
        items
            One truth value per item.

        Examples
        --------
        >>> c = Comparisons.from_arrays(["ann", "ann"], ["bob", "cat"], [-1, 0])
        >>> c.between(c[:1].appears)
        array([ True, False])
        """
        sides = items if self.teams is None else (self.teams.matrix(self.n_items) @ ~items) == 0
        return np.asarray(sides[self.left] & sides[self.right])

    # ------------------------------------------------------------------------------------ other tables

    def swap(self) -> Self:
        """Swap the two sides; -1 and 1 change places, and grades and covariates change their sign."""
        outcome, grade = (None if one is None else -one for one in (self.outcome, self.grade))
        covariates = None if self.covariates is None else 0.0 - self.covariates  # 0, where -x makes -0
        changed: dict[str, Any] = {"outcome": outcome, "grade": grade, "covariates": covariates}
        return replace(self, left=self.right, right=self.left, **changed)

    def with_features(self, features: Any, feature_names: Sequence[str] | None = None) -> Self:
        """Describe the items: item i by row i of ``features``.

        Parameters
        ----------
        features
            An array, a sparse array or a frame of shape (n_items, n_features).
        feature_names
            Names of the features; by default the columns of a frame.
        """
        checks.check_unmasked(features=features)
        feature_names = feature_names or tables.column_names(features)
        features = tables.as_features(features, "features")
        if features.shape[0] != self.n_items:
            raise ValueError(f"features has {features.shape[0]:,} rows for {self.n_items:,} items")
        if feature_names is not None and len(feature_names) != features.shape[1]:
            raise ValueError(f"there are {len(feature_names)} names for {features.shape[1]} features")
        names = None if feature_names is None else tuple(feature_names)
        return replace(self, features=features, feature_names=names)

    def with_covariates(self, covariates: Any, names: Sequence[str] | None = None) -> Self:
        """Describe the rows by the values of the right side minus those of the left side.

        Parameters
        ----------
        covariates
            As in `from_arrays`; None removes them.
        names
            Names of the columns of an array; "x1", "x2", ... by default.

        Examples
        --------
        >>> c = Comparisons.from_arrays(["ann", "bob"], ["bob", "cat"], [-1, 0])
        >>> c.with_covariates({"length": ([120, 80], [100, 200])}).covariates.ravel()
        array([-20., 120.])
        """
        differences, covariate_names = tables.as_covariates(covariates, len(self), names)
        return replace(self, covariates=differences, covariate_names=covariate_names)

    def with_probability(self, probability: ArrayLike) -> Self:
        """Give the rows soft outcomes: the left side of row i is better with ``probability[i]``.

        Each row becomes two: the left side is better with weight p, the right side with weight 1 - p, both
        times the weight of the row. Rows of weight 0 are left out. So every model that takes weights can
        learn from probabilities.

        Parameters
        ----------
        probability
            One number from 0 to 1 for every row.

        Examples
        --------
        >>> Comparisons.from_arrays(["ann", "bob"], ["bob", "cat"]).with_probability([0.7, 1.0]).to_frame()
          left right  outcome  weight
        0  ann   bob       -1     0.7
        1  ann   bob        1     0.3
        2  bob   cat       -1     1.0
        """
        checks.check_unmasked(probability=probability)
        p = checked_probabilities(probability, "probability")
        checks.check_length(len(self), p, "probability")
        share = np.column_stack([p, 1 - p]).ravel()
        rows = np.repeat(np.arange(len(self)), 2)[share > 0]
        outcome = np.tile(np.array([-1, 1], dtype=np.int8), len(self))[share > 0]
        weight = self.weight[rows] * share[share > 0]
        return replace(replace(self, outcome=None, grade=None)[rows], outcome=outcome, weight=weight)

    def with_items(self, items: NDArray[Any]) -> Self:
        """Make the codes index other ``items``, such as those of a fitted model; features are dropped.

        Parameters
        ----------
        items
            Different labels, among them all items of the rows.

        Examples
        --------
        >>> c = Comparisons.from_arrays(["ann"], ["bob"], [1]).with_items(np.array(["bob", "cat", "ann"]))
        >>> c.left, c.right
        (array([2], dtype=int32), array([0], dtype=int32))
        """
        items = np.asarray(items)
        codes = codes_among(items, self.items, self.appears)
        bare = replace(self, items=items, features=None, feature_names=None)
        if self.teams is None:
            return replace(bare, left=codes[self.left], right=codes[self.right])
        played, sides = np.unique(np.concatenate([self.left, self.right]), return_inverse=True)
        old = self.teams.expand(played)
        teams, code = intern(Teams(old.indptr, codes[old.members]), played, items)
        left, right = np.split(code[sides], 2)
        return replace(bare, teams=teams, left=left, right=right)

    def aggregate(self, *, by_group: bool = False, by_category: bool = False) -> Self:
        """Merge rows that differ in nothing but their count into one row that has the sum of their counts.

        Rows merge if they have the same sides, outcome, grade, weight, kind of judge, covariates and
        ``neutral``. ``time`` is dropped. Rows are in the order of their first appearance.

        Parameters
        ----------
        by_group, by_category
            Keep rows of different groups or categories apart; otherwise ``group`` and ``category`` are
            dropped too.

        Examples
        --------
        >>> c = Comparisons.from_arrays(["b", "a", "a"], ["a", "b", "b"], [1, -1, -1])
        >>> c.aggregate().to_frame()
          left right  outcome  count  weight
        0    b     a        1    1.0     1.0
        1    a     b       -1    2.0     1.0
        """
        dropped: dict[str, Any] = {"time": None}
        if not by_group:
            dropped |= {"group": None, "groups": None}
            dropped |= {"other_group": None, "other_groups": (), "group_names": ()}
        if not by_category:
            dropped |= {"category": None, "categories": None}
        rest = replace(self, **dropped)
        keys = row_arrays(rest)
        keys.pop("count")
        keys |= {name: factorize_rows(array)[1] for name, array in keys.items() if array.ndim == 2}
        rows, counts = merge_equal(keys, self.count)
        return replace(rest[rows], count=counts)

    def to_frame(self) -> "pd.DataFrame":
        """Make a pandas frame with one row per comparison; teams are tuples, features are left out.

        Groups that have names are columns of these names, otherwise the column is called "group".

        `podium.read_comparisons` reads it back with ``outcome_format="sign"``, ``neutral="neutral"`` if some
        rows are on neutral ground, ``judge_kind="judge_kind"`` if they have kinds of judges, and
        ``covariates=c.covariate_names``; with grades, say ``outcome="grade"`` and
        ``outcome_format="grades"``.
        """
        import pandas as pd

        sides = pd.Series(self.items if self.teams is None else self.teams.labels(self.items)).array
        columns: dict[str, Any] = {"left": sides.take(self.left), "right": sides.take(self.right)}
        columns |= {"outcome": self.outcome, "grade": self.grade}
        columns["count"] = self.count if (self.count != 1).any() else None
        columns["weight"] = self.weight
        for name, (codes, labels) in self.groupings.items():
            columns[name] = pd.Series(labels).array.take(codes)
        for name, many in list(LABELLED.items())[1:]:
            labels = getattr(self, many)
            columns[name] = None if labels is None else pd.Series(labels).array.take(getattr(self, name))
        columns |= {"time": self.time, "neutral": self.neutral}
        if self.covariates is not None:
            columns |= dict(zip(self.covariate_names, self.covariates.T, strict=True))
        return pd.DataFrame({name: values for name, values in columns.items() if values is not None})

    # ------------------------------------------------------------------------------------ as a value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        names = ("items", *LABELLED.values(), *self._ROW_ARRAYS)
        same = (np.array_equal(getattr(self, name), getattr(other, name)) for name in names)  # also of None
        alike = ("teams", "group_names", "feature_names", "covariate_names")
        return (
            all(getattr(self, name) == getattr(other, name) for name in alike)
            and all(map(np.array_equal, self.other_groups, other.other_groups))
            and all(same)
            and tables.equal(self.features, other.features)
        )

    def __array__(self, *args: Any, **options: Any) -> NDArray[Any]:
        raise TypeError(
            "comparisons are not an array of numbers; see c.left, c.right, c.outcome and c.to_frame()"
        )


def encode_groups(group: Any, n: int, name: str) -> tuple[NDArray[Any] | None, Codes | None]:
    if group is None:
        return None, None
    checks.check_length(n, group, name)
    groups, (codes,) = encode([truths_as_text(as_column(group, name))], [name])
    return groups, codes


def encode_all_groups(group: Any, n: int, taken: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of one group, or of several by their names, of which the one called "judge" comes first."""
    if not isinstance(group, Mapping):
        groups, codes = encode_groups(group, n, "group")
        return {"group": codes, "groups": groups}
    names = tuple(sorted(group, key=lambda name: name != "judge"))
    others = (tables.ROW_COLUMNS - {"group"}).union(taken)
    for name in names:
        if not isinstance(name, str) or group[name] is None or name in others:
            raise InputError(
                f"{{@group}} has {quoted(name)}, which has no labels or the name of another column; groups "
                "have names of their own"
            )
    if not names:
        return {}
    found = [encode_groups(group[name], n, name) for name in names]
    more = [codes for _, codes in found[1:]]
    return {
        "group": found[0][1],
        "groups": found[0][0],
        "other_group": np.column_stack(more) if more else None,  # type: ignore[arg-type]
        "other_groups": tuple(labels for labels, _ in found[1:]),
        "group_names": names,
    }
