"""The bootstrap: agrees with the normal theory where that holds, and knows of groups where it does not."""

from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.datasets import make_games
from podium.models.bradley_terry import BradleyTerry


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
def test_errors_agree_with_the_normal_theory(ties: Any, order_effect: bool) -> None:
    c, _ = make_games(12, 6000, order_effect=0.3, random_state=0)
    model = BradleyTerry(ties=ties, order_effect=order_effect).fit(c)
    found = model.bootstrap(800, random_state=0)
    np.testing.assert_allclose(found.standard_error, model.standard_error_, rtol=0.12)
    np.testing.assert_allclose(found.samples.mean(axis=0), model.log_skill_, atol=0.02)
    assert found.standard_error.mean() == pytest.approx(model.standard_error_.mean(), rel=0.04)
    assert found.with_prior == 0
    if order_effect:
        assert found.order_effect.mean() == pytest.approx(model.order_effect_, abs=0.01)
    low, high = found.interval(0.9).T
    assert ((low < model.log_skill_) & (model.log_skill_ < high)).all()


def test_every_replicate_is_the_optimum_of_its_resample() -> None:
    from podium.models.bootstrap import TOL, _rows
    from podium.solvers.paired_fit import fit_paired

    c, _ = make_games(10, 500, order_effect=0.3, random_state=0)
    model = BradleyTerry(order_effect=True).fit(c)
    found = model.bootstrap(5, random_state=3)
    resample = _rows(model, 5, np.random.default_rng(3))
    problem = model._problem
    for r in range(5):
        from dataclasses import replace

        other = replace(problem, counts=problem.counts.with_sums(*resample(r)))
        x = fit_paired(other, "newton", 1e-11, 100).solution
        np.testing.assert_allclose(found.samples[r], x[:10], atol=100 * TOL)


