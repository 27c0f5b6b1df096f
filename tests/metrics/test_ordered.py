import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold

from podium import SwappedPairsSVM
from podium.metrics import ndcg, ndcg_scorer, swapped_pairs


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


def test_a_scorer_of_ndcg_gets_the_queries_of_a_grid_search() -> None:
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(90, 3)), np.repeat(np.arange(15), 6)
    y = np.digitize(X[:, 0] + rng.normal(size=90), [0.0, 1.0])
    with config_context(enable_metadata_routing=True):
        model = SwappedPairsSVM(C=1.0).set_fit_request(qid=True)
        scorer = ndcg_scorer(k=2).set_score_request(qid=True)
        search = GridSearchCV(model, {"C": [1.0]}, scoring=scorer, cv=GroupKFold(3), refit=False)
        search.fit(X, y, qid=qid, groups=qid)
    expected = []
    for train, test in GroupKFold(3).split(X, y, qid):
        fitted = SwappedPairsSVM(C=1.0).fit(X[train], y[train], qid=qid[train])
        expected.append(ndcg(y[test], fitted.predict(X[test]), qid[test], k=2))
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(expected))
    with pytest.raises(ValueError, match="k must be a whole number"):
        ndcg_scorer(k=0)
