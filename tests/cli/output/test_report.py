import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, Comparisons, Elo, datasets
from podium.cli.options.registry import MODELS
from podium.cli.output.report import _calibration
from podium.leaderboard.calibration import SCORE, Calibration
from podium.options import Reading
from tests.cli.runs import CHESS, DOUBLES, VOTES, done, file_for, podium, sentence, write_offers


@pytest.mark.parametrize("model", ["bradley-terry", "elo", "glicko"])
def test_rank_reports_by_every_model(tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "report.html"
    monkeypatch.setattr("sys.argv", ["podium", "rank", "club games.csv"])
    assert "reported in" in done("rank", CHESS, "--model", model, "--report", page)
    text = page.read_text()
    assert "<h1>chess_club.csv</h1>" in text
    assert "<span>&#x27;club games.csv&#x27;</span>" in text
    assert "<dt>comparisons</dt><dd>910</dd>" in text
    assert "came true, %" in text


def test_a_report_has_the_title_and_description_of_its_author(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    words = ["--title", "Our <club>", "--description", "Games since 2020.\n\nWithout blitz."]
    done("rank", CHESS, "--report", page, *words)
    text = page.read_text()
    assert "<h1>Our &lt;club&gt;</h1>" in text
    assert "<title>Our &lt;club&gt;</title>" in text
    assert text.count('<p class="description">') == 2
    assert "All opponents of" in text
    said = sentence("rank", CHESS, *words[2:])
    assert said == "podium: --description is for the report; add --report FILE.html"


def test_rank_reports_on_groups_and_teams(tmp_path: Path) -> None:
    done("rank", VOTES, "--group", "judge", "--bootstrap", 10, "--report", tmp_path / "votes.html")
    assert "5 folds of groups" in (tmp_path / "votes.html").read_text()
    done("rank", DOUBLES, "--team-separator", "/", "--report", tmp_path / "doubles.html")
    assert "<dt>teams of</dt>" in (tmp_path / "doubles.html").read_text()


def test_evaluate_reports_on_comparisons_and_on_rows(tmp_path: Path) -> None:
    saved, page = tmp_path / "model.skops", tmp_path / "page.html"
    done("fit", CHESS, "--model", "bradley-terry", "--save", saved)
    words = ["--title", "How good?", "--description", "All games."]
    assert "reported in" in done("evaluate", saved, CHESS, "--bootstrap", 20, "--report", page, *words)
    text = page.read_text()
    assert "<h1>How good?</h1>" in text
    for part in ("<h2>Scores</h2>", "calibration error", "basic bootstrap", "came true, %", "BradleyTerry()"):
        assert part in text
    assert "<dt>comparisons</dt><dd>910</dd>" in text
    file, how = file_for(MODELS["swapped-pairs-svm"], tmp_path)
    done("fit", file, "--model", "swapped-pairs-svm", *how, "--save", saved)
    done("evaluate", saved, file, "--bootstrap", 20, "--report", page)
    text = page.read_text()
    assert "swapped pairs" in text
    assert "Calibration" not in text
    assert "<dt>rows</dt><dd>60</dd>" in text


def test_compare_reports(tmp_path: Path) -> None:
    page, options = tmp_path / "page.html", ["--folds", 2, "--bootstrap", 20]
    models = ["--model", "svm-compare-lp", "--model", "linear-compare", "--model", "svm-rank"]
    done("compare", write_offers(tmp_path), *options, *models, "--report", page, "--title", "Which one?")
    text = page.read_text()
    assert "<h1>Which one?</h1>" in text
    assert "<h2>Behind the best</h2>" in text
    assert "2 models, 80 rows, 95\N{NO-BREAK SPACE}% intervals" in text
    assert "<li>svm-compare-lp: " in text
    assert "2 folds" in text
    done("compare", CHESS, *options, "--model", "elo", "--report", page)
    assert "Behind" not in page.read_text()


def test_the_report_says_nothing_of_fonts_for_a_picture(tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    games.write_text("left,right,outcome\n\U000131a0,b,left\nb,\U000131a0,left\n", "utf-8")
    page = tmp_path / "report.html"
    result = podium("rank", games, "--plot", tmp_path / "board.png", "--report", page)
    assert "no font" in result.stderr or "U0010fffd" in result.stderr + result.stdout
    assert "no font" not in page.read_text()


def test_the_report_repeats_the_warnings(tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    games.write_text("left,right,outcome\na,b,left\nc,d,left\nd,c,left\n")
    result = podium("rank", games, "--report", tmp_path / "report.html")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "report.html").read_text()
    assert text.count("the items form 2 groups") == 1
    assert "too few comparisons to say: 3" in text


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("report.pdf", "ends in none of .html and .htm"),
        ("nowhere/report.html", "there is no folder"),
        (".", "ends in none of"),
    ],
)
def test_a_wrong_target_is_found_before_the_work(
    path: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in sentence("rank", CHESS, "--report", path)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = podium("rank", CHESS, "--report", tmp_path / "report.html")
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert "report.html' cannot be used: no space left on device" in result.stderr
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------ unseen rows


def noise(n: int, n_items: int) -> Comparisons:
    rng = np.random.default_rng(0)
    left = rng.integers(n_items, size=n)
    right = (left + rng.integers(1, n_items, size=n)) % n_items
    return Comparisons.from_arrays(left, right, rng.choice([-1, 1], size=n))


def slope(found: Calibration | str) -> float:
    assert isinstance(found, Calibration)
    [curve] = found.curves
    bins = curve.bins
    return float(np.polyfit(bins.predicted, bins.observed, 1, w=bins.weight)[0])


def test_calibration_on_held_out_rows_exposes_a_fit_to_noise() -> None:
    """With many items and few games, a model memorises its own rows but cannot predict others."""
    c = noise(600, 100)
    model = BradleyTerry(prior=0.5).fit(c)
    seen = Calibration.of(np.asarray(c.outcome), model.predict_proba(c), c.weight, "")
    assert slope(seen) > 0.9
    assert abs(slope(_calibration(model, c, Reading()))) < 0.3


def test_ratings_are_checked_on_games_to_come() -> None:
    c = datasets.load_chess_club()
    found = _calibration(Elo().fit(c), c, Reading())
    assert isinstance(found, Calibration)
    [curve] = found.curves
    assert curve.title == SCORE
    assert curve.bins.weight.sum() == pytest.approx(0.8 * len(c))  # without the first fifth
    assert abs(slope(_calibration(Elo().fit(n := noise(600, 100)), n, Reading()))) < 0.5


def test_later_rows_are_predicted_from_earlier_ones(tmp_path: Path) -> None:
    games = pd.read_csv(CHESS).assign(day=lambda frame: range(len(frame)))
    games.to_csv(tmp_path / "games.csv", index=False)
    done("rank", tmp_path / "games.csv", "--time", "day", "--report", tmp_path / "report.html")
    assert "tested on the 228 rows from 682 on" in (tmp_path / "report.html").read_text()


def test_ties_that_are_ignored_are_not_predicted() -> None:
    c = datasets.load_chess_club()
    found = _calibration(BradleyTerry(ties="ignore").fit(c), c, Reading())
    assert isinstance(found, Calibration)
    [curve] = found.curves
    assert curve.title == "left better"
    assert curve.bins.weight.sum() == pytest.approx(np.sum(np.asarray(c.outcome) != 0))


def test_strangers_leave_nothing_to_check(tmp_path: Path) -> None:
    with (tmp_path / "games.csv").open("w") as file:
        csv.writer(file).writerows(
            [["left", "right", "outcome"], *([f"a{k}", f"b{k}", "left"] for k in range(50))]
        )
    result = podium("rank", tmp_path / "games.csv", "--report", tmp_path / "report.html")
    assert result.exit_code == 0, result.output
    assert "they share no items" in (tmp_path / "report.html").read_text()
