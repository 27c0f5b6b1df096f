"""Things for the tests of pictures to draw, and ways to inspect a picture."""

from typing import Any

import numpy as np

from podium.leaderboard.leaderboard import Leaderboard


def board(items: Any, **changes: Any) -> Leaderboard:
    row = np.arange(len(items))
    columns: dict[str, Any] = dict.fromkeys(("games", "wins", "ties", "losses", "component"), 0 * row)
    columns |= {"rank": row + 1, "item": items, "score": -1.0 * row, "low": -1.0 * row - 1, "high": 1.0 - row}
    return Leaderboard(**columns | changes)


def texts(display: Any) -> list[str]:
    return [text.get_text() for text in display.ax_.texts]


def names(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def drawn(display: Any) -> bytes:
    """Draw the picture; fails on text that matplotlib cannot draw."""
    png = display._repr_png_()
    assert isinstance(png, bytes)
    return png


def chances(n: int) -> Any:
    skill = -np.arange(n) / 5
    return 1 / (1 + np.exp(skill - skill[:, None]))


def predictions(n: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet([1, 1, 1], n)
    outcome = (rng.random((n, 1)) > probabilities.cumsum(axis=1)).sum(axis=1) - 1
    return outcome, probabilities
