"""Covariates of comparisons: what may decide a comparison apart from the skills of its two sides.

The difference of a comparison is d = r_right - r_left + e·g. The columns of the design e are the covariates
(right minus left), each divided by about its root mean square, and then, for an order effect, -1, or 0 on
neutral ground. Users see effects in the units of their covariates.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, Index
from podium.comparisons.messages import listed
from podium.comparisons.table import Comparisons
from podium.skill.fit import Effect, ExistenceWarning, SkillFit

DEPENDENT = 1e-9  # a column is a combination of others if at most this share of its square is its own
SAMPLE = 10_000  # about this many rows give the scale of a covariate, unless it is 0 in all of them


@dataclass(frozen=True)
class Columns:
    """Named columns of numbers, each divided by its scale, and which of them have an effect."""

    names: tuple[str, ...]
    scale: Floats
    used: NDArray[np.bool_]

    @property
    def used_names(self) -> tuple[str, ...]:
        return tuple(name for name, used in zip(self.names, self.used, strict=True) if used)

    def without(self, dependent: NDArray[np.bool_]) -> Self:
        """Leave out some of the used columns."""
        used = self.used.copy()
        used[np.flatnonzero(used)[dependent]] = False
        return replace(self, used=used)

    def in_units(self, effects: Floats) -> Floats:
        """Effects of the used columns in the units of the user; nan for columns left out."""
        found = np.full(len(self.names), np.nan)
        found[self.used] = effects / self.scale[self.used]
        return found


def dependent_columns(products: Floats, limit: Floats, order: Iterable[int]) -> NDArray[np.bool_]:
    """Which columns are combinations of columns before them in this order, by their cross products.

    They are if at most ``limit`` of their squares is their own.
    """
    rest, dependent = products, np.zeros(len(products), np.bool_)
    for column in order:
        own = rest[column, column]
        dependent[column] = own <= limit[column]
        if not dependent[column]:
            rest = rest - np.outer(rest[:, column], rest[column]) / own
    return dependent


@dataclass(frozen=True)
class Covariates(Columns):
    """The covariates of the comparisons, their scales, and which of them have an effect.

    Boards show effects per ``step`` of a covariate: a power of ten near its scale, and at least 1 if all its
    values are whole numbers.
    """

    step: Floats

    @classmethod
    def of(cls, c: Comparisons) -> "Covariates":
        if c.covariates is None:
            return cls((), np.zeros(0), np.zeros(0, np.bool_), np.zeros(0))
        sample = c.covariates[:: max(len(c) // SAMPLE, 1)]
        scale = _root_mean_squares(sample)
        if not scale.all():
            scale = _root_mean_squares(c.covariates)
        if not np.isfinite(scale).all():
            name = c.covariate_names[int(np.argmin(np.isfinite(scale)))]
            raise ValueError(f"the values of covariate {name!r} are too large; divide them by a constant")
        whole = (sample == np.rint(sample)).all(axis=0)
        step = np.where(scale > 0, 10.0 ** np.rint(np.log10(np.where(scale > 0, scale, 1.0))), 1.0)
        return cls(tuple(c.covariate_names), scale, scale > 0, np.where(whole, np.maximum(step, 1.0), step))

    def unused(self) -> "Covariates":
        """The same covariates, none of which has an effect."""
        return replace(self, used=np.zeros_like(self.used))

    def effects(self, value: Floats, error: Floats) -> tuple[Effect, ...]:
        """Effects in the units of the covariates, with their names."""
        return tuple(map(Effect, self.names, *(column.tolist() for column in (self.step, value, error))))

    def columns_of(self, c: Comparisons) -> Floats:
        """The used covariates of other comparisons, found by name and scaled; if they have none, 0."""
        names = self.used_names
        if not names:
            return np.zeros((len(c), 0))
        if c.covariates is None:
            warnings.warn(
                f"these comparisons lack the covariates {listed(names)}, which count as equal on both sides",
                ExistenceWarning,
                stacklevel=7,
            )
            return np.zeros((len(c), len(names)))
        if set(c.covariate_names) != set(self.names):
            raise ValueError(
                f"the covariates are {listed(c.covariate_names)}, but the model was fitted with "
                f"{listed(self.names)}; give exactly these, in any order"
            )
        places = [c.covariate_names.index(name) for name in names]
        return np.asarray(np.take(c.covariates, places, axis=1) / self.scale[self.used])


@np.errstate(over="ignore")
def _root_mean_squares(values: Floats) -> Floats:
    found = np.sqrt(np.einsum("ij,ij->j", values, values) / max(len(values), 1))
    if found.all():
        return np.asarray(found)
    largest = np.abs(values).max(axis=0, initial=0.0)  # the squares of tiny values are 0
    return np.where(found > 0, found, largest)


def design_of(c: Comparisons, covariates: Covariates, order_effect: bool) -> Floats | None:
    """One row per comparison.

    None without covariates and neutral ground: an order effect alone needs no design.
    """
    home = np.ones(len(c)) if c.neutral is None else ~c.neutral
    if not covariates.used.any() and (not order_effect or home.all()):
        return None
    columns = covariates.columns_of(c)
    return np.column_stack([columns, -1.0 * home]) if order_effect else columns


@dataclass(frozen=True, eq=False, kw_only=True)
class CovariateFit(SkillFit):
    """A fit whose solution ends with the effects of the used covariates, then the order effect."""

    covariates: Covariates

    def columns(self, c: Comparisons) -> Floats:
        return np.hstack([self.covariates.columns_of(c), super().columns(c)])

    @property
    def covariates_at(self) -> Index:
        """Where the solution has the effects of the covariates."""
        n = int(self.covariates.used.sum())
        return len(self.solution) - int(self.has_order_effect) - n + np.arange(n)

    @property
    def covariate_effect(self) -> Floats:
        return self.covariates.in_units(self.solution[self.covariates_at])

    @cached_property
    def covariate_error(self) -> Floats:
        return self.covariates.in_units(self.errors_of(self.covariates_at))

    @property
    def covariate_effects(self) -> tuple[Effect, ...]:
        return self.covariates.effects(self.covariate_effect, self.covariate_error)
