"""Every spelling of an outcome, and the one meaning it has: -1, 0 or 1.

-1 the left side is better, 0 no difference, 1 the right side is better: eq. (1) of [SVMcompare].
A column of outcomes has few distinct values, so only those are looked at one by one. Every way to read them
is tried; a column that two ways read differently is refused.
"""

import re
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.arrays.devices.boundary import to_floats
from podium.comparisons.arrays import Codes, Index
from podium.comparisons.labels import Distinct, as_column, dictionary_encode, factorize
from podium.comparisons.messages import InputError, first_true, quoted, type_name
from podium.options import OutcomeFormat

Reading = Mapping[str, int]  # what each spelling means
Signs = NDArray[np.int8]

LEFT, TIE, RIGHT, DROPPED, STRANGE = -1, 0, 1, 126, 127  # grades are nearer to 0
OTHER, NO_ITEM = 0, 2  # what a cell names, besides the left and the right item
MEANS = {LEFT: "the left side is better", TIE: "no difference", RIGHT: "the right side is better"}

SCORE = {"1": LEFT, "0.5": TIE, "0": RIGHT, "1-0": LEFT, "0.5-0.5": TIE, "0-1": RIGHT}
SETS = re.compile(r"\d{1,2}-\d{1,2}( ?\([-\d]*\))?([ ,;]+\d{1,2}-\d{1,2}( ?\([-\d]*\))?)+")
SCORES = re.compile(r"\d+(\.\d+)?-\d+(\.\d+)?|\d+-\d+( \d+-\d+)+")
WINNER_FIRST = 8  # the first side rarely wins this many matches in a row by chance
SIGN = {"-1": LEFT, "0": TIE, "1": RIGHT}
TIE_WORDS = (
    "tie, tied, t, draw, drawn, d, equal, same, =, no difference, no preference, cannot tell, can't tell, "
    "can’t tell, neither, both, remis, unentschieden, tablas, empate, nul, nulle, patta, pareggio, "
    "both bad, tie (both bad), 1/2-1/2"  # arenas of language models have answers that are both bad
).split(", ")
WHOLE = re.compile(r"-?\d{1,2}")
BOTH_BAD = {"bothbad", "tie(bothbad)"}
EMPTY = {"", "nan"}
FORFEITS = set("+-- --+ +/- -/+ +- -+".split())
NO_RESULT = (
    EMPTY
    | FORFEITS
    | set(  # of games that were not finished or not played, and empty cells
        "* ? - -- --- . n/a na none null unfinished unplayed abandoned adjourned postponed cancelled "
        "canceled void tbd bye".split()
    )
)
SIDES = (  # words for the two sides, and the words of a column's name that they go with
    (("left", "right"), ("left", "right")),
    (("a", "b"), ("a", "b")),
    (("modela", "modelb"), ("a", "b")),
    (("white", "black"), ("white", "black")),
    (("home", "away"), ("home", "away")),
    (("first", "second"), ("first", "second")),  # only if the columns are called so: they may be places
    (("win", "loss"), None),  # these look from the left side, whatever it is called
    (("won", "lost"), None),
    (("w", "l"), None),
)
# How many steps a word goes: the degrees that occur in a column get the grades 1, 2, ...
DEGREE = dict.fromkeys(("abit", "alittle", "marginally", "slightly"), 1)
DEGREE |= dict.fromkeys(("fairly", "moderately", "rather", "somewhat"), 2) | {"": 3}
DEGREE |= dict.fromkeys(
    "alot clearly considerably far much significantly strongly substantially vastly".split(), 4
)
DEGREE |= dict.fromkeys(("extremely", "overwhelmingly", "verymuch"), 5)
GRADE = re.compile(
    r"(?P<who>.*?)(?:is|are|was|were)?(?P<degree>" + "|".join(sorted(DEGREE, reverse=True)) + ")"
    r"(?:(?P<better>better|preferred|stronger)|worse|weaker)(?:than.*)?"
)
SAME = re.compile(
    r"(about|almost|nearly|roughly)?(both)?(are)?(the)?(alike|equal|equally(good|bad)|same|similar)"
)
TRUTH = {"true": LEFT, "false": RIGHT}
WANTED = {
    "score": "a score of the left side is 1, 0.5 or 0, and one of both sides is like 1-0, 1/2-1/2 or 3:1",
    "sign": "a sign is -1, 0 or 1",
    "grades": "a grade is a whole number, below 0 if the left side is better, or in words like much better, "
    "slightly worse (of the left side), A is much better, about the same",
    "winner": "a winner is left, right or tie, the column of a side, or the label of one of the two",
    None: "write left/right/tie, a/b, white/black/draw, win/loss/draw, 1-0, 1/2-1/2, 3:1, "
    "a score 1/0.5/0 of the left side, a sign -1/0/1, or the winner's label; for votes such as 'A much "
    "better' say {@outcome_format}'grades'",
}
PROBABILITY = "if it is the probability that the left side is better, say {@outcome_format}'probability'"


