"""What 'podium rank' found: in a terminal, in files and as pictures."""

from collections.abc import Callable, Iterable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from podium.cli.options.skill import SkillOptions
from podium.cli.output.errors import ON_SCREEN
from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import GAP, UNLIMITED, Column, names_in, plain, room_beside, show_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.comparisons.rankings import Rankings
    from podium.comparisons.table import Comparisons
    from podium.leaderboard.boards import Boards
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.skill.summary import Summary

SHOWN = 50  # rows on the screen
NEIGHBOURS = 5  # above and below an item
JUDGES_SHOWN = 50
ALWAYS = ("votes", "agreement")  # columns of judges that are shown on any terminal
MOST_NAMES = 1000  # of a board, from which the names on the screen must differ
SHORTEST_BAR, LONGEST_BAR = 10, 32  # cells; longer on very wide terminals


class Results(NamedTuple):
    """The board, at the time ``at`` if skills move, and whatever else the options ask for."""

    board: "Leaderboard"
    boards: "Boards | None" = None
    judges: "pd.DataFrame | None" = None
    summary: "Summary | None" = None
    history: "pd.DataFrame | None" = None
    at: Any = None
    drawn: "list[Any] | None" = None  # the items in pictures of the history
    compared: tuple[str, ...] = ()
    fragile: tuple[str, ...] = ()


