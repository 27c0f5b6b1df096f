"""A cup: who loses is out, and neighbours in the bracket meet in the next round.

An opponent called "bye" or "-" is nobody, and the last one of an odd round has a bye. A tie is decided by
lot. After the first round no side has the advantage of its place.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from podium.comparisons.arrays import Codes, Floats, Index
from podium.comparisons.labels import NOBODY
from podium.comparisons.messages import quoted
from podium.comparisons.table import Comparisons
from podium.core.links import outcomes, root

NAMES = ("title", "final", "semi-final", "quarter-final")


@dataclass(frozen=True, eq=False)
class Cup:
    """The first round: its games, and who is in it, -1 for nobody; who beats whom, nan if it is drawn."""

    fixtures: Comparisons
    field: Codes
    beaten: Floats

    @classmethod
    def of(cls, c: Comparisons, played: Comparisons, points: Any) -> Self:
        nobody, k = np.isin(c.items.astype(str), NOBODY), c.n_items
        left, right = np.where(nobody[c.left], c.right, c.left), np.where(nobody[c.right], c.left, c.right)
        field = np.column_stack([left, np.where(left == right, -1, right)]).ravel()
        if (twice := np.bincount(field[field >= 0], minlength=k) > 1).any():
            raise ValueError(f"item {quoted(c.items[np.argmax(twice)])} is twice in the first round")
        beaten, won = np.full((k, k), np.nan), np.asarray(played.outcome)
        beaten[played.left, played.right] = np.choose(won + 1, (0, np.nan, 1))
        beaten[played.right, played.left] = np.choose(won + 1, (1, np.nan, 0))
        return cls(replace(c, left=left, right=right), field, beaten)

    def stages(self) -> list[Any]:
        """The rounds, and the title."""
        left = (len(self.field) - 1).bit_length()
        return [NAMES[k] if k < len(NAMES) else f"round {left - k + 1}" for k in range(left, -1, -1)]

    def play(self, rng: Any, chances: Any, skills: Floats, ties: Any) -> tuple[Any, Index, Any]:
        """Who is in each round, and the outcomes of the first one (0 and 2). Each cup is a column."""
        rounds, cup = [np.tile(self.field[:, None], skills.shape[1])], np.arange(skills.shape[1])
        while len(rounds[-1]) > 1:
            field = np.pad(rounds[-1], ((0, len(rounds[-1]) % 2), (0, 0)), constant_values=-1)
            left, right = field[::2], field[1::2]
            if len(rounds) > 1:
                chances = outcomes(root(skills[right, cup] - skills[left, cup]), *ties)
            known = self.beaten[left, right]
            chance = np.where(np.isnan(known), chances[2] + chances[1] / 2, known)
            chance = np.where(right < 0, 0.0, np.where(left < 0, 1.0, chance))
            rounds.append(np.where(rng.random(chance.shape) < chance, right, left))
        return rounds, 2 * (rounds[1] == rounds[0][1::2]), None