class SideLabels(NamedTuple):
    """The labels of the two sides of every row, for outcomes that name the winner by its label."""

    distinct: NDArray[Any]
    left: Codes
    right: Codes


def parse_outcomes(
    values: Any,
    outcome_format: OutcomeFormat | None = None,
    *,
    name: str = "outcome",
    side_names: tuple[str, str] = ("left", "right"),
    side_labels: SideLabels | None = None,
) -> Signs:
    """Read a column of outcomes.

    ``None`` recognises what has only one reading. ``"grades"`` says by how much a side is better, and gives
    other numbers than -1, 0 and 1. ``"score"`` is the score of the left side (1, 0.5, 0) or of
    both, left first (1-0, ½-½, 3:1, 6-4 3-6 7-5), ``"sign"`` is -1, 0, 1 as podium writes it, ``"winner"``
    names the winning side by a word (left, a, white, the name of its column, ...) or by its label.

    >>> parse_outcomes(["1-0", "1/2-1/2", "0-1"])
    array([-1,  0,  1], dtype=int8)
    >>> parse_outcomes([1, 0, 1], "score")
    array([-1,  1, -1], dtype=int8)
    >>> parse_outcomes(["3:1", "2:2", "6-4 3-6 5-7"])
    array([-1,  0,  1], dtype=int8)
    """
    if outcome_format == "sign" and _are_signs(values):
        return np.asarray(values.astype(np.int8))
    column = encoded(values, name)
    found = decide_outcomes(named_cells(column, side_labels), outcome_format, name, side_names)
    return found.signs(column, side_labels)


def _are_signs(values: Any) -> bool:
    """Whether this is an array of -1, 0 and 1, which need not be read cell by cell."""
    is_array = type(values) is np.ndarray and values.dtype.kind == "i" and values.ndim == 1
    return is_array and values.min(initial=0) >= -1 and values.max(initial=0) <= 1


def encoded(values: Any, name: str) -> pa.ChunkedArray:
    """A column of outcomes by its distinct cells."""
    column = as_column(values, name)
    try:
        return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        what = f"column '{name}' holds {type_name(column.type)}; an outcome is a word or a number"
        raise ValueError(what) from None


class NamedCells(NamedTuple):
    """Distinct cells of outcomes, and which item each names: the left one, the right one, another, or none.

    A cell that names one side in some rows and the other in others is there for each of them.
    """

    distinct: Distinct
    item: NDArray[np.int8]


