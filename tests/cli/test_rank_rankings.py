"""podium rank recognises rankings and ranks their items with PlackettLuce."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium import PlackettLuce, read_rankings
from tests.cli.runs import CHESS, done, podium, sentence, write_races

WIDE = "race,rank1,rank2,rank3\n1,a,b,c\n2,b,a,c\n3,c,a,\n4,b,c,a\n"
LONG = "race,driver,place\n1,a,1\n1,b,2\n1,c,3\n2,b,1\n2,a,2\n2,c,3\n3,c,1\n3,a,2\n4,b,1\n4,c,2\n4,a,3\n"
TEXT = "vote\na > b > c\nb > a > c\nc > a\nb > c > a\n"
PREFLIB = (
    "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: c\n"
    "1: 1,2,3\n1: 2,1,3\n1: 3,1\n1: 2,3,1\n"
)
CHOICES = "chosen,alternatives\na,a;b;c\nb,a;b\nc,b;c\na,a;c\nb,b;c\nc,a;c\n"


def written(folder: Path, text: str, name: str = "file.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("text", "name"),
    [(WIDE, "a.csv"), (LONG, "a.csv"), (TEXT, "a.csv"), (PREFLIB, "a.soi")],
    ids=["wide", "long", "text", "preflib"],
)
def test_every_layout_is_recognised_and_gives_the_same_board(tmp_path: Path, text: str, name: str) -> None:
    file, out = written(tmp_path, text, name), tmp_path / "board.csv"
    said = done("rank", file, "--out", out)
    assert "Rankings: 4 rankings of 3 items, connected" in said
    rankings = read_rankings(pd.DataFrame({"vote": ["a > b > c", "b > a > c", "c > a", "b > c > a"]}))
    board = PlackettLuce().fit(rankings).leaderboard()
    saved = pd.read_csv(out)
    assert saved["item"].tolist() == board.item.tolist()
    np.testing.assert_allclose(saved["score"], board.score)
    np.testing.assert_allclose(saved["low"], board.low)


def test_choices_are_recognised(tmp_path: Path) -> None:
    said = done("rank", written(tmp_path, CHOICES))
    assert "chosen (chosen item)" in said
    assert "Rankings: 6 choices of 3 items, connected" in said


def test_scores_are_read_if_asked_for(tmp_path: Path) -> None:
    """No header tells that its columns are scores."""
    file = written(tmp_path, "ann,bob,cat\n3,1,2\n2,3,1\n1,1,5\n4,2,\n")
    assert "3 items, 1 with ties" in done("rank", file, "--kind", "scores")
    first, last = (
        done("rank", file, "--kind", "scores", *more).partition("won/tied/lost")[2].split()
        for more in ([], ["--lower-is-better"])
    )
    assert first[first.index("bob") + 1] < last[last.index("bob") + 1]
    assert "--left and --right" in sentence("rank", file)


def test_the_options_of_rankings_name_columns(tmp_path: Path) -> None:
    columns = {"race": "cup", "driver": "who", "place": "came"}
    file = write_races(tmp_path)
    other = tmp_path / "other.csv"
    pd.read_csv(file).rename(columns=columns).to_csv(other, index=False)
    options = ["--ballot", "cup", "--item", "who", "--place", "came"]
    said = done("rank", other, *options)
    assert "cup (ballot), who (item), came (place; 6 without a place (DNF)" in said
    assert done("rank", file).partition("rank item")[2] == said.partition("rank item")[2]
    assert "6 without a place (DNF): left out" in done("rank", other, *options, "--dnf", "drop")


def test_short_ballots(tmp_path: Path) -> None:
    file = written(tmp_path, "vote\na > b\nb > a > c\nc\na\n", "short.csv")
    assert "3 of 4 rankings leave items out: taken as absent" in done("rank", file)
    assert "3 with an unordered rest" in done("rank", file, "--unranked", "last")


def test_columns_of_the_other_layouts_can_be_named(tmp_path: Path) -> None:
    wide = written(tmp_path, "gold,silver\na,b\nb,a\na,b\n", "wide.csv")
    assert "3 rankings of 2 items" in done("rank", wide, "--rank-column", "gold", "--rank-column", "silver")
    text = written(tmp_path, "opinion\na > b\nb > a\na > b\n", "text.csv")
    assert "3 rankings of 2 items" in done("rank", text, "--ranking-column", "opinion")
    choices = written(tmp_path, "took,menu\na,a+b\nb,a+b\n", "choices.csv")
    assert "2 choices of 2 items" in done("rank", choices, "--chosen", "took", "--separator", "+")


def test_a_file_that_could_be_both_holds_comparisons(tmp_path: Path) -> None:
    rows = "player_1,player_2,rank_1,rank_2,winner\nann,bob,1,2,ann\nbob,ann,2,1,ann\nann,bob,1,2,bob\n"
    file = written(tmp_path, rows)
    assert "player_1 and player_2 (sides)" in done("rank", file)
    assert "rank_1, rank_2 (items, best first)" in done("rank", file, "--rankings")
    unfinished = written(tmp_path, "player_1,player_2,rank_1,rank_2\nann,bob,1,2\n", "unfinished.csv")
    assert "the outcome" in sentence("rank", unfinished)


def test_named_sides_make_comparisons(tmp_path: Path) -> None:
    file = written(tmp_path, "driver,rival,place,ahead\nann,bob,1,ann\nbob,ann,1,ann\nann,bob,2,bob\n")
    options = ["--left", "driver", "--right", "rival", "--outcome", "ahead"]
    assert "Comparisons: 3 comparisons" in done("rank", file, *options)


def test_options_of_the_board(tmp_path: Path) -> None:
    file, out = write_races(tmp_path), tmp_path / "board.csv"
    model = PlackettLuce(ties="ignore", prior=0.5).fit(read_rankings(str(file)))
    least = float(np.median(model.leaderboard().games))
    board = model.leaderboard(level=0.8, anchor=("driver B", 1000), scale="log", min_games=least)
    words = f"--level 0.8 --scale log --min-games {least} --prior 0.5 --ties ignore".split()
    done("rank", file, *words, "--anchor", "driver B=1000", "--out", out)
    saved = pd.read_csv(out)
    assert 0 < len(saved) < 8
    for name in ("score", "low", "high"):
        np.testing.assert_allclose(saved[name], getattr(board, name))


def test_errors_by_cluster_and_bootstrap(tmp_path: Path) -> None:
    races = pd.read_csv(write_races(tmp_path))
    file = tmp_path / "seasons.csv"
    races.assign(season=races["race"] % 10).to_csv(file, index=False)
    said = done("rank", file, "--covariance", "cluster", "--group", "season")
    assert "clustered by group (10 groups)" in said
    assert "30 rankings of 8 items" in said
    said = done("rank", file, "--bootstrap", 20, "--seed", 0, "--group", "season")
    assert "intervals: 20 bootstrap replicates" in said
    assert "--group" in sentence("rank", file, "--covariance", "cluster")


def test_rank_saves_a_picture_a_summary_and_a_report(tmp_path: Path) -> None:
    file = write_races(tmp_path)
    targets = [tmp_path / name for name in ("board.png", "table.csv", "page.html")]
    options = zip(["--plot", "--summary", "--report"], targets, strict=True)
    said = done("rank", file, *(word for pair in options for word in pair))
    assert all(target.stat().st_size > 100 for target in targets)
    assert "those below an item are won" in said
    page = targets[2].read_text()
    assert "8 items, 30 rankings" in page
    assert "Head to head" in page
    assert "Calibration" not in page
    choices = PlackettLuce().fit(read_rankings(str(file))).fit_.n_comparisons
    assert f"Summary: {choices:g} choices of 8 items" in done("rank", file, "--summary")


REFUSED = (
    "--control x", "--neutral x", "--drop-ties", "--team-separator +", "--order-effect", "--half-life 2y",
    "--judges", "--by race", "--ties half", "--ties rao-kupper", "--left driver --rankings",
)  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_options_of_comparisons_are_refused(tmp_path: Path, words: str) -> None:
    said = sentence("rank", write_races(tmp_path), *words.split())
    assert "is for comparisons" in said
    assert words.split()[0] in said


def test_models_of_comparisons_are_refused(tmp_path: Path) -> None:
    file = write_races(tmp_path)
    for model in ("elo", "glicko", "bradley-terry"):
        assert f"{model} learns from comparisons" in sentence("rank", file, "--model", model)
    assert done("rank", file, "--model", "plackett-luce") == done("rank", file)
    assert "--period is for" in sentence("rank", file, "--period", "day")
    assert "no columns are known to hold rankings" in sentence("rank", CHESS, "--model", "plackett-luce")


def test_what_is_missing_is_said_in_options(tmp_path: Path) -> None:
    file = written(tmp_path, "season,round,driver,place\n1,1,a,1\n1,1,b,2\n")
    assert "name it with --ballot" in sentence("rank", file)
    assert podium("rank", file, "--ballot", "season", "--ballot", "round", "--prior", 1).exit_code == 0
    mixed = written(tmp_path, "race,driver,place,rank1,rank2\n1,a,1,a,b\n", "mixed.csv")
    assert "--kind 'wide' or --kind 'long'" in sentence("rank", mixed)


def test_other_commands_point_to_rank(tmp_path: Path) -> None:
    file, saved = write_races(tmp_path), tmp_path / "model.skops"
    fit = ["fit", file, "--save", saved, "--model"]
    assert "learns from rankings; use 'podium rank FILE'" in sentence(*fit, "plackett-luce")
    assert "holds rankings; use 'podium rank FILE'" in sentence(*fit, "bradley-terry")
    assert "holds rankings; use 'podium rank FILE'" in sentence("compare", file)
    assert "learns from rankings" in sentence("compare", CHESS, "--model", "plackett-luce")
    done("fit", CHESS, "--model", "bradley-terry", "--save", saved)
    for command in ("predict", "evaluate"):
        assert "holds rankings" in sentence(command, saved, file)
