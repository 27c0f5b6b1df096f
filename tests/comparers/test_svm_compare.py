"""SVMCompare: the optimum of [SVMcompare], cases that Lemma 1 leaves out, and invariants."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import SVC

from podium import Comparisons
from podium.comparers.dual.pairs import FewItems
from podium.comparers.grid import compare_grid
from podium.comparers.linear_compare import LinearCompare
from podium.comparers.svm_compare import SVMCompare
from podium.comparers.svm_compare_lp import SVMCompareLP
from podium.comparers.svm_rank import SVMRank
from podium.datasets import make_norm_comparisons
from podium.numerics.result import NotConverged

SHARES = [0, 0.05, 0.1, 0.3, 0.9, 1]
OPTIONS: dict[str, dict[str, Any]] = {
    "linear": {},
    "poly": {"gamma": 0.5, "degree": 2, "coef0": 1.0},
    "rbf": {"gamma": 0.25},
}


def quiet_fit(model: Any, *data: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fitted with β = 0")
        return model.fit(*data, **more)


def oracle(c: Comparisons, kernel: Any, C: float) -> tuple[SVC, np.ndarray, np.ndarray]:
    """Algorithm 1 with the rows of X_{-1} swapped, as eq. (8) has it: SVC on the explicit M'KM."""
    X, y = c.features, c.outcome
    assert y is not None
    tail, head = np.where(y == -1, c.right, c.left), np.where(y == -1, c.left, c.right)
    tie = y == 0
    tail, head = np.concatenate([tail, head[tie]]), np.concatenate([head, tail[tie]])
    label = np.concatenate([np.where(tie, -1, 1), -np.ones(tie.sum())])
    kernels = {
        "linear": lambda Z: linear_kernel(Z),
        "poly": lambda Z: polynomial_kernel(Z, degree=2, gamma=0.5, coef0=1.0),
        "rbf": lambda Z: rbf_kernel(Z, gamma=0.25),
    }
    m = len(label)
    K = kernels[kernel](np.vstack([X[tail], X[head]]))
    M = np.vstack([-np.eye(m), np.eye(m)])
    K = M.T @ K @ M
    return (
        SVC(kernel="precomputed", C=C, tol=1e-6, max_iter=1_000_000, shrinking=False).fit(K, label),
        K,
        label,
    )


def slope(n: int) -> Comparisons:
    """Pairs compared by a noisy linear function."""
    left, right = np.random.default_rng(0).uniform(-3, 3, size=(2, n, 2))
    d = (right - left) @ np.array([1.0, -0.5]) + np.random.default_rng(1).normal(scale=0.25, size=n)
    return Comparisons.from_features(left, right, np.where(np.abs(d) <= 1, 0, np.sign(d)).astype(np.int8))


