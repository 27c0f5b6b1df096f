"""Effects beside the skills in every form of a board."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium.leaderboard.effects import held_equal, odds_factors
from tests.leaderboard.boards import HOSTILE, board

EFFECTS = [("length", 100, 12.34, 9.06, 15.6), ("bold", 1, -0.04, -3, 3)]
LINES = [
    "effect of length, per 100: 12.3 (9.1 to 15.6)",
    "effect of bold, per 1: 0.0 (-3.0 to 3.0)",
    "standard errors: robust",
]


def test_every_form_shows_the_effects_and_what_is_held_equal(tmp_path: Path) -> None:
    b = board(covariate_effects=EFFECTS, method="standard errors: robust", notes="A note.")
    assert repr(b).splitlines()[0].endswith("95 % intervals, at equal length and bold")
    assert repr(b).splitlines()[-4:] == [*LINES, "Note: A note."]
    assert all(f"<p>{line}</p>" in b._repr_html_() for line in LINES)
    b.save(tmp_path / "board.md")
    assert all(line in (tmp_path / "board.md").read_text().splitlines() for line in LINES)
    assert b[:1].covariate_effects == b.covariate_effects
    assert b != board()


def test_files_have_the_effects_in_every_row(tmp_path: Path) -> None:
    b = board(covariate_effects=EFFECTS)
    names = ["effect_of_length", "effect_of_length_low", "effect_of_length_high", "effect_of_length_per"]
    for name in ("board.csv", "board.json"):
        b.save(tmp_path / name)
    frame = pd.read_csv(tmp_path / "board.csv")
    assert frame[names].drop_duplicates().to_numpy().tolist() == [[12.34, 9.06, 15.6, 100]]
    rows = json.loads((tmp_path / "board.json").read_text())
    assert [row["effect_of_bold_low"] for row in rows] == [-3] * 3
    assert not [column for column in board().to_frame() if "effect" in column]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_covariates_stay_on_their_line(name: str) -> None:
    b = board(covariate_effects=[(name, 1, 1, 0, 2)])
    assert len(repr(b).splitlines()) == 2 + 3 + 1
    assert "<script>" not in b._repr_html_()


def test_many_covariates_are_counted() -> None:
    effects = [(f"x{k}", 1, 1, 0, 2) for k in range(7)]
    assert held_equal(board(covariate_effects=effects)) == "at equal x0, x1, x2 and 4 more"
    assert held_equal(board(covariate_effects=effects[:1])) == "at equal x0"
    assert held_equal(board()) == ""


def test_effects_as_odds() -> None:
    for scale, value, none in (("elo", 400, 0), ("log", np.log(10), 0), ("skill", 10, 1)):
        b = board(scale=scale, covariate_effects=[("price", 1, value, none, np.inf)])
        np.testing.assert_allclose(odds_factors(b.covariate_effects[0], b), [10, 1, np.inf])
    assert "effect of price, per 1: odds × 10.0 (1.00 to inf)" in repr(b)
