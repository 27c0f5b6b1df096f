"""The leaderboard of a fit: scales, anchors, places with ranges, and records."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Comparisons, load, save
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import load_model_votes, make_games
from podium.leaderboard.board import NO_RANK
from podium.skill.board import _places
from podium.skill.bootstrap import Bootstrap
from tests.covering import covering_boards
from tests.many_items import with_many_items

GAMES, TRUTH = make_games(12, 3000, random_state=0)
MODEL = BradleyTerry().fit(GAMES)


def test_pairwise_ranges_count_who_is_certainly_better_or_worse() -> None:
    board = MODEL.leaderboard(level=0.9, ranks="pairwise")
    for item, low, high in zip(board.item, board.rank_low, board.rank_high, strict=True):
        found = [MODEL.compare(other, item, level=0.9) for other in MODEL.items_ if other != item]
        assert low == 1 + sum(difference.low > 0 for difference in found)
        assert high == 12 - sum(difference.high < 0 for difference in found)


def test_simultaneous_ranges_ask_for_more() -> None:
    board = MODEL.leaderboard(level=0.9)
    level = 0.9 ** (1 / (12 * 11 // 2))
    for item, low, high in zip(board.item, board.rank_low, board.rank_high, strict=True):
        found = [MODEL.compare(other, item, level) for other in MODEL.items_ if other != item]
        assert low == 1 + sum(difference.low > 0 for difference in found)
        assert high == 12 - sum(difference.high < 0 for difference in found)
    pairwise = MODEL.leaderboard(level=0.9, ranks="pairwise")
    assert board.rank.tolist() == pairwise.rank.tolist() == [*range(1, 13)]
    assert (board.rank_low <= pairwise.rank_low).all()
    assert (board.rank_high >= pairwise.rank_high).all()
    assert "simultaneous ranks" in repr(board)
    assert "pairwise ranks" in repr(pairwise)
    with pytest.raises(ValueError, match="ranks must be one of 'simultaneous', 'pairwise', not 'sure'"):
        MODEL.leaderboard(ranks="sure")  # type: ignore[call-overload]


@pytest.mark.parametrize("replicates", [None, 200])
def test_ranges_of_equal_items_begin_at_the_first_rank(replicates: int | None) -> None:
    """The last of 20 equal items is pairwise 5th at best; together, all ranges are 1 to 20 in 95 %."""
    together, by_pairs = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        left, right = rng.integers(0, 20, (2, 2_000))
        met = left != right
        c = Comparisons.from_arrays(left[met], right[met], rng.choice([-1, 1], met.sum()))
        model = BradleyTerry().fit(c)
        drawn = None if replicates is None else model.bootstrap(replicates, random_state=seed)
        board = model.leaderboard(bootstrap=drawn)
        together.append(board.rank_low.max())
        assert (board.rank_low.max() > 1) == (board.rank_high.min() < 20)
        by_pairs.append(model.leaderboard(bootstrap=drawn, ranks="pairwise").rank_low.max())
    assert np.mean(np.array(together) > 1) < 0.17  # 0.05 and three standard errors
    assert np.mean(by_pairs) > 4


def test_boards_are_sorted_by_score_and_what_is_hardly_known_has_no_rank() -> None:
    c = Comparisons.from_arrays([*GAMES.left, 99], [*GAMES.right, 0], [*np.asarray(GAMES.outcome), 1])
    with pytest.warns(UserWarning, match="99"):
        board = BradleyTerry().fit(c).leaderboard()
    assert (np.diff(board.score) <= 0).all()
    row = board.item.tolist().index(99)
    assert board.rank[row] == board.rank_low[row] == board.rank_high[row] == 0
    assert np.delete(board.rank, row).tolist() == [*range(1, 13)]  # the others count on without it
    assert np.delete(board.rank_high, row).max() == 13  # but it may be any of all 13
    assert repr(board).splitlines()[3 + row].split()[:3] == ["–", "–", "99"]
    frame = board.to_frame()
    for name in ("rank", "rank_low", "rank_high"):
        assert frame[name].isna().tolist() == (board.rank == 0).tolist()
    assert any("no rank" in note for note in board.notes)


def test_equal_scores_share_a_place_and_keep_their_order() -> None:
    left, right = ["a", "a", "a", "b", "c", "d"], ["d", "c", "b", "c", "d", "b"]
    for of_a, places in ((-1, [1, 2, 2, 2]), (0, [1, 1, 1, 1]), (1, [4, 1, 1, 1])):
        c = Comparisons.from_arrays(left * 2, right * 2, [of_a] * 3 + [0] * 9)
        found = BradleyTerry("half").fit(c).leaderboard()
        order = "bcda" if of_a > 0 else "abcd"
        assert found.item.tolist() == list(order)
        assert found.rank.tolist() == [places["abcd".index(item)] for item in order]


@given(st.integers(0, 10**6))
def test_places_count_the_better_among_those_that_are_known(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 12))
    theta, flat = rng.integers(-3, 4, n).astype(float), rng.random(n) < 0.2
    component = rng.integers(0, 3, n).astype(np.int32)
    best = np.ones(n, dtype=np.int64)
    place, best_first = _places(theta + 1e-12 * rng.random(n), component, flat, best)
    for i in range(n):
        known = ~flat & (component == component[i])
        assert place[i] == (NO_RANK if flat[i] else 1 + np.count_nonzero(theta[known] > theta[i]))
    shown = list(zip(component[best_first], -theta[best_first], best_first, strict=True))
    assert shown == sorted(shown)  # equal items keep their order


def test_no_place_is_better_than_its_range() -> None:
    """W only won, so it has no place, but it is certainly better than all others."""
    games = [("W", "ABC"[k % 3], -1) for k in range(60)]
    games += [(a, b, (-1) ** k) for k in range(50) for a, b in ("AB", "BC", "AC")] + [("A", "B", -1)] * 5
    with pytest.warns(UserWarning, match="'W'"):
        board = BradleyTerry().fit(Comparisons.from_arrays(*zip(*games, strict=True))).leaderboard()
    assert board.item.tolist()[:2] == ["W", "A"]
    assert board.rank.tolist() == [0, 2, 3, 4]
    assert (board.rank_low <= board.rank).all()
    assert (board.rank <= board.rank_high).all()
    assert "A leads among the items with a rank" in board.verdict


def test_ranges_hold_all_true_ranks() -> None:
    assert covering_boards(60, 8, 600) >= 0.95


def test_an_empty_board_has_no_ranges() -> None:
    board = MODEL.leaderboard(min_games=1e9)
    assert len(board) == len(board.rank_low) == 0
    assert not board.has_ranges


def test_scales() -> None:
    elo, log, skill = (MODEL.leaderboard(scale=scale) for scale in ("elo", "log", "skill"))
    assert elo.score.mean() == pytest.approx(1500)
    assert log.score.mean() == pytest.approx(0, abs=1e-9)
    assert skill.score.sum() == pytest.approx(1)
    np.testing.assert_allclose(elo.score, 1500 + 400 / np.log(10) * log.score)
    np.testing.assert_allclose(np.log(skill.high / skill.score), log.high - log.score)
    with pytest.raises(ValueError, match="scale"):
        MODEL.leaderboard(scale="points")  # type: ignore[call-overload]


def test_an_anchor_has_its_score_and_no_interval() -> None:
    item = int(MODEL.items_[3])
    board = MODEL.leaderboard(anchor=(item, 1000))
    row = board.item.tolist().index(item)
    assert (board.score[row], board.low[row], board.high[row]) == pytest.approx((1000, 1000, 1000))
    best = board.item[0]
    difference = MODEL.compare(best, item)
    assert board.low[0] == pytest.approx(1000 + 400 / np.log(10) * difference.low)
    assert MODEL.leaderboard(anchor=item).score[row] == pytest.approx(1500)
    assert MODEL.leaderboard(anchor=(item, 2.0), scale="skill").score[row] == pytest.approx(2)
    resampled = MODEL.leaderboard(anchor=item, bootstrap=50)
    assert resampled.high[resampled.item.tolist().index(item)] == pytest.approx(1500)
    with pytest.raises(ValueError, match="'nobody' was not seen"):
        MODEL.leaderboard(anchor="nobody")
    with pytest.raises(ValueError, match="the score of the anchor must be a finite number, not nan"):
        MODEL.leaderboard(anchor=(item, float("nan")))


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
def test_the_order_effect_has_the_interval_of_the_bootstrap(ties: Any) -> None:
    model = BradleyTerry(ties=ties, order_effect=True).fit(GAMES)
    log, elo, skill = (np.array(model.leaderboard(scale=s).order_effect) for s in ("log", "elo", "skill"))
    assert log[0] == model.order_effect_
    resampled = model.leaderboard(scale="log", bootstrap=model.bootstrap(400, random_state=0)).order_effect
    np.testing.assert_allclose(log, np.array(resampled), atol=0.03)
    np.testing.assert_allclose(elo, 400 / np.log(10) * log)
    np.testing.assert_allclose(skill, np.exp(log))
    assert MODEL.leaderboard().order_effect is None


@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_the_order_effect_of_very_many_items(ties: Any) -> None:
    model = BradleyTerry(ties=ties, order_effect=True).fit(GAMES)
    last = np.array([-1])
    exact = model.fit_.errors_of(last)
    assert with_many_items(model, 2).fit_.errors_of(last) == pytest.approx(exact, rel=1e-6)


def controlled(n: int = 2000) -> Comparisons:
    """Length decides (0.4 per 100), a constant does not; whole numbers, a share and a rare flag."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, 4, n)
    right = (left + rng.integers(1, 4, n)) % 4
    length, share, flag = rng.integers(-300, 300, n), rng.normal(size=n) / 50, rng.random(n) < 0.02
    outcome = np.where(rng.logistic(size=n) < 0.5 * (right - left) + 0.004 * length, 1, -1)
    named = {"length": length, "same": np.zeros(n), "share": share, "flag": 1.0 * flag}
    group, time = rng.integers(0, 40, n), rng.integers(0, 9, n)
    return Comparisons.from_arrays(left, right, outcome, covariates=named, group=group, time=time)


