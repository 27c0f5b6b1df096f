"""Leaderboard: who is best, how certain this is, and how many games it is based on.

The class comes first, then its outputs: text for a terminal, HTML for a notebook, Markdown, and files.
"""

import os
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from podium.comparisons.messages import joined
from podium.leaderboard.board import NO_RANK, SCALES, SCORE_FORMATS, Board
from podium.leaderboard.effects import constants, held_equal, remarks
from podium.writing.atomic import checked_path, write_whole
from podium.writing.frames import as_csv, as_json, as_parquet
from podium.writing.label_text import LONGEST_NAME, label_text, printable_name, short_names
from podium.writing.tables import html_table, markdown_table, markdown_text, text_lines

if TYPE_CHECKING:
    import pandas as pd

LEFT = ("item",)  # columns aligned left
RANGE = "range"  # the column that shows rank_low and rank_high
NAMED = 3  # items that the verdict names
SHOWN_ROWS = 20  # rows that a terminal or a notebook shows


class Leaderboard(Board):
    """A frozen table with one row per item, best first.

    ``leaderboard()`` of a fitted model returns one. Each parameter is an attribute: ``board.score``. A board
    is indexed like an array: ``board[:5]``, ``board[board.games > 20]``.

    Parameters
    ----------
    rank : array-like of int
        The place by score: 1, 2, 3 and so on; equal scores share a place. Rank 0, shown as a dash, means that
        hardly anything is known about the item.
    item : array-like
        The items.
    score : array-like of float
        The scores; nan if nothing is known.
    low, high : array-like of float
        The confidence interval of the score; nan if there is none.
    games, wins, ties, losses : array-like of float
        The record of each item, as sums of count times weight.
    component : array-like of int
        The group of items that comparisons connect; 0 is the largest. Scores of different groups cannot be
        compared.
    scale : {"elo", "log", "skill"}, default="elo"
        The scale of the scores.
    level : float, default=0.95
        The confidence level of intervals and ranks.
    ranks : {"simultaneous", "pairwise"}, default=None
        Whether the ranges of all ranks hold together at this level, or each on its own. None if there are no
        ranges.
    title : str, default=None
        The title of the board.
    notes : tuple of str, default=()
        Notes for the reader.
    order_effect : OrderEffect, default=None
        The advantage of the left side (home, White, shown first) with its interval, on the scale of the
        scores; with ``"skill"`` a factor of the odds.
    covariate_effects : tuple of CovariateEffect, default=()
        For every covariate of the comparisons, such as the length of an answer: its name, a number ``per``,
        and what a side gains if it has ``per`` more of it, with the interval; on the scale of the scores. The
        scores are then those at equal covariates. ``per`` is a power of ten near the usual difference.
    method : tuple of str, default=()
        How intervals and weights were made, if not in the usual way: ``"standard errors: robust"``.
    unpooled : array-like of float, default=None
        If the board of a category is drawn towards the board of all comparisons: the scores without this. nan
        if the category alone does not give a score.
    rank_low, rank_high : array-like of int, default=None
        The range of the rank: 1 + the number of items that are certainly better, and the number of items less
        those that are certainly worse. 0, shown as a dash, if there is none.
    origin : callable, default=dict
        Returns ``provenance``, a dict of what is needed to repeat the board, which is in every row of a JSON
        file: podium's version, the options, how many rows were read, what was left out and why, and a SHA-256
        of the distinct rows with their counts.

    See Also
    --------
    Boards : one leaderboard per category
    BradleyTerry : constant skills of items or teams
    LeaderboardDisplay : a leaderboard with intervals

    Examples
    --------
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

    @property
    def verdict(self) -> str:
        """One sentence: who leads, and how surely. It is empty if the leader is not among the rows.

        Examples
        --------
        >>> from podium import BradleyTerry, datasets
        >>> BradleyTerry().fit(datasets.load_chess_club()).leaderboard().verdict
        'Ada leads; the data cannot tell it from Boris, Carmen and Elif'
        """
        return _verdict(self)

    def around(self, item: Any, n: int = 5) -> Self:
        """The rows near an item.

        Parameters
        ----------
        item : label
            An item of the board; a tuple for a team.
        n : int, default=5
            The number of rows above and below the item, or fewer at the ends of the board.

        Returns
        -------
        Leaderboard
            Its ranks are those of the whole board.

        Raises
        ------
        ValueError
            If the item is not on the board. The message names the items that are spelled most alike.

        Examples
        --------
        >>> import podium as pod
        >>> board = pod.BradleyTerry().fit(pod.datasets.load_chess_club()).leaderboard()
        >>> board.around("Igor", 1).item.tolist()
        ['Farah', 'Igor', 'Goran']
        """
        if not n >= 0:
            raise ValueError(f"n must be 0 or more, not {n!r}")
        labels = self.item.tolist()
        if item not in labels:
            raise ValueError(f"{label_text(item)!r} is not on the board{_spelled_alike(item, labels)}")
        place = labels.index(item)
        return self[max(place - n, 0) : place + n + 1]

    def to_frame(self) -> "pd.DataFrame":
        """The board as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            One row per item and twelve columns, or thirteen with unpooled scores; rank 0 becomes a missing
            value.
            An order effect adds the columns order_effect, order_effect_low and order_effect_high, and a
            covariate such as length adds effect_of_length, effect_of_length_low, effect_of_length_high and
            effect_of_length_per. These are
            the same in every row.
        """
        import pandas as pd

        frame = pd.DataFrame({name: pd.Series(getattr(self, name)).array for name in self.columns})
        for name in ("rank", "rank_low", "rank_high"):
            if (frame[name] == NO_RANK).any():
                frame[name] = frame[name].astype("Int64").mask(frame[name] == NO_RANK)
        return frame.assign(**constants(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the board to a file. The file is written completely or not at all.

        Parameters
        ----------
        path : str or path
            The suffix selects the format:

            - ``.csv``: the columns of `to_frame` with all digits; missing numbers are empty cells. Text that
              starts with = + - @, a tab or a line break gets an apostrophe in front, since a spreadsheet
              would run it as a formula.
            - ``.json``: a list with one object per item; a missing number is null, a team is a list.
            - ``.parquet``: the columns of `to_frame`; a team is a list.
            - ``.md``: a table with the title and the notes, numbers rounded as on the screen.

            In CSV and Markdown the members of a team are joined by " + ".
        """
        path = checked_path(path, WRITERS)
        write_whole(path, WRITERS[path.suffix.lower()](self))

    def __repr__(self) -> str:
        cells = _cells(self[:SHOWN_ROWS], _columns_to_show(self), printable_name)
        cells["item"] = short_names(cells["item"], LONGEST_NAME)
        return "\n".join([_heading(self), *verdict_lines(self), *text_lines(cells, LEFT), *_remarks(self)])

    def _repr_html_(self) -> str:
        cells = _cells(self[:SHOWN_ROWS], _columns_to_show(self), label_text)
        lines = "".join(f"<p>{escape(remark)}</p>" for remark in _remarks(self))
        top = "".join(f"<p>{escape(line)}</p>" for line in verdict_lines(self))
        return top + html_table(cells, LEFT, _heading(self)) + lines


