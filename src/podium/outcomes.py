"""Every spelling of an outcome, and the one meaning it has: -1, 0 or 1.

-1 the left side is better, 0 no difference, 1 the right side is better: eq. (1) of [SVMcompare].
A column of outcomes has few distinct values, so only those are looked at one by one. Every way to read them
is tried; a column that two ways read differently is refused.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.grouping import Codes, dictionary_encode
from podium.labels import as_column
from podium.messages import first_true, quoted, row_name

OutcomeFormat = Literal["score", "sign", "winner"]
Reading = Mapping[str, int]  # what each spelling means
Signs = NDArray[np.int8]

LEFT, TIE, RIGHT = -1, 0, 1
MEANS = {LEFT: "the left side is better", TIE: "no difference", RIGHT: "the right side is better"}

SCORE = {"1": LEFT, "0.5": TIE, "0": RIGHT, "1-0": LEFT, "0.5-0.5": TIE, "0-1": RIGHT}
SCORE_OF_RIGHT = {"1-0": RIGHT, "0.5-0.5": TIE, "0-1": LEFT}  # as White's, where White is on the right
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
    "neither",
    "both",
)
BOTH_BAD = ("both bad", "tie (both bad)")  # as arenas of language models put it
SIDES = (
    ("left", "right"),
    ("a", "b"),
    ("modela", "modelb"),
    ("white", "black"),
    ("home", "away"),
    ("win", "loss"),
    ("won", "lost"),
    ("w", "l"),
)
LISTED_FIRST = ("white", "home", "modela", "a")  # sides that a score names first, wherever they stand
WANTED = {
    "score": "a score of the left side is 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1",
    "sign": "a sign is -1, 0 or 1",
    "winner": "a winner is left, right or tie, the column of a side, or the label of one of the two",
    None: "write left/right/tie, a/b, white/black/draw, win/loss/draw, 1-0, 0-1, 1/2-1/2, "
    "a score 1/0.5/0 of the left side, a sign -1/0/1, or the winner's label",
}


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

    ``None`` recognises what has only one reading. ``"score"`` is the score of the left side (1, 0.5, 0, or
    1-0, ½-½, 0-1), ``"sign"`` is -1, 0, 1 as podium writes it, ``"winner"`` names the winning side by a word
    (left, a, white, the name of its column, ...) or by its label.

    >>> parse_outcomes(["1-0", "1/2-1/2", "0-1"])
    array([-1,  0,  1], dtype=int8)
    >>> parse_outcomes([1, 0, 1], "score")
    array([-1,  1, -1], dtype=int8)
    """
    if outcome_format not in WANTED:
        raise ValueError(f"outcome_format is None, 'score', 'sign' or 'winner', not {outcome_format!r}")
    column = as_column(values, name)
    try:
        distinct, codes = dictionary_encode(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise ValueError(f"column '{name}' holds {column.type}; an outcome is a word or a number") from None
    cells = distinct.to_pylist()
    spellings = [_normal(cell) for cell in cells]
    missing = codes < 0
    for gap in ("", "nan"):
        if gap in spellings:
            missing |= codes == spellings.index(gap)
    if missing.any():
        raise ValueError(f"column '{name}' has no outcome at {row_name(first_true(missing))}")

    readings = _readings(outcome_format, side_names)
    signs = [
        np.array([reading[spelling] for spelling in spellings], dtype=np.int8)[codes]
        for reading in readings
        if set(spellings) <= reading.keys()
    ]
    if side_labels is not None and outcome_format in (None, "winner"):
        signs += _by_label(cells, spellings, codes, side_labels)
    if not signs:
        row = _first_strange(readings, spellings, codes, side_labels, cells)
        where = f"{quoted(cells[codes[row]])} at {row_name(row)}"
        raise ValueError(f"column '{name}' has the outcome {where}, not understood: {WANTED[outcome_format]}")
    for other in signs[1:]:
        if (differ := other != signs[0]).any():
            row = first_true(differ)
            both = " or ".join(MEANS[int(each)] for each in sorted({signs[0][row], other[row]}))
            cell = f"{quoted(cells[codes[row]])} at {row_name(row)}"
            way_out = _way_out(outcome_format)
            raise ValueError(f"column '{name}' is ambiguous, since {cell} could mean {both}; {way_out}")
    return signs[0]


def _normal(cell: Any) -> str:
    """One spelling for each meaning: no case, no spaces, one kind of dash, one way to write a half."""
    if isinstance(cell, float | int):  # True is 1
        return f"{float(cell):g}"
    text = re.sub(r"[\s_]+", "", str(cell).casefold())
    text = re.sub(r"[–—−‐:]", "-", text).replace("1/2", "0.5").replace("½", "0.5")
    text = {"true": "1", "false": "0", "lose": "loss"}.get(text, text)
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


TIES = {_normal(word): TIE for word in (*TIE_WORDS, *BOTH_BAD, "1/2-1/2")}


def _readings(outcome_format: OutcomeFormat | None, side_names: tuple[str, str]) -> list[Reading]:
    """All readings that the format allows.

    The columns of the sides lend their names, which then mean nothing else, and their initials.
    """
    left, right = (_normal(side) for side in side_names)
    own = [{**TIES, left: LEFT, right: RIGHT}] if left != right else []
    others = [pair for pair in SIDES if not {left, right} & set(pair)]
    if left[:1] != right[:1] and not {left[:1], right[:1]} & TIES.keys():
        others.append((left[:1], right[:1]))
    words: list[Reading] = [*own, *({**TIES, a: LEFT, b: RIGHT} for a, b in others)]
    scores: list[Reading] = [SCORE]
    if right in LISTED_FIRST:
        scores.append(SCORE_OF_RIGHT)
    allowed: dict[str | None, list[Reading]] = {"score": [SCORE], "sign": [SIGN], "winner": words}
    return allowed.get(outcome_format, [*scores, SIGN, *words])


def _by_label(
    cells: Sequence[Any], spellings: Sequence[str], codes: Codes, sides: SideLabels
) -> Iterator[Signs]:
    """The readings in which cells hold the label of the winner; two, if an item is called a tie."""
    position = {_label(label): code for code, label in enumerate(sides.distinct.tolist())}
    winner = np.array([position.get(_label(cell), -1) for cell in cells], dtype=np.int32)
    if (winner < 0).all():
        return
    is_left, is_right = winner[codes] == sides.left, winner[codes] == sides.right
    is_tie = np.array([spelling in TIES for spelling in spellings])[codes]
    if (is_left | is_right | is_tie).all():
        signs = np.where(is_left, LEFT, np.where(is_right, RIGHT, TIE)).astype(np.int8)
        yield signs
        yield np.where(is_tie, TIE, signs).astype(np.int8)


def _label(value: Any) -> str:
    """A label as text; a frame makes 3.0 of 3 once a value was missing."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _first_strange(
    readings: Sequence[Reading],
    spellings: Sequence[str],
    codes: Codes,
    sides: SideLabels | None,
    cells: Sequence[Any],
) -> int:
    """The first row that the reading nearest to the column does not know."""
    known = [[spelling in reading for spelling in spellings] for reading in readings]
    if sides is not None:
        labels = {_label(label) for label in sides.distinct.tolist()}
        known.append([_label(cell) in labels or s in TIES for cell, s in zip(cells, spellings, strict=True)])
    nearest = np.array(max(known, key=sum))
    if nearest.all() and sides is not None:  # labels all, but not of those who met
        side_text = [np.array([_label(label) for label in sides.distinct.tolist()])[s] for s in sides[1:]]
        text = np.array([_label(cell) for cell in cells])[codes]
        return first_true((text != side_text[0]) & (text != side_text[1]))
    return first_true(~nearest[codes])


def _way_out(outcome_format: OutcomeFormat | None) -> str:
    if outcome_format is not None:
        return "rename the items, or write left, right and tie"
    return "say which with outcome_format='score' (of the left side), 'sign' (1: the right side) or 'winner'"
