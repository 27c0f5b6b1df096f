"""The model of 'podium rank': its options, and which of them each model has."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from podium.cli.evaluate import MOST_REPLICATES
from podium.cli.options.parameters import parse_settings
from podium.cli.options.registry import MODELS
from podium.options import Reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podium.comparisons.rankings.table import Rankings
    from podium.comparisons.table import Comparisons

MODEL = "Model"
LEVEL = 0.95
OF_PAIRS = ("order_effect", "half_life", "judges", "judges_out")  # options that rankings do not have
AnyReading = TypeVar("AnyReading", bound=Reading)
DATES = ("date", "datetime", "timestamp", "datum", "fecha")
SEASONS, WITHIN = ("season", "year"), ("day", "week", "month", "round")  # every season starts with round 1
OF_DYNAMIC = ("ties", "order_effect", "scale", "ranks", "anchor")  # options that --dynamic has too


class Model(StrEnum):
    bradley_terry = "bradley-terry"
    plackett_luce = "plackett-luce"
    dynamic_bradley_terry = "dynamic-bradley-terry"
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
class ModelOptions:
    """Parameters of bradley-terry, and partly of plackett-luce, that rating systems do not have."""

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


@dataclass(frozen=True)
class SkillOptions(ModelOptions):
    """Options of 'podium rank' for these models."""

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
    anytime: Annotated[
        bool | None,
        typer.Option(
            "--anytime/--no-anytime",
            help="Intervals and ranks that hold whenever you look, and for chosen pairs. By default if the "
            "file has a column 'probability'.",
        ),
    ] = None
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

    def parameters(self) -> dict[str, Any]:
        if self.seed is not None and not self.bootstrap:
            raise ValueError(
                "--seed is that of the bootstrap; say with --bootstrap how many replicates to draw"
            )
        return super().parameters()


@dataclass(frozen=True)
class DynamicOptions:
    """Options of dynamic-bradley-terry alone."""

    dynamic: Annotated[
        bool,
        typer.Option(
            "--dynamic",
            help="Skills that move: short for --model dynamic-bradley-terry. Times are in --time, or in a "
            "column such as date or season.",
            rich_help_panel=MODEL,
        ),
    ] = False
    at: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="With --dynamic: the board of this date, estimated from all games, later ones included.",
        ),
    ] = None
    history: Annotated[
        Path | None,
        typer.Option(
            help="With --dynamic: save the scores through time, as a picture (.png, .svg) or a table (.csv, "
            ".json, .parquet)."
        ),
    ] = None

    def model(self, asked: Model | None) -> Model | None:
        """The model that is asked for by --model or --dynamic; an error if they contradict each other."""
        if self.dynamic and asked not in (None, Model.dynamic_bradley_terry):
            raise ValueError(f"--dynamic is --model {Model.dynamic_bradley_terry}; leave out --model {asked}")
        return Model.dynamic_bradley_terry if self.dynamic else asked

    def check(self, model: Model) -> None:
        """Refuse --at and --history for models without skills that move."""
        if model is not Model.dynamic_bradley_terry:
            for name in ("at", "history"):
                if getattr(self, name) is not None:
                    raise ValueError(f"--{name} is for skills that move, and {model} has none; add --dynamic")

    def moment(self, time: "NDArray[Any] | None", dates: Any) -> Any:
        """The time of --at, like the times of the comparisons."""
        if time is None:
            raise ValueError(
                "--dynamic needs to know when each comparison was made; name the column of dates or numbers "
                "with --time"
            )
        from podium.reading.selection import moment_like

        return None if self.at is None else moment_like(self.at, time, dates, "at")


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


def make_estimator(
    model: Model, settings: list[str], only: ModelOptions, level: float = LEVEL, by: str | None = None
) -> Any:
    """The estimator, not fitted yet; an error if the model lacks one of the given options."""
    chosen = MODELS[model.value]
    parameters = parse_settings(settings, [chosen])[chosen.name]
    if model is Model.plackett_luce:
        _check_for_rankings(only, by)
    elif model is not Model.bradley_terry:
        _check_for(model, only, by)
    if model is Model.elo and level != LEVEL:
        raise ValueError("--level is for intervals, and elo has none; glicko and bradley-terry do")
    named = only.parameters()
    if twice := [name for name in named if name in parameters]:
        raise ValueError(f"{_option(twice[0])} and --set {twice[0]} say the same; give one of them")
    return chosen.make(parameters | named)


def _check_for(model: Model, only: ModelOptions, by: str | None) -> None:
    """Refuse options of bradley-terry that another model of comparisons does not have."""
    known = OF_DYNAMIC if model is Model.dynamic_bradley_terry else ()
    given = [name for name in [*only.given(), *["by"] * (by is not None)] if name not in known]
    if given:
        *most, last = map(_option, given)
        options = f"{', '.join(most)} and {last}" if most else last
        raise ValueError(
            f"{options} {'is' if len(given) == 1 else 'are'} for --model {Model.bradley_terry.value} and "
            f"would do nothing for {model.value}, whose parameters 'podium models {model.value}' lists"
        )


def _check_for_rankings(only: ModelOptions, by: str | None) -> None:
    """Refuse options that plackett-luce does not have."""
    if given := [*(name for name in only.given() if name in OF_PAIRS), *["by"] * (by is not None)]:
        raise ValueError(f"{_option(given[0])} is for comparisons, and this file is read as rankings")
    if only.ties not in (Ties.davidson, Ties.ignore):
        raise ValueError(
            f"--ties {only.ties} is for comparisons; plackett-luce models all ties, or leaves them out with "
            "--ties ignore"
        )


def period_setting(model: Model, period: str) -> str:
    """--period as a parameter of a rating system."""
    if model not in (Model.elo, Model.glicko, Model.glicko2):
        raise ValueError(f"--period is for --model elo, glicko and glicko2; {model} takes all games at once")
    return f"period={period}"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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
