"""Whether a table holds rankings or comparisons, by its header."""

from collections.abc import Sequence

from podium.comparisons.summary import Columns
from podium.reading.files import Opened
from podium.reading.header import find_columns as find_comparisons
from podium.reading.header import side_options
from podium.reading.rankings.columns import RankingColumns, find_columns, kinds_of
from podium.reading.sources.preflib import PreflibFiles


def holds_rankings(opened: Opened) -> bool:
    """Whether a table holds rankings; one that could be read as comparisons does not."""
    if isinstance(opened, PreflibFiles):
        return True
    header = opened.header
    return bool(kinds_of(header)) and not _are_comparisons(header)


def _are_comparisons(header: Sequence[str]) -> bool:
    """Whether the header has columns for two sides, apart from those that a ranking would use.

    >>> _are_comparisons(["player_1", "player_2", "rank_1", "rank_2"])
    True
    >>> _are_comparisons(["first", "second", "third"])
    False
    """
    try:
        find_comparisons(header, Columns())
    except ValueError:
        sides = {name for pair in side_options(header) for name in pair}
    else:
        return True
    try:
        ranked = find_columns(header, RankingColumns()).used()
    except ValueError:  # a column of the ranking is still to be named
        ranked = []
    return not sides <= set(ranked)
