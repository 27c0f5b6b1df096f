from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.metrics import roc_auc_score

from podium.metrics import (
    baseline_auc,
    comparison_auc,
    comparison_error,
    comparison_roc_curve,
    krippendorff_alpha,
    log_loss,
    ndcg,
    swapped_pairs,
)

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


# ------------------------------------------------------------------------------------ ordered labels


@given(st.integers(2, 30), st.integers(0, 10**6))
def test_swapped_pairs_are_those_of_eq_1(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, score = rng.integers(0, 5, n), rng.integers(0, 5, n)
    qid, weight = rng.integers(0, 3, n), rng.integers(0, 3, n)
    y[:2], qid[:2], weight[:2] = (0, 1), 0, 1
    above = (y[:, None] > y) & (qid[:, None] == qid)
    pair = weight[:, None] * weight * above
    expected = np.sum(pair * (score[:, None] <= score)) / np.sum(pair)
    assert swapped_pairs(y, score, qid, weight) == pytest.approx(expected)


def test_swapped_pairs_of_two_labels_are_the_auc() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 500), rng.normal(size=500)
    assert swapped_pairs(y, score) == pytest.approx(1 - roc_auc_score(y, score))
    assert swapped_pairs(y, np.zeros(500)) == 1.0
    assert swapped_pairs(y, y) == 0.0


def test_swapped_pairs_needs_pairs() -> None:
    with pytest.raises(ValueError, match="no two rows with different labels, so there are no pairs"):
        swapped_pairs([1, 1], [0.0, 1.0])
    with pytest.raises(ValueError, match="within a qid"):
        swapped_pairs([1, 2], [0.0, 1.0], qid=[1, 2])
    with pytest.raises(ValueError, match=r"score is missing \(nan\) at row 2"):
        swapped_pairs([1, 2], [0.0, np.nan])


# ------------------------------------------------------------------------------------ agreement of judges

_ = float("nan")
# Four observers and twelve units: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
VOTES = [
    [-1, 1, 0, _, -1, 1, 1, _, -1, -1, 1, 0, 0, 0, -1],
    [_, _, _, -1, 0, _, 1, 0, -1, 1, 1, 0, 0, 0, -1],
    [_, _, 0, -1, -1, 0, _, 0, 0, 1, 1, 0, _, _, _],
    [_, _, _, 0, _, 0, _, 0, _, 1, 1, 0, 0, 0, -1],
    [_, 1, _, -1, -1, 0, _, 0, 1, _, 1, -1, 0, 0, -1],
    [_, 1, 1, _, -1, 0, -1, _, 1, 1, 1, 1, 1, 0, -1],
]


@pytest.mark.parametrize(
    ("table", "distance", "alpha"),
    [
        (PUBLISHED, "nominal", 0.743421052631579),  # printed as 0.743
        (PUBLISHED, "interval", 0.8491071428571428),  # printed as 0.849
        (VOTES, "nominal", 0.4941263940520445),  # these two by the package krippendorff 0.9.0
        (VOTES, "interval", 0.46804635761589397),
    ],
)
def test_alpha_is_that_of_others(table: Any, distance: Any, alpha: float) -> None:
    judge, unit = np.nonzero(~np.isnan(table))
    value = np.array(table)[judge, unit]
    assert krippendorff_alpha(unit, value, distance=distance) == pytest.approx(alpha, rel=1e-12)


@pytest.mark.parametrize(
    ("distance", "alpha"), [("nominal", 0.32228915662650603), ("interval", 0.4610778443113773)]
)
def test_alpha_takes_counts_for_repeated_values(distance: Any, alpha: float) -> None:
    """Numbers by the package krippendorff 0.9.0, from its table of counts."""
    counts = np.array([[2, 1, 0], [0, 3, 1], [4, 0, 0], [1, 1, 3], [0, 0, 1]])
    unit, value = np.nonzero(counts)
    weight = counts[unit, value]
    found = krippendorff_alpha(unit, value, distance=distance, sample_weight=weight)
    assert found == pytest.approx(alpha, rel=1e-12)
    repeated = krippendorff_alpha(np.repeat(unit, weight), np.repeat(value, weight), distance=distance)
    assert repeated == pytest.approx(alpha, rel=1e-12)


def test_alpha_without_anything_to_compare_is_nan() -> None:
    assert np.isnan(krippendorff_alpha(["a", "b", "c"], [1, 2, 3]))
    assert np.isnan(krippendorff_alpha(["a", "a", "b", "b"], [1, 1, 1, 1]))


def test_alpha_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="distance must be 'nominal' or 'interval', not 'ratio'"):
        krippendorff_alpha([1, 1], [0, 1], distance="ratio")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="value"):
        krippendorff_alpha([1, 1], [0, 1, 1])


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


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12))
def test_ndcg_is_the_mean_over_all_orders_of_equal_scores(rows: list[tuple[int, int]]) -> None:
    """Computed from the definition; among equal scores, the discounts of their places are averaged."""
    y, score = (np.array(column) for column in zip(*rows, strict=True))
    if not y.any():
        with pytest.raises(ValueError, match="no grade above 0"):
            ndcg(y, score)
        return
    for k in (None, 2):
        discount = 1 / np.log2(np.arange(len(y)) + 2) * (np.arange(len(y)) < (k or len(y)))
        worth = 2.0**y - 1
        places = [np.sort(-score).searchsorted(-s, side) for s in score for side in ("left", "right")]
        share = [discount[a:b].mean() for a, b in zip(places[::2], places[1::2], strict=True)]
        assert ndcg(y, score, k=k) == pytest.approx(worth @ share / (np.sort(worth)[::-1] @ discount))


def test_ndcg_by_query() -> None:
    y, score, qid = [2, 0, 1, 0, 0, 1], [0.9, 0.5, 0.1, 0.2, 0.3, 0.4], list("aaabbc")
    assert ndcg(y, score, qid) == pytest.approx((ndcg(y[:3], score[:3]) + 1) / 2)  # b has nothing relevant
    assert ndcg(y, score, qid, gain="linear") < 1
    for wrong, message in (({"k": 0}, "k must be"), ({"gain": "square"}, "gain must be")):
        with pytest.raises(ValueError, match=message):
            ndcg(y, score, qid, **wrong)
    with pytest.raises(ValueError, match="grades start at 0"):
        ndcg([1, -1], [0, 1])
    with pytest.raises(ValueError, match=r"the gain of grade 2000 at row 2 .* is infinite; use smaller"):
        ndcg([1, 2000], [0, 1])
    with pytest.raises(ValueError, match=r"k must be a whole number of at least 1, not 1\.5"):
        ndcg([1, 2], [0, 1], k=1.5)  # type: ignore[arg-type]
    assert ndcg([1, 2], [-np.inf, np.inf]) == 1
