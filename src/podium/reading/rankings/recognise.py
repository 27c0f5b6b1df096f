"""Whether a table holds rankings or comparisons, by its header."""

from collections.abc import Sequence

from podium.comparisons.outcomes import tells_winner
from podium.comparisons.summary import Columns
from podium.reading.header import find_columns as find_comparisons
from podium.reading.header import lone_scores, side_options
from podium.reading.rankings.columns import RankingColumns, find_columns, kinds_of
from podium.reading.sources.opened import Opened
from podium.reading.sources.preflib import PreflibFiles


def holds_rankings(opened: Opened) -> bool:
    """Whether a table holds rankings; one that could be read as comparisons does not."""
    if isinstance(opened, PreflibFiles):
        return True
    header = opened.header
    if not kinds_of(header) or _are_comparisons(header):
        return False
    _check_for_outcomes(opened)
    return True


def _are_comparisons(header: Sequence[str]) -> bool:
    """Whether the header has columns for two sides, apart from those that a ranking would use.

    >>> _are_comparisons(["player_1", "player_2", "rank_1", "rank_2"])
    True
    >>> _are_comparisons(["first", "second", "third"])
    False
    """
    try:
        found = find_comparisons(header, Columns())
        if found.outcome not in lone_scores(header, Columns()):  # rankings may have a score too
            return True
    except ValueError:
        pass
    sides = {name for pair in side_options(header) for name in pair}
    try:
        ranked = find_columns(header, RankingColumns()).used()
    except ValueError:  # a column of the ranking is still to be named
        ranked = []
    return not sides <= set(ranked)


def _check_for_outcomes(opened: Opened) -> None:
    """Refuse to guess if rows with two items have a column that may say which of the two is better."""
    try:
        columns = find_columns(opened.header, RankingColumns())
    except ValueError:  # a column is still to be named
        return
    if columns.kind != "wide" or len(columns.ranks) != 2 or not columns.unused:
        return
    first, second = columns.ranks
    table = opened.load([first, second, *columns.unused])
    left, right = (table[name].to_pylist() for name in (first, second))
    for name in columns.unused:
        cells = table[name].to_pylist()
        named = [cell in items for cell, *items in zip(cells, left, right, strict=True)]
        kinds = [is_item or tells_winner(cell) for is_item, cell in zip(named, cells, strict=True)]
        if all(kinds) and (any(named) or (name,) in lone_scores(opened.header, Columns())):
            raise ValueError(
                f"column '{name}' tells which of '{first}' and '{second}' is better, so the rows may be "
                f"comparisons; say --left {first} --right {second} --outcome {name}, or --rankings if "
                f"'{first}' is always better"
            )
