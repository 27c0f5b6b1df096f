"""No command overwrites a file that it reads, or one output with another."""

import os
from pathlib import Path

import pytest

from tests.cli.runs import CHESS, done, sentence

SPELLED = {
    "itself": "games.csv",
    "relative": "folder/../games.csv",
    "link": "link.csv",
    "link to a link": "far.csv",
    "hard link": "hard.csv",
    "other ending": "link.png",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("games.csv").write_bytes(Path(CHESS).read_bytes())
    Path("folder").mkdir()
    for link, target in {"link.csv": "games.csv", "far.csv": "link.csv", "link.png": "games.csv"}.items():
        Path(link).symlink_to(target)
    os.link("games.csv", "hard.csv")
    return tmp_path


@pytest.mark.parametrize("spelling", SPELLED)
def test_an_input_is_not_written_over(spelling: str, folder: Path) -> None:
    option = "--plot" if spelling == "other ending" else "--out"
    before = Path("games.csv").read_bytes()
    for source in ("games.csv", "link.csv", "ga*.csv"):
        said = sentence("rank", source, option, SPELLED[spelling])
        assert said.endswith("would be written over a file that is read; choose another name")
    assert Path("games.csv").read_bytes() == before


def test_no_command_overwrites_its_input(folder: Path) -> None:
    done("fit", "games.csv", "--model", "elo", "--save", "elo.skops")
    os.link("elo.skops", "model.csv")
    Path("data.skops").symlink_to("games.csv")
    Path("page.html").symlink_to("games.csv")
    for line in (
        "fit games.csv --model elo --save data.skops",
        "fit games.csv --model svm-rank --items hard.csv --save data.skops",
        "predict elo.skops games.csv --out hard.csv",
        "predict elo.skops games.csv --out model.csv",
        "evaluate elo.skops games.csv --out games.csv",
        "evaluate elo.skops games.csv --report page.html",
        "compare games.csv --out link.csv",
        "compare games.csv --report page.html",
        "rank games.csv --report page.html",
    ):
        assert "written over a file that is read" in sentence(*line.split()), line


def test_two_outputs_have_two_places(folder: Path) -> None:
    Path("new.png").symlink_to("new.csv")
    said = sentence("rank", "games.csv", "--out", "new.csv", "--plot", "new.png")
    assert said == "podium: 'new.png' is the place of two outputs; choose another name for one of them"
    assert not Path("new.csv").exists()


def test_devices_take_everything(folder: Path) -> None:
    for name in ("void.csv", "void.png"):
        Path(name).symlink_to(os.devnull)
    done("rank", "games.csv", "--out", "void.csv", "--plot", "void.png")
    assert all(Path(name).is_symlink() for name in ("void.csv", "void.png"))
    assert Path(os.devnull).is_char_device()
