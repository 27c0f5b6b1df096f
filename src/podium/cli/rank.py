"""podium rank and podium demo: a leaderboard from a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.fit import Settings
from podium.cli.options.option import option
from podium.cli.options.reading import (
    Files,
    check_controls,
    check_names,
    for_rankings,
    names_sides,
    reads,
)
from podium.cli.options.registry import MODELS
from podium.cli.options.skill import SkillOptions, check_taken, make_estimator, timed
from podium.cli.output.board import SHOWN, Results, picture_of, rows_shown, show_board
from podium.cli.output.errors import said_already, sentences
from podium.cli.output.outputs import Outputs
from podium.cli.output.report import ReportOptions, board_page
from podium.cli.output.results import Targets, add_results, show_results, show_summary
from podium.cli.output.screen import busy, console, plain
from podium.cli.results import results
from podium.options import MODEL, FeatureReading, RankingReading, Reading, SkillModel

if TYPE_CHECKING:
    from podium.comparisons.rankings.table import Rankings
    from podium.comparisons.table import Comparisons
    from podium.reading.sources.counting import Progress
    from podium.reading.sources.opened import Opened

Top = Annotated[
    int | None,
    option("How many items the screen shows; files have all of them.", min=1, show_default=str(SHOWN)),
]


@reads
def rank(
    files: Files,
    reading: Reading,
    ranking: RankingReading,
    only: SkillOptions,
    targets: Targets,
    model: Annotated[
        SkillModel | None,
        option("By default bradley-terry, and plackett-luce for rankings.", panel=MODEL),
    ] = None,
    settings: Settings = None,
    top: Top = None,
    around: Annotated[
        str | None,
        option(
            "Show this item on the screen with 5 above and 5 below, or --top in all.",
            metavar="ITEM",
            seldom=True,
        ),
    ] = None,
) -> None:
    """Rank the items of a file of comparisons or rankings, with intervals.

    Rankings (races, ballots, top lists, choices) are recognised by the columns: rank1, rank2, ...; race,
    driver and place; text such as 'a > b = c'; chosen and alternatives; or a file of PrefLib. A file that
    could be both holds comparisons, unless --rankings or --kind says otherwise.

    --help-all shows all options; 'podium models NAME' lists those that a model takes.

    Elo, Glicko and Glicko2 follow the games in order; set their parameters with --set, such as k=24.

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
        outputs = targets.outputs(files)
        asked = only.asked(model)
        with busy(screen, "reading"):
            opened = open_table(files, reading.encoding, reading.sheet or None)
        model = model_for(opened, reading, ranking, asked)
        check_taken(model, only, targets)
        only.check()
        estimator = make_estimator(model, only.settings(settings), only)
        with busy(screen, "reading", "rows") as progress:
            c = read_for(opened, reading, ranking, model, estimator, only.by, progress)
        at = only.moment(c.time, reading.dates) if model == "dynamic-bradley-terry" else None
        found = results(screen, c, estimator, only, targets, at)
        show_results(screen, c, found, rows_shown(found.board, top, around), only)
        if found.summary is not None and "summary" not in outputs.paths:
            show_summary(screen, found.summary)
        page = "page" in outputs.paths and board_page(screen, files, reading, c, estimator, found, said)
        add_results(outputs, found)  # after the page, as its warnings are about pictures
        if page:
            targets.add(outputs, page)
        said_already(said, [*found.board.notes, *(found.boards.notes if found.boards else ())])
        outputs.write(screen)


def model_for(
    opened: "Opened", reading: Reading, ranking: RankingReading, asked: SkillModel | None
) -> SkillModel:
    """The model that was asked for, or the one for what the file holds."""
    from podium.reading.rankings.columns import holds_rankings

    wanted = ranking.names_rankings() or asked == "plackett-luce"
    if not wanted and (names_sides(reading) or not holds_rankings(opened)):
        return asked or "bradley-terry"
    if asked not in (None, "plackett-luce"):
        raise ValueError(
            f"{asked} learns from comparisons, and this file is read as rankings; leave out --model, or name "
            "the columns of comparisons with --left, --right and --outcome"
        )
    return "plackett-luce"


def read_for(
    opened: "Opened",
    reading: Reading,
    ranking: RankingReading,
    model: SkillModel,
    estimator: Any,
    by: str | None = None,
    progress: "Progress | None" = None,
) -> "Comparisons | Rankings":
    """What the model learns from."""
    if model == "plackett-luce":
        from podium.reading.rankings.read import rankings_from

        return rankings_from(opened, for_rankings(reading, ranking), None, progress)
    from podium.reading.comparisons import comparisons_from

    if model == "dynamic-bradley-terry":
        reading = timed(reading, opened.header)
    check_controls(reading, [MODELS[model]], [estimator.get_params()])
    counted = None if model == "bradley-terry" else False  # the others need the order of the rows
    c = comparisons_from(opened, FeatureReading(**reading.said(), category=by), counted, progress)
    check_names(c)
    return c


def demo(
    picture: Annotated[Path, option("Where to save the picture: .png or .svg.")] = Path("podium-demo.png"),
    report: Annotated[Path, option("Where to save the report for the browser: .html.")] = Path(
        "podium-demo.html"
    ),
) -> None:
    """Rank the players of a chess club that comes with podium, write a report, and draw the leaderboard."""
    from podium.datasets import load_chess_club

    screen = console()
    with sentences() as said:
        outputs = Outputs([], picture=picture, page=report)
        games = load_chess_club()
        with busy(screen, "fitting"):
            from podium import BradleyTerry

            model = BradleyTerry(order_effect=True).fit(games)
            board = model.leaderboard()
        show_board(screen, games, board, rows_shown(board))
        page = board_page(screen, ["chess_club.csv"], Reading(), games, model, Results(board), said)
        ReportOptions(report=report, title="A chess club").add(outputs, page)
        try:
            outputs.add("drew", "picture", picture_of(board))
        except ImportError as error:  # the first thing that many people run is not the place to fail
            screen.print(plain(f"skipped the picture, as {error}"))
        outputs.write(screen)
