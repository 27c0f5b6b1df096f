import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, Elo, Glicko, Glicko2, datasets, read_comparisons
from tests.cli.runs import CHESS, DOUBLES, VOTES, done, podium, sentence, write_offers


def test_rank_saves_what_the_model_says(tmp_path: Path) -> None:
    out = tmp_path / "board.csv"
    result = podium("rank", CHESS, "--order-effect", "--out", out)
    assert result.exit_code == 0, result.output
    assert "Ada" in result.output
    saved = pd.read_csv(out)
    board = BradleyTerry(order_effect=True).fit(datasets.load_chess_club()).leaderboard()
    assert saved["item"].tolist() == board.item.tolist()
    np.testing.assert_allclose(saved["score"], board.score)
    np.testing.assert_allclose(saved["low"], board.low)


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "md"])
def test_rank_saves_in_every_form(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"board.{suffix}"
    assert podium("rank", CHESS, "--out", out).exit_code == 0
    assert out.stat().st_size > 100
    if suffix == "json":
        assert len(json.loads(out.read_text())) == 14


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "md"])
def test_rank_says_what_the_left_side_is_worth(tmp_path: Path, suffix: str) -> None:
    """By hand: the model's own estimate, and the interval of its bootstrap."""
    out, page = tmp_path / f"board.{suffix}", tmp_path / "page.html"
    said = done("rank", CHESS, "--order-effect", "--scale", "log", "--out", out, "--report", page)
    text = "advantage of the left side: 0.33 (0.16 to 0.51)"
    assert text in said
    assert text.capitalize() in page.read_text()
    if suffix == "md":
        assert text in out.read_text()
        return
    read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[suffix]
    columns = read(out)[["order_effect", "order_effect_low", "order_effect_high"]]
    model = BradleyTerry(order_effect=True).fit(datasets.load_chess_club())
    np.testing.assert_allclose(columns["order_effect"], model.order_effect_)
    ends = np.quantile(model.bootstrap(1000, random_state=0).order_effect, [0.025, 0.975])
    np.testing.assert_allclose(columns.iloc[0, 1:], ends, atol=0.03)


