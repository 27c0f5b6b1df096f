"""podium rank and podium demo: a leaderboard from a file."""

from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from podium.cli.evaluate import MOST_REPLICATES
from podium.cli.fit import Settings
from podium.cli.options.parameters import parse_settings
from podium.cli.options.rankings import RankingReading, names_sides
from podium.cli.options.reading import Files, Reading, check_controls, check_names, reads
from podium.cli.options.registry import MODELS
from podium.cli.output.board import check_targets, picture_of, show_board, show_boards
from podium.cli.output.errors import sentences
from podium.cli.output.judges import check_judges, save_judges, show_judges
from podium.cli.output.outputs import Outputs, check_apart
from podium.cli.output.report import board_page, check_report
from podium.cli.output.screen import busy, console, plain
from podium.cli.output.summary import check_summary, show_summary

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.comparisons.rankings.table import Rankings
    from podium.comparisons.table import Comparisons
    from podium.leaderboard.boards import Boards
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.reading.files import Opened
    from podium.skill.summary import Summary

MODEL = "Model"
LEVEL = 0.95
OF_PAIRS = ("order_effect", "half_life", "judges", "judges_out")  # options that rankings have no use for


class Model(StrEnum):
    bradley_terry = "bradley-terry"
    plackett_luce = "plackett-luce"
    elo = "elo"
    glicko = "glicko"
    glicko2 = "glicko2"


class Ties(StrEnum):
    davidson = "davidson"
    rao_kupper = "rao-kupper"
    half = "half"
    ignore = "ignore"


class Covariance(StrEnum):
    model = "model"
    robust = "robust"
    cluster = "cluster"


class Ranks(StrEnum):
    simultaneous = "simultaneous"
    pairwise = "pairwise"


class Scale(StrEnum):
    elo = "elo"
    log = "log"
    skill = "skill"


@dataclass(frozen=True)
class SkillOptions:
    """Options of bradley-terry, and partly of plackett-luce, that rating systems do not have."""

    ties: Annotated[Ties, typer.Option(help="How ties are modelled.", rich_help_panel=MODEL)] = Ties.davidson
    prior: Annotated[
        str,
        typer.Option(
            help="Weight of the prior, 'auto', or 'normal' for normally distributed log-skills.",
            metavar="auto|normal|NUMBER",
            rich_help_panel=MODEL,
        ),
    ] = "auto"
    order_effect: Annotated[
        bool,
        typer.Option(
            "--order-effect", help="Estimate the advantage of the left side.", rich_help_panel=MODEL
        ),
    ] = False
    half_life: Annotated[
        str | None,
        typer.Option(
            help="Age that halves the weight of a row, counted from the last one: 2y, 6mo, 30d, or a number "
            "in the unit of --time.",
            metavar="SPAN",
            rich_help_panel=MODEL,
        ),
    ] = None
    covariance: Annotated[
        Covariance,
        typer.Option(
            help="Standard errors: of the model, robust (for weights), or clustered by --group.",
            rich_help_panel=MODEL,
        ),
    ] = Covariance.model
    bootstrap: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_REPLICATES,
            help="Take intervals from this many bootstrap replicates; with --group, of groups.",
            rich_help_panel=MODEL,
        ),
    ] = 0
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed of the bootstrap.", rich_help_panel=MODEL)
    ] = None
    scale: Annotated[Scale, typer.Option(help="Scale of the scores.")] = Scale.elo
    ranks: Annotated[
        Ranks, typer.Option(help="Whether the level holds for all ranks jointly or for each pair.")
    ] = Ranks.simultaneous
    anchor: Annotated[str | None, typer.Option(help="ITEM or ITEM=SCORE to measure the others by.")] = None
    summary: Annotated[
        str | None,
        typer.Option(
            metavar="[FILE]", help="Print all estimates with tests and likelihood, or save: .tex, .md, .csv."
        ),
    ] = None
    judges: Annotated[
        bool, typer.Option("--judges", help="Compare each judge (--group) with all the others.")
    ] = False
    judges_out: Annotated[
        Path | None, typer.Option(help="Save the table of judges: .csv, .json or .parquet.")
    ] = None

    def given(self) -> list[str]:
        """The fields that differ from their defaults."""
        return [field.name for field in fields(self) if getattr(self, field.name) != field.default]

    def parameters(self) -> dict[str, Any]:
        """The given options that are parameters of the model."""
        every = {
            "ties": self.ties.value,
            "prior": _prior(self.prior),
            "order_effect": self.order_effect,
            "half_life": _number_or_text(self.half_life),
            "covariance": self.covariance.value,
        }
        return {name: every[name] for name in self.given() if name in every}


