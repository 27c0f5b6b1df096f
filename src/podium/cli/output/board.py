"""A leaderboard in a terminal, in a file and as a picture."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.cli.output.screen import plain, table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.comparisons.rankings.table import Rankings
    from podium.comparisons.table import Comparisons
    from podium.leaderboard.boards import Boards
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.skill.summary import Summary

SHOWN = 50


class Results(NamedTuple):
    """The board, at the time ``at`` if skills move, and whatever else the options ask for."""

    board: "Leaderboard"
    boards: "Boards | None" = None
    judges: "pd.DataFrame | None" = None
    summary: "Summary | None" = None
    history: "pd.DataFrame | None" = None
    at: Any = None


def show_board(screen: "Console", c: "Comparisons | Rankings", board: "Leaderboard") -> None:
    """A table with a bar for each interval; it fits 80 columns."""
    from podium.comparisons.rankings.summary import RECORD
    from podium.comparisons.rankings.table import Rankings
    from podium.leaderboard.effects import remarks
    from podium.leaderboard.leaderboard import rank_text, scale_text
    from podium.writing.label_text import label_text, printable

    several = bool((board.component > 0).any())
    names = ["rank", "item", "score", "interval", "", "games", "won/tied/lost", *["group"] * several]
    shown = table(names, left=("item", ""))
    shown.columns[1].min_width = 8
    width = min(max(screen.width - 64, 10), 32)
    digits = {"elo": 0, "log": 2, "skill": 4}[board.scale]
    for i in range(min(len(board), SHOWN)):
        known = np.isfinite(board.low[i]) and np.isfinite(board.high[i])
        interval = f"{board.low[i]:.{digits}f}–{board.high[i]:.{digits}f}" if known else ""
        record = "/".join(f"{column[i]:.6g}" for column in (board.wins, board.ties, board.losses))
        name = printable(label_text(board.item[i]))
        cells = [rank_text(board.rank[i]), name, f"{board.score[i]:.{digits}f}", interval]
        group = [str(board.component[i] + 1)] * several
        cells += [_bar(board, i, width), f"{board.games[i]:.6g}", record, *group]
        shown.add_row(*map(plain, cells))
    screen.print(shown)
    screen.print(plain(f"{c.summary().text().strip('<>')}; {scale_text(board)}"))
    for line in [*[RECORD] * isinstance(c, Rankings), *remarks(board)]:
        screen.print(plain(line))
    if len(board) > SHOWN:
        screen.print(f"and {len(board) - SHOWN:,} more; --out saves all of them")
    for note in board.notes:
        screen.print(f"[yellow]{plain(note)}[/]")


def show_boards(screen: "Console", boards: "Boards") -> None:
    """The ranks by category as a table; as many categories as fit, those with the most games first."""
    from podium.writing.label_text import label_text, printable

    ranks = boards.ranks.astype(object)
    games = np.array([board.games.sum() for board in boards.values()])
    chosen = np.argsort(-games, kind="stable")[: max((screen.width - 30) // 9, 1)]
    titles = [printable(label_text(list(boards)[place])) for place in chosen]
    shown = table(["item", "overall", *titles], left=("item",))
    for item, row in zip(ranks.index[:SHOWN], ranks.to_numpy(na_value="–"), strict=False):
        cells = [printable(label_text(item)), *row[[0, *(chosen + 1)]].astype(str)]
        shown.add_row(*map(plain, cells))
    screen.print(shown)
    left_out = len(boards) - len(chosen)
    more = f"; {left_out:,} more categories are left out here, and --out saves them" if left_out else ""
    is_pooled = any(board.unpooled is not None for board in boards.values())
    drawn = ", drawn towards the overall board" if is_pooled else ""
    screen.print(plain(f"ranks overall and by category, {len(boards):,} of them{drawn}{more}"))
    for note in boards.notes:
        screen.print(f"[yellow]{plain(note)}[/]")


def _bar(board: "Leaderboard", i: int, width: int) -> str:
    """The interval on the scale of all shown: ├──●──┤."""
    shown = slice(0, SHOWN)
    values = np.concatenate([board.low[shown], board.high[shown], board.score[shown]])
    values = values[np.isfinite(values)]
    lowest, place = values.min(), (width - 1) / max(np.ptp(values), 1e-12)
    low, dot, high = (
        int(np.clip(round((value - lowest) * place), 0, width - 1)) if np.isfinite(value) else None
        for value in (board.low[i], board.score[i], board.high[i])
    )
    cells = [" "] * width
    if low is not None and high is not None:
        cells[low : high + 1] = "─" * (high + 1 - low)
        cells[low], cells[high] = "├", "┤"
    if dot is not None:
        cells[dot] = "●"
    return "".join(cells)


def picture_of(board: "Leaderboard | Boards") -> Callable[[Path], None]:
    """Draw it; returns what saves the picture."""
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.plot import BoardsDisplay, LeaderboardDisplay, save_figure

    if isinstance(board, Leaderboard):
        return partial(save_figure, LeaderboardDisplay.from_leaderboard(board).figure_)
    return partial(save_figure, BoardsDisplay.from_boards(board).figure_)


def check_targets(out: Path | None, plot: Path | None) -> None:
    """A wrong ending is found before the work, not after it."""
    from podium.leaderboard.leaderboard import WRITERS
    from podium.plot import PICTURES
    from podium.writing.atomic import checked_path

    for path, endings in ((out, WRITERS), (plot, PICTURES)):
        if path is not None:
            checked_path(path, endings)
