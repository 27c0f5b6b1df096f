import warnings
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC

from podium import Comparisons
from podium.comparers.linear_compare import LinearCompare
from podium.comparers.primal.fit import fit_linear_pairs
from podium.comparers.primal.problem import linear_pairs
from podium.metrics import comparison_auc
from podium.numerics.result import NotConverged

Loss = Literal["hinge", "logistic"]


def simulated(
    n: int = 200, p: int = 4, *, tie: float = 1.0, noise: float = 0.5, seed: int = 0
) -> Comparisons:
    """Pairs of 3n/2 items with a linear utility."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(3 * n // 2, p)), rng.normal(size=p)
    left = rng.integers(0, len(X), n)
    right = (left + rng.integers(1, len(X), n)) % len(X)
    d = (X[right] - X[left]) @ w + noise * rng.normal(size=n)
    outcome = np.where(np.abs(d) <= tie, 0, np.sign(d)).astype(np.int8)
    return Comparisons.from_codes(np.arange(len(X)), left, right, outcome).with_features(X)


def with_tie_share(share: float, n: int = 120, seed: int = 0) -> Comparisons:
    """Pairs with a linear utility and the given share of ties; whole classes may be missing."""
    c = simulated(n, seed=seed)
    d = (c.features[c.right] - c.features[c.left]) @ np.ones(c.features.shape[1])
    outcome = np.where(np.argsort(np.argsort(np.abs(d))) < share * n, 0, np.sign(d)).astype(np.int8)
    return Comparisons.from_codes(c.items, c.left, c.right, outcome).with_features(c.features)


def flipped(c: Comparisons) -> tuple[Any, Any, Any]:
    """(8), row by row."""
    rows, labels, weights = [], [], []
    assert c.outcome is not None
    for a, b, y, w in zip(c.features[c.left], c.features[c.right], c.outcome, c.weight, strict=True):
        for sign in (y,) if y else (1, -1):
            rows.append(sign * (b - a))
            labels.append(1 if y else -1)
            weights.append(w)
    return np.array(rows), np.array(labels), np.array(weights)


def objective(c: Comparisons, loss: str, C: float, u: Any, bias: float) -> float:
    D, label, weight = flipped(c.with_features(c.features.toarray()) if sparse.issparse(c.features) else c)
    m = label * (D @ u + bias)
    return float(
        0.5 * u @ u + C * weight @ (np.maximum(0, 1 - m) if loss == "hinge" else np.logaddexp(0, -m))
    )


def quietly_fitted(model: LinearCompare, c: Comparisons) -> LinearCompare:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*fitted with β = 0", UserWarning)
        return model.fit(c)


# ------------------------------------------------------------------------------------ against oracles


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_optimum_is_that_of_scikit_learn(loss: Loss, C: float) -> None:
    c = simulated()
    model = LinearCompare(loss, C=C, tol=1e-6).fit(c)
    D, label, _ = flipped(c)
    oracle = (
        SVC(kernel="linear", C=C, tol=1e-9)
        if loss == "hinge"
        else LogisticRegression(C=C, tol=1e-9, max_iter=10_000)
    ).fit(D, label)
    best = objective(c, loss, C, oracle.coef_[0], float(oracle.intercept_[0]))
    result = model.result_
    assert objective(c, loss, C, result.solution[:-1], result.solution[-1]) == pytest.approx(best, rel=1e-5)
    assert result.objective == pytest.approx(best, rel=1e-5)
    assert result.details["dual"] <= best * (1 + 1e-7)
    assert result.gap is not None
    assert result.gap <= 1e-6
    assert result.converged


def test_linear_svc_agrees_where_its_penalty_of_the_bias_does_not_matter() -> None:
    c = simulated(2_000, noise=1.0)
    model = LinearCompare(C=1.0, tol=1e-5).fit(c)
    D, label, _ = flipped(c)
    peer = LinearSVC(loss="hinge", C=1.0, tol=1e-6, max_iter=100_000, random_state=0).fit(D, label)
    value = objective(c, "hinge", 1.0, peer.coef_[0], float(peer.intercept_[0]))
    assert model.result_.objective <= value * (1 + 1e-5)
    assert model.result_.objective == pytest.approx(value, rel=2e-3)


@given(st.integers(0, 10**6))
def test_the_gap_closes_whatever_the_data(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 120)), int(rng.integers(1, 8))
    k = int(rng.integers(2, 2 * n))
    X = rng.normal(size=(k, p)) * np.exp(rng.normal(size=p))
    left, right = rng.integers(0, k, n), rng.integers(0, k, n)
    outcome = rng.integers(-1, 2, n).astype(np.int8)
    if seed % 2:
        d = (X[right] - X[left]) @ rng.normal(size=p)
        outcome = np.where(np.abs(d) <= np.median(np.abs(d)), 0, np.sign(d)).astype(np.int8)
    c = Comparisons.from_codes(np.arange(k), left, right, outcome, named=False).with_features(X)
    for loss in ("hinge", "logistic"):
        C = 10.0 ** rng.integers(-3, 5)
        result = quietly_fitted(LinearCompare(loss, C=C), c).result_
        assert result.converged
        assert result.gap is not None
        assert result.gap <= 1e-3


@pytest.mark.parametrize("fixed", [False, True])
def test_sharp_corners_do_not_stall_it(fixed: bool) -> None:
    """Separable pairs with a large C stall Newton's method on the hinge, but not the interior point."""
    c = with_tie_share(0.0 if fixed else 0.5, 200)
    C = 1e4
    model = LinearCompare(C=C, tol=1e-7).fit(c)
    assert model.result_.converged
    D, label, _ = flipped(c)
    if fixed:
        D, label = np.vstack([D, -D]), np.repeat([1, -1], len(D))  # the mirror image removes the bias
        C /= 2
    oracle = SVC(kernel="linear", C=C, tol=1e-8).fit(D, label)
    value = (
        0.5 * oracle.coef_[0] @ oracle.coef_[0]
        + C * np.maximum(0, 1 - label * oracle.decision_function(D)).sum()
    )
    assert model.result_.objective == pytest.approx(value, rel=1e-3)
    assert model.result_.objective <= value * (1 + 1e-6)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_subsamples_lead_to_the_same_optimum(loss: Loss) -> None:
    c = simulated(100_000, 3, noise=1.0)
    model = LinearCompare(loss, tol=1e-5, random_state=0).fit(c)
    assert model.result_.converged
    d = c.features[c.right] - c.features[c.left]
    assert c.outcome is not None
    tie = c.outcome == 0
    D = np.vstack([d[~tie] * c.outcome[~tie, None], d[tie], -d[tie]])
    label = np.repeat([1, -1], [(~tie).sum(), 2 * tie.sum()])
    if loss == "logistic":
        oracle = LogisticRegression(tol=1e-6).fit(D, label)
        np.testing.assert_allclose(model.result_.solution[:-1], oracle.coef_[0], rtol=0.02, atol=0.02)
    assert model.score(c) > 0.5


