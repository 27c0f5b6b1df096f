from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss as sklearn_log_loss

from podium.metrics import baseline_auc, comparison_auc, comparison_error, comparison_roc_curve, log_loss

ROW = st.tuples(
    st.sampled_from([-1, 0, 1]), st.integers(-3, 3).map(lambda i: i / 2), st.sampled_from([1.0, 2.0, 0.5])
)
ROWS = st.lists(ROW, min_size=1, max_size=25)


def columns(rows: list[tuple[int, float, float]]) -> tuple[Any, Any, Any]:
    return tuple(map(np.array, zip(*rows, strict=True)))  # type: ignore[return-value]


def brute_auc(y: Any, d: Any, w: Any) -> float:
    won = total = 0.0
    for i in np.flatnonzero(y != 0):
        for j in np.flatnonzero(y == 0):
            total += w[i] * w[j]
            if np.sign(d[i]) == y[i]:
                won += w[i] * w[j] * ((abs(d[i]) > abs(d[j])) + 0.5 * (abs(d[i]) == abs(d[j])))
    return won / total


@given(ROWS)
def test_auc_is_what_counting_all_pairs_gives(rows: list[tuple[int, float, float]]) -> None:
    y, d, w = columns(rows)
    if not 0 < (y == 0).sum() < len(y):
        with pytest.raises(ValueError, match="ties"):
            comparison_auc(y, d, w)
        return
    assert comparison_auc(y, d, w) == pytest.approx(brute_auc(y, d, w))
    assert comparison_auc(-y, -d, w) == pytest.approx(comparison_auc(y, d, w))
    right = w[(y != 0) & (np.sign(d) == y)].sum() / w[y != 0].sum()
    assert comparison_auc(y, d, w) <= right + 1e-12


@given(ROWS)
def test_every_point_of_the_curve_is_table_3_at_its_threshold(rows: list[tuple[int, float, float]]) -> None:
    y, d, w = columns(rows)
    if not 0 < (y == 0).sum() < len(y):
        return
    fpr, tpr, thresholds = comparison_roc_curve(y, d, w)
    assert (np.diff(thresholds) < 0).all()
    for f, t, threshold in zip(fpr, tpr, thresholds, strict=True):
        significant = np.abs(d) >= threshold
        assert f == pytest.approx(w[significant & (y == 0)].sum() / w[y == 0].sum())
        assert t == pytest.approx(w[significant & (y != 0) & (np.sign(d) == y)].sum() / w[y != 0].sum())
    assert fpr[-1] == 1


def test_baseline_is_the_auc_of_one_side_only() -> None:
    y = np.array([1, 1, -1, 0, 0])
    assert baseline_auc(y) == pytest.approx(comparison_auc(y, np.ones(5))) == pytest.approx(1 / 3)
    assert baseline_auc(y, [1, 1, 6, 1, 1]) == pytest.approx(6 / 16)


def test_a_row_of_weight_0_is_absent() -> None:
    y, decision, weight = np.array([0, 1, -1, 0, 1]), np.array([0.5, 2.0, 1.0, -3.0, 0.1]), [1, 2, 0, 0, 3]
    there = np.array([0, 1, 4])
    assert comparison_auc(y, decision, weight) == comparison_auc(y[there], decision[there], [1, 2, 3])
    assert baseline_auc(y, weight) == baseline_auc(y[there], [1, 2, 3]) == 0.5
    assert comparison_error(y, np.sign(decision), weight) == pytest.approx(1 / 6)
    with pytest.raises(ValueError, match="has no ties"):
        comparison_auc(y, decision, [0, 1, 1, 0, 1])


def test_error_is_weighted() -> None:
    assert comparison_error([1, 0], [0, 0]) == 0.5
    assert comparison_error([1, 0], [0, 0], [3.0, 1.0]) == 0.75


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: comparison_error([2], [1]), "the label 2 of y at row 1"),
        (lambda: comparison_error([1, 0], [1, np.nan]), "the label nan of predicted at row 2"),
        (lambda: comparison_error([], []), "at least one row"),
        (lambda: comparison_error([1], [1, 0]), "'predicted' has 2 rows"),
        (lambda: comparison_auc([0, 1], [0.0, np.nan]), r"missing \(nan\) at row 2"),
        (lambda: comparison_auc([0, 0], [0.0, 1.0]), "only ties"),
        (lambda: comparison_auc([1, -1], [0.0, 1.0]), "no ties"),
        (lambda: comparison_auc([1, 0], [0.0]), "'decision' has 1 rows"),
        (lambda: baseline_auc([0, 0]), "only ties"),
        (lambda: comparison_auc([1, 0], [0.0, 1.0], [1.0, -1.0]), "weight -1.0 at row 2"),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


def test_log_loss_is_that_of_scikit_learn_and_infinite_for_the_impossible() -> None:
    rng = np.random.default_rng(0)
    y, p, w = rng.integers(-1, 2, 50), rng.dirichlet(np.ones(3), 50), rng.random(50)
    assert log_loss(y, p, w) == pytest.approx(sklearn_log_loss(y, p, labels=[-1, 0, 1], sample_weight=w))
    assert log_loss([1], [[0.5, 0.5, 0.0]]) == np.inf
    assert log_loss([1, 0], [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]], [0, 1]) == 0.0
    with pytest.raises(ValueError, match=r"at row 2 .* are not three probabilities"):
        log_loss([0, 0], [[0.2, 0.6, 0.2], [0.2, 0.6, 0.3]])
    with pytest.raises(ValueError, match=r"make it \(2, 3\)"):
        log_loss([0, 0], [0.2, 0.8])
