"""Boards by category: drawn towards the overall board, or those of fits to each category alone."""

import copy
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium import Boards, BradleyTerry, Comparisons, datasets, load, save
from podium.skill.fit import ExistenceWarning

GAMES = datasets.load_chess_club()
HALF = np.where(np.arange(len(GAMES)) % 2, "odd", "even")
MODEL = BradleyTerry(order_effect=True).fit(GAMES)


@pytest.mark.parametrize(
    "options", [{}, {"scale": "log", "level": 0.9}, {"bootstrap": 20, "random_state": 1}]
)
def test_without_pooling_each_board_is_that_of_its_own_fit(options: dict[str, object]) -> None:
    boards = MODEL.leaderboard(by=HALF, pooled=False, **options)  # type: ignore[call-overload]
    assert list(boards) == ["even", "odd"]
    assert boards.overall == MODEL.leaderboard(**options)  # type: ignore[call-overload]
    for name in boards:
        alone = BradleyTerry(order_effect=True).fit(GAMES[name == HALF])
        assert boards[name] == alone.leaderboard(**options)  # type: ignore[call-overload]


def test_by_the_groups_or_categories_of_the_comparisons() -> None:
    frame = GAMES.to_frame()
    c = Comparisons.from_arrays(frame["left"], frame["right"], frame["outcome"], group=HALF, category=HALF)
    model = BradleyTerry(order_effect=True).fit(c)
    for by in ("group", "category"):
        assert model.leaderboard(by=by)["odd"] == MODEL.leaderboard(by=HALF)["odd"]


def test_ranks_and_scores_side_by_side() -> None:
    boards = MODEL.leaderboard(by=HALF)
    assert boards.ranks.columns.tolist() == ["overall", "even", "odd"]
    assert boards.ranks.index.tolist() == boards.overall.item.tolist()
    odd = boards["odd"]
    assert boards.ranks["odd"][odd.item].tolist() == odd.rank.tolist()
    np.testing.assert_allclose(boards.scores["odd"][odd.item], odd.score)
    frame = boards.to_frame()
    assert frame["category"].isna().sum() == len(boards.overall)
    assert (frame["category"] == "even").sum() == len(boards["even"])


def test_a_category_that_is_not_connected_or_cannot_be_fitted() -> None:
    """The note is one sentence for all such categories; scores of groups are not compared in the table."""
    frame = GAMES.to_frame()
    rows = pd.DataFrame(
        {"left": ["Ada", "Boris", "Ada"], "right": ["Boris", "Ada", "Elif"], "outcome": [-1, -1, 0]}
    )
    apart = pd.DataFrame({"left": ["Nils", "Jun"], "right": ["Jun", "Nils"], "outcome": [-1, -1]})
    frame = pd.concat([frame, rows, apart])
    by = ["all"] * len(GAMES) + ["few"] * 5
    c = Comparisons.from_arrays(frame["left"], frame["right"], frame["outcome"])
    with pytest.warns(ExistenceWarning, match=re.escape("in 1 of 2 categories ('few')")) as caught:
        boards = BradleyTerry().fit(c).leaderboard(by=by, pooled=False)
    assert len(caught) == 1
    assert boards.ranks["few"].notna().sum() == 3
    with pytest.warns(ExistenceWarning, match="category 'few' has no board: the item 'Lena' was not seen"):
        boards = BradleyTerry().fit(c).leaderboard(by=by, anchor="Lena")
    assert list(boards) == ["all"]


def test_boards_can_be_saved_copied_and_pickled(tmp_path: Path) -> None:
    boards = MODEL.leaderboard(by=HALF)
    for suffix, read in (("csv", pd.read_csv), ("json", pd.read_json), ("parquet", pd.read_parquet)):
        boards.save(tmp_path / f"boards.{suffix}")
        found = read(tmp_path / f"boards.{suffix}")
        assert len(found) == len(boards.to_frame())
        np.testing.assert_allclose(found["score"], boards.to_frame()["score"])
    boards.save(tmp_path / "boards.md")
    assert "## even" in (tmp_path / "boards.md").read_text()
    for twin in (pickle.loads(pickle.dumps(boards)), copy.deepcopy(boards)):
        assert isinstance(twin, Boards)
        assert twin["odd"] == boards["odd"]
    assert repr(boards).startswith("Boards: 14 items, overall and by 2 categories")


