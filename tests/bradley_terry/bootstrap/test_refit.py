"""Quick refits either reach a point with a small gradient, or give up."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.bootstrap.refit import TOL, Refitter
from podium.bradley_terry.bootstrap.resample import Replicate, resample_rows
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
@pytest.mark.parametrize("prior", [0.0, 0.5])
def test_the_refit_is_the_optimum(ties: Any, order_effect: bool, prior: float) -> None:
    from dataclasses import replace

    c, _ = make_games(8, 400, order_effect=0.3, random_state=0)
    model = BradleyTerry(ties=ties, order_effect=order_effect, prior=prior).fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    refit = Refitter(problem, x, exact_covariance(problem, x), 1e-10)
    share = np.random.default_rng(0).uniform(0.5, 1.5, len(problem.counts.total))
    sums = (share * problem.counts.total, share * problem.counts.ties, share * problem.counts.margin)
    found = refit(Replicate(*sums))
    assert found is not None
    other = replace(problem, counts=problem.counts.with_sums(*sums))
    expected = fit_paired(other, "newton", 1e-11, 100).solution
    np.testing.assert_allclose(problem.centred(found), problem.centred(expected), atol=1e-7)
    np.testing.assert_array_equal(x, model.result_.solution)  # the start is not overwritten


def test_a_resample_without_an_estimate_gets_no_refit() -> None:
    c, _ = make_games(4, 200, random_state=0)
    model = BradleyTerry(prior=0.0).fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    refit = Refitter(problem, x, exact_covariance(problem, x), 1e-8)
    total, none = problem.counts.total, np.zeros(len(problem.counts.total))
    assert refit(Replicate(total, none, 0.1 * total)) is None  # no ties, so the tie parameter has no estimate
    assert refit(Replicate(total, total, none)) is None  # nothing but ties
    assert refit(Replicate(total, 0.1 * total, -0.9 * total)) is None  # one item never won
    assert refit(Replicate(none, none, none)) is None


def test_every_replicate_is_the_optimum_of_its_resample() -> None:
    c, _ = make_games(10, 500, order_effect=0.3, random_state=0)
    model = BradleyTerry(order_effect=True).fit(c)
    found = model.bootstrap(5, random_state=3)
    resample = resample_rows(model.fit_, 5, np.random.default_rng(3))
    problem = model.fit_.problem
    for r in range(5):
        other = replace(problem, counts=problem.counts.with_sums(*resample(r)))
        x = fit_paired(other, "newton", 1e-11, 100).solution
        np.testing.assert_allclose(found.samples[r], x[:10], atol=100 * TOL)


def test_replicates_without_an_estimate_are_counted() -> None:
    c = Comparisons.from_arrays(list("abcaabbc"), list("bcabccaa"), [-1, -1, -1, -1, 1, -1, 0, 0])
    found = BradleyTerry().fit(c).bootstrap(200, random_state=0)
    assert 0 < found.with_prior <= 200
    assert np.isfinite(found.samples).all()


@pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")
def test_one_poor_replicate_does_not_end_the_bootstrap() -> None:
    """Skills of ±3.6 are a bad start for a replicate in which only two of the items met."""
    sides = (list("abcabcb"), list("bcabcaa"))
    model = BradleyTerry(order_effect=True).fit(Comparisons.from_arrays(*sides, [-1] * 6 + [1]))
    found = model.bootstrap(200, random_state=0)
    assert found.with_prior > 0
    assert np.isfinite(found.samples).all()
    assert np.isfinite(found.order_effect).all()


@pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
def test_few_games_of_any_kind_can_be_resampled(ties: Any) -> None:
    """Every refit converges; otherwise there would be a warning."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        n, k = rng.integers(6, 13), rng.integers(2, 6)
        left = rng.integers(0, k, n)
        outcome = np.append([-1, 1], rng.choice([-1, 0, 1], n - 2, p=[0.75, 0.1, 0.15]))
        c = Comparisons.from_arrays(left, (left + rng.integers(1, k, n)) % k, outcome)
        found = BradleyTerry(ties=ties, order_effect=True).fit(c).bootstrap(20, random_state=0)
        assert np.isfinite(found.samples).all()
        assert np.isfinite(found.order_effect).all()


def test_refits_that_stop_early_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    from podium.bradley_terry.bootstrap import refit as refitting
    from podium.numerics.result import NotConverged

    c, _ = make_games(5, 60, team_size=2, random_state=0)
    model = BradleyTerry().fit(c)
    monkeypatch.setattr(
        refitting, "fit_paired", lambda p, solver, tol, n, x: fit_paired(p, solver, tol, 1, x)
    )
    with pytest.warns(NotConverged, match="3 of the 3 refits stopped before they converged"):
        model.bootstrap(3, random_state=0)


@pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")
def test_a_side_that_never_wins_gets_a_tenth_of_a_win() -> None:
    """Skills and order effect of a replicate come from one model; indistinguishable items are equal."""
    sides = (list("abc") * 8, list("bca") * 8)
    model = BradleyTerry(order_effect=True).fit(Comparisons.from_arrays(*sides, [-1] * 20 + [1, -1, -1, 1]))
    found = model.bootstrap(100, random_state=0)
    resample = resample_rows(model.fit_, 100, np.random.default_rng(0))
    drawn = [resample(r) for r in range(100)]
    games = np.array([replicate.total.sum() for replicate in drawn])
    one_sided = np.array([replicate.margin.sum() for replicate in drawn]) == -games
    assert 5 < one_sided.sum() <= found.with_prior
    expected = np.log((games + 0.1) / 0.1)
    np.testing.assert_allclose(found.order_effect[one_sided], expected[one_sided], atol=0.01)
    np.testing.assert_allclose(found.samples[one_sided], 0, atol=0.01)
    assert found.order_effect[one_sided].min() > np.median(found.order_effect[~one_sided])


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_a_replicate_of_ties_alone_has_a_large_tie_parameter(ties: Any) -> None:
    sides = (list("abcaab"), list("bcabba"))
    model = BradleyTerry(ties=ties).fit(Comparisons.from_arrays(*sides, [0, 0, 0, 0, -1, -1]))
    found = model.bootstrap(100, random_state=0)
    resample = resample_rows(model.fit_, 100, np.random.default_rng(0))
    drawn = [resample(r) for r in range(100)]
    ties_alone = np.array([r.total.sum() == r.ties.sum() > 0 for r in drawn])
    assert 3 < ties_alone.sum() <= found.with_prior
    np.testing.assert_allclose(found.samples[ties_alone], 0, atol=0.01)
    assert (found.tie[ties_alone] > 2 * model.tie_).all()
    assert np.isfinite(found.tie).all()
