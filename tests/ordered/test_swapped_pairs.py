"""SwappedPairsSVM: the optimum with kernels, its invariants, and its use with scikit-learn."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import HerbrichSVM, SwappedPairsSVM, metrics
from podium.numerics.result import NotConverged
from tests.ordered.all_pairs import all_pairs, graded, libsvm_solution


@parametrize_with_checks([SwappedPairsSVM(), SwappedPairsSVM("rbf")])  # type: ignore[untyped-decorator]
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


# ------------------------------------------------------------------------------------ the optimum


@pytest.mark.parametrize("solver", ["newton", "cutting-plane"])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_a_kernel_machine_is_that_of_libsvm_on_all_pairs(kernel: Any, solver: Any) -> None:
    X, y = graded(30, 2, None)
    K = rbf_kernel(X, gamma=0.5) if kernel == "rbf" else polynomial_kernel(X, gamma=0.5, degree=2, coef0=1.0)
    i, j, _ = all_pairs(y)
    D = np.zeros((len(i), 30))
    D[np.arange(len(i)), i], D[np.arange(len(i)), j] = 2.0, -2.0
    D = np.vstack([D, -D])
    svc = SVC(kernel="precomputed", C=50 * 3.0 / len(i), tol=1e-9).fit(
        D @ K @ D.T, np.repeat([1, -1], len(i))
    )
    b = D[svc.support_].T @ svc.dual_coef_[0]
    options: dict[str, Any] = {"C": 3.0, "tol": 1e-8, "solver": solver, "max_iter": 5000}
    model = SwappedPairsSVM(kernel, gamma=0.5, degree=2, coef0=1.0, **options).fit(X, y)
    np.testing.assert_allclose(model.predict(X), K @ b, atol=1e-3)
    best = 0.5 * b @ K @ b + 300 * np.mean(np.maximum(0, 1 - 2 * (K[i] - K[j]) @ b))
    assert model.result_.objective == pytest.approx(best, rel=1e-4)
    ready = SwappedPairsSVM("precomputed", **options).fit(K, y)
    np.testing.assert_allclose(ready.predict(K[:5]), model.predict(X[:5]), atol=1e-6)
    own = SwappedPairsSVM(lambda A, B: rbf_kernel(A, B, gamma=0.5), **options)
    if kernel == "rbf":
        np.testing.assert_allclose(own.fit(X, y).predict(X), model.predict(X), atol=1e-6)


def test_the_linear_kernel_is_the_linear_machine() -> None:
    X, y = graded(50, 4, 3)
    model = SwappedPairsSVM(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, libsvm_solution(X, 1.0, all_pairs(y)), atol=1e-4)
    kernel = SwappedPairsSVM("precomputed", tol=1e-8).fit(X @ X.T, y)
    np.testing.assert_allclose(kernel.predict(X @ X.T), model.predict(X), atol=1e-5)
    thin = SwappedPairsSVM(tol=1e-8).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.coef_, model.coef_, atol=1e-7)
    np.testing.assert_allclose(thin.predict(sparse.csr_array(X)), model.predict(X), atol=1e-7)


@pytest.mark.parametrize("C", [0.05, 2.0])
def test_half_the_w_of_herbrich_with_four_times_the_cost(C: float) -> None:
    """w₉ = w₃ / 2 with C₃ = 4 C₉: a pair costs 100 C / N in (9), and C in (3)."""
    X, y = graded(40, 3, 4)
    nine = SwappedPairsSVM(C=C, tol=1e-9).fit(X, y)
    n_pairs = len(all_pairs(y)[0])
    three = HerbrichSVM(partners=None, C=400 * C / n_pairs, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(nine.coef_, three.coef_ / 2, atol=2e-5)


# ------------------------------------------------------------------------------------ invariants


@st.composite
def tables(draw: Any) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(6, 25))
    y = rng.integers(0, draw(st.sampled_from([2, 3, 50])), n).astype(float)
    y[:2] = 0.0, 1.0
    qid = rng.integers(0, draw(st.integers(1, 3)), n)
    qid[:2] = 0
    return rng.normal(size=(n, 2)), y, qid


def predicted(X: Any, y: Any, qid: Any, weight: Any = None, **options: Any) -> Any:
    model = SwappedPairsSVM(tol=1e-7, **options)
    return model.fit(X, y, qid=qid, sample_weight=weight).predict(X)


@settings(max_examples=12)
@given(tables(), st.sampled_from(["linear", "rbf"]))
def test_invariants(table: Any, kernel: Any) -> None:
    X, y, qid = table
    rng = np.random.default_rng(0)
    before = predicted(X, y, qid, kernel=kernel)
    count = rng.integers(1, 4, len(y))
    twice = predicted(X, y, qid, count, kernel=kernel)
    rows = np.repeat(np.arange(len(y)), count)
    close = {"atol": 1e-2 * max(1.0, np.abs(before).max())}  # the objective is within 1e-7, w within its root
    np.testing.assert_allclose(
        predicted(X[rows], y[rows], qid[rows], kernel=kernel), twice[rows], **close
    )  # a row twice equals weight 2
    order = rng.permutation(len(y))
    np.testing.assert_allclose(
        predicted(X[order], y[order], qid[order], kernel=kernel), before[order], **close
    )
    for other in (np.exp(y), y + 100.0 * qid):  # only the order within a group matters
        np.testing.assert_allclose(predicted(X, other, qid, kernel=kernel), before, **close)
    if kernel == "linear":
        np.testing.assert_allclose(predicted(-X, -y, qid), -before, **close)


def test_a_row_without_weight_is_not_there() -> None:
    X, y = graded(30, 3, None)
    weight = np.ones(30)
    weight[[3, 17]] = 0
    for kernel, features in (("linear", X), ("rbf", X), ("precomputed", X @ X.T)):
        rest = features[weight > 0]
        with_zeros = SwappedPairsSVM(kernel).fit(features, y, sample_weight=weight)  # type: ignore[arg-type]
        if kernel == "precomputed":
            without = SwappedPairsSVM(kernel).fit(rest[:, weight > 0], y[weight > 0])  # type: ignore[arg-type]
            np.testing.assert_allclose(
                with_zeros.predict(features), without.predict(features[:, weight > 0]), atol=1e-9
            )
        else:
            without = SwappedPairsSVM(kernel).fit(rest, y[weight > 0])  # type: ignore[arg-type]
            np.testing.assert_allclose(with_zeros.predict(X), without.predict(X), atol=1e-9)


# ------------------------------------------------------------------------------------ scikit-learn


def test_searches_pipelines_and_frames() -> None:
    X, y = graded(80, 3, None)
    frame = pd.DataFrame(X, columns=list("abc"))
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), SwappedPairsSVM())
    grid = {"swappedpairssvm__C": [0.01, 1.0]}
    with config_context(transform_output="pandas"):
        search = GridSearchCV(pipeline, grid, cv=KFold(4), scoring=metrics.swapped_pairs_scorer).fit(frame, y)
    assert list(search.best_estimator_[-1].feature_names_in_) == list("abc")
    assert -0.5 < search.best_score_ <= 0
    assert search.score(frame, y) == -metrics.swapped_pairs(y, search.predict(frame))
    gram = GridSearchCV(SwappedPairsSVM("precomputed"), {"C": [0.1]}, cv=4).fit(X @ X.T, y)
    linear = GridSearchCV(SwappedPairsSVM(), {"C": [0.1]}, cv=4).fit(X, y)
    assert gram.best_score_ == pytest.approx(linear.best_score_, abs=2e-3)


def test_groups_and_weights_are_routed() -> None:
    X, y = graded(90, 3, 4)
    qid = np.repeat(np.arange(15), 6)
    weight = np.random.default_rng(0).uniform(0.5, 2, 90)
    with config_context(enable_metadata_routing=True):
        model = SwappedPairsSVM().set_fit_request(qid=True, sample_weight=True)
        model.set_score_request(qid=True, sample_weight=True)
        params = {"qid": qid, "sample_weight": weight, "groups": qid}
        done = cross_validate(model, X, y, cv=GroupKFold(3), params=params, return_estimator=True)
        scorer = metrics.swapped_pairs_scorer.set_score_request(qid=True, sample_weight=True)
        loss = cross_validate(model, X, y, cv=GroupKFold(3), params=params, scoring=scorer)
    np.testing.assert_allclose(done["test_score"], 1 + loss["test_score"])
    train, test = next(GroupKFold(3).split(X, y, qid))
    alone = SwappedPairsSVM().fit(X[train], y[train], qid=qid[train], sample_weight=weight[train])
    np.testing.assert_allclose(done["estimator"][0].coef_, alone.coef_)
    expected = alone.score(X[test], y[test], qid=qid[test], sample_weight=weight[test])
    assert done["test_score"][0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [1.0, 1.0, 1.0]}, "no two rows with different labels; there is nothing to rank"),
        ({"qid": [0, 1, 2]}, "no two rows with different labels within a qid"),
        ({"qid": ["a", None, "b"]}, r"qid is missing at row 2 \(counting from 1\)"),
        ({"qid": [1, 2]}, "qid has 2 rows where 3 rows are expected"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, r"the weight -1.0 at row 2 \(counting from 1\) is negative"),
        ({"sample_weight": [1.0, 2.0]}, r"sample_weight has 2 rows"),
        ({"X": [[1.0], [np.nan], [2.0]]}, r"X has a value that is NaN or infinite at row 2"),
        ({"y": [1.0, 2.0, np.inf]}, "y contains infinity"),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"X": [[1.0], [2.0], [3.0]], "y": [1.0, 2.0, 3.0]}
    for model in (SwappedPairsSVM(), HerbrichSVM()):
        with pytest.raises(ValueError, match=message):
            model.fit(**{**good, **change})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "C is a positive finite number"),
        ({"C": np.inf}, "C is a positive finite number"),
        ({"tol": 0.0}, "tol is a number above 0"),
        ({"solver": "simplex"}, "solver is 'newton' or 'cutting-plane'"),
        ({"kernel": "cubic"}, "kernel is one of"),
        ({"kernel": "precomputed"}, "X is a square kernel matrix"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SwappedPairsSVM(**options).fit([[1.0], [2.0], [3.0]], [1, 2, 3])


def test_stopping_early_warns() -> None:
    X, y = graded(60, 5, None)
    for solver in ("newton", "cutting-plane"):
        with pytest.warns(NotConverged, match="stopped after"):
            SwappedPairsSVM(tol=1e-9, max_iter=2, solver=solver).fit(X, y)


def test_relevance_of_search_results(real_data: Any) -> None:
    """Queries of MSLR: groups matter, and the model is far better than chance on new queries."""
    train, test = (
        pd.read_csv(real_data / "mslr" / f"mslr_web30k_fold1_{part}5k.csv.gz") for part in ("train", "test")
    )
    columns = [name for name in train if name.startswith("f")]
    model = make_pipeline(StandardScaler(), SwappedPairsSVM(C=0.01))
    model.fit(train[columns], train["y"], swappedpairssvm__qid=train["qid"])
    swapped = metrics.swapped_pairs(test["y"], model.predict(test[columns]), test["qid"])
    assert model[-1].result_.converged
    assert swapped < 0.42


def test_search_results_need_not_be_scaled_to_be_certified(real_data: Any) -> None:
    """136 features with standard deviations from 0.001 to 4 million; the start does not matter."""
    rows = pd.read_csv(real_data / "mslr" / "mslr_web30k_fold1_train5k.csv.gz")
    X, y, qid = rows.filter(regex="^f"), rows["y"], rows["qid"]
    one, other = (SwappedPairsSVM(random_state=seed).fit(X, y, qid).result_ for seed in (0, 5))
    assert other.objective == pytest.approx(one.objective, rel=1e-3)


def test_the_default_does_not_depend_on_the_run() -> None:
    X, y = graded(9_000, 3, None)  # enough for a start from some of the rows
    one, other = SwappedPairsSVM().fit(X, y), SwappedPairsSVM().fit(X, y)
    np.testing.assert_array_equal(other.coef_, one.coef_)


def test_a_heavy_row_without_a_pair_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21, 2))
    y, qid = (X[:, 0] > 0).astype(float), [0] * 20 + [1]
    light, heavy = (SwappedPairsSVM().fit(X, y, qid, [1.0] * 20 + [w]).coef_ for w in (1.0, 1e12))
    np.testing.assert_allclose(heavy, light)


@pytest.mark.parametrize("scale", [1e4, 1e8])
def test_lost_digits_are_no_certificate(scale: float) -> None:
    """The optimum is 1.25 / scale²; rounding errors in the dual must not pass for a proof."""
    X = scale * np.array([[1.0], [2.0], [3.0]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = SwappedPairsSVM(max_iter=50).fit(X, [0, 1, 2]).result_
    assert result.converged or any("stopped" in str(w.message) for w in caught)
    if result.converged:
        assert result.objective == pytest.approx(0.125 / scale**2, rel=2e-3)


def test_labels_of_an_ordered_categorical() -> None:
    X, codes = [[1.0], [2.0], [3.0]], [0, 1, 1]
    y = pd.Categorical.from_codes(codes, ["poor", "good"], ordered=True)
    for labels in (y, pd.Series(y)):
        model = SwappedPairsSVM().fit(X, labels)
        np.testing.assert_array_equal(model.coef_, SwappedPairsSVM().fit(X, codes).coef_)
        assert model.score(X, labels) == 1.0
    with pytest.raises(ValueError, match=r"y is missing \(nan\) at row 2"):
        SwappedPairsSVM().fit(X, pd.Categorical(["a", None, "b"], ["a", "b"], ordered=True))


def test_arrays_of_dask_have_to_be_computed_first() -> None:
    da = pytest.importorskip("dask.array")
    X, y = np.array([[1.0], [2.0], [3.0]]), [0, 1, 1]
    lazy = da.from_array(X, chunks=2)
    model = SwappedPairsSVM()
    with pytest.raises(ValueError, match=r"takes arrays, not those of Dask; compute\(\) them"):
        model.fit(lazy, y)
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(ValueError, match=r"compute\(\) them first"):
        model.fit(X, y).predict(lazy)
