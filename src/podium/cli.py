"""The command line: what `podium` does in a terminal. It reads, calls a model and shows the result."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

if TYPE_CHECKING:
    from rich.console import Console

    from podium.comparisons import Comparisons
    from podium.leaderboard import Leaderboard

app = typer.Typer(
    name="podium",
    help="Learn from comparisons: who is better, or is there no difference?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

SHOWN = 50


class Model(StrEnum):
    bradley_terry = "bradley-terry"
    elo = "elo"
    glicko = "glicko"


class Ties(StrEnum):
    davidson = "davidson"
    rao_kupper = "rao-kupper"
    half = "half"
    ignore = "ignore"


class Scale(StrEnum):
    elo = "elo"
    log = "log"
    skill = "skill"


class OutcomeFormat(StrEnum):
    score = "score"
    sign = "sign"
    winner = "winner"


def _show_version(wanted: bool) -> None:
    if wanted:
        from podium import __version__

        typer.echo(f"podium {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


READING = "Reading"
MODEL = "Model"


@app.command()
def rank(
    files: Annotated[
        list[str], typer.Argument(help="CSV, TSV or Parquet files (.gz too), or patterns of them.")
    ],
    left: Annotated[
        list[str] | None,
        typer.Option(help="Column of the left side; twice for teams.", rich_help_panel=READING),
    ] = None,
    right: Annotated[
        list[str] | None, typer.Option(help="Column of the right side.", rich_help_panel=READING)
    ] = None,
    outcome: Annotated[
        list[str] | None,
        typer.Option(help="Column of the outcome; twice for two scores.", rich_help_panel=READING),
    ] = None,
    outcome_format: Annotated[
        OutcomeFormat | None, typer.Option(help="If it is ambiguous.", rich_help_panel=READING)
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of weights.", rich_help_panel=READING)] = None,
    group: Annotated[
        str | None, typer.Option(help="Column of the judge, prompt or season.", rich_help_panel=READING)
    ] = None,
    time: Annotated[str | None, typer.Option(help="Column of time.", rich_help_panel=READING)] = None,
    team_separator: Annotated[
        str | None, typer.Option(help="Between team members in one cell.", rich_help_panel=READING)
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of text files.", rich_help_panel=READING)] = "utf-8",
    model: Annotated[Model, typer.Option(rich_help_panel=MODEL)] = Model.bradley_terry,
    ties: Annotated[Ties, typer.Option(help="How ties are modelled.", rich_help_panel=MODEL)] = Ties.davidson,
    prior: Annotated[
        str, typer.Option(help="'auto', or the weight of the prior.", rich_help_panel=MODEL)
    ] = "auto",
    order_effect: Annotated[
        bool,
        typer.Option("--order-effect", help="Estimate an advantage of the left side.", rich_help_panel=MODEL),
    ] = False,
    bootstrap: Annotated[
        int,
        typer.Option(min=0, help="Replicates for the intervals, by --group if given.", rich_help_panel=MODEL),
    ] = 0,
    seed: Annotated[int | None, typer.Option(help="Of the bootstrap.", rich_help_panel=MODEL)] = None,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    scale: Annotated[Scale, typer.Option(help="Of the scores.")] = Scale.elo,
    anchor: Annotated[
        str | None, typer.Option(help="ITEM or ITEM=SCORE that the others are measured by.")
    ] = None,
    min_games: Annotated[float, typer.Option(help="Leave out items with fewer games.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Save the leaderboard: .csv, .json, .parquet or .md.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Save its picture: .png or .svg.")] = None,
) -> None:
    """Rank the items of a file of comparisons, with intervals."""
    from rich.console import Console

    console = Console()
    with _sentences(), _warnings_shown():
        _check_targets(out, plot)
        with _busy(console, "reading"):
            comparisons = _read(
                files, left, right, outcome, outcome_format, weight, group, time, team_separator, encoding
            )
        if model is Model.bradley_terry:
            board = _bradley_terry_board(
                console,
                comparisons,
                ties,
                prior,
                order_effect,
                bootstrap,
                seed,
                level,
                scale,
                anchor,
                min_games,
            )
        else:
            with _busy(console, "rating"):
                board = _rating_board(model, comparisons, level, min_games)
        _show(console, comparisons, board)
        _save(console, board, out, plot)


@app.command()
def demo(
    picture: Annotated[Path, typer.Option(help="Where the picture goes: .png or .svg.")] = Path(
        "podium-demo.png"
    ),
) -> None:
    """Rank the players of a chess club that comes with podium, and draw the leaderboard."""
    from rich.console import Console

    from podium.datasets import load_chess_club

    console = Console()
    with _sentences(), _warnings_shown():
        games = load_chess_club()
        with _busy(console, "fitting (the first run compiles)"):
            from podium import BradleyTerry

            board = BradleyTerry(order_effect=True).fit(games).leaderboard()
        _show(console, games, board)
        _save(console, board, None, picture)


def main() -> None:
    """Run the command line."""
    app()


# ------------------------------------------------------------------------------------------------ steps


def _read(
    files: list[str],
    left: list[str] | None,
    right: list[str] | None,
    outcome: list[str] | None,
    outcome_format: OutcomeFormat | None,
    weight: str | None,
    group: str | None,
    time: str | None,
    team_separator: str | None,
    encoding: str,
) -> "Comparisons":
    from podium import read_comparisons

    return read_comparisons(
        files,
        left=left or None,
        right=right or None,
        outcome=outcome or None,  # type: ignore[arg-type]
        outcome_format=None if outcome_format is None else outcome_format.value,
        weight=weight,
        group=group,
        time=time,
        team_separator=team_separator,
        encoding=encoding,
    )


def _bradley_terry_board(
    console: "Console",
    c: "Comparisons",
    ties: Ties,
    prior: str,
    order_effect: bool,
    bootstrap: int,
    seed: int | None,
    level: float,
    scale: Scale,
    anchor: str | None,
    min_games: float,
) -> "Leaderboard":
    from podium import BradleyTerry

    estimator = BradleyTerry(ties=ties.value, prior=_prior(prior), order_effect=order_effect)
    with _busy(console, "fitting"):
        estimator.fit(c)
    samples = None
    if bootstrap:
        with _busy(console, f"bootstrapping {bootstrap:,} replicates"):
            samples = estimator.bootstrap(bootstrap, random_state=seed, groups=c.group is not None)
    return estimator.leaderboard(
        level, scale=scale.value, anchor=_anchor(anchor, c), min_games=min_games, bootstrap=samples
    )


def _rating_board(model: Model, c: "Comparisons", level: float, min_games: float) -> "Leaderboard":
    from podium import Elo, Glicko

    system = Elo() if model is Model.elo else Glicko()
    return system.fit(c).leaderboard(c, level, min_games)


def _prior(text: str) -> Any:
    try:
        return text if text == "auto" else float(text)
    except ValueError:
        raise ValueError(f"--prior is 'auto' or a number, not '{text}'") from None


def _anchor(text: str | None, c: "Comparisons") -> Any:
    """ITEM, or ITEM=SCORE; the item as the file's labels are typed."""
    if text is None:
        return None
    labels = {str(label): label for label in c.items.tolist()}
    if text in labels:
        return labels[text]
    name, _, score = text.rpartition("=")
    try:
        return labels[name], float(score)
    except (KeyError, ValueError):
        raise ValueError(f"--anchor is an item or ITEM=SCORE; there is no item '{name or text}'") from None


