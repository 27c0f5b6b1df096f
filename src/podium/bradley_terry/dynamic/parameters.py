"""Spread, drift and the other parameters of the motion, chosen by the one-step-ahead probabilities.

By the chain rule the sum of the log-probabilities of all games, each given what came before, is the marginal
likelihood: the skills are integrated out. The filter computes it in one pass.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.bradley_terry.dynamic.filter import forward, one_step_loss
from podium.bradley_terry.dynamic.games import Games
from podium.bradley_terry.dynamic.motion import Motion
from podium.bradley_terry.dynamic.smoother import Link
from podium.comparisons.arrays import Floats

FIRST_RADIUS, LAST_RADIUS = 0.7, 0.02  # of the trust region, in logarithms of the parameters
MOST_PASSES = 300
SEARCHED = 200_000  # the search uses at most about this many games, the latest


@dataclass(frozen=True)
class Search:
    """The search: every parameter is given, or has a start, a lowest and a highest value."""

    games: Games
    n_effects: int
    n_items: int
    ties: str
    given: dict[str, float]

    @property
    def free(self) -> dict[str, tuple[float, float, float]]:
        """(start, lowest, highest) of the parameters that are not given."""
        span = float(np.ptp(self.games.when)) or 1.0
        tied = float(self.games.mass @ (self.games.outcome == 0) / self.games.mass.sum())
        even = max(tied, 1e-6) / max(1 - tied, 1e-6)
        every = {
            "spread": (0.7, 1e-3, 30.0),
            "drift": (0.7 / span**0.5, 1e-4 / span**0.5, 100.0 / span**0.5),
            "reversion": (1.0 / span, 1e-2 / span, 1e4 / span),
            "order_drift": (0.2 / span**0.5, 1e-4 / span**0.5, 10.0 / span**0.5),
            "tie": (2 * even, even / 10, even * 100),
        }
        return {name: bounds for name, bounds in every.items() if name not in self.given}

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

    def best(self) -> dict[str, float]:
        """All parameters; reversion and the drift of the order effect are 0 unless they help."""
        free, values = self.free, dict(self.given)
        if free:
            start, low, high = np.log(np.array(list(free.values()))).T
            found = self._minimise(list(free), start, low, high)
            values |= dict(zip(free, np.exp(found).tolist(), strict=True))
        for names in (["reversion"], ["order_drift"], ["drift", "reversion"]):
            without = values | dict.fromkeys(names, 0.0)  # reversion without drift would end all skills in 0
            agrees = without | self.given == without
            if names[0] in free and agrees and self.loss(without) <= self.loss(values):
                values = without
        return values

    def _minimise(self, names: list[str], start: Floats, low: Floats, high: Floats) -> Floats:
        from scipy.optimize import Bounds, minimize

        def loss(logs: Any) -> float:
            values = dict(zip(names, np.exp(logs).tolist(), strict=True))
            return self.loss(self.given | values)

        radii = {"initial_tr_radius": FIRST_RADIUS, "final_tr_radius": LAST_RADIUS, "maxfev": MOST_PASSES}
        found = minimize(loss, start, method="COBYQA", bounds=Bounds(low, high), options=radii)
        return np.asarray(found.x)
