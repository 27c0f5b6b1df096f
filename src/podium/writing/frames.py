"""Write frames to files, completely or not at all."""

import json
import math
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.writing.atomic import checked_path, write_whole
from podium.writing.label_text import label_text

if TYPE_CHECKING:
    import pandas as pd

FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # as it starts, or as this module would have written it


def write_frame(frame: "pd.DataFrame", path: str | os.PathLike[str]) -> None:
    """Write a frame as ``.csv``, ``.json`` (a list of objects) or ``.parquet``.

    A missing number is an empty cell or null. In a CSV file, text that starts with = + - @, a tab or a line
    break gets an apostrophe in front, since a spreadsheet would run it as a formula. Text that starts with
    apostrophes and one of these gets one more, so that `read_comparisons` can take it off again.
    """
    target = checked_path(path, WRITERS)
    write_whole(target, WRITERS[target.suffix.lower()](frame))


# ------------------------------------------------------------------------------------ CSV


def as_csv(frame: "pd.DataFrame") -> bytes:
    """CSV by RFC 4180: lines end in CR LF, and line breaks in names are quoted."""
    safe = frame.copy()
    for name in safe.columns:
        if safe[name].dtype.kind not in "biufM":
            safe[name] = [_cell(value) for value in safe[name]]
    text: str = safe.to_csv(index=False, lineterminator="\r\n")
    return text.encode()


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    text = label_text(value)
    return f"'{text}" if FORMULA.match(text) else text


# ------------------------------------------------------------------------------------ JSON


def as_json(frame: "pd.DataFrame") -> bytes:
    """A list with one object per row; missing and infinite numbers are null, a tuple is a list."""
    columns = {name: [None if _missing(value) else value for value in frame[name].tolist()] for name in frame}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return f"{json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1, default=_plain)}\n".encode()


def _missing(value: Any) -> bool:
    import pandas as pd

    return value is pd.NA or (isinstance(value, float) and not math.isfinite(value))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


# ------------------------------------------------------------------------------------ Parquet


def as_parquet(frame: "pd.DataFrame") -> bytes:
    """The columns with their types; a column of mixed types becomes text, a tuple a list."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table({name: _arrow(frame[name]) for name in frame}), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _arrow(column: "pd.Series[Any]") -> Any:
    import pyarrow as pa

    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([label_text(value) for value in column])


WRITERS: dict[str, Callable[["pd.DataFrame"], bytes]] = {
    ".csv": as_csv,
    ".json": as_json,
    ".parquet": as_parquet,
}
