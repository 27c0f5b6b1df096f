"""podium rank and podium demo: a leaderboard from a file."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.fit import Settings
from podium.cli.options.reading import (
    Files,
    check_controls,
    check_names,
    for_rankings,
    names_sides,
    reads,
)
from podium.cli.options.registry import MODELS
from podium.cli.options.skill import (
    LEVEL,
    MODEL,
    DynamicOptions,
    Model,
    SkillOptions,
    make_estimator,
    period_setting,
    timed,
)
from podium.cli.output.board import (
    SHOWN,
    Results,
    check_targets,
    picture_of,
    rows_shown,
    show_board,
    show_boards,
)
from podium.cli.output.errors import said_already, sentences
from podium.cli.output.history import add_history, check_history, show_history
from podium.cli.output.judges import check_judges, save_judges, show_judges
from podium.cli.output.outputs import Outputs, check_apart
from podium.cli.output.report import ReportOptions, board_page
from podium.cli.output.screen import busy, console, plain
from podium.cli.output.summary import check_summary, show_summary
from podium.cli.results import results
from podium.options import FeatureReading, RankingReading, Reading

if TYPE_CHECKING:
    from rich.console import Console

    from podium.comparisons.rankings.table import Rankings
    from podium.comparisons.table import Comparisons
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.reading.files import Opened
    from podium.reading.sources.watching import Progress

Top = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many items the screen shows; files have all of them.", show_default=str(SHOWN)
    ),
]


@reads
def rank(
    files: Files,
    reading: Reading,
    ranking: RankingReading,
    only: SkillOptions,
    dynamic: DynamicOptions,
    page: ReportOptions,
    model: Annotated[
        Model | None,
        typer.Option(help="By default bradley-terry, and plackett-luce for rankings.", rich_help_panel=MODEL),
    ] = None,
    settings: Settings = None,
    period: Annotated[
        str | None,
        typer.Option(
            help="Elo, Glicko and Glicko2 rate at once the games of a day, week, month, season (value of "
            "--time) or N days.",
            metavar="day|week|month|season|N",
            rich_help_panel=MODEL,
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of categories: one more board for each.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = LEVEL,
    min_games: Annotated[float, typer.Option(min=0, help="Leave out items with fewer games.")] = 0,
    top: Top = None,
    around: Annotated[
        str | None,
        typer.Option(
            metavar="ITEM", help="Show this item on the screen with 5 above and 5 below, or --top in all."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save the leaderboard: .csv, .json, .parquet or .md.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Save a picture of it: .png or .svg.")] = None,
) -> None:
    """Rank the items of a file of comparisons or rankings, with intervals.

    Rankings (races, ballots, top lists, choices) are recognised by the columns: rank1, rank2, ...; race,
    driver and place; text such as 'a > b = c'; chosen and alternatives; or a file of PrefLib. A file that
    could be both holds comparisons, unless --rankings or --kind says otherwise.

    Elo, Glicko and Glicko2 follow the games in order; set their parameters with --set, such as k=24. --by,
    --ties, --prior, --order-effect, --half-life, --covariance, --bootstrap, --seed, --scale, --ranks,
    --anytime, --anchor, --judges and --summary are for bradley-terry. Of these, plackett-luce takes --ties
    ignore, --prior, --covariance, --bootstrap, --seed, --scale, --ranks, --anytime, --anchor and --summary,
    and dynamic-bradley-terry takes --ties, --order-effect, --scale, --ranks and --anchor.

    --dynamic estimates skills that move, from the times of the comparisons. --history history.png draws
    them, and --at 2015-01-01 shows the board of that date.

    --control length,bold compares items at equal length and bold, and estimates what these are worth (for
    bradley-terry and dynamic-bradley-terry). --covariance cluster --group judge allows for judges with
    tastes of their own.

    A column 'probability', as 'podium next' and 'podium vote' write it, says that pairs were chosen by
    earlier results. Intervals are then those of --anytime, which are wider, unless the model, --prior normal,
    --half-life or --bootstrap rules them out. --no-anytime makes the usual ones.

    --by language adds a board for each language, drawn towards the overall board, and shows the ranks of all
    items overall and by language. --out then saves all boards, and --plot draws the ranks.
    """
    from podium.reading.files import open_table

    screen = console()
    with sentences() as said:
        check_targets(out, plot)
        page.check()
        check_judges(only.judges_out)
        check_history(dynamic.history)
        summary = check_summary(only.summary)
        check_apart(files, out, plot, page.report, summary, only.judges_out, dynamic.history)
        asked = dynamic.model(model)
        with busy(screen, "reading"):
            opened = open_table(files, reading.encoding, reading.sheet or None)
        model = model_for(opened, reading, ranking, asked)
        dynamic.check(model)
        if period is not None:
            settings = [*(settings or []), period_setting(model, period)]
        estimator = make_estimator(model, settings or [], only, level, by)
        with busy(screen, "reading", "rows") as progress:
            c = read_for(opened, reading, ranking, model, estimator, by, progress)
        at = dynamic.moment(c.time, reading.dates) if model is Model.dynamic_bradley_terry else None
        found = results(screen, c, estimator, only, by, level, min_games, at)
        _show(screen, c, found, rows_shown(found.board, top, around), only)
        made = page.report and board_page(screen, files, reading, c, estimator, found, said)
        outputs = _outputs(found, only, dynamic, out, plot)  # later, as its warnings are about pictures
        if made:
            page.add(outputs, made)
        said_already(said, [*found.board.notes, *(found.boards.notes if found.boards else ())])
        outputs.write(screen)


def model_for(opened: "Opened", reading: Reading, ranking: RankingReading, asked: Model | None) -> Model:
    """The model that was asked for, or the one for what the file holds."""
    from podium.reading.rankings.recognise import holds_rankings

    wanted = ranking.names_rankings() or asked is Model.plackett_luce
    if not wanted and (names_sides(reading) or not holds_rankings(opened)):
        return asked or Model.bradley_terry
    if asked not in (None, Model.plackett_luce):
        raise ValueError(
            f"{asked} learns from comparisons, and this file is read as rankings; leave out --model, or name "
            "the columns of comparisons with --left, --right and --outcome"
        )
    return Model.plackett_luce


def read_for(
    opened: "Opened",
    reading: Reading,
    ranking: RankingReading,
    model: Model,
    estimator: Any,
    by: str | None = None,
    progress: "Progress | None" = None,
) -> "Comparisons | Rankings":
    """What the model learns from."""
    if model is Model.plackett_luce:
        from podium.reading.rankings.read import rankings_from

        return rankings_from(opened, for_rankings(reading, ranking), None, progress)
    from podium.reading.comparisons import comparisons_from

    if model is Model.dynamic_bradley_terry:
        reading = timed(reading, opened.header)
    check_controls(reading, [MODELS[model.value]], [estimator.get_params()])
    by_count = model is Model.bradley_terry  # the others need the order of the rows
    counted = None if by_count else False
    c = comparisons_from(opened, FeatureReading(**reading.said(), category=by), counted, progress)
    check_names(c)
    return c


def _show(
    screen: "Console",
    c: "Comparisons | Rankings",
    found: Results,
    shown: "Leaderboard",
    only: SkillOptions,
) -> None:
    """Print the results for the items ``shown``; a summary that goes to a file is not printed."""
    screen.print(plain(f"columns: {c.columns}"))
    show_board(screen, c, found.board, shown)
    if found.history is not None:
        show_history(screen, found.history, found.board.scale, only.anchor)
    if found.boards is not None:
        show_boards(screen, found.boards, shown)
    if found.judges is not None:
        show_judges(screen, found.judges)
    if found.summary is not None and check_summary(only.summary) is None:
        show_summary(screen, found.summary)


def _outputs(
    found: Results, only: SkillOptions, dynamic: DynamicOptions, out: Path | None, plot: Path | None
) -> Outputs:
    """The files of the results, without the report."""
    outputs = Outputs()
    table = check_summary(only.summary)
    if found.summary is not None and table is not None:
        outputs.add("summarised in", table, found.summary.save)
    if out is not None:
        outputs.add("saved", out, (found.boards or found.board).save)
    if plot is not None:
        outputs.add("drew", plot, picture_of(found.boards or found.board))
    if found.history is not None and dynamic.history is not None:
        add_history(outputs, found.history, dynamic.history)
    if found.judges is not None and only.judges_out is not None:
        outputs.add("saved", only.judges_out, partial(save_judges, found.judges))
    return outputs


def demo(
    picture: Annotated[Path, typer.Option(help="Where to save the picture: .png or .svg.")] = Path(
        "podium-demo.png"
    ),
    report: Annotated[Path, typer.Option(help="Where to save the report for the browser: .html.")] = Path(
        "podium-demo.html"
    ),
) -> None:
    """Rank the players of a chess club that comes with podium, write a report, and draw the leaderboard."""
    from podium.datasets import load_chess_club

    screen = console()
    page = ReportOptions(report, title="A chess club")
    with sentences() as said:
        check_targets(None, picture)
        page.check()
        games = load_chess_club()
        with busy(screen, "fitting"):
            from podium import BradleyTerry

            model = BradleyTerry(order_effect=True).fit(games)
            board = model.leaderboard()
        show_board(screen, games, board, rows_shown(board))
        outputs = Outputs()
        page.add(
            outputs, board_page(screen, ["chess_club.csv"], Reading(), games, model, Results(board), said)
        )
        try:
            outputs.add("drew", picture, picture_of(board))
        except ImportError as error:  # the first thing that many people run is not the place to fail
            screen.print(plain(f"skipped the picture, as {error}"))
        outputs.write(screen)
