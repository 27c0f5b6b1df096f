"""SwappedPairsSVM on a device gives the same results as in NumPy."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from podium import SwappedPairsSVM
from tests.devices.conftest import Device


class Rows(NamedTuple):
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    qid: NDArray[np.int64]
    weight: NDArray[np.float64]


def some_rows(n: int = 200, p: int = 4) -> Rows:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, p)).astype(np.float32).astype(np.float64)  # the same numbers in float32
    y = np.round(X[:, :4] @ np.arange(1.0, min(p, 4) + 1.0) + rng.normal(size=n))
    return Rows(X, y, rng.integers(0, 4, n), rng.uniform(0.0, 2.0, n).round(1))


def check_same(device: Device, there: SwappedPairsSVM, here: SwappedPairsSVM, X: NDArray[Any]) -> None:
    """Both optima, to the tolerance of the fits; the same one if the features are in float64."""
    assert there.result_.converged
    assert there.result_.gap is not None
    assert there.result_.gap <= there.tol
    assert there.result_.objective == pytest.approx(here.result_.objective, rel=2 * there.tol)
    rtol = 1e-6 if X.dtype == np.float64 else 1e-3
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, rtol=rtol, atol=rtol)
    score = device.get(there.predict(device.put(X)))
    assert score.dtype == np.float64
    np.testing.assert_allclose(score, here.predict(X), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [200, 2_000, 12_000])  # rounded hinges, hinges with corners, a sample first
@pytest.mark.parametrize("queries", [False, True])
def test_results_are_those_of_numpy(device: Device, n: int, dtype: type[Any], queries: bool) -> None:
    X, y, qid, weight = some_rows(n)
    model = SwappedPairsSVM(tol=1e-6, random_state=0)
    group, X = (qid if queries else None), X.astype(dtype)
    here = clone(model).fit(X, y, group, weight)
    given = [device.put(values) if values is not None else None for values in (X, y, group, weight)]
    there = clone(model).fit(*given)
    check_same(device, there, here, X)
    assert there.score(*given) == pytest.approx(here.score(X, y, group, weight), abs=1e-5)


def test_labels_and_queries_may_stay_in_numpy(device: Device) -> None:
    X, y, qid, weight = some_rows()
    model = SwappedPairsSVM(tol=1e-6)
    check_same(
        device, clone(model).fit(device.put(X), y, qid, weight), clone(model).fit(X, y, qid, weight), X
    )
    on_both_sides = clone(model).fit(X, device.put(y), device.put(qid), device.put(weight))
    assert isinstance(on_both_sides.coef_, np.ndarray)


def test_many_features_are_never_squared(device: Device) -> None:
    X, y, _, _ = some_rows(n=60, p=1_001)
    model = SwappedPairsSVM(tol=1e-6, C=0.001)
    check_same(device, clone(model).fit(device.put(X), y), clone(model).fit(X, y), X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cutting_planes(device: Device, dtype: type[Any]) -> None:
    X, y, qid, _ = some_rows()
    model = SwappedPairsSVM(solver="cutting-plane", tol=1e-6)
    here, there = clone(model).fit(X, y, qid), clone(model).fit(device.put(X.astype(dtype)), y, qid)
    assert there.result_.gap <= 1e-6
    assert there.result_.objective == pytest.approx(here.result_.objective, rel=2e-6)
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, atol=1e-3)  # they stop at another plane


def test_features_far_from_zero(device: Device) -> None:
    X, y, _, _ = some_rows()
    model = SwappedPairsSVM(tol=1e-6)
    check_same(device, clone(model).fit(device.put(X + 1e6), y), clone(model).fit(X + 1e6, y), X)


def test_a_model_predicts_wherever_the_rows_are(device: Device) -> None:
    X, y, _, _ = some_rows()
    here, there = SwappedPairsSVM().fit(X, y), SwappedPairsSVM().fit(device.put(X), y)
    np.testing.assert_allclose(device.get(here.predict(device.put(X))), here.predict(X), rtol=1e-6)
    score = there.predict(X)
    assert isinstance(score, np.ndarray)
    np.testing.assert_allclose(score, here.predict(X), rtol=1e-6)
    assert there.score(X, y) == here.score(device.put(X), device.put(y))


def test_other_kernels_copy_the_features_and_say_so(device: Device) -> None:
    X, y, _, _ = some_rows(60)
    with pytest.warns(UserWarning, match=r"SwappedPairsSVM\(kernel='rbf'\) runs in NumPy only"):
        there = SwappedPairsSVM("rbf").fit(device.put(X), device.put(y))
    with pytest.warns(UserWarning, match="runs in NumPy only"):
        score = there.predict(device.put(X))
    np.testing.assert_allclose(score, SwappedPairsSVM("rbf").fit(X, y).predict(X))


def test_bad_rows_are_refused(device: Device) -> None:
    X, y, _, _ = some_rows(20)
    model = SwappedPairsSVM().fit(device.put(X), y)
    for refused, message in (
        (lambda: model.fit(device.put(X), y[:10]), "'y' has 10 rows where 20 rows are expected"),
        (lambda: model.fit(device.put(X[:1]), y[:1]), "X has 1 row where at least two are needed"),
        (lambda: model.fit(device.put(X), np.ones(20)), "y has no two rows with different labels"),
        (lambda: model.fit(device.put(np.where(X > 2, np.nan, X)), y), "X has a value that is missing"),
        (lambda: model.predict(device.put(X[:, :2])), "X has 2 features, but SwappedPairsSVM is expecting 4"),
    ):
        with pytest.raises(ValueError, match=message):
            refused()
    np.testing.assert_array_equal(
        device.get(model.coef_), device.get(SwappedPairsSVM().fit(device.put(X), y).coef_)
    )