def rows_shown(board: "Leaderboard", top: int | None = None, around: str | None = None) -> "Leaderboard":
    """The part of the board that the screen shows: the best items, or those near one item."""
    from podium.writing.label_text import label_text

    if around is None:
        return board[: top or SHOWN]
    named = {label_text(item): item for item in board.item}
    item = named.get(around, around)
    near = board.around(item, NEIGHBOURS)  # refuses an unknown item
    if top is None:
        return near
    start = min(board.item.tolist().index(item) - top // 2, len(board) - top)
    return board[max(start, 0) :][:top]


def show_board(
    screen: "Console", c: "Comparisons | Rankings", board: "Leaderboard", shown: "Leaderboard"
) -> None:
    """The part ``shown`` of a board as a table, with a bar for each interval if there is room."""
    from podium.comparisons.rankings import Rankings
    from podium.comparisons.summary import RECORD
    from podium.leaderboard.effects import remarks
    from podium.leaderboard.leaderboard import scale_text, verdict_lines

    for line in verdict_lines(board):
        screen.print(f"[bold]{plain(line)}[/]")
    show_table(screen, _columns(screen, board, shown))
    screen.print(plain(f"{c.summary().text().strip('<>')}; {scale_text(board)}"))
    for line in [*[RECORD] * isinstance(c, Rankings), *remarks(board)]:
        screen.print(plain(line))
    if left_out := len(board) - len(shown):
        screen.print(f"and {left_out:,} more; --top {len(board)} shows all of them")
    _show_notes(screen, board.notes)


def _show_notes(screen: "Console", notes: "Iterable[str]") -> None:
    """Notes below a table; who reads them there need not read them again among the warnings."""
    for note in notes:
        screen.print(f"[yellow]{plain(note)}[/]")
        ON_SCREEN.add(note)


def _columns(screen: "Console", board: "Leaderboard", shown: "Leaderboard") -> list[Column]:
    """The columns of the table; the bars get the room that the others leave."""
    from podium.leaderboard.board import SCORE_FORMATS
    from podium.leaderboard.leaderboard import range_texts, rank_text
    from podium.writing.label_text import LONGEST_NAME

    spec = SCORE_FORMATS[board.scale]
    intervals = [
        f"{low:{spec}}–{high:{spec}}" if isfinite(high - low) else ""
        for low, high in zip(shown.low, shown.high, strict=True)
    ]
    records = zip(shown.wins, shown.ties, shown.losses, strict=True)
    columns = [
        Column("rank", [rank_text(rank) for rank in shown.rank]),
        *[Column("range", range_texts(shown), optional=True)] * board.has_ranges,
        Column("item", names_in(shown.item), "name", least=8, among=names_in(board.item[:MOST_NAMES])),
        Column("score", [format(score, spec) for score in shown.score]),
        Column("interval", intervals),
        Column("games", [f"{games:.6g}" for games in shown.games], optional=True),
        Column("won/tied/lost", ["/".join(f"{n:.6g}" for n in record) for record in records], optional=True),
    ]
    if (board.component > 0).any():
        columns.append(Column("group", [str(component + 1) for component in shown.component]))
    room = room_beside(screen, columns, {"name": LONGEST_NAME}) - GAP
    if room >= SHORTEST_BAR and len(shown):
        longest = LONGEST_BAR if screen.width == UNLIMITED else max(LONGEST_BAR, 3 * screen.width // 10)
        columns.insert(4 + board.has_ranges, Column("", _bars(shown, min(room, longest)), "bar"))
    return columns


def show_boards(screen: "Console", boards: "Boards", shown: "Leaderboard") -> None:
    """The ranks by category as a table; as many categories as fit, those with the most games first."""
    import numpy as np

    ranks = boards.ranks.astype(object).loc[list(shown.item)].to_numpy(na_value="–").astype(str)
    games = np.array([board.games.sum() for board in boards.values()])
    among = names_in(boards.overall.item[:MOST_NAMES])
    columns = [
        Column("item", names_in(shown.item), "name", among=among),
        Column("overall", ranks[:, 0].tolist()),
    ]
    titles = names_in(boards)
    for place in np.argsort(-games, kind="stable"):
        columns.append(Column(titles[place], ranks[:, place + 1].tolist(), optional=True))
    show_table(screen, columns)
    is_pooled = any(board.unpooled is not None for board in boards.values())
    drawn = ", drawn towards the overall board" if is_pooled else ""
    screen.print(plain(f"ranks overall and by category, {len(boards):,} of them{drawn}"))
    _show_notes(screen, boards.notes)


def _bars(board: "Leaderboard", width: int) -> list[str]:
    """The intervals on one scale: ├──●──┤."""
    from podium.leaderboard.axes import Span

    ends = (board.low, board.score, board.high)
    span = Span.of(*ends)
    places = ((width - 1) * span.share(column) for column in ends)
    return [_bar(row, width) for row in zip(*places, strict=True)]


def _bar(places: "Iterable[float]", width: int) -> str:
    low, dot, high = (min(max(round(place), 0), width - 1) if isfinite(place) else None for place in places)
    cells = [" "] * width
    if low is not None and high is not None:
        cells[low : high + 1] = "─" * (high + 1 - low)
        cells[low], cells[high] = "├", "┤"
    if dot is not None:
        cells[dot] = "●"
    return "".join(cells)


def show_results(
    screen: "Console", c: "Comparisons | Rankings", found: Results, shown: "Leaderboard", only: SkillOptions
) -> None:
    """Print the results for the items ``shown``."""
    screen.print(plain(f"columns: {c.columns}"))
    names: tuple[str, ...] = getattr(c, "group_names", ())
    if len(names) > 1:
        screen.print(plain(f"--group: judges are those of '{names[0]}', the first of several groups"))
    show_board(screen, c, found.board, shown)
    for line in [*found.compared, *(found.fragile if only.fragility else ())]:
        screen.print(plain(line))
    if found.history is not None:
        _show_history(screen, found.history, found.board.scale, only.anchor)
    if found.boards is not None:
        show_boards(screen, found.boards, shown)
    if found.judges is not None:
        show_judges(screen, found.judges)


def _show_history(screen: "Console", history: "pd.DataFrame", board_scale: str, anchor: str | None) -> None:
    """The highest score ever and the biggest mover, and their scale if it is not that of the board."""
    from podium.leaderboard.board import SCALES
    from podium.leaderboard.history import highlights

    for line in highlights(history):
        screen.print(plain(line))
    scale = history.attrs["scale"]
    if anchor is not None or scale != board_scale:
        without = "" if anchor is None else ", without an anchor"
        screen.print(f"scores through time are on the {SCALES[scale]}{without}")


def show_judges(screen: "Console", judges: "pd.DataFrame") -> None:
    """A table of the judges, the most surprising ones first."""
    from podium.web.judges import WHY, agreement_text, columns_of, in_order, number

    shown, why = in_order(judges)[:JUDGES_SHOWN], next(key for key in WHY if key in judges)
    numbers = [
        Column(title, [number(name, value) for value in shown[name]], optional=name not in ALWAYS)
        for name, title in columns_of(judges).items()
    ]
    last = Column(WHY[why], shown[why].tolist(), "text")
    show_table(screen, [Column("judge", names_in(shown["judge"]), "name", least=8), *numbers, last])
    screen.print(plain(agreement_text(judges)))
    if len(judges) > JUDGES_SHOWN:
        screen.print(f"and {len(judges) - JUDGES_SHOWN:,} more; --judges-out saves all of them")


def show_summary(screen: "Console", summary: "Summary") -> None:
    """The table and what is below it, in full unless it goes to a terminal; long lines are not broken."""
    from podium.skill.summary import as_text

    screen.print()
    screen.print(plain(as_text(summary, whole=not screen.is_terminal)), soft_wrap=True)


# ------------------------------------------------------------------------------------ files


def add_results(outputs: Outputs, found: Results) -> None:
    """What writes the files of the results, but for the report."""
    if found.summary is not None:
        outputs.add("summary", found.summary.save)
    outputs.add("board", (found.boards or found.board).save)
    if "picture" in outputs.paths:
        outputs.add("picture", picture_of(found.boards or found.board))
    if found.history is not None and outputs.draws("history"):
        from podium.plot import HistoryDisplay

        outputs.add("history", HistoryDisplay.from_frame(found.history, found.drawn).save)
    elif found.history is not None:
        outputs.add_table(found.history, "history")
    if found.judges is not None:
        from podium.web.judges import in_order

        outputs.add_table(in_order(found.judges))


def picture_of(board: "Leaderboard | Boards") -> Callable[[Path], None]:
    """Draw it; returns what saves the picture."""
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.plot import BoardsDisplay, LeaderboardDisplay

    if isinstance(board, Leaderboard):
        return LeaderboardDisplay.from_leaderboard(board).save
    return BoardsDisplay.from_boards(board).save