def _spelled_alike(item: Any, labels: list[Any]) -> str:
    """The names most like an unknown one, or that contain it, as the end of a sentence; case is ignored."""
    wanted, names = label_text(item).casefold(), {label_text(label).casefold(): label for label in labels}
    alike = get_close_matches(wanted, names) or [name for name in names if wanted and wanted in name][:3]
    found = [label_text(names[name]) for name in alike]
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


def scale_text(board: Board) -> str:
    """A description of the numbers: their scale and intervals, the kind of ranks, what is held equal."""
    intervals = f"{100 * board.level:g} % intervals" if board.has_interval.any() else "no intervals"
    ranks = "" if board.ranks is None else f", {board.ranks} ranks"
    equal = held_equal(board)
    return f"{SCALES[board.scale]}, {intervals}{ranks}{', ' * bool(equal)}{equal}"


def rank_text(rank: int) -> str:
    """A rank as text; a dash if there is none."""
    return "–" if rank == NO_RANK else f"{rank:,}"


def range_texts(board: Board) -> list[str]:
    """The range of every rank, such as 2–7; a dash if there is none."""
    ends = zip(map(rank_text, board.rank_low), map(rank_text, board.rank_high), strict=True)
    return [low if low == high else f"{low}–{high}" for low, high in ends]


def _heading(board: Board) -> str:
    items = "1 item" if len(board) == 1 else f"{len(board):,} items"
    return f"{board.title or 'Leaderboard'}: {items}, {scale_text(board)}"


