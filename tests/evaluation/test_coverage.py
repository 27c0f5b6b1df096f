"""How often 95 % intervals by blocks of time hold the truth, by simulation.

The odds change from month to month, and a model predicts their mean. The tests run few replications with
fixed seeds. For more of them::

    python -m tests.evaluation.test_coverage 2000
"""

import sys
from dataclasses import replace

import numpy as np

import podium as pod
from podium.evaluation.intervals import side_by_side
from podium.evaluation.scoring import Predicted, judge_forecasts

ROWS, MONTHS = 1200, 60
CHANCE, OTHER = 0.6, 0.66  # the mean probability of the right side, and what another model says
GAMES = pod.Comparisons.from_arrays(["a"] * ROWS, ["b"] * ROWS, [1] * ROWS)


def entropy(said: float) -> float:
    return float(-CHANCE * np.log(said) - (1 - CHANCE) * np.log(1 - said))


def predicted(said: float) -> Predicted:
    p = np.tile([1 - said, 0.0, said], (ROWS, 1))
    return Predicted(np.ones(ROWS, dtype=bool), np.ones(ROWS, dtype=np.int8), p[:, 2], p)


def coverage(blocks: int, repeats: int, seed: int = 0) -> tuple[float, float]:
    """How often the intervals of the log loss, and of the difference of two log losses, hold the truth."""
    rng = np.random.default_rng(seed)
    month, block = np.arange(ROWS) * MONTHS // ROWS, np.arange(ROWS) * blocks // ROWS
    held = np.zeros((repeats, 2))
    for k in range(repeats):
        chance = np.clip(CHANCE + 0.1 * rng.normal(size=MONTHS), 0, 1)[month]
        outcome = np.where(rng.random(ROWS) < chance, 1, -1).astype(np.int8)
        c = replace(GAMES, outcome=outcome)
        models = {f"{said}": [judge_forecasts(c, predicted(said), block)] for said in (CHANCE, OTHER)}
        found = side_by_side(models, n_bootstrap=200, random_state=rng)
        score = found[f"{CHANCE}"].scores["log loss"]
        behind, ahead = (found[f"{said}"].behind["log loss"] for said in (OTHER, CHANCE))
        low, high = (behind.low, behind.high) if behind.value > 0 else (-ahead.high, -ahead.low)
        held[k, 0] = score.low <= entropy(CHANCE) <= score.high
        held[k, 1] = low <= entropy(OTHER) - entropy(CHANCE) <= high
    return float(held[:, 0].mean()), float(held[:, 1].mean())


def test_blocks_of_time() -> None:
    """Blocks of one row ignore what the games of a month have in common."""
    score, difference = coverage(10, 60)
    assert score >= 0.88
    assert difference >= 0.88
    assert coverage(ROWS, 30)[0] < score


if __name__ == "__main__":
    for count in (5, 10, 20, 60, ROWS):
        held = coverage(count, int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
        print(f"{count} blocks: log loss {held[0]:.3f}, difference {held[1]:.3f}")
