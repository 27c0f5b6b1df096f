"""Options from their declarations, beside parameters or in `podium.options`, and files read as they say."""

import functools
import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from podium.cli.options.registry import Data, Model
from podium.cli.output.errors import sentences
from podium.options import AnyReading, FeatureReading, Option, Reading, flag_of, option_of, takers_of

if TYPE_CHECKING:
    from podium.comparisons.table import Comparisons
    from podium.reading.features import LabelledRows
    from podium.reading.sources.counting import Progress

ROW_OPTIONS = ("features", "label", "query", "where", "encoding", "sheet")  # of labelled rows
MOST_REPLICATES = 100_000  # of a bootstrap: more take memory and add nothing
OF_OUTCOMES = ("outcome_format", "wins", "ties", "count", "weight", "group")

Files = Annotated[
    list[str],
    typer.Argument(
        help="CSV, JSON, Parquet or Excel files (.gz, .zst and .zip too), folders, or patterns; "
        "a SQLite file, or a database: postgresql://user:password@host/name."
    ),
]


def option(help: str, *flag: str, panel: str | None = None, seldom: bool = False, **more: Any) -> Any:
    """An option, declared beside a type; ``--help`` leaves those that are ``seldom`` needed to --help-all."""
    return typer.Option(*flag, help=help, rich_help_panel=panel, hidden=seldom, **more)


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """A decorator: a parameter that is a dataclass, such as ``reading``, becomes one option per field.

    Two dataclasses that share a field share its option.
    """
    own = inspect.signature(command).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}
    options = {_name(field): _parameter(field) for kind in groups.values() for field in _fields(kind)}
    others = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own if p.name not in groups]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        said = {name: values.pop(name) for name in options}
        with sentences():
            made = {
                name: kind(**{field.name: _value(field, said[_name(field)]) for field in _fields(kind)})
                for name, kind in groups.items()
            }
        command(**made, **values)

    parameters = [*others, *options.values()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _fields(kind: Any) -> "list[Field[Any]]":
    """The fields that are options; those that comparisons and rankings share come last."""
    shown = [field for field in fields(kind) if get_origin(field.type) is Annotated]
    return sorted(shown, key=lambda field: field.name in AnyReading.__annotations__)


def _name(field: "Field[Any]") -> str:
    """The parameter of a field: --ties-column is no --ties."""
    return flag_of(field).lstrip("-").replace("-", "_")


def _parameter(field: "Field[Any]") -> inspect.Parameter:
    said, annotation, default = option_of(field), field.type, field.default
    if said is not None:
        kind, default = _typed(field, said)
        annotation = Annotated[
            kind,
            option(said.help, flag_of(field), panel=said.panel, seldom=not said.common, metavar=said.metavar),
        ]
    return inspect.Parameter(
        _name(field), inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _typed(field: "Field[Any]", option: Option) -> tuple[Any, Any]:
    """The type of an option and its default: a list, a switch, one of some words, or text."""
    if option.switch is not None:
        return bool, False
    if option.repeated:
        return list[str] | None, None
    kinds = get_args(field.type)[0]
    for words in (kinds, *get_args(kinds)):
        if get_origin(words) is Literal:
            return (words | None, None) if field.default is None else (words, field.default)
    return (str, field.default) if isinstance(field.default, str) else (str | None, None)


def _value(field: "Field[Any]", said: Any) -> Any:
    option = option_of(field)
    return said if option is None else option.value(field, said)


def check_rankings(reading: Reading) -> None:
    """Refuse options that only comparisons have, for a file of rankings."""
    _refuse_others(
        reading,
        AnyReading.__annotations__,
        ", and this file is read as rankings; if it holds comparisons, name their two sides with --left and "
        "--right",
    )


def _refuse_others(reading: Reading, known: Container[str], why: str) -> None:
    """Refuse options that are not among those that are ``known``."""
    for field in fields(reading):
        if field.name not in known and field.name in reading.said():
            raise ValueError(f"{flag_of(field)} is for comparisons{why}")


def check_controls(
    reading: Reading, models: Iterable[Model], parameters: Iterable[Mapping[str, Any]]
) -> None:
    """Refuse covariates, kinds of judges and neutral ground that none of the models, as set, would use."""
    chosen = list(zip(models, parameters, strict=True))
    takers = takers_of(Reading.__dataclass_fields__["covariates"])
    controls = any(model.name in takers for model, _ in chosen)
    if reading.covariates is not None and not (controls or any(values.get("margin") for _, values in chosen)):
        raise ValueError(
            "--control is for bradley-terry, and for elo with --set margin=NAME; the models chosen here "
            "would not use it"
        )
    if reading.judge_kind is not None and not any(values.get("judge_kind") for _, values in chosen):
        raise ValueError("--judge-kind is for bradley-terry; say whose scale with --set judge_kind=human")
    sided = any(values.get("order_effect") or values.get("advantage") for _, values in chosen)
    if reading.neutral is not None and not (controls or sided):
        raise ValueError(
            "--neutral is for bradley-terry, and for ratings with --set advantage=POINTS; the models chosen "
            "here would not use it"
        )
    if reading.neutral is not None and not sided:
        raise ValueError(
            "--neutral marks rows without the advantage of the left side; estimate it with --order-effect, "
            "or --set order_effect=true for fit and compare"
        )


def read(
    files: list[str],
    reading: FeatureReading,
    data: Data,
    *,
    outcome: bool = True,
    timed: bool = False,
    counted: bool | None = False,
    progress: "Progress | None" = None,
) -> "Comparisons | LabelledRows":
    """The data that a kind of model takes; without outcomes, labels and weights if nobody needs them.

    Rows to predict are read without their time, unless it matters (``timed``). With ``counted=None`` equal
    rows of files past memory are counted, which ``progress`` follows.
    """
    if data is Data.rows:
        from podium.reading.features import read_rows

        _refuse_others(reading, ROW_OPTIONS, "; this model learns from rows with --label and --query")
        given = {name: getattr(reading, name) for name in ROW_OPTIONS}
        return read_rows(files, **(given if outcome else given | {"label": False}))
    if not outcome:
        if reading.drop_ties:
            raise ValueError("--drop-ties needs outcomes, and rows to predict have none")
        unneeded: Any = dict.fromkeys(OF_OUTCOMES)
        reading = replace(reading, outcome=False, **unneeded)
        if not (timed or reading.since):
            reading = replace(reading, time=None, dates=None)
    if data is Data.pairs and reading.items is None:  # names of the sides are not features
        unnamed: Any = {"left": None, "right": None} if reading.features else {"features": True}
        reading = replace(reading, **unnamed)
    c = read_with_hints(files, reading, counted, progress)
    if data is Data.items and reading.items is None:
        check_names(c)
    return c


def judge_column(header: Iterable[str]) -> str | None:
    """The column whose name says that it holds the judges, if --group names none."""
    return next((name for name in ("judge", "annotator", "rater", "worker") if name in header), None)


def check_names(c: "Comparisons") -> None:
    """Items need names: otherwise each row has two items of its own, and there is nothing to rank."""
    if c.features is not None:
        raise ValueError(
            "this file describes its two sides by features and names no items to rank; learn what makes one "
            "side better with 'podium fit FILE --model svm-compare --save model.skops'"
        )


def read_with_hints(
    files: list[str], reading: FeatureReading, counted: bool | None = None, progress: "Progress | None" = None
) -> "Comparisons":
    """Read comparisons; an error says what to do about rankings, and about columns of text among features."""
    from podium.comparisons.messages import InputError, extended
    from podium.reading.comparisons import comparisons_from
    from podium.reading.files import open_table
    from podium.reading.rankings.columns import holds_rankings

    opened = open_table(files, reading.encoding, reading.sheet)
    try:
        return comparisons_from(opened, reading, counted, progress)
    except ValueError as error:
        if not reading.left and holds_rankings(opened):
            raise ValueError(
                "this file holds rankings; use 'podium rank FILE', or podium.PlackettLuce in Python"
            ) from None
        wanted = isinstance(error, InputError) and error.facts.get("wanted")
        if reading.items and not reading.features and wanted == "a number":
            raise extended(error, "choose the features of the items with --feature") from None
        raise
