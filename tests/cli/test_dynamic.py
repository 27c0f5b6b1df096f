"""``podium rank --dynamic``: skills that move, their history, and the board of a date."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import DynamicBradleyTerry, read_comparisons
from tests.cli.runs import CHESS, done, podium, sentence
from tests.web.parsed import Parsed


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a year of games of five clubs; the first gets better, the last one worse."""
    rng = np.random.default_rng(0)
    clubs = np.array(list("ABCDE"))
    day: Any = np.repeat(np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-07-01"), 2), 2)
    home, away = np.array([rng.permutation(5)[:2] for _ in day]).T
    years = (day - np.datetime64("2020-04-01")) / np.timedelta64(365, "D")
    edge = 0.4 + 2 * years * (away - home) + rng.logistic(size=len(day))
    result = np.array(["away", "draw", "home"])[np.digitize(edge, [-0.4, 0.4])]
    path = tmp_path_factory.mktemp("league") / "league.csv"
    games = {"Date": day, "home": clubs[home], "away": clubs[away], "result": result}
    pd.DataFrame(games).to_csv(path, index=False)
    return path


FIXED = "--set drift=2 --set spread=0.5 --set reversion=0".split()  # nothing to search for


@pytest.fixture(scope="module")
def fitted(league: Path) -> DynamicBradleyTerry:
    return DynamicBradleyTerry(0.5, drift=2.0, reversion=0.0).fit(read_comparisons(league, time="Date"))


def test_the_board_and_what_is_below_it(league: Path, fitted: Any, tmp_path: Path) -> None:
    said = done("rank", league, "--dynamic", *FIXED, "--out", tmp_path / "board.csv")
    expected = fitted.leaderboard().to_frame()
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "board.csv"), expected)
    assert "Date (time)" in said
    assert "new items differ by 87 (standard deviation), and skills move by 347 in a year" in said
    history = fitted.history()
    top = history.loc[history["score"].idxmax()]
    assert f"highest ever: {top['item']} on {top['time']:%Y-%m-%d}, {top['score']:.0f} (" in said
    assert "biggest mover since 2020-01-0" in said  # there is less than a year, so from the first game of it
    assert "skills at" not in said


