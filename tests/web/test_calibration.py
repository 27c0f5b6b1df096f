import numpy as np
import pytest

from podium.leaderboard.calibration import OUTCOMES, SCORE, Calibration
from podium.web.calibration import calibration_picture, calibration_section, calibration_table
from tests.web.parsed import Parsed


def predictions(n: int = 4000, ties: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes that happen exactly as often as predicted."""
    rng = np.random.default_rng(0)
    left = (1 - ties) * rng.uniform(size=n)
    probability = np.column_stack([left, np.full(n, ties), 1 - ties - left])
    outcome = (rng.uniform(size=n)[:, None] > probability.cumsum(axis=1)).sum(axis=1).clip(max=2) - 1
    return outcome, probability


def drawn(outcome: np.ndarray, probability: np.ndarray) -> Calibration:
    return Calibration.of(outcome, probability, np.ones(len(outcome)))


@pytest.mark.parametrize("ties", [0, 0.3])
def test_true_probabilities_lie_on_the_diagonal(ties: float) -> None:
    outcome, probability = predictions(ties=ties)
    found = drawn(outcome, probability)
    assert [curve.title for curve in found.curves] == (list(OUTCOMES.values()) if ties else ["left better"])
    for *_, bins, _ in found.curves:
        assert np.abs(bins.predicted - bins.observed).max() < 0.06
        assert bins.weight.sum() == pytest.approx(len(outcome))


def test_an_expected_score_counts_a_tie_as_half() -> None:
    outcome, probability = predictions()
    score = probability[:, 0] + probability[:, 1] / 2
    expected = np.column_stack([score, np.zeros(len(score)), 1 - score])
    [(sign, title, _, bins, predicted_weight)] = drawn(outcome, expected).curves
    assert (sign, title) == (-1, SCORE)
    assert predicted_weight.sum() == pytest.approx(len(outcome))
    assert np.abs(bins.predicted - bins.observed).max() < 0.06
    mean = np.average(bins.observed, weights=bins.weight)
    assert mean == pytest.approx(np.mean((1 - outcome) / 2))


def test_the_picture_and_the_table_have_every_bin() -> None:
    outcome, probability = predictions(200)
    found = drawn(outcome, probability)
    n_bins = sum(len(bins.predicted) for *_, bins, _ in found.curves)
    assert Parsed(calibration_picture(found)).tags["circle"] == n_bins + len(found.curves)
    assert Parsed(calibration_table(found)).tags["tr"] == n_bins + 1


def test_the_picture_puts_a_chance_where_it_belongs() -> None:
    p = np.full((40, 3), [0.25, 0, 0.75])
    picture = calibration_picture(drawn(np.repeat([-1, 1], 20), p))
    assert '<circle cx="119.0" cy="160.0" r="4"/>' in picture  # a quarter to the right, half way up


@pytest.mark.parametrize(("side", "sign"), [("left", -1), ("right", 1)])
def test_no_picture_of_a_file_that_tells_the_winner_by_the_side(side: str, sign: int) -> None:
    outcome, probability = predictions()
    section = calibration_section(drawn(sign * np.abs(outcome), probability))
    said = f"The winner is always on the {side}, so how often predictions came true cannot be shown."
    assert section == f"<p>{said}</p>"
