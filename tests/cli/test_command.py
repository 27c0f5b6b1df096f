"""How a command takes its words: once, never empty, and from a file of options too."""

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.runs import CHESS, done, podium, sentence

ONCE = {
    "rank CHESS --anchor Ada --anchor Boris": "--anchor is given twice; give it once",
    "rank CHESS --top 3 --top 4 --top 5": "--top is given 3 times; give it once",
    "rank CHESS --anytime --no-anytime": "--anytime is given twice",
    "next CHESS -n 3 -n 4": "-n is given twice",
    "compare CHESS --bootstrap 0 --bootstrap 10": "--bootstrap is given twice",
    "rank CHESS --control x --control y": "--control is given twice; give it once, with commas between",
    "demo --picture a.png --picture b.png": "--picture is given twice",
}


@pytest.mark.parametrize("words", ONCE)
def test_an_option_with_one_value_is_given_once(words: str) -> None:
    assert ONCE[words] in sentence(*words.replace("CHESS", CHESS).split())


def test_some_options_may_be_repeated() -> None:
    done("rank", CHESS, "--outcome", "result", "--skip-invalid", "--skip-invalid")
    assert "elo has no parameter 'c'" in sentence(
        "rank", CHESS, "--model=elo", "--set", "k=1", "--set", "c=1"
    )


@pytest.mark.parametrize("option", ["--weight", "--left", "--out", "--where", "--title"])
def test_an_option_is_not_empty(option: str) -> None:
    said = f"podium: {option} is empty; give it a value or leave it out; see 'podium rank --help'"
    assert sentence("rank", CHESS, option, "") == said


def written(folder: Path, text: str) -> Path:
    path = folder / "club.toml"
    path.write_text(text, encoding="utf-8")
    return path


CLUB = """# the columns of our club
left = ["white"]
right = "black"
outcome = ["result"]
order-effect = true
judges = false
level = 0.9
"""


def test_options_come_from_a_file_and_the_command_line_wins(tmp_path: Path) -> None:
    club, out = written(tmp_path, CLUB), tmp_path / "board.csv"
    columns = ["--left", "white", "--right", "black", "--outcome", "result", "--order-effect"]
    assert done("rank", CHESS, "--options", club) == done("rank", CHESS, *columns, "--level", 0.9)
    assert done("rank", CHESS, "--options", club, "--level", 0.8) == done(
        "rank", CHESS, *columns, "--level", 0.8
    )
    sides = ["--left", "black", "--right", "white", "--outcome-format", "score"]
    turned = done("rank", CHESS, "--options", club, *sides, "--out", out)
    assert "black and white (sides)" in turned
    assert pd.read_csv(out).shape[0] == 14


def test_the_options_of_a_call_are_saved(tmp_path: Path) -> None:
    club, again = written(tmp_path, CLUB), tmp_path / "again.toml"
    words = [
        "--set",
        "max_iter=500",
        "--set",
        "tol=1e-8",
        "--no-anytime",
        "--summary",
        "--where",
        "season > 2021",
    ]
    said = done("rank", CHESS, "--options", club, *words, "--save-options", again)
    assert tomllib.loads(again.read_text(encoding="utf-8")) == {
        "left": ["white"],
        "right": ["black"],
        "outcome": ["result"],
        "order-effect": True,
        "level": 0.9,
        "set": ["max_iter=500", "tol=1e-8"],
        "anytime": False,
        "summary": "-",
        "where": "season > 2021",
    }
    assert done("rank", CHESS, "--options", again) == said


def test_any_text_is_saved(tmp_path: Path) -> None:
    games, club = tmp_path / "games.csv", tmp_path / "club.toml"
    odd = 'a "b" \\ é \x7f'
    pd.DataFrame({odd: ["ann", "bob"], "right": ["bob", "ann"], "outcome": [-1, 1]}).to_csv(
        games, index=False
    )
    done("rank", games, "--left", odd, "--right", "right", "--save-options", club)
    assert tomllib.loads(club.read_text(encoding="utf-8")) == {"left": [odd], "right": ["right"]}
    done("rank", games, "--options", club)


def test_other_commands_take_the_file(tmp_path: Path) -> None:
    club = written(
        tmp_path, f'left = "white"\nright = "black"\nmodel = "elo"\nsave = "{tmp_path / "elo.skops"}"\n'
    )
    assert "fitted elo" in done("fit", CHESS, "--options", club)
    assert "bradley-terry" in done("compare", CHESS, "--options", written(tmp_path, "bootstrap = 0"))
    assert "3 pairs" in done("next", CHESS, "--options", written(tmp_path, "n = 3\nseed = 1"))


WRONG = {
    "order_effect = true": "has the key 'order_effect', which is no option of 'podium rank'; did you mean "
    "'order-effect'?",
    "tune = true": "has the key 'tune', which is no option of 'podium rank'",
    "options = 'x'": "has the key 'options', which is no option of",
    "order-effect = 'yes'": "'order-effect' is true or false, not 'yes'",
    "left = true": "'left' takes text or a number, not True",
    "[left]": "'left' takes text or a number, not {}",
    "left = ": "is not TOML: ",
    "level = [0.8, 0.9]": "--level is given twice",
    "weight = ''": "--weight is empty",
    "ties = 'none'": "invalid value for '--ties'",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_the_file_is_one_sentence(text: str, tmp_path: Path) -> None:
    assert WRONG[text] in sentence("rank", CHESS, "--options", written(tmp_path, text))


def test_a_wrong_place_for_the_file_is_one_sentence(tmp_path: Path) -> None:
    club = written(tmp_path, CLUB)
    assert "no such file" in sentence("rank", CHESS, "--options", tmp_path / "none.toml")
    assert "does not end in .toml" in sentence("rank", CHESS, "--save-options", tmp_path / "club.csv")
    assert "over a file that is read" in sentence("rank", CHESS, "--options", club, "--save-options", club)
    assert club.read_text(encoding="utf-8") == CLUB
    assert podium("rank", CHESS, "--left", "x", "--save-options", tmp_path / "new.toml").exit_code == 2
    assert not (tmp_path / "new.toml").exists()
