"""Errors of members of teams, against numerical second derivatives of the likelihood."""

from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons
from podium.bradley_terry.model import TIES


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", ["model", "robust"])
def test_errors_are_those_of_the_observed_information(ties: Any, kind: Any) -> None:
    rng = np.random.default_rng(0)
    people = np.array([rng.permutation(7)[:4] for _ in range(500)])
    strength = np.log(np.exp(rng.normal(size=7)[people]).reshape(-1, 2, 2).sum(axis=2))
    d = strength[:, 1] - strength[:, 0]
    p = np.column_stack([np.ones(500), 0.7 * np.exp(d / 2), np.exp(d)]).cumsum(axis=1)
    outcome = (rng.random(500)[:, None] * p[:, -1:] > p).sum(axis=1) - 1
    left, right = (list(map(tuple, people[:, part].tolist())) for part in (slice(0, 2), slice(2, 4)))
    model = BradleyTerry(ties, prior=0.3, covariance=kind).fit(Comparisons.from_arrays(left, right, outcome))
    modelled = ties in ("davidson", "rao-kupper")
    x = np.append(model.log_skill_, np.log(model.tie_)) if modelled else model.log_skill_

    def losses(x: Any) -> Any:
        return loss_of_rows(x, people, outcome, ties)

    def slope(x: Any) -> Any:
        prior = 0.3 * (7 * np.exp(x[:7]) / np.exp(x[:7]).sum() - 1)
        return derivative(losses, x).sum(axis=0) + np.append(prior, np.zeros(len(x) - 7))

    H = derivative(slope, x)
    centre = np.eye(len(x))
    centre[:7, :7] -= 1 / 7
    bread = centre @ np.linalg.pinv((H + H.T) / 2, rcond=1e-6, hermitian=True) @ centre
    scores = derivative(losses, x).T
    covariance = bread
    if kind == "robust" or ties == "half":
        covariance = bread @ (scores @ scores.T) @ bread
    np.testing.assert_allclose(model.standard_error_, np.sqrt(np.diag(covariance))[:7], rtol=1e-4)


def derivative(f: Any, x: Any, step: float = 1e-4) -> Any:
    """Derivatives by all entries of x, in the last axis."""
    return np.stack([(f(x + e) - f(x - e)) / (2 * step) for e in step * np.eye(len(x))], axis=-1)


def loss_of_rows(x: Any, people: Any, outcome: Any, ties: Any) -> Any:
    strength = np.log(np.exp(x[people]).reshape(-1, 2, 2).sum(axis=2))
    d = strength[:, 1] - strength[:, 0]
    win, loss = np.logaddexp(0, -d), np.logaddexp(0, d)
    if ties == "davidson":
        everything = np.logaddexp(np.logaddexp(0, x[7] + d / 2), d)
        return everything - np.choose(outcome + 1, [0 * d, x[7] + d / 2, d])
    if ties == "rao-kupper":
        win, loss = np.logaddexp(0, x[7] - d), np.logaddexp(0, x[7] + d)
        return np.choose(outcome + 1, [loss, win + loss - np.log(np.expm1(2 * x[7])), win])
    return np.choose(outcome + 1, [loss, (win + loss) / 2 if ties == "half" else 0 * d, win])
