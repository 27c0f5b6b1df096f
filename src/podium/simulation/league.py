"""A league: all games count, and points decide.

Equal points are broken by the points in the games among the equal items, then by the number of wins, then by
lot. The first of these is not repeated among those who are equal again.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from podium.comparisons.arrays import Floats, Index
from podium.comparisons.table import Comparisons


@dataclass(frozen=True, eq=False)
class League:
    """The games that are drawn, those that were played, and the points of a win, a tie and a loss."""

    fixtures: Comparisons
    played: Comparisons
    points: Any

    @classmethod
    def of(cls, c: Comparisons, played: Comparisons, points: Any) -> Self:
        """Of fixtures that contain all played games, as a calendar does, only the others are drawn."""
        if np.shape(points) != (3,) or not np.isfinite(points).all():
            raise ValueError(f"points are of a win, a tie and a loss, such as (3, 1, 0), not {points!r}")
        meetings = []  # the pair of each row, with the number of its games so far
        for part in (c, played):
            frame = part.to_frame()[["left", "right"]]
            frame["game"] = frame.groupby(["left", "right"]).cumcount()
            meetings.append(list(frame.itertuples(index=False, name=None)))
        over = set(meetings[1])
        if over <= set(meetings[0]):
            c = c[[meeting not in over for meeting in meetings[0]]]
        return cls(c, played, np.array(points, dtype=np.float32))

    def stages(self) -> list[Any]:
        """The places."""
        return list(range(1, self.fixtures.n_items + 1))

    def play(self, rng: Any, chances: Any, skills: Floats, ties: Any) -> tuple[Any, Index, Any]:
        """Who is on each place, the outcomes of the fixtures (0, 1 and 2), and the points.

        Each season is a column.
        """
        left_wins, tied, _ = chances
        left, right = np.hstack([[c.left, c.right] for c in (self.fixtures, self.played)])
        u = rng.random(left_wins.shape, dtype=np.float32)
        drawn = (u >= left_wins).astype(np.int8) + (u >= left_wins + tied)
        outcome = np.vstack([drawn, np.tile(np.asarray(self.played.outcome)[:, None] + 1, drawn.shape[1])])
        at_home, away = (np.eye(self.fixtures.n_items, dtype=np.float32)[side].T for side in (left, right))
        score, conceded = self.points[outcome], self.points[2 - outcome]
        total = (at_home @ score + away @ conceded).round(3)
        equal = total[left] == total[right]
        among = (at_home @ (score * equal) + away @ (conceded * equal)).round(3)
        wins = at_home @ (outcome == 0) + away @ (outcome == 2)
        places = np.lexsort((rng.random(total.shape), wins, among, total), axis=0)[::-1]
        return places[:, None], drawn, total
