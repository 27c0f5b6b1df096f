"""The options that say how rankings are read."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any

import typer

from podium.cli.options.reading import Reading

PANEL = "Reading rankings"
SHARED = "count weight group time dates encoding sheet skip_invalid where since dedup memory".split()
SIDES = "left right outcome wins".split()  # whoever names these reads comparisons


class Kind(StrEnum):
    wide = "wide"
    long = "long"
    text = "text"
    scores = "scores"
    choices = "choices"


class Unplaced(StrEnum):
    last = "last"
    drop = "drop"


class Unranked(StrEnum):
    absent = "absent"
    last = "last"


def _option(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel=PANEL)


@dataclass(frozen=True)
class RankingReading:
    """How rankings are read. What is not given is guessed from the header."""

    rankings: Annotated[
        bool,
        typer.Option(
            "--rankings", help="The file holds rankings, whatever its columns.", rich_help_panel=PANEL
        ),
    ] = False
    kind: Annotated[Kind | None, _option("How the table is laid out.")] = None
    rank_column: Annotated[
        list[str] | None, _option("Wide: column of a rank, best first; repeat for all. Scores: of an item.")
    ] = None
    ballot: Annotated[list[str] | None, _option("Long: column of the race or voter; repeatable.")] = None
    item: Annotated[str | None, _option("Long: column of the item.")] = None
    place: Annotated[str | None, _option("Long: column of the place.")] = None
    dnf: Annotated[
        Unplaced | None, _option("Long: items without a place are last (the default), or dropped.")
    ] = None
    ranking_column: Annotated[str | None, _option("Text: column of rankings such as 'a > b = c'.")] = None
    unranked: Annotated[
        Unranked | None,
        _option("Items that a ranking does not name were absent (the default), or are last."),
    ] = None
    chosen: Annotated[str | None, _option("Choices: column of the chosen item.")] = None
    alternatives: Annotated[
        list[str] | None, _option("Choices: column of all there was to choose from; repeat for several.")
    ] = None
    separator: Annotated[str | None, _option("Choices: text between alternatives in one cell.")] = None
    lower_is_better: Annotated[
        bool,
        typer.Option("--lower-is-better", help="Scores: the lowest is the best.", rich_help_panel=PANEL),
    ] = False

    @property
    def is_given(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))

    def options(self, reading: Reading) -> dict[str, Any]:
        """These and the ``reading`` options as `podium.read_rankings` takes them."""
        for field in fields(Reading):
            if field.name not in SHARED and getattr(reading, field.name):
                option = field.name.replace("_", "-")
                raise ValueError(
                    f"--{option} is for comparisons, and this file is read as rankings; if it holds "
                    "comparisons, name their two sides with --left and --right"
                )
        named = {field.name: getattr(self, field.name) or None for field in fields(self)}
        del named["rankings"]
        named["ranks"], named["ranking"] = named.pop("rank_column"), named.pop("ranking_column")
        named["kind"] = None if self.kind is None else self.kind.value
        named["dnf"] = "last" if self.dnf is None else self.dnf.value
        named["unranked"] = "absent" if self.unranked is None else self.unranked.value
        named["higher_is_better"] = not named.pop("lower_is_better")
        shared = reading.options()
        kept = {name: value for name, value in shared.items() if name in (*SHARED, "bad_rows")}
        return named | kept


def names_sides(reading: Reading) -> bool:
    """Whether the options name columns that only comparisons have."""
    return any(getattr(reading, name) for name in SIDES)