@reads
def rank(
    files: Files,
    reading: Reading,
    ranking: RankingReading,
    only: SkillOptions,
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
    out: Annotated[
        Path | None, typer.Option(help="Save the leaderboard: .csv, .json, .parquet or .md.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Save a picture of it: .png or .svg.")] = None,
    report: Annotated[Path | None, typer.Option(help="Save a report for the browser: .html.")] = None,
) -> None:
    """Rank the items of a file of comparisons or rankings, with intervals.

    Rankings (races, ballots, top lists, choices) are recognised by the columns: rank1, rank2, ...; race,
    driver and place; text such as 'a > b = c'; chosen and alternatives; or a file of PrefLib. A file that
    could be both holds comparisons, unless --rankings or --kind says otherwise.

    Elo, Glicko and Glicko2 follow the games in order; set their parameters with --set, such as k=24. --by,
    --ties, --prior, --order-effect, --half-life, --covariance, --bootstrap, --seed, --scale, --ranks,
    --anchor, --judges and --summary are for bradley-terry. Of these, plackett-luce takes --ties ignore, --prior,
    --covariance, --bootstrap, --seed, --scale, --ranks, --anchor and --summary.

    --control length,bold compares items at equal length and bold, and estimates what these are worth (also
    for bradley-terry). --covariance cluster --group judge allows for judges with tastes of their own.

    --by language adds a board for each language, drawn towards the overall board, and shows the ranks of all
    items overall and by language. --out then saves all boards, and --plot draws the ranks.
    """
    from podium.reading.files import open_table

    screen = console()
    with sentences() as said:
        table = check_summary(only.summary)
        check_targets(out, plot)
        check_report(report)
        check_judges(only.judges_out)
        check_apart(files, out, plot, report, table, only.judges_out)
        with busy(screen, "reading"):
            opened = open_table(files, reading.encoding, reading.sheet or None)
        model = _model_for(opened, reading, ranking, model)
        if period is not None:
            settings = [*(settings or []), _period_setting(model, period)]
        estimator = _estimator(model, settings or [], only, level, by)
        with busy(screen, "reading"):
            c = _read(opened, reading, ranking, model, estimator, by)
        found = _results(screen, c, estimator, only, by, level, min_games)
        _show(screen, c, found, table)
        outputs = Outputs()
        if found.summary is not None and table is not None:
            outputs.add("summarised in", table, found.summary.save)
        if out is not None:
            outputs.add("saved", out, (found.boards or found.board).save)
        if plot is not None:
            outputs.add("drew", plot, picture_of(found.boards or found.board))
        if report is not None:
            page = board_page(
                screen, files, reading, c, estimator, found.board, said, found.boards, found.judges
            )
            outputs.add("reported in", report, page.save)
        if found.judges is not None and only.judges_out is not None:
            outputs.add("saved", only.judges_out, partial(save_judges, found.judges))
        outputs.write(screen)


def _model_for(opened: "Opened", reading: Reading, ranking: RankingReading, asked: Model | None) -> Model:
    """The model that was asked for, or the one for what the file holds."""
    from podium.reading.rankings.recognise import holds_rankings

    wanted = ranking.is_given or asked is Model.plackett_luce
    if not wanted and (names_sides(reading) or not holds_rankings(opened)):
        return asked or Model.bradley_terry
    if asked not in (None, Model.plackett_luce):
        raise ValueError(
            f"{asked} learns from comparisons, and this file is read as rankings; leave out --model, or name "
            "the columns of comparisons with --left, --right and --outcome"
        )
    return Model.plackett_luce