def named_cells(column: pa.ChunkedArray, sides: SideLabels | None, rows: Index | None = None) -> NamedCells:
    """The distinct cells of a column; ``rows`` is how many rows each row stands for, by default 1."""
    cells, codes = dictionary_encode(column)
    winners = np.array([-1] if sides is None else [*_winners(cells.to_pylist(), sides), -1])
    if sides is None or (winners < 0).all():
        distinct = Distinct.of_codes(cells, codes, rows)
        return NamedCells(distinct, np.full(len(distinct.cells), NO_ITEM, dtype=np.int8))
    winner = winners[codes]
    side = np.where(winner == sides.left, LEFT, np.where(winner == sides.right, RIGHT, OTHER))
    item = np.where(winner < 0, NO_ITEM, side).astype(np.int8)
    first, key = factorize(codes.astype(np.int64) * 4 + item)
    cells = cells.take(pa.array(codes[first], mask=codes[first] < 0))
    return NamedCells(Distinct.of_codes(cells, key, rows), item[first])


@dataclass(frozen=True)
class Outcomes:
    """How a column of outcomes is read: what its spellings mean, or that they name the winner by its label.

    ``items`` are spellings that would say that there was no game, but are names. ``how`` says what the column
    holds, ``doubt`` why it cannot be used although all cells are understood.
    """

    meaning: Reading
    by_label: bool
    items: frozenset[str]
    how: str = "outcome"
    doubt: InputError | None = None

    def about_both_bad(self, found: NamedCells, *, drop: bool) -> "Outcomes":
        """Say how many votes call both sides bad, which otherwise count as ties, and ``drop`` them."""
        is_bad = np.array(
            [_normal(cell) in BOTH_BAD for cell in found.distinct.cells.to_pylist()], dtype=bool
        )
        if not (n := int(found.distinct.rows[is_bad].sum())):
            return self
        meaning = {**self.meaning, **dict.fromkeys(BOTH_BAD, DROPPED)} if drop else self.meaning
        return replace(
            self, meaning=meaning, how=f"{self.how}, {n:,} both bad {'left out' if drop else 'count as ties'}"
        )

    def signs(self, column: pa.ChunkedArray, sides: SideLabels | None) -> Signs:
        """The sign of each row, if the column has one meaning."""
        if self.doubt is not None:
            raise self.doubt
        return self.apply(column, sides)[0]

    def apply(
        self, column: pa.ChunkedArray, sides: SideLabels | None
    ) -> tuple[Signs, NDArray[np.bool_], NDArray[np.bool_]]:
        """The sign of each row; the rows without an outcome, and those whose outcome is not understood."""
        values, codes = dictionary_encode(column)
        cells = values.to_pylist()
        spellings = [_normal(cell) for cell in cells]
        means = np.array([*(self.meaning.get(spelling, STRANGE) for spelling in spellings), STRANGE])
        signs = means.astype(np.int8)[codes]
        if self.by_label and sides is not None:
            winner = np.append(_winners(cells, sides), -1)[codes]
            signs = np.where(winner == sides.right, RIGHT, signs)
            signs = np.where(winner == sides.left, LEFT, signs)
        without = [_is_missing(cell, text in self.items) for cell, text in zip(cells, spellings, strict=True)]
        missing = np.array([*without, True])[codes]
        return signs, missing, (signs == STRANGE) & ~missing


