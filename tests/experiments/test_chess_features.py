import numpy as np
import pytest

from experiments.chess_features import FEATURES, features_before
from podium import Comparisons, datasets


def column(X: np.ndarray, name: str) -> list[float]:
    return list(X[:, FEATURES.index(name)])


@pytest.fixture
def games() -> Comparisons:
    """Ann beats Bob twice, then draws with Cat, then loses to Bob."""
    left, right = ["ann", "bob", "ann", "ann"], ["bob", "ann", "cat", "bob"]
    return Comparisons.from_arrays(left, right, [-1, 1, 0, 1])


def test_features_of_a_small_tournament(games: Comparisons) -> None:
    left, right = features_before(games)
    assert left.shape == right.shape == (4, 16) == (len(games), len(FEATURES))
    assert column(left, "games") == [0, 1, 2, 3]
    assert column(right, "games") == [0, 1, 0, 2]
    assert column(left, "wins") == [0, 0, 2, 2]
    assert column(left, "draws, share") == [0, 0, 0, pytest.approx(1 / 3)]
    assert column(left, "first move") == [1] * 4
    assert column(right, "first move") == [0] * 4
    assert column(left, "score of the last game") == [0, 0, 1, 0.5]
    assert column(left, "elo")[:2] == [1200, 1180]
    assert column(right, "losses, share") == [0, 0, 0, 1]
    # Ann was better rated than Bob in their second game, and both were equal in the first.
    assert column(right, "lost to lower rated, share of games") == [0, 0, 0, 0]
    assert column(right, "rating of opponents above one's own, mean") == [0, 0, 0, pytest.approx(20)]


def test_an_upset_counts_for_both(games: Comparisons) -> None:
    more = Comparisons.from_arrays(
        [*games.items[games.left], "ann"], [*games.items[games.right], "bob"], [-1, 1, 0, 1, 0]
    )
    left, right = features_before(more)
    assert column(left, "lost to lower rated, share of games")[-1] == pytest.approx(1 / 4)
    assert column(right, "won against higher rated, share of games")[-1] == pytest.approx(1 / 3)


@pytest.mark.parametrize("cut", [1, 37, 150])
def test_the_future_changes_nothing(cut: int) -> None:
    games, _ = datasets.make_games(12, 200, random_state=0)
    for whole, start in zip(features_before(games), features_before(games[:cut]), strict=True):
        np.testing.assert_array_equal(whole[:cut], start)


def test_the_result_of_a_game_is_not_among_its_features() -> None:
    games, _ = datasets.make_games(12, 200, random_state=1)
    turned = np.array(games.outcome)
    turned[100] = -turned[100] if turned[100] else 1
    other = Comparisons.from_arrays(games.items[games.left], games.items[games.right], turned)
    for one, two in zip(features_before(games), features_before(other), strict=True):
        np.testing.assert_array_equal(one[:101], two[:101])
        assert (one[101:] != two[101:]).any()
