"""Scores agree with scikit-learn and brute force."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import podium as pod
from podium.evaluation.intervals import with_intervals
from podium.evaluation.scoring import (
    Judged,
    Misses,
    Predicted,
    auc,
    judge_comparisons,
    judge_rows,
    knows,
    predict_comparisons,
)
from podium.metrics import calibration_bins, ndcg

GAMES = pod.datasets.load_chess_club()
RNG = np.random.default_rng(0)


def judged(y: np.ndarray, p: np.ndarray, decision: np.ndarray, w: np.ndarray) -> Judged:
    """Judge these predictions, as if they came from some model."""
    c = pod.Comparisons.from_arrays(["a"] * len(y), ["b"] * len(y), y.tolist(), weight=w)
    predicted = Predicted(np.ones(len(y), dtype=bool), np.sign(decision).astype(np.int8), decision, p)
    return judge_comparisons(c, predicted)


def test_scores_are_those_of_others_on_all_rows_and_on_resamples() -> None:
    y, d = RNG.integers(-1, 2, size=50), RNG.normal(size=50).round(1)
    p, w = RNG.dirichlet([1, 1, 1], size=50), RNG.uniform(0.5, 2, size=50)
    scores = judged(y, p, d, w).scores
    for rows in (np.arange(50), RNG.integers(50, size=50)):
        t, q, e, v = y[rows], p[rows], d[rows], w[rows]
        expected = sklearn_log_loss(t, q, labels=[-1, 0, 1], sample_weight=v)
        assert scores["log loss"](rows) == pytest.approx(expected)
        assert scores["error"](rows) == pytest.approx(pod.metrics.comparison_error(t, np.sign(e), v))
        assert scores["accuracy"](rows) == pytest.approx(1 - scores["error"](rows))
        assert scores["AUC"](rows) == pytest.approx(pod.metrics.comparison_auc(t, e, v))
        happened = np.concatenate([t == outcome for outcome in (-1, 0, 1)])
        bins = calibration_bins(happened, q.T.ravel(), 10, np.tile(v, 3))
        gaps = np.abs(bins.predicted - bins.observed)
        assert scores["calibration error"](rows) == pytest.approx(np.average(gaps, weights=bins.weight))


def test_an_outcome_with_probability_zero_has_infinite_loss() -> None:
    never = judged(np.array([0]), np.array([[0.5, 0.0, 0.5]]), np.ones(1), np.ones(1))
    assert never.scores["log loss"](np.arange(1)) == np.inf


def test_auc_without_ties_is_the_usual_one() -> None:
    y, d = RNG.choice([-1, 1], size=40), RNG.normal(size=40).round(1)
    w = RNG.uniform(0.5, 2, size=40)
    score = auc(y, d, w)
    for rows in (np.arange(40), RNG.integers(40, size=40)):
        expected = roc_auc_score(y[rows] == 1, d[rows], sample_weight=w[rows])
        assert score(rows) == pytest.approx(expected)
    assert np.isnan(auc(np.ones(3), d[:3], np.ones(3))(np.arange(3)))


def test_calibration_error_is_small_for_the_truth_and_large_for_a_lie() -> None:
    p = RNG.dirichlet([2, 1, 2], size=20_000)
    u = RNG.uniform(size=(20_000, 1))
    y = (u > np.cumsum(p, axis=1)[:, :2]).sum(axis=1) - 1
    rows = np.arange(len(y))
    assert Misses.of(y, p, np.ones(len(y))).error(rows) < 0.01
    sure = np.eye(3)[np.argmax(p, axis=1)]
    assert Misses.of(y, sure, np.ones(len(y))).error(rows) > 0.2


def test_two_outcomes_have_the_textbook_calibration_error() -> None:
    """Ten equal bins of one probability, without ties, and without a mirror image that cancels a bias."""
    p = RNG.uniform(size=1000)
    y = np.where(RNG.uniform(size=1000) < p**2, -1, 1)  # the left side is worse than predicted everywhere
    bins = np.array_split(np.argsort(p), 10)
    expected = np.mean([abs(p[some].mean() - np.mean(y[some] == -1)) for some in bins])
    assert expected > 0.1
    chances = np.column_stack([p, np.zeros(1000), 1 - p])
    found = judged(y, chances, 1 - 2 * p, np.ones(1000)).scores["calibration error"]
    assert found(np.arange(1000)) == pytest.approx(expected)
    mirrored = judged(-y, chances[:, ::-1], 2 * p - 1, np.ones(1000)).scores["calibration error"]
    assert mirrored(np.arange(1000)) == pytest.approx(expected)


def test_ties_count_as_soon_as_they_happen_or_are_predicted() -> None:
    y, p = np.array([-1, 1, 1]), np.array([[0.5, 0.0, 0.5]] * 3)
    assert Misses.of(y, p, np.ones(3)).miss.shape == (3, 1)
    assert Misses.of(np.array([-1, 0, 1]), p, np.ones(3)).miss.shape == (3, 3)
    p[0] = [0.4, 0.2, 0.4]
    assert Misses.of(y, p, np.ones(3)).miss.shape == (3, 3)


@pytest.mark.parametrize("ties", [False, True])
def test_an_unknown_row_gets_equal_odds_of_possible_outcomes(ties: bool) -> None:
    y = np.array([-1, 1, 0 if ties else 1])
    p = np.array([[0.5, 0.0, 0.5], [np.nan] * 3, [0.3, 0.2, 0.5] if ties else [0.5, 0.0, 0.5]])
    loss = judged(y, p, np.ones(3), np.ones(3)).scores["log loss"]
    assert loss(np.array([1])) == pytest.approx(np.log(3 if ties else 2))


def test_reversing_all_misses_keeps_their_size() -> None:
    y, p = RNG.integers(-1, 2, size=300), RNG.dirichlet([2, 1, 2], size=300)
    misses = Misses.of(y, p, RNG.uniform(0.5, 2, size=300))
    assert misses.error_by_chance(-np.ones(300)) == pytest.approx(misses.error(np.arange(300)))
    assert misses.error_by_chance(RNG.choice([-1.0, 1.0], size=300)) < misses.error(np.arange(300))


def test_rows_without_ties_have_no_auc_if_others_have_some() -> None:
    c = pod.Comparisons.from_arrays("aabbab", "bbaaba", [-1, 1, -1, 0, 0, 1])
    score = judge_comparisons(c, predict_comparisons(pod.BradleyTerry(prior=1).fit(c), c)).scores["AUC"]
    assert np.isnan(score(np.array([0, 1, 2, 5])))
    assert 0 <= score(np.arange(6)) <= 1


def test_scores_of_a_model() -> None:
    model = pod.BradleyTerry().fit(GAMES)
    judged = judge_comparisons(GAMES, predict_comparisons(model, GAMES))
    rows = np.arange(len(GAMES))
    found = {name: score(rows) for name, score in judged.scores.items()}
    assert found["accuracy"] == pytest.approx(model.score(GAMES))
    assert found["error"] == pytest.approx(1 - model.score(GAMES))
    assert found["log loss"] == pytest.approx(model.result_.objective / len(GAMES))


def test_what_a_model_does_not_know() -> None:
    model = pod.BradleyTerry().fit(GAMES)
    c = pod.Comparisons.from_arrays(["Ada", "Ada"], ["Boris", "Zoe"])
    assert knows(model, c).tolist() == [True, False]
    found = predict_comparisons(model, c)
    assert found.probability is not None
    assert np.isnan(found.decision).tolist() == [False, True]
    assert np.isnan(found.probability[:, 0]).tolist() == [False, True]
    assert knows(pod.Elo().fit(GAMES), c).all()


def test_a_team_with_a_stranger_is_not_known() -> None:
    doubles = pod.datasets.load_doubles_league()
    model = pod.BradleyTerry().fit(doubles)
    a, b, *_ = model.items_
    c = pod.Comparisons.from_arrays([(a, "Zoe"), (a, b)], [(b, "Yve"), tuple(model.items_[2:4])])
    assert knows(model, c).tolist() == [False, True]


def test_no_outcomes() -> None:
    model = pod.Elo().fit(GAMES)
    blind = replace(GAMES, outcome=None)
    with pytest.raises(ValueError, match="no outcomes"):
        judge_comparisons(blind, predict_comparisons(model, blind))


# ------------------------------------------------------------------------------------ labelled rows


def test_classifiers() -> None:
    X = RNG.normal(size=(60, 2))
    y = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    scores = judge_rows(model, X, y, None).scores
    rows = np.arange(60)
    assert scores["log loss"](rows) == pytest.approx(sklearn_log_loss(y, model.predict_proba(X)))
    assert scores["accuracy"](rows) == pytest.approx(model.score(X, y))
    with pytest.raises(ValueError, match="the labels '7' were not seen"):
        judge_rows(DummyClassifier().fit(X, y), X, np.where(y, 7, 0), None)


@pytest.mark.parametrize("queries", [1, 4])
def test_swapped_pairs_by_brute_force(queries: int) -> None:
    X, query = RNG.normal(size=(24, 2)), np.arange(24) % queries
    y = RNG.integers(0, 3, size=24)
    model = LinearRegression().fit(X, y)
    score = model.predict(X)
    judged = judge_rows(model, X, y, query if queries > 1 else None)
    pairs = [(i, j) for i, j in combinations(range(24), 2) if query[i] == query[j] and y[i] != y[j]]
    swapped = [(score[i] - score[j]) * (y[i] - y[j]) <= 0 for i, j in pairs]
    assert judged.scores["swapped pairs"](np.arange(24)) == pytest.approx(np.mean(swapped))
    if queries > 1:  # repeating the queries does not change the share
        twice = np.tile(np.arange(24), 2)
        assert judged.scores["swapped pairs"](twice) == pytest.approx(np.mean(swapped))


@pytest.mark.parametrize("queries", [1, 4])
def test_ndcg_of_queries_that_are_drawn_as_a_whole(queries: int) -> None:
    X, query = RNG.normal(size=(24, 2)), np.arange(24) % queries
    y = RNG.integers(0, 3, size=24)
    y[query == 2] = 0  # has no best order
    model = LinearRegression().fit(X, y)
    qid = query if queries > 1 else None
    score = judge_rows(model, X, y, qid, k=3).scores["NDCG@3"]
    assert score(np.arange(24)) == pytest.approx(ndcg(y, model.predict(X), qid, k=3))
    if queries > 1:
        rows = np.flatnonzero(query == 0), np.flatnonzero(query == 1)
        twice = np.concatenate([rows[0], rows[0], rows[1]])
        assert score(twice) == pytest.approx((2 * score(rows[0]) + score(rows[1])) / 3)
        assert np.isnan(score(np.flatnonzero(query == 2)))


def test_ndcg_of_models_that_predict_classes() -> None:
    X, y = RNG.normal(size=(40, 2)), RNG.integers(0, 3, size=40)
    model = make_pipeline(StandardScaler(), pod.OrdinalSVM()).fit(X, y)
    before = model[-1].projection(model[:-1].transform(X))
    scores = judge_rows(model, X, y, None, k=5).scores
    assert scores["NDCG@5"](np.arange(40)) == pytest.approx(ndcg(y, before, k=5))
    assert "accuracy" in scores
    with pytest.raises(ValueError, match="a LogisticRegression predicts classes and has no score to sort"):
        judge_rows(LogisticRegression().fit(X, y), X, y, None, k=5)


def test_a_table_of_counts_is_as_certain_as_its_rows() -> None:
    wins = np.array([[0, 30, 41], [12, 0, 25], [9, 17, 0]])
    table = pod.Comparisons.from_counts(wins)
    rows = table[np.repeat(np.arange(len(table)), table.count.astype(int))]
    rows = replace(rows, count=np.ones(len(rows)))
    model = pod.BradleyTerry().fit(table)
    found, expected = (
        with_intervals(judge_comparisons(c, predict_comparisons(model, c))) for c in (table, rows)
    )
    assert [tuple(score)[:-1] for score in found[:3]] == [tuple(score)[:-1] for score in expected[:3]]
