"""What a model is given to fit, score or predict, as comparisons."""

from dataclasses import replace
from typing import Any

import numpy as np

from podium.comparisons.outcomes import parse_outcomes
from podium.comparisons.rows import row_weights
from podium.comparisons.table import Comparisons


def with_outcomes(
    c: Comparisons, y: Any = None, sample_weight: Any = None, purpose: str = "learn from"
) -> Comparisons:
    """The comparisons, with the outcomes of ``y`` and the weights times ``sample_weight``, if given.

    Rows of ``sample_weight`` 0 are left out.
    """
    if not isinstance(c, Comparisons):
        raise ValueError(
            f"comparisons are expected, not {type(c).__name__}; make them with podium.read_comparisons or "
            "podium.Comparisons.from_arrays"
        )
    if y is not None:
        outcome = parse_outcomes(y, "sign", name="y")
        if len(outcome) != len(c):
            raise ValueError(f"y has {len(outcome):,} outcomes for {len(c):,} comparisons")
        c = replace(c, outcome=outcome)
    if c.outcome is None:
        raise ValueError(f"these comparisons have no outcome to {purpose}; give it as y")
    if not len(c):
        raise ValueError(f"there are no comparisons to {purpose}")
    if sample_weight is not None:
        weight = row_weights(sample_weight, len(c))
        c = replace(c, weight=c.weight * weight)[weight > 0]
    return c


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
