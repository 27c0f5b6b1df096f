"""What the columns of a table are used for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from podium.comparisons.messages import few

LEFT_IS_BETTER = ()  # the outcome of winner and loser: it needs no column


@dataclass(frozen=True)
class Columns:
    """The columns by their meaning; as text, one line with a few names for each.

    A side is some columns (several for a team), or none, if the rows are described by ``features`` alone: the
    x of left_x and right_x. The outcome is one column, two with the scores of the sides, no column at all
    (`LEFT_IS_BETTER`), or None. ``item_features`` are columns of a table of items.

    >>> str(Columns(("white",), ("black",), ("result",), unused=("site", "date")))
    'white and black (sides), result (outcome); not used: site, date'
    """

    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    outcome: tuple[str, ...] | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    features: tuple[str, ...] = ()
    item_features: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def feature_columns(self, side: str) -> list[str]:
        return [f"{side}_{name}" for name in self.features]

    def used(self) -> list[str]:
        """Every column that has to be read."""
        single = [name for name in (self.weight, self.group, self.time) if name is not None]
        features = [*self.feature_columns("left"), *self.feature_columns("right")]
        return list(dict.fromkeys([*self.left, *self.right, *(self.outcome or ()), *single, *features]))

    def __str__(self) -> str:
        first = ", the left one is better" if self.left and self.outcome == LEFT_IS_BETTER else ""
        parts = [(f"{few(self.left)} and {few(self.right)}", f"sides{first}")] if self.left else []
        if self.features:
            parts.append(("left_* and right_*", f"features {few(self.features)}"))
        if self.item_features:
            parts.append(("table of items", f"features {few(self.item_features)}"))
        if self.outcome:
            names = " and ".join(few([name]) for name in self.outcome)
            parts.append((names, "score" if len(self.outcome) == 2 else "outcome"))
        parts += [
            (few([name]), what) for what in ("weight", "group", "time") if (name := getattr(self, what))
        ]
        return columns_text(parts, self.unused)


def columns_text(parts: Iterable[tuple[str, str]], unused: Sequence[str]) -> str:
    """Columns, each with its meaning, and those that have none."""
    used = ", ".join(f"{names} ({meaning})" for names, meaning in parts)
    return f"{used}; not used: {few(unused)}" if unused else used
