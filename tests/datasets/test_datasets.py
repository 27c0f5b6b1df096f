from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from podium import BradleyTerry, datasets
from tools import shipped_data


def test_shipped_sets_are_what_the_generator_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = datasets.shipped_file("chess_club.csv").parent
    monkeypatch.setattr(shipped_data, "FOLDER", tmp_path)
    shipped_data.main()
    made = {path.name for path in tmp_path.glob("*.csv")}
    shipped = {path.name for path in folder.glob("*.csv")}
    assert made == shipped
    for name in made:
        assert (tmp_path / name).read_text() == (folder / name).read_text()


def test_arena_votes_favour_long_answers() -> None:
    """What the generator documents is found in the votes: the worth of style, and who is only long."""
    votes = datasets.load_arena_votes()
    plain = BradleyTerry().fit(votes.with_covariates(None)).leaderboard()
    model = BradleyTerry(covariance="cluster").fit(votes)
    at_equal_style = model.leaderboard()
    np.testing.assert_allclose(model.covariate_effect_, [0.0035, 0.05], atol=0.012)
    assert abs(model.covariate_effect_[0] - 0.0035) < 2 * model.covariate_error_[0]
    for only_long in ("magpie-chat", "parrot-pro"):
        before, after = (board.score[board.item == only_long][0] for board in (plain, at_equal_style))
        assert before > after + 150
    flagged = model.judges().query("flagged")
    assert flagged["judge"].tolist() == ["judge-013"]


def test_unknown_shipped_file() -> None:
    with pytest.raises(ValueError, match=r"it has arena_votes\.csv, ballots\.csv"):
        datasets.shipped_file("../shipped.py")


def test_games_follow_davidson() -> None:
    log_skill = np.array([0.7, 0.0, -0.7])
    games, truth = datasets.make_games(
        n_games=200_000, log_skill=log_skill, tie_rate=0.8, order_effect=0.3, random_state=0
    )
    np.testing.assert_array_equal(truth, log_skill)
    met = games[(games.left == 0) & (games.right == 2)]
    left, right = np.exp(0.7 + 0.3), np.exp(-0.7)
    expected = np.array([left, 0.8 * np.sqrt(left * right), right])
    share = np.bincount(np.asarray(met.outcome) + 1, minlength=3) / len(met)
    np.testing.assert_allclose(share, expected / expected.sum(), atol=0.01)


def test_teams_are_drawn_evenly() -> None:
    games, _ = datasets.make_games(6, 30_000, team_size=2, tie_rate=0.0, random_state=1)
    assert games.teams is not None
    assert set(games.teams.sizes) == {2}
    assert len(games.teams) == 15
    share = np.bincount(games.left, minlength=15) / len(games)
    np.testing.assert_allclose(share, 1 / 15, atol=0.01)
    with pytest.raises(ValueError, match="too few"):
        datasets.make_games(3, 10, team_size=2)


@pytest.mark.parametrize("norm", [1, 2, "inf"])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_norm_comparisons_follow_their_norm(norm: Literal[1, 2, "inf"], share: float) -> None:
    c = datasets.make_norm_comparisons(200, norm=norm, tie_share=share, noise=0.0, random_state=0)
    assert (np.asarray(c.outcome) == 0).sum() == round(200 * share)
    size = np.linalg.norm(c.features, ord=float(norm), axis=1) ** 2
    difference = size[c.right] - size[c.left]
    expected = np.where(np.abs(difference) <= 1, 0, np.sign(difference))
    np.testing.assert_array_equal(c.outcome, expected)


def test_norms_with_chance_and_bad_arguments() -> None:
    c = datasets.make_norm_comparisons(500, tie_share=None, random_state=np.random.RandomState(0))
    assert 0.1 < np.mean(np.asarray(c.outcome) == 0) < 0.3
    with pytest.raises(ValueError, match="norm must be"):
        datasets.make_norm_comparisons(norm=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tie_share"):
        datasets.make_norm_comparisons(tie_share=2.0)


def test_fetch_names_the_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODIUM_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"lichess_20k\.csv\.gz.*PODIUM_DATA"):
        datasets.fetch_chess()
    monkeypatch.delenv("PODIUM_DATA")
    assert datasets.get_data_home().name == "podium_data"
    with pytest.raises(ValueError, match="which must be one of fide, kaggle, lichess, twic"):
        datasets.fetch_chess("go")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="baseball, cems, epl"):
        datasets.fetch_classic("cricket")  # type: ignore[arg-type]


