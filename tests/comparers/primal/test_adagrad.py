"""The streaming steps agree with numerical derivatives and approach the optimum."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from podium.comparers.primal.adagrad import BATCH, RATE, AdaGrad
from podium.comparers.primal.fit import fit_linear_pairs
from podium.comparers.primal.problem import LinearPairs


def problem(n: int = 400, p: int = 3, seed: int = 0, sparsely: bool = False) -> LinearPairs:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, p)), rng.normal(size=p)
    lower, upper = rng.integers(0, n, size=(2, n)).astype(np.int32)
    d = (X[upper] - X[lower]) @ w + 0.5 * rng.normal(size=n)
    lower, upper = np.where(d < 0, upper, lower), np.where(d < 0, lower, upper)
    cost = 2.0 * rng.uniform(0.5, 2.0, size=n)
    table: Any = sparse.csr_array(X) if sparsely else X
    return LinearPairs(table, lower, upper, np.abs(d) < 1, cost)


def objective(p: LinearPairs, loss: str, x: Any) -> float:
    """Of u with β behind it, from the definition."""
    d = (p.X[p.upper] - p.X[p.lower]) @ x[:-1]
    margin = np.concatenate([x[-1] + d[~p.tie], -x[-1] - d[p.tie], -x[-1] + d[p.tie]])
    losses = np.maximum(0.0, 1.0 - margin) if loss == "hinge" else np.logaddexp(0.0, -margin)
    cost = np.concatenate([p.cost[~p.tie], p.cost[p.tie], p.cost[p.tie]])
    return 0.5 * float(x[:-1] @ x[:-1]) + float(cost @ losses)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("column", [0, 1])
def test_a_step_follows_the_slope_of_the_objective(loss: str, column: int) -> None:
    """One step for at most BATCH pairs: each coordinate moves against its derivative by RATE/√(1 + q/g²)."""
    few, C = problem(BATCH), 2.0
    start = np.random.default_rng(1).normal(size=(4, 2))
    start[-1, 1] = 0.0
    stream = AdaGrad(start.copy(), start.copy(), np.full((4, 2), 3.0))
    stream.learn(few, loss, C, np.random.RandomState(0))
    x = start[:, column]

    def value(x: Any) -> float:
        return objective(few, loss, x) / (C * len(few))

    h = 1e-6
    slope = np.array([(value(x + h * e) - value(x - h * e)) / (2 * h) for e in np.eye(4)])
    if column == 1:
        slope[-1] = 0.0
    np.testing.assert_allclose(stream.now[:, column], x - RATE * slope / np.sqrt(3.0 + slope**2), atol=1e-6)
    assert (stream.steps, stream.seen) == (1, BATCH)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_many_passes_come_to_the_optimum(loss: str) -> None:
    p, C, rng = problem(), 2.0, np.random.RandomState(0)
    stream = AdaGrad.begin(3)
    for _ in range(60):
        stream.learn(p, loss, C, rng)
        stream.seen = len(p)  # the same pairs again, not new ones
    for column, fixed in enumerate((False, True)):
        best = fit_linear_pairs(p, loss, 1e-6, fixed_bias=fixed).objective
        assert best * (1 - 1e-5) <= objective(p, loss, stream.mean[:, column]) <= best * 1.01
    assert stream.mean[-1, 1] == 0


@pytest.mark.parametrize("sparsely", [False, True])
def test_after_a_fit_it_is_as_if_it_had_walked_there(sparsely: bool) -> None:
    """The sums of squares are those of one pass, up to a small factor."""
    p, rng = problem(6_000, sparsely=sparsely), np.random.RandomState(0)
    columns = np.column_stack(
        [fit_linear_pairs(p, "hinge", 1e-4, fixed_bias=f).solution for f in (False, True)]
    )
    after = AdaGrad.after(p, 2.0, columns, rng)
    walked = AdaGrad.begin(3)
    walked.now = columns.copy()
    walked.learn(p, "hinge", 2.0, rng)
    assert (after.steps, after.seen) == (walked.steps, walked.seen)
    np.testing.assert_array_equal(after.mean, columns)
    ratio = (after.squares / walked.squares)[:-1]
    assert ((ratio > 0.1) & (ratio < 10)).all()