# ------------------------------------------------------------------------------------------------ showing


def _show(console: "Console", c: "Comparisons", board: "Leaderboard") -> None:
    """A table with a bar for each interval; it fits 80 columns."""
    from rich import box
    from rich.table import Table

    from podium.leaderboard import label_text, scale_text
    from podium.summary import Summary

    several = bool((board.component > 0).any())
    names = ["rank", "item", "score", "interval", "", "games", "won/tied/lost", *["group"] * several]
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in names:
        left = name in ("item", "")
        table.add_column(
            name,
            justify="left" if left else "right",
            no_wrap=not left,
            min_width=8 if name == "item" else None,
        )
    width = min(max(console.width - 64, 10), 32)
    digits = {"elo": 0, "log": 2, "skill": 4}[board.scale]
    for i in range(min(len(board), SHOWN)):
        known = np.isfinite(board.low[i]) and np.isfinite(board.high[i])
        interval = f"{board.low[i]:.{digits}f}–{board.high[i]:.{digits}f}" if known else ""
        record = "/".join(f"{column[i]:.6g}" for column in (board.wins, board.ties, board.losses))
        cells = [str(board.rank[i]), label_text(board.item[i]), f"{board.score[i]:.{digits}f}", interval]
        cells += [
            _bar(board, i, width),
            f"{board.games[i]:.6g}",
            record,
            *[str(board.component[i] + 1)] * several,
        ]
        table.add_row(*map(_plain, cells))
    console.print(table)
    console.print(_plain(f"{Summary.of(c).text().strip('<>')}; {scale_text(board)}"))
    if len(board) > SHOWN:
        console.print(f"and {len(board) - SHOWN:,} more; --out saves all of them")
    for note in board.notes:
        console.print(f"[yellow]{_plain(note)}[/]")


def _plain(text: str) -> Any:
    """Text that rich shows as it is, whatever brackets a name has."""
    from rich.markup import escape

    return escape(text)


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


def _save(console: "Console", board: "Leaderboard", out: Path | None, plot: Path | None) -> None:
    if out is not None:
        board.save(out)
        console.print(f"saved {out}")
    if plot is not None:
        from podium.plot import LeaderboardDisplay, save_figure

        save_figure(LeaderboardDisplay.from_leaderboard(board).figure_, plot)
        console.print(f"drew {plot}")


def _check_targets(out: Path | None, plot: Path | None) -> None:
    """A wrong ending is found before the work, not after it."""
    from podium.atomic import checked_path
    from podium.leaderboard import WRITERS
    from podium.plot import PICTURES

    for path, endings in ((out, WRITERS), (plot, PICTURES)):
        if path is not None:
            checked_path(path, endings)


@contextmanager
def _busy(console: "Console", what: str) -> Iterator[None]:
    """A pulsing bar for as long as something takes, in a terminal."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        progress.add_task(what, total=None)
        yield


@contextmanager
def _sentences() -> Iterator[None]:
    """Bad input ends in one sentence and exit code 2."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        typer.secho(f"podium: {error}", err=True, fg="red")
        raise typer.Exit(2) from None


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Warnings as sentences, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for message in dict.fromkeys(str(warning.message) for warning in caught):
                print(f"podium: {message}", file=sys.stderr)