REAL: list[tuple[Any, dict[str, str], int, int, float]] = [
    # fetcher, which, rows, items and share of ties, from the notes in the data folder
    (datasets.fetch_chess, {"which": "lichess"}, 19_113 - 2, 0, 0.046),
    (datasets.fetch_chess, {"which": "kaggle"}, 65_053, 7_301, 0.441),
    (datasets.fetch_chess, {"which": "fide"}, 418_349, 0, -1),
    (datasets.fetch_chess, {"which": "twic"}, 868_741, 73_358, 0.325),
    (datasets.fetch_football, {}, 49_520, 337, 0.227),
    (datasets.fetch_tennis_doubles, {}, 26_392, 1_810, 0.0),
    (datasets.fetch_llm_votes, {"which": "llmfao"}, 8_931, 59, 0.389),
    (datasets.fetch_llm_votes, {"which": "vicuna"}, 6_720, 8, 0.114),
    (datasets.fetch_llm_votes, {"which": "qlora"}, 43_011, 8, 0.145),
    (datasets.fetch_nba, {}, 26_523, 30, 0.0),
    (datasets.fetch_nfl, {}, 16_810, 0, 316 / 16_810),
    (datasets.fetch_classic, {"which": "epl"}, 1_900, 0, -1),
    (datasets.fetch_classic, {"which": "icehockey"}, 1_083, 0, 0.115),
    (datasets.fetch_classic, {"which": "baseball"}, 0, 7, 0.0),
    (datasets.fetch_classic, {"which": "cems"}, 4_545 - 91, 6, 0.109),
    (datasets.fetch_classic, {"which": "pudding"}, 0, 6, -1),
    (datasets.fetch_classic, {"which": "springall"}, 0, 9, -1),
]


@pytest.mark.filterwarnings(
    "ignore:.*look alike and never met"
)  # names of chess players, spelled in two ways
@pytest.mark.parametrize(("fetch", "which", "n", "n_items", "ties"), REAL)
def test_real_data(
    real_data: Path, fetch: Any, which: dict[str, str], n: int, n_items: int, ties: float
) -> None:
    c = fetch(**which, data_home=real_data)
    assert not n or len(c) == n
    assert not n_items or c.n_items == n_items
    if ties >= 0:
        assert np.average(c.outcome == 0, weights=c.weight) == pytest.approx(ties, abs=0.002)


@pytest.mark.parametrize(
    ("fetch", "which", "n", "n_items", "size"),
    [
        (datasets.fetch_nascar, {}, 36, 87, 43),
        (datasets.fetch_beans, {}, 4 * 842, 11, 3),
        (datasets.fetch_sushi_orders, {"which": "a"}, 5_000, 10, 10),
        (datasets.fetch_sushi_orders, {"which": "b"}, 5_000, 100, 10),
    ],
)
def test_real_rankings(
    real_data: Path, fetch: Any, which: dict[str, str], n: int, n_items: int, size: int
) -> None:
    r = fetch(**which, data_home=real_data)
    assert (len(r), r.n_items, r.sizes.max()) == (n, n_items, size)
    assert not r.is_tied.any()


def test_unknown_sushi() -> None:
    with pytest.raises(ValueError, match="which must be 'a' or 'b', not 'c'"):
        datasets.fetch_sushi_orders("c")  # type: ignore[arg-type]


def test_regatta() -> None:
    r = datasets.load_regatta()
    assert (len(r), r.n_items) == (30, 12)
    assert set(r.sizes) <= set(range(7, 13))
    assert r.rest is not None
    assert r.is_tied.any()


def test_sets_of_the_tutorials() -> None:
    tasting = datasets.load_tasting()
    assert tasting.feature_names == ("sugar", "gel")
    assert tasting.group is not None
    assert np.bincount(tasting.group).tolist() == [20] * 30
    ballots = datasets.load_ballots()
    assert set(ballots.sizes) == {8}
    assert ballots.rest is not None
    search = datasets.load_search()
    assert search.query is not None
    assert np.bincount(search.query).tolist() == [15] * 80
    assert repr(search[:0]) == "<LabelledRows: 0 rows, 6 features, 0 labels, 0 queries>"
    assert repr(search[:1]) == "<LabelledRows: 1 row, 6 features, 1 label, 1 query>"
