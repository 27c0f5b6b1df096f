"""The bootstrap agrees with normal theory where that holds, and accounts for groups where it does not."""

from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games


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


def test_threads_change_nothing() -> None:
    c, _ = make_games(10, 500, random_state=0)
    model = BradleyTerry().fit(c)
    one, two = model.bootstrap(30, random_state=1), model.bootstrap(30, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(one.samples, two.samples)
    assert not np.array_equal(one.samples, model.bootstrap(30, random_state=2).samples)


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


def test_every_kind_of_random_state_works() -> None:
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
    """Each judge casts the same vote ten times. Drawing whole judges makes errors grow by about √10."""
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


def test_bad_arguments_are_refused() -> None:
    c, _ = make_games(4, 100, random_state=0)
    model = BradleyTerry().fit(c)
    with pytest.raises(ValueError, match="no groups"):
        model.bootstrap(10, groups=True)
    with pytest.raises(ValueError, match="at least 2"):
        model.bootstrap(1)


def test_progress_counts_the_refits_and_changes_nothing() -> None:
    seen: list[tuple[int, int]] = []
    model = BradleyTerry().fit(make_games(8, 400, random_state=0)[0])
    followed = model.bootstrap(250, random_state=1, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) == 100
    assert seen[-1] == (250, 250)
    np.testing.assert_array_equal(followed.samples, model.bootstrap(250, random_state=1).samples)
