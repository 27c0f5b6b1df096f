"""Histories of scores for tests."""

from typing import Any

import numpy as np
import pandas as pd


def history(n_items: int = 5, n_moments: int = 40, *, dates: bool = True, seed: int = 0) -> pd.DataFrame:
    """Scores that move at random, at different moments of each item, over four years."""
    rng = np.random.default_rng(seed)
    day = np.sort(rng.integers(0, 1461, (n_items, n_moments)), axis=1).ravel()
    score = 1500 + rng.normal(0, 20, (n_items, n_moments)).cumsum(axis=1).ravel()
    time: Any = np.datetime64("2020-01-01", "s") + day * np.timedelta64(1, "D") if dates else day / 100
    items = np.repeat([f"item {k}" for k in range(n_items)], n_moments)
    frame = pd.DataFrame({"time": time, "item": items, "score": score, "low": score - 50, "high": score + 50})
    frame = frame.drop_duplicates(["item", "time"], ignore_index=True)
    frame.attrs |= {"scale": "elo", "level": 0.95}
    return frame


def by_hand(rows: list[tuple[Any, str, float]]) -> pd.DataFrame:
    """A history of (time, item, score), with intervals of 10 on both sides."""
    frame = pd.DataFrame(rows, columns=["time", "item", "score"])
    return frame.assign(low=frame["score"] - 10.0, high=frame["score"] + 10.0)