def _read(
    opened: "Opened", reading: Reading, ranking: RankingReading, model: Model, estimator: Any, by: str | None
) -> "Comparisons | Rankings":
    """What the model learns from."""
    if model is Model.plackett_luce:
        from podium.reading.rankings.read import read_rankings

        return read_rankings(opened, **ranking.options(reading))
    from podium.reading.comparisons import read_comparisons

    check_controls(reading, [MODELS[model.value]], [estimator.get_params()])
    c = read_comparisons(opened, **reading.options(), category=by)
    check_names(c)
    return c


class Results(NamedTuple):
    """The board, and what the options ask for besides."""

    board: "Leaderboard"
    boards: "Boards | None"
    judges: "pd.DataFrame | None"
    summary: "Summary | None"


def _results(
    screen: "Console",
    c: "Comparisons | Rankings",
    estimator: Any,
    only: SkillOptions,
    by: str | None,
    level: float,
    min_games: float,
) -> Results:
    """Fit the model and compute everything that is shown and saved."""
    from podium import BradleyTerry, PlackettLuce

    if isinstance(estimator, BradleyTerry | PlackettLuce):
        board = _skill_board(screen, c, estimator, only, level, min_games)
    else:
        with busy(screen, "rating"):
            board = estimator.fit(c).leaderboard(level=level, min_games=min_games)
    judges = _judges(screen, c, estimator, only, level)
    boards = None if by is None else _boards(screen, c, board, estimator, only, level, min_games)
    summary = None if only.summary is None else estimator.summary(level=level)
    return Results(board, boards, judges, summary)


def _show(screen: "Console", c: "Comparisons | Rankings", found: Results, table: Path | None) -> None:
    """Print the results; a summary with a file (``table``) is not printed."""
    screen.print(plain(f"columns: {c.columns}"))
    show_board(screen, c, found.board)
    if found.boards is not None:
        show_boards(screen, found.boards)
    if found.judges is not None:
        show_judges(screen, found.judges)
    if found.summary is not None and table is None:
        show_summary(screen, found.summary)


def _boards(
    screen: "Console",
    c: Any,
    overall: "Leaderboard",
    estimator: Any,
    only: SkillOptions,
    level: float,
    min_games: float,
) -> "Boards":
    """The boards by category; without a bootstrap they are drawn towards the overall board."""
    if not only.bootstrap:
        with busy(screen, "fitting by category"):
            boards: Boards = estimator.leaderboard(
                level=level,
                scale=only.scale.value,
                anchor=_anchor(only.anchor, c),
                min_games=min_games,
                ranks=only.ranks.value,
                by="category",
            )
        return boards
    from sklearn.base import clone

    from podium.skill.categories import boards_by

    def board_of(part: "Comparisons") -> "Leaderboard":
        return _skill_board(screen, part, clone(estimator), only, level, min_games)

    return boards_by("category", c, overall, board_of)


def _judges(
    screen: "Console", c: "Comparisons | Rankings", estimator: Any, only: SkillOptions, level: float
) -> "pd.DataFrame | None":
    """The table of judges, if it is wanted."""
    if not only.judges and only.judges_out is None:
        return None
    if c.group is None:
        raise ValueError("--judges needs to know who voted; name the column of judges with --group")
    with busy(screen, "comparing judges"):
        found: pd.DataFrame = estimator.judges(level)
    return found


def demo(
    picture: Annotated[Path, typer.Option(help="Where to save the picture: .png or .svg.")] = Path(
        "podium-demo.png"
    ),
) -> None:
    """Rank the players of a chess club that comes with podium, and draw the leaderboard."""
    from podium.datasets import load_chess_club

    screen = console()
    with sentences():
        check_targets(None, picture)
        games = load_chess_club()
        with busy(screen, "fitting (the first run compiles)"):
            from podium import BradleyTerry

            board = BradleyTerry(order_effect=True).fit(games).leaderboard()
        show_board(screen, games, board)
        outputs = Outputs()
        outputs.add("drew", picture, picture_of(board))
        outputs.write(screen)