def test_many_features_are_solved_by_conjugate_gradients() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 1_200), density=0.01, rng=rng, format="csr")
    left, right = np.arange(150), np.arange(150, 300)
    d = (X @ rng.normal(size=1_200))[right] - (X @ rng.normal(size=1_200))[left]
    outcome = np.where(np.abs(d) < 0.7, 0, np.sign(d)).astype(np.int8)
    c = Comparisons.from_codes(np.arange(300), left, right, outcome).with_features(X)
    for loss in ("hinge", "logistic"):
        result = quietly_fitted(LinearCompare(loss, C=10.0, tol=1e-4), c).result_
        assert result.converged
        fixed = "fallback" in result.details
        D, label, _ = flipped(c.with_features(X.toarray()))
        if loss == "hinge" and not fixed:
            oracle = SVC(kernel="linear", C=10.0, tol=1e-6).fit(D, label)
            best = objective(c, loss, 10.0, oracle.coef_[0], float(oracle.intercept_[0]))
            assert result.objective == pytest.approx(best, rel=1e-3)


# ------------------------------------------------------------------------------------ Lemma 1 and its limits


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("C", [0.001, 1.0])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_the_ranking_is_never_reversed(share: float, C: float, loss: Loss) -> None:
    c = with_tie_share(share)
    model = quietly_fitted(LinearCompare(loss, C=C), c)
    assert c.outcome is not None
    decisive = c.outcome != 0
    d = model.decision_function(c)
    assert model.result_.converged
    if decisive.any():
        assert np.mean(np.sign(d[decisive]) == c.outcome[decisive]) > 0.9
    if model.bias_ < 0:
        assert model.margin_ == pytest.approx(-1 / model.bias_)
        assert model.threshold_ == 1
    else:
        assert np.isnan(model.margin_)
        assert model.bias_ == 0
        assert "fallback" in model.result_.details


