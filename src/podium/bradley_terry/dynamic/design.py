"""How comparisons become games: the known items, where time begins, and the effects."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.covariates import Covariates
from podium.bradley_terry.dynamic.games import Games
from podium.comparisons.arrays import Floats, Index
from podium.comparisons.labels import find_labels
from podium.comparisons.table import Comparisons

YEAR = np.timedelta64(31_557_600_000_000, "us")  # 365.25 days


@dataclass(frozen=True, eq=False)
class Design:
    """What later comparisons need to become games of the same movers.

    The movers are the order effect, if there is one, the effects of the covariates, and the items.
    """

    items: NDArray[Any]
    origin: NDArray[Any]  # one time
    order_effect: bool
    covariates: Covariates

    @classmethod
    def of(cls, c: Comparisons, order_effect: bool) -> "Design":
        assert c.time is not None
        return cls(c.items[c.appears], c.time.min(keepdims=True), order_effect, _covariates(c))

    @property
    def n_effects(self) -> int:
        return self.order_effect + int(self.covariates.used.sum())

    def games(self, c: Comparisons, when: Floats) -> Games:
        """The games at these times; comparisons without outcomes are to be predicted."""
        outcome = np.zeros(len(c), dtype=np.int8) if c.outcome is None else c.outcome
        return Games.of(replace(c, outcome=outcome), self.movers(c), when, self._factors(c))

    def movers(self, c: Comparisons) -> Index:
        """The mover of every item of c; new items come after the known ones."""
        place = find_labels(self.items, c.items)
        new = (place < 0) & c.appears
        place[new] = len(self.items) + np.arange(new.sum())
        return np.asarray(self.n_effects + place)

    def with_new(self, c: Comparisons) -> "Design":
        """The same design, in which the new items of c are known."""
        new = c.items[(find_labels(self.items, c.items) < 0) & c.appears]
        return replace(self, items=np.append(self.items, new))

    def when(self, time: Any) -> Floats:
        """Time as a number since the origin: in years if times are dates, otherwise in their own unit."""
        is_date = self.origin.dtype.kind == "M"
        time = np.asarray(time)
        if (time.dtype.kind == "M") != is_date:
            raise ValueError(f"time must be {'dates' if is_date else 'numbers'}, as in fit")
        gap = time - self.origin[0]
        return np.asarray(gap / YEAR if is_date else gap, dtype=np.float64)

    def _factors(self, c: Comparisons) -> Floats:
        """The factors of the effects: -1 for the order (0 on neutral ground), and the scaled covariates."""
        at_home = np.ones(len(c)) if c.neutral is None else ~c.neutral
        order = [-1.0 * at_home[:, None]] if self.order_effect else []
        return np.hstack([*order, self.covariates.columns_of(c)])


def _covariates(c: Comparisons) -> Covariates:
    """Covariates on the scale of their root mean square over all observations.

    The scale is part of the prior here, so it must not depend on the order of rows or on how they are merged.
    """
    found = Covariates.of(c)
    if not found.used.any():
        return found
    square = c.mass @ found.columns_of(c) ** 2 / c.mass.sum()
    scale = found.scale.copy()
    scale[found.used] *= np.sqrt(square)
    return replace(found, scale=scale)