def _estimator(model: Model, settings: list[str], only: SkillOptions, level: float, by: str | None) -> Any:
    """The estimator, not fitted yet; an error if the model lacks one of the given options."""
    chosen = MODELS[model.value]
    parameters = parse_settings(settings, [chosen])[chosen.name]
    if model is Model.plackett_luce:
        _check_for_rankings(only, by)
    if model in (Model.bradley_terry, Model.plackett_luce):
        named = only.parameters()
        if only.seed is not None and not only.bootstrap:
            raise ValueError(
                "--seed is that of the bootstrap; say with --bootstrap how many replicates to draw"
            )
        if twice := [name for name in named if name in parameters]:
            option = _option(twice[0])
            raise ValueError(f"{option} and --set {twice[0]} say the same; give one of them")
        return chosen.make(parameters | named)
    if given := [*only.given(), *["by"] * (by is not None)]:
        *most, last = map(_option, given)
        options = f"{', '.join(most)} and {last}" if most else last
        raise ValueError(
            f"{options} {'is' if len(given) == 1 else 'are'} for --model {Model.bradley_terry.value} and "
            f"would do nothing for {model.value}, whose parameters 'podium models {model.value}' lists"
        )
    if model is Model.elo and level != LEVEL:
        raise ValueError("--level is for intervals, and elo has none; glicko and bradley-terry do")
    return chosen.make(parameters)


def _check_for_rankings(only: SkillOptions, by: str | None) -> None:
    """Refuse options that plackett-luce does not have."""
    if given := [*(name for name in only.given() if name in OF_PAIRS), *["by"] * (by is not None)]:
        raise ValueError(f"{_option(given[0])} is for comparisons, and this file is read as rankings")
    if only.ties not in (Ties.davidson, Ties.ignore):
        raise ValueError(
            f"--ties {only.ties} is for comparisons; plackett-luce models all ties, or leaves them out with "
            "--ties ignore"
        )


def _period_setting(model: Model, period: str) -> str:
    if model in (Model.bradley_terry, Model.plackett_luce):
        raise ValueError(f"--period is for --model elo, glicko and glicko2; {model} takes all games at once")
    return f"period={period}"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _skill_board(
    screen: "Console",
    c: "Comparisons | Rankings",
    estimator: Any,
    only: SkillOptions,
    level: float,
    min_games: float,
) -> "Leaderboard":
    with busy(screen, "fitting"):
        estimator.fit(c)
    samples = None
    if only.bootstrap:
        with busy(screen, f"bootstrapping {only.bootstrap:,} replicates"):
            samples = estimator.bootstrap(only.bootstrap, random_state=only.seed, groups=c.group is not None)
    board: Leaderboard = estimator.leaderboard(
        level=level,
        scale=only.scale.value,
        anchor=_anchor(only.anchor, c),
        min_games=min_games,
        bootstrap=samples,
        ranks=only.ranks.value,
    )
    return board


def _prior(text: str) -> Any:
    value = _number_or_text(text)
    if isinstance(value, str) and value not in ("auto", "normal"):
        raise ValueError(f"--prior is 'auto', 'normal' or a number, not '{text}'")
    return value


def _number_or_text(text: str | None) -> Any:
    try:
        return text if text is None else float(text)
    except ValueError:
        return text


def _anchor(text: str | None, c: "Comparisons | Rankings") -> Any:
    """ITEM or ITEM=SCORE as an anchor; the item has the type of the labels in the file."""
    if text is None:
        return None
    labels = {str(label): label for label in c.items.tolist()}
    if text in labels:
        return labels[text]
    name, _, score = text.rpartition("=")
    if name not in labels:
        raise ValueError(f"--anchor is an item or ITEM=SCORE; there is no item '{name or text}'")
    try:
        return labels[name], float(score)
    except ValueError:
        raise ValueError(f"--anchor is an item or ITEM=SCORE, and '{score}' is no number") from None
