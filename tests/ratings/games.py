"""Streams of games for the tests of rating systems."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from podium import Comparisons
from podium.ratings.system import RatingSystem
from tests.comparisons.strategies import comparisons

few_examples = settings(max_examples=15)  # since there are several systems


def games(teams: bool | None = False, min_size: int = 0) -> st.SearchStrategy[Comparisons]:
    """Comparisons of weight 1, sometimes with time."""
    strategy: st.SearchStrategy[Comparisons] = comparisons(teams=teams, min_size=min_size)
    return strategy.map(lambda c: replace(c, weight=np.ones(len(c))))


def played(c: Comparisons) -> list[tuple[Any, tuple[Any, ...], tuple[Any, ...], float]]:
    """Time, both teams and the score of the left one, in playing order: the input of an oracle."""
    frame = c.to_frame()
    time = frame["time"] if "time" in frame else range(len(c))
    rows = zip(time, frame["left"], frame["right"], (1 - frame["outcome"]) / 2, strict=True)
    return sorted(((t, as_team(a), as_team(b), s) for t, a, b, s in rows), key=lambda row: row[0])


def as_team(side: Any) -> tuple[Any, ...]:
    return side if isinstance(side, tuple) else (side,)


def named(system: RatingSystem, attribute: str = "rating_") -> dict[Any, float]:
    """A fitted attribute by the name of the item."""
    return dict(zip(system.items_.tolist(), getattr(system, attribute).tolist(), strict=True))
