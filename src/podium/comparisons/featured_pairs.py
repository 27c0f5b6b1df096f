"""Pairs of feature vectors, however they were given: what the machines of seed 0 learn from."""

from typing import Any

import numpy as np

from podium.bradley_terry.paired_input import with_outcomes
from podium.comparisons.table import Comparisons


def featured_pairs(pairs: Any, y: Any = None) -> Comparisons:
    """Comparisons whose items have features, from Comparisons or from an array of shape (n, 2, p).

    ``y`` replaces the outcomes.
    """
    if isinstance(pairs, Comparisons):
        c = pairs
        if c.features is None:
            raise ValueError("these comparisons have no features; c.with_features(...) adds them")
        if c.teams is not None:
            raise ValueError("these comparisons are between teams, and features are those of single items")
    else:
        X = np.asarray(pairs)
        if X.ndim != 3 or X.shape[1] != 2:
            raise ValueError(f"pairs are Comparisons or an array of shape (n, 2, p), not {X.shape}")
        c = Comparisons.from_features(X[:, 0], X[:, 1])
    return c if y is None else with_outcomes(c, y)
