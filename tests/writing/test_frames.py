"""A frame comes back from every kind of file."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium.writing.frames import write_frame

FRAME = pd.DataFrame(
    {"name": ["ä", "=1+1", None], "team": [("a", "b"), ("c",), ("d", "e")], "x": [0.1, np.nan, np.inf]}
)


def test_a_frame_round_trips_through_csv(tmp_path: Path) -> None:
    write_frame(FRAME, tmp_path / "frame.csv")
    assert (tmp_path / "frame.csv").read_bytes().decode() == (
        "name,team,x\r\nä,a + b,0.1\r\n'=1+1,c,\r\n,d + e,inf\r\n"
    )


def test_a_frame_round_trips_through_json(tmp_path: Path) -> None:
    write_frame(FRAME, tmp_path / "frame.json")
    rows = json.loads((tmp_path / "frame.json").read_text())
    assert rows[0] == {"name": "ä", "team": ["a", "b"], "x": 0.1}
    assert [row["x"] for row in rows] == [0.1, None, None]
    assert rows[2]["name"] is None


def test_a_frame_round_trips_through_parquet(tmp_path: Path) -> None:
    write_frame(FRAME[["name", "x"]], tmp_path / "frame.PARQUET")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "frame.PARQUET"), FRAME[["name", "x"]])


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in none of \.csv, \.json and \.parquet"):
        write_frame(FRAME, tmp_path / "frame.xlsx")
    assert not list(tmp_path.iterdir())
