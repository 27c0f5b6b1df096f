"""Counts of pairs and abilities in the conventions of R's packages and of podium."""

from typing import Any

import numpy as np

from podium import BradleyTerry, Comparisons
from podium.comparisons.arrays import Floats

Rows = list[dict[str, Any]]  # left, right, and how often left won (w1), right won (w2), or neither (ties)


def half_wins(rows: Rows) -> Rows:
    """Every tie as half a win for each side; this is what R gets if ties are not modelled."""
    return [
        row | {"w1": row["w1"] + row["ties"] / 2, "w2": row["w2"] + row["ties"] / 2, "ties": 0}
        for row in rows
    ]


def counts_of(rows: Rows) -> Floats:
    """How often left won, neither won, or right won, in the order of `predict_proba`."""
    return np.array([[row["w1"], row["ties"], row["w2"]] for row in rows], dtype=np.float64)


def games(rows: Rows) -> Comparisons:
    """One row per pair and outcome that occurred, with its count as the weight."""
    row, column = np.nonzero(counts := counts_of(rows))
    left, right = (np.array([each[side] for each in rows])[row] for side in ("left", "right"))
    return Comparisons.from_arrays(left, right, column - 1, counts[row, column])


def fit(rows: Rows, **parameters: Any) -> BradleyTerry:
    return BradleyTerry(tol=1e-12, **parameters).fit(games(rows))


def relative(model: BradleyTerry, names: list[str]) -> tuple[Floats, Floats]:
    """Log-skill minus that of the first item, with its standard error; for the first item both are 0."""
    others = [model.compare(name, names[0]) for name in names[1:]]
    return (
        np.array([0.0, *(each.difference for each in others)]),
        np.array([0.0, *(each.standard_error for each in others)]),
    )


def log_likelihood(model: BradleyTerry, rows: Rows) -> float:
    """The sum over all games; R's functions leave out the same binomial coefficients."""
    c = games(rows)
    assert c.outcome is not None
    chance = model.predict_proba(c)[np.arange(len(c)), c.outcome + 1]
    return float(c.mass @ np.log(chance))


def deviance(model: BradleyTerry, rows: Rows) -> float:
    """The deviance: twice the log-likelihood lost against the observed shares of every row."""
    counts = counts_of(rows)
    share = counts / counts.sum(axis=1, keepdims=True)
    own = (counts * np.log(np.where(counts > 0, share, 1.0))).sum()
    return 2 * float(own - log_likelihood(model, rows))


def extra_errors(model: BradleyTerry) -> Floats:
    """The covariance of the parameters after the skills: log tie parameter, then order effect."""
    k = len(model.items_)
    return np.asarray(model.fit_.joint_covariance[k:, k:])
