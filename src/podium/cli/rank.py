"""podium rank and podium demo: a leaderboard from a file."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options import skill
from podium.cli.options.reading import Files, option, reads
from podium.cli.options.recipe import Settings
from podium.cli.options.skill import SkillOptions
from podium.cli.output import board as output
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs, ReportOptions, Targets
from podium.cli.output.report import board_page
from podium.cli.output.screen import busy, console, plain
from podium.options import MODEL, RankingReading, Reading, SkillModel

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.comparisons.rankings import Rankings
    from podium.comparisons.table import Comparisons
    from podium.leaderboard.boards import Boards
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.skill.summary import Summary

Top = Annotated[
    int | None,
    option("How many items the screen shows; files have all of them.", min=1, show_default=str(output.SHOWN)),
]


@reads
def rank(
    files: Files,
    reading: Reading,
    ranking: RankingReading,
    only: SkillOptions,
    targets: Targets,
    model: Annotated[
        SkillModel | None, option("By default bradley-terry, and plackett-luce for rankings.", panel=MODEL)
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
    from podium.comparisons.provenance import provenance
    from podium.reading.files import open_table

    screen = console()
    with sentences() as said:
        outputs = targets.outputs(files)
        asked = only.asked(model)
        with busy(screen, "reading"):
            opened = open_table(files, reading.encoding, reading.sheet or None)
        model = skill.model_for(opened, reading, ranking, asked)
        skill.check_taken(model, only, targets)
        only.check()
        if only.items and not ("page" in outputs.paths or outputs.draws("history")):
            raise ValueError("--items are those of the history; add --report FILE.html or --history FILE.png")
        estimator = skill.make_estimator(model, only.settings(settings), only)
        with busy(screen, "reading", "rows") as progress:
            c = skill.read_for(opened, reading, ranking, model, estimator, only.by, progress)
        at = only.moment(c.time, reading.dates) if model == "dynamic-bradley-terry" else None
        found = Analysis(screen, c, estimator, only).results(targets, at)
        if found.board.origin is dict:  # ratings and skills that move
            board = replace(found.board, origin=partial(provenance, c, repr(estimator)))
            found = found._replace(board=board)
        output.show_results(screen, c, found, output.rows_shown(found.board, top, around), only)
        if found.summary is not None and "summary" not in outputs.paths:
            output.show_summary(screen, found.summary)
        page = "page" in outputs.paths and board_page(screen, files, reading, c, estimator, found, said)
        output.add_results(outputs, found)  # after the page, as its warnings are about pictures
        if page:
            targets.add(outputs, page)
        outputs.write(screen)


# ------------------------------------------------------------------------------------ computing


class Analysis:
    """Fits the model to the data and computes what the options ask for."""

    def __init__(
        self, screen: "Console", c: "Comparisons | Rankings", model: Any, only: SkillOptions
    ) -> None:
        from podium.skill.estimator import SkillModel

        self.screen, self.model, self.only = screen, model, only
        self.c: Any = c
        self.has_skills = isinstance(model, SkillModel)
        self.how: dict[str, Any] = {"level": only.level, "min_games": only.min_games}  # of the board
        if self.has_skills:
            in_file = only.anchor is not None and Path(only.anchor).is_file()
            if in_file:
                skill.fix_scores(model, str(only.anchor), c, only.scale)
            anchor = None if in_file else skill.anchor_of(only.anchor, c)
            self.how |= {"scale": only.scale, "anchor": anchor, "ranks": only.ranks}

    def results(self, targets: Targets, at: Any) -> output.Results:
        """The board, at a time if skills move, and whatever else there is to show and save."""
        if not self.has_skills:
            with busy(self.screen, "rating"):
                return output.Results(self._leaderboard(self.model.fit(self.c)))
        if hasattr(self.model, "history"):
            return self._moving(at)
        board = self._board(self.c, self.model)
        judges = self._judges() if self.only.judges or targets.judges_out is not None else None
        boards = None if self.only.by is None else self._boards(board)
        summary = None if targets.summary is None else self._summary()
        compared = () if not self.only.compare else self._compared(self.only.compare, board)
        fragile = self._fragile(board) if self.only.fragility or targets.report is not None else ()
        return output.Results(board, boards, judges, summary, compared=compared, fragile=fragile)

    def _fragile(self, board: "Leaderboard") -> tuple[str, ...]:
        """How few votes or groups decide the leader, the best five, and the order of the next two."""
        found: list[str] = []
        if not hasattr(self.model, "fragility"):
            return ()
        groups: list[dict[str, Any]] = [{"by": name} for name in self.c.groupings]
        with busy(self.screen, "removing votes"):
            for asked in [{}, *groups, {"top": 5}, {"pair": board.item[1:3].tolist()}]:
                if len(found) < max(3, 1 + len(groups)):
                    with suppress(ValueError):  # there are too few items
                        found.append(str(self.model.fragility(**asked)))
        if self.only.fragility and not found:
            self.model.fragility()  # it says why not
        return tuple(found)

    def _moving(self, at: Any) -> output.Results:
        """The board at a time, and the scores through time: on the Elo scale if the board has skills."""
        from podium.leaderboard.history import motion_text, time_text

        model, dates = self.model, self.c.time.dtype.kind == "M"
        drawn = skill.items_of(self.only.items, self.c)
        with busy(self.screen, "fitting"):
            board = self._leaderboard(model.fit(self.c), at=at)
        scale = "log" if self.only.scale == "log" else "elo"
        items = list(dict.fromkeys([*board.item.tolist(), *(drawn or [])])) if self.only.min_games else None
        history = model.history(items, level=self.only.level, scale=scale, relative=True)
        motion = motion_text(model.spread_, model.drift_, model.reversion_, scale, dates=dates)
        method = [*board.method, motion]
        if at is not None:
            method.append(f"skills at {time_text(at)}, estimated from all comparisons, later ones included")
        return output.Results(replace(board, method=tuple(method)), history=history, at=at, drawn=drawn)

    def _board(self, c: "Comparisons | Rankings", model: Any) -> "Leaderboard":
        from podium.skill.anytime import check_anytime

        only, samples = self.only, None
        with busy(self.screen, "fitting"):
            model.fit(c)
        if only.anytime:
            check_anytime(model.fit_, only.bootstrap or None)  # before a bootstrap, which takes long
        if only.bootstrap:
            how = {"random_state": only.seed, "groups": c.group is not None}
            with busy(self.screen, "bootstrapping", "refits") as progress:
                samples = model.bootstrap(only.bootstrap, progress=progress, **how)
        return self._leaderboard(model, bootstrap=samples)

    def _leaderboard(self, model: Any, **more: Any) -> "Leaderboard":
        """The board, with intervals that hold for chosen pairs if the file has such pairs."""
        from podium.skill.anytime import board_of_chosen

        if self.only.anytime is None and self._are_chosen():
            return board_of_chosen(model, **self.how, **more)
        asked = {"anytime": True} if self.only.anytime else {}
        board: Leaderboard = model.leaderboard(**self.how, **more, **asked)
        return board

    def _are_chosen(self) -> bool:
        """Whether the file says with which probability each pair was shown, as it does for chosen pairs."""
        from podium.comparisons.summary import CHANCE

        return self.c.columns is not None and CHANCE in self.c.columns.unused

    def _boards(self, overall: "Leaderboard") -> "Boards":
        """The boards by category; if not from a bootstrap, they are drawn towards the overall board."""
        if not self.only.bootstrap:
            from podium.skill.anytime import METHOD

            anytime = any(METHOD in line for line in overall.method)
            with busy(self.screen, "fitting by category"):
                boards: Boards = self.model.leaderboard(by="category", anytime=anytime, **self.how)
            return boards
        from sklearn.base import clone

        from podium.skill.categories import boards_by

        return boards_by("category", self.c, overall, lambda part: self._board(part, clone(self.model)))

    def _compared(self, names: list[str], board: "Leaderboard") -> tuple[str, ...]:
        """Which of two items is better, and if this is open, how many votes between them settle it."""
        from podium.skill.anytime import METHOD
        from podium.skill.votes_needed import pair_text
        from podium.writing.label_text import label_text

        labels = {label_text(label): label for label in self.c.items.tolist()}
        if unknown := [name for name in names if name not in labels]:
            raise ValueError(f"--compare names two items, and there is no item '{unknown[0]}'")
        a, b = (labels[name] for name in names)
        found = self.model.compare(
            a, b, self.only.level, anytime=any(METHOD in line for line in board.method)
        )
        if found.low > 0 or found.high < 0:
            return (str(found),)
        votes = self.model.votes_needed(a, b, level=self.only.level)
        return str(found), pair_text(a, b, votes, getattr(self.model, "judge_kind", None))

    def _summary(self) -> "Summary":
        """The summary, whose tests are the usual ones, with a note if they are too sure."""
        from podium.skill.anytime import TOO_SHORT

        summary: Summary = self.model.summary(level=self.only.level)
        told = (TOO_SHORT,) if self.only.anytime is not False and self._are_chosen() else ()
        return replace(summary, notes=(*summary.notes, *told))

    def _judges(self) -> "pd.DataFrame":
        """The table of judges."""
        if self.c.group is None:
            raise ValueError("--judges needs to know who voted; name the column of judges with --group")
        with busy(self.screen, "comparing judges", "judges") as progress:
            found: pd.DataFrame = self.model.judges(self.only.level, progress=progress)
        return found


# ------------------------------------------------------------------------------------ demo


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
        output.show_board(screen, games, board, output.rows_shown(board))
        page = board_page(screen, ["chess_club.csv"], Reading(), games, model, output.Results(board), said)
        ReportOptions(report=report, title="A chess club").add(outputs, page)
        try:
            outputs.add("picture", output.picture_of(board))
        except ImportError as error:  # the first thing that many people run is not the place to fail
            screen.print(plain(f"skipped the picture, as {error}"))
        outputs.write(screen)
