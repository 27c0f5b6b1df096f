"""Frames as files that are written whole or not at all."""

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.atomic import checked_path, write_whole
from podium.leaderboard import FORMULA_STARTS, label_text

if TYPE_CHECKING:
    import pandas as pd


def check_target(path: str | os.PathLike[str]) -> Path:
    """The path, if a frame can be written there."""
    return checked_path(path, WRITERS)


def write_frame(frame: "pd.DataFrame", path: str | os.PathLike[str]) -> None:
    """Write a frame as ``.csv``, ``.json`` (a list of objects) or ``.parquet``.

    As in `Leaderboard.save`, a missing number is an empty cell or null, and a text in a CSV that a
    spreadsheet would run as a formula gets an apostrophe in front.
    """
    target = check_target(path)
    write_whole(target, WRITERS[target.suffix.lower()](frame))


def _csv(frame: "pd.DataFrame") -> bytes:
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
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _json(frame: "pd.DataFrame") -> bytes:
    columns = {name: [None if _missing(value) else value for value in frame[name].tolist()] for name in frame}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return f"{json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1, default=str)}\n".encode()


def _missing(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _parquet(frame: "pd.DataFrame") -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


WRITERS: dict[str, Callable[["pd.DataFrame"], bytes]] = {".csv": _csv, ".json": _json, ".parquet": _parquet}
