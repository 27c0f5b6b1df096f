"""Elo, Glicko and Glicko-2 of PlayerRatings, on three and a half seasons of Australian football.

Not compared, because podium does not have them: Stephenson's system, and FIDE's rules before 2014
(``kfide_default``: K of 30, 15 and 10 where podium's are 40, 20 and 10).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import Comparisons, Elo, Glicko, Glicko2
from podium.ratings.system import RatingSystem
from tests.ratings.games import named

Oracle = Callable[[str], Any]
# How R was called: the rating and deviation of newcomers, and cval.
GLICKO = {"glicko_week0": (1500, 350, 0), "glicko_week": (2200, 300, 15), "glicko_seq": (1500, 350, 30)}


def season(said: Any, by_week: bool) -> Comparisons:
    """The home team is on the left; its score is 1, ½ or 0. By week all games of a week are one period."""
    games = said["games"]
    home, away, score, week = ([game[k] for game in games] for k in ("HomeTeam", "AwayTeam", "Score", "Week"))
    outcome = [int(1 - 2 * points) for points in score]
    return Comparisons.from_arrays(home, away, outcome, time=week if by_week else None)


def glicko(name: str) -> Glicko:
    """In R, new players wait one period before their first game, so their deviation grows once."""
    start, deviation, growth = GLICKO[name]
    return Glicko(start=start, deviation=min(np.hypot(deviation, growth), 350.0), growth=growth)


def check_ratings(system: RatingSystem, said: list[dict[str, Any]]) -> None:
    found = named(system)
    assert found == pytest.approx({row["Player"]: row["Rating"] for row in said}, abs=1e-9)


@pytest.mark.parametrize("by_week", [False, True])
def test_elo(oracle: Oracle, by_week: bool) -> None:
    """No team plays twice in a week, so rating by week and by game is the same."""
    said = oracle("ratings")
    check_ratings(
        Elo(k=20, start=1200).fit(season(said, by_week)), said["elo_week" if by_week else "elo_seq"]
    )


def test_elo_by_the_rules_of_fide(oracle: Oracle) -> None:
    """K of 40, 20 and 10; newcomers at 2390, so that some reach 2400."""
    said = oracle("ratings")
    elo = Elo(k="fide", start=2390).fit(season(said, by_week=False))
    check_ratings(elo, said["fide_seq"])
    elite = {row["Player"] for row in said["fide_seq"] if row["Elite"]}
    assert {item for item, peak in named(elo, "peak_").items() if peak >= 2400} == elite


@pytest.mark.parametrize("name", GLICKO)
def test_glicko(oracle: Oracle, name: str) -> None:
    """R's deviation is the one after the last game; podium's has grown in the ``Lag`` periods since then."""
    said = oracle("ratings")
    system = glicko(name).fit(season(said, by_week=name != "glicko_seq"))
    check_ratings(system, said[name])
    grown = {r["Player"]: np.sqrt(r["Deviation"] ** 2 + r["Lag"] * system.growth**2) for r in said[name]}
    assert named(system, "deviation_") == pytest.approx(grown, abs=1e-9)


def test_glicko_counts_no_empty_periods(oracle: Oracle) -> None:
    said = oracle("ratings")
    c = season(said, by_week=True)
    stretched = Comparisons.from_arrays(
        c.items[c.left], c.items[c.right], c.outcome, time=np.array(c.time) * 10
    )
    check_ratings(glicko("glicko_week").fit(stretched), said["glicko_gap"])


def test_glicko_week_by_week(oracle: Oracle) -> None:
    """All 97 weeks; a team that has not played yet has R's initial rating."""
    said = oracle("ratings")
    c = season(said, by_week=True)
    system = glicko("glicko_week")
    for k, week in enumerate(np.unique(np.asarray(c.time))):
        system.update(c[np.asarray(c.time) == week])
        now = dict.fromkeys(said["players"], 2200.0) | named(system)
        expected = [history[k] for history in said["glicko_hist"]]
        np.testing.assert_allclose([now[team] for team in said["players"]], expected, atol=1e-9)


def test_glicko_predicts(oracle: Oracle) -> None:
    """Only teams that played in the last week; R does not update the deviations of others."""
    said = oracle("ratings")
    games = season(said, by_week=True)
    system = glicko("glicko_week").fit(games)
    lag = {row["Player"]: row["Lag"] for row in said["glicko_week"]}
    fresh = [
        k for k, game in enumerate(said["games"][:50]) if not lag[game["HomeTeam"]] + lag[game["AwayTeam"]]
    ]
    assert len(fresh) > 10
    home_wins = system.predict_proba(games[np.array(fresh)])[:, 0]
    np.testing.assert_allclose(home_wins, np.array(said["predict"])[fresh], atol=1e-12)


def test_glicko2(oracle: Oracle) -> None:
    """R solves for the logarithm of a squared volatility to about 1e-4, which allows 0.01 points."""
    said = oracle("ratings")["glicko2"]
    system = Glicko2(2200, deviation=300, volatility=0.15, tau=1.2)
    system.fit(season(oracle("ratings"), by_week=True))
    expected = {row["Player"]: row["Rating"] for row in said}
    assert named(system) == pytest.approx(expected, abs=0.01)
    expected = {row["Player"]: row["Volatility"] for row in said}
    assert named(system, "volatility_") == pytest.approx(expected, rel=1e-4)
    fresh = {row["Player"]: row["Deviation"] for row in said if not row["Lag"]}
    found = named(system, "deviation_")
    assert {team: found[team] for team in fresh} == pytest.approx(fresh, abs=0.01)
