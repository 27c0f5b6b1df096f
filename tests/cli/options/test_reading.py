"""Every command uses a column for the same purpose and says so; names match across files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium import load
from tests.cli.runs import done, podium, sentence

RNG = np.random.default_rng(0)


def write_games(path: Path, n: int = 60) -> Path:
    """Items 1 to 6 with names, lengths and notes; the longer one usually wins."""
    left = RNG.integers(1, 7, n)
    right = (left + RNG.integers(1, 6, n) - 1) % 6 + 1
    columns = {"left_id": left, "right_id": right, "left_len": 10.0 * left, "right_len": 10.0 * right}
    winner = np.where(left + RNG.normal(size=n) > right, "left", "right")
    pd.DataFrame(columns).assign(site="x", winner=winner).to_csv(path, index=False)
    return path


NAMES = "columns: left_id and right_id (sides), winner (outcome); not used: left_len, right_len, site"
FEATURES = "columns: left_* and right_* (features len), winner (outcome); not used: left_id, right_id, site"


def test_every_command_says_what_columns_are_used_for(tmp_path: Path) -> None:
    games = write_games(tmp_path / "games.csv")
    assert NAMES in done("rank", games)
    assert NAMES in done("compare", games, "--bootstrap", 0)
    assert FEATURES in done("compare", games, "--bootstrap", 0, "--model", "linear-compare")
    for model, said in (("bradley-terry", NAMES), ("linear-compare", FEATURES)):
        saved, out = tmp_path / f"{model}.skops", tmp_path / "out.csv"
        assert said in done("fit", games, "--model", model, "--save", saved)
        unused = said.replace(", winner (outcome)", "") + ", winner"
        assert unused in done("predict", saved, games, "--out", out)
        assert said in done("evaluate", saved, games, "--bootstrap", 10)
    assert load(tmp_path / "linear-compare.skops").n_features_in_ == 1


def test_sides_that_were_named_are_no_features_then_and_later(tmp_path: Path) -> None:
    games, saved, out = write_games(tmp_path / "games.csv"), tmp_path / "m.skops", tmp_path / "out.csv"
    table = pd.read_csv(games).rename(columns={"left_id": "left_alias", "right_id": "right_alias"})
    table.to_csv(games, index=False)
    sides = ["--left", "left_alias", "--right", "right_alias"]
    done("fit", games, "--model", "linear-compare", *sides, "--save", saved)
    assert load(saved).n_features_in_ == 1
    assert "features len" in done("predict", saved, games, "--out", out)


def test_the_columns_of_a_wide_file_fit_one_line(tmp_path: Path) -> None:
    wide = pd.DataFrame(np.ones((4, 300)), columns=[f"c{k}" for k in range(300)])
    wide = wide.assign(left=list("abca"), right=list("bcac"), winner="left")
    wide.to_csv(tmp_path / "wide.csv", index=False)
    said = done("rank", tmp_path / "wide.csv")
    assert "not used: c0, c1, c2, c3, c4 and 295 more" in said


def test_a_stranger_in_the_file_hides_nobody(tmp_path: Path) -> None:
    games, saved, out = write_games(tmp_path / "games.csv"), tmp_path / "m.skops", tmp_path / "out.csv"
    done("fit", games, "--model", "bradley-terry", "--save", saved)
    new = tmp_path / "new.csv"
    new.write_text("left_id,right_id\n1,2\n3,X9\n")
    assert podium("predict", saved, new, "--out", out).exit_code == 0
    assert pd.read_csv(out)["predicted"].notna().tolist() == [True, False]
    frame = tmp_path / "new.parquet"
    pd.DataFrame({"left_id": [1], "right_id": [2]}).to_parquet(frame)
    done("predict", saved, frame, "--out", out)
    assert pd.read_csv(out)["predicted"].notna().all()


@pytest.mark.parametrize("anchor", ["6", "6=1500"])
def test_an_anchor_is_a_name_in_the_file(anchor: str, tmp_path: Path) -> None:
    games, out = write_games(tmp_path / "games.csv"), tmp_path / "board.csv"
    done("rank", games, "--anchor", anchor, "--out", out)
    board = pd.read_csv(out, dtype={"item": str}).set_index("item")
    assert board.loc["6", "low"] == board.loc["6", "high"]
    pd.read_csv(games).to_parquet(tmp_path / "games.parquet")
    done("rank", tmp_path / "games.parquet", "--anchor", anchor)


@pytest.mark.parametrize(("first", "then"), [(["1", "2", "X9"], ["1", "2"]), (["1", "2"], ["1 ", " 2"])])
def test_classes_are_known_again(first: list[str], then: list[str], tmp_path: Path) -> None:
    train, test, saved = (tmp_path / name for name in ("train.csv", "test.csv", "m.skops"))
    for path, labels in ((train, first), (test, then)):
        rows = [f"{10 * k + noise},{label}" for k, label in enumerate(labels) for noise in range(5)]
        path.write_text("\n".join(["x,class", *rows]) + "\n")
    done("fit", train, "--model", "coded-classifier", "--save", saved)
    assert "accuracy 1.0000" in done("evaluate", saved, test, "--bootstrap", 10)


def test_a_class_never_seen_is_the_only_one_named(tmp_path: Path) -> None:
    train, test, saved = (tmp_path / name for name in ("train.csv", "test.csv", "m.skops"))
    train.write_text("x,class\n" + "0,1\n5,2\n" * 6)
    test.write_text("x,class\n0,1\n5,X9\n")
    done("fit", train, "--model", "coded-classifier", "--save", saved)
    assert "the labels 'X9' were not seen" in sentence("evaluate", saved, test)


def test_counts_are_no_outcome(tmp_path: Path) -> None:
    counts = tmp_path / "counts.csv"
    counts.write_text("i,j,win_i,win_j\na,b,19,22\nb,c,16,19\n")
    said = sentence("rank", counts, "--outcome", "win_i", "--outcome", "win_j")
    assert "'win_i' and 'win_j' look like counts" in said
    assert "say --outcome-format 'score'" in said
