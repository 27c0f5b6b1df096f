"""One newcomer must not pull whole leagues together, and numbers stay usable where data hardly bound them."""

import warnings
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.skill.fit import ExistenceWarning

Floats = Any
GAP = 1.5


def leagues(rng: np.random.Generator, n_items: int, games: int, bridge: int) -> tuple[Any, Any, Any, Floats]:
    """Two leagues of equal size, ``games`` per item inside each, and ``bridge`` games between them.

    Returns the sides, the outcomes and the true log-skills; the second league is better by about GAP.
    """
    half = n_items // 2
    theta = rng.normal(0.0, 0.7, n_items) + GAP * (np.arange(n_items) >= half)
    left = rng.integers(0, half, n_items * games // 2)
    right = (left + rng.integers(1, half, len(left))) % half
    home = np.repeat([0, half], len(left) // 2)
    left, right = left + home, right + home
    left = np.append(left, rng.integers(0, half, bridge))
    right = np.append(right, rng.integers(half, n_items, bridge))
    wins = rng.random(len(left)) < 1 / (1 + np.exp(theta[left] - theta[right]))
    return left, right, np.where(wins, 1, -1), theta


def with_newcomer(left: Any, right: Any, outcome: Any, n_items: int) -> pod.Comparisons:
    """The same games, and one more in which a newcomer beat item 0."""
    return pod.Comparisons.from_arrays(np.append(left, n_items), np.append(right, 0), np.append(outcome, -1))


def quietly(model: Any, c: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExistenceWarning)
        return model.fit(c)


def gap_of(log_skill: Floats, n_items: int) -> float:
    half = n_items // 2
    return float(log_skill[..., half:n_items].mean(axis=-1) - log_skill[..., :half].mean(axis=-1))


def gaps(n_items: int, runs: int, games: int = 60, bridge: int = 30) -> tuple[float, float, float]:
    """The mean gap without the newcomer and with him, and how often ``compare`` across the leagues covers."""
    alone, joined, covered = [], [], []
    for run in range(runs):
        rng = np.random.default_rng(run)
        left, right, outcome, theta = leagues(rng, n_items, games, bridge)
        games_before = pod.Comparisons.from_arrays(left, right, outcome)
        without = quietly(pod.BradleyTerry(), games_before)  # in one run, a league won all games between them
        model = quietly(pod.BradleyTerry(), with_newcomer(left, right, outcome, n_items))
        alone.append(gap_of(without.log_skill_, n_items))
        joined.append(gap_of(model.log_skill_, n_items))
        for a, b in zip(
            rng.integers(0, n_items // 2, 10), rng.integers(n_items // 2, n_items, 10), strict=True
        ):
            found = model.compare(int(b), int(a))
            covered.append(found.low <= theta[b] - theta[a] <= found.high)
    return float(np.mean(alone)), float(np.mean(joined)), float(np.mean(covered))


def test_a_newcomer_leaves_two_small_leagues_apart() -> None:
    alone, joined, covered = gaps(100, 3)
    assert joined == pytest.approx(alone, rel=0.05)
    assert covered > 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "runs"), [(200, 100), (1_000, 20)])
def test_a_newcomer_leaves_two_leagues_apart(n_items: int, runs: int) -> None:
    alone, joined, covered = gaps(n_items, runs)
    assert joined == pytest.approx(alone, rel=0.06)
    assert covered > 0.9


def bootstrap_gaps(n_items: int, runs: int, games: int, replicates: int) -> tuple[float, float, float]:
    """The mean gap of fits, the mean median of their bootstraps, and the share of refits with a prior."""
    fitted, medians, share = [], [], []
    for run in range(runs):
        left, right, outcome, _ = leagues(np.random.default_rng(run), n_items, games, 30)
        model = quietly(pod.BradleyTerry(), pod.Comparisons.from_arrays(left, right, outcome))
        found = model.bootstrap(replicates, random_state=run)
        fitted.append(gap_of(model.log_skill_, n_items))
        medians.append(np.median([gap_of(sample, n_items) for sample in found.samples]))
        share.append(found.with_prior / replicates)
    return float(np.mean(fitted)), float(np.mean(medians)), float(np.mean(share))


def test_a_short_bootstrap_keeps_the_gap_of_the_fit() -> None:
    fitted, median, share = bootstrap_gaps(60, 1, 12, 60)
    assert median == pytest.approx(fitted, rel=0.15)
    assert share > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "games", "runs"), [(200, 20, 20), (1_000, 25, 3)])
def test_a_bootstrap_keeps_the_gap_of_the_fit(n_items: int, games: int, runs: int) -> None:
    """With fewer games the fit has the prior already; resamples are somewhat further apart than the fit."""
    fitted, median, share = bootstrap_gaps(n_items, runs, games, 100)
    assert median == pytest.approx(fitted, rel=0.15)
    assert share > 0.3


