"""podium rank --anchor FILE: known scores fix the skills of the fit."""

from pathlib import Path

import pytest

import podium as pod
from podium.datasets import shipped_file
from tests.cli.runs import done, sentence

CLUB = str(shipped_file("chess_club.csv"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fide.csv").write_text("item,score\nAda,1900\nNils,1200\nZoe,1000\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("scale", ["elo", "log"])
def test_scores_of_a_file_stay(here: Path, scale: str) -> None:
    said = {"elo": (1900.0, 1200.0), "log": (2.0, -1.5)}[scale]
    (here / "a.csv").write_text(f"item,score\nAda,{said[0]}\nNils,{said[1]}\n", encoding="utf-8")
    text = done("rank", CLUB, "--anchor", "a.csv", "--scale", scale, "--out", here / "board.csv")
    assert "scale: given by the skills of 'Ada' and 'Nils'" in text
    import pandas as pd

    board = pd.read_csv(here / "board.csv").set_index("item")
    assert board.loc["Ada", ["score", "low", "high"]].tolist() == pytest.approx([said[0]] * 3)
    assert board.loc["Nils", "score"] == pytest.approx(said[1])
    unit = 400 / 2.302585 if scale == "elo" else 1.0
    mean = 1500 if scale == "elo" else 0.0
    fixed = {name: (score - mean) / unit for name, score in zip(("Ada", "Nils"), said, strict=True)}
    model = pod.BradleyTerry(fixed=fixed).fit(pod.datasets.load_chess_club())
    expected = dict(zip(model.items_, mean + unit * model.log_skill_, strict=True))
    assert board.score.to_dict() == pytest.approx(expected, abs=1e-2)


def test_a_name_that_is_both_is_refused(here: Path) -> None:
    (here / "Ada").write_text("item,score\nBoris,1500\n", encoding="utf-8")
    assert "--anchor Ada is an item and a file; write ./Ada for the file" in sentence(
        "rank", CLUB, "--anchor", "Ada"
    )
    assert "given by the skills of 'Boris'" in done("rank", CLUB, "--anchor", "./Ada")


def test_bad_files(here: Path) -> None:
    for text, said in (
        ("name,score\nAda,1\n", "has no column 'item'"),
        ("item,score\nAda,strong\n", "the score 'strong' of 'Ada', which is no number"),
        ("item,score\nZoe,1\n", "none of the items in fixed appears"),
    ):
        (here / "bad.csv").write_text(text, encoding="utf-8")
        assert said in sentence("rank", CLUB, "--anchor", "bad.csv")
    assert "--anchor FILE is for bradley-terry" in sentence(
        "rank", CLUB, "--dynamic", "--time", "season", "--anchor", "fide.csv"
    )


def test_items_that_are_not_there_are_said(here: Path) -> None:
    assert "fixed has 'Zoe', not in the data" in done("rank", CLUB, "--anchor", "fide.csv")
