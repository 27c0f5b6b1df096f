"""podium rank and podium demo: a leaderboard from a file."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.board import check_targets, save_board, show_board
from podium.cli.errors import sentences
from podium.cli.reading import Files, Reading, check_names, reads
from podium.cli.report import check_report, write_report
from podium.cli.screen import busy, console

if TYPE_CHECKING:
    from rich.console import Console

    from podium.comparisons import Comparisons
    from podium.leaderboard import Leaderboard

MODEL = "Model"


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


@reads
def rank(
    files: Files,
    reading: Reading,
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
    report: Annotated[
        Path | None, typer.Option(help="Save a page with all of it, for any browser: .html.")
    ] = None,
) -> None:
    """Rank the items of a file of comparisons, with intervals."""
    from podium.reading import read_comparisons

    screen = console()
    with sentences() as said:
        check_targets(out, plot)
        check_report(report)
        with busy(screen, "reading"):
            c = read_comparisons(files, **reading.options())
        check_names(c)
        if model is Model.bradley_terry:
            options = ties, prior, order_effect, bootstrap, seed, level, scale, anchor, min_games
            estimator, board = _bradley_terry_board(screen, c, *options)
        else:
            with busy(screen, "rating"):
                estimator, board = _rating_board(model, c, level, min_games)
        show_board(screen, c, board)
        save_board(screen, board, out, plot)
        if report is not None:
            write_report(screen, report, files, reading, c, estimator, board, said)


def demo(
    picture: Annotated[Path, typer.Option(help="Where the picture goes: .png or .svg.")] = Path(
        "podium-demo.png"
    ),
) -> None:
    """Rank the players of a chess club that comes with podium, and draw the leaderboard."""
    from podium.datasets import load_chess_club

    screen = console()
    with sentences():
        games = load_chess_club()
        with busy(screen, "fitting (the first run compiles)"):
            from podium import BradleyTerry

            board = BradleyTerry(order_effect=True).fit(games).leaderboard()
        show_board(screen, games, board)
        save_board(screen, board, None, picture)


def _bradley_terry_board(
    screen: "Console",
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
) -> tuple[Any, "Leaderboard"]:
    from podium import BradleyTerry

    estimator = BradleyTerry(ties=ties.value, prior=_prior(prior), order_effect=order_effect)
    with busy(screen, "fitting"):
        estimator.fit(c)
    samples = None
    if bootstrap:
        with busy(screen, f"bootstrapping {bootstrap:,} replicates"):
            samples = estimator.bootstrap(bootstrap, random_state=seed, groups=c.group is not None)
    board = estimator.leaderboard(
        level, scale=scale.value, anchor=_anchor(anchor, c), min_games=min_games, bootstrap=samples
    )
    return estimator, board


def _rating_board(
    model: Model, c: "Comparisons", level: float, min_games: float
) -> tuple[Any, "Leaderboard"]:
    from podium import Elo, Glicko

    system = (Elo() if model is Model.elo else Glicko()).fit(c)
    return system, system.leaderboard(c, level, min_games)


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
