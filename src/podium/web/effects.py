"""The effects of covariates in a report: a table, and a sentence that explains it."""

from collections.abc import Iterable

from podium.leaderboard.board import SCALES
from podium.leaderboard.effects import FORMATS, held_equal, odds_factors, rounded
from podium.leaderboard.leaderboard import Leaderboard
from podium.web.table import Column, cell, row_head, sortable_table
from podium.web.text import name, shown


def effects_section(board: Leaderboard) -> str:
    """The effects with their intervals, and a sentence that explains the first of them."""
    columns = [
        Column("covariate", "text", "ascending"),
        Column("per"),
        Column("odds ×" if board.scale == "skill" else SCALES[board.scale]),
        Column(f"{100 * board.level:g} % interval"),
    ]
    if board.scale != "skill":
        columns += [Column("odds ×"), Column("interval of the odds")]
    return f"<p>{shown(_meaning(board))}</p>{sortable_table('Covariates', columns, _rows(board), by=-1)}"


def _rows(board: Leaderboard) -> Iterable[list[str]]:
    spec = FORMATS[board.scale]
    for effect in board.covariate_effects:
        cells = [
            row_head(name(effect.name)),
            cell(effect.per, f"{effect.per:g}"),
            cell(effect.value, rounded(effect.value, spec)),
            cell(effect.low, f"{rounded(effect.low, spec)} to {rounded(effect.high, spec)}"),
        ]
        if board.scale != "skill":
            odds, low, high = odds_factors(effect, board)
            cells += [cell(odds, rounded(odds)), cell(low, f"{rounded(low)} to {rounded(high)}")]
        yield cells


def _meaning(board: Leaderboard) -> str:
    first = board.covariate_effects[0]
    odds, low, high = odds_factors(first, board)
    return (
        f"The scores compare items {held_equal(board)}. The table shows what a side gains by more of a "
        f"covariate than the other side, all else equal. For example, {first.per:g} more of {first.name} "
        f"multiplies the odds of winning by {rounded(odds)} ({rounded(low)} to {rounded(high)})."
    )
