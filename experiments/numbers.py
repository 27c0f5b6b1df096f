"""The numbers of an experiment as a CSV file, from which its section of the page is made."""

from io import BytesIO
from pathlib import Path

import pandas as pd


def to_csv(frame: pd.DataFrame) -> bytes:
    """Return the frame as CSV: one row per cell, with its arguments, results, time, warnings and code state.

    Results keep all their digits. The page rounds them later, and rounding twice could change the last digit.
    """
    rounded = frame.assign(seconds=frame["seconds"].round(3))
    return str(rounded.to_csv(index=False, lineterminator="\n")).encode()


def from_csv(source: Path | BytesIO) -> pd.DataFrame:
    """Read the frame back; empty cells in text columns become empty strings."""
    frame = pd.read_csv(source)
    words = list(frame.select_dtypes(exclude=["number", "bool"]))
    return frame.fillna(dict.fromkeys(words, ""))
