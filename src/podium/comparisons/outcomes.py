"""Every spelling of an outcome, and the one meaning it has: -1, 0 or 1.

-1 the left side is better, 0 no difference, 1 the right side is better: eq. (1) of [SVMcompare].
A column of outcomes has few distinct values, so only those are looked at one by one. Every way to read them
is tried; a column that two ways read differently is refused.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.devices.arrays import to_floats
from podium.comparisons.labels import as_column, dictionary_encode
from podium.comparisons.messages import InputError, first_true, quoted, type_name
from podium.options import OutcomeFormat

Reading = Mapping[str, int]  # what each spelling means
Signs = NDArray[np.int8]
Votes = NDArray[np.int64]  # how many rows each row counts for, where most rows decide

LEFT, TIE, RIGHT = -1, 0, 1
MEANS = {LEFT: "the left side is better", TIE: "no difference", RIGHT: "the right side is better"}

SCORE = {"1": LEFT, "0.5": TIE, "0": RIGHT, "1-0": LEFT, "0.5-0.5": TIE, "0-1": RIGHT}
SETS = re.compile(r"\d{1,2}-\d{1,2}( ?\([-\d]*\))?([ ,;]+\d{1,2}-\d{1,2}( ?\([-\d]*\))?)+")
SCORES = re.compile(r"\d+(\.\d+)?-\d+(\.\d+)?|\d+-\d+( \d+-\d+)+")
WINNER_FIRST = 8  # the first side rarely wins this many matches in a row by chance
SIGN = {"-1": LEFT, "0": TIE, "1": RIGHT}
TIE_WORDS = (
    "tie",
    "tied",
    "t",
    "draw",
    "drawn",
    "d",
    "equal",
    "same",
    "=",
    "no difference",
    "no preference",
    "cannot tell",
    "can't tell",
    "can’t tell",
    "neither",
    "both",
    *"remis unentschieden tablas empate nul nulle patta pareggio".split(),
)
EMPTY = {"", "nan"}
NO_RESULT = EMPTY | set(  # of games that were not finished or not played, and empty cells
    "* ? - -- --- . n/a na none null unfinished unplayed abandoned adjourned postponed cancelled "
    "canceled void tbd bye +-- --+ +/- -/+ +- -+".split()
)
BOTH_BAD = ("both bad", "tie (both bad)")  # as arenas of language models put it
SIDES = (  # words for the two sides, and the words of a column's name that they go with
    (("left", "right"), ("left", "right")),
    (("a", "b"), ("a", "b")),
    (("modela", "modelb"), ("a", "b")),
    (("white", "black"), ("white", "black")),
    (("home", "away"), ("home", "away")),
    (("win", "loss"), None),  # these look from the left side, whatever it is called
    (("won", "lost"), None),
    (("w", "l"), None),
)
TRUTH = {"true": LEFT, "false": RIGHT}
WANTED = {
    "score": "a score of the left side is 1, 0.5 or 0, and one of both sides is like 1-0, 1/2-1/2 or 3:1",
    "sign": "a sign is -1, 0 or 1",
    "winner": "a winner is left, right or tie, the column of a side, or the label of one of the two",
    None: "write left/right/tie, a/b, white/black/draw, win/loss/draw, 1-0, 1/2-1/2, 3:1, "
    "a score 1/0.5/0 of the left side, a sign -1/0/1, or the winner's label",
}
PROBABILITY = "if it is the probability that the left side is better, say {@outcome_format}'probability'"


class SideLabels(NamedTuple):
    """The labels of the two sides of every row, for outcomes that name the winner by its label."""

    distinct: NDArray[Any]
    left: Codes
    right: Codes


class Spelled(NamedTuple):
    """A column of outcomes by its distinct cells: how each is spelled, and which of them each row has."""

    name: str
    cells: list[Any]
    spellings: list[str]
    codes: Codes

    @classmethod
    def of(cls, values: Any, name: str) -> "Spelled":
        column = as_column(values, name)
        try:
            distinct, codes = dictionary_encode(column)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            what = f"column '{name}' holds {type_name(column.type)}; an outcome is a word or a number"
            raise ValueError(what) from None
        cells = distinct.to_pylist()
        return cls(name, cells, [_normal(cell) for cell in cells], codes)

    def rows_with(self, wanted: Iterable[bool]) -> NDArray[np.bool_]:
        """For each row, whether its cell is wanted; a row without a cell is not."""
        return np.array([*wanted, False])[self.codes]

    def missing(self, sides: SideLabels | None) -> NDArray[np.bool_]:
        """Rows without an outcome: empty ones, and games that were not finished or not played."""
        without = np.array([spelling in NO_RESULT for spelling in self.spellings], dtype=bool)
        if sides is not None and not EMPTY.issuperset(NO_RESULT.intersection(self.spellings)):
            empty = np.array([spelling in EMPTY for spelling in self.spellings], dtype=bool)
            without &= empty | (_winners(self, sides) < 0)  # an item may be called none
        missing = self.codes < 0
        return missing | self.rows_with(without) if without.any() else missing


def parse_outcomes(
    values: Any,
    outcome_format: OutcomeFormat | None = None,
    *,
    name: str = "outcome",
    side_names: tuple[str, str] = ("left", "right"),
    side_labels: SideLabels | None = None,
) -> Signs:
    """Read a column of outcomes.

    ``None`` recognises what has only one reading. ``"score"`` is the score of the left side (1, 0.5, 0) or of
    both, left first (1-0, ½-½, 3:1, 6-4 3-6 7-5), ``"sign"`` is -1, 0, 1 as podium writes it, ``"winner"``
    names the winning side by a word (left, a, white, the name of its column, ...) or by its label.

    >>> parse_outcomes(["1-0", "1/2-1/2", "0-1"])
    array([-1,  0,  1], dtype=int8)
    >>> parse_outcomes([1, 0, 1], "score")
    array([-1,  1, -1], dtype=int8)
    >>> parse_outcomes(["3:1", "2:2", "6-4 3-6 5-7"])
    array([-1,  0,  1], dtype=int8)
    """
    return read_outcomes(values, outcome_format, name, side_names, side_labels).signs


class Outcomes(NamedTuple):
    """The signs of a column, and what the column holds."""

    signs: Signs
    how: str


def read_outcomes(
    values: Any,
    outcome_format: OutcomeFormat | None,
    name: str,
    side_names: tuple[str, str],
    side_labels: SideLabels | None,
) -> Outcomes:
    """As `parse_outcomes`, and whether the column has scores of both sides, such as 3:1."""
    if outcome_format not in WANTED:
        raise ValueError(
            "outcome_format is None, 'score', 'sign', 'winner' or 'probability' (for read_comparisons and "
            f"from_arrays), not {outcome_format!r}"
        )
    if outcome_format == "sign" and _are_signs(values):
        return Outcomes(values.astype(np.int8), "outcome")
    column = Spelled.of(values, name)
    if (missing := column.missing(side_labels)).any():
        row = first_true(missing)
        cell = column.cells[column.codes[row]] if column.codes[row] >= 0 else ""
        shown = f" ({quoted(cell)})" if str(cell).strip() else ""
        raise InputError(f"column '{name}' has no outcome at {{@row}}{shown}", column=name, row=row)
    readings = _readings(outcome_format, side_names, column.spellings)
    signs = [
        np.array([reading[spelling] for spelling in column.spellings], dtype=np.int8)[column.codes]
        for reading in readings
        if set(column.spellings) <= reading.keys()
    ]
    if side_labels is not None and outcome_format in (None, "winner"):
        signs += _by_label(column, side_labels)
    if not signs:
        row = first_true(_strange(readings, column, side_labels))
        cell, spelling = column.cells[column.codes[row]], column.spellings[column.codes[row]]
        wanted = PROBABILITY if outcome_format is None and re.fullmatch(r"0?\.\d+", spelling) else ""
        wanted = wanted or WANTED[outcome_format]
        raise InputError(
            f"column '{name}' has the outcome {quoted(cell)} at {{@row}}, not understood: {wanted}",
            column=name,
            row=row,
        )
    _check_one_meaning(signs, column, outcome_format)
    of_both = any(_sign(spelling) is not None for spelling in set(column.spellings) - SCORE.keys())
    return Outcomes(signs[0], "score, left first" if of_both else "outcome")


def _are_signs(values: Any) -> bool:
    """Whether this is an array of -1, 0 and 1, which need not be read cell by cell."""
    is_array = type(values) is np.ndarray and values.dtype.kind == "i" and values.ndim == 1
    return is_array and values.min(initial=0) >= -1 and values.max(initial=0) <= 1


def unreadable_outcomes(
    values: Any,
    outcome_format: OutcomeFormat | None,
    name: str,
    side_names: tuple[str, str],
    side_labels: SideLabels | None,
    votes: Votes | None = None,
) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """The rows that `parse_outcomes` cannot read, and why.

    ``votes`` is how many rows each row counts for when the reading that fits most rows is chosen.
    """
    column = Spelled.of(values, name)
    missing = column.missing(side_labels)
    yield missing, "no outcome"
    readings = _readings(outcome_format, side_names, column.spellings)
    labels = side_labels if outcome_format in (None, "winner") else None
    yield _strange(readings, column, labels, votes) & ~missing, "an outcome not understood"


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


def _check_one_meaning(signs: Sequence[Signs], column: Spelled, outcome_format: OutcomeFormat | None) -> None:
    """Refuse a column that two readings understand differently, and scores that list the winner first."""
    for other in signs[1:]:
        if (differ := other != signs[0]).any():
            row = first_true(differ)
            both = " or ".join(MEANS[int(each)] for each in sorted({signs[0][row], other[row]}))
            cell = f"{quoted(column.cells[column.codes[row]])} at {{@row}}"
            what = f"column '{column.name}' is ambiguous, since {cell} could mean {both}"
            raise InputError(f"{what}; {_way_out(outcome_format)}", column=column.name, row=row)
    sets = outcome_format is None and any(" " in spelling for spelling in column.spellings)
    if sets and len(signs[0]) >= WINNER_FIRST and (signs[0] == LEFT).all():
        raise InputError(
            f"column '{column.name}' may list the winner first, since the first side wins in every row; if "
            "the left side comes first, say {@outcome_format}'score'"
        )


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


TIES = {_normal(word): TIE for word in (*TIE_WORDS, *BOTH_BAD, "1/2-1/2")}


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
    }
    return allowed.get(outcome_format, [*scores, SIGN, *words])


def _winners(column: Spelled, sides: SideLabels) -> Codes:
    """The item that each distinct cell names; -1 if it names none."""
    position = {str(label): code for code, label in enumerate(sides.distinct.tolist())}
    return np.array([position.get(_label(cell, position), -1) for cell in column.cells], dtype=np.int32)


def _by_label(column: Spelled, sides: SideLabels) -> Iterator[Signs]:
    """The readings in which cells hold the label of the winner; two, if an item is called a tie."""
    winner = _winners(column, sides)
    if (winner < 0).all():
        return
    is_left, is_right = winner[column.codes] == sides.left, winner[column.codes] == sides.right
    is_tie = column.rows_with(spelling in TIES for spelling in column.spellings)
    if (is_left | is_right | is_tie).all():
        signs = np.where(is_left, LEFT, np.where(is_right, RIGHT, TIE)).astype(np.int8)
        yield signs
        yield np.where(is_tie, TIE, signs).astype(np.int8)


def _label(cell: Any, labels: Container[str]) -> str:
    """A cell as the text of a label; frames make 3.0 of 3 once a value is missing, files have blanks."""
    exact = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
    return exact if exact in labels else exact.strip()


def _strange(
    readings: Sequence[Reading], column: Spelled, sides: SideLabels | None, votes: Votes | None = None
) -> NDArray[np.bool_]:
    """The rows that the best reading does not understand; the best one understands most rows."""
    votes = np.ones(len(column.codes), dtype=np.int64) if votes is None else votes
    known = [column.rows_with(spelling in reading for spelling in column.spellings) for reading in readings]
    if sides is not None and len(column.cells):
        winner = np.append(_winners(column, sides), -1)[column.codes]
        ties = column.rows_with(spelling in TIES for spelling in column.spellings)
        named = (winner >= 0) | ties
        if votes[named].sum() > max(votes[each].sum() for each in known):
            return np.asarray(~(ties | (winner == sides.left) | (winner == sides.right)))
    nearest: NDArray[np.bool_] = max(known, key=lambda each: votes[each].sum())
    return ~nearest


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
