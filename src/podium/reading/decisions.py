"""How the columns of a table of comparisons are read: each format is decided once, from the whole table.

It is then applied to whole tables, chunks and counted rows alike.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from podium.comparisons.arrays import Floats, Index
from podium.comparisons.labels import Distinct, factorize
from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import (
    NamedCells,
    Outcomes,
    SideLabels,
    decide_outcomes,
    named_cells,
    words_of,
)
from podium.comparisons.summary import Columns
from podium.options import FeatureReading, OutcomeFormat
from podium.reading.dates import Times, decide_times, time_cells
from podium.reading.formats import Numbers, Truths, cells_with_commas, complete, decide_numbers, decide_truths
from podium.reading.header import COUNT_WORDS, SCORE_WORDS, counts_or_score, lone_scores
from podium.reading.plan import Plan
from podium.reading.sources.counting import ROWS

TIE_WORDS = set("tie ties draws".split())
LARGE_SUM = 10  # of two scores, on average: football has 3, ice hockey 6, baseball 9
ComparisonPlan = Plan[FeatureReading, Columns]


class Part(NamedTuple):
    """Rows in memory that have two sides, and what stands in the cells of the sides if each is one cell.

    ``outcomes`` are those of the rows, if they are in one column.
    """

    table: pa.Table
    labels: SideLabels | None
    outcomes: pa.ChunkedArray | None = None

    @property
    def rows(self) -> Index | None:
        """How many rows each row stands for; None if each stands for itself."""
        return self.table[ROWS].to_numpy().astype(np.int64) if ROWS in self.table.column_names else None


class PairsOfScores(NamedTuple):
    """Pairs of scores, how many rows have each, and whether some pair of sides has several rows."""

    table: pa.Table
    rows: Index
    pairs_repeat: Callable[[], bool]


class Whole(Protocol):
    """A whole table: the cells of its columns that decide how they are read."""

    def commas(self, name: str) -> Distinct:
        """Cells of text with a comma, of which a few stand for all alike."""

    def times(self, name: str) -> Distinct:
        """Cells that may be times, of which a few stand for all alike."""

    def cells(self, name: str) -> Distinct:
        """All cells."""

    def outcomes(self, name: str, part: Part) -> NamedCells:
        """All outcomes of rows that have two sides; these are the ``part`` if the table is in memory."""

    def scores(self, left: str, right: str, part: Part) -> PairsOfScores:
        """All scores."""


class InMemory:
    """A table in memory, whose rows may stand for several equal ones."""

    def __init__(self, table: pa.Table) -> None:
        self._table, self._rows = table, Part(table, None).rows

    def commas(self, name: str) -> Distinct:
        return cells_with_commas(self._table[name])

    def times(self, name: str) -> Distinct:
        return time_cells(self._table[name], self._rows)

    def cells(self, name: str) -> Distinct:
        return Distinct.of(self._table[name], self._rows)

    def outcomes(self, name: str, part: Part) -> NamedCells:
        return named_cells(part.outcomes, part.labels, part.rows)

    def scores(self, left: str, right: str, part: Part) -> PairsOfScores:
        rows = np.ones(part.table.num_rows, dtype=np.int64) if part.rows is None else part.rows
        return PairsOfScores(part.table, rows, lambda: _pairs_repeat(part.labels))


@dataclass(eq=False)
class Formats:
    """The formats of the columns of a table, each decided when it is first needed."""

    whole: Whole
    plan: Plan[Any, Any]
    _numbers: dict[str, Numbers] = field(default_factory=dict, init=False)

    def number(self, name: str) -> Numbers:
        if name not in self._numbers:
            self._numbers[name] = decide_numbers(name, self.whole.commas(name))
        return self._numbers[name]

    def numbers(self, table: pa.Table, name: str) -> Floats:
        """A column of some rows, which must all have a number."""
        return complete(table[name], self.number(name))

    def features(self, table: pa.Table, name: str) -> Floats:
        """As `numbers`; a column of lists is a matrix."""
        return complete(table[name], replace(self.number(name), lists=True))

    @cached_property
    def time(self) -> Times:
        name = str(self.plan.columns.time)
        return decide_times(name, self.whole.times(name), self.plan.given.dates)

    @property
    def time_as(self) -> str:
        """How the column of time is read, if there is one, in words."""
        return "time" if self.plan.columns.time is None or not self.time.how else f"time, {self.time.how}"


@dataclass(eq=False)
class ComparisonFormats(Formats):
    """Those of comparisons; with ``skip``, of the rows that can be read."""

    plan: ComparisonPlan
    skip: bool = False
    _outcomes: Outcomes | None = field(default=None, init=False)
    _are_scores: bool = field(default=False, init=False)

    def score(self, name: str) -> Numbers:
        """As `number`, but whole numbers keep all digits."""
        return replace(self.number(name), whole=True)

    @cached_property
    def neutral(self) -> Truths:
        name = str(self.plan.columns.neutral)
        return decide_truths(name, self.whole.cells(name))

    def outcomes(self, name: str, part: Part) -> Outcomes:
        """How the one column of outcomes is read."""
        if self._outcomes is not None:
            return self._outcomes
        left, right = self.plan.columns.left, self.plan.columns.right
        sides = (left[0], right[0]) if len(left) == len(right) == 1 else ("left", "right")
        found = self.whole.outcomes(name, part)
        decided = decide_outcomes(found, self.plan.given.outcome_format, name, sides, skip=self.skip)
        told = decided.about_both_bad(found, drop=self.plan.given.both_bad == "drop")
        if decided.how == "outcome" and self._is_guessed_score(name):
            doubt = InputError(
                f"column '{name}' does not have scores of both sides such as 2-1, so it need not be the "
                f"outcome; if it is, say {{@outcome}}'{name}', and {{@outcome_format}} if that is ambiguous"
            )
            decided = replace(decided, doubt=decided.doubt or doubt)
        self._outcomes = replace(told, doubt=decided.doubt)
        return self._outcomes

    def _is_guessed_score(self, name: str) -> bool:
        """Whether a column called score was taken for the outcome, which it is if its cells are like 2-1."""
        given = self.plan.given
        guessed = given.outcome is None and given.outcome_format is None
        return guessed and (name,) in lone_scores(self.plan.opened.header, Columns())

    def check_scores(self, part: Part) -> None:
        """Refuse two columns of scores that may count several games."""
        one, two = self.plan.columns.outcome or ()
        if not self._are_scores and not _tell_scores((one, two), self.plan.given.outcome_format):
            table, rows, repeat = self.whole.scores(one, two, part)
            (left, bad), (right, worse) = (self.score(name).apply(table[name]) for name in (one, two))
            good = ~(bad | worse)
            _check_scores((one, two), (left[good], right[good]), rows[good], repeat, self.plan.columns.unused)
        self._are_scores = True


# ------------------------------------------------------------------------------------ scores or counts


def _tell_scores(names: tuple[str, str], outcome_format: OutcomeFormat | None) -> bool:
    """Whether the format, or the names alone, say that two columns have the score of one game."""
    if outcome_format not in (None, "score"):
        raise InputError(
            f"{{@outcome_format}}'{outcome_format}' is for one column; '{names[0]}' and '{names[1]}' are "
            "two, which have the scores of the sides"
        )
    words = {*words_of(names[0]), *words_of(names[1])}
    return outcome_format == "score" or bool(words & SCORE_WORDS and not words & COUNT_WORDS)


def _check_scores(
    names: tuple[str, str],
    scores: tuple[Floats, Floats],
    rows: Index,
    pairs_repeat: Callable[[], bool],
    header: Iterable[str],
) -> None:
    """Refuse, with a question, columns that may count several games.

    Names decide if they can; else large sums do, or ties in a column of their own. A pair of sides that has
    several rows argues for games: a table of counts has one row for each pair. ``rows`` is how many rows have
    each pair of scores.
    """
    left, right = scores
    total = left + right
    if not len(total) or (np.concatenate(scores) % 1 != 0).any():
        return
    if min(left.min(), right.min()) < 0 or total.max() <= 1:
        return
    counted = {*words_of(names[0]), *words_of(names[1])} & COUNT_WORDS or any(map(_counts_ties, header))
    if counted or (float(np.average(total, weights=rows)) > LARGE_SUM and not pairs_repeat()):
        raise counts_or_score(names)


def _counts_ties(name: str) -> bool:
    words = set(words_of(name))
    return bool(words & TIE_WORDS) and words <= TIE_WORDS | COUNT_WORDS


def _pairs_repeat(sides: SideLabels | None) -> bool:
    """Whether some pair meets in several rows, with the same side on the left."""
    if sides is None:
        return False
    pair = sides.left.astype(np.int64) * (len(sides.distinct) + 1) + sides.right
    return len(factorize(pair)[0]) < len(pair)