@pytest.mark.parametrize("p", [4, 60])  # Newton's method; the interior point method
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_few_ties_have_a_bias_only_if_the_best_is_negative(p: int, loss: Loss, noise: float) -> None:
    """The problem with β = 0 comes first; its dual must agree with the solution of the other problem."""
    c = simulated(240, p, tie=0.15, noise=noise)
    assert c.outcome is not None
    assert 0 < np.mean(c.outcome == 0) < 0.2
    model = quietly_fitted(LinearCompare(loss, tol=1e-7), c)
    problem = linear_pairs(c, None, 1.0, None)
    best = fit_linear_pairs(problem, loss, 1e-7).solution[-1]
    assert model.bias_ == pytest.approx(min(best, 0.0), abs=1e-3)
    assert np.isnan(model.margin_) == (best >= 0)


def test_the_default_does_not_depend_on_the_run() -> None:
    c = simulated(90_000, 2)  # enough for a start from some of the pairs
    one, other = (quietly_fitted(LinearCompare(), c) for _ in range(2))
    np.testing.assert_array_equal(other.coef_, one.coef_)


def test_few_ties_warn_once_and_say_why() -> None:
    c = with_tie_share(0.05)
    with pytest.warns(UserWarning, match="r ranks only if it is negative") as caught:
        model = LinearCompare(C=0.001).fit(c)
    assert len(caught) == 1
    assert model.threshold_ > 0


def test_no_ties_is_svm_rank_and_only_ties_is_no_difference() -> None:
    ranked = LinearCompare(tol=1e-6).fit(with_tie_share(0.0))
    assert ranked.threshold_ == 0
    D, _, _ = flipped(with_tie_share(0.0))
    oracle = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-9, max_iter=100_000).fit(
        np.vstack([D, -D]), np.repeat([1, -1], len(D))
    )
    assert (
        ranked.result_.objective
        <= 0.5 * oracle.coef_[0] @ oracle.coef_[0] + np.maximum(0, 1 - D @ oracle.coef_[0]).sum() + 1e-6
    )
    tied = LinearCompare().fit(with_tie_share(1.0))
    assert not tied.predict(with_tie_share(0.3)).any()
    assert not tied.coef_.any()


def test_hand_case() -> None:
    """Ties at distance 1 and others at 3: the boundary is in the middle, β = -2 and u = 1."""
    model = LinearCompare(C=100.0, tol=1e-9).fit([[[0.0], [1.0]], [[0.0], [3.0]]], [0, 1])
    assert model.bias_ == pytest.approx(-2, abs=1e-4)
    assert model.coef_ == pytest.approx([0.5], abs=1e-4)
    assert model.margin_ == pytest.approx(0.5, abs=1e-4)


# ------------------------------------------------------------------------------------ invariants


