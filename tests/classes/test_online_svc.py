"""OnlineSVC against liblinear, a general solver, and scikit-learn's own checks."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs, make_classification
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import OnlineSVC

WEIGHTING: list[Any] = ["slack", "replicas", "margin"]

# A pass visits the examples in a random order, so a weight and as many copies have the same optimum
# (tested below), but not the same numbers to seven digits after a few passes; SGDClassifier is excused too.
EXCUSED = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "the steps of a random walk are equal in their limit only",
)


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [OnlineSVC(random_state=0)], expected_failed_checks=lambda estimator: EXCUSED
)
@pytest.mark.filterwarnings("ignore:Skipping check check_array_api_input")
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def binary(n: int = 600, p: int = 5, seed: int = 0) -> tuple[Any, Any]:
    X, y = make_classification(n, p, n_informative=3, n_redundant=0, flip_y=0.2, random_state=seed)
    return X, y


def objective(model: OnlineSVC, X: Any, y: Any, scale: Any = 1.0, margin: Any = 1.0) -> float:
    """The objective of the docstring; the intercept is a weight like any other."""
    w = np.column_stack([model.coef_, model.intercept_])
    code = np.searchsorted(model.classes_, y)
    if len(w) == 1:
        slack = np.maximum(0, margin - (2 * code - 1) * model.decision_function(X))
    else:
        score = model.decision_function(X)
        each = np.maximum(0, margin - score[np.arange(len(y)), code][:, None] + score)
        each[np.arange(len(y)), code] = 0
        slack = each.sum(axis=1)
    return float(0.5 * np.sum(w**2) + model.C * np.sum(scale * slack))


# ------------------------------------------------------------------------------------ against oracles


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_two_classes_approach_liblinear(C: float, fit_intercept: bool) -> None:
    X, y = binary()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    peer = LinearSVC(loss="hinge", C=C, fit_intercept=fit_intercept, tol=1e-8, max_iter=1_000_000)
    peer.fit(X, y, sample_weight=weight)
    model = OnlineSVC(C, fit_intercept=fit_intercept, epochs=50, random_state=0).fit(X, y, weight)
    ours = objective(model, X, y, weight)
    model.coef_, model.intercept_ = peer.coef_, np.atleast_1d(peer.intercept_)
    best = objective(model, X, y, weight)
    assert best * (1 - 1e-4) <= ours <= 1.01 * best


def test_many_classes_approach_the_optimum_of_the_constrained_problem() -> None:
    """§2.2 with its slack variables, by SLSQP."""
    X, y = make_blobs(24, 2, centers=3, cluster_std=3.0, random_state=0)
    X = StandardScaler().fit_transform(X)
    C, k, p, n = 1.0, 3, 2, len(y)
    others = [(i, label) for i in range(n) for label in range(k) if label != y[i]]

    def margins(z: Any) -> Any:
        score = X @ z[: k * p].reshape(k, p).T
        return np.array([score[i, y[i]] - score[i, label] - 1 for i, label in others]) + z[k * p :]

    A = np.zeros((len(others), k * p + len(others)))
    for row, (i, label) in enumerate(others):
        A[row, y[i] * p : (y[i] + 1) * p] += X[i]
        A[row, label * p : (label + 1) * p] -= X[i]
        A[row, k * p + row] = 1
    start = np.concatenate([np.zeros(k * p), np.ones(len(others))])
    found = minimize(
        lambda z: 0.5 * z[: k * p] @ z[: k * p] + C * z[k * p :].sum(),
        start,
        jac=lambda z: np.concatenate([z[: k * p], np.full(len(others), C)]),
        constraints=[{"type": "ineq", "fun": margins, "jac": lambda z: A}],
        bounds=[(None, None)] * (k * p) + [(0, None)] * len(others),
        method="SLSQP",
        options={"maxiter": 500},
    )
    model = OnlineSVC(C, fit_intercept=False, epochs=500, random_state=0).fit(X, y)
    assert found.success
    assert found.fun * (1 - 1e-6) <= objective(model, X, y) <= 1.01 * found.fun
    np.testing.assert_allclose(model.coef_, found.x[: k * p].reshape(k, p), atol=0.1)


def test_digits() -> None:
    X, y = load_digits(return_X_y=True)
    train, test = slice(0, 1_200), slice(1_200, None)
    model = make_pipeline(StandardScaler(), OnlineSVC(0.01, random_state=0)).fit(X[train], y[train])
    assert model.score(X[test], y[test]) > 0.9


# ------------------------------------------------------------------------------------ weights, §2.1


@pytest.mark.parametrize("k", [2, 3])
def test_replicas_and_scaled_slack_agree(k: int) -> None:
    X, y = make_blobs(200, 3, centers=k, cluster_std=8.0, random_state=1)
    X = StandardScaler().fit_transform(X)
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    fits = {how: OnlineSVC(0.1, weighting=how, epochs=100, random_state=0) for how in WEIGHTING}
    value = {how: objective(model.fit(X, y, weight), X, y, weight) for how, model in fits.items()}
    assert value["slack"] == pytest.approx(value["replicas"], rel=0.01)
    assert value["margin"] > 1.03 * value["slack"]  # it solves a different problem
    copied = OnlineSVC(0.1, epochs=100, random_state=0).fit(
        *(np.repeat(a, weight.astype(int), axis=0) for a in (X, y))
    )
    assert objective(copied, X, y, weight) == pytest.approx(value["slack"], rel=0.01)


def test_replicas_in_the_walk_are_copies_and_scaled_slack_is_their_sum() -> None:
    """While a point stays violated, s short steps equal one step s times as long, apart from shrinking."""
    X, y = binary(40)
    weight = np.random.default_rng(0).integers(1, 4, 40).astype(float)
    rows = np.repeat(np.arange(40), weight.astype(int))
    copies = OnlineSVC(weighting="replicas", step_size=0.1).partial_fit(X, y, [0, 1], weight)
    plain = OnlineSVC(step_size=0.1).partial_fit(X[rows], y[rows], [0, 1])
    np.testing.assert_array_equal(copies.coef_, plain.coef_)
    assert copies.n_steps_ == len(rows)
    short = {
        how: OnlineSVC(1e9, step="sqrt", step_size=1e-6, weighting=how, average=False, fit_intercept=False)
        for how in WEIGHTING[:2]
    }
    same = np.full(40, 3.0)
    for model in short.values():  # so short that every point stays violated: w is Σ α_t s y x
        model.partial_fit(X, y, [0, 1], same)
    t = np.arange(1, 41)
    sign = 2 * y - 1
    slack = (1e-6 / np.sqrt(t) * 3 * sign) @ X
    times = (1e-6 * sum(1 / np.sqrt(3 * t - lag) for lag in range(3)) * sign) @ X
    np.testing.assert_allclose(short["slack"].coef_[0], slack, rtol=1e-6)
    np.testing.assert_allclose(short["replicas"].coef_[0], times, rtol=1e-6)


def test_a_scaled_margin_is_asked_for() -> None:
    """Twice the margin everywhere is twice w at half the C: (λ/2)‖w‖² + Σ max(0, 2 - y w·x)."""
    X, y = binary(300)
    wide = OnlineSVC(0.5, weighting="margin", epochs=200, random_state=0).fit(X, y, np.full(300, 2.0))
    best = OnlineSVC(0.25, epochs=200, random_state=0).fit(X, y)
    np.testing.assert_allclose(wide.coef_, 2 * best.coef_, atol=0.05 * np.abs(wide.coef_).max())
    assert objective(wide, X, y, margin=2.0) <= 1.01 * 4 * objective(best, X, y)


# ------------------------------------------------------------------------------------ streams


@pytest.mark.parametrize("k", [2, 3])
def test_chunks_are_one_stream(k: int) -> None:
    X, y = make_blobs(90, 3, centers=k, cluster_std=3.0, random_state=0)
    classes = np.arange(k)
    whole = OnlineSVC(step_size=0.1).partial_fit(X, y, classes)
    parts = OnlineSVC(step_size=0.1).partial_fit(X[:1], y[:1], classes)
    for start, stop in ((1, 40), (40, 90)):
        parts.partial_fit(X[start:stop], y[start:stop])
    np.testing.assert_array_equal(whole.coef_, parts.coef_)
    np.testing.assert_array_equal(whole.intercept_, parts.intercept_)
    passes = OnlineSVC(step_size=0.1, shuffle=False, epochs=1, horizon=90)
    np.testing.assert_array_equal(passes.fit(X, y).coef_, clone(passes).partial_fit(X, y, classes).coef_)


def test_a_stream_names_its_classes_first_and_goes_on_after_fit() -> None:
    X, y = make_blobs(90, 3, centers=3, random_state=0)
    names = np.array(["apple", "grape", "orange"])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        OnlineSVC().partial_fit(X, names[y])
    model = OnlineSVC().partial_fit(X[:5], np.repeat("grape", 5), classes=names[::-1])
    assert model.classes_.tolist() == names.tolist()
    assert model.score(X[:5], np.repeat("grape", 5)) == 1
    assert model.partial_fit(X, names[y], classes=names).score(X, names[y]) > 0.9
    with pytest.raises(ValueError, match=r"'pear' at row 2 \(counting from 1\) is none of the classes"):
        model.partial_fit(X[:2], ["grape", "pear"])
    with pytest.raises(ValueError, match=r"classes are 'apple', 'pear', but the first call had 'apple'"):
        model.partial_fit(X[:1], ["apple"], classes=["apple", "pear"])
    fitted = OnlineSVC(random_state=0).fit(X, y)
    assert fitted.partial_fit(X[:10], y[:10]).n_steps_ == 5 * 90 + 10
    assert fitted.fit(X[y < 2], y[y < 2]).classes_.tolist() == [0, 1]


def test_sparse_and_dense_are_the_same() -> None:
    X, y = binary(200)
    X = X * (np.abs(X) > 0.5)
    for make in (sparse.csr_matrix, sparse.csr_array, sparse.csc_array):
        thin, dense = (OnlineSVC(random_state=0).fit(each, y) for each in (make(X), X))
        np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-8)
        np.testing.assert_allclose(thin.decision_function(make(X)), dense.decision_function(X), atol=1e-8)


def test_a_column_twice_in_a_sparse_row_is_its_sum() -> None:
    columns, values = np.tile([0, 1], 40), np.tile([1.0, 2.0, -1.0, 0.5], 20)
    doubled = sparse.csr_array((values, columns, [0, 40, 60, 80]), shape=(3, 2))
    dense = doubled.toarray()
    thin, plain = (OnlineSVC(random_state=0).fit(X, [0, 1, 0]) for X in (doubled, dense))
    np.testing.assert_allclose(thin.coef_, plain.coef_)
    assert doubled.nnz == 80  # the user's matrix is unchanged


# ------------------------------------------------------------------------------------ as an estimator


def test_searches_pipelines_and_routed_weights() -> None:
    X, y = binary(200)
    weight = np.where(y == 1, 5.0, 0.1)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), OnlineSVC(random_state=0)), {"onlinesvc__C": [0.01, 1.0]}
    )
    assert search.fit(X, y).best_score_ > 0.6
    with config_context(enable_metadata_routing=True):
        model = (
            OnlineSVC(random_state=0)
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=False)
        )
        routed = cross_validate(model, X, y, params={"sample_weight": weight}, return_estimator=True)
        plain = cross_validate(model, X, y, return_estimator=True)
    share = [np.mean([m.predict(X).mean() for m in done["estimator"]]) for done in (routed, plain)]
    assert share[0] > share[1] + 0.1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda X, y: OnlineSVC(C=-1).fit(X, y), "C is a positive finite number"),
        (lambda X, y: OnlineSVC(weighting="x").fit(X, y), "weighting must be 'slack', 'repl"),  # type: ignore[arg-type]
        (
            lambda X, y: OnlineSVC(weighting="replicas").fit(X, y, 1.5 * (y + 1)),
            r"needs whole weights, but the weight at row .* is 1\.5",
        ),
        (
            lambda X, y: OnlineSVC(weighting="replicas").fit(X, y, 1e30 * (y + 1)),
            r"needs .*e\+3\d steps per pass .*; use 'slack', which has the same optimum",
        ),
        (
            lambda X, y: OnlineSVC().fit(X, y, y - 1.0),
            r"the weight -1\.0 at row \d+ \(counting from 1\) is negative",
        ),
        (
            lambda X, y: OnlineSVC().fit(X, y, np.zeros(len(y))),
            "sample_weight is zero for every row",
        ),
        (lambda X, y: OnlineSVC().fit(X, y, y.astype(float)), "only one class, 1"),
        (lambda X, y: OnlineSVC().fit(X, np.zeros(len(y))), "only one class"),
        (lambda X, y: OnlineSVC().partial_fit(X, y, classes=[0]), "only one class"),
        (lambda X, y: OnlineSVC().partial_fit(X, y, classes=[]), "no class"),
        (lambda X, y: OnlineSVC(step="inverse").partial_fit(X, y, classes=[0, 1]), "needs a step_size"),
        (lambda X, y: OnlineSVC().fit(1e200 * X, y), "squares of the features overflow"),
        (lambda X, y: OnlineSVC(step_size=1e300).fit(1e200 * X, y), "steps overflow"),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call(*binary(60))