def test_effects_of_covariates_are_on_the_scale_of_the_board() -> None:
    with pytest.warns(UserWarning, match="'same' is the same on both sides"):
        model = BradleyTerry().fit(controlled())
    elo, log, skill = (model.leaderboard(scale=s).covariate_effects for s in ("elo", "log", "skill"))
    assert [effect.name for effect in log] == ["length", "share", "flag"]  # without what was left out
    assert [effect.per for effect in log] == pytest.approx([100, 0.01, 1])
    used = [0, 2, 3]
    per = np.array([effect.per for effect in log])
    value, low, high = np.array([effect[2:] for effect in log]).T
    np.testing.assert_allclose(value, per * model.covariate_effect_[used])
    np.testing.assert_allclose((high - low) / 2, 1.959964 * per * model.covariate_error_[used], rtol=1e-6)
    np.testing.assert_allclose([e[2:] for e in elo], 400 / np.log(10) * np.array([e[2:] for e in log]))
    np.testing.assert_allclose([e[2:] for e in skill], np.exp([e[2:] for e in log]))
    assert 0.3 < value[0] < 0.5


def test_effects_take_the_interval_of_the_replicates() -> None:
    with pytest.warns(UserWarning, match="same"):
        model = BradleyTerry().fit(controlled())
    samples = np.tile(model.log_skill_, (101, 1))
    effects: Any = np.outer(np.linspace(0, 1, 101), [1.0, np.nan, 2.0, 3.0])
    drawn = Bootstrap(model.items_, samples, np.zeros(101), np.zeros(101), model.components_, 0, effects)
    board = model.leaderboard(level=0.9, scale="log", bootstrap=drawn)
    assert board.covariate_effects[0][2:] == pytest.approx((100 * model.covariate_effect_[0], 5, 95))
    assert board.covariate_effects[2][3:] == pytest.approx((0.15, 2.85))
    assert board.method == ("intervals: 101 bootstrap replicates",)