@pytest.mark.filterwarnings("ignore:Solver terminated early")  # libsvm's warning at the limits of rounding
@pytest.mark.parametrize("kernel", OPTIONS)
@pytest.mark.parametrize("C", [1.0, 30.0])
def test_it_is_algorithm_1(kernel: Any, C: float) -> None:
    c = slope(80) if kernel == "linear" else make_norm_comparisons(80, random_state=1)
    model = SVMCompare(kernel, C=C, tol=1e-10, **OPTIONS[kernel]).fit(c)
    svc, K, label = oracle(c, kernel, C)
    beta = float(svc.intercept_[0])
    v = np.zeros(len(label))
    v[svc.support_] = svc.dual_coef_[0]
    assert model.result_.objective == pytest.approx(np.abs(v).sum() - 0.5 * v @ K @ v, rel=1e-4)
    assert beta < 0
    assert model.bias_ == pytest.approx(beta, abs=1e-4)
    assert model.margin_ == pytest.approx(-1 / beta, rel=1e-4)
    f = svc.decision_function(K)[: len(c)] - beta
    assert c.outcome is not None
    toward = np.where(c.outcome == -1, -1, 1)
    np.testing.assert_allclose(
        -model.bias_ * toward * model.decision_function(c), f, atol=1e-4 * max(1, np.abs(f).max())
    )
    assert np.all(np.abs(model.predict(c)) == (np.abs(model.decision_function(c)) > 1))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_every_share_of_ties_gives_a_ranking_the_right_way_round(share: float, C: float) -> None:
    train = make_norm_comparisons(200, tie_share=share, random_state=0)
    test = make_norm_comparisons(400, tie_share=0, random_state=1)
    model = quiet_fit(SVMCompare(C=C, gamma=1 / 8), train)
    assert model.result_.gap <= 1e-3
    right = np.mean(np.sign(model.decision_function(test)) == test.outcome)
    if share == 1:
        assert np.all(model.utility(test.features) == 0)
        assert np.all(model.predict(test) == 0)
        assert model.bias_ == -1
        return
    assert right > 0.75
    if share == 0:
        assert model.threshold_ == 0
        assert np.all(model.predict(test) != 0)
    if "fallback" in model.result_.details:
        assert model.bias_ == 0
        assert np.isnan(model.margin_)
    else:
        assert model.threshold_ == 1
        assert model.margin_ == -1 / model.bias_


def test_a_bias_that_is_not_negative_warns_once_and_is_refitted() -> None:
    c = make_norm_comparisons(100, tie_share=0.1, random_state=0)
    with pytest.warns(UserWarning, match="r ranks only if it is negative") as record:
        model = SVMCompare(C=0.01, tol=1e-6).fit(c)
    assert len(record) == 1
    assert "eq. (6)" in model.result_.details["fallback"]
    # without ties among its hinges, this is SVMrank at the same C with ties at ±1: the optimum has no bias
    assert model.bias_ == 0
    assert model.threshold_ > 0


def test_without_ties_it_is_svm_rank() -> None:
    c = make_norm_comparisons(80, tie_share=0, random_state=0)
    a, b = SVMCompare(tol=1e-7).fit(c), SVMRank(tol=1e-7).fit(c)
    np.testing.assert_allclose(a.decision_function(c), b.decision_function(c), atol=1e-3)
    assert a.threshold_ == b.threshold_ == 0


def test_one_class_identical_sides_and_one_pair() -> None:
    one = SVMCompare("linear").fit([[[0.0], [1.0]], [[1.0], [3.0]]], [1, 1])
    assert one.predict([[[0.0], [1.0]], [[1.0], [0.0]], [[2.0], [2.0]]]).tolist() == [1, -1, 0]
    same = quiet_fit(SVMCompare(), [[[0.0], [0.0]], [[0.0], [1.0]], [[2.0], [2.0]]], [0, 1, 1])
    assert np.isfinite(same.decision_function([[[0.0], [1.0]]])).all()
    assert SVMCompare().fit([[[0.0], [1.0]]], [0]).predict([[[0.0], [1.0]]]) == 0


POINTS = st.lists(
    st.tuples(*[st.integers(-2, 2)] * 4, st.sampled_from([-1, 0, 1]), st.integers(1, 3)),
    min_size=1,
    max_size=15,
)


