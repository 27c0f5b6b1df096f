"""Boards on terminals of any width, and in files and pipes."""

import io
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len
from rich.console import Console

from podium import Leaderboard
from podium.cli.output.board import rows_shown, show_board
from podium.cli.output.screen import console
from podium.datasets import load_chess_club
from tests.cli.runs import CHESS, done, podium, sentence
from tests.leaderboard.boards import board

TUNED, BITS = ("-Instruct", ""), ("AWQ-INT4", "GPTQ-INT4", "FP8", "BF16", "Q4")
LLAMAS = [
    f"meta-llama/Llama-{version}-{size}{tuned}-{bits}"
    for version, size, tuned, bits in product(("3.1", "3.3"), ("8B", "70B", "405B"), TUNED, BITS)
]
NAMES = [*LLAMAS[:56], "通义千问-2.5-72B-指令微调版-长上下文", "通义千问-2.5-32B-指令微调版-长上下文"]
NAMES += ["🦙 a llama 🚀 with emoji and some more words", "x" * 150 + "A" + "y" * 149]


def board_of(names: list[str]) -> Leaderboard:
    score = np.linspace(1800, 1200, len(names))
    return board(names, score=score, low=score - 60, high=score + 60)


def lines_of(width: int | None, names: list[str] = NAMES) -> list[str]:
    """What is printed on a terminal of this width, without the lines below the table; None is a file."""
    shown, file = board_of(names), io.StringIO()
    screen = console() if width is None else Console(width=width, force_terminal=True, color_system=None)
    screen.file = file
    show_board(screen, load_chess_club(), shown, rows_shown(shown, len(shown)))
    return [line.rstrip() for line in file.getvalue().partition("Comparisons:")[0].splitlines()]


def names_shown(lines: list[str]) -> list[str]:
    """The names in a table, their parts joined if they are wrapped."""
    start, end = lines[1].index("item"), lines[1].index("score") - 2
    found: list[str] = []
    for line in lines[3 : lines.index("", 3)]:
        name = "".join(c for k, c in enumerate(line) if start <= cell_len(line[:k]) < end).strip()
        if line[:start].strip():
            found.append(name)
        elif name:
            found[-1] += name
    return found


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
def test_names_fit_the_terminal_and_can_be_told_apart(width: int) -> None:
    lines = lines_of(width)
    assert max(map(cell_len, lines)) <= width
    found = names_shown(lines)
    assert len(found) == len(set(found)) == len(NAMES)


def test_a_narrow_terminal_shows_what_matters_and_says_what_is_left_out() -> None:
    lines = lines_of(40)
    assert lines[1].split() == ["rank", "item", "score", "interval"]
    assert any("1800  1740–1860" in line for line in lines)
    assert "left out, as the terminal is narrow: games, won/tied/lost" in " ".join(lines)
    assert "●" not in "".join(lines)


@pytest.mark.parametrize("width", [20, 26, 32])
def test_a_very_narrow_terminal_cuts_no_number_and_keeps_the_names(width: int) -> None:
    lines = lines_of(width)
    assert lines[1].split() == ["rank", "item", "score"]
    assert any(line.split()[-1] == "1800" for line in lines if line)
    assert len(set(names_shown(lines))) == len(NAMES)
    assert "narrow: interval, games" in " ".join(line.strip() for line in lines)


def test_the_range_gives_way_to_the_score() -> None:
    shown = board(["a", "b"], rank_low=[1, 1], rank_high=[2, 2], ranks="simultaneous")
    for width, titles in (
        (26, ["rank", "item", "score"]),
        (60, ["rank", "range", "item", "score", "interval"]),
    ):
        file = io.StringIO()
        show_board(Console(file=file, width=width), load_chess_club(), shown, shown)
        assert file.getvalue().startswith("a leads")
        assert titles in [line.split()[: len(titles)] for line in file.getvalue().splitlines()]