@pytest.mark.filterwarnings("ignore:covariate 'same'")
def test_a_board_says_how_errors_and_weights_were_made(tmp_path: Path) -> None:
    c = controlled()
    assert BradleyTerry().fit(c).leaderboard().method == ()
    assert BradleyTerry(covariance="robust").fit(c).leaderboard().method == ("standard errors: robust",)
    model = BradleyTerry(covariance="cluster", half_life=2.5).fit(c)
    board = model.leaderboard()
    assert board.method == ("standard errors: clustered by group (40 groups)", "weights halve every 2.5")
    save(model, tmp_path / "model.skops")
    assert load(tmp_path / "model.skops").leaderboard() == board


def test_the_board_of_a_normal_prior_counts_groups_and_not_items() -> None:
    board = BradleyTerry(prior="normal", covariance="cluster").fit(load_model_votes()).leaderboard()
    assert board.method == ("standard errors: clustered by group (40 groups)",)


def test_records_add_up() -> None:
    board = MODEL.leaderboard()
    assert GAMES.outcome is not None
    np.testing.assert_allclose(board.wins + board.ties + board.losses, board.games)
    assert board.games.sum() == 2 * len(GAMES)
    assert board.ties.sum() == 2 * np.count_nonzero(GAMES.outcome == 0)
    ignoring = BradleyTerry(ties="ignore").fit(GAMES).leaderboard()
    assert ignoring.ties.sum() == board.ties.sum()


