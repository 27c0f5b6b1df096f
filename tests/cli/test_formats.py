"""Files of every format on the command line, and the options that go with them."""

from pathlib import Path

import numpy as np
import pandas as pd

from podium import SwappedPairsSVM, read_rows
from tests.cli.runs import CHESS, done, podium, sentence


def write_letor(path: Path, queries: int, seed: int) -> Path:
    rng = np.random.default_rng(seed)
    with path.open("w") as out:
        for query in range(queries):
            for x in rng.normal(size=(8, 4)):
                grade = int(np.digitize(x @ [1, -1, 0.5, 0], [-0.5, 0.5]))
                cells = " ".join(f"{k}:{value:.4f}" for k, value in enumerate(x, start=1) if value > -1)
                out.write(f"{grade} qid:{query} {cells} # a document\n")
    return path


def test_letor_from_fit_to_evaluate(tmp_path: Path) -> None:
    train, test = write_letor(tmp_path / "train.txt", 6, 0), write_letor(tmp_path / "test.txt", 4, 1)
    saved, out = tmp_path / "model.skops", tmp_path / "out.csv"
    said = done("fit", "--model", "swapped-pairs", train, "--save", saved)
    assert "columns: label (label), qid (query), 1, 2, 3, 4 (features)" in said
    done("predict", saved, test, "--out", out)
    rows = read_rows(train)
    model = SwappedPairsSVM().fit(rows.features, rows.label, qid=rows.query)
    np.testing.assert_allclose(
        pd.read_csv(out)["predicted"], model.predict(read_rows(test).features), rtol=1e-6
    )
    assert "swapped pairs" in done("evaluate", saved, test, "--bootstrap", 10)


def test_a_shorter_svmlight_file_is_read_for_a_wider_model(tmp_path: Path) -> None:
    train, saved, out = write_letor(tmp_path / "train.txt", 4, 0), tmp_path / "m.skops", tmp_path / "out.csv"
    done("fit", train, "--model", "swapped-pairs", "--save", saved)
    (tmp_path / "short.txt").write_text("0 qid:1 1:0.5\n0 qid:1 2:0.5 9:1\n")
    done("predict", saved, tmp_path / "short.txt", "--out", out)
    assert len(pd.read_csv(out)) == 2


def test_labelled_rows_are_not_ranked(tmp_path: Path) -> None:
    train = write_letor(tmp_path / "train.txt", 2, 0)
    assert "svmlight file of labelled rows" in sentence("rank", train)
    wrong = sentence("fit", train, "--model", "swapped-pairs", "--label", "y", "--save", tmp_path / "m.skops")
    assert "a svmlight file has its label first" in wrong


def test_a_sheet_of_a_workbook(tmp_path: Path) -> None:
    club, board = tmp_path / "club.xlsx", tmp_path / "board.csv"
    with pd.ExcelWriter(club) as book:
        pd.read_csv(CHESS).to_excel(book, sheet_name="Games", index=False)
        pd.DataFrame({"name": ["Ada"]}).to_excel(book, sheet_name="Players", index=False)
    assert sentence("rank", club).endswith(
        "has the sheets 'Games', 'Players'; choose one with --sheet, or all with --sheet '*'"
    )
    done("rank", club, "--sheet", "Games", "--out", board)
    done("rank", CHESS, "--out", tmp_path / "other.csv")
    assert board.read_text() == (tmp_path / "other.csv").read_text()


def test_a_sheet_of_labelled_rows(tmp_path: Path) -> None:
    book, saved = tmp_path / "grades.xlsx", tmp_path / "model.skops"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"x": range(6), "grade": [0, 0, 1, 1, 2, 2]}).to_excel(
            writer, sheet_name="A", index=False
        )
        pd.DataFrame({"note": ["bring cake"]}).to_excel(writer, sheet_name="B", index=False)
    done("fit", book, "--sheet", "A", "--model", "swapped-pairs", "--label", "grade", "--save", saved)
    assert "predicted 6 rows" in podium("predict", saved, book, "--sheet", "A").stderr


def test_counts(tmp_path: Path) -> None:
    (tmp_path / "tasting.csv").write_text("a,b,votes_a,votes_b,undecided\ntea,milk,12,30,5\nmilk,tea,9,4,0\n")
    assert "name them with --wins (and a column of ties with --ties-column)" in sentence(
        "rank", tmp_path / "tasting.csv"
    )
    options = ("--wins", "votes_a", "--wins", "votes_b", "--ties-column", "undecided")
    assert "votes_a and votes_b (wins), undecided (ties)" in done("rank", tmp_path / "tasting.csv", *options)


def test_a_folder(tmp_path: Path) -> None:
    games = pd.read_csv(CHESS)
    for season, part in games.groupby("season"):
        part.to_json(tmp_path / f"{season}.jsonl.gz", orient="records", lines=True)
    done("rank", tmp_path, "--group", "season", "--out", tmp_path.parent / f"{tmp_path.name}.csv")
    done("rank", CHESS, "--group", "season", "--out", tmp_path / "board.csv")
    assert (tmp_path.parent / f"{tmp_path.name}.csv").read_text() == (tmp_path / "board.csv").read_text()
