"""Kinds of judges on the command line."""

from pathlib import Path

import pytest

from tests.bradley_terry.kinds.votes import people_and_model
from tests.cli.runs import done, podium, sentence


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("kinds") / "votes.csv"
    frame = people_and_model().to_frame().drop(columns="weight").rename(columns={"judge_kind": "by"})
    frame.replace({"outcome": {-1: "left", 0: "tie", 1: "right"}}).to_csv(path, index=False)
    return str(path)


def test_a_board_on_the_scale_of_people(votes: str, tmp_path: Path) -> None:
    report = tmp_path / "board.html"
    shown = done("rank", votes, "--judge-kind", "by", "--order-effect", "--report", report)
    assert "by (kind of judge)" in shown
    assert "scores are on the scale of 'human' judges; votes of 'ai' tell about it" in shown
    assert "scale of" in report.read_text()
    assert "scores are on the scale of 'ai' judges" in done(
        "rank", votes, "--judge-kind", "by", "--set", "judge_kind=ai"
    )
    needed = done("next", votes, "--judge-kind", "by", "--goal", "best")
    assert "more votes of 'human' judges between them" in needed


def test_a_saved_model_predicts_votes_of_each_kind(votes: str, tmp_path: Path) -> None:
    saved, out = tmp_path / "m.skops", tmp_path / "p.csv"
    done(
        "fit",
        votes,
        "--model",
        "bradley-terry",
        "--judge-kind",
        "by",
        "--set",
        "judge_kind=human",
        "--save",
        saved,
    )
    done("predict", saved, votes, "--out", out)
    assert len(out.read_text().splitlines()) == 1 + 1500
    fixtures = tmp_path / "fixtures.csv"
    fixtures.write_text("left,right\n0,1\n")
    result = podium("predict", saved, fixtures)
    assert result.exit_code == 0, result.output
    assert "there is no column 'by' of the kind of judge" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rank {} --judge-kind by --set judge_kind=dog", "no vote is by a judge of the kind 'dog'"),
        ("rank {} --judge-kind by --model elo", "--judge-kind is for bradley-terry"),
        ("rank {} --judge-kind by --prior 0", "kinds of judges and prior=0 do not work together"),
        (
            "fit {} --model bradley-terry --judge-kind by --save m.skops",
            "say whose scale with --set judge_kind=human",
        ),
        ("rank {} --set judge_kind=human", "give --judge-kind"),
    ],
)
def test_what_does_not_work_is_said(words: str, said: str, votes: str) -> None:
    assert said in sentence(*words.format(votes).split())
