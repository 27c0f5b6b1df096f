"""Leaderboard: who is best, how sure that is, and on how many games it rests. What every view reads."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from podium.leaderboard.board import COLUMNS, Board
from podium.leaderboard.text import as_html, as_markdown, as_text
from podium.writing.atomic import checked_path, write_whole
from podium.writing.frames import as_csv, as_json, as_parquet

if TYPE_CHECKING:
    import pandas as pd


class Leaderboard(Board):
    """A frozen table with a row an item, best first.

    Items that cannot be told apart may share a ``rank``. ``low`` and ``high`` bound the ``score`` at the
    confidence ``level``; all three are nan where nothing is known. ``games``, ``wins``, ``ties`` and
    ``losses`` are sums of weights. ``component`` numbers the groups of items that comparisons connect, 0
    being the largest: scores of different groups cannot be compared. ``notes`` are sentences that a reader
    of the numbers should see. ``order_effect`` is the advantage of the left side (home, White, shown first)
    if it was estimated: points on the scale of the scores, or with ``"skill"`` a factor of the odds.

    >>> board = Leaderboard(
    ...     rank=[1, 2, 2], item=["ann", "bob", "cat"],
    ...     score=[1581.2, 1490, 1428.8], low=[1520, 1420, 1350], high=[1642, 1560, 1508],
    ...     games=[12, 10, 8], wins=[8, 3, 1], ties=[2, 4, 2], losses=[2, 3, 5], component=[0, 0, 0],
    ... )
    >>> board
    Leaderboard: 3 items, Elo scale, 95 % intervals
    rank  item  score   low  high  games  wins  ties  losses
       1  ann    1581  1520  1642     12     8     2       2
       2  bob    1490  1420  1560     10     3     4       3
       2  cat    1429  1350  1508      8     1     2       5
    >>> board[board.rank == 2].item.tolist()
    ['bob', 'cat']
    """

    def to_frame(self) -> "pd.DataFrame":
        """A pandas frame with the ten columns, a row an item.

        An order effect is in three further columns, the same in every row: order_effect, order_effect_low,
        order_effect_high. The files of `save` have them too.
        """
        import pandas as pd

        frame = pd.DataFrame({name: pd.Series(getattr(self, name)).array for name in COLUMNS})
        return frame.assign(**_constants(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all; its ending says which kind.

        - ``.csv``: every digit, a missing number is an empty cell. A text that a spreadsheet would run as a
          formula, because it starts with = + - @, a tab or a line break, gets an apostrophe in front.
        - ``.json``: a list with an object an item; a missing number is null, a team a list.
        - ``.parquet``: the columns of `to_frame`; a team is a list.
        - ``.md``: a table to read, numbers rounded as on the screen, with the title and the notes.

        In CSV and Markdown the members of a team are joined by " + ".
        """
        path = checked_path(path, WRITERS)
        write_whole(path, WRITERS[path.suffix.lower()](self))

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


# ------------------------------------------------------------------------------------ files


def _constants(board: Leaderboard) -> dict[str, float]:
    """Further columns that are the same in every row."""
    names = ("order_effect", "order_effect_low", "order_effect_high")
    return {} if board.order_effect is None else dict(zip(names, board.order_effect, strict=True))


def _csv(board: Leaderboard) -> bytes:
    """A spreadsheet does not know what inf is: a bound that is not there is an empty cell."""
    return as_csv(board.to_frame().replace([np.inf, -np.inf], np.nan))


WRITERS: dict[str, Callable[[Leaderboard], bytes]] = {
    ".csv": _csv,
    ".json": lambda board: as_json(board.to_frame()),
    ".parquet": lambda board: as_parquet(board.to_frame()),
    ".md": lambda board: as_markdown(board).encode(),
}