def arrays(rows: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = np.array(rows, dtype=float)
    return table[:, :4].reshape(-1, 2, 2), table[:, 4].astype(int), table[:, 5]


@given(POINTS, st.sampled_from(["linear", "poly", "rbf"]), st.sampled_from([SVMCompare, SVMRank]))
def test_swapping_sides_negates_exactly(rows: list[tuple[int, ...]], kernel: str, model: Any) -> None:
    pairs, y, _ = arrays(rows)
    fitted = quiet_fit(model(kernel, gamma=0.37, coef0=0.3), pairs, y)
    d = fitted.decision_function(pairs)
    assert np.array_equal(fitted.decision_function(pairs[:, ::-1]), -d)
    assert np.array_equal(fitted.predict(pairs[:, ::-1]), -fitted.predict(pairs))
    half = pairs.copy()
    half[::2] = half[::2, ::-1]
    assert np.array_equal(np.abs(fitted.decision_function(half)), np.abs(d))
    assert np.all(fitted.predict(pairs[:, [0, 0]]) == 0)


@pytest.mark.parametrize("model", [SVMCompare("linear", C=0.1), LinearCompare(C=0.1)])
def test_noise_in_which_no_difference_everywhere_is_optimal_still_ranks(model: Any) -> None:
    """As in chess: with half ties and weak features u = 0 is optimal, and a u within tol of it is noise."""
    rng = np.random.default_rng(0)
    pairs = rng.normal(size=(2_000, 2, 5))
    truth = (pairs[:, 1] - pairs[:, 0]) @ np.array([1.0, -1.0, 0.5, 0.0, 0.0])
    noisy = truth + 4 * rng.normal(size=len(truth))
    y = np.where(np.abs(noisy) <= np.median(np.abs(noisy)), 0, np.sign(noisy)).astype(np.int8)
    with pytest.warns(UserWarning, match="predicting a tie everywhere"):
        model.fit(pairs, y)
    assert np.corrcoef(model.decision_function(pairs), truth)[0, 1] > 0.95
    assert np.isnan(model.margin_)


@given(POINTS, st.sampled_from([SVMCompare, SVMRank]))
def test_a_weight_is_a_repetition_and_order_is_no_matter(rows: list[tuple[int, ...]], model: Any) -> None:
    pairs, y, weight = arrays(rows)
    plain = model(gamma=0.5, C=2.0, tol=1e-10)
    weighted = quiet_fit(clone(plain), pairs, y, sample_weight=weight)
    times = weight.astype(int)
    order = np.random.default_rng(0).permutation(times.sum())
    repeated = quiet_fit(clone(plain), np.repeat(pairs, times, axis=0)[order], np.repeat(y, times)[order])
    swapped = quiet_fit(clone(plain), pairs[:, ::-1], -y, sample_weight=weight)
    for other in (repeated, swapped):
        assert other.result_.objective == pytest.approx(weighted.result_.objective, rel=1e-8, abs=1e-12)
        np.testing.assert_allclose(other.bias_, weighted.bias_, atol=1e-3)


def test_class_weight() -> None:
    c = make_norm_comparisons(100, tie_share=0.2, random_state=0)
    assert c.outcome is not None
    by_class = quiet_fit(SVMCompare(class_weight={0: 3.0}, tol=1e-6), c)
    by_row = quiet_fit(SVMCompare(tol=1e-6), c, sample_weight=np.where(c.outcome == 0, 3.0, 1.0))
    np.testing.assert_allclose(by_class.decision_function(c), by_row.decision_function(c), atol=1e-9)
    assert quiet_fit(SVMCompare(class_weight="balanced", C=10), c).bias_ < 0
    with pytest.raises(ValueError, match="class_weight must be"):
        SVMCompare(class_weight={2: 1.0}).fit(c)


def test_every_way_to_give_a_kernel_is_the_same_machine() -> None:
    c = make_norm_comparisons(60, random_state=0)
    new = make_norm_comparisons(30, random_state=1)
    model = SVMCompare(gamma=0.25, tol=1e-9).fit(c)
    d = model.decision_function(new)
    by_function = SVMCompare(lambda A, B: rbf_kernel(A, B, gamma=0.25), tol=1e-9).fit(c)
    np.testing.assert_allclose(by_function.decision_function(new), d, atol=1e-9)
    gram = c.with_features(rbf_kernel(c.features, gamma=0.25))
    to_train = new.with_features(rbf_kernel(new.features, c.features, gamma=0.25))
    by_matrix = SVMCompare("precomputed", tol=1e-9).fit(gram)
    np.testing.assert_allclose(by_matrix.decision_function(to_train), d, atol=1e-9)
    sparse = SVMCompare(gamma=0.25, tol=1e-9).fit(c.with_features(csr_array(c.features)))
    np.testing.assert_allclose(
        sparse.decision_function(new.with_features(csr_array(new.features))), d, atol=1e-9
    )
    r = model.utility(new.features)
    np.testing.assert_allclose(r[new.right] - r[new.left], d, atol=1e-9)


def test_the_linear_machine_has_coefficients() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2, 3))
    d = (X[:, 1] - X[:, 0]) @ np.array([2.0, -1.0, 0.0])
    model = SVMCompare("linear", C=10).fit(X, np.where(np.abs(d) <= 1, 0, np.sign(d)))
    np.testing.assert_allclose(model.utility(X[:, 0]), X[:, 0] @ model.coef_)
    assert model.score(X, np.where(np.abs(d) <= 1, 0, np.sign(d))) > 0.95
    assert not hasattr(SVMCompare().fit(X, np.zeros(60)), "coef_")


