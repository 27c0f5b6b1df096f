"""Scores beside scikit-learn's and brute force, and intervals that cover."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.metrics import roc_auc_score

import podium as pod
from podium.evaluation import (
    Judged,
    auc,
    calibration_error,
    judge_comparisons,
    judge_rows,
    knows,
    log_loss,
    predict_comparisons,
    with_intervals,
)

GAMES = pod.datasets.load_chess_club()
RNG = np.random.default_rng(0)


def test_log_loss_is_scikit_learns() -> None:
    y = RNG.integers(-1, 2, size=50)
    p = RNG.dirichlet([1, 1, 1], size=50)
    w = RNG.uniform(0.5, 2, size=50)
    assert log_loss(y, p, w) == pytest.approx(sklearn_log_loss(y, p, labels=[-1, 0, 1], sample_weight=w))
    assert log_loss(np.array([0]), np.array([[0.5, 0.0, 0.5]]), np.ones(1)) == np.inf


def test_auc_with_ties_is_seed_0s_and_without_the_usual_one() -> None:
    y, d = np.array([1, -1, 1, 0, 1, -1]), RNG.normal(size=6)
    assert auc(y, d, np.ones(6)) == pod.metrics.comparison_auc(y, d)
    decisive = y != 0
    expected = roc_auc_score(y[decisive] == 1, d[decisive])
    assert auc(y[decisive], d[decisive], np.ones(5)) == pytest.approx(expected)
    assert np.isnan(auc(np.ones(3), d[:3], np.ones(3)))


def test_calibration_error_is_small_for_the_truth_and_large_for_a_lie() -> None:
    p = RNG.dirichlet([2, 1, 2], size=20_000)
    u = RNG.uniform(size=(20_000, 1))
    y = (u > np.cumsum(p, axis=1)[:, :2]).sum(axis=1) - 1
    assert calibration_error(y, p, np.ones(len(y))) < 0.01
    sure = np.eye(3)[np.argmax(p, axis=1)]
    assert calibration_error(y, sure, np.ones(len(y))) > 0.2


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
    if queries > 1:  # the same queries twice are the same share
        twice = np.tile(np.arange(24), 2)
        assert judged.scores["swapped pairs"](twice) == pytest.approx(np.mean(swapped))


# ------------------------------------------------------------------------------------ intervals


@pytest.mark.parametrize("hits", [0, 3, 17, 20])
def test_shares_have_the_exact_interval(hits: int) -> None:
    hit = np.arange(20) < hits
    [score] = with_intervals(Judged({"accuracy": lambda rows: hit[rows].mean()}, 20, False, None), 0.9)
    expected = binomtest(hits, 20).proportion_ci(0.9, method="exact")
    assert (score.low, score.high) == pytest.approx((expected.low, expected.high))


def test_the_bootstrap_has_the_width_of_the_normal_interval() -> None:
    x = RNG.normal(size=400)
    judged = Judged({"mean": lambda rows: x[rows].mean()}, 400, False, None)
    [score] = with_intervals(judged, n_bootstrap=2000)
    assert score.interval == "bootstrap"
    assert score.high - score.low == pytest.approx(2 * 1.96 * x.std() / 20, rel=0.1)
    assert with_intervals(judged, n_bootstrap=50) == with_intervals(judged, n_bootstrap=50)


def test_groups_are_resampled_whole() -> None:
    group = np.repeat(np.arange(20), 30)
    x = RNG.normal(size=20)[group]  # all rows of a group are alike: there are 20 facts, not 600
    score = {"accuracy": lambda rows: x[rows].mean()}
    [by_group] = with_intervals(Judged(score, 600, False, group), n_bootstrap=500)
    assert by_group.interval == "bootstrap of groups"
    assert by_group.high - by_group.low == pytest.approx(2 * 1.96 * x.std() / np.sqrt(20), rel=0.25)


def test_what_is_infinite_has_no_interval() -> None:
    [score] = with_intervals(Judged({"log loss": lambda rows: np.inf}, 5, False, None))
    assert score.value == np.inf
    assert np.isnan(score.low)
    with pytest.raises(ValueError, match="level"):
        with_intervals(Judged({}, 5, False, None), level=1.0)