def decide_outcomes(
    found: NamedCells,
    outcome_format: OutcomeFormat | None,
    name: str,
    side_names: tuple[str, str],
    *,
    skip: bool = False,
) -> Outcomes:
    """How to read a column of outcomes, from its distinct cells.

    Cells that cannot be read are an error, or with ``skip`` left aside. The reading that understands most
    rows is taken.
    """
    if outcome_format not in WANTED:
        raise ValueError(
            "outcome_format is None, 'score', 'sign', 'winner', 'grades' or 'probability' (for "
            f"read_comparisons and from_arrays), not {outcome_format!r}"
        )
    cells, (distinct, item) = found.distinct.cells.to_pylist(), found
    spellings = [_normal(cell) for cell in cells]
    is_item = item != NO_ITEM
    missing = np.array([*map(_is_missing, cells, is_item)], dtype=bool)
    ties = np.array([spelling in TIES for spelling in spellings], dtype=bool)
    readings = _readings(outcome_format, side_names, spellings)
    signs = [np.array([each.get(spelling, STRANGE) for spelling in spellings]) for each in readings]
    understood = max((each != STRANGE for each in signs), key=lambda mask: distinct.rows[mask].sum())
    may_name, graded = outcome_format in (None, "winner"), outcome_format == "grades"
    if may_name and distinct.rows[is_item | ties].sum() > distinct.rows[understood].sum():
        understood = ties | (item == LEFT) | (item == RIGHT)
    strange = ~understood & ~missing
    if not skip:
        _check_understood(distinct, spellings, missing, strange, name, outcome_format)
    good = ~missing & ~strange
    fitting = [each for each in signs if (each[good] != STRANGE).all()]
    meaning = {spellings[k]: int(fitting[0][k]) for k in np.flatnonzero(good)} if fitting else TIES
    by_label = not fitting
    if may_name and (is_item & good).any() and (ties | (item == LEFT) | (item == RIGHT))[good].all():
        labels = np.where(is_item & (item != OTHER), item, TIE)
        fitting += [labels, np.where(ties, TIE, labels)]
    largest = max((abs(k) for k in meaning.values()), default=0)
    of_both = any(_sign(spellings[k]) is not None and spellings[k] not in SCORE for k in np.flatnonzero(good))
    return Outcomes(
        meaning,
        by_label,
        frozenset(spellings[k] for k in np.flatnonzero(is_item) if spellings[k] in NO_RESULT),
        f"grades -{largest} to {largest}" if graded else "score, left first" if of_both else "outcome",
        _doubt([each[good] for each in fitting], distinct.only(good), name, outcome_format),
    )


def _is_missing(cell: Any, is_item: bool) -> bool:
    """Whether a cell says that there is no outcome: an empty one, or a game that was not finished."""
    spelling = _normal(cell)
    return cell is None or spelling in EMPTY or (spelling in NO_RESULT and not is_item)


def _check_understood(
    distinct: Distinct,
    spellings: Sequence[str],
    missing: NDArray[np.bool_],
    strange: NDArray[np.bool_],
    name: str,
    outcome_format: OutcomeFormat | None,
) -> None:
    """Refuse the first cell without an outcome, then the first that is not understood."""
    if missing.any():
        cell, row = distinct.first(missing)
        shown = f" ({quoted(cell)})" if str("" if cell is None else cell).strip() else ""
        why = (
            ", a win without a game; write 1-0 or 0-1 if it is to count" if _normal(cell) in FORFEITS else ""
        )
        raise InputError(f"column '{name}' has no outcome at {{@row}}{shown}{why}", column=name, row=row)
    if strange.any():
        cell, row = distinct.first(strange)
        wanted = PROBABILITY if outcome_format is None and re.fullmatch(r"0?\.\d+", _normal(cell)) else ""
        wanted = wanted or WANTED[outcome_format]
        raise InputError(
            f"column '{name}' has the outcome {quoted(cell)} at {{@row}}, not understood: {wanted}",
            column=name,
            row=row,
        )


def checked_probabilities(values: Any, name: str = "outcome") -> NDArray[np.float64]:
    """The probability that the left side is better, for every row."""
    try:
        probability = to_floats(values)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' is not a column of probabilities between 0 and 1") from None
    if (outside := ~((probability >= 0) & (probability <= 1))).any():
        row, wanted = first_true(outside), "a probability between 0 and 1"
        what = f"column '{name}' has {probability[row]:g} at {{@row}} where {wanted} should be"
        raise InputError(what, column=name, row=row)
    return probability


