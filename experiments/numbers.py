"""The numbers of an experiment as a CSV file: all that its part of the page is made from."""

from io import BytesIO
from pathlib import Path

import pandas as pd


def to_csv(frame: pd.DataFrame) -> bytes:
    """A row a cell: its arguments, what it gave, the seconds it took, its warnings, the state of the code.

    Numbers have all their digits: the page rounds them, and twice rounded is not once.
    """
    rounded = frame.assign(seconds=frame["seconds"].round(3))
    return str(rounded.to_csv(index=False, lineterminator="\n")).encode()


def from_csv(source: Path | BytesIO) -> pd.DataFrame:
    """The frame again; what is empty in a column of words is the empty word."""
    frame = pd.read_csv(source, dtype={"state": str})
    words = list(frame.select_dtypes(exclude=["number", "bool"]))
    return frame.fillna(dict.fromkeys(words, ""))
