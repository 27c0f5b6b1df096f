"""SwappedPairsSVM copies features to NumPy, says so, and gives results back where the features are."""

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


def fitted(model: SwappedPairsSVM, *given: Any) -> SwappedPairsSVM:
    with pytest.warns(UserWarning, match="SwappedPairsSVM runs in NumPy only, so the features are copied"):
        return clone(model).fit(*given)  # type: ignore[no-any-return]


def scores(model: SwappedPairsSVM, X: Any) -> Any:
    with pytest.warns(UserWarning, match="SwappedPairsSVM runs in NumPy only"):
        return model.predict(X)


def check_same(device: Device, there: SwappedPairsSVM, here: SwappedPairsSVM, X: NDArray[Any]) -> None:
    """Both optima, to the tolerance of the fits; the same one if the features are in float64."""
    assert there.result_.converged
    assert there.result_.gap is not None
    assert there.result_.gap <= there.tol
    assert there.result_.objective == pytest.approx(here.result_.objective, rel=2 * there.tol)
    rtol = 1e-6 if X.dtype == np.float64 else 1e-3
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, rtol=rtol, atol=rtol)
    score = device.get(scores(there, device.put(X)))
    assert score.dtype == np.float64
    np.testing.assert_allclose(score, here.predict(X), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("queries", [False, True])
def test_results_are_those_of_numpy(device: Device, dtype: type[Any], queries: bool) -> None:
    X, y, qid, weight = some_rows()
    model = SwappedPairsSVM(tol=1e-6, random_state=0)
    group, X = (qid if queries else None), X.astype(dtype)
    here = clone(model).fit(X, y, group, weight)
    given = [device.put(values) if values is not None else None for values in (X, y, group, weight)]
    there = fitted(model, *given)
    check_same(device, there, here, X)
    with pytest.warns(UserWarning, match="runs in NumPy only"):
        assert there.score(*given) == pytest.approx(here.score(X, y, group, weight), abs=1e-5)


def test_labels_and_queries_may_stay_in_numpy(device: Device) -> None:
    X, y, qid, weight = some_rows()
    model = SwappedPairsSVM(tol=1e-6)
    check_same(device, fitted(model, device.put(X), y, qid, weight), clone(model).fit(X, y, qid, weight), X)
    on_both_sides = clone(model).fit(X, device.put(y), device.put(qid), device.put(weight))
    assert isinstance(on_both_sides.coef_, np.ndarray)


def test_cutting_planes(device: Device) -> None:
    X, y, qid, _ = some_rows()
    model = SwappedPairsSVM(solver="cutting-plane", tol=1e-6)
    here, there = clone(model).fit(X, y, qid), fitted(model, device.put(X), y, qid)
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, rtol=1e-6)


def test_a_model_predicts_wherever_the_rows_are(device: Device) -> None:
    X, y, _, _ = some_rows()
    here, there = SwappedPairsSVM().fit(X, y), fitted(SwappedPairsSVM(), device.put(X), y)
    np.testing.assert_allclose(device.get(scores(here, device.put(X))), here.predict(X), rtol=1e-6)
    score = there.predict(X)
    assert isinstance(score, np.ndarray)
    np.testing.assert_allclose(score, here.predict(X), rtol=1e-6)
    with pytest.warns(UserWarning, match="runs in NumPy only"):
        assert there.score(X, y) == here.score(device.put(X), device.put(y))


def test_other_kernels(device: Device) -> None:
    X, y, _, _ = some_rows(60)
    there = fitted(SwappedPairsSVM("rbf"), device.put(X), device.put(y))
    score = device.get(scores(there, device.put(X)))
    np.testing.assert_allclose(score, SwappedPairsSVM("rbf").fit(X, y).predict(X))


@pytest.mark.filterwarnings("ignore:SwappedPairsSVM runs in NumPy only")
def test_bad_rows_are_refused(device: Device) -> None:
    X, y, _, _ = some_rows(20)
    model = SwappedPairsSVM().fit(device.put(X), y)
    for refused, message in (
        (lambda: model.fit(device.put(X), y[:10]), "inconsistent numbers of samples"),
        (lambda: model.fit(device.put(X[:1]), y[:1]), "a minimum of 2 is required"),
        (lambda: model.fit(device.put(X), np.ones(20)), "y has no two rows with different labels"),
        (lambda: model.fit(device.put(np.where(X > 2, np.nan, X)), y), "X has a value that is NaN"),
        (lambda: model.predict(device.put(X[:, :2])), "X has 2 features, but SwappedPairsSVM is expecting 4"),
    ):
        with pytest.raises(ValueError, match=message):
            refused()
    np.testing.assert_array_equal(
        device.get(model.coef_), device.get(SwappedPairsSVM().fit(device.put(X), y).coef_)
    )
