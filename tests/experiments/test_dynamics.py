"""The parts of the experiment on skill that moves: cuts in time, losses, search, paired differences."""

import numpy as np
import pandas as pd
import pytest

from experiments.dynamics import OURS, difference, report
from experiments.dynamics_games import Games, blocks, outcome_losses, score_losses, search, without_ties
from podium import Comparisons


def games(n: int = 20) -> Games:
    time = np.arange(n) // 3  # three games share a time
    c = Comparisons.from_arrays(["a"] * n, ["b"] * n, [-1] * n, time=time)
    return Games(c, time / 12, np.arange(0, n, 3), 12, 15, has_advantage=True)


@pytest.mark.parametrize("most", [1, 2, 3, 50])
def test_blocks_are_cut_at_changes_of_time_and_hold_every_row_once(most: int) -> None:
    found = blocks(games(), 6, 20, most)
    rows = [row for block in found for row in range(block.start, block.stop)]
    assert rows == list(range(6, 20))
    assert len(found) <= most
    assert all(block.start % 3 == 0 for block in found)


def test_without_ties_both_losses_agree_and_a_tie_is_half_of_each() -> None:
    p, score = without_ties(np.array([0.7, 0.2])), np.array([1.0, 0.0])
    np.testing.assert_allclose(score_losses(p, score), -np.log([0.7, 0.8]))
    np.testing.assert_allclose(outcome_losses(p, score), -np.log([0.7, 0.8]))
    tied = np.array([[0.5, 0.3, 0.2]])
    np.testing.assert_allclose(outcome_losses(tied, np.array([0.5])), -np.log(0.3))
    np.testing.assert_allclose(score_losses(tied, np.array([0.5])), -np.log(0.65 * 0.35) / 2)


def test_the_search_reaches_the_least_loss_of_a_bowl() -> None:
    grid = {"x": range(-9, 10), "y": range(-9, 10)}
    best = search(grid, lambda at: (at["x"] - 7) ** 2 + (at["y"] + 8) ** 2 + at["x"] * at["y"] / 10)
    assert best == {"x": 7, "y": -8}


def row(system: str, *parts: float) -> dict[str, object]:
    loss = np.nansum(parts) if np.isfinite(parts).any() else np.nan
    found: dict[str, object] = {"data": "NBA", "system": system, "games": 9.0, "seconds": 1.0}
    found |= {"score_loss": loss, "log_loss": loss}
    return found | {f"block_{i}": part for i, part in enumerate(parts)}


def test_a_steady_difference_is_significant_and_a_mixed_one_is_not() -> None:
    frame = pd.DataFrame(
        [
            row(OURS, 0.2, 0.2, 0.2, np.nan),
            row("steady", 0.19, 0.185, 0.19, np.nan),
            row("mixed", 0.1, 0.3, 0.1, np.nan),
            row("stopped", np.nan, np.nan, np.nan, np.nan),
        ]
    )
    more, half = difference(frame.iloc[1], frame.iloc[0])
    assert more == pytest.approx(-0.035)
    assert more + half < 0
    found = report(frame)
    assert "significantly worse than steady on NBA." in found.sentence
    assert "0 of 1 data sets" in found.sentence
    assert found.table is not None
    assert found.table["more"].tolist()[-1] == ""
