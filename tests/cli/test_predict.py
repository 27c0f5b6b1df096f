"""podium predict: printed or saved, and what becomes of items that the model has not seen."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, datasets
from podium.cli import predict
from podium.cli.output.screen import console
from tests.cli.runs import CHESS, done, podium, sentence


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.skops"
    done("fit", CHESS, "--model", "bradley-terry", "--save", path)
    return path


@pytest.fixture
def new(tmp_path: Path) -> Path:
    path = tmp_path / "new.csv"
    path.write_text("white,black\nAda,Boris\nAda,Zoe\nZed,Nils\n")
    return path


def printed(*arguments: object) -> tuple[pd.DataFrame, str]:
    result = podium("predict", *arguments)
    assert result.exit_code == 0, result.output
    return pd.read_csv(io.StringIO(result.stdout)), " ".join(result.stderr.split())


def test_a_pipe_gets_what_a_file_gets(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    frame, said = printed(saved, CHESS)
    assert "predicted 910 rows (455 left, 455 right)" in said
    assert "predicted 910 rows" in done("predict", saved, CHESS, "--out", out)
    pd.testing.assert_frame_equal(frame, pd.read_csv(out))


def test_a_terminal_gets_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame(
        {"left": ["[b]a", None] * 30, "predicted": ["left", None] * 30, "p_left": [0.12345, np.nan] * 30}
    )
    predict._print(console(), frame, as_csv=False)
    text = capsys.readouterr().out
    assert "[b]a" in text
    assert "0.123" in text
    assert "nan" not in text
    assert "and 10 more; --out saves all of them" in text


def test_scores_are_not_counted_as_if_they_were_labels(tmp_path: Path) -> None:
    rows, saved, out = tmp_path / "rows.csv", tmp_path / "model.skops", tmp_path / "out.csv"
    pd.DataFrame({"x": [0.0, 1, 2, 3], "label": [0, 0, 1, 1]}).to_csv(rows, index=False)
    for model, said in {"swapped-pairs-svm": "a score each", "ordinal-svm": "2 0, 2 1"}.items():
        done("fit", rows, "--model", model, "--set", "C=100", "--save", saved)
        assert f"predicted 4 rows ({said})" in done("predict", saved, rows, "--out", out)


def test_unseen_error(saved: Path, new: Path) -> None:
    said = sentence("predict", saved, new, "--unseen", "error")
    assert "the model has not seen 'Zed' and 'Zoe'; --unseen skip leaves out their rows" in said


def test_unseen_skip(saved: Path, new: Path, tmp_path: Path) -> None:
    frame, said = printed(saved, new, "--unseen", "skip")
    assert frame["right"].tolist() == ["Boris"]
    assert "skipped 2 of 3 rows: the model has not seen 'Zed' and 'Zoe'" in said
    (tmp_path / "strange.csv").write_text("white,black\nZed,Zoe\n")
    assert "every row has an item" in sentence("predict", saved, tmp_path / "strange.csv", "--unseen", "skip")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_unseen_average(saved: Path, new: Path) -> None:
    frame, said = printed(saved, new, "--unseen", "average")
    model = BradleyTerry().fit(datasets.load_chess_club())
    skill = dict(zip(model.items_, model.log_skill_, strict=True))
    np.testing.assert_allclose(
        frame["decision"], [skill["Boris"] - skill["Ada"], -skill["Ada"], skill["Nils"]]
    )
    np.testing.assert_allclose(frame[["p_left", "p_tie", "p_right"]].sum(axis=1), 1)
    assert "'Zed' and 'Zoe' were not seen in fit and counted as average" in said


def test_ratings_know_strangers_by_name(new: Path, tmp_path: Path) -> None:
    saved = tmp_path / "elo.skops"
    done("fit", CHESS, "--model", "elo", "--save", saved)
    frame, said = printed(saved, new)
    assert len(frame.dropna()) == 3
    assert "the model has not seen 'Zed' and 'Zoe': predicted as for a newcomer" in said
    assert len(printed(saved, new, "--unseen", "average")[0].dropna()) == 3
    assert len(printed(saved, new, "--unseen", "skip")[0]) == 1
    assert "has not seen 'Zed' and 'Zoe'" in sentence("predict", saved, new, "--unseen", "error")


def test_a_calibrated_model_has_no_average(new: Path, tmp_path: Path) -> None:
    saved = tmp_path / "model.skops"
    done("fit", CHESS, "--model", "bradley-terry", "--calibrate", "--save", saved)
    assert "cannot compare items that were not in fit" in sentence(
        "predict", saved, new, "--unseen", "average"
    )
    assert len(printed(saved, new, "--unseen", "skip")[0]) == 1


def test_rows_to_predict_can_be_chosen(saved: Path, new: Path) -> None:
    frame, _ = printed(saved, CHESS, "--where", "season = 2025", "--dedup", "white,black")
    assert 0 < len(frame) == len(frame[["left", "right"]].drop_duplicates())
    assert "--drop-ties needs outcomes" in sentence("predict", saved, CHESS, "--drop-ties")
