"""Every spelling of an outcome, and the one meaning it has: -1, 0 or 1.

-1 the left side is better, 0 no difference, 1 the right side is better: eq. (1) of [SVMcompare].
A column of outcomes has few distinct values, so only those are looked at one by one.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.labels import as_column, dictionary_encode, first_true, quoted, row_name

OutcomeFormat = Literal["score", "sign", "winner"]
Reading = Mapping[str, int]  # what each spelling means

LEFT, TIE, RIGHT = -1, 0, 1
MEANS = {LEFT: "the left side is better", TIE: "no difference", RIGHT: "the right side is better"}

SCORE = {"1": LEFT, "0.5": TIE, "0": RIGHT, "1-0": LEFT, "0.5-0.5": TIE, "0-1": RIGHT}
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
    ("1-0", "0-1"),
)
WANTED = {
    "score": "a score of the left side is 1, 0.5 or 0",
    "sign": "a sign is -1, 0 or 1",
    "winner": "a winner is left, right or tie, the column of a side or the label of one of the two",
    None: "write left/right/tie, a/b, white/black/draw, win/loss/draw, 1-0, 0-1, 1/2-1/2, "
    "a score 1/0.5/0 of the left side or a sign -1/0/1",
}


class SideLabels(NamedTuple):
    """The labels of the two sides of every row, for outcomes that name the winner by its label."""

    distinct: NDArray[Any]
    left: NDArray[np.int32]
    right: NDArray[np.int32]


def parse_outcomes(
    values: Any,
    outcome_format: OutcomeFormat | None = None,
    *,
    name: str = "outcome",
    side_names: tuple[str, str] = ("left", "right"),
    side_labels: SideLabels | None = None,
) -> NDArray[np.int8]:
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
    distinct, codes = dictionary_encode(column)
    values = distinct.to_pylist()
    spellings = [_normal(value) for value in values]
    missing = codes < 0
    for gap in ("", "nan"):
        if gap in spellings:
            missing |= codes == spellings.index(gap)
    if missing.any():
        raise ValueError(f"column '{name}' has no outcome at {row_name(first_true(missing))}")

    readings = _readings(outcome_format, side_names)
    fitting = [reading for reading in readings if set(spellings) <= reading.keys()]
    meanings = [np.array([reading[s] for s in spellings], dtype=np.int8)[codes] for reading in fitting[:1]]
    if side_labels is not None and outcome_format in (None, "winner"):
        meanings += _by_label(values, spellings, codes, side_labels)
    if not meanings:
        raise ValueError(_not_understood(readings, spellings, codes, outcome_format, name))
    _refuse_two_readings(fitting, spellings, name)
    if len(meanings) == 2 and (meanings[0] != meanings[1]).any():
        row = first_true(meanings[0] != meanings[1])
        raise ValueError(
            f"column '{name}' has two readings: {quoted(values[codes[row]])} at {row_name(row)} is the word "
            "for one side and the label of the other; rename the items"
        )
    return meanings[0]


def _normal(value: Any) -> str:
    """One spelling for each meaning: no case, no spaces, one kind of dash, one way to write a half."""
    if isinstance(value, float | int):  # True is 1
        return f"{float(value):g}"
    text = re.sub(r"[\s_]+", "", str(value).casefold())
    text = re.sub(r"[–—−‐]", "-", text).replace("1/2", "0.5").replace("½", "0.5")
    text = {"true": "1", "false": "0"}.get(text, text)
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


TIES = {_normal(word): TIE for word in (*TIE_WORDS, *BOTH_BAD, "1/2-1/2")}


def _readings(outcome_format: OutcomeFormat | None, side_names: tuple[str, str]) -> list[Reading]:
    """All readings that the format allows; the columns of the sides lend their names and initials."""
    left, right = (_normal(side) for side in side_names)
    pairs = [(left, right), *SIDES]
    if not {left[:1], right[:1]} & TIES.keys():
        pairs.append((left[:1], right[:1]))
    words: list[Reading] = [{**TIES, a: LEFT, b: RIGHT} for a, b in pairs if a != b]
    allowed: dict[str | None, list[Reading]] = {"score": [SCORE], "sign": [SIGN], "winner": words}
    return allowed.get(outcome_format, [SCORE, SIGN, *words])


def _by_label(
    values: Sequence[Any], spellings: Sequence[str], codes: NDArray[np.int32], sides: SideLabels
) -> list[NDArray[np.int8]]:
    """The reading in which a cell holds the label of the winner; empty if some cell does not."""
    position = {str(label): code for code, label in enumerate(sides.distinct.tolist())}
    winner = np.array([position.get(str(value), -1) for value in values], dtype=np.int32)
    if (winner < 0).all():
        return []
    tie = np.array([spelling in TIES for spelling in spellings])[codes]
    is_left, is_right = winner[codes] == sides.left, winner[codes] == sides.right
    if not (is_left | is_right | tie).all():
        return []
    return [np.where(is_left, LEFT, np.where(is_right, RIGHT, TIE)).astype(np.int8)]


def _refuse_two_readings(fitting: Sequence[Reading], spellings: Sequence[str], name: str) -> None:
    """A column of 0 and 1 is the classic: scores of the left side, or signs?"""
    for spelling in spellings:
        meanings = sorted({reading[spelling] for reading in fitting})
        if len(meanings) > 1:
            both = " or ".join(MEANS[meaning] for meaning in meanings)
            raise ValueError(
                f"column '{name}' is ambiguous, since {spelling!r} could mean {both}; say which with "
                "outcome_format='score' (of the left side), 'sign' (1: the right side is better) or 'winner'"
            )


def _not_understood(
    readings: Sequence[Reading],
    spellings: Sequence[str],
    codes: NDArray[np.int32],
    outcome_format: OutcomeFormat | None,
    name: str,
) -> str:
    """The sentence about the first row that the reading nearest to the column does not know."""
    nearest = max(readings, key=lambda reading: sum(spelling in reading for spelling in spellings))
    strange = [i for i, spelling in enumerate(spellings) if spelling not in nearest]
    row = first_true(np.isin(codes, strange))
    return (
        f"column '{name}' has the outcome {quoted(spellings[codes[row]])} at {row_name(row)}, "
        f"which is not understood: {WANTED[outcome_format]}"
    )
