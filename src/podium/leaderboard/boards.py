"""Boards: one leaderboard for all comparisons and one for each category of them, side by side."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.leaderboard.board import NO_RANK
from podium.leaderboard.leaderboard import Leaderboard, as_markdown, writers
from podium.writing.atomic import checked_path, write_whole
from podium.writing.label_text import label_text

if TYPE_CHECKING:
    import pandas as pd

OVERALL = "overall"


@dataclass(frozen=True, eq=False, repr=False)
class Boards(Mapping[Any, Leaderboard]):
    """A mapping from categories to their leaderboards, beside the board of all comparisons.

    Parameters
    ----------
    overall
        The board of all comparisons.
    parts
        The board of each category that has one.
    notes
        Notes for the reader, such as which categories have no board, and why.

    Attributes
    ----------
    ranks : DataFrame
        The ranks, with one row per item in the order of the overall board, and one column per board. A rank
        is missing if the item is not in the category, or not in its largest group of connected items.
    scores : DataFrame
        The scores in the same form.
    games : DataFrame
        The numbers of games in the same form.

    See Also
    --------
    Leaderboard : the table of items, best first
    BradleyTerry : constant skills of items or teams
    BoardsDisplay : the boards of several categories

    Examples
    --------
    >>> import podium as pod
    >>> games = pod.datasets.load_chess_club()
    >>> boards = pod.BradleyTerry().fit(games).leaderboard(by="group")
    >>> boards.overall.item[:2].tolist(), boards["2021"].item[:2].tolist()
    (['Ada', 'Boris'], ['Carmen', 'Elif'])
    >>> boards.ranks["2021"]["Nils"]
    np.int64(13)
    """

    overall: Leaderboard
    parts: Mapping[Any, Leaderboard]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", MappingProxyType(dict(self.parts)))

    # ------------------------------------------------------------------------------------ as a mapping

    def __getitem__(self, category: Any) -> Leaderboard:
        return self.parts[category]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.overall, dict(self.parts), self.notes)

    # ------------------------------------------------------------------------------------ as tables

    @property
    def ranks(self) -> "pd.DataFrame":
        return self._side_by_side(lambda board: np.where(board.rank == NO_RANK, np.nan, board.rank)).astype(
            "Int64"
        )

    @property
    def scores(self) -> "pd.DataFrame":
        return self._side_by_side(lambda board: board.score)

    @property
    def games(self) -> "pd.DataFrame":
        return self._side_by_side(lambda board: board.games)

    def _side_by_side(self, values: Callable[[Leaderboard], Any]) -> "pd.DataFrame":
        """One number per item and board; missing outside the largest component of a board."""
        import pandas as pd

        rows = pd.Index(self.overall.item, tupleize_cols=False)
        columns = []
        for board in (self.overall, *self.parts.values()):
            largest = board.component == 0
            labels = pd.Index(board.item[largest], tupleize_cols=False)
            columns.append(pd.Series(values(board)[largest], labels, dtype=float).reindex(rows))
        frame = pd.concat(columns, axis=1)
        return frame.set_axis(pd.Index([OVERALL, *self.parts], tupleize_cols=False), axis=1)

    def to_frame(self) -> "pd.DataFrame":
        """All boards in one pandas frame, one row per category and item, the overall board first.

        The column ``category`` is missing on the overall board, so that no category is mistaken for it.
        """
        import pandas as pd

        frames = [self.overall.to_frame().assign(category=None)]
        frames += [board.to_frame().assign(category=name) for name, board in self.items()]
        frame = pd.concat([each for each in frames if len(each)], ignore_index=True)
        return frame[["category", *(name for name in frame.columns if name != "category")]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all boards to one file: .csv, .json or .parquet with the rows of `to_frame`, or .md."""
        path = checked_path(path, WRITERS)
        write_whole(path, WRITERS[path.suffix.lower()](self))

    def __repr__(self) -> str:
        head = f"Boards: {len(self.overall):,} items, overall and by {len(self):,} categories; ranks"
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join([head, self.ranks.head(20).to_string(na_rep="–"), *notes])


def _markdown(boards: Boards) -> str:
    """Every board as a table of its own, under its name."""
    named = [("Overall", boards.overall), *((label_text(name), board) for name, board in boards.items())]
    return "\n".join(f"## {name}\n\n{as_markdown(board)}" for name, board in named)


WRITERS = writers(_markdown)
