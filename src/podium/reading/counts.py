"""Tables of counts: each row has a pair of sides, how often each of them won, and how often they tied."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_two_sides
from podium.comparisons.messages import InputError, first_true
from podium.comparisons.outcomes import words_of
from podium.comparisons.summary import Columns
from podium.comparisons.table import Comparisons
from podium.reading.column_pairs import SIDE_WORDS, Pair, as_the_sides, pairs

WIN_WORDS = {"win", "wins", "won", "winnermodel"}  # the last in votes on language models: winner_model_a
WINS_AND_LOSSES = (("win", "loss"), ("wins", "losses"), ("won", "lost"))  # of the left side
TIE_WORDS = set("tie ties tied draw draws drawn".split())
BESIDE_TIES = set("ij n number count winner".split())  # n_ties, tie_ij, winner_tie


def wins_options(header: Sequence[str], columns: Columns) -> list[Pair]:
    """The pairs of columns that count how often each side has won, judged by their names."""
    found = pairs(header, SIDE_WORDS, WIN_WORDS) + pairs(header, [("ij", "ji")], {*WIN_WORDS, "w"})
    options = [pair for each in found for pair in as_the_sides(each, columns)]
    return options or pairs(header, WINS_AND_LOSSES, {""}) or pairs(header, WINS_AND_LOSSES, {"adj"})


def ties_options(header: Sequence[str], wins: Pair) -> list[str]:
    """The columns that count ties; none beside adjusted wins, which have half of each tie."""
    if "adj" in words_of(wins[0]):
        return []
    return [name for name in header if _counts_ties(words_of(name))]


def _counts_ties(words: Sequence[str]) -> bool:
    said = set(words)
    return said == {"t", "ij"} or (bool(said & TIE_WORDS) and said <= TIE_WORDS | BESIDE_TIES)


def with_counts(c: Comparisons, numbers: Callable[[str], Floats], columns: Columns) -> Comparisons:
    """One row for each outcome that occurs, with its count, from comparisons with one row per pair.

    Rows of an item with itself, the diagonal of a square table, say nothing and are left out with a warning.
    """
    counts = np.zeros((len(c), 3))  # left is better, tie, right is better
    for name, outcome in zip(columns.wins, (0, 2), strict=False):
        counts[:, outcome] = _counts(numbers(name), name)
    if columns.ties is not None:
        counts[:, 1] = _counts(numbers(columns.ties), columns.ties)
    if len(columns.wins) == 2 and columns.ties is None:
        _check_ties_are_counted(counts, columns.wins)
    met = c.left != c.right
    if alone := int((~met).sum()):
        rows = "1 row" if alone == 1 else f"{alone:,} rows"
        warnings.warn(f"left out {rows} that count how often an item beat itself", stacklevel=4)
    row, which = np.nonzero(counts * met[:, None])
    if not len(row):
        raise InputError("every count is 0 in the columns of {@wins} and {@ties}, so nothing was compared")
    check_two_sides(c.items, c.left[met], c.right[met], c.teams)
    return replace(c[row], outcome=(which - 1).astype(np.int8), count=counts[row, which])


def _check_ties_are_counted(counts: NDArray[np.float64], names: Sequence[str]) -> None:
    """Rows of one game each, some without a winner, would lose their ties."""
    games = counts.sum(axis=1)
    if games.max() <= 1 and (nobody := games == 0).any():
        raise InputError(
            f"columns '{names[0]}' and '{names[1]}' have no winner at {{@row}}, which "
            "may be a tie; if it is, name these columns with {@outcome}, else leave such rows out",
            row=first_true(nobody),
        )


def _counts(values: Floats, name: str) -> Floats:
    if (negative := values < 0).any():
        row = first_true(negative)
        what = f"column '{name}' has {values[row]:g} at {{@row}}; a count is 0 or more"
        raise InputError(what, column=name, row=row)
    return values