def test_scikit_learn_can_search_clone_and_pickle() -> None:
    c = make_norm_comparisons(90, random_state=0)
    train, test = train_test_split(c, random_state=0)
    grid = {"C": [1, 10], "gamma": [0.05, 0.5]}
    search = GridSearchCV(SVMCompare(), grid, cv=3).fit(train, train.outcome)
    assert search.score(test, test.outcome) > 0.6
    assert pickle.loads(pickle.dumps(search.best_estimator_)).score(test) == search.best_estimator_.score(
        test
    )
    GridSearchCV(SVMRank(), {"C": [1, 10]}, cv=3).fit(train, train.outcome)


def test_the_grid_gives_what_single_fits_give() -> None:
    train, validation, test = (
        make_norm_comparisons(60, tie_share=0.3, random_state=seed) for seed in range(3)
    )
    seen: list[tuple[int, int]] = []
    C, gamma = [0.01, 1.0, 100.0], [0.05, 0.5]
    for model in (SVMCompare(tol=1e-6), SVMRank(tol=1e-6), SVMRank(ties="both", tol=1e-6)):
        found = compare_grid(
            model, train, validation, test, C=C, gamma=gamma, progress=lambda *step: seen.append(step)
        )
        for i, width in enumerate(gamma):
            for j, cost in enumerate(C):
                single = quiet_fit(clone(model).set_params(C=cost, gamma=width), train)
                assert 1 - single.score(validation) == pytest.approx(found.validation_error[i, j], abs=0.04)
        best = found.best_estimator
        assert found.validation_error.min() == pytest.approx(1 - best.score(validation))
        assert (best.C, best.gamma) == (found.best_C, found.best_gamma)
        assert found.test_error == 1 - best.score(test)
        assert found.gap <= 1e-6
    assert seen[-1] == (6, 6)


@pytest.mark.parametrize("C", [0.1, 1000.0])
@pytest.mark.parametrize("kind", [SVMCompare, SVMRank])
def test_many_pairs_of_few_items_use_the_interior_point(kind: Any, C: float) -> None:
    """A row twice equals weight two, and the solver that ignores shared items finds the same."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(60, 2))
    left = rng.integers(0, 60, 1800)
    right = (left + rng.integers(1, 60, 1800)) % 60
    d = (X[right] ** 2).sum(axis=1) - (X[left] ** 2).sum(axis=1) + rng.normal(size=1800)
    outcome = np.where(np.abs(d) <= 4, 0, np.sign(d)).astype(np.int8)
    weight = rng.integers(1, 3, 1800).astype(float)
    c = Comparisons.from_codes(np.arange(60), left, right, outcome).with_features(X)
    model = kind(C=C, gamma=0.5, tol=1e-6)
    weighted = quiet_fit(clone(model), c, sample_weight=weight)
    assert weighted.result_.solver.startswith("interior point")
    assert weighted.result_.gap <= 1e-6
    repeated = quiet_fit(clone(model), c[np.repeat(np.arange(1800), weight.astype(int))])
    assert repeated.result_.objective == pytest.approx(weighted.result_.objective, rel=1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FewItems, "many_pairs", lambda *_: False)
        other = quiet_fit(clone(model), c, sample_weight=weight)
    assert other.result_.solver == "pair decomposition"
    assert other.result_.objective == pytest.approx(weighted.result_.objective, rel=2e-6)
    np.testing.assert_allclose(
        other.decision_function(c), weighted.decision_function(c), atol=0.02 * np.abs(d).max()
    )


def separable(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of two features, at least 0.1 from the boundaries of a linear comparison function."""
    rng = np.random.default_rng(seed)
    pairs, w = rng.uniform(-1.5, 1.5, size=(n, 2, 2)), rng.normal(size=2)
    d = (pairs[:, 1] - pairs[:, 0]) @ (w / np.linalg.norm(w))
    kept = np.abs(np.abs(d) - 1) > 0.1
    return pairs[kept], np.where(np.abs(d) <= 1, 0, np.sign(d)).astype(np.int8)[kept]


