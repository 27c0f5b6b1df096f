"""Kernel machines on features of another library give the results of NumPy, as arrays of that library."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from podium import Comparisons
from podium.arrays.devices.boundary import to_floats, to_numpy
from podium.comparers.grid import compare_grid
from podium.comparers.svm_compare import SVMCompare
from podium.comparers.svm_rank import SVMRank

xp = pytest.importorskip("array_api_strict")
pytestmark = pytest.mark.filterwarnings("ignore:SVM.* runs in NumPy only, so the features are copied")

MANY, FEW = (300, 600), (900, 40)  # pairs and items: rows of K, and the kernel matrix of the items
KERNELS = ("rbf", "poly", "linear")
EXACT: Any = {"tol": 1e-11, "degree": 2, "coef0": 1.0}  # solutions agree only if both are near the optimum


def pairs(n: int, n_items: int, ties: bool = True, seed: int = 0) -> tuple[Comparisons, Any]:
    """Pairs of items, two of which are equal, and their features."""
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(n_items, 3)), np.ones((n_items, 14))])  # many features, a few of use
    left = np.arange(n) if n_items == 2 * n else rng.integers(0, n_items, n)
    right = left + n if n_items == 2 * n else (left + rng.integers(1, n_items, n)) % n_items
    r = (0.2 * X**2 + X).sum(axis=1)
    d = r[right] - r[left] + rng.normal(scale=0.3, size=n)
    outcome = np.where(np.abs(d) <= (1.0 if ties else 0.0), 0, np.sign(d)).astype(np.int8)
    X[1] = X[0]
    codes = left.astype(np.int32), right.astype(np.int32), outcome
    return Comparisons.from_codes(np.arange(n_items), *codes, named=False), X


def both(c: Comparisons, X: Any, dtype: str = "float64") -> tuple[Comparisons, Comparisons]:
    """The pairs with features in NumPy, and with the same features on a device."""
    X = X.astype(dtype)
    return c.with_features(X.astype(np.float64)), c.with_features(xp.asarray(X))


def fitted(model: Any, a: Comparisons, b: Comparisons) -> tuple[Any, Any]:
    return clone(model).fit(a), clone(model).fit(b)


def is_there(values: Any) -> bool:
    return isinstance(values, type(xp.zeros(1)))


def check_same(here: Any, there: Any, a: Comparisons, b: Comparisons, rtol: float = 1e-6) -> None:
    """Both models predict the same, and the second where its features are."""
    d, e = here.decision_function(a), there.decision_function(b)
    assert is_there(e)
    assert is_there(there.predict(b))
    assert is_there(there.utility(b.features))
    scale = np.abs(d).max()
    np.testing.assert_allclose(to_floats(e), d, atol=rtol * scale)
    np.testing.assert_allclose(
        to_floats(there.utility(b.features)), here.utility(a.features), atol=rtol * scale
    )
    assert there.bias_ == pytest.approx(here.bias_, rel=1e-5)
    # Of two thresholds with the same error on the training pairs, rounding may choose either.
    assert there.score(b) == pytest.approx(here.score(a), abs=0.005)


@pytest.mark.parametrize("model", [SVMCompare, SVMRank])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [MANY, FEW])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gives_the_results_of_numpy(model: Any, kernel: str, size: tuple[int, int], dtype: str) -> None:
    a, b = both(*pairs(*size), dtype)
    here, there = fitted(model(kernel, **EXACT), a, b)
    assert there.result_.gap <= 1e-9
    check_same(here, there, a, b)


@pytest.mark.parametrize("model", [SVMCompare, SVMRank])
@pytest.mark.parametrize("kernel", KERNELS)
def test_without_ties_and_scaled(model: Any, kernel: str) -> None:
    a, b = both(*pairs(200, 400, ties=False), "float32")
    options = {**EXACT, "scale": True, "C": 10.0}
    check_same(*fitted(model(kernel, **options), a, b), a, b)


def test_more_pairs_than_one_working_set() -> None:
    a, b = both(*pairs(1100, 2200))
    check_same(*fitted(SVMCompare(**EXACT), a, b), a, b)
    rough = SVMCompare().fit(b)
    assert rough.n_iter_ > 1
    assert rough.result_.converged


def test_the_certificate_holds_in_numpy() -> None:
    """Both objectives, computed from scratch in NumPy at the solution of a model on a device."""
    from podium.comparers.dual.certificate import Variables, certify
    from podium.comparers.kernel_machine import training_pairs

    a, b = both(*pairs(700, 1400), "float32")
    model = SVMCompare(C=10.0).fit(b)
    data = training_pairs(a, None, False)
    K = data.kernel(model._kernel).rows(np.arange(len(data.tail)))
    f = K @ model.result_.details["coefficients"]
    variables = Variables(10.0 * data.weight, data.n_decisive)
    found = certify(variables, variables.label * model.result_.solution, f, True)
    assert found.gap == pytest.approx(model.result_.gap, rel=1e-6)
    assert found.gap <= 1e-3


def test_attributes_are_where_the_features_are() -> None:
    a, b = both(*pairs(*MANY), "float32")
    here, there = fitted(SVMCompare("linear", scale=True, **EXACT), a, b)
    for name in ("support_", "support_vectors_", "item_coef_", "coef_", "feature_mean_"):
        assert is_there(getattr(there, name)), name
    assert there.support_vectors_.dtype == xp.float32
    np.testing.assert_allclose(to_floats(there.coef_), here.coef_, atol=1e-6 * np.abs(here.coef_).max())
    rows = to_numpy(there.support_)
    np.testing.assert_array_equal(to_numpy(there.support_vectors_), to_numpy(b.features)[rows])


def test_features_may_change_places_after_the_fit() -> None:
    a, b = both(*pairs(*MANY))
    kernels: tuple[Any, ...] = ("rbf", "linear")
    for kernel in kernels:
        for scale in (False, True):
            for model in fitted(SVMCompare(kernel, scale=scale), a, b):
                d, e = model.decision_function(a), model.decision_function(b)
                assert isinstance(d, np.ndarray)
                assert is_there(e)
                np.testing.assert_allclose(to_floats(e), d, atol=1e-9)


@pytest.mark.parametrize("far", [False, True])
def test_far_from_zero(far: bool) -> None:
    c, X = pairs(*MANY)
    a, b = both(c, X + 1e6 if far else 1e4 * X)
    gamma: Any = "scale" if far else 1.0  # distances in products would lose digits
    check_same(*fitted(SVMRank(gamma=gamma, **EXACT), a, b), a, b)


def test_an_array_of_pairs() -> None:
    c, X = pairs(*MANY)
    sides = np.stack([X[c.left], X[c.right]], axis=1)
    here = SVMCompare(**EXACT).fit(sides, c.outcome)
    there = SVMCompare(**EXACT).fit(xp.asarray(sides), c.outcome)
    np.testing.assert_allclose(
        to_floats(there.decision_function(xp.asarray(sides))), here.decision_function(sides), atol=1e-6
    )


def test_few_items_start_from_the_interior_point_solution() -> None:
    a, b = both(*pairs(*FEW))
    here, there = fitted(SVMCompare(C=100.0), a, b)
    assert there.result_.solver == here.result_.solver == "interior point, pair decomposition"


def test_a_grid() -> None:
    train, judge = (both(*pairs(150, 300, seed=seed)) for seed in (0, 1))
    options: Any = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
    here, there = (
        compare_grid(SVMCompare(tol=1e-9), *sets, **options) for sets in zip(train, judge, strict=True)
    )
    np.testing.assert_allclose(there.validation_error, here.validation_error)
    assert is_there(there.best_estimator.support_vectors_)


def test_a_hard_margin() -> None:
    a, b = both(*pairs(150, 300, ties=False))
    here, there = fitted(SVMRank(C=np.inf, **EXACT), a, b)
    check_same(here, there, a, b)
    assert there.margin_ == pytest.approx(here.margin_)


def test_contradictions_are_found() -> None:
    c, X = pairs(50, 100, ties=False)  # no cycles, but more pairs than dimensions
    for features in (X, xp.asarray(X)):
        with pytest.raises(ValueError, match=r"row \d+ .* contradict"):
            SVMRank("poly", C=np.inf, degree=1).fit(c.with_features(features))


def test_only_ties() -> None:
    c, X = pairs(20, 40)
    model = SVMCompare().fit(c.with_features(xp.asarray(X)), np.zeros(20, dtype=np.int8))
    assert not to_floats(model.utility(xp.asarray(X))).any()


def test_kernels_of_the_user_are_called_with_numpy() -> None:
    c, X = pairs(20, 40)
    kernels: tuple[Any, ...] = ("precomputed", lambda X, Y: X @ Y.T)
    for kernel in kernels:
        features = X @ X.T if kernel == "precomputed" else X
        here, there = (SVMCompare(kernel).fit(c.with_features(f)) for f in (features, xp.asarray(features)))
        assert is_there(there.support_)
        utility = there.utility(xp.asarray(features))
        assert is_there(utility)
        np.testing.assert_allclose(to_floats(utility), here.utility(features))


def test_a_fit_says_that_it_copies() -> None:
    c, X = pairs(20, 40)
    with pytest.warns(
        UserWarning, match="SVMRank runs in NumPy only, so the features are copied from the device"
    ):
        SVMRank().fit(c.with_features(xp.asarray(X)))
