"""Every spelling of an outcome, and the one meaning it has: -1, 0 or 1.

-1 the left side is better, 0 no difference, 1 the right side is better: eq. (1) of [SVMcompare].
A column of outcomes has few distinct values, so only those are looked at one by one. Every way to read them
is tried; a column that two ways read differently is refused.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.labels import as_column, dictionary_encode
from podium.comparisons.messages import first_true, quoted, row_name, type_name

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
        raise ValueError(
            f"column '{name}' holds {type_name(column.type)}; an outcome is a word or a number"
        ) from None
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
    text = str(cell).casefold().strip().replace("½", "0.5")
    text = re.sub(r"[–—−‐:]", "-", text)
    text = re.sub(r"\b1/2\b", "0.5", text)
    if re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", text):
        with suppress(ValueError):
            number = float(text)
            return str(int(number)) if number.is_integer() else str(number)
    text = re.sub(r"[\s_]+", "", text)
    return {"lose": "loss"}.get(text, text)


TIES = {_normal(word): TIE for word in (*TIE_WORDS, *BOTH_BAD, "1/2-1/2")}


def _readings(outcome_format: OutcomeFormat | None, side_names: tuple[str, str]) -> list[Reading]:
    """All readings that the format allows.

    The columns of the sides lend their names, which then mean nothing else, and their initials. Where the
    column on the right is called home, the word home means the right side, and a score may be home's.
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
    scores: list[Reading] = [SCORE, SCORE_OF_RIGHT] if turned else [SCORE]
    allowed: dict[str | None, list[Reading]] = {
        "score": [{**SCORE, **TRUTH}],
        "sign": [SIGN],
        "winner": words,
    }
    return allowed.get(outcome_format, [*scores, SIGN, *words])


def _by_label(
    cells: Sequence[Any], spellings: Sequence[str], codes: Codes, sides: SideLabels
) -> Iterator[Signs]:
    """The readings in which cells hold the label of the winner; two, if an item is called a tie."""
    position = {str(label): code for code, label in enumerate(sides.distinct.tolist())}
    winner = np.array([position.get(_label(cell, position), -1) for cell in cells], dtype=np.int32)
    if (winner < 0).all():
        return
    is_left, is_right = winner[codes] == sides.left, winner[codes] == sides.right
    is_tie = np.array([spelling in TIES for spelling in spellings])[codes]
    if (is_left | is_right | is_tie).all():
        signs = np.where(is_left, LEFT, np.where(is_right, RIGHT, TIE)).astype(np.int8)
        yield signs
        yield np.where(is_tie, TIE, signs).astype(np.int8)


def _label(cell: Any, labels: Container[str]) -> str:
    """A cell as the text of a label; frames make 3.0 of 3 once a value is missing, files have blanks."""
    exact = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
    return exact if exact in labels else exact.strip()


def _first_strange(
    readings: Sequence[Reading],
    spellings: Sequence[str],
    codes: Codes,
    sides: SideLabels | None,
    cells: Sequence[Any],
) -> int:
    """The first row that the reading nearest to the column does not know."""
    known = [[spelling in reading for spelling in spellings] for reading in readings]
    if sides is None:
        return first_true(~np.array(max(known, key=sum))[codes])
    position = {str(label): code for code, label in enumerate(sides.distinct.tolist())}
    winner = np.array([position.get(_label(cell, position), -1) for cell in cells])
    named = (winner >= 0) | np.array([spelling in TIES for spelling in spellings])
    nearest = np.array(max([*known, named.tolist()], key=sum))
    if not nearest.all():
        return first_true(~nearest[codes])
    return first_true(
        (winner[codes] != sides.left) & (winner[codes] != sides.right)
    )  # labels, but not of the row


def _way_out(outcome_format: OutcomeFormat | None) -> str:
    if outcome_format is not None:
        return "rename the items, or write left, right and tie"
    return "say which with outcome_format='score' (of the left side), 'sign' (1: the right side) or 'winner'"


def words_of(name: str) -> list[str]:
    """whiteTeam, white_team and White Team are made of the same words.

    >>> words_of("whiteTeam"), words_of("Team 1")
    (['white', 'team'], ['team', '1'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W\d_]+|\d+", spaced.casefold())
