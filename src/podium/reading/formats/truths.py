"""Truth values as people write them, and whether ground is neutral."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from podium.comparisons.labels import Distinct, dictionary_encode, is_text
from podium.comparisons.messages import InputError, quoted
from podium.reading.formats.cells import Column, first_cast, trimmed

YES, NO = "true t yes y 1 1.0".split(), "false f no n 0 0.0".split()
YES_NO = dict.fromkeys(YES, True) | dict.fromkeys(NO, False)
GROUND = {"neutral": True, "n": True, "home": False, "h": False}


@dataclass(frozen=True)
class Truths:
    """How a column of truth values is read: by the words for yes and no, or by those for neutral ground."""

    name: str
    of_ground: bool
    wanted: ClassVar[str] = "true or false"

    def apply(self, column: pa.ChunkedArray) -> Column:
        """Truth values, however a file spells them."""
        column = trimmed(column)
        if not is_text(column.type):
            values = first_cast(column, (pa.float64(),))
            values = np.full(len(column), np.nan) if values is None else values
            return Column(values == 1, ~np.isin(values, (0, 1)))
        distinct, codes = dictionary_encode(column)
        meaning = GROUND if self.of_ground else YES_NO
        words = [word.casefold() for word in distinct.to_pylist()]
        truth = np.array([*(meaning.get(word, False) for word in words), False])
        strange = np.array([*(word not in meaning for word in words), True])  # the last for an empty cell
        return Column(truth[codes], strange[codes])


def decide_truths(name: str, found: Distinct) -> Truths:
    """By the vocabulary that fits: N means no beside Y, and neutral beside H."""
    cells = trimmed(pa.chunked_array([found.cells]))
    if not is_text(cells.type):
        return Truths(name, False)
    words = [None if cell is None else cell.casefold() for cell in cells.to_pylist()]
    known = [sum(word in vocabulary for word in set(words)) for vocabulary in (YES_NO, GROUND)]
    if "n" in words and known[0] == known[1]:
        cell, row = found.first(np.array([word == "n" for word in words]))
        raise InputError(
            f"column '{name}' has {quoted(cell)} at {{@row}}, which could mean no or neutral; write "
            "true and false",
            column=name,
            row=row,
        )
    return Truths(name, known[1] > known[0])
