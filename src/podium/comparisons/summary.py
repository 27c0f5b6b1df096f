"""Tables at a glance: their facts, as text and as HTML, and what their columns are used for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from podium.comparisons.messages import few

LEFT_IS_BETTER = ()  # the outcome of winner and loser: it needs no column
CHANCE = "probability"  # of showing a pair: a column of votes, and of the frame that `next_pairs` returns
RECORD = "games are the other items of the same ranking: those below an item are won, those above it lost"
CovariateColumns = tuple[tuple[str, tuple[str, ...]], ...]  # names, each with the columns it is read from


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is said alike of comparisons and of rankings."""

    items: int
    components: int
    count: float | None  # of observations, if some row stands for more or less than one
    weight: float | None
    groups: int | str | None  # text if there are several kinds
    time: tuple[str, str] | None

    @staticmethod
    def of(table: Any) -> dict[str, Any]:
        """The facts of a table of either kind."""
        return {
            "items": int(table.appears.sum()),
            "components": int(table.components.max(initial=-1)) + 1,
            "count": float(table.count.sum()) if (table.count != 1).any() else None,
            "weight": float(table.mass.sum()) if (table.weight != 1).any() else None,
            "groups": _groups(table),
            "time": None if table.time is None or not len(table) else _ends(table.time),
        }

    def common_rows(self) -> dict[str, str]:
        """The facts by name, as a table shows them."""
        rows = {"components": f"{self.components:,}"}
        rows |= {name: written(total) for name, total in self._sums()}
        if self.groups is not None:
            rows["groups"] = self.groups if isinstance(self.groups, str) else f"{self.groups:,}"
        if self.time is not None:
            rows["time"] = " to ".join(self.time)
        return rows

    def common_parts(self) -> list[str]:
        """The facts as a line shows them."""
        parts = []
        if self.components > 0:
            parts.append("connected" if self.components == 1 else f"{self.components:,} components")
        parts += [f"{name} {written(total)}" for name, total in self._sums()]
        if isinstance(self.groups, str):
            return [*parts, f"groups: {self.groups}"]
        return parts + ([] if self.groups is None else [counted(self.groups, "group")])

    def _sums(self) -> list[tuple[str, float]]:
        sums = (("count", self.count), ("weight", self.weight))
        return [(name, total) for name, total in sums if total is not None]


def _groups(table: Any) -> int | str | None:
    """How many groups there are; of several kinds by their names."""
    if len(getattr(table, "group_names", ())) < 2:
        return None if table.group is None else len(np.unique(table.group))
    return ", ".join(f"{len(np.unique(codes)):,} of {name}" for name, (codes, _) in table.groupings.items())


def _ends(time: Any) -> tuple[str, str]:
    return str(time.min()), str(time.max())


@dataclass(frozen=True, kw_only=True)
class Summary(Facts):
    """The facts of a table that a reader wants to know first."""

    comparisons: int
    outcomes: tuple[float, float, float] | None  # left better, ties, right better; by their counts
    team_sizes: tuple[int, int] | None
    features: int | None
    covariates: int | None = None
    neutral: int | None = None  # rows on neutral ground

    @property
    def ties(self) -> str:
        ties = self.outcomes[1] if self.outcomes else 0
        return f"{written(ties)} ({100 * ties / sum(self.outcomes or ()):.1f} %)" if ties else "0"

    def rows(self) -> dict[str, str]:
        """The facts by name, as a table shows them."""
        rows = {"comparisons": f"{self.comparisons:,}", "items": f"{self.items:,}"}
        if self.outcomes is not None:
            rows |= {"left better": written(self.outcomes[0]), "ties": self.ties}
            rows["right better"] = written(self.outcomes[2])
        if self.team_sizes is not None:
            rows["teams of"] = span(*self.team_sizes)
        rows |= self.common_rows()
        for name in ("features", "covariates", "neutral"):
            if (number := getattr(self, name)) is not None:
                rows[name] = f"{number:,}"
        return rows

    def text(self) -> str:
        parts = [f"{counted(self.comparisons, 'comparison')} of {counted(self.items, 'item')}"]
        if self.outcomes is None:
            parts.append("no outcomes")
        elif self.outcomes[1]:
            parts.append(self.ties.replace(" ", " tie " if self.outcomes[1] == 1 else " ties ", 1))
        else:
            parts.append("no ties")
        if self.team_sizes is not None:
            parts.append(f"teams of {span(*self.team_sizes)}")
        parts += self.common_parts()
        numbers = ((self.features, "feature"), (self.covariates, "covariate"))
        parts += [counted(number, noun) for number, noun in numbers if number is not None]
        if self.neutral is not None:
            parts.append(f"{self.neutral:,} on neutral ground")
        return f"<Comparisons: {', '.join(parts)}>"

    def html(self) -> str:
        return html_facts("Comparisons", self.rows())


