"""Covariates of comparisons: what may decide a comparison apart from the skills of its two sides.

The difference of a comparison is d = r_right - r_left + e·g. The columns of the design e are the covariates
(right minus left), each divided by its root mean square, and then, for an order effect, -1, or 0 on neutral
ground. Users see effects in the units of their covariates.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons


@dataclass(frozen=True)
class Covariates:
    """The covariates of the comparisons, their root mean squares, and which of them have an effect."""

    names: tuple[str, ...]
    scale: Floats
    used: NDArray[np.bool_]

    @classmethod
    def of(cls, c: Comparisons) -> "Covariates":
        if c.covariates is None:
            return cls((), np.zeros(0), np.zeros(0, np.bool_))
        with np.errstate(over="ignore"):
            scale = np.sqrt(np.einsum("ij,ij->j", c.covariates, c.covariates) / max(len(c), 1))
        if not np.isfinite(scale).all():
            name = c.covariate_names[int(np.argmin(np.isfinite(scale)))]
            raise ValueError(f"the values of covariate {name!r} are too large; divide them by a constant")
        return cls(tuple(c.covariate_names), scale, scale > 0)

    @property
    def used_names(self) -> tuple[str, ...]:
        return tuple(name for name, used in zip(self.names, self.used, strict=True) if used)

    def without(self, dependent: NDArray[np.bool_]) -> "Covariates":
        """Leave out some of the used covariates."""
        used = self.used.copy()
        used[np.flatnonzero(used)[dependent]] = False
        return replace(self, used=used)

    def in_units(self, effects: Floats) -> Floats:
        """Effects of the used columns in the units of the covariates; nan for covariates left out."""
        found = np.full(len(self.names), np.nan)
        found[self.used] = effects / self.scale[self.used]
        return found

    def offsets(self, c: Comparisons, effects: Floats) -> Floats:
        """What the covariates of other comparisons add to their differences."""
        assert c.covariates is not None
        return np.asarray(c.covariates[:, self.used] @ (effects / self.scale[self.used]))


def design_of(c: Comparisons, covariates: Covariates, order_effect: bool) -> Floats | None:
    """One row per comparison, in the units of the covariates; None if an order effect alone needs none."""
    neutral = c.neutral if order_effect and c.neutral is not None and c.neutral.any() else None
    if not covariates.used.any() and neutral is None:
        return None
    columns = np.zeros((len(c), 0)) if c.covariates is None else c.covariates[:, covariates.used]
    if not order_effect:
        return columns
    home = np.ones(len(c)) if c.neutral is None else ~c.neutral
    return np.column_stack([columns, -1.0 * home])


def scaled(design: Floats, covariates: Covariates) -> Floats:
    """The design with every covariate divided by its scale."""
    scale = np.ones(design.shape[1])
    scale[: covariates.used.sum()] = covariates.scale[covariates.used]
    return np.asarray(design / scale)
