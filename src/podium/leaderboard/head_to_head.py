"""When items of a board meet: what a fitted model expects, and how it ended."""

import warnings
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.rankings import Rankings
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


def meetings(data: Comparisons | Rankings, items: NDArray[Any]) -> Floats | None:
    """Weighted wins, ties and losses of every item against every other, as an array (3, n, n).

    Rankings are counted by the pairs within them. None for comparisons of teams, in which no two items meet,
    and for comparisons without outcomes.
    """
    return _within_rankings(data, items) if isinstance(data, Rankings) else _compared(data, items)


def observed_scores(met: Floats) -> Floats:
    """The share of the meetings that each item won against each other, ties as half a win; nan if none."""
    with np.errstate(invalid="ignore"):
        share: Floats = (met[0] + met[1] / 2) / met.sum(axis=0)
    return share


def _compared(c: Comparisons, items: NDArray[Any]) -> Floats | None:
    if c.teams is not None or c.outcome is None:
        return None
    code = _places(c.items, items)
    left, right = code[c.left], code[c.right]
    among = (left >= 0) & (right >= 0)
    met = np.zeros((3, len(items), len(items)))
    np.add.at(met, (c.outcome[among] + 1, left[among], right[among]), c.mass[among])
    np.add.at(met, (1 - c.outcome[among], right[among], left[among]), c.mass[among])
    return met


def _within_rankings(r: Rankings, items: NDArray[Any]) -> Floats:
    """Two items of an unordered rest have not met."""
    place, row = _places(r.items, items)[r.entries], np.repeat(np.arange(len(r)), r.sizes)
    here = place >= 0
    level = np.full((len(items), len(r)), -1, dtype=np.int32)
    level[place[here], row[here]] = r.level[here]
    ordered = level >= 0
    ordered[place[here & r.in_rest], row[here & r.in_rest]] = False
    met = np.zeros((3, len(items), len(items)))
    for i, j in combinations(range(len(items)), 2):
        both = (level[i] >= 0) & (level[j] >= 0) & (ordered[i] | ordered[j])
        sign = np.sign(level[i] - level[j])[both]  # negative if i is ahead
        met[:, i, j] = np.bincount(sign + 1, weights=r.mass[both], minlength=3)
        met[:, j, i] = met[::-1, i, j]
    return met


def _places(labels: NDArray[Any], items: NDArray[Any]) -> NDArray[np.intp]:
    """The position of each label among the items, or -1."""
    place = {label: k for k, label in enumerate(items.tolist())}
    return np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.intp)
