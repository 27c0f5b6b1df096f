"""Only differences matter: the origin of the features must not, and certificates must be true.

Features are whole numbers, so that an offset changes none of their differences, and objectives are evaluated
again in long doubles, from differences.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import podium as pod
from podium.numerics.result import NotConverged

HOUR = 3_600_000  # milliseconds
NOW = 1_700_000_000_000
C = 0.1

Model = Callable[..., Any]
MODELS: dict[str, Model] = {
    "rank": lambda **o: pod.SVMRank("linear", threshold=0.5, **o),
    "rank rbf": lambda **o: pod.SVMRank("rbf", threshold=0.5, **o),
    "compare": lambda **o: pod.SVMCompare("linear", **o),
    "compare rbf": lambda **o: pod.SVMCompare("rbf", **o),
    "hinge": lambda **o: pod.LinearCompare(random_state=0, **o),
    "logistic": lambda **o: pod.LinearCompare("logistic", random_state=0, **o),
}


def points(n_features: int, unit: float = 1.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.round(unit * 10 * rng.normal(size=(60, n_features)))


def compared(X: np.ndarray, at: Any = 0.0, n: int = 250, seed: int = 0) -> pod.Comparisons:
    """Pairs of points, compared by a linear function of them; the points lie around ``at``."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, len(X), n)
    right = (left + rng.integers(1, len(X), n)) % len(X)
    r = X @ rng.normal(size=X.shape[1])
    d = (r[right] - r[left]) / r.std() + 0.2 * rng.normal(size=n)
    outcome = np.where(np.abs(d) < 0.5, 0, np.sign(d)).astype(np.int8)
    return pod.Comparisons.from_features(X[left] + at, X[right] + at, outcome)


def differences(model: Any, c: pod.Comparisons) -> np.ndarray:
    """r(x') - r(x) in long doubles, from differences of features."""
    X = np.asarray(c.features, dtype=np.longdouble)
    if hasattr(model, "coef_"):
        return np.asarray((X[c.right] - X[c.left]) @ model.coef_.astype(np.longdouble))
    r = long_kernel(model, X, np.asarray(model.support_vectors_, dtype=np.longdouble)) @ model.item_coef_
    return np.asarray(r[c.right] - r[c.left])


def long_kernel(model: Any, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-np.longdouble(model.gamma_) * ((X[:, None] - Y) ** 2).sum(axis=2)))


def true_objective(model: Any, c: pod.Comparisons) -> float:
    """The objective (3) or (15) at the fitted model."""
    d, scale, bias = differences(model, c), -model.bias_ or 1.0, model.bias_
    if hasattr(model, "coef_"):
        square = float(model.coef_ @ model.coef_)
    else:
        Y = np.asarray(model.support_vectors_, dtype=np.longdouble)
        square = float(model.item_coef_ @ long_kernel(model, Y, Y) @ model.item_coef_)
    assert c.outcome is not None
    tie, d = c.outcome == 0, scale * d
    total = loss(model, bias + d * c.outcome)[~tie].sum()
    if bias:  # otherwise ties are left out: SVMrank
        total += (loss(model, -bias - d) + loss(model, -bias + d))[tie].sum()
    return float(0.5 * scale**2 * square + model.C * total)


def loss(model: Any, margin: np.ndarray) -> np.ndarray:
    if getattr(model, "loss", "hinge") == "logistic":
        return np.asarray(np.logaddexp(0, -margin))
    return np.asarray(np.maximum(0, 1 - margin))


