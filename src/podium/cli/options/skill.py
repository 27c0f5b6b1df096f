"""The model of 'podium rank' and 'podium next': its options, which models take each, and what it reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from podium.cli.options.parameters import parse_settings
from podium.cli.options.reading import MOST_REPLICATES, check_controls, check_names, check_rankings, option
from podium.cli.options.registry import MODELS
from podium.options import (
    EVERY,
    MODEL,
    MOVING,
    PAIRS,
    RATINGS,
    SKILLS,
    SKILLS_OR_MOVING,
    FeatureReading,
    For,
    ModelOptions,
    RankingReading,
    Reading,
    Said,
    SkillModel,
    flag_of,
    takers_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podium.comparisons.rankings import Rankings
    from podium.comparisons.table import Comparisons
    from podium.reading.sources.counting import Progress
    from podium.reading.sources.opened import Opened

INTERVALS = For([*SKILLS_OR_MOVING, "glicko", "glicko2"])
AnyReading = TypeVar("AnyReading", bound=Reading)
MOST_LINES = 8  # of a history
DATES = ("date", "datetime", "timestamp", "datum", "fecha")
SEASONS, WITHIN = ("season", "year"), ("day", "week", "month", "round")  # every season starts with round 1

_parameter, _seldom = partial(option, panel=MODEL), partial(option, seldom=True)


@dataclass(frozen=True, kw_only=True)
class SkillOptions(ModelOptions):
    """What else 'podium rank' can be told about its model and its board."""

    bootstrap: Annotated[
        int,
        _parameter(
            "Take intervals from this many bootstrap replicates; with --group, of groups.",
            seldom=True,
            min=0,
            max=MOST_REPLICATES,
        ),
        SKILLS,
    ] = 0
    seed: Annotated[int | None, _parameter("Random seed of the bootstrap.", seldom=True, min=0), SKILLS] = (
        None
    )
    period: Annotated[
        str | None,
        _parameter(
            "Rate at once the games of a day, week, month, season (value of --time) or N days.",
            seldom=True,
            metavar="day|week|month|season|N",
        ),
        RATINGS,
    ] = None
    dynamic: Annotated[
        bool,
        _parameter(
            "Skills that move: short for --model dynamic-bradley-terry. Times are in --time, or in a column "
            "such as date or season.",
            "--dynamic",
        ),
        MOVING,
    ] = False
    at: Annotated[
        str | None,
        _seldom(
            "With --dynamic: the board of this date, estimated from all games, later ones included.",
            metavar="DATE",
        ),
        MOVING,
    ] = None
    items: Annotated[
        list[str] | None,
        _seldom(
            "With --dynamic: draw the history of this item, not of the best at the end. Repeat for up to 8.",
            metavar="ITEM",
        ),
        MOVING,
    ] = None
    by: Annotated[
        str | None, option("Column of categories: one more board for each.", metavar="COLUMN"), PAIRS
    ] = None
    level: Annotated[float, _seldom("Confidence level of the intervals."), INTERVALS] = 0.95
    min_games: Annotated[float, _seldom("Leave out items with fewer games.", min=0)] = 0
    scale: Annotated[Literal["elo", "log", "skill"], _seldom("Scale of the scores."), SKILLS_OR_MOVING] = (
        "elo"
    )
    ranks: Annotated[
        Literal["simultaneous", "pairwise"],
        _seldom("Whether the level holds for all ranks jointly or for each pair."),
        SKILLS_OR_MOVING,
    ] = "simultaneous"
    anytime: Annotated[
        bool | None,
        _seldom(
            "Intervals and ranks that hold whenever you look, and for chosen pairs. By default if the file "
            "has a column 'probability'.",
            "--anytime/--no-anytime",
        ),
        SKILLS,
    ] = None
    anchor: Annotated[
        str | None,
        _seldom("ITEM or ITEM=SCORE to measure the others by, or a FILE (item, score) of known scores."),
        SKILLS_OR_MOVING,
    ] = None
    compare: Annotated[
        list[str] | None,
        _seldom(
            "Given twice: two items; says which is better, and how many votes settle it.", metavar="ITEM"
        ),
        SKILLS,
    ] = None
    judges: Annotated[
        bool, option("Compare each judge (--group) with all the others.", "--judges"), PAIRS
    ] = False

    fragility: Annotated[
        bool, _seldom("Say how few votes, judges or prompts decide the board.", "--fragility"), PAIRS
    ] = False

    def check(self) -> None:
        if self.seed is not None and not self.bootstrap:
            raise ValueError(
                "--seed is that of the bootstrap; say with --bootstrap how many replicates to draw"
            )
        if self.compare and len(self.compare) != 2:
            given = "once" if len(self.compare) == 1 else f"{len(self.compare)} times"
            raise ValueError(f"--compare names two items, --compare A --compare B; it is given {given}")

    def settings(self, others: list[str] | None) -> list[str]:
        """Those of --set, and --period as one of them."""
        return [*(others or []), *([] if self.period is None else [f"period={self.period}"])]

    def asked(self, model: SkillModel | None) -> SkillModel | None:
        """The model that is asked for by --model or --dynamic; an error if they contradict each other."""
        if self.dynamic and model not in (None, *MOVING):
            raise ValueError(f"--dynamic is --model {MOVING[0]}; leave out --model {model}")
        return MOVING[0] if self.dynamic else model

    def moment(self, time: "NDArray[Any] | None", dates: Any) -> Any:
        """The time of --at, like the times of the comparisons."""
        if time is None:
            raise ValueError(
                "--dynamic needs to know when each comparison was made; name the column of dates or numbers "
                "with --time"
            )
        from podium.reading.selection import moment_like

        return None if self.at is None else moment_like(self.at, time, dates, "at")


# ------------------------------------------------------------------------------------ which model takes what


def check_taken(model: SkillModel, *options: Said) -> None:
    """Refuse options that the model does not take, and say which models do."""
    given = [field for one in options for field in fields(one) if field.name in one.said()]
    wrong = {flag_of(field): [*takers_of(field)] for field in given if model not in takers_of(field)}
    if not wrong:
        return
    takers = [name for name in EVERY if all(name in some for some in wrong.values())]
    if not takers:  # no model takes all of them, so one is enough to say
        option, takers = next(iter(wrong.items()))
        wrong = {option: takers}
    said, models = f"{joined(wrong)} {'is' if len(wrong) == 1 else 'are'} for", f"--model {joined(takers)}"
    if model == "plackett-luce":
        raise ValueError(f"{said} comparisons ({models}), and this file is read as rankings")
    hint = "add --dynamic" if takers == [*MOVING] else f"'podium models {model}' lists what it takes"
    raise ValueError(f"{said} {models}, and would do nothing for {model}; {hint}")


def joined(words: Iterable[str]) -> str:
    """The words in a sentence: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def timed(reading: AnyReading, header: Sequence[str]) -> AnyReading:
    """Read times from the column of --time, or from one that is named like dates, rounds or seasons."""
    if reading.time is not None or "time" in header:
        return reading
    from podium.comparisons.outcomes import words_of

    named = {name.strip().casefold(): name for name in header if name != reading.group}
    dates = [named[word] for word in DATES if word in named]
    dates = dates[:1] or [name for name in named.values() if not set(DATES).isdisjoint(words_of(name))]
    seasons, within = ([named[word] for word in words if word in named] for words in (SEASONS, WITHIN))
    if len(dates) > 1 or (not dates and seasons and within):
        several = " or ".join(repr(name) for name in dates or (*seasons, *within))
        starts = "" if dates else f", and {within[0]!r} may start again in every {seasons[0]!r}"
        raise ValueError(f"the times could be in {several}{starts}; choose with --time")
    return replace(reading, time=next(iter((*dates, *within, *seasons)), None))


