"""What a simulation found, as frames and as a table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from podium.comparisons.arrays import Floats, Index
from podium.comparisons.table import Comparisons
from podium.writing.label_text import printable_name
from podium.writing.tables import text_lines

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """How a league or a cup may end; `simulate` makes it.

    Attributes
    ----------
    rules : str
        "league" or "cup".
    facts : str
        How often it was played, how many games were drawn, and how many were known.
    chances : pandas.DataFrame
        One row per item, the best chances first, and one column per place, or per round of a cup.
    places : pandas.DataFrame or None
        The chance of each item to end on each place of a league: item, place, probability.
    points : pandas.DataFrame or None
        The points of each item in a league: item, expected, low, high; the last two are a 95 % interval.
    reach : pandas.DataFrame or None
        The chance of each item to reach each round of a cup: item, round, probability.
    decisive : pandas.DataFrame
        How much each game decides, the most decisive first: left, right, shift, item, if_left, if_tie,
        if_right. ``shift`` is how far its result moves the chances of the title: the root of the expected
        sum of squares over all items, without what chance adds. ``item`` is who gains or loses most, and the
        other columns are its chance of the title after each result, nan if it never occurred. Of a cup it
        has the games of the first round.

    See Also
    --------
    simulate : play the rest of a league or a cup many times
    PlacesDisplay : a heat map of the chances
    """

    rules: str
    facts: str
    chances: "pd.DataFrame"
    places: "pd.DataFrame | None"
    points: "pd.DataFrame | None"
    reach: "pd.DataFrame | None"
    decisive: "pd.DataFrame"

    @classmethod
    def of(cls, rules: str, facts: str, event: Any, share: Floats, titles: Index, tables: list[Any]) -> Self:
        """From the share of each item (columns) in each stage, and what `decisive_games` and points need."""
        import pandas as pd

        items, league, points = event.fixtures.items, rules == "league", None
        order = np.lexsort(share)[::-1]
        if league:
            total = np.hstack(tables).astype(np.float64)
            order = np.argsort(-total.mean(axis=1), kind="stable")
            low, high = np.quantile(total[order], [0.025, 0.975], axis=1, method="inverted_cdf")
            columns = {"item": items[order], "expected": total[order].mean(axis=1), "low": low, "high": high}
            points = pd.DataFrame(columns)
        rows = pd.Index(items[order], name="item")
        chances = pd.DataFrame(share.T[order], rows, event.stages())
        chances = chances[chances.any(axis=1)]  # without byes
        stage = "place" if league else "round"
        long = chances.reset_index().melt("item", var_name=stage, value_name="probability").infer_objects()
        places, reach = (long, None) if league else (None, long)
        return cls(rules, facts, chances, places, points, reach, decisive_games(event.fixtures, titles))

    def to_frame(self) -> "pd.DataFrame":
        """One row per item: its points if there are any, and its chance of every place or round."""
        chances = self.chances.reset_index()
        return chances if self.points is None else self.points.merge(chances, on="item")

    def cells(self, most: int = 8) -> dict[str, list[str]]:
        """The table as text: chances in per cent, those of the first and last places if there are many."""
        found = {"item": [printable_name(item) for item in self.chances.index]}
        if self.points is not None:
            found["points"] = [f"{value:.1f}" for value in self.points["expected"]]
            found["interval"] = [f"{low:g}–{high:g}" for low, high in self.points[["low", "high"]].to_numpy()]
        names = list(self.chances)
        shown = names if len(names) <= most else [*names[: most // 2], *names[-(most // 2) :]]
        return found | {str(name): [f"{100 * p:.1f}" for p in self.chances[name]] for name in shown}

    def __repr__(self) -> str:
        return "\n".join([f"{self.facts}; chances in %", *text_lines(self.cells(), ["item"])])


def decisive_games(c: Comparisons, titles: Index) -> "pd.DataFrame":
    """The frame `Simulation.decisive`, from the counts of titles by game, outcome and item."""
    share = titles.sum(axis=2, keepdims=True) / (n := titles[:1].sum())
    with np.errstate(invalid="ignore"):
        after = titles / (share * n)
    chance = titles.sum(axis=1, keepdims=True) / n
    moved = share * np.nan_to_num(after - chance) ** 2
    by_chance = ((share > 0).sum(axis=1, keepdims=True) - 1) * chance * (1 - chance) / n
    most, frame = moved.sum(axis=1).argmax(axis=1), c.to_frame()[["left", "right"]]
    frame["shift"] = np.sqrt((moved.sum(axis=(1, 2)) - by_chance.sum(axis=(1, 2))).clip(min=0))
    frame["item"] = c.items[most]
    frame[["if_left", "if_tie", "if_right"]] = after[np.arange(len(c)), :, most]
    games = frame.query("left != right")  # the others are byes
    return games.sort_values("shift", ascending=False, kind="stable", ignore_index=True)
