from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from podium import Comparisons, couple, datasets
from podium.bradley_terry.model import BradleyTerry
from podium.classes.codes import CODES, CodeName, make_code
from podium.classes.coupling.couple import METHODS
from podium.numerics.result import NotConverged
from tests.classes.coupling_oracle import by_scipy, problems

REST = make_code("one-vs-rest", 3)
PAIRS = make_code("one-vs-one", 3)


# ------------------------------------------------------------------------------------ against others


@pytest.mark.parametrize("case", ["a", "b", "c"])
@pytest.mark.parametrize("name", CODES)
def test_couple_recovers_the_probabilities_of_the_model(name: CodeName, case: Literal["a", "b", "c"]) -> None:
    code = make_code(name, 10, random_state=0)
    r, p = datasets.make_coded_probabilities(code, case, 2, noise=0.0)
    np.testing.assert_allclose(couple(code, r), [p, p], atol=1e-9)


def test_pairwise_equals_bradley_terry_on_the_same_counts() -> None:
    rng = np.random.default_rng(0)
    k = 6
    code = make_code("one-vs-one", k)
    won, lost = rng.integers(1, 20, size=(2, len(code)))
    left, right = np.argmax(code, axis=1), np.argmin(code, axis=1)
    games = Comparisons.from_arrays(
        np.tile(left, 2), np.tile(right, 2), np.repeat([-1, 1], len(code)), np.concatenate([won, lost])
    )
    model = BradleyTerry(tol=1e-13).fit(games)
    skill = model.skill_[np.argsort(model.items_)]
    for method in METHODS[:2]:
        np.testing.assert_allclose(couple(code, won, lost, method), skill, atol=1e-10)
    share = won / (won + lost)
    np.testing.assert_allclose(couple(code, share, n=won + lost), skill, atol=1e-10)


def test_teams_equal_bradley_terry_without_the_prior() -> None:
    code = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1], [1, -1, 0, 0], [0, 0, 1, -1]])
    won, lost = np.array([5.0, 6.0, 3.0, 4.0, 2.0]), np.array([2.0, 3.0, 4.0, 3.0, 5.0])
    teams = [[tuple(np.flatnonzero(row == sign)) for row in code] for sign in (1, -1)]
    games = Comparisons.from_arrays(
        [*teams[0], *teams[0]], [*teams[1], *teams[1]], np.repeat([-1, 1], 5), np.concatenate([won, lost])
    )
    model = BradleyTerry(prior=0.0, tol=1e-12).fit(games)
    np.testing.assert_allclose(couple(code, won, lost), model.skill_[np.argsort(model.items_)], atol=1e-9)


def test_least_squares_is_that_of_wu_lin_and_weng() -> None:
    code = make_code("one-vs-one", 4)
    r = np.random.default_rng(0).uniform(size=(1, 6))
    p = couple(code, r, method="wu-lin-weng")[0]
    Q = np.zeros((4, 4))
    table = np.zeros((4, 4))
    for row, value in zip(code, r[0], strict=True):
        i, j = int(np.argmax(row)), int(np.argmin(row))
        table[i, j], table[j, i] = value, 1 - value
    for i in range(4):
        Q[i, i] = sum(table[s, i] ** 2 for s in range(4) if s != i)
        for j in range(4):
            if i != j:
                Q[i, j] = -table[j, i] * table[i, j]
    np.testing.assert_allclose(Q @ p, (p @ Q @ p) * np.ones(4), atol=1e-12)
    assert p.sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
def test_least_squares_is_that_of_libsvm() -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = SVC(probability=True, random_state=0, decision_function_shape="ovo").fit(X[::2], y[::2])
    decision = model.decision_function(X)
    r = 1 / (1 + np.exp(model.probA_ * decision + model.probB_))
    r = np.clip(r, 1e-7, 1 - 1e-7)
    np.testing.assert_allclose(couple(PAIRS, r, method="wu-lin-weng"), model.predict_proba(X), atol=5e-3)


# ------------------------------------------------------------------------------------ invariants


@given(problems(inner=True), st.randoms(use_true_random=False))
def test_permuted_classes_are_permuted_probabilities(problem: Any, random: Any) -> None:
    code, r = problem
    order = random.sample(range(code.shape[1]), code.shape[1])
    np.testing.assert_allclose(couple(code[:, order], r), couple(code, r)[:, order], atol=1e-7)


@given(problems(inner=True), st.randoms(use_true_random=False))
def test_permuted_and_reversed_problems_change_nothing(problem: Any, random: Any) -> None:
    code, r = problem
    order = random.sample(range(len(code)), len(code))
    sign = np.array([random.choice([-1, 1]) for _ in order])
    turned = np.where(sign > 0, r[:, order], 1 - r[:, order])
    np.testing.assert_allclose(couple(code[order] * sign[:, None], turned), couple(code, r), atol=1e-7)


@given(problems(inner=True), st.data())
def test_a_problem_twice_is_a_weight_of_two(problem: Any, data: Any) -> None:
    code, r = problem
    twice = data.draw(st.integers(0, len(code) - 1))
    n = np.ones(len(code))
    n[twice] = 2
    again = couple(np.vstack([code, code[twice]]), np.column_stack([r, r[:, twice]]))
    np.testing.assert_allclose(again, couple(code, r, n=n), atol=1e-7)
    without = couple(code, np.where(n == 2, 0, r), np.where(n == 2, 0, 1 - r))
    np.testing.assert_allclose(without, couple(code, r, n=2 - n), atol=1e-7)