def make_estimator(model: SkillModel, settings: list[str], only: ModelOptions) -> Any:
    """The estimator, not fitted yet; an error if an option and a setting say the same."""
    chosen = MODELS[model]
    parameters = parse_settings(settings, [chosen])[chosen.name] if settings else {}
    own = {field.name for field in fields(ModelOptions)}
    named = {name: value for name, value in only.said().items() if name in own}
    if model == "plackett-luce" and only.ties not in ("davidson", "ignore"):
        raise ValueError(
            f"--ties {only.ties} is for comparisons; plackett-luce models all ties, or leaves them out with "
            "--ties ignore"
        )
    if twice := [name for name in named if name in parameters]:
        raise ValueError(
            f"--{twice[0].replace('_', '-')} and --set {twice[0]} say the same; give one of them"
        )
    return chosen.make(parameters | named)


def model_for(
    opened: "Opened", reading: Reading, ranking: RankingReading, asked: SkillModel | None
) -> SkillModel:
    """The model that was asked for, or the one for what the file holds."""
    from podium.reading.rankings.columns import holds_rankings

    wanted = ranking.names_rankings() or asked == "plackett-luce"
    if not wanted and (reading.names_sides() or not holds_rankings(opened)):
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

        check_rankings(reading)
        return rankings_from(opened, ranking, None, progress)
    from podium.reading.comparisons import comparisons_from

    if model == "dynamic-bradley-terry":
        reading = timed(reading, opened.header)
    if reading.judge_kind is not None and getattr(estimator, "judge_kind", "") is None:
        estimator.set_params(judge_kind="human")
    check_controls(reading, [MODELS[model]], [estimator.get_params()])
    counted = None if model == "bradley-terry" else False  # the others need the order of the rows
    c = comparisons_from(opened, FeatureReading(**reading.said(), category=by), counted, progress)
    check_names(c)
    return c


