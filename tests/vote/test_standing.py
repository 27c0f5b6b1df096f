"""There is always a standing, and it says what is missing."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium as pod
from podium.leaderboard.board import NO_RANK
from podium.skill.anytime import CHOSEN
from podium.skill.certainty import certain_order
from podium.vote import standing as module
from podium.vote.database.catalogue import Catalogue
from podium.vote.nouns import Settings
from podium.vote.standing import Standing, standing_from
from podium.vote.tally import Tally, read_tally
from podium.web.board import ENOUGH, board_table
from tests.cli.runs import done
from tests.vote.databases import add_items, add_votes, shop, with_tables

NOTHING_YET = "There are no votes yet."
GREY = "Scores in grey are hardly known yet: these items have fewer than 10 votes."
SEVERAL = [(1, 2, 9, 3, 2), (2, 3, 8, 2, 3), (1, 3, 7, 1, 4), (3, 4, 9, 0, 2)]


def tally(*rows: tuple[int, int, int, int, int]) -> Tally:
    """Rows of low, high, wins of the first, ties, wins of the second."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    return Tally(table[:, :2], table[:, 2:], judges=1, over_time=None)


def stand(*rows: tuple[int, int, int, int, int], of: Catalogue, **settings: str) -> Standing:
    return standing_from(tally(*rows), Settings(**settings), of)  # type: ignore[arg-type]


def test_the_board_is_that_of_bradley_terry_with_anytime_intervals() -> None:
    standing = stand(*SEVERAL, of=shop(4))
    votes = [
        (left, right, outcome)
        for left, right, *counts in SEVERAL
        for outcome, n in zip((-1, 0, 1), counts, strict=True)
        for _ in range(n)
    ]
    model = pod.BradleyTerry().fit(pod.Comparisons.from_arrays(*zip(*votes, strict=True)))
    expected = model.leaderboard(anytime=True)
    assert standing.board is not None
    assert standing.head_to_head is not None
    assert standing.board.item.tolist() == [chr(96 + item) for item in expected.item]
    assert standing.board.rank.tolist() == expected.rank.tolist()
    for column in ("score", "low", "high", "games"):
        np.testing.assert_allclose(getattr(standing.board, column), getattr(expected, column), rtol=1e-6)
    assert standing.head_to_head.items.tolist() == standing.board.item.tolist()
    assert standing.board.method == (CHOSEN,)
    assert standing.votes == len(votes)
    assert standing.notes == ()


def test_the_page_and_podium_rank_show_the_same_board(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    with with_tables(tmp_path / "votes.db").begin() as connection:
        add_items(connection, "abc")
        pairs = (rng.choice(3, 2, replace=False) + 1 for _ in range(40))
        add_votes(connection, [(int(i), int(j), str(rng.choice(["left", "tie", "right"]))) for i, j in pairs])
        board = standing_from(read_tally(connection), Settings(), shop(3)).board
    assert board is not None
    said = done("rank", tmp_path / "votes.db", "--out", tmp_path / "board.csv")
    assert board.method[0] in said
    ranked = pd.read_csv(tmp_path / "board.csv")
    assert ranked["item"].tolist() == board.item.tolist()
    for column in ("rank", "rank_low", "rank_high", "score", "low", "high", "games"):
        np.testing.assert_allclose(ranked[column], getattr(board, column), rtol=1e-6)


def test_too_many_items_for_anytime_ranks_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certain_order, "__kwdefaults__", {"anytime": False, "most": 3})
    standing = stand(*SEVERAL, of=shop(4))
    (note,) = standing.notes
    assert note.startswith("The pairs were chosen by earlier results, so these intervals are too short")


def test_scores_of_few_votes_are_grey() -> None:
    standing = stand((1, 2, 9, 3, 2), (2, 3, 4, 0, 2), (1, 3, 2, 0, 1), of=shop(3))
    assert standing.notes == (GREY,)
    assert standing.board is not None
    scores = re.findall(r'class="number score( few)?"[^>]*>', board_table(standing.board, enough=ENOUGH))
    assert [bool(grey) for grey in scores] == (standing.board.games < 10).tolist()
    assert scores.count(" few") == 1


def test_without_votes_any_pair_may_come() -> None:
    standing = stand(of=shop(3))
    assert standing.board is None
    assert standing.choice.targets == ()
    assert standing.notes == (NOTHING_YET,)


@pytest.mark.parametrize("n", [0, 1])
def test_one_item_is_not_enough(n: int) -> None:
    assert stand(of=shop(n)).notes == (
        "There are fewer than two items, so there is nothing to compare.",
        NOTHING_YET,
    )


def test_two_items_without_a_common_prompt_cannot_be_compared() -> None:
    (note, _) = stand(of=shop(2, answers={1: {1}, 2: {2}})).notes
    assert note == "No two items answer the same prompt, so there is nothing to compare."


