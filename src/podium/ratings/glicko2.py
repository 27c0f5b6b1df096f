"""Glickman's ratings with a deviation and a volatility: Glicko-2."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from podium.ratings.glicko import DeviationSystem
from podium.ratings.periods import Period
from podium.ratings.system import checked_number
from podium.ratings.table import Table


@dataclass(eq=False, repr=False)
class Glicko2(DeviationSystem):
    """Glicko whose deviations grow by a volatility that is learned for each item from how steady it is.

    Use it in place of `Glicko` if some items change faster than others. Glicko-2 of [Glicko-2]: in every
    period the deviation of an item grows from RD to √(RD² + (173.7 σ)²), where its volatility σ rises if its
    results surprise and falls if they do not. Glickman recommends periods in which an item plays 10 to 15
    games on average.

    Periods, advantage, ties, weights and teams are as in `Glicko`. Ratings are on the scale of Glicko; the
    volatility is on that of Glicko-2, as in the paper.

    Parameters
    ----------
    start : float, default=1500.0
        The rating of a new item.
    deviation : float, default=350.0
        The deviation of a new item.
    volatility : float, default=0.06
        The volatility of a new item.
    tau : float, default=0.5
        How fast volatilities change. Glickman recommends 0.3 to 1.2; small values prevent large changes after
        very improbable results.
    max_deviation : float, default=350.0
        The largest deviation.
    advantage : float, default=0.0
        The advantage of the left side (the home team, White) in rating points; neutral rows have none.
    tie : float, default=0.0
        Davidson's ν: two equal sides tie with odds of ν to 2. It changes predictions, not ratings. With 0,
        ties have probability 0.
    initial : dict or None, default=None
        Ratings to start from, ``{item: (rating, deviation, volatility)}``; the volatility may be left out. An
        item that has not played yet keeps its rating; it is in ``items_`` with 0 games, and a note of the
        leaderboard names it.
    period : {"day", "week", "month", "season"}, float or None, default=None
        The length of a period, as in `Glicko`.

    Attributes
    ----------
    items_ : array of shape (n_items,)
        The items so far, sorted.
    rating_ : array of shape (n_items,)
        Their ratings at the end of the latest period. If the next update continues this period, it is rated
        again as a whole.
    deviation_ : array of shape (n_items,)
        Their deviations at the end of the latest period.
    volatility_ : array of shape (n_items,)
        Their volatilities at the end of the latest period.
    games_ : array of int
        How many rows each item has played.
    wins_ : array of shape (n_items,)
        The sum of the weights of the games that each item won.
    ties_ : array of shape (n_items,)
        The same of its ties.
    losses_ : array of shape (n_items,)
        The same of its losses.
    classes_ : array of int
        -1, 0, 1.
    n_iter_ : int
        1: a stream is passed once.

    See Also
    --------
    Glicko : ratings with deviations
    Elo : one rating per item, updated after every game
    DynamicBradleyTerry : skills that move through time

    Examples
    --------
    Glickman's own example, the first player's three games in one period:

    >>> from podium.comparisons.table import Comparisons
    >>> games = Comparisons.from_arrays([1, 1, 1], [2, 3, 4], [-1, 1, 1], time=[0, 0, 0])
    >>> known = {1: (1500, 200), 2: (1400, 30), 3: (1550, 100), 4: (1700, 300)}
    >>> model = Glicko2(initial=known).fit(games)
    >>> model.rating_[0].round(2), model.deviation_[0].round(2), model.volatility_[0].round(5)
    (np.float64(1464.05), np.float64(151.52), np.float64(0.06))
    """

    start: float = 1500.0
    _: KW_ONLY
    deviation: float = 350.0
    volatility: float = 0.06
    tau: float = 0.5
    max_deviation: float = 350.0
    advantage: float = 0.0
    tie: float = 0.0
    initial: Mapping[Any, tuple[float, ...]] | None = None
    period: Period | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checked_number(self.volatility, "volatility", more_than=0)
        checked_number(self.tau, "tau", more_than=0)

    def _entry(self) -> dict[str, Any]:
        return super()._entry() | {"volatility": float(self.volatility)}

    def _listed(self, item: Any, facts: Any) -> dict[str, float]:
        name = f"initial[{item!r}]"
        if not isinstance(facts, tuple | list) or len(facts) not in (2, 3):
            raise ValueError(
                f"{name} is {facts!r}, where a rating, a deviation and a volatility are expected"
            )
        volatility = facts[2] if len(facts) == 3 else self.volatility
        checked_number(volatility, f"the volatility in {name}", more_than=0)
        return super()._listed(item, facts[:2]) | {"volatility": volatility}

    def _publish(self, table: Table) -> None:
        self.rating_, self.deviation_, self.volatility_ = self._settled(table)