def test_tiny_skills_are_not_rounded_to_0() -> None:
    skill = np.array([2.5e-6, 1.5e-9])
    shown, file = board(["a", "b"], score=skill, low=skill / 2, high=skill * 2, scale="skill"), io.StringIO()
    show_board(Console(file=file, width=100), load_chess_club(), shown, shown)
    assert "2.50e-06  1.25e-06–5.00e-06" in file.getvalue()


def test_a_wide_terminal_shows_whole_names_and_long_bars() -> None:
    lines = lines_of(200, LLAMAS)
    assert names_shown(lines) == LLAMAS
    assert lines[3].count("─") > lines_of(120, LLAMAS)[3].count("─") > 0
    assert lines[1].split()[-2:] == ["games", "won/tied/lost"]


def test_names_of_usual_length_leave_room_for_bars_on_80_columns() -> None:
    lines = lines_of(80, ["Ada", "Boris"])
    assert "●" in lines[3]
    assert lines[1].split()[-2:] == ["games", "won/tied/lost"]


def test_a_file_gets_whole_names_and_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = lines_of(None)
    assert names_shown(lines) == NAMES
    assert lines[1].split() == ["rank", "item", "score", "interval", "games", "won/tied/lost"]
    assert "●" in lines[3]


@pytest.mark.slow  # by day, the test before it shows the same for a file
def test_a_pipe_gets_whole_lines(tmp_path: Path) -> None:
    games = pd.DataFrame({"left": NAMES, "right": [*NAMES[1:], NAMES[0]], "outcome": "left"})
    games.to_csv(tmp_path / "games.csv", index=False)
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {"PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "podium", "rank", "games.csv", "--model", "elo", "--top", "99"]
    ranked = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment, cwd=tmp_path, check=False
    )
    assert ranked.returncode == 0, ranked.stderr
    assert all(f"  {name} " in ranked.stdout for name in NAMES)


# ------------------------------------------------------------------------------------ parts of a board


def items(*options: object) -> list[str]:
    result = podium("rank", CHESS, "--order-effect", *options)
    assert result.exit_code == 0, result.output
    return re.findall(r"^ +\d+ +[\d–]+ +(\w+) ", result.stdout, re.MULTILINE)


def test_top_shows_the_best_items_and_says_how_many_more_there_are() -> None:
    assert items("--top", 3) == ["Ada", "Boris", "Carmen"]
    assert "and 11 more; --top 14 shows all of them" in done("rank", CHESS, "--top", 3)
    assert " more" not in done("rank", CHESS)


def test_around_shows_an_item_and_its_neighbours() -> None:
    assert items("--around", "Igor", "--top", 3) == ["Farah", "Igor", "Goran"]
    assert items("--around", "Igor", "--top", 4) == ["Dmitri", "Farah", "Igor", "Goran"]
    assert items("--around", "Ada", "--top", 3) == ["Ada", "Boris", "Carmen"]
    assert len(items("--around", items()[-1], "--top", 3)) == 3
    assert items("--around", "Ada") == ["Ada", "Boris", "Carmen", "Elif", "Dmitri", "Farah"]


def test_around_names_similar_items() -> None:
    said = sentence("rank", CHESS, "--around", "Borris")
    assert said == "podium: 'Borris' is not on the board; did you mean 'Boris'?"
    assert "did you mean 'Boris'?" in sentence("rank", CHESS, "--around", "BORIS")
    assert "did you mean 'Dmitri'?" in sentence("rank", CHESS, "--around", "dm")


def test_files_have_all_items(tmp_path: Path) -> None:
    done("rank", CHESS, "--top", 2, "--out", tmp_path / "board.csv")
    assert len(pd.read_csv(tmp_path / "board.csv")) == 14


def test_categories_are_shown_for_the_same_items() -> None:
    shown = podium("rank", CHESS, "--by", "season", "--top", 2).stdout
    tables = [line.split() for line in shown.splitlines() if line.startswith(" ")]
    assert sum("Ada" in row for row in tables) == sum("Boris" in row for row in tables) == 2
    assert not any("Carmen" in row for row in tables)
