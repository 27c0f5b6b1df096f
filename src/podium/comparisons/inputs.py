"""Checks of what a model is given to fit, score or predict: comparisons, outcomes, weights and groups."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays.devices.boundary import as_array, namespace, to_numpy
from podium.comparisons.checks import check_unmasked, checked_multiples
from podium.comparisons.features import as_features
from podium.comparisons.labels import as_column, factorize
from podium.comparisons.messages import InputError, first_true
from podium.comparisons.outcomes import parse_outcomes
from podium.comparisons.table import Comparisons


def with_outcomes(
    c: Comparisons, y: Any = None, sample_weight: Any = None, purpose: str = "learn from"
) -> Comparisons:
    """The comparisons, with the outcomes ``y`` and the weights times ``sample_weight`` if these are given.

    Rows of ``sample_weight`` 0 are left out. ``purpose`` completes the messages: "no outcome to score".
    """
    check_comparisons(c)
    if y is not None:
        outcome = parse_outcomes(y, "sign", name="y")
        if len(outcome) != len(c):
            raise ValueError(f"y has {len(outcome):,} outcomes for {len(c):,} comparisons")
        is_same = c.grade is not None and np.array_equal(outcome, np.sign(c.grade))
        c = replace(c, outcome=outcome, grade=c.grade if is_same else None)
    if c.outcome is None:
        raise ValueError(f"these comparisons have no outcome to {purpose}; give it as y")
    if not len(c):
        raise ValueError(f"there are no comparisons to {purpose}")
    if sample_weight is not None:
        weight = row_weights(sample_weight, len(c))
        product = np.where(weight > 0, c.weight * weight, 1.0)
        c = replace(c, weight=checked_multiples(product, len(c), "sample_weight"))[weight > 0]
    return c


def check_comparisons(c: Any) -> None:
    if not isinstance(c, Comparisons):
        raise ValueError(
            f"comparisons are expected, not {type(c).__name__}; make them with podium.read_comparisons or "
            "podium.Comparisons.from_arrays"
        )


def featured_pairs(c: Any, y: Any = None) -> Comparisons:
    """Comparisons whose items have features, from Comparisons or from an array of shape (n, 2, p).

    ``y`` replaces the outcomes.
    """
    if isinstance(c, Comparisons):
        if c.features is None:
            raise ValueError("these comparisons have no features; c.with_features(...) adds them")
        if c.teams is not None:
            raise ValueError("these comparisons are between teams, and features are those of single items")
    else:
        check_unmasked(c=c)
        X = as_array(c)
        if X.ndim != 3 or X.shape[1] != 2:
            found = f"of shape {tuple(X.shape)}" if X.ndim else type(c).__name__
            raise ValueError(f"c is Comparisons or an array of shape (n, 2, p), not {found}")
        here = isinstance(X, np.ndarray)
        c = Comparisons.from_features(X[:, 0], X[:, 1]) if here else _of_every_row(X)
    return c if y is None else with_outcomes(c, y)


def _of_every_row(X: Any) -> Comparisons:
    """Pairs on a device, of shape (n, 2, p), without a copy: every row is an item of its own."""
    n, _, p = X.shape
    codes = np.arange(2 * n, dtype=np.int32)
    c = Comparisons.from_codes(codes, codes[::2], codes[1::2], named=False)
    return replace(c, features=as_features(namespace(X).reshape(X, (2 * n, p)), "c", at_once=2))


def group_codes(qid: Any, n: int) -> NDArray[np.int32] | None:
    """A number for each group, in the order in which the groups appear; None if there are no groups.

    >>> group_codes(["b", "a", "b"], 3)
    array([0, 1, 0], dtype=int32)
    """
    if qid is None:
        return None
    column = as_column(qid, "qid")
    if len(column) != n:
        raise ValueError(f"qid has {len(column):,} rows where {n:,} rows are expected")
    if column.null_count:
        raise InputError("qid is missing at {@row}", row=first_true(column.is_null()))
    return factorize(column)[1]


def row_weights(sample_weight: Any, n: int) -> NDArray[np.float64]:
    """The weight of each row: ``sample_weight`` has one per row or one for all, none of them negative."""
    check_unmasked(sample_weight=sample_weight)
    try:
        weight = to_numpy(1.0 if sample_weight is None else sample_weight).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight is not a column of numbers") from None
    weight = np.full(n, weight) if weight.ndim == 0 else weight
    if weight.shape != (n,):
        shape = f"{len(weight):,} rows" if weight.ndim == 1 else f"the shape {weight.shape}"
        raise ValueError(f"sample_weight has {shape} where {n:,} rows are expected")
    if (bad := ~(np.isfinite(weight) & (weight >= 0))).any():
        row = first_true(bad)
        raise InputError(f"the weight {weight[row]} at {{@row}} is negative, infinite or missing", row=row)
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; give some rows a weight above 0")
    return weight
