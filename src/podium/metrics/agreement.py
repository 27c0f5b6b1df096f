"""How far judges agree."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays.devices.boundary import computed_in_numpy
from podium.comparisons.checks import check_length, check_present
from podium.comparisons.inputs import row_weights


@computed_in_numpy
def krippendorff_alpha(
    unit: ArrayLike,
    value: ArrayLike,
    *,
    distance: Literal["nominal", "interval"] = "nominal",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Krippendorff's α: how far judges agree beyond chance.

    It is 1 - D_o / D_e, where D_o is the mean distance between two values of the same unit and D_e is the
    mean distance between any two values. It is 1 if all judges agree and about 0 if they vote at random.

    Parameters
    ----------
    unit : array-like of shape (n_values,)
        What was judged: values of the same unit are compared. Units with a single value are left out.
    value : array-like of shape (n_values,)
        The judgements, one row each; a missing judgement has no row. A judge may judge a unit several times.
    distance : {"nominal", "interval"}, default="nominal"
        ``"nominal"``: two values are equal or not. ``"interval"``: the squared difference of two numbers.
    sample_weight : array-like of shape (n_values,), default=None
        How often each value was given; by default once.

    Returns
    -------
    float
        At most 1. It is nan if no unit has two values, or if all values are equal.

    See Also
    --------
    podium.BradleyTerry : constant skills of items or teams

    Examples
    --------
    >>> krippendorff_alpha(["a", "a", "b", "b", "c", "c"], [1, 1, 2, 2, 1, 2])
    0.4444444444444444
    """
    from scipy.sparse import coo_array

    if distance not in ("nominal", "interval"):
        raise ValueError(f"distance must be 'nominal' or 'interval', not {distance!r}")
    for name, given in (("unit", unit), ("value", value)):
        check_present(given, name)
    units, row = np.unique(np.asarray(unit), return_inverse=True)
    values, column = np.unique(np.asarray(value), return_inverse=True)
    check_length(len(row), column, "value")
    weight = row_weights(sample_weight, len(row))
    table = coo_array((weight, (row, column)), shape=(len(units), len(values))).tocsr()
    given_to = table.sum(axis=1)
    table, given_to = table[given_to > 1], given_to[given_to > 1]
    often = table.sum(axis=0)
    if distance == "nominal":
        apart = 1.0 - np.eye(len(values))
    else:
        apart = (values[:, None] - values[None, :]).astype(np.float64) ** 2
    together = (table.T @ (table / (given_to - 1)[:, None])).toarray()
    expected = (often @ apart @ often) / max(often.sum() - 1, 1.0)
    return float(1 - (together * apart).sum() / expected) if expected > 0 else np.nan