@pytest.mark.parametrize("seed", range(3))
def test_the_hard_margin_is_that_of_a_general_solver(seed: int) -> None:
    """Eq. (12): min u'u where β + u·d y ≥ 1 for decisive pairs and β + |u·d| ≤ -1 for ties."""
    from scipy.optimize import minimize

    pairs, y = separable(60, seed)
    model = SVMCompare("linear", C=np.inf, tol=1e-9).fit(pairs, y)
    d, decisive = pairs[:, 1] - pairs[:, 0], y != 0
    rows = [(d * y[:, None], 1.0, decisive), (d, -1.0, ~decisive), (-d, -1.0, ~decisive)]
    A = np.vstack([np.column_stack([side[k], np.full(k.sum(), b)]) for side, b, k in rows])
    found = minimize(
        lambda x: 0.5 * x[:2] @ x[:2],
        1.1 * np.append(-model.bias_ * model.coef_, model.bias_),
        jac=lambda x: np.append(x[:2], 0.0),
        constraints={"type": "ineq", "fun": lambda x: A @ x - 1.0, "jac": lambda x: A},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert model.result_.converged
    assert model.result_.objective == pytest.approx(found.fun, rel=1e-6)
    assert model.bias_ == pytest.approx(found.x[2], rel=1e-6)
    margins = A @ np.append(-model.bias_ * model.coef_, model.bias_)
    assert margins.min() == pytest.approx(1.0)
    assert model.margin_ == pytest.approx(-1 / model.bias_)
    assert model.score(pairs, y) == 1.0


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_a_large_cost_approaches_the_hard_margin(kernel: Any) -> None:
    pairs, y = separable(900)  # more pairs than a working set has
    model = SVMCompare(kernel, coef0=1.0, tol=1e-8)
    hard, soft = (clone(model).set_params(C=C).fit(pairs, y) for C in (np.inf, 1e6))
    assert hard.result_.objective == pytest.approx(soft.result_.objective, rel=1e-5)
    assert hard.margin_ == pytest.approx(soft.margin_, rel=1e-4)
    c = Comparisons.from_features(pairs[:, 0], pairs[:, 1], y)
    assert compare_grid(model, c, c, C=[1.0, np.inf], gamma=[1.0]).best_validation_error == 0.0


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "precomputed"])
@pytest.mark.parametrize(
    ("left", "right", "outcome", "guilty"),
    [
        ([0, 1, 2, 3], [1, 2, 0, 4], [1, 1, 1, 0], "row 1 .*, row 2 .* and row 3 .* contradict each other"),
        ([0, 2, 0, 3], [1, 3, 1, 4], [0, 1, 1, 0], "row 1 .* and row 3 .* contradict each other"),
        ([0, 1, 0, 1], [1, 2, 2, 3], [1, 1, 0, 0], "row 1 .*, row 2 .* and row 3 .* contradict each other"),
    ],
)
def test_pairs_that_cannot_be_separated_are_named(
    kernel: Any, left: list[int], right: list[int], outcome: list[int], guilty: str
) -> None:
    """A cycle, a tie that is no tie, two steps that add up to a tie."""
    X = np.random.default_rng(0).normal(size=(5, 12))
    c = Comparisons.from_codes(
        np.arange(5), np.array(left), np.array(right), np.array(outcome, dtype=np.int8)
    )
    c = c.with_features(X @ X.T if kernel == "precomputed" else X)
    with pytest.raises(ValueError, match=f"no comparison function has a hard margin: {guilty}"):
        SVMCompare(kernel, C=np.inf, degree=1).fit(c)
    assert SVMCompare(kernel, C=np.inf, degree=1).fit(c[1:]).margin_ > 0


