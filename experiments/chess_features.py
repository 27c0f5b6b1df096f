"""What is known about two chess players before their game: the features of §4.3 of [SVMcompare].

The paper names most of its 16 features and calls the rest "various other statistics"; ours are listed below.
A game affects only the features of later games.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from podium import Comparisons, Elo, Glicko

Floats = NDArray[np.float64]
RATINGS = ("elo", "glicko")
FEATURES = (
    *RATINGS,
    "glicko deviation",
    "first move",
    "lost to lower rated, share of games",
    "won against higher rated, share of games",
    "rating of opponents above one's own, mean",
    "rating of opponents, mean",
    "wins",
    "draws",
    "losses",
    "games",
    "wins, share",
    "draws, share",
    "losses, share",
    "score of the last game",
)


def features_before(games: Comparisons) -> tuple[Floats, Floats]:
    """Features of the left and right players before each game, two arrays (n, 16); games are in time order.

    Shares and means are over the player's earlier games; before the first game they are 0.
    """
    elo = Elo(k="fide").ratings_before(games)
    glicko, deviation = Glicko().ratings_before(played_one_by_one(games), return_deviation=True)
    seats = one_row_per_player(games, elo)
    past = sums_before(seats)
    played = np.maximum(past["games"], 1.0)
    before = pd.DataFrame(
        {
            "elo": elo.ravel(),
            "glicko": glicko.ravel(),
            "glicko deviation": deviation.ravel(),
            "first move": np.tile([1.0, 0.0], len(games)),
            "lost to lower rated, share of games": past["upset lost"] / played,
            "won against higher rated, share of games": past["upset won"] / played,
            "rating of opponents above one's own, mean": past["difference"] / played,
            "rating of opponents, mean": past["opponent"] / played,
            **{name: past[name] for name in ("wins", "draws", "losses", "games")},
            **{f"{name}, share": past[name] / played for name in ("wins", "draws", "losses")},
            "score of the last game": seats.groupby("player")["score"].shift(fill_value=0.0),
        },
        columns=list(FEATURES),
    ).to_numpy()
    return before[0::2], before[1::2]


def played_one_by_one(games: Comparisons) -> Comparisons:
    """The same games without their time, so that each game is a rating period of its own."""
    return Comparisons.from_arrays(games.items[games.left], games.items[games.right], games.outcome)


def one_row_per_player(games: Comparisons, rating: Floats) -> pd.DataFrame:
    """The results of each game by player; rows 2i and 2i + 1 are the left and right players of game i."""
    outcome = np.asarray(games.outcome)
    result = np.column_stack([-outcome, outcome]).ravel()  # 1 won, 0 draw, -1 lost
    difference = np.column_stack([rating[:, 1] - rating[:, 0], rating[:, 0] - rating[:, 1]]).ravel()
    return pd.DataFrame(
        {
            "player": np.column_stack([games.left, games.right]).ravel(),
            "score": (1 + result) / 2,
            "wins": (result > 0) * 1.0,
            "draws": (result == 0) * 1.0,
            "losses": (result < 0) * 1.0,
            "games": 1.0,
            "upset lost": ((result < 0) & (difference < 0)) * 1.0,
            "upset won": ((result > 0) & (difference > 0)) * 1.0,
            "difference": difference,
            "opponent": rating[:, ::-1].ravel(),
        }
    )


def sums_before(seats: pd.DataFrame) -> pd.DataFrame:
    """Sums over the earlier games of the same player."""
    return seats.groupby("player").cumsum() - seats.drop(columns="player")
