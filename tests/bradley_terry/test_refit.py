"""Refits end where the likelihood of the resample is largest, with a prior if a fit would need one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.counts.pairs import Replicate
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.model import BradleyTerry
from podium.bradley_terry.refit import _quick_refit as compiled_refit
from podium.bradley_terry.refit import refitter
from podium.bradley_terry.resample import resample_rows
from podium.datasets import make_games
from podium.skill.refits import TOL, Near, quick_refit


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
@pytest.mark.parametrize("prior", [0.0, 0.5, "normal"])
def test_the_refit_is_the_optimum(ties: Any, order_effect: bool, prior: Any) -> None:
    c, _ = make_games(8, 400, order_effect=0.3, random_state=0)
    model = BradleyTerry(ties=ties, order_effect=order_effect, prior=prior).fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    share = np.random.default_rng(0).uniform(0.5, 1.5, len(problem.counts.total))
    sums = (share * problem.counts.total, share * problem.counts.ties, share * problem.counts.margin)
    found = refitter(problem, x, model.items_, 1e-10)(Replicate(*sums))
    assert not found.with_prior
    assert not found.early
    other = replace(problem, counts=problem.counts.with_sums(*sums))
    expected = fit_paired(other, "newton", 1e-11, 100).solution
    np.testing.assert_allclose(found.solution, expected, atol=1e-7)
    np.testing.assert_array_equal(x, model.result_.solution)  # the start is not overwritten


def test_the_compiled_refit_takes_the_same_steps() -> None:
    c, _ = make_games(8, 400, order_effect=0.3, random_state=0)
    for ties in ("davidson", "rao-kupper", "half"):
        fit = BradleyTerry(ties=ties, order_effect=True, prior=0.5).fit(c).fit_
        problem, x = fit.problem, fit.solution
        near = Near(np.ascontiguousarray(exact_covariance(problem, x)), problem.scale())
        [drawn] = [resample_rows(fit, 1, np.random.default_rng(0))(0)]
        same = replace(problem, counts=problem.counts.with_sums(*drawn))
        one, other = (refit(same, x, near, 1e-6) for refit in (quick_refit, compiled_refit))
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")
@pytest.mark.parametrize("drawn", ["without ties", "only ties", "one never wins"])
def test_a_resample_without_an_estimate_gets_what_a_fit_would_get(drawn: str) -> None:
    c, _ = make_games(4, 200, random_state=0)
    fit = BradleyTerry(prior=0.0).fit(c).fit_
    counts = fit.problem.counts
    total = counts.total
    ties = {"without ties": 0.0, "only ties": 1.0, "one never wins": 0.3}[drawn] * total
    margin = 0.1 * (total - ties)
    if drawn == "one never wins":
        beaten = counts.partner == 3  # its number is the largest, so it is never the first of a pair
        ties, margin = np.where(beaten, 0.0, ties), np.where(beaten, -total, margin)
    found = refitter(fit.problem, fit.solution, fit.items, 1e-10)(Replicate(total, ties, margin))
    assert found.with_prior == (drawn != "without ties")
    if drawn == "only ties":  # a fit would say that the tie parameter is infinite
        np.testing.assert_allclose(found.solution[:4], 0, atol=1e-6)
        return
    sides = [(int(a), int(b)) for a, b in zip(counts.first, counts.partner, strict=True)]
    results = [
        (left, right, sign, n)
        for (left, right), n_left, n_tied, n_right in zip(
            sides, (total - ties - margin) / 2, ties, (total - ties + margin) / 2, strict=True
        )
        for sign, n in ((-1, n_left), (0, n_tied), (1, n_right))
        if n > 1e-9
    ]
    left, right, sign, weight = zip(*results, strict=True)
    again = BradleyTerry().fit(Comparisons.from_arrays(left, right, sign, weight))
    assert (again.prior_ > 0) == found.with_prior
    np.testing.assert_allclose(found.solution[:4], again.log_skill_, atol=1e-6)


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
    from podium.bradley_terry import refit as refitting
    from podium.numerics.result import NotConverged

    c, _ = make_games(5, 60, team_size=2, random_state=0)
    model = BradleyTerry().fit(c)
    monkeypatch.setattr(
        refitting, "fit_paired", lambda p, solver, tol, n, x: fit_paired(p, solver, tol, 1, x)
    )
    with pytest.warns(NotConverged, match="3 of the 3 refits stopped before they converged"):
        model.bootstrap(3, random_state=0)


@pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")
def test_an_order_effect_stays_finite_if_one_side_never_wins() -> None:
    """Its skills and its order effect are bounded together."""
    sides = (list("abc") * 8, list("bca") * 8)
    model = BradleyTerry(order_effect=True).fit(Comparisons.from_arrays(*sides, [-1] * 20 + [1, -1, -1, 1]))
    found = model.bootstrap(100, random_state=0)
    resample = resample_rows(model.fit_, 100, np.random.default_rng(0))
    drawn = [resample(r) for r in range(100)]
    games = np.array([replicate.total.sum() for replicate in drawn])
    one_sided = np.array([replicate.margin.sum() for replicate in drawn]) == -games
    assert 5 < one_sided.sum() <= found.with_prior
    assert np.abs(found.samples[one_sided]).max() < 1
    assert found.order_effect[one_sided].max() < 5
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
    assert (found.tie[ties_alone] > model.tie_).all()
    assert np.isfinite(found.tie).all()