def test_the_board_of_a_date(league: Path, fitted: Any, tmp_path: Path) -> None:
    options = ["--at", "2020-02-01", "--out", tmp_path / "board.csv", "--report", tmp_path / "page.html"]
    said = done("rank", league, "--model", "dynamic-bradley-terry", *FIXED, *options)
    expected = fitted.leaderboard(at="2020-02-01")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "board.csv"), expected.to_frame())
    assert "skills at 2020-02-01, estimated from all comparisons, later ones included" in said
    assert expected.item.tolist() != fitted.leaderboard().item.tolist()
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    Parsed(page)
    assert "<h2>History</h2>" in page
    assert "later ones included" in page
    assert "Each row after the first fifth is predicted from earlier ones only." in page


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_the_history_as_a_table(league: Path, fitted: Any, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"history{suffix}"
    options = ["--scale", "log", "--level", 0.8, "--history", path]
    assert f"saved {path}"[:20] in done("rank", league, "--dynamic", *FIXED, *options)
    read: Any = {".csv": pd.read_csv, ".json": pd.read_json, ".parquet": pd.read_parquet}[suffix]
    expected = fitted.history(scale="log", level=0.8, relative=True)
    found = read(path)
    assert list(found) == ["time", "item", "score", "low", "high"]
    assert (pd.to_datetime(found["time"]) == expected["time"]).all()
    np.testing.assert_allclose(found[["score", "low", "high"]], expected[["score", "low", "high"]])


def test_the_history_as_a_picture(league: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    options = ["--order-effect", "--ties", "rao-kupper", "--scale", "skill", "--anchor", "A=1"]
    said = done("rank", league, "--dynamic", *FIXED, *options, "--history", tmp_path / "history.svg")
    assert "advantage of the left side" in said
    assert b"<svg" in (tmp_path / "history.svg").read_bytes()
    assert "scores through time are on the Elo scale, without an anchor" in said


def test_the_items_of_the_picture_can_be_chosen(league: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done(
        "rank", league, "--dynamic", *FIXED, "--items", "D", "--items", "B", "--items", "D", "--report", page
    )
    assert re.findall(r'data-line="\d"><svg.*?</svg><bdi class="name">(.*?)</bdi>', page.read_text()) == [
        "D",
        "B",
    ]


def test_items_with_few_games_are_left_out_of_the_history_too(league: Path, tmp_path: Path) -> None:
    games = pd.read_csv(league)
    games.iloc[-1, games.columns.get_loc("home")] = "guest"
    games.to_csv(tmp_path / "games.csv", index=False)
    options = ["--min-games", 2, "--history", tmp_path / "history.csv"]
    done("rank", tmp_path / "games.csv", "--dynamic", *FIXED, *options)
    assert set(pd.read_csv(tmp_path / "history.csv")["item"]) == set("ABCDE")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--dynamic --items A", "--items are those of the history; add --report FILE.html or --history"),
        (
            "--dynamic --items A --history h.csv",
            "--items are those of the history; add --report FILE.html or --history",
        ),
        ("--dynamic --items A --items Z --history h.svg", "there is no item 'Z'"),
        ("--items A --history h.svg", "--items"),
        ("--dynamic --model elo", "--dynamic is --model dynamic-bradley-terry; leave out --model elo"),
        (
            "--history history.png",
            "is for --model dynamic-bradley-terry, and would do nothing for bradley-terry; add --dynamic",
        ),
        ("--model elo --at 2020", "--at is for --model dynamic-bradley-terry, and would do nothing for elo"),
        ("--dynamic --history history.md", "ends in none of .png, .svg, .csv, .json and .parquet"),
        (
            "--dynamic --bootstrap 100",
            "--bootstrap is for --model bradley-terry and plackett-luce, and would do nothing for dynamic-",
        ),
        ("--dynamic --half-life 2y", "--half-life is for --model bradley-terry"),
        ("--dynamic --covariance robust", "--covariance is for --model bradley-terry"),
        ("--dynamic --prior 1 --judges", "--prior and --judges are for --model bradley-terry"),
        ("--dynamic --by home", "--by is for --model bradley-terry"),
        ("--dynamic --summary", "--summary is for --model bradley-terry"),
        ("--dynamic --period month", "--period is for --model elo, glicko and glicko2"),
        ("--dynamic --at someday", "--at takes a number or a date such as 2022-09-05, not 'someday'"),
        (
            "--dynamic --set drift=2 --set spread=1 --set reversion=0 --at 1999",
            "the first comparison is from",
        ),
        ("--dynamic --neutral home", "estimate it with --order-effect"),
    ],
)
def test_what_does_not_go_together(league: Path, options: str, said: str, tmp_path: Path) -> None:
    assert said in sentence("rank", league, *options.split())


def test_times_are_needed(league: Path, tmp_path: Path) -> None:
    pd.read_csv(league).drop(columns="Date").to_csv(tmp_path / "timeless.csv", index=False)
    said = sentence("rank", tmp_path / "timeless.csv", "--dynamic")
    assert "--dynamic needs to know when each comparison was made" in said
    assert "--time" in said


def test_seasons_are_times() -> None:
    said = done("rank", CHESS, "--dynamic", "--at", 2023, "--set", "drift=0.2", "--set", "spread=1")
    assert "season (time)" in said
    assert "in one unit of time" in said
    assert "skills at 2023" in said
    assert "--at '2023-01-01' does not fit" in sentence("rank", CHESS, "--dynamic", "--at", "2023-01-01")


def test_times_are_dates_rather_than_rounds(league: Path, tmp_path: Path) -> None:
    table, path = pd.read_csv(league), tmp_path / "rounds.csv"
    table = table.rename(columns={"Date": "Match Date"}).assign(Round=1, Season=2020)
    table.to_csv(path, index=False)
    assert "Match Date (time" in done("rank", path, "--dynamic")
    table.drop(columns="Match Date").to_csv(path, index=False)
    said = sentence("rank", path, "--dynamic")
    assert "in 'Season' or 'Round', and 'Round' may start again in every 'Season'; choose with --time" in said


def test_rankings_do_not_move(tmp_path: Path) -> None:
    (tmp_path / "races.csv").write_text("race,boat,place\n1,a,1\n1,b,2\n2,b,1\n2,a,2\n", encoding="utf-8")
    result = podium("rank", tmp_path / "races.csv", "--dynamic")
    assert "learns from comparisons, and this file is read as rankings" in " ".join(result.stderr.split())


def test_rows_are_predicted_for_their_time(league: Path, fitted: Any, tmp_path: Path) -> None:
    saved, chances = tmp_path / "league.skops", tmp_path / "chances.csv"
    done("fit", league, "--model", "dynamic-bradley-terry", "--time", "Date", *FIXED, "--save", saved)
    said = done("predict", saved, league, "--out", chances)
    games = read_comparisons(league, time="Date")
    assert "Date (time)" in said
    columns = ["p_left", "p_tie", "p_right"]
    np.testing.assert_allclose(pd.read_csv(chances)[columns], fitted.predict_proba(games))
    pd.read_csv(league).drop(columns="Date").to_csv(tmp_path / "next.csv", index=False)
    said = done("predict", saved, tmp_path / "next.csv", "--out", chances)
    assert "no times are given, so these are chances at the last one, 2020-06-29" in said
    now = fitted.predict_proba(read_comparisons(tmp_path / "next.csv"))
    np.testing.assert_allclose(pd.read_csv(chances)[columns], now)
