"""From preferences to a game: merge equal preferences and instances, and report contradictions."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import distinct_rows
from podium.comparisons.messages import first_true, row_name
from podium.game.preferences import Preferences
from podium.numerics.kernels.kernel import Kernel, dense

if TYPE_CHECKING:
    from podium.game.kernel import GameKernel
    from podium.numerics.result import SolverResult

NAMED = 5  # how many contradictory preferences a warning names


class Game(NamedTuple):
    """Distinct preferences between distinct instances, ready for a solver.

    ``kind`` maps each row to its distinct preference, or to -1 if its weight is 0. ``rows_of_items`` are the
    rows of X that the instances come from.
    """

    kernel: "GameKernel"
    kind: Positions
    weight: Floats
    rows_of_items: Positions

    def spread(self, p: Floats) -> Floats:
        """The strategy over the rows: equal rows share the mass of their preference by weight."""
        inside = self.kind >= 0
        total = np.bincount(self.kind[inside], self.weight[inside], len(p))
        out = np.zeros(len(self.kind))
        out[inside] = (p / total)[self.kind[inside]] * self.weight[inside]
        return out


def make_game(
    make_kernel: Callable[[Any], Kernel], X: Any, preferences: Preferences, ridge: float, precomputed: bool
) -> Game:
    """Merge equal instances, and equal preferences with the sum of their weights.

    ``make_kernel`` gets the instances in use, since γ may depend on them.
    """
    from podium.game.kernel import GameKernel

    labels, instance, better, worse, weight = preferences
    used = np.flatnonzero(weight > 0)
    rows, item = np.arange(X.shape[0]), instance[used]
    if not precomputed:
        rows, item = np.unique(item, return_inverse=True)
        first, kind_of_row = distinct_rows(X[rows])
        rows, item = rows[first], np.asarray(kind_of_row, dtype=np.intp)[item]
    m = len(labels)
    distinct, kind_of = np.unique((item * m + better[used]) * m + worse[used], return_inverse=True)
    total = np.bincount(kind_of, weight[used])
    items = dense(X) if precomputed else X[rows]
    parts = (distinct // (m * m), distinct // m % m, distinct % m)
    kind = np.full(len(preferences), -1, dtype=np.intp)
    kind[used] = kind_of
    kernel = GameKernel(make_kernel(items), items, *parts, m, ridge / total)
    with np.errstate(over="ignore"):
        large = ~np.isfinite(kernel.diagonal)
    if large.any():
        row = int(rows[kernel.instance[first_true(large)]])
        raise ValueError(f"the kernel of {row_name(row)} of X with itself overflows; scale the features")
    return Game(kernel, kind, weight, rows)


def contradiction(
    preferences: Preferences, game: Game, result: "SolverResult", strategy: Floats
) -> str | None:
    """The warning to give if the solver found that no w satisfies all preferences; otherwise None."""
    if result.details["degenerate"]:
        support = np.flatnonzero(strategy)
        rows = support[np.argsort(-strategy[support], kind="stable")]
        value, so = "the value of the game is 0 up to rounding: ", "all scores are 0"
    else:
        rows = np.flatnonzero(np.isin(game.kind, result.details.get("contradiction", ())))
        value, so = "", "the exact game has the value 0, even if no sub-game shows it"
    if not len(rows):
        return None
    names = [preferences.named(int(row)) for row in rows[:NAMED]]
    more = f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
    verb = "contradict each other"
    if not game.kernel.diagonal[game.kind[rows]].any():
        one = len(rows) == 1
        verb = "is for an instance whose Φ(x) is 0" if one else "are for instances whose Φ(x) is 0"
    return (
        f"{value}no w satisfies all preferences: {', '.join(names)}{more} {verb}; {so}; set ridge > 0 to "
        "allow for errors"
    )
