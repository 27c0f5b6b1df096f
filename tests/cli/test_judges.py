"""podium judges on the command line."""

from pathlib import Path

import pandas as pd
import pytest

from tests.cli.runs import done, sentence
from tests.evaluation.test_judging import jury


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judges") / "votes.csv"
    frame = jury()
    frame["outcome"] = frame["outcome"].map({-1: "left", 1: "right"})
    frame.to_csv(path, index=False)
    return path


def test_judges_have_verdicts_on_the_screen_and_in_files(votes: Path, tmp_path: Path) -> None:
    out, report = tmp_path / "judges.csv", tmp_path / "judges.html"
    shown = done("judges", votes, "--out", out, "--report", report)
    assert "judge (group), prompt (category)" in shown
    assert "do not use" in shown
    assert "4 judges" in shown
    table = pd.read_csv(out)
    assert set(table["judge"]) == {"ann", "bob", "coin", "left"}
    assert table["p_value"].is_monotonic_increasing
    assert "verdict" in table


def test_the_report_has_names_only_if_asked(votes: Path, tmp_path: Path) -> None:
    hidden, named = tmp_path / "hidden.html", tmp_path / "named.html"
    done("judges", votes, "--report", hidden)
    done("judges", votes, "--report", named, "--names")
    assert ">ann<" not in hidden.read_text()
    assert "judge 1" in hidden.read_text()
    assert ">ann<" in named.read_text()


def test_a_column_that_is_not_there_is_named(votes: Path) -> None:
    assert "nope" in sentence("judges", votes, "--prompt", "nope")


def test_annotators_are_judges(votes: Path, tmp_path: Path) -> None:
    pd.read_csv(votes).rename(columns={"judge": "annotator"}).to_csv(tmp_path / "votes.csv", index=False)
    text = done("judges", tmp_path / "votes.csv")
    assert "annotator (group)" in text
    assert text.splitlines()[1:] == done("judges", votes).splitlines()[1:]