def _doubt(
    signs: Sequence[NDArray[Any]], found: Distinct, name: str, outcome_format: OutcomeFormat | None
) -> InputError | None:
    """What speaks against a column: readings that differ, or scores that seem to list the winner first."""
    for other in signs[1:]:
        if (differ := other != signs[0]).any():
            cell, row = found.first(differ)
            here = differ & (found.first_row == row)
            meanings = {int(each[here][0]) for each in (signs[0], other)}
            both = " or ".join(MEANS[each] for each in sorted(meanings))
            what = f"column '{name}' is ambiguous, since {quoted(cell)} at {{@row}} could mean {both}"
            return InputError(f"{what}; {_way_out(outcome_format)}", column=name, row=row)
    if outcome_format == "grades" and len({*signs[0]}) > 2 and signs[0].min() >= 0:
        return InputError(
            f"column '{name}' has no grade below 0, so the left side never wins; if it is a scale such as "
            "1 to 5, subtract its middle, else name the other side with {@left}"
        )
    sets = outcome_format is None and any(" " in _normal(cell) for cell in found.cells.to_pylist())
    if sets and found.rows.sum() >= WINNER_FIRST and (signs[0] == LEFT).all():
        return InputError(
            f"column '{name}' may list the winner first, since the first side wins in every row; if "
            "the left side comes first, say {@outcome_format}'score'"
        )
    return None


@lru_cache(maxsize=100_000, typed=True)  # a cell is met when the column is decided, and when it is read
def _normal(cell: Any) -> str:
    """Normalise a spelling: no case, no spaces, one kind of dash, one way to write a half.

    >>> _normal(" 5½ : 2½ "), _normal("0,5"), _normal("7–6 (5), 6:4")
    ('5.5-2.5', '0.5', '7-6 6-4')
    """
    text = re.sub(r"(\d) ?½", r"\1.5", str(cell).casefold().strip()).replace("½", "0.5")
    text = re.sub(r"\s*[–—−‐:]\s*|\s+-\s+", "-", text)
    text = re.sub(r"\b1/2\b", "0.5", text)
    if SETS.fullmatch(text):
        return " ".join(re.findall(r"\d+-\d+", re.sub(r"\s*\(.*?\)", "", text)))
    if re.fullmatch(r"[-+]?\d*,\d+(-\d*,\d+)?", text):  # decimal commas
        text = text.replace(",", ".")
    if re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", text):
        with suppress(ValueError):
            number = float(text)
            return str(int(number)) if number.is_integer() else str(number)
    text = re.sub(r"[\s_]+", "", text)
    return {"lose": "loss"}.get(text, text)


def _sign(spelling: str) -> int | None:
    """Who won by a score of both sides: points (3-1), or sets (6-4 3-6 7-5); None if it does not say.

    >>> _sign("3-1"), _sign("0.5-0.5"), _sign("6-4 3-6 5-7"), _sign("6-4 3-6"), _sign("won")
    (-1, 0, 1, None, None)
    """
    if not SCORES.fullmatch(spelling):
        return None
    differences = [float(b) - float(a) for a, b in (part.split("-") for part in spelling.split())]
    lead = sum((d > 0) - (d < 0) for d in differences)
    if len(differences) > 1 and not lead:  # as many sets each: the match was not finished
        return None
    return (lead > 0) - (lead < 0)


TIES = {_normal(word): TIE for word in TIE_WORDS}


def tells_winner(cell: Any) -> bool:
    """Whether a cell is a word for a tie, or a score of both sides.

    >>> tells_winner("draw"), tells_winner("2:1"), tells_winner("ann")
    (True, True, False)
    """
    spelling = _normal(cell)
    return spelling in TIES or _sign(spelling) is not None


