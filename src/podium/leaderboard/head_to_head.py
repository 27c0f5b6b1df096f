"""What a fitted model expects when items meet."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons


def expected_scores(model: Any, items: NDArray[Any], at: Any = None) -> Floats:
    """The expected score of each item against each other, as an array (n, n): P(win) + ½ P(tie).

    The diagonal, and entries between items that the model cannot compare, are nan. An advantage of the left
    side cancels out: each item is on the left half of the time. ``at`` is the time of the meetings.
    """
    n = len(items)
    i, j = np.triu_indices(n, 1)
    score = np.full((n, n), np.nan)
    if len(i):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about items that were never compared: they are nan
            if hasattr(model, "classes_"):
                time = None if at is None else np.full(2 * len(i), at)
                both_ways = Comparisons.from_codes(items, np.append(i, j), np.append(j, i), time=time)
                there, back = np.split(model.predict_proba(both_ways) @ [1, 0.5, 0], 2)
                score[i, j] = (there + 1 - back) / 2
            else:  # a model of rankings predicts who comes first
                pairs = zip(items[i].tolist(), items[j].tolist(), strict=True)
                score[i, j] = np.stack(model.predict_proba([list(pair) for pair in pairs]))[:, 0]
        score[j, i] = 1 - score[i, j]
    return score
