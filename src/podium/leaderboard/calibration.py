"""Calibration curves as any view draws them: their points, intervals, and the roles of their colours."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.outcomes import only_winner
from podium.metrics.calibration import Bins, calibration_bins

OUTCOMES = {-1: "left better", 0: "no difference", 1: "right better"}
SCORE = "left better, a tie counting as half"
SHARES = np.linspace(0, 1, 26)  # the ends of the bars that count how often a probability was predicted


class CalibrationCurve(NamedTuple):
    """How often an outcome came true, by its predicted probability.

    ``predicted_weight`` is the weight of the predictions between each two of the `SHARES`.
    """

    sign: int
    title: str
    role: Literal["left", "tie", "right"]
    bins: Bins
    predicted_weight: Floats


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted probabilities against observed frequencies.

    Attributes
    ----------
    curves : tuple of CalibrationCurve
        One per outcome that occurs or is predicted. A model without ties has one: that of the right side
        would be its mirror image.
    how : str
        What was predicted by what, as a sentence.
    winner : str
        The side that won all comparisons, if there is one. Then this says nothing about other data.
    """

    curves: tuple[CalibrationCurve, ...]
    how: str = ""
    winner: str = ""

    @classmethod
    def of(
        cls, outcome: NDArray[Any], probability: Floats, weight: Floats, how: str = "", n_bins: int = 10
    ) -> Self:
        """Outcomes -1, 0 or 1, their probabilities with one row per outcome, and the weights of the rows."""
        if probability[:, 1].any():
            curves = [
                _calibration_curve(sign, title, outcome == sign, probability[:, sign + 1], weight, n_bins)
                for sign, title in OUTCOMES.items()
                if (outcome == sign).any() or probability[:, sign + 1].any()
            ]
        else:  # a tie is half a win of each side
            title = SCORE if (outcome == 0).any() else OUTCOMES[-1]
            parts = np.concatenate([weight * (1 - outcome) / 2, weight * (1 + outcome) / 2])
            some = parts > 0
            won, left = np.repeat([True, False], len(outcome)), np.tile(probability[:, 0], 2)
            curves = [_calibration_curve(-1, title, won[some], left[some], parts[some], n_bins)]
        return cls(tuple(curves), how, only_winner(outcome))


def _calibration_curve(
    sign: int, title: str, happened: NDArray[np.bool_], probability: Floats, weight: Floats, n_bins: int
) -> CalibrationCurve:
    roles: tuple[Literal["left", "tie", "right"], ...] = ("left", "tie", "right")
    bins = calibration_bins(happened, probability, n_bins, weight)
    predicted = np.histogram(probability, SHARES, weights=weight)[0]
    return CalibrationCurve(sign, title, roles[sign + 1], bins, predicted)