def ranking_gaps(n_items: int, runs: int, rankings: int, bridge: int) -> tuple[float, float]:
    """The mean gap of rankings of four items, without a newcomer who came first once and with him."""
    alone: list[float] = []
    joined: list[float] = []
    for run in range(runs):
        rng, half = np.random.default_rng(run), n_items // 2
        theta = rng.normal(0.0, 0.7, n_items) + GAP * (np.arange(n_items) >= half)
        lists = [rng.permutation(half)[:4] + half * (r % 2) for r in range(rankings)]
        lists += [
            np.append(rng.permutation(half)[:2], half + rng.permutation(half)[:2]) for _ in range(bridge)
        ]
        ranked = [items[np.argsort(-theta[items] - rng.gumbel(size=4))].tolist() for items in lists]
        newcomer = [n_items, *ranked[0][:3]]
        for found, of in ((alone, ranked), (joined, [*ranked, newcomer])):
            model = quietly(pod.PlackettLuce(), pod.Rankings.from_lists(of))
            found.append(gap_of(model.log_skill_, n_items))
    return float(np.mean(alone)), float(np.mean(joined))


def test_a_newcomer_leaves_few_rankings_apart() -> None:
    alone, joined = ranking_gaps(40, 3, 400, 25)
    assert joined == pytest.approx(alone, rel=0.06)


@pytest.mark.slow
def test_a_newcomer_leaves_rankings_apart() -> None:
    alone, joined = ranking_gaps(200, 15, 2_000, 25)
    assert joined == pytest.approx(alone, rel=0.05)


def sparse_boards(n_items: int, games: int, runs: int) -> tuple[float, float]:
    """How often differences are covered, and the expected log loss of random pairs, if skills have sd 1."""
    covered, loss = [], []
    for run in range(runs):
        rng = np.random.default_rng(run)
        theta = rng.normal(size=n_items)
        left = rng.integers(0, n_items, n_items * games // 2)
        right = (left + rng.integers(1, n_items, len(left))) % n_items
        wins = rng.random(len(left)) < 1 / (1 + np.exp(theta[left] - theta[right]))
        model = quietly(pod.BradleyTerry(), pod.Comparisons.from_arrays(left, right, np.where(wins, 1, -1)))
        main = np.flatnonzero(model.components_ == 0)
        a, b = main[rng.integers(0, len(main), (2, 200))]
        a, b = a[a != b], b[a != b]
        true = theta[model.items_[b]] - theta[model.items_[a]]
        found = model.log_skill_[b] - model.log_skill_[a]
        V = model.covariance_
        error = np.sqrt(V[a, a] + V[b, b] - 2 * V[a, b])
        covered.append(np.mean(np.abs(found - true) <= 1.96 * error))
        p = 1 / (1 + np.exp(-true))
        loss.append(np.mean(p * np.logaddexp(0, -found) + (1 - p) * np.logaddexp(0, found)))
    return float(np.mean(covered)), float(np.mean(loss))


def test_small_sparse_boards_are_covered() -> None:
    covered, loss = sparse_boards(50, 6, 5)
    assert covered > 0.9
    assert loss < 1.1


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "games"), [(50, 4), (50, 6), (50, 10), (200, 6), (500, 6)])
def test_sparse_boards_are_covered(n_items: int, games: int) -> None:
    covered, loss = sparse_boards(n_items, games, 40)
    assert 0.94 < covered < 0.995
    assert loss < 1.15


def tied_boards(runs: int, n_items: int = 50, games: int = 5, tie: float = 10.0, **options: Any) -> Floats:
    """One row per data set of many ties: log ν, h, the largest log-skill, and whether ν, h are covered."""
    rows = []
    for run in range(runs):
        c, _ = pod.datasets.make_games(
            n_items, n_items * games // 2, tie_rate=tie, order_effect=0.5, random_state=run
        )
        model = quietly(pod.BradleyTerry(order_effect=True, **options), c)
        log_tie, h = np.log(model.tie_), model.order_effect_
        errors = np.sqrt(np.diag(model.fit_.joint_covariance))[len(model.items_) :]  # some items never played
        inside = np.abs([log_tie - np.log(tie), h - 0.5]) <= 1.96 * errors
        rows.append([log_tie, h, np.abs(model.log_skill_).max(), *inside])
    return np.array(rows)


@pytest.mark.parametrize("prior", ["auto", "normal"])
def test_many_ties_in_few_games_give_usable_numbers(prior: Any) -> None:
    found = tied_boards(6, prior=prior)
    assert np.abs(found[:, :2]).max() < 8


@pytest.mark.slow
@pytest.mark.parametrize(("prior", "tie"), [("auto", 10.0), ("normal", 10.0), ("auto", 30.0)])
def test_many_ties_give_usable_numbers(prior: Any, tie: float) -> None:
    found = tied_boards(200, tie=tie, prior=prior)
    assert np.abs(found[:, :2]).max() < 8
    assert found[:, 2].max() < 25
