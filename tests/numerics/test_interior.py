"""The interior point method on dense rows: libsvm's optimum, its equations, and the limits of floats."""

from itertools import islice

import numpy as np
import pytest
from sklearn.svm import SVC, LinearSVC

from podium.numerics.interior import Equations, State, central_path, longest
from podium.numerics.shifted_cholesky import TOO_LARGE, inverse_of_identity_plus

Floats = np.ndarray


class DenseRows:
    def __init__(self, A: Floats, B: Floats, cost: Floats) -> None:
        self.A, self.B, self.cost, self.target = A, B, cost, np.ones(len(A))

    def start(self) -> State:
        half, (p, k) = self.cost / 2, (self.A.shape[1], self.B.shape[1])
        return State(np.zeros(p), np.zeros(k), half, half, self.target, self.target)

    def margins(self, u: Floats) -> Floats:
        return np.asarray(self.A @ u)

    def shifts(self, b: Floats) -> Floats:
        return np.asarray(self.B @ b)

    def transpose_times(self, alpha: Floats) -> Floats:
        return np.asarray(self.A.T @ alpha)

    def balance(self, alpha: Floats) -> Floats:
        return np.asarray(self.B.T @ alpha)

    def equations(self, weight: Floats) -> Equations:
        A, B, W = self.A, self.B, weight[:, None]
        mixed = A.T @ (W * B)
        return Equations(
            inverse_of_identity_plus(A.T @ (W * A)), mixed, lambda du: mixed.T @ du, B.T @ (W * B)
        )


def two_classes(seed: int = 0) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + 0.5 + rng.normal(size=60) > 0, 1.0, -1.0)
    return X, y, rng.uniform(0.5, 2.0, 60)


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
@pytest.mark.parametrize("proportional", [True, False])
def test_the_optimum_is_that_of_libsvm_and_meets_all_equations(C: float, proportional: bool) -> None:
    X, y, weight = two_classes()
    rows = DenseRows(y[:, None] * X, y[:, None], C * weight)
    path = central_path(rows, rows.start(), rows.cost if proportional else rows.target)
    scale = rows.cost.sum()
    x = next(x for x in islice(path, 60) if x.products <= 1e-10 * scale)
    np.testing.assert_allclose(x.u, rows.transpose_times(x.alpha), atol=1e-9 * (1 + scale))
    np.testing.assert_allclose(rows.balance(x.alpha), 0.0, atol=1e-9 * scale)
    np.testing.assert_allclose(rows.margins(x.u) + rows.shifts(x.b) + x.xi - x.s, 1.0, atol=1e-6)
    np.testing.assert_allclose(x.alpha + x.rest, rows.cost, rtol=1e-9)
    if C <= 1:
        svc = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y, weight)
        np.testing.assert_allclose(x.u, svc.coef_[0], atol=1e-5)
        np.testing.assert_allclose(x.b, svc.intercept_, atol=1e-5)


def test_a_machine_without_b() -> None:
    X, y, weight = two_classes()
    rows = DenseRows(y[:, None] * X, np.empty((60, 0)), weight)
    x = list(islice(central_path(rows, rows.start(), rows.target), 25))[-1]
    svc = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-9, max_iter=1_000_000).fit(X, y, weight)
    assert len(x.b) == 0
    np.testing.assert_allclose(x.u, svc.coef_[0], atol=1e-5)


def test_all_points_are_inside_and_the_balance_of_the_dual_is_kept() -> None:
    X, y, _ = two_classes()
    cost = np.where(y > 0, 1 / (y > 0).sum(), 1 / (y < 0).sum())
    rows = DenseRows(y[:, None] * X, y[:, None], 100 * cost)
    for x in islice(central_path(rows, rows.start(), rows.cost), 15):
        assert min(part.min() for part in x[2:]) > 0
        assert abs(rows.balance(x.alpha)[0]) < 1e-12 * rows.cost.sum()
    assert x.products < 1e-6


def test_the_path_ends_where_floats_do() -> None:
    X, y, weight = two_classes()
    rows = DenseRows(y[:, None] * X, y[:, None], weight)
    points = list(islice(central_path(rows, rows.start(), rows.target), 5_000))
    assert all(np.isfinite(x.products) for x in points)
    huge = DenseRows(1e200 * rows.A, rows.B, weight)
    assert len(list(islice(central_path(huge, huge.start(), rows.target), 5_000))) < 5_000


def test_a_row_twice_is_a_row_of_twice_the_cost_where_products_are_proportional_to_costs() -> None:
    X, y, _ = two_classes()
    count = np.arange(60) % 3 + 1
    A, B = y[:, None] * X, y[:, None]
    once = DenseRows(A, B, count.astype(float))
    often = DenseRows(np.repeat(A, count, axis=0), np.repeat(B, count, axis=0), np.ones(count.sum()))
    paths = [islice(central_path(rows, rows.start(), rows.cost), 8) for rows in (once, often)]
    for x, z in zip(*paths, strict=True):
        np.testing.assert_allclose(x.u, z.u, atol=1e-9)


def test_the_longest_step() -> None:
    assert longest(np.array([1.0, 2.0, 3.0]), np.array([-2.0, -1.0, 5.0])) == 0.5
    assert longest(np.ones(2), np.zeros(2)) == np.inf


def test_identity_plus() -> None:
    A = np.random.default_rng(0).normal(size=(5, 3))
    b: Floats = np.arange(5.0)
    np.testing.assert_allclose(
        inverse_of_identity_plus(A @ A.T)(b), np.linalg.solve(np.eye(5) + A @ A.T, b), atol=1e-12
    )
    slightly_indefinite = np.diag([1e20, -1e4])
    assert np.isfinite(inverse_of_identity_plus(slightly_indefinite)(np.ones(2))).all()
    with pytest.raises(ValueError, match=TOO_LARGE):
        inverse_of_identity_plus(np.full((2, 2), -np.inf))