@dataclass(frozen=True, kw_only=True)
class RankingSummary(Facts):
    """The facts of a table of rankings that a reader wants to know first."""

    noun: str  # ranking or choice
    rankings: int
    sizes: tuple[int, int]  # of the smallest and the largest ranking
    tied: int  # rankings with ties
    rests: int  # rankings with an unordered rest

    def rows(self) -> dict[str, str]:
        """The facts by name, as a table shows them."""
        rows = {f"{self.noun}s": f"{self.rankings:,}", "items": f"{self.items:,}"}
        rows[f"items per {self.noun}"] = span(*self.sizes)
        if self.noun == "ranking":
            rows |= {"with ties": f"{self.tied:,}", "with an unordered rest": f"{self.rests:,}"}
        return rows | self.common_rows()

    def text(self) -> str:
        parts = [f"{counted(self.rankings, self.noun)} of {counted(self.items, 'item')}"]
        if self.noun == "ranking":
            special = ((self.tied, "with ties"), (self.rests, "with an unordered rest"))
            parts += [f"{number:,} {what}" for number, what in special if number]
        return f"<Rankings: {', '.join(parts + self.common_parts())}>"

    def html(self) -> str:
        return html_facts("Rankings", self.rows())


def html_facts(caption: str, facts: Mapping[str, str]) -> str:
    """Facts as a small table for a notebook."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:right'>{escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    return f"<table><caption>{caption}</caption><tbody>{rows}</tbody></table>"


def written(number: float) -> str:
    """A number in full if it is whole, otherwise with six digits.

    >>> written(1_000_000.0), written(2.5)
    ('1,000,000', '2.5')
    """
    return f"{number:,.0f}" if number == round(number) else f"{number:,.6g}"


def span(smallest: int, largest: int) -> str:
    """A range of numbers, or the only one."""
    return f"{largest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural if need be."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


# ------------------------------------------------------------------------------------ columns


@dataclass(frozen=True)
class Columns:
    """The columns by their meaning; as text, one line with a few names for each.

    A side is some columns (several for a team), or none, if the rows are described by ``features`` alone: the
    x of left_x and right_x. The outcome is one column, two with the scores of the sides, no column at all
    (`LEFT_IS_BETTER`), or None. ``wins`` and ``ties`` count the outcomes of a pair instead.
    Each of the ``covariates`` has one column per side, left first, or one with right minus left.
    ``item_features`` are columns of a table of items. ``left_out`` says which rows were not wanted, and how
    many; ``outcome_as`` and ``time_as`` say how these two columns were read.

    >>> str(Columns(("white",), ("black",), ("result",), unused=("site", "date")))
    'white and black (sides), result (outcome); not used: site, date'
    """

    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    outcome: tuple[str, ...] | None = None
    wins: tuple[str, ...] = ()
    ties: str | None = None
    count: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    category: str | None = None
    judge_kind: str | None = None
    neutral: str | None = None
    covariates: CovariateColumns = ()
    features: tuple[str, ...] = ()
    item_features: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    outcome_as: str = "outcome"
    time_as: str = "time"
    groups: tuple[tuple[str, str], ...] = ()  # with their columns, ``group`` first

    def feature_columns(self, side: str) -> list[str]:
        return [f"{side}_{name}" for name in self.features]

    def covariate_columns(self) -> list[str]:
        return [column for _, columns in self.covariates for column in columns]

    def used(self) -> list[str]:
        """Every column that has to be read."""
        single = [self.ties, self.count, self.weight, self.group, self.time, self.category, self.neutral]
        described = [*self.feature_columns("left"), *self.feature_columns("right"), *self.covariate_columns()]
        single += [self.judge_kind, *(column for _, column in self.groups)]
        named = [*self.left, *self.right, *(self.outcome or ()), *self.wins, *single, *described]
        return list(dict.fromkeys(name for name in named if name is not None))

    def __str__(self) -> str:
        first = ", the left one is better" if self.left and self.outcome == LEFT_IS_BETTER else ""
        parts = [(f"{few(self.left)} and {few(self.right)}", f"sides{first}")] if self.left else []
        if self.features:
            parts.append(("left_* and right_*", f"features {few(self.features)}"))
        if self.item_features:
            parts.append(("table of items", f"features {few(self.item_features)}"))
        if self.outcome:
            names = " and ".join(few([name]) for name in self.outcome)
            parts.append((names, "score" if len(self.outcome) == 2 else self.outcome_as))
        if self.wins:
            parts.append((" and ".join(few([name]) for name in self.wins), "wins"))
        single = {what: what for what in ("ties", "count", "weight", "group", "time", "category")}
        single |= {"time": self.time_as, "judge_kind": "kind of judge", "neutral": "neutral ground"}
        if self.groups:
            del single["group"]
        parts += [(few([name]), what) for field, what in single.items() if (name := getattr(self, field))]
        parts += [(few([name]), "group" if name == what else f"group {what}") for what, name in self.groups]
        for name, columns in self.covariates:
            called = "" if columns == (name,) else f" {few([name])}"
            names = " and ".join(few([column]) for column in columns)
            parts.append((names, f"covariate{called}, right minus left"))
        left_out = f"; left out: {'; '.join(self.left_out)}" if self.left_out else ""
        return columns_text(parts, self.unused) + left_out


def columns_text(parts: Iterable[tuple[str, str]], unused: Sequence[str]) -> str:
    """Columns, each with its meaning, and those that have none.

    >>> columns_text([("white and black", "sides")], ["site", "probability"])
    'white and black (sides), probability (of showing the pair); not used: site'
    """
    if CHANCE in unused:  # it says how pairs were chosen; no row is read differently
        parts, unused = [*parts, (CHANCE, "of showing the pair")], [name for name in unused if name != CHANCE]
    used = ", ".join(f"{names} ({meaning})" for names, meaning in parts)
    return f"{used}; not used: {few(unused)}" if unused else used
