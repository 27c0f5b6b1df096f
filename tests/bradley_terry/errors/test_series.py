"""Variances of many skills by a series: close to the exact ones, and not used on bad graphs."""

from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.errors.laplacian import graph_of, second_eigenvalue
from podium.bradley_terry.errors.series import variances_by_series
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games
from podium.numerics import threads


def problem_and_point(c: Comparisons, **options: Any) -> tuple[PairedProblem, Any]:
    model = BradleyTerry(**options).fit(c)
    return model.fit_.problem, model.result_.solution


@pytest.mark.slow
def test_three_thousand_items_have_nearly_exact_variances() -> None:
    c, _ = make_games(3_000, 150_000, random_state=0)
    problem, x = problem_and_point(c)
    exact = np.diag(exact_covariance(problem, x))[:3_000]
    found = variances_by_series(problem, x)
    assert found is not None
    np.testing.assert_allclose(np.sqrt(found.variance), np.sqrt(exact), rtol=0.006)


@pytest.mark.parametrize("prior", [0.0, 2.0])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "ignore"])
def test_the_graph_is_the_information(ties: Any, prior: float) -> None:
    """Products, degrees and the second eigenvalue agree with a dense matrix."""
    c, _ = make_games(60, 4_000, random_state=0)
    problem, x = problem_and_point(c, ties=ties, prior=prior)
    graph, _, _ = graph_of(problem, x)
    full = np.column_stack([graph @ unit for unit in np.eye(60)])
    np.testing.assert_allclose(np.diag(full), graph.degree, rtol=1e-12)
    np.testing.assert_allclose(full, full.T, atol=1e-12)
    values = np.abs(np.linalg.eigvals(np.eye(60) - full / graph.degree[:, None]))
    second = np.sort(values)[-2]
    assert second <= second_eigenvalue(graph) <= (1 + second) / 0.85 - 1 + 1e-9


def test_the_series_is_not_used_for_a_ladder() -> None:
    rung = np.repeat(np.arange(499), 4)
    c = Comparisons.from_arrays(rung, rung + 1, np.tile([-1, 1, 1, -1], 499))
    assert variances_by_series(*problem_and_point(c)) is None


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_change_nothing(n_threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = np.triu_indices(1_001, 1)
    c = Comparisons.from_arrays(left, right, np.random.default_rng(0).choice([-1, 0, 1], len(left)))
    problem, x = problem_and_point(c, prior=0.3)
    assert len(problem.counts.total) >= threads.SHARED_PAIRS
    monkeypatch.setattr(threads, "n_cores", lambda: 1)
    alone = variances_by_series(problem, x)
    assert alone is not None
    monkeypatch.setattr(threads, "n_cores", lambda: n_threads)
    found = variances_by_series(problem, x)
    assert found is not None
    np.testing.assert_allclose(found.variance, alone.variance, rtol=1e-12)