def test_two_equal_items_can_only_tie() -> None:
    pairs, y = separable(60)
    with pytest.raises(ValueError, match=r"row 1 .* contradicts itself"):
        SVMCompare(C=np.inf).fit(np.vstack([pairs[:1, [0, 0]], pairs]), np.append(1, y))
    pairs, y = np.vstack([pairs, pairs[:1, [0, 0]]]), np.append(y, 0)
    with_tie, without = (SVMCompare("linear", C=np.inf).fit(pairs[:n], y[:n]) for n in (len(y), len(y) - 1))
    assert with_tie.margin_ == pytest.approx(without.margin_, rel=1e-3)


def test_a_hard_margin_that_is_not_reached_is_said_so() -> None:
    pairs, y = separable(900)
    with pytest.warns(NotConverged):
        model = SVMCompare("linear", C=np.inf, max_iter=1, tol=1e-9).fit(pairs, y)
    assert np.isfinite(model.utility(pairs[:, 0])).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"C": 0}, "above 0"),
        ({"tol": 0}, "above 0"),
        ({"kernel": "cubic"}, "kernel is one of"),
        ({"kernel": "precomputed"}, "kernel matrix"),
    ],
)
def test_bad_parameters(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SVMCompare(**change).fit(make_norm_comparisons(10, random_state=0))


def test_bad_input() -> None:
    c = make_norm_comparisons(10, random_state=0)
    with pytest.raises(ValueError, match="no outcome to learn from"):
        SVMCompare().fit(c.features[c.left][:, None].repeat(2, axis=1))
    with pytest.raises(ValueError, match="no comparisons"):
        SVMCompare().fit(c[:0])
    with pytest.raises(ValueError, match="1 features, but the model was fitted to 2"):
        SVMCompare().fit(c).utility([[1.0]])


@pytest.mark.slow
@pytest.mark.parametrize(("norm", "n", "repeats"), [("inf", 100, 6), (1, 200, 4)])
def test_the_claim_of_the_paper(norm: Any, n: int, repeats: int) -> None:
    """Figure 4: mean test error compare < rank2 < rank."""
    models = {"compare": SVMCompare(), "rank2": SVMRank(ties="both"), "rank": SVMRank()}
    errors: dict[str, list[float]] = {name: [] for name in models}
    for seed in range(repeats):
        sets = [make_norm_comparisons(n, norm=norm, random_state=3 * seed + part) for part in range(3)]
        for name, model in models.items():
            error = compare_grid(model, *sets).test_error
            assert error is not None
            errors[name].append(error)
    mean = {name: np.mean(each) for name, each in errors.items()}
    assert mean["compare"] < mean["rank2"] < mean["rank"]


@pytest.mark.parametrize("Model", [SVMCompare, SVMCompareLP, SVMRank])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_features_too_large_to_square_are_refused(Model: Any, kernel: str) -> None:
    c = Comparisons.from_features([[1e200], [2e200]], [[2e200], [1e200]], [1, -1])
    with pytest.raises(ValueError, match="the squares of the features overflow; scale the features"):
        Model(kernel=kernel).fit(c)
