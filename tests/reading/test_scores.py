"""Two columns of numbers are the score of one game, or counts of several games."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import datasets, read_comparisons

Scores = Sequence[tuple[float, float]]
SIDES = {"left": ["a", "b", "c"], "right": ["b", "c", "a"]}


def table(first: str, second: str, scores: Scores, **more: object) -> pd.DataFrame:
    columns = {first: [one for one, _ in scores], second: [other for _, other in scores]}
    return pd.DataFrame(SIDES | columns | more)


TASTINGS = [(19, 22), (16, 19), (18, 14)]
GAMES = [(3, 1), (0, 0), (2, 4)]


@pytest.mark.parametrize(
    ("first", "second", "numbers", "more"),
    [
        ("wins_i", "wins_j", TASTINGS, {}),
        ("win_i", "win_j", GAMES, {}),
        ("home_wins", "away_wins", GAMES, {}),
        ("n_left", "n_right", GAMES, {}),
        ("votes_a", "votes_b", GAMES, {}),
        ("count1", "count2", GAMES, {}),
        ("i_over_j", "j_over_i", TASTINGS, {}),
        ("left_better", "right_better", GAMES, {"ties": [1, 0, 3]}),
    ],
)
def test_counts_are_asked_about(first: str, second: str, numbers: Scores, more: dict[str, object]) -> None:
    counts = table(first, second, numbers, **more)
    with pytest.raises(
        ValueError, match=f"'{first}' and '{second}' look like counts .*outcome_format='score'"
    ):
        read_comparisons(counts, outcome=(first, second))
    c = read_comparisons(counts, outcome=(first, second), outcome_format="score")
    expected = [np.sign(other - one) for one, other in numbers]
    assert np.asarray(c.outcome).tolist() == expected


@pytest.mark.parametrize(
    ("first", "second", "numbers", "more"),
    [
        ("left_score", "right_score", GAMES, {}),
        ("left_score", "right_score", TASTINGS, {}),  # basketball
        ("left_goals", "right_goals", GAMES, {"ties": [1, 0, 3]}),
        ("x", "y2", GAMES, {"#": [1, 2, 3], "n": [1, 2, 3]}),
        ("x", "y2", [(19.5, 22), (16, 19), (18, 14)], {}),  # measured, not counted
        ("x", "y2", [(-19, 22), (16, 19), (18, 14)], {}),
        ("x", "y2", TASTINGS, {"left": ["a", "a", "a"], "right": ["b", "b", "b"]}),  # they met again
        ("left_win", "right_win", [(1, 0), (0, 0), (0, 1)], {}),  # the winner of a single game
        ("sets_won_1", "sets_won_2", GAMES, {"tie_break": [1, 0, 0]}),
    ],
)
def test_a_score_of_one_game_stays_one(
    first: str, second: str, numbers: Scores, more: dict[str, object]
) -> None:
    c = read_comparisons(table(first, second, numbers, **more), outcome=(first, second))
    expected = [np.sign(other - one) for one, other in numbers]
    assert np.asarray(c.outcome).tolist() == expected


def test_counts_are_not_taken_for_an_outcome_unasked() -> None:
    with pytest.raises(ValueError, match="'left_votes' and 'right_votes' look like counts"):
        read_comparisons(table("left_votes", "right_votes", GAMES))
    record = table("left_wins", "right_wins", GAMES, winner=["left", "tie", "right"])  # earlier wins, say
    assert np.asarray(read_comparisons(record).outcome).tolist() == [-1, 0, 1]


def test_a_format_of_one_column_is_refused_for_two() -> None:
    with pytest.raises(ValueError, match="outcome_format='sign' is for one column"):
        read_comparisons(table("left_score", "right_score", GAMES), outcome_format="sign")


@pytest.mark.parametrize(
    ("name", "sides", "scores"),
    [
        ("football/international_results", ("home_team", "away_team"), ("home_score", "away_score")),
        ("nba/nba_games", ("home", "away"), ("home_pts", "away_pts")),
        ("nfl/nfl_games", ("team1", "team2"), ("score1", "score2")),
        ("bt_classic/icehockey", ("visitor", "opponent"), ("v_goals", "o_goals")),
    ],
)
def test_real_games(name: str, sides: tuple[str, str], scores: tuple[str, str], real_data: Path) -> None:
    path = real_data / f"{name}.csv.gz"
    left, right = sides
    c = read_comparisons(path, left=left, right=right, outcome=scores)
    known = read_comparisons(path, left=left, right=right, outcome="y", outcome_format="score")
    assert (np.asarray(c.outcome) == np.asarray(known.outcome)).mean() > 0.99


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("baseball", ("home_wins", "away_wins")),
        ("pudding", ("win_i", "win_j")),
        ("springall", ("win_i", "win_j")),
    ],
)
def test_real_counts(name: str, counts: tuple[str, str], real_data: Path) -> None:
    path = real_data / f"bt_classic/{name}.csv.gz"
    with pytest.raises(ValueError, match=f"'{counts[0]}' and '{counts[1]}' look like counts"):
        read_comparisons(path, outcome=counts)
    same = datasets.fetch_classic(name)  # type: ignore[arg-type]
    np.testing.assert_array_equal(read_comparisons(path).record(), same.record())


def test_one_column_called_score_is_the_outcome_if_it_has_both_scores() -> None:
    def signs(table: pd.DataFrame, **how: Any) -> Any:
        return read_comparisons(table, **how).to_frame()["outcome"].tolist()

    games = pd.DataFrame(SIDES | {"score": ["2-1", "0:0", "1-3"]})
    assert signs(games) == [-1, 0, 1]
    assert "score (score, left first)" in str(read_comparisons(games).columns)
    assert signs(games.assign(winner=["right", "right", "left"])) == [1, 1, -1]
    for cells in ([1, 0, -1], [1, 0.5, 0]):
        with pytest.raises(ValueError, match="does not have scores of both sides such as 2-1"):
            read_comparisons(games.assign(score=cells))
    assert signs(games.assign(score=[1, 0, 1]), outcome_format="score") == [-1, 1, -1]
