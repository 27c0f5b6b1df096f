"""What can be said when tables are read and skills are fitted, declared once.

`read_comparisons` and `read_rankings` take their arguments as one of these classes, the command line makes an
option of each field that has an `Option`, and saved models keep what was said of reading. Only the standard
library is imported, so that ``podium --help`` is quick.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import partial
from typing import Annotated, Any, Literal, Self, get_args

OutcomeFormat = Literal["score", "sign", "winner", "grades", "probability"]
DateOrder = Literal["dmy", "mdy", "ymd"]
RankingKind = Literal["wide", "long", "scores", "text", "choices"]
Name = str | None  # of a column, and other text
SideColumns = str | Sequence[str]
GroupColumns = str | Sequence[str] | Mapping[str, str]
CovariateNames = Sequence[str] | Mapping[str, str | tuple[str, str] | None]

SkillModel = Literal["bradley-terry", "plackett-luce", "dynamic-bradley-terry", "elo", "glicko", "glicko2"]

READING, ROWS, RANKINGS, MODEL = "Reading", "Rows to read", "Reading rankings", "Model"  # panels of the help


@dataclass(frozen=True)
class Option:
    """How a field is said on the command line.

    ``flag`` is its name there, if that is not the name of the field. An option that may be ``repeated`` is a
    list. A ``switch`` has no value; the field gets this one if it is there. ``read`` makes the value of the
    text. ``--help`` shows those that are ``common``.
    """

    help: str
    flag: str = ""
    panel: str = READING
    metavar: str | None = None
    repeated: bool = False
    switch: Any = None
    read: Callable[[str], Any] = str
    common: bool = False
    gather: Callable[[list[Any]], Any] = list  # what is said of a repeated option becomes one value

    def value(self, field: "Field[Any]", said: Any) -> Any:
        """The value of the field if this was said; its default if nothing was."""
        if not said:
            return field.default
        if self.switch is not None:
            return self.switch
        return self.gather(list(map(self.read, said))) if self.repeated else self.read(said)


class For(tuple[SkillModel, ...]):
    """The models of skill that take an option, beside it; without this all do."""


PAIRS, MOVING = For(["bradley-terry"]), For(["dynamic-bradley-terry"])
SKILLS = For([*PAIRS, "plackett-luce"])
PAIRS_OR_MOVING, SKILLS_OR_MOVING = For([*PAIRS, *MOVING]), For([*SKILLS, *MOVING])
RATINGS = For(["elo", "glicko", "glicko2"])


EVERY: tuple[SkillModel, ...] = get_args(SkillModel)


def takers_of(field: "Field[Any]") -> tuple[SkillModel, ...]:
    """The models of skill that take an option."""
    return next((one for one in getattr(field.type, "__metadata__", ()) if isinstance(one, For)), EVERY)


def option_of(field: "Field[Any]") -> Option | None:
    """How a field is said on the command line; None if it is not."""
    found = (each for each in getattr(field.type, "__metadata__", ()) if isinstance(each, Option))
    return next(found, None)


def flag_of(field: "Field[Any]") -> str:
    """The name of a field as an option.

    >>> [flag_of(field) for field in fields(Reading) if field.name in ("outcome_format", "covariates")]
    ['--outcome-format', '--control']
    """
    option = option_of(field)
    return (option and option.flag) or f"--{field.name.replace('_', '-')}"


def names_in(text: str) -> list[str]:
    """Names between commas.

    >>> names_in("judge, left,right")
    ['judge', 'left', 'right']
    """
    return [name.strip() for name in text.split(",")]


def covariates_in(text: str) -> dict[str, str | tuple[str, str] | None]:
    """Covariates as the command line spells them.

    >>> covariates_in("length=la:lb, bold, price=more")
    {'length': ('la', 'lb'), 'bold': None, 'price': 'more'}
    """
    found: dict[str, str | tuple[str, str] | None] = {}
    for part in text.split(","):
        name, given, columns = (word.strip() for word in part.partition("="))
        left, both, right = columns.partition(":")
        if not name or name in found or (given and not left) or (both and not right):
            raise ValueError(f"--control takes different names, or NAME=LEFT:RIGHT, not '{text}'")
        found[name] = (left, right) if both else left or None
    return found


def groups_in(said: list[str]) -> GroupColumns:
    """One column of groups, or several by their names, as the command line spells them.

    >>> groups_in(["judge"]), groups_in(["judge=worker", "prompt"])
    ('judge', {'judge': 'worker', 'prompt': 'prompt'})
    """
    if len(said) == 1 and "=" not in said[0]:
        return said[0]
    found = {name: column or name for name, _, column in (text.partition("=") for text in said)}
    if len(found) < len(said):
        raise ValueError(f"--group names different columns, not {' and '.join(said)}")
    return found


def prior_in(text: str) -> float | str:
    """A weight, or a word that stands for one."""
    value = number_or_text(text)
    if isinstance(value, str) and value not in ("auto", "normal"):
        raise ValueError(f"--prior is 'auto', 'normal' or a number, not '{text}'")
    return value


def judge_effects_in(text: str) -> str | tuple[str, ...]:
    """The word for the automatic choice, or effects between commas.

    >>> judge_effects_in("auto"), judge_effects_in("sharpness, ties")
    ('auto', ('sharpness', 'ties'))
    """
    names = tuple(names_in(text))
    return "auto" if names == ("auto",) else names


def number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


@dataclass(frozen=True, kw_only=True)
class Said:
    """What can be said for one purpose."""

    def said(self) -> dict[str, Any]:
        """What differs from the defaults."""
        every = ((field, getattr(self, field.name)) for field in fields(self))
        return {field.name: value for field, value in every if value != field.default}


# ------------------------------------------------------------------------------------ reading

_common = partial(Option, common=True)
_of_rows, _of_rankings = partial(Option, panel=ROWS), partial(Option, panel=RANKINGS)


_GROUPS = _common(
    "Column of the judge, prompt or season; repeat for several, or NAME=COLUMN.",
    repeated=True,
    gather=groups_in,
)


@dataclass(frozen=True, kw_only=True)
class AnyReading(Said):
    """How comparisons and rankings are read. What is not given is guessed from the header."""

    count: Annotated[Name, Option("Column that counts the equal observations of a row.")] = None
    weight: Annotated[Name, Option("Column of weights.")] = None
    group: Annotated[GroupColumns | None, _GROUPS] = None
    time: Annotated[Name, _common("Column of times: dates or numbers.")] = None
    dates: Annotated[DateOrder | None, Option("Order of day, month and year, if no date tells.")] = None
    encoding: Annotated[str, Option("Encoding of text and JSON files.")] = "utf-8"
    sheet: Annotated[
        str | Sequence[str] | None,
        Option("Sheet of a workbook, repeatable, '*' for all; or table of a database.", repeated=True),
    ] = None
    bad_rows: Annotated[
        Literal["error", "skip"],
        _of_rows(
            "Leave out rows that cannot be read, and say which.", "--skip-invalid", switch="skip", common=True
        ),
    ] = "error"
    where: Annotated[
        Name,
        _of_rows("Only rows that meet this condition, such as 'turn = 1'.", metavar="SQL", common=True),
    ] = None
    since: Annotated[
        Any,
        _of_rows(
            "Only rows from this time on; 'last' with a saved model: later ones than it has seen.",
            metavar="TIME",
        ),
    ] = None
    dedup: Annotated[
        str | Sequence[str] | None,
        _of_rows(
            "Of rows that agree in these columns, only the first: judge,left,right.",
            metavar="COLUMNS",
            read=names_in,
        ),
    ] = None
    memory: Annotated[
        str | int | None,
        _of_rows("Count equal rows on disk if the files take more than this, such as 4GB.", metavar="SIZE"),
    ] = None

    @classmethod
    def of_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """What the arguments of a function say, which have the names of the fields."""
        return cls(**{field.name: arguments[field.name] for field in fields(cls) if field.name in arguments})


@dataclass(frozen=True, kw_only=True)
class Reading(AnyReading):
    """How comparisons are read."""

    left: Annotated[
        SideColumns | None, _common("Column of the left side; repeat for teams.", repeated=True)
    ] = None
    right: Annotated[
        SideColumns | None, _common("Column of the right side; repeat for teams.", repeated=True)
    ] = None
    outcome: Annotated[
        str | tuple[str, str] | Literal[False] | None,
        _common("Column of the outcome; twice for two scores.", repeated=True),
    ] = None
    outcome_format: Annotated[
        OutcomeFormat | None, Option("How outcomes are written, if that is ambiguous.")
    ] = None
    wins: Annotated[
        str | tuple[str, str] | None,
        Option("Column of wins, if rows are counts; twice, once per side.", repeated=True),
    ] = None
    ties: Annotated[Name, Option("Column that counts ties, if rows are counts.", "--ties-column")] = None
    category: str | None = None
    judge_kind: Annotated[
        Name, Option("Column of the kind of judge: a board on the scale of 'human'."), PAIRS
    ] = None
    covariates: Annotated[
        CovariateNames | None,
        _common(
            "Covariates to hold equal: length,bold finds length_a, length_b, ...; length=x:y names columns.",
            "--control",
            metavar="NAMES",
            read=covariates_in,
        ),
        PAIRS_OR_MOVING,
    ] = None
    neutral: Annotated[Name, Option("Column that marks rows on neutral ground."), PAIRS_OR_MOVING] = None
    team_separator: Annotated[Name, Option("Text between the members of a team in one cell.")] = None
    drop_ties: Annotated[bool, _of_rows("Leave out ties.", switch=True)] = False
    both_bad: Annotated[
        Literal["tie", "drop"], _of_rows("Votes that both sides are bad are ties, or left out.")
    ] = "tie"

    def names_sides(self) -> bool:
        """Whether columns are named that only comparisons have."""
        return any([self.left, self.right, self.outcome, self.wins])


# What is said of one file, and what models saved by 0.1 called other things.
FORGOTTEN = set("items encoding sheet bad_rows memory where since dedup drop_ties both_bad".split())
RENAMED = {"ties_column": "ties", "control": "covariates", "feature": "features"}


@dataclass(frozen=True, kw_only=True)
class FeatureReading(Reading):
    """How comparisons are read with features of the sides, or labelled rows."""

    items: Annotated[Any, _common("Table of items with their features.")] = None
    item_key: Annotated[Name, Option("Column of that table with the names.")] = None
    features: Annotated[
        Sequence[str] | Literal[True] | None,
        _common(
            "Feature to use: x of left_x and right_x, or a column of labelled rows. Repeat for several; all "
            "by default.",
            "--feature",
            repeated=True,
        ),
    ] = None
    label: Annotated[str | bool | None, _common("Column of the label, for models of labelled rows.")] = None
    query: Annotated[Name, _common("Column of the query; labelled rows are ranked within a query.")] = None

    def remembered(self) -> dict[str, Any]:
        """What a saved model keeps: nothing of one file, nor which rows to read."""
        return {name: value for name, value in self.said().items() if name not in FORGOTTEN}

    def over(self, saved: Mapping[str, Any]) -> Self:
        """These options; those that are not given are as they were saved."""
        said = {RENAMED.get(name, name): value for name, value in saved.items()}
        if isinstance(text := said.get("covariates"), str):
            said["covariates"] = covariates_in(text)
        known = {field.name for field in fields(self)} - self.said().keys()
        return replace(self, **{name: value for name, value in said.items() if name in known})


@dataclass(frozen=True, kw_only=True)
class RankingReading(AnyReading):
    """How rankings are read."""

    group: Annotated[Name, _GROUPS] = None
    # On the command line, which else may read comparisons:
    rankings: Annotated[bool, _of_rankings("The file holds rankings, whatever its columns.", switch=True)] = (
        False
    )
    kind: Annotated[RankingKind | None, _of_rankings("How the table is laid out.")] = None
    ranks: Annotated[
        Sequence[str] | None,
        _of_rankings(
            "Wide: column of a rank, best first; repeat for all. Scores: of an item.",
            "--rank-column",
            repeated=True,
        ),
    ] = None
    ballot: Annotated[
        str | Sequence[str] | None,
        _of_rankings("Long: column of the race or voter; repeatable.", repeated=True),
    ] = None
    item: Annotated[Name, _of_rankings("Long: column of the item.")] = None
    place: Annotated[Name, _of_rankings("Long: column of the place.")] = None
    dnf: Annotated[
        Literal["last", "drop"], _of_rankings("Long: items without a place are last, or dropped.")
    ] = "last"
    ranking: Annotated[
        Name, _of_rankings("Text: column of rankings such as 'a > b = c'.", "--ranking-column")
    ] = None
    unranked: Annotated[
        Literal["absent", "last"],
        _of_rankings("Items that a ranking does not name were absent, or are last."),
    ] = "absent"
    chosen: Annotated[Name, _of_rankings("Choices: column of the chosen item.")] = None
    alternatives: Annotated[
        str | Sequence[str] | None,
        _of_rankings("Choices: column of all there was to choose from; repeat for several.", repeated=True),
    ] = None
    separator: Annotated[Name, _of_rankings("Choices: text between alternatives in one cell.")] = None
    higher_is_better: Annotated[
        bool, _of_rankings("Scores: the lowest is the best.", "--lower-is-better", switch=False)
    ] = True

    def names_rankings(self) -> bool:
        """Whether something was said that only rankings have."""
        return not self.said().keys() <= {field.name for field in fields(AnyReading)}


# ------------------------------------------------------------------------------------ fitting

_of_models = partial(Option, panel=MODEL, common=True)


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Said):
    """Parameters of models of skills that are options of their own."""

    ties: Annotated[
        Literal["davidson", "rao-kupper", "half", "ignore"],
        _of_models("How ties are modelled."),
        SKILLS_OR_MOVING,
    ] = "davidson"
    prior: Annotated[
        float | str,
        _of_models(
            "Weight of the prior, 'auto', or 'normal' for normally distributed log-skills.",
            metavar="auto|normal|NUMBER",
            read=prior_in,
        ),
        SKILLS,
    ] = "auto"
    order_effect: Annotated[
        bool, _of_models("Estimate the advantage of the left side.", switch=True), PAIRS_OR_MOVING
    ] = False
    judge_effects: Annotated[
        str | tuple[str, ...] | None,
        Option(
            "How judges (--group) may differ: sharpness, ties, side, several with commas, or 'auto'.",
            panel=MODEL,
            metavar="auto|NAMES",
            read=judge_effects_in,
        ),
        PAIRS,
    ] = None
    half_life: Annotated[
        float | str | None,
        _of_models(
            "Age that halves the weight of a row, counted from the last one: 2y, 6mo, 30d, or a number in "
            "the unit of --time.",
            metavar="SPAN",
            read=number_or_text,
        ),
        PAIRS,
    ] = None
    covariance: Annotated[
        Literal["model", "robust", "cluster"],
        _of_models("Standard errors: of the model, robust (for weights), or clustered by --group."),
        SKILLS,
    ] = "model"
