"""The games of `experiments.dynamics`, their split in time, and the search for the settings of a system."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium import Comparisons, datasets, read_comparisons
from podium.datasets.fetched import find_file

Floats = NDArray[np.float64]
Settings = dict[str, float]


@dataclass(frozen=True)
class Games:
    """Games sorted by time. Settings are chosen on rows `tune` to `test`; the rows from `test` on count."""

    c: Comparisons
    years: Floats  # the time of each game; games of chess know their month
    starts: NDArray[np.int64]  # the first row of each distinct time
    tune: int
    test: int
    has_advantage: bool  # whether the left side plays at home, or White

    @property
    def score(self) -> Floats:
        """The points of the left side: 1, 1/2 or 0."""
        return np.asarray((1 - np.asarray(self.c.outcome)) / 2)

    @property
    def has_dates(self) -> bool:
        """Whether times are dates; chess has months from 1 on."""
        return bool(np.issubdtype(np.asarray(self.c.time).dtype, np.datetime64))

    @property
    def at_home(self) -> Floats:
        """1 if the left side has an advantage; 0 on neutral ground, and if sides mean nothing."""
        neutral = np.zeros(len(self.c)) if self.c.neutral is None else np.asarray(self.c.neutral)
        return np.asarray((1.0 - neutral) * self.has_advantage)

    @property
    def has_ties(self) -> bool:
        return bool(np.any(np.asarray(self.c.outcome) == 0))

    @property
    def tie_share(self) -> float:
        """The share of ties among the first 60 %."""
        return float(np.mean(np.asarray(self.c.outcome)[: self.tune] == 0))

    @property
    def units(self) -> Comparisons:
        """The games for systems without teams: every team is an item of its own."""
        c = self.c
        if c.teams is None:
            return c
        return Comparisons.from_arrays(c.left, c.right, c.outcome, time=c.time)

    def members(self, side: str, rows: slice = slice(None)) -> list[list[int]]:
        """The members of a side of each game; an item is a team of one."""
        codes = np.asarray(getattr(self.c, side))[rows]
        if self.c.teams is None:
            return [[int(code)] for code in codes]
        indptr, members = self.c.teams.indptr, self.c.teams.members
        return [members[indptr[code] : indptr[code + 1]].tolist() for code in codes]


def _with_neutral(name: str, **options: Any) -> Comparisons:
    path = find_file(name, None)
    return read_comparisons(
        path, outcome="y", outcome_format="score", time="date", neutral="neutral", **options
    )


READ: dict[str, Callable[[], Comparisons]] = {
    "NBA": datasets.fetch_nba,
    "NFL": lambda: _with_neutral("nfl/nfl_games.csv.gz", left="team1", right="team2", since="1990-01-01"),
    "football": lambda: _with_neutral(
        "football/international_results.csv.gz", left="home_team", right="away_team"
    ),
    "Kaggle chess": lambda: datasets.fetch_chess("kaggle"),
    "ATP doubles": datasets.fetch_tennis_doubles,
    "TWIC chess": lambda: datasets.fetch_chess("twic"),
}
FOLDER = {
    "NBA": "nba",
    "NFL": "nfl",
    "football": "football",
    "Kaggle chess": "chess",
    "ATP doubles": "tennis_doubles",
    "TWIC chess": "chess",
}


@cache
def games_of(data: str) -> Games:
    """Read a data set. The cuts at 60 and 80 % of the games are moved to the next change of time."""
    c = READ[data]()
    c = c[np.argsort(np.asarray(c.time), kind="stable")]
    moment = np.unique(np.asarray(c.time), return_inverse=True)[1]
    starts = np.flatnonzero(np.diff(moment, prepend=-1))
    tune, test = (int(starts[np.searchsorted(starts, len(c) * share)]) for share in (0.6, 0.8))
    # In the file of the doubles, side a is the one with the smallest player number: it has no advantage.
    return Games(c, _years(c), starts, tune, test, has_advantage=data != "ATP doubles")


def _years(c: Comparisons) -> Floats:
    time = np.asarray(c.time)
    if np.issubdtype(time.dtype, np.datetime64):
        return np.asarray((time - time[0]) / np.timedelta64(1, "D") / 365.25)
    return np.asarray((time - time[0]) / 12.0)


def blocks(games: Games, first: int, last: int, most: int) -> list[slice]:
    """Cut the rows `first` to `last` at changes of time, into at most `most` blocks of about equal size."""
    inside = games.starts[(games.starts >= first) & (games.starts < last)]
    wanted = first + np.arange(most) * (last - first) / most
    cuts = np.unique(inside[np.minimum(np.searchsorted(inside, wanted), len(inside) - 1)])
    return [slice(int(a), int(b)) for a, b in pairwise([*cuts, last])]


# ------------------------------------------------------------------------------------ losses


def expected_score(p: Floats) -> Floats:
    """The points that the left side is expected to make, from the probabilities of -1, 0 and 1."""
    return np.clip(p[:, 0] + p[:, 1] / 2, 1e-12, 1 - 1e-12)


def score_losses(p: Floats, score: Floats) -> Floats:
    """The cross-entropy of the expected score; a tie counts as half a win and half a loss."""
    e = expected_score(p)
    return np.asarray(-score * np.log(e) - (1 - score) * np.log1p(-e))


def outcome_losses(p: Floats, score: Floats) -> Floats:
    """Minus the log-probability of what happened."""
    column = np.rint(2 - 2 * score).astype(np.int64)
    return np.asarray(-np.log(np.maximum(p[np.arange(len(p)), column], 1e-12)))


def tuning_loss(p: Floats, score: Floats) -> float:
    """The loss that settings are chosen by: of the outcomes if the system knows ties, else of the score."""
    losses = outcome_losses if p[:, 1].any() else score_losses
    return float(losses(p, score).mean())


def without_ties(left: Floats) -> Floats:
    """The probabilities of the outcomes, from the chance of the left side in a system without ties."""
    return np.column_stack([left, np.zeros(len(left)), 1 - left])


# ------------------------------------------------------------------------------------ settings


def matters(name: str, games: Games) -> bool:
    """Whether these games have the ties or the advantage that a setting is about."""
    return (name != "tie" or games.has_ties) and (not name.startswith("advantage") or games.has_advantage)


def search(grid: Mapping[str, Sequence[float]], loss: Callable[[Settings], float]) -> Settings:
    """Move one setting at a time to a neighbour on its grid, from the middle, as long as the loss falls."""
    sizes = [len(values) for values in grid.values()]

    def settings(place: tuple[int, ...]) -> Settings:
        return {name: values[i] for (name, values), i in zip(grid.items(), place, strict=True)}

    @cache
    def at(place: tuple[int, ...]) -> float:
        return loss(settings(place))

    place = tuple(n // 2 for n in sizes)
    better: tuple[int, ...] | None = place
    while better is not None:
        place = better
        better = next((near for near in _neighbours(place, sizes) if at(near) < at(place) - 1e-6), None)
    return settings(place)


def _neighbours(place: tuple[int, ...], sizes: list[int]) -> list[tuple[int, ...]]:
    moved = [(*place[:i], place[i] + step, *place[i + 1 :]) for i in range(len(place)) for step in (-1, 1)]
    return [near for near in moved if all(0 <= i < n for i, n in zip(near, sizes, strict=True))]
