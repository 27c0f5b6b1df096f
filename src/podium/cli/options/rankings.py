"""Whether the options of reading are for comparisons or for rankings."""

from dataclasses import fields

from podium.options import AnyReading, RankingReading, Reading, flag_of

SIDES = "left right outcome wins".split()  # whoever names these reads comparisons


def for_rankings(reading: Reading, ranking: RankingReading) -> RankingReading:
    """How to read rankings; options that only comparisons have are refused."""
    for field in fields(reading):
        if field.name not in AnyReading.__annotations__ and field.name in reading.said():
            raise ValueError(
                f"{flag_of(field)} is for comparisons, and this file is read as rankings; if it holds "
                "comparisons, name their two sides with --left and --right"
            )
    return ranking


def names_sides(reading: Reading) -> bool:
    """Whether the options name columns that only comparisons have."""
    return any(getattr(reading, name) for name in SIDES)
