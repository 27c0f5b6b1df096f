"""The steps agree with the pseudo-code of the lecture, written with plain vectors."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from podium.numerics.online_steps import as_table
from podium.numerics.subgradient import Examples, Stream

NOBODY = np.empty(0, dtype=np.int32)


def plain(
    X: Any, label: Any, scale: Any, margin: Any, alpha: Any, penalty: float, horizon: float | None, k: int = 1
) -> tuple[Any, Any]:
    """§1.4 and §2 line by line, §2.2 with a constraint for every other class; the last w and all of them."""
    w = np.zeros((k, X.shape[1]))
    path = []
    for t, x in enumerate(X, start=1):
        y, s, m = label[t - 1], scale[t - 1], margin[t - 1]
        grad = penalty / (horizon or t) * w
        if k == 1:
            if -y * (w[0] @ x) > -m:  # violated constraint
                grad[0] = grad[0] - s * y * x
        else:
            for other in range(k):
                if other != y and w[int(y)] @ x < w[other] @ x + m:
                    grad[int(y)] = grad[int(y)] - s * x
                    grad[other] = grad[other] + s * x
        w = w - alpha(t) * grad
        path.append(w)
    return w, np.array(path)


def random_problem(seed: int, k: int, n: int = 60, p: int = 5) -> tuple[Any, Examples]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)
    label = rng.choice([-1.0, 1.0], n) if k == 1 else rng.integers(0, k, n).astype(np.float64)
    rows = np.arange(n, dtype=np.int32)
    return X, Examples(NOBODY, rows, label, rng.uniform(0.5, 2, n), rng.uniform(0.5, 2, n))


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("horizon", [None, 60.0])
@pytest.mark.parametrize("step", ["sqrt", "inverse"])
@pytest.mark.parametrize("thin", [False, True])
def test_steps_are_those_of_the_lecture(k: int, horizon: float | None, step: str, thin: bool) -> None:
    X, examples = random_problem(0, k)
    table = as_table(sparse.csr_array(X) if thin else X)

    def alpha(t: int) -> float:
        return 0.3 / (np.sqrt(t) if step == "sqrt" else t)

    last, path = plain(X, examples.label, examples.scale, examples.margin, alpha, 0.7, horizon, k)
    order = np.arange(len(X))
    for average in (False, True):
        stream, _ = Stream.begin((k, 5), step, 0.3, average).walk(table, examples, order, 0.7, horizon)
        late = np.average(path, axis=0, weights=order + 1)
        np.testing.assert_allclose(stream.weights, late if average else last, rtol=1e-10, atol=1e-12)


def test_a_difference_of_rows_and_a_constant_are_vectors_like_any_other() -> None:
    X, examples = random_problem(1, 1)
    order = np.arange(30)
    pairs = Examples(
        order.astype(np.int32), (order + 30).astype(np.int32), *(part[:30] for part in examples[2:])
    )
    D = X[30:] - X[:30]
    rows = pairs._replace(left=NOBODY, right=order.astype(np.int32))
    for made in (X, sparse.csr_array(X)):
        one, _ = Stream.begin((1, 5), "sqrt", 1.0, True).walk(as_table(made), pairs, order, 1.0)
        other, _ = Stream.begin((1, 5), "sqrt", 1.0, True).walk(as_table(D), rows, order, 1.0)
        np.testing.assert_allclose(one.weights, other.weights, rtol=1e-12)
        wide, _ = Stream.begin((1, 6), "sqrt", 1.0, True).walk(as_table(made), rows, order, 1.0)
        with_ones = as_table(np.column_stack([X, np.ones(60)]))
        same, _ = Stream.begin((1, 6), "sqrt", 1.0, True).walk(with_ones, rows, order, 1.0)
        np.testing.assert_allclose(wide.weights, same.weights, rtol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([1, 3]), st.integers(0, 60))
def test_two_walks_are_one(seed: int, k: int, cut: int) -> None:
    X, examples = random_problem(seed, k)
    table, order = as_table(X), np.arange(60)
    begin = Stream.begin((k, 5), "sqrt", 0.5, True)
    whole, loss = begin.walk(table, examples, order, 1.0)
    half, before = begin.walk(table, examples, order[:cut], 1.0)
    rest, after = half.walk(table, examples, order[cut:], 1.0)
    np.testing.assert_array_equal(whole.weights, rest.weights)
    assert whole.steps == rest.steps == 60
    assert cut * before + (60 - cut) * after == pytest.approx(60 * loss)
    assert not begin.weights.any()  # the start is unchanged


def test_a_step_that_would_turn_w_round_only_shrinks_it_to_nothing() -> None:
    """With α_t λ/T > 1 the printed update changes the sign of w, with > 2 it diverges."""
    X, examples = random_problem(2, 1)
    order = np.arange(60)
    table, penalty, horizon = as_table(X), 30.0, 60.0
    stream, _ = Stream.begin((1, 5), "sqrt", 1e6, True).walk(table, examples, order, penalty, horizon)
    _, path = plain(X, examples.label, examples.scale, examples.margin, lambda t: 2.0, penalty, horizon)
    np.testing.assert_allclose(stream.weights, np.average(path, axis=0, weights=order + 1), rtol=1e-9)


def test_a_long_walk_that_shrinks_much_stays_exact() -> None:
    """The scale of w falls by e^-100 in all: V is multiplied out many times."""
    X, examples = random_problem(3, 1, n=2_000)
    order = np.arange(2_000)
    stream, _ = Stream.begin((1, 5), "sqrt", 1.0, True).walk(as_table(X), examples, order, 2_400.0, 2_000.0)

    def alpha(t: int) -> float:
        return min(1.0 / float(np.sqrt(t)), 2_000 / 2_400)

    _, path = plain(X, examples.label, examples.scale, examples.margin, alpha, 2_400.0, 2_000.0)
    np.testing.assert_allclose(stream.weights, np.average(path, axis=0, weights=order + 1), rtol=1e-9)


def test_the_loss_is_that_of_w() -> None:
    X, examples = random_problem(4, 3)
    order = np.arange(60)
    stream, _ = Stream.begin((3, 5), "sqrt", 0.5, True).walk(as_table(X), examples, order, 1.0)
    score = X @ stream.weights.T
    own = np.take_along_axis(score, examples.label.astype(int)[:, None], axis=1)
    slack = np.maximum(0, examples.margin[:, None] - own + score)
    slack[order, examples.label.astype(int)] = 0
    expected = np.mean(examples.scale * slack.sum(axis=1))
    assert stream.loss(as_table(X), examples, order) == pytest.approx(expected)


def test_an_overflow_is_an_error() -> None:
    X, examples = random_problem(5, 1)
    with pytest.raises(ValueError, match="the steps overflow; scale the features"):
        Stream.begin((1, 5), "sqrt", 1e200, True).walk(
            as_table(1e200 * X), examples, np.arange(60), 1e-300, 60.0
        )