def items_of(names: list[str] | None, c: "Comparisons | Rankings") -> list[Any] | None:
    """The items of --items, each once; they have the type of the labels in the file."""
    if not names:
        return None
    labels = {str(label): label for label in c.items.tolist()}
    if unknown := [name for name in names if name not in labels]:
        raise ValueError(f"--items are names of items, and there is no item '{unknown[0]}'")
    if len(found := list(dict.fromkeys(labels[name] for name in names))) > MOST_LINES:
        raise ValueError(f"--items are at most {MOST_LINES}, not {len(found)}, to tell their lines apart")
    return found


def anchor_of(text: str | None, c: "Comparisons | Rankings") -> Any:
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


def scores_in(path: str, c: "Comparisons | Rankings", also: tuple[str, ...] = ()) -> dict[Any, float]:
    """The scores of a file with columns item and score, or else `also`.

    The items have the type of the labels in the data.
    """
    from podium.reading.files import open_table

    opened, labels = open_table(path), {str(label): label for label in c.items.tolist()}
    pair = also if also and {*also} <= {*opened.header} else ("item", "score")
    if missing := [name for name in pair if name not in opened.header]:
        raise ValueError(f"'{path}' has no column '{missing[0]}'; scores need the columns item and score")
    items, scores = (opened.load([*pair]).to_pydict()[column] for column in pair)
    names, found = [str(item).strip() for item in items], {}
    for name, score in zip(names, scores, strict=True):
        try:
            found[labels.get(name, name)] = float(score)
        except (TypeError, ValueError):
            raise ValueError(f"'{path}' has the score '{score}' of '{name}', which is no number") from None
    return found


def fix_scores(model: Any, path: str, c: "Comparisons | Rankings", scale: Any) -> None:
    """Fix the skills of a model at the scores of a file."""
    import numpy as np

    from podium.skill.known import log_skill_of

    if path in map(str, c.items.tolist()):
        raise ValueError(f"--anchor {path} is an item and a file; write ./{path} for the file")
    if not hasattr(model, "fixed"):
        raise ValueError("--anchor FILE is for bradley-terry and plackett-luce, whose skills stand still")
    scores = scores_in(path, c)
    skills = log_skill_of(np.array([*scores.values()]), scale)
    model.set_params(fixed=dict(zip(scores, skills.tolist(), strict=True)))
