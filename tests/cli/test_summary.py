"""`podium rank --summary` prints the summary of the model or writes it."""

from pathlib import Path

import pandas as pd
import pytest

from podium import BradleyTerry
from podium.cli.command import SUMMARIES
from podium.datasets import load_chess_club
from podium.skill.summary import WRITERS
from tests.cli.runs import CHESS, done, podium, sentence


def summary(level: float = 0.95) -> str:
    return str(BradleyTerry(order_effect=True).fit(load_chess_club()).summary(level))


@pytest.mark.parametrize(
    "arguments",
    [
        [CHESS, "--order-effect", "--summary"],
        ["--summary", CHESS, "--order-effect"],
        [CHESS, "--summary", "--order-effect"],
    ],
)
def test_it_is_printed_below_the_board(arguments: list[str]) -> None:
    result = podium("rank", *arguments)
    assert result.exit_code == 0, result.output
    assert summary() in result.stdout
    assert result.stdout.index("won/tied/lost") < result.stdout.index("Log-likelihood")


def test_the_level_is_that_of_the_board() -> None:
    assert summary(0.8) in podium("rank", CHESS, "--order-effect", "--level", 0.8, "--summary").stdout


@pytest.mark.parametrize("ending", SUMMARIES)
def test_it_is_written(tmp_path: Path, ending: str) -> None:
    path, again = tmp_path / f"table{ending}", tmp_path / f"again{ending}"
    said = done("rank", CHESS, "--order-effect", "--summary", path)
    assert "".join(said.split()).endswith(f"summarisedin{path}")  # a long path is wrapped
    assert "Log-likelihood" not in said
    BradleyTerry(order_effect=True).fit(load_chess_club()).summary().save(again)
    read = {".csv": pd.read_csv, ".json": pd.read_json, ".parquet": pd.read_parquet}
    if ending in read:
        pd.testing.assert_frame_equal(read[ending](path), read[ending](again))
    else:
        assert path.read_bytes() == again.read_bytes()
    written = path.read_bytes()
    done("rank", CHESS, f"--summary={path}")
    assert path.read_bytes() != written


def test_the_endings_are_those_of_the_summary() -> None:
    assert set(SUMMARIES) == set(WRITERS)


def test_wrong_uses_are_one_sentence(tmp_path: Path) -> None:
    for model in ("elo", "glicko"):
        said = sentence("rank", CHESS, "--model", model, "--summary")
        assert said.startswith("podium: --summary is for --model bradley-terry")
    assert "ends in none of" in sentence("rank", CHESS, f"--summary={tmp_path / 'table.doc'}")
    path = tmp_path / "games.csv"
    path.write_bytes(Path(CHESS).read_bytes())
    assert "would be written over a file that is read" in sentence("rank", path, "--summary", path)
    both = ["--summary", tmp_path / "same.csv", "--out", tmp_path / "same.csv"]
    assert "is the place of two outputs" in sentence("rank", path, *both)
    assert list(tmp_path.iterdir()) == [path]
