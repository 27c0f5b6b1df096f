"""Leaderboards to test with, and names that are hard to print."""

from typing import Any

import numpy as np

from podium.leaderboard.leaderboard import Leaderboard

HOSTILE = [
    "=1+1",
    "a|b",
    "<script>",
    "two\nlines",
    "Ωmega, 「棋士」 é",
    '"quoted"',
    "\tTab",
    "-5",
    "a\\|b",
    "*_`x`_*",
]


def board(items: Any = ("ann", "bob", "cat"), **changes: Any) -> Leaderboard:
    """A leaderboard of the items with different numbers in every cell."""
    n = len(items)
    row = np.arange(n)
    columns: dict[str, Any] = {
        "rank": row + 1,
        "item": list(items),
        "score": 1600.125 - 40 * row,
        "low": 1550.5 - 40 * row,
        "high": 1650.0625 - 40 * row,
        "games": 12 + row,
        "wins": 5 + row,
        "ties": np.full(n, 4),
        "losses": np.full(n, 3),
        "component": np.zeros(n),
    }
    return Leaderboard(**columns | changes)
