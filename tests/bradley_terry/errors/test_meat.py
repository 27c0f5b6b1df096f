"""Robust and clustered errors at any size, with covariates, in bootstraps, boards and saved models."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

import podium as pod
from podium import BradleyTerry, Comparisons
from tests.bradley_terry.votes import make_votes
from tests.many_items import with_many_items

KINDS: Any = ("model", "robust", "cluster")


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
@pytest.mark.parametrize("kind", KINDS)
def test_large_fits_have_the_errors_of_the_matrix(kind: Any, ties: Any) -> None:
    c = make_votes(40_000, n_items=60, weight=np.random.default_rng(1).exponential(size=40_000) + 0.1)
    exact = BradleyTerry(ties=ties, order_effect=True, covariance=kind).fit(c)
    matrix, slow = exact.covariance_, exact.covariate_error_
    large = with_many_items(exact)
    np.testing.assert_allclose(
        large.standard_error_, np.sqrt(np.diag(matrix)), rtol=0.02 if kind == "cluster" else 0.08
    )
    np.testing.assert_allclose(large.covariate_error_, slow, rtol=1e-5)
    a, b = exact.items_[:2]
    contrast = matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]
    assert large.compare(a, b).standard_error == pytest.approx(np.sqrt(contrast), rel=1e-5)
    assert np.isfinite(large.leaderboard().low).all()


def test_everything_follows_the_kind_of_errors(tmp_path: Path) -> None:
    c = make_votes()
    models = [BradleyTerry(order_effect=True, covariance=kind).fit(c) for kind in KINDS]
    model, _, cluster = models
    np.testing.assert_array_equal(model.log_skill_, cluster.log_skill_)
    ratio = cluster.standard_error_ / model.standard_error_
    assert ratio.mean() > 1.2  # judges have tastes of their own
    width = [np.ptp(m.interval(), axis=1) for m in (model, cluster)]
    np.testing.assert_allclose(width[1] / width[0], ratio * t(39).ppf(0.975) / norm.ppf(0.975))
    assert cluster.compare(0, 1).p_value > model.compare(0, 1).p_value
    boards = [m.leaderboard() for m in (model, cluster)]
    assert np.sum(boards[1].high - boards[1].low) > 1.2 * np.sum(boards[0].high - boards[0].low)
    assert cluster.summary().covariance == "cluster"
    for m in models:
        pod.save(m, tmp_path / "model.skops")
        again = pod.load(tmp_path / "model.skops")
        np.testing.assert_allclose(again.standard_error_, m.standard_error_)
        np.testing.assert_allclose(again.covariate_error_, m.covariate_error_)


def test_bootstraps_agree_with_the_sandwich() -> None:
    weight = np.random.default_rng(1).exponential(size=2_000) + 0.1
    c = make_votes(weight=weight)
    pairs: Any = (("robust", False), ("cluster", True))
    for kind, groups in pairs:
        model = BradleyTerry(order_effect=True, covariance=kind).fit(c)
        found = model.bootstrap(400, random_state=0, groups=groups)
        np.testing.assert_allclose(found.standard_error, model.standard_error_, rtol=0.2)
        np.testing.assert_allclose(found.covariate_effect.std(axis=0), model.covariate_error_, rtol=0.2)
        np.testing.assert_allclose(found.covariate_effect.mean(axis=0), model.covariate_effect_, atol=0.05)


def test_a_weight_of_57_is_one_vote_and_a_count_of_57_is_57() -> None:
    left, right, outcome = [*"aabccb"], [*"bbcbaa"], [-1, 1, -1, -1, 1, 1]
    many = np.full(6, 57.0)
    kinds: Any = ({}, {"weight": many}, {"count": many})
    once, weights, counts = (
        BradleyTerry(covariance="robust").fit(Comparisons.from_arrays(left, right, outcome, **options))
        for options in kinds
    )
    np.testing.assert_allclose(weights.standard_error_, once.standard_error_)
    np.testing.assert_allclose(counts.standard_error_, once.standard_error_ / np.sqrt(57))
    spread = [m.bootstrap(400, random_state=0).standard_error for m in (counts, weights)]
    assert (spread[1] > 3 * spread[0]).all()


def test_clusters_need_groups() -> None:
    c = make_votes(group=None)
    with pytest.raises(ValueError, match="covariance='cluster' needs groups"):
        BradleyTerry(covariance="cluster").fit(c)
    with pytest.raises(ValueError, match="covariance must be one of model, robust, cluster, not 'hc3'"):
        BradleyTerry(covariance="hc3").fit(c)  # type: ignore[arg-type]


def test_teams_have_clustered_errors_and_covariates() -> None:
    rng = np.random.default_rng(0)
    people = np.array([rng.permutation(8)[:4] for _ in range(1_500)])
    skill, z = rng.normal(size=8), rng.normal(size=1_500)
    strength = np.log(np.exp(skill[people]).reshape(-1, 2, 2).sum(axis=2))
    won = rng.random(1_500) < 1 / (1 + np.exp(strength[:, 0] - strength[:, 1] - z))
    sides = [list(map(tuple, people[:, part].tolist())) for part in (slice(0, 2), slice(2, 4))]
    outcome = np.where(won, 1, -1)
    c = Comparisons.from_arrays(sides[0], sides[1], outcome, covariates=z, group=np.arange(1_500) // 2)
    errors = []
    for kind in KINDS:
        model = BradleyTerry(prior=0.1, covariance=kind).fit(c)
        assert model.covariate_effect_[0] == pytest.approx(1, abs=0.2)
        errors.append([*model.standard_error_, *model.covariate_error_])
    np.testing.assert_allclose(errors[1], errors[0], rtol=0.15)
    np.testing.assert_allclose(errors[2], errors[0], rtol=0.15)