@given(problems())
def test_any_r_gives_probabilities_row_by_row(problem: Any) -> None:
    code, r = problem
    p = couple(code, r)
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(couple(code, r[1]), p[1])
    np.testing.assert_array_equal(couple(code, r[1:2])[0], p[1])


@pytest.mark.parametrize("method", ["pairwise", "wu-lin-weng", "generalized-bt"])
def test_certainty_in_pairs(method: Any) -> None:
    """The first class beats all; the other two are equal, but have probability 0."""
    p = couple(PAIRS, [[1.0, 1.0, 0.5], [1.0, 0.0, 1.0]], method=method)
    np.testing.assert_allclose(p[0], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(p[1], 1 / 3, atol=1e-9)  # a cycle


def test_an_optimum_on_the_edge() -> None:
    """The halves of a dense code may require a negative p; the best feasible p has zeros."""
    code = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])
    r = np.full(3, 0.1)
    p = couple(code, r)
    assert p[0] < 1e-10
    np.testing.assert_allclose(p[1:], 1 / 3, atol=1e-9)
    np.testing.assert_allclose(p, by_scipy(code, r, 1 - r), atol=1e-5)


def test_classes_that_no_problem_tells_apart_share_alike() -> None:
    p = couple([[1, -1, -1]], [0.4])
    np.testing.assert_allclose(p, [0.4, 0.3, 0.3], atol=1e-9)


def test_two_classes_and_no_rows() -> None:
    np.testing.assert_allclose(couple([[1, -1]], [[0.3], [1.0]]), [[0.3, 0.7], [1.0, 0.0]], atol=1e-11)
    assert couple(REST, np.zeros((0, 3))).shape == (0, 3)


# ------------------------------------------------------------------------------------ bad input


BAD: list[tuple[dict[str, Any], str]] = [
    ({"code": [1, -1, 0]}, "code must be a matrix"),
    ({"code": [["a", "b"]]}, "code must be a matrix"),
    ({"code": [[1, -1, 2]] * 3}, r"other than -1, 0 and 1 at row 1"),
    ({"code": [[1, -1, -1], [1, 1, 0], [1, -1, 1]]}, r"empty side at row 2"),
    ({"code": [[1, -1, 0]] * 3}, "class 3 .* is in no problem"),
    ({"code": [[1, -1, 0, 0], [0, 0, 1, -1], [1, -1, 0, 0]]}, "links class 1 to class 3"),
    ({"r": [0.5, 0.5]}, r"r has the shape \(2,\)"),
    ({"r": [[0.5, np.nan, 0.5]]}, "missing or infinite at problem 2 of row 1"),
    ({"r": [[0.5] * 3, [0.5, 0.5, 1.5]]}, "above 1 at problem 3 of row 2"),
    ({"r_other": [0.5, 0.5]}, "r_other has the shape"),
    ({"r_other": [[0.5] * 3] * 3}, "r_other has the shape"),
    ({"r_other": [[0.5] * 3, [-1, 1, 1]]}, "r_other is negative at problem 1 of row 2"),
    ({"n": [1, 2]}, "one finite weight"),
    ({"n": [1, 2, -1]}, "one finite weight"),
    ({"n": [0, 0, 0]}, "one finite weight"),
    ({"method": "guess"}, "method must be one of"),
    ({"method": "zadrozny"}, "its heuristic is in experiments/zadrozny.py"),
    ({"method": "pairwise"}, "3 of its problems have more than two"),
    ({"method": "wu-lin-weng", "code": [[1, -1, 0], [0, 1, -1], [0, 1, -1]]}, "2 of 3 pairs"),
    ({"tol": 0.0}, "tol is a number above 0"),
    ({"max_iter": 0}, "max_iter is a whole number of at least 1"),
]


@pytest.mark.parametrize("scale", [1e-310, 1e-155, 1e155, 1.5e308])
@pytest.mark.parametrize(("method", "code"), [("generalized-bt", REST), ("wu-lin-weng", PAIRS)])
def test_only_the_ratios_of_masses_matter(method: Any, code: Any, scale: float) -> None:
    r = np.array([[0.7, 0.3, 0.25], [0.25, 0.75, 0.5]])
    expected = couple(code, r, method=method)
    np.testing.assert_allclose(couple(code, scale * r, scale * (1 - r), method), expected, rtol=1e-9)
    weight = scale * np.ones(3)
    np.testing.assert_allclose(couple(code, scale * r, scale * (1 - r), method, weight), expected, rtol=1e-9)


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_bad_input_is_one_sentence(wrong: dict[str, Any], message: str) -> None:
    given_: dict[str, Any] = {"code": REST, "r": [[0.5, 0.3, 0.2], [0.2, 0.3, 0.4]], **wrong}
    with pytest.raises(ValueError, match=message):
        couple(given_.pop("code"), given_.pop("r"), **given_)


def test_rows_that_stop_early_are_counted() -> None:
    code = make_code("dense", 8, random_state=0)
    r, _ = datasets.make_coded_probabilities(code, "c", 7, random_state=0)
    with pytest.warns(NotConverged, match=r"7 of 7 rows did not converge to tol=1e-10 in 1 iterations"):
        couple(code, r, max_iter=1)


def test_least_squares_refuses_a_problem_of_which_nothing_is_known() -> None:
    code = [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    with pytest.raises(ValueError, match="needs a mass above 0"):
        couple(code, [0.7, 0.0, 0.0], [0.3, 0.0, 0.0], method="wu-lin-weng")