def test_threads_change_nothing() -> None:
    c, _ = make_games(10, 500, random_state=0)
    model = BradleyTerry().fit(c)
    one, two = model.bootstrap(30, random_state=1), model.bootstrap(30, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(one.samples, two.samples)
    assert not np.array_equal(one.samples, model.bootstrap(30, random_state=2).samples)


def test_replicates_without_an_estimate_are_counted() -> None:
    c = Comparisons.from_arrays(list("abcaabbc"), list("bcabccaa"), [-1, -1, -1, -1, 1, -1, 0, 0])
    found = BradleyTerry().fit(c).bootstrap(200, random_state=0)
    assert 0 < found.with_prior <= 200
    assert np.isfinite(found.samples).all()


@pytest.mark.filterwarnings("ignore::podium.models.prior.ExistenceWarning")
def test_one_poor_replicate_does_not_end_the_bootstrap() -> None:
    """Skills of ±3.6 are a bad start for a replicate in which only two of the items met."""
    sides = (list("abcabcb"), list("bcabcaa"))
    model = BradleyTerry(order_effect=True).fit(Comparisons.from_arrays(*sides, [-1] * 6 + [1]))
    found = model.bootstrap(200, random_state=0)
    assert found.with_prior > 0
    assert np.isfinite(found.samples).all()
    assert np.isfinite(found.order_effect).all()


@pytest.mark.filterwarnings("ignore::podium.models.prior.ExistenceWarning")
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
def test_few_games_of_any_kind_can_be_resampled(ties: Any) -> None:
    """Every refit converges, or there would be a warning."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        n, k = rng.integers(6, 13), rng.integers(2, 6)
        left = rng.integers(0, k, n)
        outcome = np.append([-1, 1], rng.choice([-1, 0, 1], n - 2, p=[0.75, 0.1, 0.15]))
        c = Comparisons.from_arrays(left, (left + rng.integers(1, k, n)) % k, outcome)
        found = BradleyTerry(ties=ties, order_effect=True).fit(c).bootstrap(20, random_state=0)
        assert np.isfinite(found.samples).all()
        assert np.isfinite(found.order_effect).all()


def test_refits_that_stop_early_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from podium.solvers import paired_fit
    from podium.solvers.result import NotConverged

    c, _ = make_games(5, 60, team_size=2, random_state=0)
    model = BradleyTerry().fit(c)
    fit = paired_fit.fit_paired
    monkeypatch.setattr(paired_fit, "fit_paired", lambda p, solver, tol, n, x: fit(p, solver, tol, 1, x))
    with pytest.warns(NotConverged, match="3 of the 3 refits stopped before they converged"):
        model.bootstrap(3, random_state=0)


@pytest.mark.filterwarnings("ignore::podium.models.prior.ExistenceWarning")
def test_a_side_that_never_wins_gets_a_tenth_of_a_win() -> None:
    """Skills and order effect of a replicate come from one model; what it cannot tell is equal."""
    from podium.models.bootstrap import _rows

    sides = (list("abc") * 8, list("bca") * 8)
    model = BradleyTerry(order_effect=True).fit(Comparisons.from_arrays(*sides, [-1] * 20 + [1, -1, -1, 1]))
    found = model.bootstrap(100, random_state=0)
    resample = _rows(model, 100, np.random.default_rng(0))
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
    from podium.models.bootstrap import _rows

    sides = (list("abcaab"), list("bcabba"))
    model = BradleyTerry(ties=ties).fit(Comparisons.from_arrays(*sides, [0, 0, 0, 0, -1, -1]))
    found = model.bootstrap(100, random_state=0)
    resample = _rows(model, 100, np.random.default_rng(0))
    drawn = [resample(r) for r in range(100)]
    ties_alone = np.array([r.total.sum() == r.ties.sum() > 0 for r in drawn])
    assert 3 < ties_alone.sum() <= found.with_prior
    np.testing.assert_allclose(found.samples[ties_alone], 0, atol=0.01)
    assert (found.tie[ties_alone] > 2 * model.tie_).all()
    assert np.isfinite(found.tie).all()


@pytest.mark.parametrize("team_size", [1, 2])
@pytest.mark.parametrize("order_effect", [False, True])
def test_the_order_of_rows_changes_nothing(order_effect: bool, team_size: int) -> None:
    c, _ = make_games(8, 300, team_size=team_size, random_state=0)
    assert c.outcome is not None
    shuffled = c[np.random.default_rng(0).permutation(300)]
    read_again = from_rows(shuffled)
    one, *others = (BradleyTerry(order_effect=order_effect).fit(rows) for rows in (c, shuffled, read_again))
    expected = one.bootstrap(20, random_state=0)
    for other in others:
        found = other.bootstrap(20, random_state=0)
        np.testing.assert_allclose(found.samples, expected.samples, atol=1e-7)
        np.testing.assert_allclose(found.order_effect, expected.order_effect, atol=1e-7)
        np.testing.assert_allclose(
            other.top_probability(2, random_state=0), one.top_probability(2, random_state=0)
        )


def from_rows(c: Comparisons) -> Comparisons:
    frame = c.to_frame()
    return Comparisons.from_arrays(frame["left"].tolist(), frame["right"].tolist(), frame["outcome"])


def test_any_random_state() -> None:
    c, _ = make_games(4, 100, random_state=0)
    model = BradleyTerry().fit(c)
    one, two = (model.bootstrap(5, random_state=np.random.RandomState(3)) for _ in range(2))
    np.testing.assert_array_equal(one.samples, two.samples)


def test_teams_are_resampled_too() -> None:
    c, _ = make_games(10, 2000, team_size=2, random_state=0)
    model = BradleyTerry().fit(c)
    found = model.bootstrap(60, random_state=0)
    assert found.standard_error.mean() == pytest.approx(model.standard_error_.mean(), rel=0.2)


def test_judges_who_repeat_themselves_are_worth_less() -> None:
    """Each judge votes ten times alike, so whole judges have to be drawn: errors grow by about √10."""
    rng = np.random.default_rng(0)
    base, _ = make_games(4, 300, tie_rate=0.3, random_state=0)
    rows = np.repeat(np.arange(300), 10)
    judged = base[rows]
    c = Comparisons.from_arrays(
        judged.left,
        judged.right,
        judged.outcome,
        group=[f"judge {i}" for i in np.repeat(rng.permutation(300), 10)],
    )
    model = BradleyTerry().fit(c)
    by_row = model.bootstrap(300, random_state=0)
    by_judge = model.bootstrap(300, random_state=0, groups=True)
    ratio = by_judge.standard_error.mean() / by_row.standard_error.mean()
    assert ratio == pytest.approx(np.sqrt(10), rel=0.15)
    np.testing.assert_allclose(by_judge.samples.mean(axis=0), model.log_skill_, atol=0.1)


def test_groups_resampled_once_each_are_the_data() -> None:
    from podium.models.bootstrap import _tables_by_group

    c, _ = make_games(6, 400, order_effect=0.3, random_state=0)
    for ties in ("davidson", "ignore"):
        for order_effect in (False, True):
            grouped = Comparisons.from_arrays(c.left, c.right, c.outcome, group=np.arange(400) % 7)
            model = BradleyTerry(ties=ties, order_effect=order_effect).fit(grouped)
            total, tied, margin = (table.sum(axis=1) for table in _tables_by_group(model))
            counts = model._problem.counts
            np.testing.assert_allclose(total, counts.total)
            np.testing.assert_allclose(tied, counts.ties)
            np.testing.assert_allclose(margin, counts.margin)


def test_ranks_and_places() -> None:
    c, _ = make_games(6, 800, random_state=0)
    model = BradleyTerry().fit(c)
    found = model.bootstrap(200, random_state=0)
    table = found.rank_probability()
    np.testing.assert_allclose(table.sum(axis=0), 1)
    np.testing.assert_allclose(table.sum(axis=1), 1)
    np.testing.assert_allclose(table[:, :2].sum(axis=1), found.top_probability(2))
    a, b = model.items_[:2]
    assert found.difference(a, b).mean() == pytest.approx(model.compare(a, b).difference, abs=0.1)
    board = model.leaderboard(bootstrap=found)
    assert (board.low < board.score).all()
    assert (board.score < board.high).all()


def test_refusals() -> None:
    c, _ = make_games(4, 100, random_state=0)
    model = BradleyTerry().fit(c)
    with pytest.raises(ValueError, match="no groups"):
        model.bootstrap(10, groups=True)
    with pytest.raises(ValueError, match="at least 2"):
        model.bootstrap(1)
