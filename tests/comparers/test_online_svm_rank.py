"""OnlineSVMRank against the lecture's pseudo-code and against the exact optimum."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from podium import Comparisons, OnlineSVMRank
from podium.comparers.linear_compare import LinearCompare
from podium.comparers.svm_rank import SVMRank


def simulated(
    n: int = 300, p: int = 4, *, tie: float = 0.0, noise: float = 1.0, seed: int = 0
) -> Comparisons:
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(2, n, p))
    d = (right - left) @ rng.normal(size=p) + noise * rng.normal(size=n)
    outcome = np.where(np.abs(d) < tie, 0, np.sign(d)).astype(np.int8)
    return Comparisons.from_features(left, right, outcome)


def objective(c: Comparisons, C: float, w: Any, ties: str = "ignore") -> float:
    """The objective of SVMrank, pair by pair."""
    assert c.outcome is not None
    d = (c.features[c.right] - c.features[c.left]) @ w
    hinge = np.maximum(0, 1 - c.outcome * d)
    both = np.where(c.outcome == 0, np.maximum(0, 1 - d) + np.maximum(0, 1 + d), 2 * hinge)
    cost = both if ties == "both" else np.where(c.outcome == 0, 0.0, hinge)
    return float(0.5 * w @ w + C * c.weight @ cost)


def lecture(pairs: Any, outcome: Any, C: float, alpha: Any) -> Any:
    """§1.4: feature i is the worse side, feature j the better one."""
    T = len(outcome)
    w = np.zeros(pairs.shape[2])
    for t in range(1, T + 1):
        left, right = pairs[t - 1]
        f_i, f_j = (left, right) if outcome[t - 1] > 0 else (right, left)
        delta = f_i - f_j
        grad = 1 / C / T * w
        if w @ delta > -1:
            grad = grad + delta
        w = w - alpha(t) * grad
    return w


# ------------------------------------------------------------------------------------ against oracles


@pytest.mark.parametrize("step", ["sqrt", "inverse"])
def test_a_pass_is_the_pseudo_code(step: Any) -> None:
    c = simulated(50)
    pairs = np.stack([c.features[c.left], c.features[c.right]], axis=1)
    model = OnlineSVMRank(2.0, step=step, step_size=0.1, average=False, epochs=1, shuffle=False).fit(
        pairs, c.outcome
    )
    power = 0.5 if step == "sqrt" else 1.0
    np.testing.assert_allclose(model.coef_, lecture(pairs, c.outcome, 2.0, lambda t: 0.1 / t**power))
    stream = clone(model).set_params(horizon=50)
    for row in range(50):
        stream.partial_fit(pairs[row : row + 1], [int(c.outcome[row])])  # type: ignore[index]
    np.testing.assert_allclose(stream.coef_, model.coef_, rtol=1e-12)
    assert stream.n_steps_ == 50


@pytest.mark.parametrize("C", [0.001, 0.1, 10.0])
@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_it_approaches_the_batch_optimum(C: float, noise: float) -> None:
    c = simulated(2_000, 10, noise=noise)
    best = LinearCompare(C=C, tol=1e-5).fit(c).result_.objective
    ratio = [
        objective(c, C, OnlineSVMRank(C, epochs=epochs, random_state=0).fit(c).coef_) / best
        for epochs in (1, 20)
    ]
    assert 1 - 1e-4 <= ratio[1] <= 1.05
    assert ratio[1] <= ratio[0] + 1e-3
    inverse = OnlineSVMRank(0.001, step="inverse", epochs=20, random_state=0).fit(c)
    low = LinearCompare(C=0.001, tol=1e-5).fit(c).result_.objective
    assert objective(c, 0.001, inverse.coef_) <= 1.02 * low


@pytest.mark.parametrize("ties", ["ignore", "both"])
def test_ties_and_weights_are_those_of_svm_rank(ties: Any) -> None:
    c = simulated(300, 3, tie=0.7)
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    exact = SVMRank("linear", C=0.3, ties=ties, tol=1e-6).fit(c, sample_weight=weight)
    model = OnlineSVMRank(C=0.3, ties=ties, epochs=100, random_state=0).fit(c, sample_weight=weight)
    weighted = Comparisons.from_features(c.features[c.left], c.features[c.right], c.outcome, weight)
    assert objective(weighted, 0.3, model.coef_, ties) <= 1.01 * objective(weighted, 0.3, exact.coef_, ties)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=0.1 * np.abs(exact.coef_).max())
    assert model.threshold_ == pytest.approx(exact.threshold_, rel=0.25)
    assert model.score(c) == pytest.approx(exact.score(c), abs=0.03)


def test_a_stream_comes_close_too() -> None:
    c = simulated(20_000, 5)
    model = OnlineSVMRank()
    for start in range(0, 20_000, 500):
        model.partial_fit(c[start : start + 500])
    best = LinearCompare(tol=1e-5).fit(c).result_.objective
    assert objective(c, 1.0, model.coef_) <= 1.02 * best
    assert model.n_steps_ == 20_000


def test_many_steps_are_shuffled_in_runs() -> None:
    """The pairs are sorted by outcome, the worst possible order."""
    c = simulated(100_003, 2)
    assert c.outcome is not None
    c = c[np.argsort(c.outcome, kind="stable")]
    model = OnlineSVMRank(epochs=2, random_state=0).fit(c)
    assert model.n_steps_ == 2 * 100_003
    assert objective(c, 1.0, model.coef_) <= 1.01 * LinearCompare().fit(c).result_.objective


# ------------------------------------------------------------------------------------ invariants


@given(st.integers(0, 10**6), st.sampled_from(["ignore", "both"]), st.booleans())
def test_swapped_sides_and_outcomes_are_the_same_data(seed: int, ties: Any, average: bool) -> None:
    c = simulated(40, 3, tie=0.5, seed=seed)
    one, other = (
        OnlineSVMRank(ties=ties, average=average, random_state=0).fit(each) for each in (c, c.swap())
    )
    if ties == "ignore":
        np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.decision_function(c), -one.decision_function(c.swap()))
    np.testing.assert_array_equal(one.predict(c), -one.predict(c.swap()))


@given(st.integers(0, 10**6), st.sampled_from([1e-6, 0.1, 300.0]))
def test_the_unit_of_the_features_and_that_of_the_weights_do_not_matter(seed: int, unit: float) -> None:
    c = simulated(40, 3, seed=seed)
    scaled = c.with_features(unit * c.features)
    steps: list[Any] = ["sqrt", "inverse"]
    for step in steps:
        one = OnlineSVMRank(1.0, step=step, random_state=0).fit(c)
        other = OnlineSVMRank(1.0 / unit**2, step=step, random_state=0).fit(scaled)
        np.testing.assert_allclose(unit * other.coef_, one.coef_, rtol=1e-6, atol=1e-9)
        heavy = OnlineSVMRank(1.0 / unit, step=step, random_state=0)
        heavy.fit(c, sample_weight=np.full(40, unit))
        if step == "sqrt":
            np.testing.assert_allclose(heavy.coef_, one.coef_, rtol=1e-6, atol=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 59))
def test_chunks_are_one_stream(seed: int, cut: int) -> None:
    c = simulated(60, 3, tie=0.3, seed=seed)
    whole = OnlineSVMRank(step_size=0.5).partial_fit(c)
    parts = OnlineSVMRank(step_size=0.5).partial_fit(c[:cut]).partial_fit(c[cut:])
    np.testing.assert_array_equal(whole.coef_, parts.coef_)


def test_sparse_features_and_unused_items_change_nothing() -> None:
    c = simulated(200, 3, tie=0.3)
    dense = OnlineSVMRank(random_state=0).fit(c)
    thin = OnlineSVMRank(random_state=0).fit(c.with_features(sparse.csr_array(c.features)))
    np.testing.assert_allclose(dense.coef_, thin.coef_, rtol=1e-9)
    np.testing.assert_allclose(dense.decision_function(c[:5]), dense.decision_function(c)[:5])
    np.testing.assert_allclose(dense.utility(c.features)[c.right[:5]], dense.utility(c.features[c.right[:5]]))


# ------------------------------------------------------------------------------------ thresholds and streams


def test_the_threshold_of_a_stream_looks_back() -> None:
    c = simulated(3_000, 3, tie=0.8, noise=0.1)
    model = OnlineSVMRank().partial_fit(c[:200])
    for row in range(200, 400):
        model.partial_fit(c[row : row + 1])
    assert model.threshold_ > 0  # although a single comparison says nothing about it
    assert model.score(c[400:]) > 0.85
    assert OnlineSVMRank(threshold=0.25).partial_fit(c).threshold_ == 0.25


def test_a_stream_goes_on_after_fit_and_fit_begins_anew() -> None:
    c = simulated(400, 3)
    model = OnlineSVMRank(random_state=0).fit(c)
    fitted = model.coef_.copy()
    model.partial_fit(c[:10])
    assert model.n_steps_ == 5 * 400 + 10
    assert np.linalg.norm(model.coef_ - fitted) < 0.1 * np.linalg.norm(fitted)
    np.testing.assert_array_equal(model.fit(c).coef_, fitted)
    with pytest.raises(ValueError, match="have 2 features, but the model was fitted to 3"):
        model.partial_fit(np.zeros((3, 2, 2)), [1, 1, -1])


def test_the_progressive_loss_is_the_slack_before_each_step() -> None:
    c = simulated(2_000, 3)
    model = OnlineSVMRank(random_state=0, epochs=3).fit(c)
    mean_slack = (objective(c, 1.0, model.coef_) - 0.5 * model.coef_ @ model.coef_) / 2_000
    assert len(model.losses_) == 3
    assert model.losses_[0] > model.losses_[2] > mean_slack


def test_only_ties_are_no_difference() -> None:
    pairs = np.arange(12.0).reshape(2, 2, 3)
    model = OnlineSVMRank().fit(pairs, [0, 0])
    assert model.n_steps_ == 0
    assert model.predict(pairs).tolist() == [0, 0]
    stream, fresh = OnlineSVMRank().partial_fit(pairs, [0, 0]), OnlineSVMRank()
    for each in (stream, fresh):
        each.partial_fit(pairs, [1, 1])
    np.testing.assert_array_equal(stream.coef_, fresh.coef_)  # nor do they tell how long steps should be


# ------------------------------------------------------------------------------------ as an estimator


def test_it_searches_and_clones() -> None:
    c = simulated(200, 3, tie=0.3)
    search = GridSearchCV(OnlineSVMRank(random_state=0), {"C": [0.1, 1.0]}, cv=3).fit(c, c.outcome)
    assert search.best_score_ > 0.5
    assert clone(OnlineSVMRank(C=3.0)).C == 3.0
    with pytest.raises(NotFittedError):
        OnlineSVMRank().predict(c)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda c: OnlineSVMRank(C=0).fit(c), "C is a positive finite number"),
        (lambda c: OnlineSVMRank(C=np.inf).fit(c), "C is a positive finite number"),
        (lambda c: OnlineSVMRank(step="cube").fit(c), "step is 'sqrt' or 'inverse'"),  # type: ignore[arg-type]
        (lambda c: OnlineSVMRank(step_size="big").fit(c), "step_size is 'auto'"),  # type: ignore[arg-type]
        (lambda c: OnlineSVMRank(step_size=-1).fit(c), "step_size is 'auto'"),
        (lambda c: OnlineSVMRank(epochs=0).fit(c), "epochs is a whole number"),
        (lambda c: OnlineSVMRank(horizon=0).fit(c), "horizon is None or"),
        (lambda c: OnlineSVMRank(ties="drop").fit(c), "ties must be 'ignore' or 'both'"),  # type: ignore[arg-type]
        (lambda c: OnlineSVMRank(threshold=-1).fit(c), "threshold is 'train' or"),
        (lambda c: OnlineSVMRank(step="inverse").partial_fit(c), "needs a step_size, or horizon"),
        (lambda c: OnlineSVMRank(step_size=1e300).fit(c.with_features(1e200 * c.features)), "steps overflow"),
        (
            lambda c: OnlineSVMRank().fit(c.with_features(1e200 * c.features)),
            "squares of the features overflow",
        ),
        (
            lambda c: OnlineSVMRank(step="inverse", horizon=1e3).partial_fit(
                1e155 * np.ones((1, 2, 1)) * [[[1], [2]]], [1]
            ),
            r"overflows at row 1 \(counting from 1\); scale the features",
        ),
        (
            lambda c: OnlineSVMRank().fit(c).predict(1e308 * np.ones((1, 2, 4)) * [[[-1], [1]]]),
            "overflows at row 1",
        ),
        (lambda c: OnlineSVMRank().fit(c[:0]), "no comparisons"),
        (lambda c: OnlineSVMRank().fit(np.zeros((2, 2, 3))), "no outcome"),
        (lambda c: OnlineSVMRank().fit(np.full((2, 2, 3), np.nan), [1, 1]), "missing or infinite at row 1"),
        (lambda c: OnlineSVMRank().fit(c, c.outcome[:3]), "y"),
        (lambda c: OnlineSVMRank().fit(c, sample_weight=-np.ones(60)), "weight -1.0 at row 1"),
        (
            lambda c: OnlineSVMRank().fit(c).predict(np.zeros((1, 2, 9))),
            "9 features, but .* fitted to 4",
        ),
        (
            lambda c: OnlineSVMRank().fit(c).utility(np.zeros((1, 9))),
            "9 features, but .* fitted to 4",
        ),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call(simulated(60))