def test_min_games_leaves_out_the_others() -> None:
    rare = Comparisons.from_arrays(
        [*GAMES.left, 99, 99], [*GAMES.right, 0, 1], [*np.asarray(GAMES.outcome), -1, 1]
    )
    model = BradleyTerry().fit(rare)
    assert 99 in model.leaderboard().item
    assert 99 not in model.leaderboard(min_games=3).item


def test_members_of_teams_have_records() -> None:
    c = Comparisons.from_arrays(
        [("a", "b"), ("a", "c"), ("b", "c")], [("c", "d"), ("b", "d"), ("a", "d")], [-1, 1, 0]
    )
    board = BradleyTerry().fit(c).leaderboard()
    assert dict(zip(board.item, board.games, strict=True)) == {"a": 3, "b": 3, "c": 3, "d": 3}
    assert board.wins.sum() == 4


def test_errors_do_not_depend_on_what_was_asked_first() -> None:
    c, _ = make_games(40, 2_000, random_state=0)
    before, after = BradleyTerry().fit(c), BradleyTerry().fit(c)
    after.leaderboard()
    np.testing.assert_allclose(before.standard_error_, after.standard_error_, rtol=1e-10)
    np.testing.assert_array_equal(before.leaderboard().rank, after.leaderboard().rank)


def test_a_bootstrap_asked_for_by_number_can_be_repeated() -> None:
    c, _ = make_games(5, 120, random_state=0)
    model = BradleyTerry().fit(c)
    same: list[Any] = [50, np.int64(50), model.bootstrap(50, random_state=4)]
    boards = [model.leaderboard(bootstrap=chosen, random_state=4) for chosen in same]
    assert boards[0] == boards[1] == boards[2]
    other = model.leaderboard(bootstrap=50, random_state=5)
    assert not np.array_equal(other.low, boards[0].low)


def test_a_player_carried_by_partners_is_said_to_be_hardly_known() -> None:
    """Her skill is at the boundary, 0, where a normal interval means nothing; a bootstrap keeps the note."""
    rng = np.random.default_rng(3)
    skill = np.array([2.0, 1.5, 1.0, 0.8, 0.5, 0.02, 0.6, 0.7])
    players = np.array([rng.permutation(8)[:4] for _ in range(90)])
    left, right = skill[players].reshape(-1, 2, 2).sum(axis=2).T
    outcome = np.where(rng.random(90) < left / (left + right), -1, 1)
    ours, theirs = ([tuple(map(str, team)) for team in side] for side in (players[:, :2], players[:, 2:]))
    model = BradleyTerry().fit(Comparisons.from_arrays(ours, theirs, outcome))
    assert model.standard_error_.max() > 2.5
    (note,) = model.leaderboard().notes
    assert note.startswith("hardly anything is known about '")
    assert model.leaderboard(bootstrap=100, random_state=0).notes == (note,)


@pytest.mark.parametrize("n_others", [2, 5, 20])
@pytest.mark.parametrize("replicates", [None, 50])
def test_who_lost_the_only_game_has_no_rank(n_others: int, replicates: int | None, tmp_path: Path) -> None:
    """This holds for every size of the board, with and without a bootstrap; a file has null."""
    left, right = (np.tile(side, 8) for side in np.triu_indices(n_others, 1))
    outcome = np.repeat([-1, 1], len(left) // 2)
    c = Comparisons.from_arrays([*left, 0], [*right, n_others], [*outcome, -1])
    with pytest.warns(UserWarning, match="no finite"):
        board = BradleyTerry().fit(c).leaderboard(bootstrap=replicates, random_state=0)
    assert board.rank[board.item.tolist().index(n_others)] == 0
    assert (board.rank > 0).sum() == n_others
    board.save(tmp_path / "board.json")
    rows = json.loads((tmp_path / "board.json").read_text())
    assert [row["item"] for row in rows if row["rank"] is None] == [n_others]


def test_equal_items_keep_their_order() -> None:
    """In a round robin the score decides, so items with equal scores are equal, whatever rounding says."""
    left, right = np.triu_indices(9, 1)
    names, outcome = np.array(list("abcdefghi")), np.where((left + right) % 2 == 0, -1, 1)
    board = BradleyTerry().fit(Comparisons.from_arrays(names[left], names[right], outcome)).leaderboard()
    for wins in set(board.wins.tolist()):
        alike = board.item[board.wins == wins].tolist()
        assert alike == sorted(alike)