def _readings(
    outcome_format: OutcomeFormat | None, side_names: tuple[str, str], spellings: Sequence[str]
) -> list[Reading]:
    """All readings that the format allows.

    The names of the two side columns, and their initials, stand for the sides and mean nothing else. If the
    right column is called home, the word home means the right side, and a score may list home first.
    """
    left, right = (_normal(side) for side in side_names)
    left_words, right_words = (set(words_of(side)) for side in side_names)
    words: list[Reading] = [{**TIES, left: LEFT, right: RIGHT}] if left != right else []
    turned = False
    for (one, other), key in SIDES:
        if one == "first" and one not in left_words | right_words:
            continue
        is_turned = key is not None and (
            key[1] in left_words - right_words or key[0] in right_words - left_words
        )
        turned |= is_turned
        if not {left, right} & {one, other}:
            words.append({**TIES, one: RIGHT if is_turned else LEFT, other: LEFT if is_turned else RIGHT})
    if left[:1] != right[:1] and not {left[:1], right[:1]} & TIES.keys():
        words.append({**TIES, left[:1]: LEFT, right[:1]: RIGHT})
    of_both = {spelling: sign for spelling in spellings if (sign := _sign(spelling)) is not None}
    scores: list[Reading] = [{**SCORE, **of_both, **TIES}] if of_both else [SCORE]
    if turned:
        scores.append({spelling: -sign for spelling, sign in of_both.items()})
    allowed: dict[str | None, list[Reading]] = {
        "score": [{**SCORE, **of_both, **TIES, **TRUTH}],
        "sign": [SIGN],
        "winner": words,
        "grades": [{n: int(n) for n in spellings if WHOLE.fullmatch(n)}, _grades(spellings, words)],
    }
    return allowed.get(outcome_format, [*scores, SIGN, *words])


def _grades(spellings: Sequence[str], words: Sequence[Reading]) -> Reading:
    """Grades in words; those without a side look from the left one.

    >>> _grades(["muchbetter", "slightlyworse", "biswaybetter", "same", "bisbetter"], [{"a": -1, "b": 1}])
    {'muchbetter': -3, 'slightlyworse': 1, 'bisbetter': 2, 'same': 0}
    """
    found: dict[str, int] = {}
    for text in spellings:
        if (said := GRADE.fullmatch(text)) is None:
            continue
        who = re.sub(r"^(the)?(answer|assistant|model|option|response|side)(?=.)", "", said["who"])
        sides = {each[name] for each in words for name in (said["who"], who) if name in each} or {STRANGE}
        side = LEFT if not said["who"] else sides.pop() if len(sides) == 1 else STRANGE
        if abs(side) == RIGHT:
            found[text] = side * DEGREE[said["degree"]] * (1 if said["better"] else -1)
    grade = {degree: at for at, degree in enumerate(sorted({*map(abs, found.values())}), 1)}
    same = [text for text in spellings if text in TIES or SAME.fullmatch(text)]
    return {text: grade[abs(k)] * (1 if k > 0 else -1) for text, k in found.items()} | dict.fromkeys(
        same, TIE
    )


def _winners(cells: Sequence[Any], sides: SideLabels) -> Codes:
    """The item that each cell names; -1 if it names none."""
    position = {str(label): code for code, label in enumerate(sides.distinct.tolist())}
    return np.array([position.get(_label(cell, position), -1) for cell in cells], dtype=np.int32)


def _label(cell: Any, labels: Container[str]) -> str:
    """A cell as the text of a label; frames make 3.0 of 3 once a value is missing, files have blanks."""
    exact = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
    return exact if exact in labels else exact.strip()


def _way_out(outcome_format: OutcomeFormat | None) -> str:
    if outcome_format is not None:
        return "rename the items, or write left, right and tie"
    return (
        "say which with {@outcome_format}'score' (of the left side), 'sign' (1: the right side) or 'winner'"
    )


def words_of(name: str) -> list[str]:
    """whiteTeam, white_team and White Team are made of the same words.

    >>> words_of("whiteTeam"), words_of("Team 1")
    (['white', 'team'], ['team', '1'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W\d_]+|\d+", spaced.casefold())


def only_winner(outcome: Any) -> str:
    """The side that won every comparison with a winner, as a word; none if both sides won, or neither.

    >>> only_winner([-1, 0, -1]), only_winner([-1, 1])
    ('left', '')
    """
    winners = set(np.unique(outcome)) - {TIE}
    return {LEFT: "left", RIGHT: "right"}[winners.pop()] if len(winners) == 1 else ""
