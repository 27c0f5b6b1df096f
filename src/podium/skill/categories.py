"""One leaderboard for each category of comparisons."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.labels import as_column, encode
from podium.comparisons.messages import listed
from podium.comparisons.table import Comparisons
from podium.leaderboard.board import ELO_UNIT
from podium.leaderboard.boards import Boards
from podium.leaderboard.leaderboard import Leaderboard
from podium.skill.fit import ExistenceWarning

OWN = {"group": "groups", "category": "categories", "judge_kind": "judge_kinds"}  # columns


def boards_by(
    by: Any, rows: Any, overall: Leaderboard, board_of: Callable[[Comparisons], Leaderboard]
) -> Boards:
    """The boards of all categories; ``board_of`` fits the comparisons of one and makes its board.

    A category that cannot be fitted has no board. A category whose items are not all connected is ranked by
    component, like any other fit. Warnings name both kinds of categories.
    """
    categories, code = categories_of(by, rows)
    boards, apart, failed = {}, [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each board has its own notes
        for number, name in enumerate(categories.tolist()):
            try:
                boards[name] = board_of(rows[code == number])
            except ValueError as error:
                failed.append(f"category '{name}' has no board: {error}")
                continue
            if (boards[name].component > 0).any():
                apart.append(name)
    notes = [*failed]
    if apart:
        notes.append(
            f"the comparisons do not connect all items in {len(apart):,} of {len(categories):,} categories "
            f"({listed(apart)}), so their groups of items are ranked separately"
        )
    for note in notes:
        warnings.warn(note, ExistenceWarning, stacklevel=3)
    return Boards(overall, boards, tuple(notes))


def with_unpooled(board: Leaderboard, spread: float, alone: Callable[[], Leaderboard]) -> Leaderboard:
    """The pooled board of a category, with a note on the pooling and the scores of the category alone.

    ``spread`` is the standard deviation of its log-skills around the overall ones. The scores are nan if the
    category cannot be fitted alone.
    """
    try:
        other = alone()
        scores = dict(zip(other.item.tolist(), other.score.tolist(), strict=True))
    except ValueError:
        scores = {}
    unpooled = np.array([scores.get(item, np.nan) for item in board.item.tolist()])
    return replace(board, unpooled=unpooled, notes=(_pooling(spread, board.scale), *board.notes))


def _pooling(spread: float, scale: str) -> str:
    size = {
        "elo": f"{spread * ELO_UNIT:.0f} points",
        "log": f"{spread:.2f}",
        "skill": f"a factor of {np.exp(spread):.2f}",
    }[scale]
    return f"drawn towards the overall board; skills in the category may differ from it by about {size}"


def categories_of(by: Any, rows: Comparisons | None) -> tuple[NDArray[Any], Codes]:
    """The categories that occur, and the category of every row."""
    if rows is None:
        raise ValueError(
            "categories need the comparisons, which a saved model does not keep; fit the model again"
        )
    if isinstance(by, str):
        labels, code = (getattr(rows, name, None) for name in (OWN.get(by, ""), by if by in OWN else ""))
        if labels is None or code is None:
            raise ValueError(
                f"by={by!r} is not a column of these comparisons; give 'group', 'category' or 'judge_kind' "
                "if they have it, or an array with one category per comparison"
            )
    else:
        column = as_column(by, "by")
        if len(column) != len(rows):
            raise ValueError(
                f"by has {len(column):,} entries for {len(rows):,} comparisons; give one per comparison"
            )
        labels, (code,) = encode([column], ["by"])
    used, code = np.unique(code, return_inverse=True)
    labels = labels[used]
    if all(str(label).isdecimal() for label in labels):  # round 10 is after round 9
        order = np.argsort([int(label) for label in labels], kind="stable")
        labels, code = labels[order], np.argsort(order)[code]
    return labels, code.astype(np.int32)