@given(st.integers(0, 10**6))
def test_swapping_sides_negates(seed: int) -> None:
    c = simulated(60, 3, seed=seed)
    model = quietly_fitted(LinearCompare(), c)
    pairs = np.stack([c.features[c.left], c.features[c.right]], axis=1)
    np.testing.assert_array_equal(model.decision_function(pairs), -model.decision_function(pairs[:, ::-1]))
    np.testing.assert_array_equal(model.predict(c), -model.predict(c.swap()))
    same = np.stack([pairs[:, 0], pairs[:, 0]], axis=1)
    assert not model.predict(same).any()
    # Rounding may lead to another point within tol, so the two optima are compared at a small one.
    one, other = (quietly_fitted(LinearCompare(tol=1e-8), each) for each in (c, c.swap()))
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-3 * np.abs(one.coef_).max())


def test_a_row_twice_is_weight_two_and_order_is_no_matter() -> None:
    c = simulated(80, 3)
    rows = np.arange(80)
    twice = LinearCompare(tol=1e-8).fit(c[np.append(rows, rows[:40])])
    weighted = LinearCompare(tol=1e-8).fit(c, sample_weight=np.where(rows < 40, 2.0, 1.0))
    shuffled = LinearCompare(tol=1e-8).fit(
        c[np.random.default_rng(0).permutation(np.append(rows, rows[:40]))]
    )
    np.testing.assert_allclose(twice.coef_, weighted.coef_, atol=1e-3)
    np.testing.assert_allclose(twice.coef_, shuffled.coef_, atol=1e-3)


