"""Models side by side in a terminal and in a file: their scores, and how far each is behind the best."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isnan
from typing import TYPE_CHECKING

from podium.cli.output.screen import Column, names_in, plain, show_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.evaluation.intervals import Score, Standing

JOINTLY = "hold jointly, so one that excludes 0 is more than chance"
SHOWN = ("log loss", "score loss", "Brier", "accuracy", "error", "AUC", "swapped pairs", "NDCG")


@dataclass(frozen=True)
class Standings:
    """What `podium compare` found: the scores of each model, or why it has none, and notes."""

    models: "Mapping[str, Standing]"
    seconds: Mapping[str, float]
    failures: Mapping[str, str]
    notes: tuple[str, ...]
    level: float

    @property
    def names(self) -> list[str]:
        """The scores to show, those of most models first.

        The score loss is there only in place of a log loss that is infinite for some model.
        """
        found = Counter(name for standing in self.models.values() for name in standing.scores)
        losses = [s.scores["log loss"].value for s in self.models.values() if "log loss" in s.scores]
        if "score loss" in found:
            del found["log loss" if inf in losses else "score loss"]
        shown = [name for kind in SHOWN for name in found if name.partition("@")[0] == kind]
        return sorted(shown, key=lambda name: -found[name])

    @property
    def contested(self) -> bool:
        """Whether two models have a score in common, so that there is a best."""
        found = [name for standing in self.models.values() for name in standing.scores]
        return len(found) > len(set(found))


def show_standings(screen: "Console", found: Standings) -> None:
    """Two tables with one row per model; intervals stand below the numbers."""
    models, failed = list(found.models), ["–"] * len(found.failures)
    seconds = [f"{found.seconds[model]:.2g}" for model in models]
    columns = _columns_of(found, {model: standing.scores for model, standing in found.models.items()})
    columns = [column._replace(cells=[*column.cells, *failed]) for column in columns]
    names = Column("model", names_in([*models, *found.failures]), "name")
    show_table(screen, [names, *columns, Column("seconds", [*seconds, *failed], optional=True)])
    if found.contested:
        behind = {model: standing.behind for model, standing in found.models.items()}
        names = Column("behind the best", names_in(models), "name")
        show_table(screen, [names, *_columns_of(found, behind, behind=True)])
    if _any_interval(standing.scores for standing in found.models.values()):
        told_apart = _any_interval(standing.behind for standing in found.models.values())
        advice = f"; those of the differences {JOINTLY}" if told_apart else ""
        screen.print(f"{100 * found.level:g} % intervals{advice}")
    for note in found.notes:
        screen.print(plain(note))
    for model, failure in found.failures.items():
        screen.print(f"[yellow]{plain(f'{model}: {failure}')}[/]")


def _any_interval(scores: "Iterable[Mapping[str, Score]]") -> bool:
    return any(not isnan(score.low) for some in scores for score in some.values())


def _columns_of(
    found: Standings, scores: "Mapping[str, Mapping[str, Score]]", *, behind: bool = False
) -> list[Column]:
    """One column per score: numbers over their intervals. The first score is shown on any terminal."""
    from podium.web.scores import difference, interval, number

    text, joint = (difference, " to ") if behind else (number, "–")  # only differences are below 0

    def cell(score: "Score | None") -> str:
        return "–" if score is None else f"{text(score.value)}\n{interval(score, joint)}".rstrip()

    return [
        Column(name, [cell(some.get(name)) for some in scores.values()], optional=name != found.names[0])
        for name in found.names
    ]


def frame_of(found: Standings) -> "pd.DataFrame":
    """One row per model: for every score its value and its difference to the best, with their intervals."""
    import pandas as pd

    rows = [
        {"model": model} | _columns(standing) | {"seconds": found.seconds[model]}
        for model, standing in found.models.items()
    ]
    return pd.DataFrame([*rows, *({"model": model} for model in found.failures)])


def _columns(standing: "Standing") -> dict[str, float]:
    columns: dict[str, float] = {}
    for name, score in standing.scores.items():
        behind = standing.behind[name]
        columns |= {name: score.value, f"{name} low": score.low, f"{name} high": score.high}
        columns |= {f"{name} behind": behind.value}
        columns |= {f"{name} behind low": behind.low, f"{name} behind high": behind.high}
    return columns