def test_items_without_votes_are_at_the_end_and_asked_about_first() -> None:
    standing = stand((1, 2, 1, 0, 0), of=shop(4))
    board = standing.board
    assert board is not None
    assert board.item.tolist() == ["a", "b", "c", "d"]
    assert board.rank.tolist() == [NO_RANK] * 4
    assert np.isnan(board.score[2:]).all()
    assert board.games.tolist() == [1, 1, 0, 0]
    assert standing.notes == ("2 items have no votes yet.", "2 items have too few votes for a rank.", GREY)
    first, second, *_ = standing.choice.targets
    assert {first[0], second[0]} == {3, 4}
    assert {first[1], second[1]} <= {1, 2}


def test_ties_alone_put_no_item_ahead() -> None:
    standing = stand((1, 2, 0, 3, 0), of=shop(2))
    assert standing.board is not None
    assert standing.board.score.tolist() == [1500, 1500]
    assert np.isnan(standing.board.low).all()
    assert standing.notes == ("All votes are ties, so no item is ahead.", GREY)
    assert standing.choice.targets


def test_groups_are_said_and_asked_about() -> None:
    standing = stand((1, 2, 5, 2, 4), (3, 4, 5, 2, 4), of=shop(4))
    assert any("groups that were never compared" in note for note in standing.notes)
    assert {frozenset(pair) for pair in standing.choice.targets} & {
        frozenset((a, b)) for a in (1, 2) for b in (3, 4)
    }


def test_withdrawn_items_stay_on_the_board_and_are_not_asked_about() -> None:
    standing = stand(*SEVERAL, of=shop(4, withdrawn=[2]))
    assert standing.board is not None
    assert "b (withdrawn)" in standing.board.item.tolist()
    assert all(2 not in pair for pair in standing.choice.targets)


def test_a_name_may_look_like_a_withdrawn_one() -> None:
    names = {1: "a", 2: "b", 3: "a (withdrawn)", 4: "d"}
    standing = stand(*SEVERAL, of=Catalogue((2, 3, 4), names, {1: frozenset({2, 3, 4})}))
    assert standing.board is not None
    assert standing.board.item.tolist().count("a (withdrawn)") == 2


def test_targets_have_a_prompt_in_common() -> None:
    answers = {1: {1, 2}, 2: {3, 4}, 3: {2, 3}}
    standing = stand(*SEVERAL, of=shop(4, answers=answers))
    assert {tuple(sorted(pair)) for pair in standing.choice.targets} == {(1, 2), (2, 3), (3, 4)}


def test_a_goal_that_cannot_be_reached_becomes_the_ranking() -> None:
    standing = stand(*SEVERAL, of=shop(4), goal="top-9")
    assert standing.choice.targets
    (note,) = standing.notes
    assert note.startswith("Pairs are chosen for the whole ranking: goal is 'top-9', but only 1 to 3 of 4")
    assert stand(*SEVERAL, of=shop(4), goal="best").notes == ()


def test_many_items_are_asked_about_by_their_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CANDIDATES", 2)
    standing = stand(*SEVERAL, of=shop(4))
    assert standing.choice.targets in (((4, 1),), ((1, 4),), ((4, 2),), ((2, 4),))
    assert standing.notes == ("Pairs are chosen from the 2 items with the fewest votes.",)


RESULTS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)).filter(any)


@given(
    st.dictionaries(st.sampled_from(list(combinations(range(1, 7), 2))), RESULTS, max_size=8),
    st.sets(st.integers(1, 6)),
    st.lists(st.sets(st.integers(1, 6)), min_size=1, max_size=3),
    st.sampled_from(["ranking", "best", "top-3"]),
)
def test_whatever_the_votes_are_there_is_a_standing(
    results: dict[tuple[int, int], tuple[int, int, int]], gone: set[int], prompts: list[set[int]], goal: str
) -> None:
    answers = {k: group - gone for k, group in enumerate(prompts)}
    standing = stand(*((*pair, *row) for pair, row in results.items()), of=shop(6, gone, answers), goal=goal)
    assert (standing.board is None) == (not results)
    for pair in standing.choice.targets:
        assert any(set(pair) <= group for group in answers.values())
    if standing.board is not None:
        ranked = standing.board.games > 0
        assert np.isfinite(standing.board.score[ranked]).all()
        assert len(standing.board) == len(
            {*shop(6, gone).items} | {item for pair in results for item in pair}
        )


def test_from_the_database(tmp_path: Path) -> None:
    with with_tables(tmp_path / "votes.db").begin() as connection:
        add_items(connection, "abc")
        add_votes(connection, [(1, 2, "left"), (2, 1, "both bad"), (3, 2, "right")])
        standing = standing_from(read_tally(connection), Settings(), shop(3))
    assert standing.board is not None
    assert standing.board.item.tolist() == ["a", "b", "c"]
    assert (standing.votes, standing.judges) == (3, 3)
    assert standing.over_time is not None
