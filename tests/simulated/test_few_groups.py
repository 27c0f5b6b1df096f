"""Clustered errors of few judges, of judges who cast unequal numbers of votes, and of many items.

All items are equally good on average, but every judge has a taste of their own for each of them. So every
interval should hold 0, and every item should have rank 1.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons, PlackettLuce, Rankings
from podium.skill.fit import ExistenceWarning

TASTE = 0.7  # the standard deviation of the tastes


class Wrong(NamedTuple):
    """How often a claim at the 95 % level is wrong, and how often the board has a note about its groups."""

    rank: float  # some simultaneous rank is not 1
    score: float  # an interval of a log-skill does not hold 0
    test: float  # `compare` calls two items different
    noted: float


def few_judges(
    sizes: Any, runs: int, *, n_items: int = 4, seen: int | None = None, rankings: bool = False
) -> Wrong:
    """Judge j casts ``sizes[j]`` votes on random pairs, or puts three items in order as often.

    With ``seen``, each judge sees only so many of the items.
    """
    wrong = np.zeros((runs, len(Wrong._fields)))
    for run in range(runs):
        group, best_first = votes(sizes, n_items, seen or n_items, 3 if rankings else 2, run)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExistenceWarning)  # few votes on many items may need a prior
            if rankings:
                lists = Rankings.from_lists(best_first, group=group)
                model: Any = PlackettLuce(covariance="cluster").fit(lists)
            else:
                model = BradleyTerry(covariance="cluster").fit(compared(group, best_first))
        (low, high), board = model.interval().T, model.leaderboard()
        wrong[run] = (
            (board.rank_low > 1).any(),
            ((low > 0) | (high < 0)).mean(),
            model.compare(*model.items_[:2]).p_value < 0.05,
            any("groups" in note for note in board.notes),
        )
    return Wrong(*wrong.mean(axis=0))


def votes(sizes: Any, n_items: int, n_seen: int, n_shown: int, seed: int) -> tuple[Any, Any]:
    """The judge of every vote, and the items shown, best first."""
    rng, judge = np.random.default_rng([len(sizes), seed]), np.repeat(np.arange(len(sizes)), sizes)
    taste = TASTE * rng.normal(size=(len(sizes), n_items))
    seen = np.argsort(rng.random(taste.shape), axis=1)[:, :n_seen]
    places = np.argsort(rng.random((len(judge), n_seen)), axis=1)[:, :n_shown]
    shown = seen[judge[:, None], places]
    liked = taste[judge[:, None], shown] + rng.gumbel(size=shown.shape)
    return judge, np.take_along_axis(shown, np.argsort(-liked, axis=1), axis=1)


def compared(judge: Any, best_first: Any) -> Comparisons:
    left, right = best_first.T
    return Comparisons.from_arrays(left, right, np.full(len(judge), -1), group=judge)


def zipf(n: int, each: int) -> Any:
    """The votes of n judges, in proportion to 1, 1/2, 1/3, ...; on average ``each``."""
    share = 1 / np.arange(1, n + 1)
    return np.maximum(np.round(each * n * share / share.sum()), 1).astype(int)


def campaigns(runs: int, last: int) -> float:
    """How often some anytime rank is wrong at some look: after every judge, from the 20th to the last."""
    wrong = 0
    for run in range(runs):
        judge, best_first = votes([10] * last, 4, 4, 2, run)
        for n in range(20, last + 1):
            model = BradleyTerry(covariance="cluster").fit(compared(judge[judge < n], best_first[judge < n]))
            if (model.leaderboard(anytime=True).rank_low > 1).any():
                wrong += 1
                break
    return wrong / runs


def resampled(judges: int, runs: int, n: int = 200) -> float:
    """How often percentile intervals of ``bootstrap(groups=True)`` do not hold the truth."""
    missed = []
    for run in range(runs):
        model = BradleyTerry().fit(compared(*votes([10] * judges, 4, 4, 2, run)))
        low, high = model.bootstrap(n, random_state=run, groups=True).interval().T
        missed.append(((low > 0) | (high < 0)).mean())
    return float(np.mean(missed))


# ------------------------------------------------------------------------------------ tests


def test_few_judges() -> None:
    found = few_judges([10] * 5, 80)
    assert found.rank <= 0.1  # 0.23 with normal quantiles
    assert found.score <= 0.08
    assert found.test <= 0.12
    assert found.noted == 1


def test_fewer_judges_than_items() -> None:
    found = few_judges([100] * 6, 12, n_items=50)
    assert found.rank <= 0.25  # 1 with normal quantiles
    assert found.score <= 0.09


def test_thin_groups_are_noted() -> None:
    assert few_judges(zipf(30, 10), 5).noted == 1
    assert few_judges([30] * 40, 3, n_items=30, seen=4).noted == 1
    assert few_judges([10] * 40, 5).noted == 0


def test_few_voters_with_rankings() -> None:
    found = few_judges([10] * 5, 30, rankings=True)
    assert found.rank <= 0.13
    assert found.score <= 0.1


def test_looks_from_the_20th_judge_on() -> None:
    assert campaigns(4, 30) <= 0.25


@pytest.mark.slow
@pytest.mark.parametrize("judges", [5, 10, 20, 30, 40])
def test_few_judges_long(judges: int) -> None:
    found = few_judges([10] * judges, 2000)
    assert found.rank <= 0.06
    assert 0.03 <= found.score <= 0.065
    assert 0.03 <= found.test <= 0.065


@pytest.mark.slow
@pytest.mark.parametrize(("judges", "each"), [(6, 100), (6, 400), (10, 60)])
def test_fewer_judges_than_items_long(judges: int, each: int) -> None:
    found = few_judges([each] * judges, 300, n_items=50)
    assert found.rank <= 0.1
    assert 0.03 <= found.score <= 0.065


@pytest.mark.slow
@pytest.mark.parametrize("judges", [5, 10, 20])
def test_few_voters_with_rankings_long(judges: int) -> None:
    found = few_judges([10] * judges, 500, rankings=True)
    assert found.rank <= 0.07
    assert 0.02 <= found.score <= 0.065


@pytest.mark.slow
def test_thin_groups_are_noted_long() -> None:
    """What the note warns of: clustered errors are still too small."""
    for judges in (30, 60):
        found = few_judges(zipf(judges, 10), 1000)
        assert 0.06 <= found.score <= 0.12
        assert found.noted == 1
    for judges, seen in ((20, 3), (20, 6)):
        found = few_judges([30] * judges, 300, n_items=12, seen=seen)
        assert 0.05 <= found.score <= 0.22
        assert found.noted == 1


@pytest.mark.slow
def test_looks_from_the_20th_judge_on_long() -> None:
    assert campaigns(300, 60) <= 0.03


@pytest.mark.slow
@pytest.mark.parametrize(("judges", "missed"), [(5, 0.14), (10, 0.08), (30, 0.06)])
def test_resampled_judges_cover_less_long(judges: int, missed: float) -> None:
    """What the documentation warns of: percentile intervals of few groups are too short."""
    assert resampled(judges, 300) > missed