# ------------------------------------------------------------------------------------ fits


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_features", [3, 25])
@pytest.mark.parametrize(("unit", "at"), [(1.0, 1e8), (HOUR / 10, float(NOW))])
def test_far_from_0_the_decisions_are_the_same_and_the_gap_is_true(
    name: str, n_features: int, unit: float, at: float
) -> None:
    X = points(n_features, unit)
    cost = C / unit**2 if "rbf" not in name else C
    near, far = compared(X), compared(X, at)
    model, there = (MODELS[name](C=cost, tol=1e-6).fit(c) for c in (near, far))
    optimum = model.result_.objective
    for each, c in ((there, far), (MODELS[name](C=cost).fit(far), far)):
        assert each.result_.converged
        assert true_objective(each, c) == pytest.approx(each.result_.objective, rel=1e-6)
        assert true_objective(each, c) <= optimum / (1 - each.result_.gap) * (1 + 1e-6)
    np.testing.assert_array_equal(there.predict(far), model.predict(near))
    np.testing.assert_allclose(
        there.decision_function(far), np.asarray(differences(there, far), float), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("model", [pod.SVMCompareLP(C=0.1), pod.SVMCompareLP("rbf", C=0.1, gamma=0.01)])
def test_the_linear_program_far_from_0(model: Any) -> None:
    X = points(3)
    near, far = compared(X), compared(X, float(NOW))
    objective, predicted = model.fit(near).result_.objective, model.predict(near)
    assert model.fit(far).result_.objective == pytest.approx(objective, rel=1e-6)
    np.testing.assert_array_equal(model.predict(far), predicted)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", [pod.OnlineSVMRank(random_state=0), pod.LinearCompare(random_state=0)])
def test_streams_far_from_0(model: Any, stream: bool) -> None:
    X = points(3)
    near, far = compared(X), compared(X, float(NOW))
    fitted = []
    for c in (near, far):
        learn = type(model)(**model.get_params())
        fitted.append(learn.partial_fit(c[:50]).partial_fit(c[50:]) if stream else learn.fit(c))
    np.testing.assert_allclose(fitted[1].coef_, fitted[0].coef_, rtol=1e-6)
    np.testing.assert_array_equal(fitted[1].predict(far), fitted[0].predict(near))


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(
    name=st.sampled_from(sorted(MODELS)),
    at=st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=2),
    seed=st.integers(0, 100),
    sparse=st.booleans(),
)
def test_the_origin_does_not_matter(name: str, at: list[int], seed: int, sparse: bool) -> None:
    near = compared(points(2, seed=seed), n=60, seed=seed)
    far = near.with_features(near.features + np.array(at))
    if sparse:
        far = far.with_features(csr_array(far.features))
    model, there = (MODELS[name](C=0.1, tol=1e-6).fit(c) for c in (near, far))
    decided = model.decision_function(near)
    assert there.result_.objective == pytest.approx(model.result_.objective, rel=1e-5)
    np.testing.assert_allclose(
        there.decision_function(far), decided, atol=2e-2 * max(1.0, np.abs(decided).max())
    )


def test_one_column_of_times_among_others() -> None:
    """The offset of one column must not change the default γ either."""
    X = points(3) * [1.0, 1.0, HOUR / 10]
    model, there = (pod.SVMCompare(C=C).fit(compared(X, [0.0, 0.0, at])) for at in (0.0, NOW))
    assert there.gamma_ == pytest.approx(model.gamma_)
    np.testing.assert_array_equal(there.predict(compared(X, [0.0, 0.0, NOW])), model.predict(compared(X)))


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_keeps_its_centre(name: str, tmp_path: Any) -> None:
    pytest.importorskip("skops")
    c = compared(points(3), float(NOW))
    model = MODELS[name](C=0.1).fit(c)
    pod.save(model, tmp_path / "model.skops")
    back = pod.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(back.decision_function(c), model.decision_function(c))
    np.testing.assert_array_equal(back.utility(c.features[:5]), model.utility(c.features[:5]))


# ------------------------------------------------------------------------------------ polynomials


@pytest.mark.filterwarnings("ignore:the best bias")
@pytest.mark.parametrize("model", [pod.SVMRank, pod.SVMCompare])
def test_a_polynomial_far_from_0_certifies_nothing_and_says_why(model: Any) -> None:
    c = compared(points(3), 1e9)
    with (
        pytest.warns(UserWarning, match="subtract their means first"),
        pytest.warns(NotConverged, match="rounding allows no better"),
    ):
        fitted = model("poly").fit(c)
    assert fitted.result_.gap > 1
    assert not fitted.result_.converged


@pytest.mark.filterwarnings("ignore:.*the solver", "ignore:the features")
@pytest.mark.parametrize("at", [0, 10**3, 10**4, 10**6, 10**8])
def test_a_polynomial_is_certified_only_where_its_gap_is_true(at: int) -> None:
    c = compared(points(2), at, n=80)
    model = pod.SVMRank("poly", degree=2, gamma=1.0, C=1e-5).fit(c)
    exact = exact_objective(model, c)
    assert not model.result_.converged or exact == pytest.approx(model.result_.objective, rel=model.tol)
    assert model.result_.converged or at > 10**3
    assert not model.result_.converged or at < 10**8


def exact_objective(model: Any, c: pod.Comparisons) -> float:
    """The objective (3) with the kernel (x·y)², in exact fractions."""
    vectors = c.features, model.support_vectors_, model.item_coef_
    X, Y, coefficient = (np.vectorize(Fraction)(A) for A in vectors)
    r, own = ((Z @ Y.T) ** 2 @ coefficient for Z in (X, Y))
    d = (r[c.right] - r[c.left]) * c.outcome
    slack = np.maximum(1 - d, 0)[c.outcome != 0].sum()
    return float(coefficient @ own / 2 + Fraction(model.C) * slack)
