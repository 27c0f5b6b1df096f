"""podium simulate: leagues and cups from a saved model, printed and written."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import podium as pod
from tests.cli.runs import CHESS, done, sentence

POINTS = ["--points", "1", "--points", "0.5", "--points", "0"]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.skops"
    done("fit", CHESS, "--model", "bradley-terry", "--set", "order_effect=true", "--save", path)
    return path


@pytest.fixture
def evening(tmp_path: Path) -> Path:
    path = tmp_path / "evening.csv"
    path.write_text("white,black\nAda,Boris\nBoris,Carmen\nCarmen,Ada\nElif,Ada\n")
    return path


@pytest.fixture
def played(tmp_path: Path) -> Path:
    path = tmp_path / "played.csv"
    path.write_text("white,black,result\nElif,Boris,1-0\n")
    return path


def test_a_league_is_that_of_python(saved: Path, evening: Path, played: Path, tmp_path: Path) -> None:
    out, page, picture = (tmp_path / name for name in ("out.csv", "page.html", "places.png"))
    more = ["--out", out, "--report", page, "--plot", picture, "--title", "Tonight"]
    said = done(
        "simulate", saved, evening, "--league", "--played", played, *POINTS, "-n", 2000, "--seed", 3, *more
    )
    assert "2,000 leagues, 4 fixtures drawn, 1 games played; chances in %" in said
    fixtures = pod.read_comparisons(evening, outcome=False)
    how: Any = {"played": played, "points": (1, 0.5, 0), "n": 2000, "random_state": 3}
    found = pod.simulate(pod.load(saved), fixtures, **how).to_frame()
    written = pd.read_csv(out)
    assert list(written) == ["item", "expected", "low", "high", "1", "2", "3", "4"]
    assert written.to_numpy()[:, 1:].astype(float) == pytest.approx(found.to_numpy()[:, 1:].astype(float))
    text = page.read_text(encoding="utf-8")
    assert "<title>Tonight" in text
    for word in ("Chances", "Decisive games", "Elif", "if tie", "in per cent"):
        assert word in text
    # Per cent with one decimal, points as they are possible; the largest chance of the first place.
    assert f">{(100 * found.iloc[:, 4]).round(1).max()}</td>" in text
    assert (2 * found[["low", "high"]] % 1 == 0).all(axis=None)
    assert picture.stat().st_size > 5_000


def test_a_cup(saved: Path, tmp_path: Path) -> None:
    draw = tmp_path / "draw.csv"
    draw.write_text("white,black\nAda,Boris\nCarmen,Nils\n")
    said = done("simulate", saved, draw, "--cup", "--seed", 1)
    for word in ("semi-final", "final", "title", "10,000 cups"):
        assert word in said


def test_errors_are_sentences(saved: Path, evening: Path, tmp_path: Path) -> None:
    assert "points are of a win" in sentence("simulate", saved, evening, "--points", 3)
    assert "'Ada' is twice in the first round" in sentence("simulate", saved, evening, "--cup")
    strange = tmp_path / "strange.csv"
    strange.write_text("white,black\nAda,Zoe\n")
    assert "'Zoe' was not seen in fit" in sentence("simulate", saved, strange)
    elo = tmp_path / "elo.skops"
    done("fit", CHESS, "--model", "elo", "--save", elo)
    assert "simulate takes a fitted BradleyTerry" in sentence("simulate", elo, evening)