def _verdict(board: Board) -> str:
    if not len(board):
        return ""
    if board.has_groups:
        return (
            f"nobody leads: no comparison connects the {len(set(board.component.tolist())):,} groups of items"
        )
    if not board.rank.any():
        return "nobody leads: hardly anything is known about any item"
    first = board.rank == (1 if board.rank[0] else board.rank[board.rank != NO_RANK].min())
    if not first.any():  # rows from the middle of a board
        return ""
    leaders = _in_a_sentence(board.item[first], int(first.sum()))
    one, level = first.sum() == 1, f"{100 * board.level:g} %"
    leads = f"{leaders} {'leads' if one else 'share the lead'}"
    if board.ranks is None:
        return f"{leads}; how surely is not known"
    if board.rank_low[first].max() > 1:
        return f"{leads} among the items with a rank; one that is hardly known seems better"
    others = int(board.rank_high[first].max() - first.sum())  # that are not certainly worse
    if others:
        among = _in_a_sentence(board.item[(board.rank_low == 1) & ~first], others)
        by_pairs = "pair by pair, " * (board.ranks == "pairwise")
        return f"{leads}; {by_pairs}the data cannot tell {'it' if one else 'them'} from {among}"
    if board.ranks == "pairwise":
        return f"{leads}; pair by pair, every other item is certainly worse, {level} each"
    return f"{leaders} {'is' if one else 'are'} best, {level}"


def _in_a_sentence(items: Any, n: int) -> str:
    """The first names of ``n`` items, of which some may be known by number only."""
    names = short_names([printable_name(item) for item in items[:NAMED]], LONGEST_NAME)
    more = n - len(names)
    others = f"{more:,} other{'s' * (more > 1)}"
    return joined([*names, *[others] * bool(more)])


def verdict_lines(board: "Leaderboard") -> list[str]:
    """What stands on top of a board: the verdict, if the ranks have ranges."""
    return [board.verdict] if board.ranks is not None and board.verdict else []


def _remarks(board: Board) -> list[str]:
    left_out = len(board) - SHOWN_ROWS
    more = [f"… and {left_out:,} more"] if left_out > 0 else []
    return [*more, *remarks(board), *(f"Note: {note}" for note in board.notes)]


# ------------------------------------------------------------------------------------ Markdown


def as_markdown(board: "Leaderboard") -> str:
    """All rows as a table in Markdown, with the title and the notes."""
    cells = _cells(board, _columns_to_show(board), label_text)
    lines = [markdown_text(line) for line in remarks(board)]
    lines += [f"Note: {markdown_text(note)}" for note in board.notes]
    top = map(markdown_text, [_heading(board), *verdict_lines(board)])
    return "\n\n".join([*top, markdown_table(cells, LEFT), *lines]) + "\n"


# ------------------------------------------------------------------------------------ cells


def _columns_to_show(board: Board) -> list[str]:
    """The columns worth showing, with the ranges behind the ranks.

    There is no component if there is only one, and there are no intervals and ranges if there are none.
    """
    silent = {"rank_low", "rank_high"} | (set() if board.has_interval.any() else {"low", "high"})
    if not board.has_groups:
        silent.add("component")
    shown = [name for name in board.columns if name not in silent]
    return [shown[0], *[RANGE] * board.has_ranges, *shown[1:]]


def _cells(board: Board, columns: Sequence[str], name_of: Callable[[Any], str]) -> dict[str, list[str]]:
    """The columns as text with rounded numbers; a missing number is a dash."""
    names = [name_of(label) for label in board.item]
    return {name: names if name == "item" else _numbers(board, name) for name in columns}


def _numbers(board: Board, name: str) -> list[str]:
    if name == RANGE:
        return range_texts(board)
    column = getattr(board, name)
    if name == "rank":
        return [rank_text(rank) for rank in column]
    if name in ("score", "low", "high", "unpooled"):
        spec = SCORE_FORMATS[board.scale]
    else:
        spec = ",.0f" if np.array_equal(column, np.rint(column), equal_nan=True) else ",.1f"
    return ["–" if np.isnan(number) else format(number, spec) for number in column]


# ------------------------------------------------------------------------------------ files


def writers(markdown: Callable[[Any], str]) -> dict[str, Callable[[Any], bytes]]:
    """What turns a board, or several, into the content of a file, by its ending.

    In CSV infinite bounds are empty cells, since spreadsheets do not know inf.
    """
    return {
        ".csv": lambda board: as_csv(board.to_frame().replace([np.inf, -np.inf], np.nan)),
        ".json": lambda board: as_json(_with_origin(board)),
        ".parquet": lambda board: as_parquet(board.to_frame()),
        ".md": lambda board: markdown(board).encode(),
    }


def _with_origin(board: Any) -> "pd.DataFrame":
    """The frame of a board or of several; every row says how to repeat it, if that is known."""
    frame, known = board.to_frame(), getattr(board, "overall", board).provenance
    return frame.assign(provenance=[known] * len(frame)) if known else frame


WRITERS = writers(as_markdown)
