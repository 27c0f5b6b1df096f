"""How skills move: a Wiener process, or with reversion to the mean an Ornstein–Uhlenbeck process."""

from dataclasses import dataclass

import numpy as np

from podium.comparisons.arrays import Floats, Index

EFFECT_SPREAD = 2.0  # the standard deviation, before any game, of the order effect and of covariate effects


@dataclass(frozen=True)
class Motion:
    """Skills start with standard deviation ``spread`` and move with variance ``drift``² per unit of time.

        x(t + Δ) = φ x(t) + N(0, q),   φ = e^(-ρΔ),   q = drift² (1 - e^(-2ρΔ)) / (2ρ),   ρ = reversion

    The movers are the effects, if there are any, then the items. The first effect is that of the order, if
    there is one, which moves with ``order_drift``; the effects of covariates do not move.
    """

    n_effects: int
    n_items: int
    spread: float
    drift: float
    reversion: float = 0.0
    order_drift: float = 0.0

    @property
    def n_movers(self) -> int:
        return self.n_effects + self.n_items

    @property
    def first_spread(self) -> Floats:
        """The standard deviation of every mover at its first moment."""
        return np.repeat([EFFECT_SPREAD, self.spread], [self.n_effects, self.n_items])

    @property
    def rates(self) -> tuple[Floats, Floats]:
        """The drift and the reversion of every mover."""
        drift, reversion = np.zeros(self.n_movers), np.zeros(self.n_movers)
        drift[self.n_effects :], reversion[self.n_effects :] = self.drift, self.reversion
        if self.n_effects:
            drift[0] = self.order_drift
        return drift, reversion

    def step(self, mover: Index, gap: Floats) -> tuple[Floats, Floats]:
        """φ and q of each mover after its gap of time."""
        drift, reversion = (rate[mover] for rate in self.rates)
        decay = reversion * gap
        with np.errstate(divide="ignore", invalid="ignore"):
            lasting = np.where(decay > 0, -np.expm1(-2 * decay) / (2 * reversion), gap)
        return np.exp(-decay), np.asarray(drift**2 * lasting)
