"""Pairs that were chosen by earlier results: podium rank reads them with intervals that hold for them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, PlackettLuce, read_comparisons, read_rankings
from podium.skill.anytime import CHOSEN, METHOD, TOO_SHORT
from tests.cli.runs import CHESS, done, sentence, write_races


@pytest.fixture
def chosen(tmp_path: Path) -> Path:
    """The chess club, as if somebody had chosen who plays whom."""
    path = tmp_path / "chosen.csv"
    pd.read_csv(CHESS).assign(probability=0.9).to_csv(path, index=False)
    return path


def saved(path: Path, *how: object) -> tuple[str, pd.DataFrame]:
    """What the command prints, and the board that it saves."""
    out = path.with_name("board.csv")
    return done("rank", path, *how, "--out", out), pd.read_csv(out)


def check(board: pd.DataFrame, expected: Any) -> None:
    for name in ("rank", "rank_low", "rank_high"):
        assert board[name].tolist() == getattr(expected, name).tolist()
    np.testing.assert_allclose(board["low"], expected.low)
    np.testing.assert_allclose(board["high"], expected.high)


def test_a_column_of_probabilities_gives_anytime_intervals(chosen: Path) -> None:
    model = BradleyTerry().fit(read_comparisons(chosen))
    said, board = saved(chosen)
    check(board, model.leaderboard(anytime=True))
    assert said.count(CHOSEN) == 1
    assert "probability (of showing the pair); not used: season" in said
    page = chosen.with_name("page.html")
    done("rank", chosen, "--report", page)
    assert f"{CHOSEN[:1].upper()}{CHOSEN[1:]}." in page.read_text()
    said, board = saved(chosen, "--no-anytime")
    check(board, model.leaderboard())
    assert METHOD not in said


def test_any_file_can_have_anytime_intervals() -> None:
    assert METHOD in done("rank", CHESS, "--anytime")
    said = done("rank", CHESS)
    assert METHOD not in said
    assert TOO_SHORT not in said


@pytest.mark.parametrize(
    "how",
    [
        ["--weight", "probability"],
        ["--outcome", "probability", "--outcome-format", "probability"],
        ["--group", "probability"],
    ],
)
def test_a_column_that_means_something_else_says_nothing_about_pairs(chosen: Path, how: list[str]) -> None:
    said = done("rank", chosen, *how)
    assert "chosen by earlier results" not in said
    assert "of showing the pair" not in said


@pytest.mark.parametrize(
    "how",
    [
        ["--prior", "normal"],
        ["--half-life", "2", "--time", "season"],
        ["--bootstrap", "20", "--seed", "1"],
        ["--dynamic", "--time", "season"],
        ["--model", "glicko"],
    ],
)
def test_where_there_are_none_the_usual_ones_are_said_to_be_too_short(chosen: Path, how: list[str]) -> None:
    said, board = saved(chosen, *how)
    assert said.count(TOO_SHORT) == 1
    assert METHOD not in said
    out = chosen.with_name("usual.csv")
    done("rank", CHESS, *how, "--out", out)
    pd.testing.assert_frame_equal(board, pd.read_csv(out))


def test_elo_has_no_intervals_that_could_be_too_short(chosen: Path) -> None:
    assert "chosen by earlier results" not in done("rank", chosen, "--model", "elo")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (["--prior", "normal"], "use --prior 'auto' or leave out --anytime"),
        (["--bootstrap", "20"], "leave out --bootstrap or --anytime"),
        (["--half-life", "2", "--time", "season"], "--anytime needs skills that stay the same"),
        (["--model", "glicko"], "--anytime is for --model bradley-terry"),
        (["--dynamic", "--time", "season"], "--anytime is for --model bradley-terry"),
    ],
)
def test_what_was_asked_for_and_is_not_possible_is_an_error(how: list[str], said: str) -> None:
    assert said in sentence("rank", CHESS, "--anytime", *how)


def test_rankings_of_chosen_items(tmp_path: Path) -> None:
    races = pd.read_csv(write_races(tmp_path)).assign(probability=0.5)
    races.to_csv(tmp_path / "chosen.csv", index=False)
    said, board = saved(tmp_path / "chosen.csv")
    check(board, PlackettLuce().fit(read_rankings(tmp_path / "chosen.csv")).leaderboard(anytime=True))
    assert CHOSEN in said


def test_boards_by_category_are_made_alone(chosen: Path) -> None:
    """Drawing them towards the overall board needs a normal prior, which rules anytime intervals out."""
    c = read_comparisons(chosen, category="season")
    _, boards = saved(chosen, "--by", "season")
    expected = BradleyTerry().fit(c).leaderboard(by="category", anytime=True).to_frame()
    np.testing.assert_allclose(boards["low"], expected["low"])
    assert "drawn towards the overall board" not in done("rank", chosen, "--by", "season")
    assert "drawn towards the overall board" in done("rank", chosen, "--by", "season", "--no-anytime")


def test_a_summary_has_the_usual_tests_and_says_so(chosen: Path) -> None:
    assert f"Note: {TOO_SHORT}" in done("rank", chosen, "--summary")
    assert TOO_SHORT not in done("rank", chosen, "--summary", "--no-anytime")
    assert TOO_SHORT not in done("rank", CHESS, "--summary")


def test_votes_on_the_pairs_of_podium_next_are_read_as_chosen(tmp_path: Path) -> None:
    """The column that `next` writes is the one that `rank` looks for."""
    pairs = tmp_path / "pairs.csv"
    done("next", CHESS, "--out", pairs)
    pd.read_csv(pairs).assign(winner="left").to_csv(pairs, index=False)
    assert CHOSEN in done("rank", pairs)
