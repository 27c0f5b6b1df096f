from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons, Elo, Glicko, PlackettLuce, Rankings, datasets
from podium.web.head_to_head import MOST_ITEMS, HeadToHead, matrix_table, matrix_text
from tests.web.parsed import Parsed

CHESS = datasets.load_chess_club()


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
def test_chances_are_those_of_the_win_matrix(ties: str) -> None:
    model = BradleyTerry(ties=ties).fit(CHESS)  # type: ignore[arg-type]
    found = HeadToHead.of(model, CHESS, model.leaderboard())
    place = [model.items_.tolist().index(item) for item in found.items]
    np.testing.assert_allclose(found.chance, model.win_matrix()[np.ix_(place, place)])


@pytest.mark.parametrize("model", [BradleyTerry(order_effect=True), Elo(), Glicko()])
def test_two_chances_add_up_to_one(model: Any) -> None:
    model.fit(CHESS)
    board = model.leaderboard(CHESS) if isinstance(model, Elo | Glicko) else model.leaderboard()
    found = HeadToHead.of(model, CHESS, board)
    total = found.chance + found.chance.T
    np.testing.assert_allclose(total[~np.eye(len(total), dtype=bool)], 1)
    assert np.all(np.diff(found.chance[0, 1:]) >= 0)  # the best beats the weaker more often


def test_meetings_are_counted_by_weight_from_both_sides() -> None:
    c = Comparisons.from_arrays("aabb", "bbac", [-1, 0, -1, 1], weight=[2, 1, 5, 1])
    model = BradleyTerry(prior=1).fit(c)
    found = HeadToHead.of(model, c, model.leaderboard())
    a, b = found.items.tolist().index("a"), found.items.tolist().index("b")
    assert found.met is not None
    assert found.met[:, a, b].tolist() == [2, 1, 5]
    assert found.met[:, b, a].tolist() == [5, 1, 2]
    assert "won 2, tied 1, lost 5" in matrix_table(found)
    assert "never met" in matrix_table(found)
    assert "<small>31 <span>of 8</span></small>" in matrix_table(found)  # 2 wins and a tie of 8


def test_results_far_from_what_was_expected_are_marked() -> None:
    met = np.zeros((3, 2, 2))
    met[:, 0, 1], met[:, 1, 0] = [10, 0, 90], [90, 0, 10]
    chance = np.array([[np.nan, 0.5], [0.5, np.nan]])
    found = HeadToHead(np.array(["a", "b"]), chance, met, 0)
    assert found.surprise()[0, 1] == pytest.approx(-8)  # 40 per cent, of which one standard error is 5
    assert matrix_table(found).count("surprise") == 2
    usual = HeadToHead(np.array(["a", "b"]), chance, met / 50, 0)
    assert "surprise" not in matrix_table(usual)


def test_teams_have_no_record() -> None:
    model = BradleyTerry().fit(c := datasets.load_doubles_league())
    found = HeadToHead.of(model, c, model.leaderboard())
    assert "<small>" not in matrix_table(found)
    assert "meetings" not in matrix_text(found)


def test_groups_that_never_met_have_no_chance() -> None:
    c = Comparisons.from_arrays("abcd", "badc", [-1, -1, -1, -1])
    with pytest.warns(UserWarning, match="2 groups"):
        model = BradleyTerry().fit(c)
    table = matrix_table(HeadToHead.of(model, c, model.leaderboard()))
    assert table.count('title="never compared"') == 8


def test_many_items_are_cut() -> None:
    n = MOST_ITEMS + 5
    c = Comparisons.from_arrays(range(n), [(k + 1) % n for k in range(n)], [0] * n)
    model = Elo().fit(c)
    found = HeadToHead.of(model, c, model.leaderboard(c))
    assert found.left_out == 5
    assert "5 more are left out" in matrix_text(found)
    assert Parsed(matrix_table(found)).tags["tr"] == MOST_ITEMS + 1


def test_rankings_have_chances_of_pairs_and_records_within_rankings() -> None:
    orders = [
        ["a", "b", "c"],
        ["b", ("a", "c")],
        [("a", "b"), "d"],
        ["c", ("b", "a", "d")],
        ["a", "d"],
        ["d", "c"],
    ]
    rankings = Rankings.from_lists(
        orders, weight=[1, 2, 1, 1, 1, 1], rest=[False, False, False, True, False, False]
    )
    model = PlackettLuce().fit(rankings)
    found = HeadToHead.of(model, rankings, model.leaderboard())
    place = [model.items_.tolist().index(item) for item in found.items]
    np.testing.assert_allclose(found.chance, model.win_matrix()[np.ix_(place, place)])
    pairs = rankings.to_comparisons()
    other = HeadToHead.of(BradleyTerry(prior=1).fit(pairs), pairs, model.leaderboard())
    assert found.met is not None
    np.testing.assert_array_equal(found.met, other.met)
    a, b = found.items.tolist().index("a"), found.items.tolist().index("b")
    assert found.met[:, a, b].tolist() == [1, 1, 2]  # by hand; the rest of the fourth ranking has no order