def test_rank_says_nothing_of_sides_if_not_asked() -> None:
    assert "left side" not in done("rank", CHESS)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_rank_draws(tmp_path: Path, suffix: str) -> None:
    picture = tmp_path / f"board.{suffix}"
    result = podium("rank", CHESS, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize("model", ["bradley-terry", "elo", "glicko"])
def test_rank_by_every_model(model: str) -> None:
    result = podium("rank", CHESS, "--model", model)
    assert result.exit_code == 0, result.output
    assert "Ada" in result.output


def test_rank_with_options() -> None:
    result = podium(
        "rank", VOTES, "--group", "judge", "--ties", "rao-kupper", "--prior", 0.5, "--bootstrap", 20,
        "--seed", 1, "--level", 0.9, "--anchor", "finch-13b=1000", "--min-games", 10, "--scale", "log",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "finch-13b" in result.output
    assert "90 %" in result.output


SKILLS = ["bradley-terry", "plackett-luce"]
PAIRS_OR_MOVING = ["bradley-terry", "dynamic-bradley-terry"]
SKILLS_OR_MOVING = [*SKILLS, "dynamic-bradley-terry"]


@pytest.mark.parametrize("model", ["elo", "glicko"])
@pytest.mark.parametrize(
    ("option", "takers"),
    [
        ("--ties half", SKILLS_OR_MOVING),
        ("--prior 0.5", SKILLS),
        ("--order-effect", PAIRS_OR_MOVING),
        ("--half-life 2", ["bradley-terry"]),
        ("--bootstrap 9", SKILLS),
        ("--seed 1", SKILLS),
        ("--scale log", SKILLS_OR_MOVING),
        ("--anchor Ada", SKILLS_OR_MOVING),
    ],
)
def test_what_a_rating_system_does_not_have_is_an_error(model: str, option: str, takers: list[str]) -> None:
    said = sentence("rank", CHESS, "--model", model, *option.split())
    models = " and ".join([", ".join(takers[:-1]), takers[-1]]) if takers[1:] else takers[0]
    assert f"{option.split()[0]} is for --model {models}, and would do nothing for {model}" in said


def test_several_such_options_are_one_sentence() -> None:
    said = sentence("rank", CHESS, "--model", "elo", "--scale", "log", "--order-effect")
    assert "--order-effect and --scale are for --model bradley-terry" in said
    said = sentence("rank", CHESS, "--model", "elo", "--level", 0.9)
    assert "glicko and glicko2, and would do nothing for elo; 'podium models elo' lists" in said
    assert "90 %" in done("rank", CHESS, "--model", "glicko", "--level", 0.9)
    done("rank", CHESS, "--model", "elo", "--scale", "elo", "--min-games", 5)  # printed in any case


@pytest.mark.parametrize(
    ("model", "setting", "estimator"),
    [
        ("elo", "k=24", Elo(k=24.0)),
        ("elo", "k=fide", Elo(k="fide")),
        ("glicko", "growth=30", Glicko(growth=30.0)),
        ("glicko2", "tau=0.3", Glicko2(tau=0.3)),
        ("bradley-terry", "ties=half", BradleyTerry(ties="half")),
    ],
)
def test_rank_takes_the_parameters_of_its_model(
    model: str, setting: str, estimator: Any, tmp_path: Path
) -> None:
    out = tmp_path / "board.csv"
    done("rank", CHESS, "--model", model, "--set", setting, "--out", out)
    c = datasets.load_chess_club()
    board = estimator.fit(c).leaderboard(*[c] * (model != "bradley-terry"))
    np.testing.assert_allclose(pd.read_csv(out)["score"], board.score)


def test_a_wrong_parameter_is_one_sentence() -> None:
    assert "elo has no parameter 'c'" in sentence("rank", CHESS, "--model", "elo", "--set", "c=1")
    said = sentence("rank", CHESS, "--ties", "half", "--set", "ties=ignore")
    assert "--ties and --set ties say the same" in said


def test_rank_teams() -> None:
    result = podium("rank", DOUBLES, "--team-separator", "/")
    assert result.exit_code == 0, result.output
    assert "Aiko" in result.output


def test_a_note_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("white,black,result\nann,bob,1-0\nbob,cat,1-0\ncat,bob,1-0\n")
    result = podium("rank", tmp_path / "games.csv")
    assert "have no finite maximum-likelihood estimate" in result.stdout
    assert not result.stderr


def test_rank_several_files(tmp_path: Path) -> None:
    games = pd.read_csv(CHESS)
    for half in (0, 1):
        games.iloc[half::2].to_csv(tmp_path / f"{half}.csv", index=False)
    result = podium("rank", tmp_path / "0.csv", tmp_path / "1.csv")
    assert "910 comparisons" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "there is no file"),
        ([CHESS, "--out", "board.xlsx"], "ends in none of"),
        ([CHESS, "--out", "nowhere/board.csv"], "there is no folder"),
        ([CHESS, "--plot", "board.bmp"], "ends in none of"),
        ([CHESS, "--prior", "strong"], "--prior is 'auto', 'normal' or a number"),
        ([CHESS, "--anchor", "Zoe"], "there is no item 'Zoe'"),
        ([CHESS, "--left", "who", "--right", "black"], "no column 'who'"),
        ([CHESS, "--level", "2"], "level"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments: list[str], message: str) -> None:
    result = podium("rank", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


def test_a_file_without_names_has_nobody_to_rank(tmp_path: Path) -> None:
    said = sentence("rank", write_offers(tmp_path))
    assert "names no items to rank" in said
    assert "podium fit" in said


def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    games.write_text("left,right,outcome\n[red]x[/],=1+1,left\n=1+1,[red]x[/],left\n")
    result = podium("rank", games, "--out", tmp_path / "board.csv")
    assert "[red]x[/]" in result.stdout
    assert "'=1+1" in (tmp_path / "board.csv").read_text()


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = done("demo")
    assert "Ada" in said
    assert "skipped" not in said
    assert "Ada" in Path("podium-demo.html").read_text()
    assert Path("podium-demo.png").stat().st_size > 1000


def test_demo_without_matplotlib(tmp_path: Path) -> None:
    """In a process of its own, where nothing has loaded matplotlib before."""
    code = "import sys; sys.modules['matplotlib'] = None; from podium.cli import main; main()"
    command = [sys.executable, "-c", code, "demo"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Ada" in result.stdout
    skipped = "skipped the picture, as plots need matplotlib: pip install 'podium-learn[plot]'"
    assert " ".join(result.stdout.split()).endswith(f"{skipped} reported in podium-demo.html")
    assert [path.name for path in tmp_path.iterdir()] == ["podium-demo.html"]
    assert "Ada" in (tmp_path / "podium-demo.html").read_text()


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "md"])
def test_rank_by_category(suffix: str, tmp_path: Path) -> None:
    out, picture, page = tmp_path / f"boards.{suffix}", tmp_path / "boards.png", tmp_path / "page.html"
    said = done("rank", CHESS, "--by", "season", "--out", out, "--plot", picture, "--report", page)
    assert "season (category)" in said
    assert "item overall 2021 2022 2023 2024 2025" in said
    assert "ranks overall and by category, 5 of them" in said
    assert picture.stat().st_size > 1000
    assert "By season" in page.read_text()
    c = read_comparisons(CHESS, category="season")
    boards = BradleyTerry().fit(c).leaderboard(by="category")
    if suffix != "md":
        read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[suffix]
        np.testing.assert_allclose(read(out)["score"], boards.to_frame()["score"])


def test_rank_by_category_with_judges(tmp_path: Path) -> None:
    """Groups for the bootstrap, categories for the boards."""
    votes = pd.read_csv(VOTES)
    votes["language"] = np.where(np.arange(len(votes)) % 3, "en", "de")
    votes.to_csv(tmp_path / "votes.csv", index=False)
    options = ["--group", "judge", "--bootstrap", 20, "--seed", 0]
    said = done("rank", tmp_path / "votes.csv", "--by", "language", *options)
    assert "item overall en de" in said  # the largest first
    assert "--by is for --model bradley-terry" in sentence("rank", CHESS, "--by", "season", "--model", "elo")
    assert "there is no column 'tongue'" in sentence("rank", VOTES, "--by", "tongue")


def test_rows_to_rank_can_be_chosen() -> None:
    said = done("rank", CHESS, "--where", "season > 2022", "--dedup", "season,left,right", "--drop-ties")
    games = pd.read_csv(CHESS).query("season > 2022")
    once = games.drop_duplicates(["season", "white", "black"])
    decided = once[once["result"] != "1/2-1/2"]
    assert f"{len(decided)} comparisons of 14 items, no ties" in said
    assert f"{len(once) - len(decided)} ties" in said
    assert f"{(games['season'] >= 2024).sum()} comparisons" in done(
        "rank", CHESS, "--time", "season", "--since", 2024
    )


CLUB = (
    "Date;White;Black;Result\n05.09.2022;Ann;Bob;1-0\n05.09.2022;Cat;;\n12.09.2022;Bob;Cat;½-½\n"
    "12.09.2022;Cat;Ann;0,5\n01.10.2022;Cat;Bob;0-1\n"
)


def test_rank_leaves_out_what_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    path.write_text(CLUB, encoding="utf-8")
    said = sentence("rank", path)
    assert said.endswith("--skip-invalid leaves out what cannot be read, 1 of 5 rows")
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("left,right,outcome\na,b,nil-nil\na,b,\nb,a,left\nb,a,right\na,b,tie\n")
    assert sentence("rank", foreign).endswith(
        "2 of 5 rows: no outcome (1), an outcome not understood (1); the first: line 2, an outcome not "
        "understood: 'nil-nil'"
    )
    result = podium("rank", path, "--skip-invalid")
    assert result.exit_code == 0
    assert "4 comparisons of 3 items" in " ".join(result.stdout.split())
    assert result.stderr == (
        "podium: 1 of 5 rows cannot be read: nothing in 'Black' (1); the first: line 3, nothing in 'Black'; "
        "they are left out\n"
    )


@pytest.mark.parametrize("model", [Elo, Glicko])
def test_rank_by_period(model: Any, tmp_path: Path) -> None:
    path, out = tmp_path / "club.csv", tmp_path / "board.csv"
    path.write_text(CLUB, encoding="utf-8")
    name = model.__name__.lower()
    podium(
        "rank", path, "--skip-invalid", "--time", "Date", "--model", name, "--period", "month", "--out", out
    )
    with pytest.warns(UserWarning, match="left out"):
        c = read_comparisons(path, time="Date", bad_rows="skip")
    expected = model(period="month").fit(c)
    saved = pd.read_csv(out).set_index("item")["score"]
    np.testing.assert_allclose(saved[expected.items_], expected.rating_)
    assert not np.allclose(expected.rating_, model().fit(c).rating_)


def test_rank_refuses_periods_it_cannot_have(tmp_path: Path) -> None:
    assert "--period is for --model elo, glicko and glicko2" in sentence("rank", CHESS, "--period", "month")
    elo = ("rank", CHESS, "--model", "elo", "--period")
    assert sentence(*elo, "month").endswith("needs the time of every game; name its column with --time")
    assert "'time' has numbers" in sentence(*elo, "month", "--time", "season")
    assert "not 'fortnight'" in sentence(*elo, "fortnight", "--time", "season")


def test_rank_asks_for_the_order_of_dates(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("left,right,outcome,time\na,b,left,03/04/2022\nb,a,left,05/06/2022\n")
    assert sentence("rank", path).endswith("say it with --dates 'dmy' or --dates 'mdy'")
    assert "time (time, day first)" in done("rank", path, "--dates", "dmy")


def test_rank_by_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome\na,b,0.7\nb,c,0.6\nc,a,0.5\n")
    said = done("rank", path, "--outcome-format", "probability")
    assert "outcome (probability that the left side is better)" in said


# ------------------------------------------------------------------------------------ judges


def votes_with_a_left_clicker(folder: Path) -> Path:
    votes = pd.read_csv(VOTES)
    votes.loc[votes["judge"] == "judge-07", "winner"] = "model_a"
    path = folder / "votes.csv"
    votes.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_rank_shows_and_saves_judges(tmp_path: Path, suffix: str) -> None:
    votes, out, page = (
        votes_with_a_left_clicker(tmp_path),
        tmp_path / f"judges.{suffix}",
        tmp_path / "page.html",
    )
    said = done("rank", votes, "--group", "judge", "--judges", "--judges-out", out, "--report", page)
    model = BradleyTerry().fit(read_comparisons(votes, group="judge"))
    expected = model.judges()
    alpha = expected.attrs["krippendorff_alpha"]
    assert f"40 judges, 1 flagged; Krippendorff's α of the votes on each pair: {alpha:.3f}" in said
    assert said.index("judge-07") < said.index("judge-00")
    assert "prefers the left side" in said
    saved = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[suffix](out)
    assert saved["judge"][0] == "judge-07"
    assert saved["flagged"].tolist() == [True] + [False] * 39
    by_name = saved.set_index("judge")["log_loss"].loc[expected["judge"]]
    np.testing.assert_allclose(by_name, expected["log_loss"])
    assert "<h2>Judges</h2>" in page.read_text()
    assert "prefers the left side" in page.read_text()


def test_winners_in_the_first_column_say_nothing_about_sides(tmp_path: Path) -> None:
    path, page = tmp_path / "won.csv", tmp_path / "page.html"
    rng = np.random.default_rng(0)
    games = [rng.choice(["ann", "bob", "cat", "dan"], 2, replace=False) for _ in range(120)]
    rows = [f"{'uvwxyz'[k % 6]},{first},{second},{first}" for k, (first, second) in enumerate(games)]
    path.write_text("\n".join(["judge,left,right,winner", *rows]))
    said = done("rank", path, "--group", "judge", "--judges", "--report", page)
    assert "6 judges, 0 flagged" in said
    assert "the winner is always on the left, so sides are not tested" in " ".join(said.split())
    assert "The winner is always on the left" in page.read_text()
    assert 'class="calibration"' not in page.read_text()


def test_rank_does_not_speak_of_judges_if_not_asked(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert "Krippendorff" not in done("rank", VOTES, "--group", "judge", "--report", page)
    assert "<h2>Judges</h2>" not in page.read_text()


def test_rank_says_what_judges_need(tmp_path: Path) -> None:
    assert "name the column of judges with --group" in sentence("rank", VOTES, "--judges")
    assert "--judges is for --model bradley-terry" in sentence("rank", VOTES, "--judges", "--model", "elo")
    bad = sentence("rank", VOTES, "--group", "judge", "--judges-out", tmp_path / "judges.txt")
    assert "judges.txt" in bad


@pytest.mark.parametrize("ballots", ["", "vote\n" + "a > b > c\nb > a > c\nc > a\nb > c > a\n" * 40])
def test_a_small_memory_gives_the_same_board(ballots: str, tmp_path: Path) -> None:
    """Equal games, and equal ballots, are counted."""
    (tmp_path / "ballots.csv").write_text(ballots)
    boards = []
    for name, options in (("all.csv", []), ("counted.csv", ["--memory", "1KB"])):
        file = tmp_path / "ballots.csv" if ballots else CHESS
        result = podium("rank", file, "--out", tmp_path / name, *options)
        assert result.exit_code == 0, result.output
        assert ("equal rows are counted" in result.output) == bool(options)
        boards.append(pd.read_csv(tmp_path / name))
    pd.testing.assert_frame_equal(*boards, rtol=1e-9)


def test_two_items_are_compared_in_a_sentence() -> None:
    said = " ".join(done("rank", CHESS, "--compare", "Elif", "--compare", "Ada").split())
    assert "Ada is better than Elif by 157 points" in said
    assert "to separate" not in said
    said = " ".join(done("rank", CHESS, "--compare", "Boris", "--compare", "Ada").split())
    assert "the data cannot tell whether Ada is better than Boris" in said
    assert "to separate Boris and Ada: about 1,106 more votes between them" in said
    said = " ".join(done("rank", CHESS, "--anytime", "--compare", "Boris", "--compare", "Ada").split())
    assert "whenever you look" in said
    assert "--compare A --compare B; it is given once" in sentence("rank", CHESS, "--compare", "Ada")
    assert "there is no item 'Bob'" in sentence("rank", CHESS, "--compare", "Ada", "--compare", "Bob")
    assert "--compare is for" in sentence("rank", CHESS, "--model", "elo", "--compare", "A", "--compare", "B")


def test_several_groups_and_what_decides_the_board(tmp_path: Path) -> None:
    votes = datasets.load_model_votes().to_frame()
    votes = votes.rename(columns={"group": "worker"}).assign(prompt=np.arange(len(votes)) % 40)
    votes.to_csv(tmp_path / "votes.csv", index=False)
    groups = ("--group", "judge=worker", "--group", "prompt")
    shown = done("rank", tmp_path / "votes.csv", *groups, "--covariance", "cluster", "--fragility")
    assert "worker (group judge), prompt (group)" in shown
    assert "--group: judges are those of 'judge', the first of several groups" in shown
    assert "standard errors: clustered by judge (40 groups) and prompt (40 groups)" in shown
    model = BradleyTerry().fit(read_comparisons(tmp_path / "votes.csv", group={"judge": "worker"}))
    assert str(model.fragility()) in shown
    assert str(model.fragility(by="judge")) in shown
    assert "prompts (" in shown or "No prompts were found" in shown
    said = sentence("rank", tmp_path / "votes.csv", "--model", "elo", "--fragility")
    assert "--fragility is for --model bradley-terry" in said
    kinds = tmp_path / "kinds.csv"
    kinds.write_text("left,right,winner,kind\n" + "a,b,a,human\na,b,b,human\na,b,a,model\na,b,b,model\n" * 30)
    said = sentence("rank", kinds, "--judge-kind", "kind", "--fragility")
    assert "kinds of judges and fragility do not work together" in said
