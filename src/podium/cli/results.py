"""What 'podium rank' computes: the board, and whatever else the options ask for."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podium.cli.options.skill import SkillOptions, anchor_of
from podium.cli.output.board import Results
from podium.cli.output.outputs import Targets
from podium.cli.output.screen import busy

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.comparisons.rankings import Rankings
    from podium.comparisons.table import Comparisons
    from podium.leaderboard.boards import Boards
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.skill.summary import Summary


def results(
    screen: "Console",
    c: "Comparisons | Rankings",
    estimator: Any,
    only: SkillOptions,
    targets: Targets,
    at: Any,
) -> Results:
    """Fit the model and compute everything that is shown and saved."""
    from podium.skill.estimator import SkillModel

    how: dict[str, Any] = {"level": only.level, "min_games": only.min_games}
    if not isinstance(estimator, SkillModel):
        with busy(screen, "rating"):
            return Results(_leaderboard(c, estimator.fit(c), only, how))
    how |= {"scale": only.scale, "anchor": anchor_of(only.anchor, c), "ranks": only.ranks}
    if hasattr(estimator, "history"):
        return _dynamic(screen, c, estimator, only, how, at)
    board = _board(screen, c, estimator, only, how)
    judged = only.judges or targets.judges_out is not None
    judges = _judges(screen, c, estimator, only.level) if judged else None
    boards = None if only.by is None else _boards(screen, c, board, estimator, only, how)
    summary = None if targets.summary is None else _summary(c, estimator, only)
    return Results(board, boards, judges, summary)


def _dynamic(
    screen: "Console", c: Any, estimator: Any, only: SkillOptions, how: dict[str, Any], at: Any
) -> Results:
    """The board at a time, and the scores through time: on the Elo scale if the board has skills."""
    from podium.leaderboard.history import motion_text, time_text

    with busy(screen, "fitting"):
        board = _leaderboard(c, estimator.fit(c), only, how | {"at": at})
    level, scale = how["level"], "log" if how["scale"] == "log" else "elo"
    items = board.item.tolist() if how["min_games"] else None
    history = estimator.history(items, level=level, scale=scale, relative=True)
    motion = motion_text(
        estimator.spread_, estimator.drift_, estimator.reversion_, scale, dates=c.time.dtype.kind == "M"
    )
    method = [*board.method, motion]
    if at is not None:
        method.append(f"skills at {time_text(at)}, estimated from all comparisons, later ones included")
    return Results(replace(board, method=tuple(method)), history=history, at=at)


def _board(
    screen: "Console", c: "Comparisons | Rankings", estimator: Any, only: SkillOptions, how: dict[str, Any]
) -> "Leaderboard":
    from podium.skill.anytime import check_anytime

    with busy(screen, "fitting"):
        estimator.fit(c)
    samples = None
    if only.anytime:
        check_anytime(estimator.fit_, only.bootstrap or None)  # before a bootstrap, which takes long
    if only.bootstrap:
        how_to_draw = {"random_state": only.seed, "groups": c.group is not None}
        with busy(screen, "bootstrapping", "refits") as progress:
            samples = estimator.bootstrap(only.bootstrap, progress=progress, **how_to_draw)
    return _leaderboard(c, estimator, only, how | {"bootstrap": samples})


def _leaderboard(
    c: "Comparisons | Rankings", model: Any, only: SkillOptions, how: dict[str, Any]
) -> "Leaderboard":
    """The board, with intervals that hold for chosen pairs if the file has such pairs."""
    from podium.skill.anytime import board_of_chosen

    if only.anytime is None and _are_chosen(c):
        return board_of_chosen(model, **how)
    asked = {"anytime": True} if only.anytime else {}
    board: Leaderboard = model.leaderboard(**how, **asked)
    return board


def _are_chosen(c: "Comparisons | Rankings") -> bool:
    """Whether the file says with which probability each pair was shown, as it does for chosen pairs."""
    from podium.comparisons.summary import CHANCE

    return c.columns is not None and CHANCE in c.columns.unused


def _boards(
    screen: "Console",
    c: Any,
    overall: "Leaderboard",
    estimator: Any,
    only: SkillOptions,
    how: dict[str, Any],
) -> "Boards":
    """The boards by category; without a bootstrap or anytime intervals drawn towards the overall board."""
    if not only.bootstrap:
        from podium.skill.anytime import METHOD

        anytime = any(METHOD in line for line in overall.method)
        with busy(screen, "fitting by category"):
            boards: Boards = estimator.leaderboard(by="category", anytime=anytime, **how)
        return boards
    from sklearn.base import clone

    from podium.skill.categories import boards_by

    def board_of(part: "Comparisons") -> "Leaderboard":
        return _board(screen, part, clone(estimator), only, how)

    return boards_by("category", c, overall, board_of)


def _summary(c: "Comparisons | Rankings", estimator: Any, only: SkillOptions) -> "Summary":
    """The summary, whose tests are the usual ones, with a note if they are too sure."""
    from podium.skill.anytime import TOO_SHORT

    summary: Summary = estimator.summary(level=only.level)
    told = (TOO_SHORT,) if only.anytime is not False and _are_chosen(c) else ()
    return replace(summary, notes=(*summary.notes, *told))


def _judges(screen: "Console", c: "Comparisons | Rankings", estimator: Any, level: float) -> "pd.DataFrame":
    """The table of judges."""
    if c.group is None:
        raise ValueError("--judges needs to know who voted; name the column of judges with --group")
    with busy(screen, "comparing judges", "judges") as progress:
        found: pd.DataFrame = estimator.judges(level, progress=progress)
    return found
