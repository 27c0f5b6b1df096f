"""Spread, drift and the other parameters of the motion, chosen by the one-step-ahead probabilities.

By the chain rule the sum of the log-probabilities of all games, each given what came before, is the marginal
likelihood: the skills are integrated out. The filter computes it in one pass.

A handful of games says little about the parameters, so each has a weak prior: its logarithm is normal around
that of a usual value. For the drift this is a prior on how far skills move over the whole span of time, with
the reversion taken into account: usually by about 0.7, as far as new items differ.
"""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from podium.bradley_terry.dynamic.filter import forward, one_step_loss
from podium.bradley_terry.dynamic.games import Games
from podium.bradley_terry.dynamic.motion import Motion
from podium.core.links import Link

FIRST_RADIUS, LAST_RADIUS = 0.7, 0.02  # of the trust region, in logarithms of the parameters
SEARCHED = 200_000  # the search uses at most about this many games, the latest
STEP = 0.1  # in logarithms of the parameters, for the curvature of their density there


class Range(NamedTuple):
    """The values that a parameter may have, and the prior: log(value / usual) is N(0, width²)."""

    usual: float  # the search starts here
    width: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class Search:
    """The search: every parameter is given, or has a range."""

    games: Games
    n_effects: int
    n_items: int
    ties: str
    given: dict[str, float]

    @cached_property
    def span(self) -> float:
        return float(np.ptp(self.games.when)) or 1.0

    @cached_property
    def free(self) -> dict[str, Range]:
        """The ranges of the parameters that are not given."""
        span = self.span
        tied = float(self.games.mass @ (self.games.outcome == 0) / self.games.mass.sum())
        even = max(tied, 1e-6) / max(1 - tied, 1e-6)
        every = {
            "spread": Range(0.7, 1.0, 1e-3, 30.0),
            "drift": Range(0.7 / span**0.5, 1.0, 1e-4 / span**0.5, 100.0 / span**0.5),
            "reversion": Range(1.0 / span, 2.0, 1e-2 / span, 1e4 / span),
            "order_drift": Range(0.2 / span**0.5, 2.0, 1e-4 / span**0.5, 10.0 / span**0.5),
            "tie": Range(2 * even, 1.0, even / 10, even * 100),
        }
        return {name: values for name, values in every.items() if name not in self.given}

    def motion(self, values: dict[str, float]) -> Motion:
        moving = {name: value for name, value in values.items() if name != "tie"}
        return Motion(self.n_effects, self.n_items, **moving)

    def link(self, values: dict[str, float]) -> Link:
        rao_kupper = self.ties == "rao-kupper"
        return Link(values["tie"] + rao_kupper, rao_kupper)  # κ is above 1

    def loss(self, values: dict[str, float]) -> float:
        """Minus the log-likelihood one step ahead."""
        found = forward(self.games, self.motion(values), self.link(values)).probability
        return one_step_loss(self.games, found, half=self.ties == "half")

    def penalty(self, values: dict[str, float]) -> float:
        """Minus the log-density of the prior, up to a constant."""
        item, span = np.array([self.n_effects]), np.array([self.span])
        _, variance = self.motion(values).step(item, span)
        sizes = values | {"drift": float(np.sqrt(variance / span)[0])}  # as far as with this reversion
        far = [np.log(sizes[name] / known.usual) / known.width for name, known in self.free.items()]
        return 0.5 * float(np.square(far).sum())

    def best(self) -> dict[str, float]:
        """All parameters; the reversion and the drift of the order are 0 unless they help.

        Bands are too narrow with a reversion that was found by chance, so it must raise the log-likelihood by
        1, as in Akaike's criterion. The drift of the skills is never 0: bands would be much too narrow where
        0 is the most likely value by chance.
        """
        values = self.given | self._most_probable()
        for name, gain in (("reversion", 1.0), ("order_drift", 0.0)):
            without = values | {name: 0.0}
            if name in self.free and self.loss(without) <= self.loss(values) + gain:
                values = without
        return values

    def _most_probable(self) -> dict[str, float]:
        """The free parameters, by the likelihood and the prior."""
        from scipy.optimize import Bounds, minimize

        if not self.free:
            return {}
        start, _, low, high = np.log(np.array(list(self.free.values()))).T

        def named(logs: Any) -> dict[str, float]:
            return dict(zip(self.free, np.exp(logs).tolist(), strict=True))

        def loss(logs: Any) -> float:
            values = self.given | named(logs)
            return self.loss(values) + self.penalty(values)

        radii = {"initial_tr_radius": FIRST_RADIUS, "final_tr_radius": LAST_RADIUS}
        return named(minimize(loss, start, method="COBYQA", bounds=Bounds(low, high), options=radii).x)

    def around(self, values: dict[str, float]) -> tuple[Motion, ...]:
        """Motions one standard error away from these values, in directions whose errors are independent.

        The errors are those of the logarithms of the free parameters above 0; that of ties counts as known.
        """
        names = [name for name in self.free if name != "tie" and values[name] > 0]
        known = replace(self, given={name: value for name, value in values.items() if name not in names})

        def at(logs: Any) -> dict[str, float]:
            factors = dict(zip(names, np.exp(logs).tolist(), strict=True))
            return {name: value * factors.get(name, 1.0) for name, value in values.items()}

        @cache
        def loss(*steps: int) -> float:
            moved = at(STEP * np.array(steps))
            return known.loss(moved) + known.penalty(moved)

        unit, signs = np.eye(len(names), dtype=int), tuple(product((-1, 1), repeat=2))
        differences = [[sum(s * t * loss(*(s * a + t * b)) for s, t in signs) for b in unit] for a in unit]
        curvature, axes = np.linalg.eigh(np.reshape(differences, unit.shape) / (2 * STEP) ** 2)
        least = min((known.free[name].width ** -2 for name in names), default=1.0)  # that of the prior
        root = axes / np.sqrt(np.maximum(curvature, least)) @ axes.T
        return tuple(self.motion(at(way)) for way in root)
