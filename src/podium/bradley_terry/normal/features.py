"""Features of items: what may explain their skills under a normal prior.

Columns are centred and divided by their standard deviation over the fitted items, so that the prior has mean
0. Users see effects in the units of their features.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.bradley_terry.covariates import DEPENDENT, Columns, dependent_columns
from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import listed
from podium.comparisons.table import Comparisons


@dataclass(frozen=True)
class Features(Columns):
    """The features of the items: names, means, standard deviations, and which of them have an effect."""

    mean: Floats

    def standardised(self, values: Any) -> Floats:
        """The used columns of other items, centred and scaled as in the fit."""
        dense = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
        return np.asarray((dense - self.mean)[:, self.used] / self.scale[self.used])

    def of_others(self, c: Comparisons) -> Floats | None:
        """The standardised features of the items of other comparisons; None if they have no features."""
        if c.features is None:
            return None
        n, names = c.features.shape[1], c.feature_names or self.names
        if n != len(self.names):
            raise ValueError(f"there are {n:,} features, but the model was fitted with {len(self.names):,}")
        if names != self.names:
            raise ValueError(
                f"the features are {listed(names)}, but the model was fitted with {listed(self.names)}; "
                "give these, in this order"
            )
        return self.standardised(c.features)


NO_FEATURES = Features((), np.zeros(0), np.zeros(0, np.bool_), np.zeros(0))


def features_of(c: Comparisons, items: Any) -> tuple[Features, Floats, tuple[str, ...]]:
    """The features of the fitted items, their standardised columns, and notes on columns left out."""
    if c.features is None:
        return NO_FEATURES, np.zeros((len(items), 0)), ()
    values = c.features[find_labels(c.items, items)]
    values = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, scale = values.mean(axis=0), values.std(axis=0)
    if not np.isfinite(scale).all():
        name = _names(c)[int(np.argmin(np.isfinite(scale)))]
        raise ValueError(f"the values of feature {name!r} are too large; divide them by a constant")
    varies = scale > 1e-12 * np.abs(mean)
    features = Features(_names(c), scale, varies, mean)
    if varies.sum() > len(items) - 1:
        raise ValueError(
            f"{varies.sum():,} features cannot be told apart by {len(items):,} items; "
            f"use at most {len(items) - 1:,}"
        )
    X = features.standardised(values)
    dependent = dependent_columns(X.T @ X, np.full(X.shape[1], DEPENDENT * len(X)), range(X.shape[1]))
    kept = features.without(dependent)
    constant = [name for name in features.names if name not in features.used_names]
    collinear = [name for name in features.used_names if name not in kept.used_names]
    notes = (
        *_left_out(constant, "constant"),
        *_left_out(collinear, "determined by the other features (collinear)"),
    )
    return kept, X[:, ~dependent], notes


def _left_out(names: list[str], reason: str) -> tuple[str, ...]:
    if not names:
        return ()
    subject = f"feature {listed(names)} is" if len(names) == 1 else f"features {listed(names)} are"
    return (f"{subject} {reason}; left out",)


def _names(c: Comparisons) -> tuple[str, ...]:
    return c.feature_names or tuple(f"x{i + 1}" for i in range(c.features.shape[1]))
