"""Pairs of feature vectors, however they were given: what the machines of seed 0 learn from."""

from dataclasses import replace
from typing import Any

import numpy as np

from podium.checks import check_length, checked_weight
from podium.comparisons import Comparisons
from podium.outcomes import parse_outcomes


def featured_pairs(pairs: Any, y: Any = None, sample_weight: Any = None) -> Comparisons:
    """Comparisons whose items have features, from Comparisons or from an array of shape (n, 2, p).

    ``y`` replaces the outcomes, and ``sample_weight`` multiplies the weights.
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
    if y is not None:
        check_length(len(c), y, "y")
        c = replace(c, outcome=parse_outcomes(y, "sign", name="y"))
    if sample_weight is not None:
        c = replace(c, weight=c.weight * checked_weight(sample_weight, len(c)))
    return c