def test_a_saved_model_has_no_comparisons_left(tmp_path: Path) -> None:
    save(MODEL, tmp_path / "model.skops")
    small = (tmp_path / "model.skops").stat().st_size
    with pytest.raises(ValueError, match="which a saved model does not keep; fit the model again"):
        load(tmp_path / "model.skops").leaderboard(by=HALF)
    again = pickle.loads(pickle.dumps(MODEL))
    assert again.leaderboard(by=HALF)["odd"] == MODEL.leaderboard(by=HALF)["odd"]
    assert small < 100_000


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (["x"], "by has 1 entries for 910 comparisons; give one per comparison"),
        ("category", "by='category' is not a column of these comparisons"),
        ("items", "by='items' is not a column"),
        ([None] * 910, "has no label at row 1"),
    ],
)
def test_wrong_categories(by: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        MODEL.leaderboard(by=by)


def test_boards_need_replicates_of_their_own() -> None:
    with pytest.raises(ValueError, match="must be a number of resamples"):
        MODEL.leaderboard(by=HALF, bootstrap=MODEL.bootstrap(10, random_state=0))


def test_a_category_may_be_called_overall() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boards = MODEL.leaderboard(by=["overall"] * len(GAMES))
    np.testing.assert_allclose(boards["overall"].score, boards.overall.score, atol=0.05)
    assert boards.ranks.columns.tolist() == ["overall", "overall"]


# ------------------------------------------------------------------------------------ pooled boards


def test_the_unpooled_score_stands_beside_the_pooled_one(tmp_path: Path) -> None:
    boards = MODEL.leaderboard(by="group")
    board, alone = boards["2021"], MODEL.leaderboard(by="group", pooled=False)["2021"]
    order = np.argsort(board.item), np.argsort(alone.item)
    assert board.unpooled is not None
    np.testing.assert_allclose(board.unpooled[order[0]], alone.score[order[1]])
    assert ((board.high - board.low)[order[0]] < (alone.high - alone.low)[order[1]]).all()
    assert "differ from it by about 127 points" in repr(board)
    assert "unpooled" in repr(board)
    assert "unpooled" in board._repr_html_()
    assert board.to_frame()["unpooled"].equals(pd.Series(board.unpooled))
    assert "unpooled" not in alone.to_frame()
    assert boards.to_frame()["unpooled"].isna().sum() == len(boards.overall)
    board.save(tmp_path / "board.md")
    assert "| unpooled |" in (tmp_path / "board.md").read_text()
    assert board[:3].unpooled is not None


@pytest.mark.parametrize(
    ("scale", "size"),
    [("log", "about 0.73"), ("skill", "about a factor of 2.07"), ("elo", "about 127 points")],
)
def test_the_note_speaks_the_scale_of_the_board(scale: str, size: str) -> None:
    boards = MODEL.leaderboard(scale=scale, by="group")  # type: ignore[call-overload]
    assert boards["2021"].notes[0].endswith(size)


def test_a_category_that_is_not_connected_is_connected_by_the_overall_board() -> None:
    by = np.full(len(GAMES), "rest", dtype=object)
    first, other = (np.flatnonzero((GAMES.left == a) & (GAMES.right == b))[:2] for a, b in ((0, 1), (2, 3)))
    by[np.concatenate([first, other])] = "few"
    boards = BradleyTerry().fit(GAMES).leaderboard(by=by)
    assert len(boards["few"]) == 4
    assert (boards["few"].component == 0).all()


@pytest.mark.parametrize("differ", [0.0, pytest.param(0.3, marks=pytest.mark.slow), 1.5])
def test_pooling_helps_if_categories_are_alike_and_does_no_harm_otherwise(differ: float) -> None:
    rng, k, n = np.random.default_rng(7), 12, 120
    pooled, alone = [], []
    for _ in range(8):
        overall = rng.normal(size=k)
        skills = overall + differ * rng.normal(size=(6, k))
        skills -= skills.mean(axis=1, keepdims=True)
        category = np.repeat(np.arange(6), n)
        left = rng.integers(k, size=6 * n)
        right = (left + rng.integers(1, k, size=6 * n)) % k
        d = skills[category, right] - skills[category, left]
        c = Comparisons.from_arrays(left, right, np.where(rng.random(6 * n) < 1 / (1 + np.exp(-d)), 1, -1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExistenceWarning)
            boards = BradleyTerry().fit(c).leaderboard(scale="log", by=category)
        for name, board in boards.items():
            truth = skills[name][board.item]
            pooled.append(np.mean((board.score - truth) ** 2))
            alone.append(np.mean((board.unpooled - truth) ** 2))
    ratio = np.mean(pooled) / np.mean(alone)
    assert ratio < {0.0: 0.35, 0.3: 0.6, 1.5: 1.0}[differ]


def test_numbers_are_in_the_order_of_numbers() -> None:
    c = Comparisons.from_arrays(["a", "b"] * 6, ["b", "a"] * 6, [-1, 0, 1] * 4)
    rounds = [str(number) for number in (10, 9, 1)] * 4
    assert list(BradleyTerry().fit(c).leaderboard(by=rounds)) == ["1", "9", "10"]
    assert list(BradleyTerry().fit(c).leaderboard(by=[*rounds[:-1], "x"])) == ["1", "10", "9", "x"]
