from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult, linprog
from sklearn.svm import SVC

from podium import Comparisons, datasets
from podium.comparers.svm_compare_lp import SVMCompareLP
from podium.numerics.result import NotConverged


def separable(seed: int, n: int = 30, p: int = 2, gap: float = 0.2) -> Comparisons:
    rng = np.random.default_rng(seed)
    A, B, w = rng.normal(size=(n, p)), rng.normal(size=(n, p)), rng.normal(size=p)
    d = (B - A) @ w
    keep = np.abs(np.abs(d) - 1) > gap
    outcome = np.where(np.abs(d) < 1, 0, np.sign(d)).astype(np.int8)
    return Comparisons.from_features(A[keep], B[keep], outcome[keep])


def smallest_distance(model: Any, c: Comparisons) -> float:
    d, y = model.decision_function(c), c.outcome
    return float(min((1 - np.abs(d[y == 0])).min(initial=np.inf), (d * y - 1)[y != 0].min(initial=np.inf)))


def test_hand_cases() -> None:
    model = SVMCompareLP().fit([[[0.0], [1.0]], [[0.0], [3.0]]], [0, 1])
    assert model.coef_ == pytest.approx([0.5])
    assert model.margin_ == pytest.approx(0.5)
    assert model.separable_
    only_ties = SVMCompareLP().fit([[[0.0], [1.0]]], [0])
    assert only_ties.margin_ == pytest.approx(1)
    assert only_ties.predict([[[0.0], [9.0]]]) == [0]
    no_ties = SVMCompareLP().fit([[[0.0], [1.0]], [[3.0], [1.0]]], [1, -1])
    assert no_ties.margin_ == pytest.approx(1)
    np.testing.assert_array_equal(no_ties.predict([[[0.0], [1.0]], [[3.0], [1.0]]]), [1, -1])


@given(st.integers(0, 10**6))
def test_margin_is_the_largest(seed: int) -> None:
    """μ_QP ≤ μ_LP: Lemma 1 makes the hard-margin SVM feasible for (7), and (7) is solved."""
    c = separable(seed)
    assert c.outcome is not None
    model = SVMCompareLP().fit(c)
    assert model.separable_
    assert smallest_distance(model, c) == pytest.approx(model.margin_, abs=1e-6) or model.margin_ == 1
    assert model.result_.gap == pytest.approx(0, abs=1e-8)
    np.testing.assert_array_equal(model.predict(c), c.outcome)
    tie = c.outcome == 0
    if not 0 < tie.sum() < len(tie):
        return
    d = c.features[c.right] - c.features[c.left]
    D = np.vstack([d[~tie] * c.outcome[~tie, None], d[tie], -d[tie]])
    label = np.repeat([1, -1], [(~tie).sum(), 2 * tie.sum()])
    machine = SVC(kernel="linear", C=1e6, tol=1e-6).fit(D, label)
    assert -1 / machine.intercept_[0] <= model.margin_ + 1e-3


def test_what_is_not_separable_is_named() -> None:
    pairs = [[[0.0], [1.0]], [[0.0], [3.0]], [[0.0], [1.0]]]
    with pytest.raises(ValueError, match=r"no ranking function .* rows such as \d.*finite C"):
        SVMCompareLP().fit(pairs, [0, 1, -1])
    soft = SVMCompareLP(C=1.0).fit(pairs, [0, 1, -1])
    assert not soft.separable_
    assert soft.result_.details["slack"].sum() > 0


def test_large_c_is_no_slack() -> None:
    c = separable(1)
    hard, soft = SVMCompareLP().fit(c), SVMCompareLP(C=1e3).fit(c)
    assert soft.separable_
    assert soft.margin_ == pytest.approx(hard.margin_)


def test_c_bounds_the_weight_beyond_the_margin() -> None:
    c = datasets.make_norm_comparisons(150, random_state=0)
    squares = c.with_features(c.features**2)
    for C in (0.03, 0.1):
        model = SVMCompareLP(C=C).fit(squares)
        if model.margin_ > 0:
            assert (model.result_.details["slack"] > 1e-9).sum() <= 1 / C + 1e-9


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.3, 0.9, 1.0])
def test_few_ties_do_not_reverse(share: float) -> None:
    c = datasets.make_norm_comparisons(80, tie_share=share, random_state=0)
    squares = c.with_features(c.features**2)
    assert c.outcome is not None
    decisive = c.outcome != 0
    d = SVMCompareLP(C=0.1).fit(squares).decision_function(squares)
    assert not decisive.any() or np.mean(np.sign(d[decisive]) == c.outcome[decisive]) > 0.9


def test_kernels() -> None:
    train = datasets.make_norm_comparisons(120, norm=2, random_state=0)
    test = datasets.make_norm_comparisons(500, norm=2, random_state=1)
    gaussian = SVMCompareLP("rbf", C=0.05, gamma=0.1).fit(train)
    assert gaussian.score(test) > 0.88
    assert len(gaussian.item_coef_) < 40  # the L1 norm selects few items
    np.testing.assert_array_equal(gaussian.predict(test), -gaussian.predict(test.swap()))
    square = SVMCompareLP("poly", C=0.05, gamma=1.0, degree=2).fit(train)
    assert square.score(test) > 0.88
    X = train.features
    K = (X @ X.T) ** 2
    own = SVMCompareLP("precomputed", C=0.05).fit(train.with_features(K))
    assert own.margin_ == pytest.approx(square.margin_, abs=1e-6)


def test_a_row_twice_is_weight_two() -> None:
    c = datasets.make_norm_comparisons(60, random_state=0)
    squares = c.with_features(c.features**2)
    rows = np.arange(60)
    twice = SVMCompareLP(C=0.05).fit(squares[np.append(rows, rows[:30])])
    weighted = SVMCompareLP(C=0.05).fit(squares, sample_weight=np.where(rows < 30, 2.0, 1.0))
    assert twice.result_.objective == pytest.approx(weighted.result_.objective)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (SVMCompareLP(C=0), "C is a number above 0"),
        (SVMCompareLP(l1=-1.0), "l1 is 'auto' or"),
        (SVMCompareLP("cosine"), "kernel is one of"),  # type: ignore[arg-type]
    ],
)
def test_bad_parameters(model: SVMCompareLP, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        model.fit(separable(0))


def test_it_says_that_the_solver_gave_up(monkeypatch: pytest.MonkeyPatch) -> None:
    changed: dict[str, Any] = {"status": 4, "message": "numerical difficulties"}

    def gives_up(*args: Any, **options: Any) -> Any:
        return OptimizeResult(linprog(*args, **options) | changed)

    monkeypatch.setattr("scipy.optimize.linprog", gives_up)
    with pytest.warns(
        NotConverged, match=r"'highs' stopped after .* duality gap of [^,]*; scale the features$"
    ):
        SVMCompareLP().fit(separable(1))
    changed["x"] = None
    with pytest.raises(RuntimeError, match="HiGHS found no solution: numerical difficulties"):
        SVMCompareLP().fit(separable(1))
