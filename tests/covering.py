"""How often the ranges of all ranks of a board hold the true ranks, in simulated data."""

from typing import Any

import numpy as np

from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games


def covering_boards(n_boards: int, n_items: int, n_games: int, spread: float = 0.5, **view: Any) -> float:
    """The share of boards whose ranges hold all true ranks together."""
    held = []
    for seed in range(n_boards):
        c, truth = make_games(n_items, n_games, spread=spread, random_state=seed)
        board = BradleyTerry().fit(c).leaderboard(**view)
        better = (truth > truth[:, None]).sum(axis=1)
        true = dict(zip(c.items.tolist(), 1 + better, strict=True))
        rank = np.array([true[item] for item in board.item.tolist()])
        held.append(bool(((board.rank_low <= rank) & (rank <= board.rank_high)).all()))
    return float(np.mean(held))