def test_class_weight_is_a_weight() -> None:
    c = simulated(80, 3)
    assert c.outcome is not None
    by_class = LinearCompare("logistic", class_weight={0: 3.0}).fit(c)
    by_row = LinearCompare("logistic").fit(c, sample_weight=np.where(c.outcome == 0, 3.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_)
    LinearCompare(class_weight="balanced").fit(c)


def test_sparse_and_unused_items_change_nothing() -> None:
    c = simulated(80, 3)
    dense = LinearCompare("logistic").fit(c)
    thin = LinearCompare("logistic").fit(c.with_features(sparse.csr_array(c.features)))
    np.testing.assert_allclose(dense.coef_, thin.coef_, rtol=1e-9)
    part = LinearCompare("logistic").fit(c[:20])
    pairs = np.stack([c.features[c.left], c.features[c.right]], axis=1)[:20]
    np.testing.assert_allclose(
        part.coef_, LinearCompare("logistic").fit(pairs, c[:20].outcome).coef_, rtol=1e-9
    )
    np.testing.assert_array_equal(np.sign(thin.decision_function(c)), np.sign(dense.decision_function(c)))


# ------------------------------------------------------------------------------------ streams


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_a_stream_comes_close_to_the_batch(loss: Loss) -> None:
    c = simulated(12_000, 6)
    scale = np.array([100.0, 1, 1, 1, 1, 0.01])
    c = c.with_features(c.features * scale)
    train, test = c[:8_000], c[8_000:]
    stream = LinearCompare(loss, random_state=0)
    for start in range(0, 8_000, 500):
        stream.partial_fit(train[start : start + 500])
    batch = LinearCompare(loss).fit(train)
    assert stream.score(test) > batch.score(test) - 0.03
    assert test.outcome is not None
    d = stream.decision_function(test)
    assert comparison_auc(test.outcome, d) > 0.97 * comparison_auc(
        test.outcome, batch.decision_function(test)
    )


def test_a_stream_does_not_reverse() -> None:
    c = with_tie_share(0.05, 2_000)
    model = LinearCompare(random_state=0)
    for start in range(0, 2_000, 100):
        model.partial_fit(c[start : start + 100])
    assert c.outcome is not None
    decisive = c.outcome != 0
    assert np.mean(np.sign(model.decision_function(c))[decisive] == c.outcome[decisive]) > 0.9
    with pytest.raises(ValueError, match="have 2 features, but the model was fitted to 4"):
        model.partial_fit(np.zeros((3, 2, 2)), [0, 1, -1])


@pytest.mark.parametrize("ties", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_a_stream_goes_on_after_fit(loss: Loss, ties: float) -> None:
    """One more pair hardly changes a model of a thousand pairs, and a thousand more do not undo it."""
    c = with_tie_share(ties, 3_000)
    old, new, test = c[:1_000], c[1_000:2_000], c[2_000:]
    model = quietly_fitted(LinearCompare(loss, random_state=0), old)
    before, score = model.coef_.copy(), model.score(test)
    model.partial_fit(new[:1])
    assert not hasattr(model, "result_")
    assert 0 < np.abs(model.coef_ - before).max() < 0.05 * np.abs(before).max()
    model.partial_fit(new[1:])
    assert model.score(test) > score - 0.03
    anew = LinearCompare(loss, random_state=0).partial_fit(new[:1])
    assert np.abs(anew.coef_ - before).max() > 0.5 * np.abs(before).max()
    quietly_fitted(model, old)  # fit always starts again
    np.testing.assert_array_equal(model.coef_, before)


def test_a_sparse_stream() -> None:
    c = simulated(400, 3)
    dense = LinearCompare(random_state=0).partial_fit(c)
    thin = LinearCompare(random_state=0).partial_fit(c.with_features(sparse.csr_array(c.features)))
    np.testing.assert_allclose(dense.coef_, thin.coef_)
    dense, thin = (
        LinearCompare(random_state=0).fit(c.with_features(f(c.features)))
        for f in (np.asarray, sparse.csr_array)
    )
    np.testing.assert_allclose(dense.partial_fit(c).coef_, thin.partial_fit(c).coef_, rtol=1e-6)


# ------------------------------------------------------------------------------------ as an estimator


def test_it_searches_clones_and_warns_when_stopped_early() -> None:
    c = simulated(150, 3)
    search = GridSearchCV(LinearCompare(), {"C": [0.1, 1.0]}, cv=3).fit(c, c.outcome)
    assert search.best_score_ > 0.5
    assert clone(LinearCompare(C=3.0)).C == 3.0
    with pytest.warns(NotConverged, match="duality gap"):
        LinearCompare(tol=1e-12, max_iter=1).fit(c)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda c: LinearCompare("square").fit(c), "loss must be 'hinge' or 'logistic'"),  # type: ignore[arg-type]
        (lambda c: LinearCompare(C=0).fit(c), "C is a positive finite number"),
        (lambda c: LinearCompare(tol=0).fit(c), "tol is a number above 0"),
        (lambda c: LinearCompare(class_weight={2: 1.0}).fit(c), "class_weight must be"),
        (lambda c: LinearCompare().fit(np.zeros((2, 2, 1))), "no outcome to learn from"),
        (lambda c: LinearCompare().fit(c[:0]), "no comparisons"),
        (
            lambda c: LinearCompare().fit(c).predict(np.zeros((1, 2, 9))),
            "9 features, but .* fitted to 4",
        ),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call(simulated(60))


@pytest.mark.parametrize(("scale", "C"), [(1e160, 1.0), (1.0, 1e300)])
def test_numbers_that_are_too_large_are_one_sentence(scale: float, C: float) -> None:
    c = with_tie_share(0.5)
    c = c.with_features(c.features * scale)
    with pytest.raises(ValueError, match="too large to compute with; scale"):
        LinearCompare(C=C).fit(c)
    with pytest.raises(ValueError, match="scale the features, or lower C"):
        LinearCompare(C=C).partial_fit(c)


@pytest.mark.parametrize("failure", [np.linalg.LinAlgError("2-th leading minor"), ZeroDivisionError()])
def test_a_solver_that_cannot_continue_raises_one_sentence(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise failure

    monkeypatch.setattr("podium.comparers.primal.fit.fit_linear_pairs", fail)
    with pytest.raises(ValueError, match="too large to compute with; scale the features, or lower C"):
        LinearCompare().fit(simulated())
