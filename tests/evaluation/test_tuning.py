"""Parameters of rating systems minimise the loss one step ahead."""

from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.evaluation import tune_forward
from podium.evaluation.tuning import RANGES

CHESS = pod.datasets.load_chess_club()
DECISIVE = CHESS[np.asarray(CHESS.outcome) != 0]


def loss(model: Any, c: pod.Comparisons) -> float:
    """The mean log loss after the first fifth."""
    first = len(c) // 5
    p = model.fit(c[:first]).before(c[first:])
    return float(-np.log(p[np.arange(len(p)), np.asarray(c.outcome)[first:] + 1]).mean())


def test_one_parameter_is_that_of_a_fine_grid() -> None:
    tuned = tune_forward(pod.Elo(), DECISIVE, ["k"])
    grid = np.geomspace(1, 300, 100)
    losses = [loss(pod.Elo(k), DECISIVE) for k in grid]
    assert tuned.loss <= min(losses) + 1e-6
    assert tuned.chosen["k"] == pytest.approx(grid[np.argmin(losses)], rel=0.06)
    assert tuned.loss == pytest.approx(loss(pod.Elo(tuned.chosen["k"]), DECISIVE))


def test_all_parameters_are_at_a_minimum() -> None:
    model = pod.Elo()
    tuned = tune_forward(model, CHESS)
    assert model.k == 20
    assert list(tuned.chosen) == ["k", "advantage", "tie"]
    assert tuned.score == "log loss"
    for name, value in tuned.chosen.items():
        for factor in (0.95, 1.05):
            moved = pod.Elo().set_params(**tuned.chosen | {name: factor * value})
            assert loss(moved, CHESS) > tuned.loss


def test_what_is_set_is_not_tuned() -> None:
    assert list(tune_forward(pod.Elo(k=30, tie=0.8), CHESS).chosen) == ["advantage"]
    assert list(tune_forward(pod.Elo(k="fide"), DECISIVE).chosen) == ["advantage"]
    assert list(tune_forward(pod.Elo(k="fide"), DECISIVE, ["k"]).chosen) == ["k"]
    with pytest.raises(ValueError, match="all parameters of Elo that could be tuned are set"):
        tune_forward(pod.Elo(k=30, advantage=10), DECISIVE)


def test_without_probabilities_of_ties_the_score_loss_counts() -> None:
    assert tune_forward(pod.Elo(), CHESS, ["k"]).score == "score loss"


def test_regression_is_tuned_if_there_are_seasons() -> None:
    c = pod.read_comparisons(pod.datasets.shipped_file("chess_club.csv"), time="season")
    assert "regression" in tune_forward(pod.Elo(k=30, season=0), c).chosen


def test_progress_ends_within_what_was_promised() -> None:
    seen: list[tuple[int, int]] = []
    tuned = tune_forward(pod.Elo(), DECISIVE, ["k"], progress=lambda done, of: seen.append((done, of)))
    assert len(seen) == tuned.tried
    assert all(done <= of for done, of in seen)


@pytest.mark.parametrize("name", RANGES)
def test_ranges_go_there_and_back(name: str) -> None:
    for share in (0.0, 0.37, 1.0):
        assert RANGES[name].share(RANGES[name].at(share)) == pytest.approx(share, abs=1e-3)


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ValueError, match="'start' is not among the parameters that can be tuned, k"):
        tune_forward(pod.Elo(), CHESS, ["start"])
    with pytest.raises(ValueError, match="BradleyTerry does not follow time"):
        tune_forward(pod.BradleyTerry(), CHESS)
    with pytest.raises(ValueError, match="burn_in is 0"):
        tune_forward(pod.Elo(), CHESS, burn_in=0)
    with pytest.raises(ValueError, match="no row is later than the first ones"):
        tune_forward(pod.Elo(), pod.Comparisons.from_arrays(["a", "a"], ["b", "b"], [1, -1], time=[1, 1]))
