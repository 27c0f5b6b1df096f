"""podium update: what is learned in parts is what is learned at once, and no row is learned twice."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium import Elo, Glicko, datasets, load, read_comparisons
from podium.saving.files import about
from tests.cli.runs import CHESS, done, podium, sentence, write_offers

GAMES = pd.read_csv(CHESS)
EARLY = GAMES["season"] < 2023


@pytest.fixture
def halves(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "games"
    folder.mkdir()
    for name, rows in (("early", EARLY), ("late", ~EARLY)):
        GAMES[rows].to_csv(folder / f"{name}.csv", index=False)
    return folder / "early.csv", folder / "late.csv"


@pytest.mark.parametrize(("name", "model"), [("elo", Elo()), ("glicko", Glicko())])
def test_two_parts_are_the_whole(
    name: str, model: Elo | Glicko, halves: tuple[Path, Path], tmp_path: Path
) -> None:
    early, late = halves
    saved, again = tmp_path / "model.skops", tmp_path / "again.skops"
    done("fit", early, "--model", name, "--time", "season", "--save", saved)
    before = saved.read_bytes()
    said = done("update", saved, late, "--save", again)
    assert "Ada" in said
    assert saved.read_bytes() == before
    model.fit(read_comparisons(CHESS, time="season"))
    np.testing.assert_allclose(load(again).rating_, model.rating_)
    facts = about(again)
    assert (facts["rows"], facts["last"], facts["model"]) == (910, "2025", name)
    assert "910 rows" in done("predict", again, CHESS, "--out", tmp_path / "out.csv")


def test_a_nightly_run_learns_from_every_row_once(halves: tuple[Path, Path], tmp_path: Path) -> None:
    early, _ = halves
    saved, pattern = tmp_path / "model.skops", str(early.parent / "*.csv")
    done("fit", early, "--model", "elo", "--time", "season", "--save", saved)
    assert "rows are from before 2022" in sentence("update", saved, pattern, "--save", saved)
    said = done("update", saved, pattern, "--since", "last", "--save", saved)
    assert f"left out: {EARLY.sum()} of 910 rows up to 2022" in said
    ratings = load(saved).rating_
    np.testing.assert_allclose(ratings, Elo().fit(read_comparisons(CHESS, time="season")).rating_)
    said = done("update", saved, pattern, "--since", "last", "--save", saved)
    assert "nothing new since 2025; the model stays as it is" in said
    np.testing.assert_array_equal(load(saved).rating_, ratings)
    assert about(saved)["rows"] == 910
    assert "no row is later than 2025" in sentence("evaluate", saved, pattern, "--since", "last")


def test_rows_of_the_latest_time_are_learned_from_with_a_warning(tmp_path: Path) -> None:
    saved, new = tmp_path / "model.skops", tmp_path / "new.csv"
    done("fit", CHESS, "--model", "elo", "--time", "season", "--save", saved)
    new.write_text("season,white,black,result\n2025,Ada,Boris,1-0\n")
    result = podium("update", saved, new, "--save", tmp_path / "again.skops")
    assert result.exit_code == 0
    assert "1 rows are from 2025, the latest time that the model has seen" in result.stderr


def test_new_rows_of_the_latest_time_are_not_left_out_in_silence(tmp_path: Path) -> None:
    saved, games = tmp_path / "model.skops", tmp_path / "games.csv"
    GAMES.to_csv(games, index=False)
    done("fit", games, "--model", "elo", "--time", "season", "--save", saved)
    update = ("update", saved, games, "--since", "last", "--save", saved)
    assert not podium(*update).stderr
    assert not podium(*update).stderr  # what the model has seen stays known
    pd.concat([GAMES, GAMES[-2:]]).to_csv(games, index=False)
    assert (
        "184 rows from 2025, the latest time that the model has seen, are left out" in podium(*update).stderr
    )
    GAMES[-2:].to_csv(tmp_path / "new.csv", index=False)
    done("update", saved, tmp_path / "new.csv", "--save", saved)
    assert not podium(*update).stderr


def test_newcomers_are_named(tmp_path: Path) -> None:
    saved, new = tmp_path / "model.skops", tmp_path / "new.csv"
    done("fit", CHESS, "--model", "elo", "--save", saved)
    new.write_text("white,black,result\nZoe,Ada,1-0\nZed,Zoe,1/2-1/2\n")
    said = done("update", saved, new, "--save", tmp_path / "again.skops")
    assert "2 newcomers started at 1200: 'Zed' and 'Zoe'" in said
    model = Elo().fit(datasets.load_chess_club()).update(read_comparisons(new))
    np.testing.assert_allclose(load(tmp_path / "again.skops").rating_, model.rating_)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["online-svm-rank", "linear-compare"])
def test_models_of_features_go_on(name: str, tmp_path: Path) -> None:
    first, second = write_offers(tmp_path), write_offers(tmp_path, seed=1)
    saved, again = tmp_path / "model.skops", tmp_path / "again.skops"
    done("fit", first, "--model", name, "--set", "random_state=0", "--save", saved)
    assert "learned from 80 comparisons" in done("update", saved, second, "--save", again)
    model = load(saved).partial_fit(read_comparisons(second))
    np.testing.assert_allclose(load(again).coef_, model.coef_)


def test_labelled_rows_go_on(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    table = pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.where(X[:, 0] > 0, "up", "down"))
    for name, rows in (("one", slice(0, 40)), ("two", slice(40, 60))):
        table[rows].to_csv(tmp_path / f"{name}.csv", index=False)
    saved, again = tmp_path / "model.skops", tmp_path / "again.skops"
    done("fit", tmp_path / "one.csv", "--model", "online-svc", "--label", "kind", "--save", saved)
    assert "learned from 20 rows with 2 features" in done(
        "update", saved, tmp_path / "two.csv", "--save", again
    )
    assert load(again).n_steps_ == load(saved).n_steps_ + 20


@pytest.mark.parametrize(
    ("fitted", "how"),
    [
        (
            ["--model", "bradley-terry"],
            "bradley-terry cannot go on from a saved model; fit it to all data again",
        ),
        (["--model", "elo", "--calibrate"], "calibrated elo cannot go on from a saved model"),
    ],
)
def test_what_does_not_stream_says_what_to_do(fitted: list[str], how: str, tmp_path: Path) -> None:
    saved = tmp_path / "model.skops"
    done("fit", CHESS, *fitted, "--save", saved)
    said = sentence("update", saved, CHESS, "--save", tmp_path / "again.skops")
    assert how in said
    assert f"'podium fit OLD {CHESS} --model" in said
    assert not (tmp_path / "again.skops").exists()


def test_times_of_another_kind_are_refused(tmp_path: Path) -> None:
    saved, old, new = tmp_path / "elo.skops", tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("date,home,away,result\n2022-04-03,A,B,1-0\n2022-04-04,B,A,2-0\n")
    new.write_text("date,home,away,result\n7,A,B,1-0\n8,B,A,2-0\n")
    done("fit", old, "--model", "elo", "--time", "date", "--save", saved)
    assert about(saved)["last"] == "2022-04-04"
    for options in ([], ["--since", "last"]):
        said = sentence("update", saved, new, *options, "--save", saved)
        assert "the model has seen times up to 2022-04-04, but the times of these rows are of another" in said


def test_a_failed_update_leaves_the_file_alone(tmp_path: Path) -> None:
    saved, new = tmp_path / "model.skops", tmp_path / "new.csv"
    done("fit", CHESS, "--model", "elo", "--save", saved)
    before = saved.read_bytes()
    new.write_text("white,black,result\nZoe,Ada,nonsense\n")
    sentence("update", saved, new, "--save", saved)
    assert saved.read_bytes() == before
    assert "fitted with times" in sentence("update", saved, CHESS, "--since", "last", "--save", saved)
    assert "written over a file that is read" in sentence("update", saved, saved, "--save", saved)


def test_rows_without_a_time_are_refused_by_a_model_that_has_seen_times(tmp_path: Path) -> None:
    """They may be those that it has learned from."""
    games, saved = tmp_path / "games.csv", tmp_path / "model.skops"
    GAMES.rename(columns={"season": "time"}).to_csv(games, index=False)
    done("fit", games, "--model", "elo", "--save", saved)
    before = saved.read_bytes()
    GAMES.drop(columns="season").to_csv(games, index=False)
    assert "rows have no time" in sentence("update", saved, games, "--save", saved)
    assert saved.read_bytes() == before
