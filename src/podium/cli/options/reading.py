"""The options that say how a file is read, defined once for all commands."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.options.registry import Data, Model

if TYPE_CHECKING:
    from podium.comparisons.table import Comparisons
    from podium.reading.features import LabelledRows
    from podium.reading.sources.watching import Progress

PANEL, ROWS = "Reading", "Rows to read"


class OutcomeFormat(StrEnum):
    score = "score"
    sign = "sign"
    winner = "winner"
    probability = "probability"


class DateOrder(StrEnum):
    dmy = "dmy"
    mdy = "mdy"
    ymd = "ymd"


def _option(help: str, panel: str = PANEL, metavar: str | None = None) -> Any:
    return typer.Option(help=help, rich_help_panel=panel, metavar=metavar)


Files = Annotated[
    list[str],
    typer.Argument(
        help="CSV, JSON, Parquet or Excel files (.gz, .zst and .zip too), folders, or patterns; "
        "a SQLite file, or a database: postgresql://user:password@host/name."
    ),
]


OF_ONE_FILE = ("items", "encoding", "sheet", "skip_invalid", "memory")
ROW_OPTIONS = ("feature", "label", "query", "where", "sheet")  # of labelled rows
ROW_CHOICES = ("where", "since", "dedup", "drop_ties")


@dataclass(frozen=True)
class Reading:
    """How comparisons are read. What is not given is guessed from the header."""

    left: Annotated[list[str] | None, _option("Column of the left side; repeat for teams.")] = None
    right: Annotated[list[str] | None, _option("Column of the right side; repeat for teams.")] = None
    outcome: Annotated[list[str] | None, _option("Column of the outcome; twice for two scores.")] = None
    outcome_format: Annotated[
        OutcomeFormat | None, _option("How outcomes are written, if that is ambiguous.")
    ] = None
    wins: Annotated[
        list[str] | None, _option("Column of wins, if rows are counts; twice, once per side.")
    ] = None
    ties_column: Annotated[str | None, _option("Column that counts ties, if rows are counts.")] = None
    count: Annotated[str | None, _option("Column that counts the equal observations of a row.")] = None
    weight: Annotated[str | None, _option("Column of weights.")] = None
    group: Annotated[str | None, _option("Column of the judge, prompt or season.")] = None
    time: Annotated[str | None, _option("Column of times: dates or numbers.")] = None
    control: Annotated[
        str | None,
        _option(
            "Covariates to hold equal: length,bold finds length_a, length_b, ...; length=x:y names columns.",
            metavar="NAMES",
        ),
    ] = None
    neutral: Annotated[str | None, _option("Column that marks rows on neutral ground.")] = None
    team_separator: Annotated[str | None, _option("Text between the members of a team in one cell.")] = None
    dates: Annotated[DateOrder | None, _option("Order of day, month and year, if no date tells.")] = None
    encoding: Annotated[str, _option("Encoding of text and JSON files.")] = "utf-8"
    sheet: Annotated[str | None, _option("Sheet of a workbook, or table of a database.")] = None
    skip_invalid: Annotated[
        bool,
        typer.Option(
            "--skip-invalid", help="Leave out rows that cannot be read, and say which.", rich_help_panel=ROWS
        ),
    ] = False
    where: Annotated[
        str | None, _option("Only rows that meet this condition, such as 'turn = 1'.", ROWS, "SQL")
    ] = None
    since: Annotated[
        str | None,
        _option(
            "Only rows from this time on; 'last' with a saved model: later ones than it has seen.",
            ROWS,
            "TIME",
        ),
    ] = None
    dedup: Annotated[
        str | None,
        _option("Of rows that agree in these columns, only the first: judge,left,right.", ROWS, "COLUMNS"),
    ] = None
    memory: Annotated[
        str | None,
        _option("Count equal rows on disk if the files take more than this, such as 4GB.", ROWS, "SIZE"),
    ] = None
    drop_ties: Annotated[bool, typer.Option("--drop-ties", help="Leave out ties.", rich_help_panel=ROWS)] = (
        False
    )

    def options(self) -> dict[str, Any]:
        """As `podium.read_comparisons` takes them."""
        named = {field.name: getattr(self, field.name) or None for field in fields(Reading)}
        named["ties"] = named.pop("ties_column")
        named["covariates"] = covariates_of(named.pop("control"))
        named["bad_rows"] = "skip" if named.pop("skip_invalid") else "error"
        words = {name: str(named[name]) for name in ("outcome_format", "dates") if named[name] is not None}
        keys = self.dedup.split(",") if self.dedup else []
        dedup = [name.strip() for name in keys] or None
        return named | words | {"drop_ties": self.drop_ties, "dedup": dedup}


def covariates_of(text: str | None) -> dict[str, str | tuple[str, str] | None] | None:
    """``--control`` as `podium.read_comparisons` takes it.

    >>> covariates_of("length=la:lb, bold, price=more")
    {'length': ('la', 'lb'), 'bold': None, 'price': 'more'}
    """
    if text is None:
        return None
    found: dict[str, str | tuple[str, str] | None] = {}
    for part in text.split(","):
        name, given, columns = (word.strip() for word in part.partition("="))
        left, both, right = columns.partition(":")
        if not name or name in found or (given and not left) or (both and not right):
            raise ValueError(f"--control takes different names, or NAME=LEFT:RIGHT, not '{text}'")
        found[name] = (left, right) if both else left or None
    return found


@dataclass(frozen=True)
class FeatureReading(Reading):
    """How comparisons, features and labels are read."""

    items: Annotated[str | None, _option("Table of items with their features.")] = None
    item_key: Annotated[str | None, _option("Column of that table with the names.")] = None
    feature: Annotated[
        list[str] | None,
        _option(
            "Feature to use: x of left_x and right_x, or a column of labelled rows. Repeat for several; all "
            "by default."
        ),
    ] = None
    label: Annotated[str | None, _option("Column of the label, for models of labelled rows.")] = None
    query: Annotated[str | None, _option("Column of the query; labelled rows are ranked within a query.")] = (
        None
    )

    def said(self) -> dict[str, Any]:
        """What was said on the command line, in terms of JSON."""
        said = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "encoding"}
        return {name: value for name, value in said.items() if value not in (None, False)}

    def given(self) -> dict[str, Any]:
        """What a saved model remembers: nothing of one file, nor which rows to read."""
        forgotten = (*OF_ONE_FILE, *ROW_CHOICES)
        return {name: value for name, value in self.said().items() if name not in forgotten}

    def over(self, saved: Mapping[str, Any]) -> "FeatureReading":
        """These options; those that are not given are as they were saved."""
        said = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{n: v for n, v in saved.items() if n in said and said[n] is None})


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """A decorator: a parameter that is a dataclass, such as ``reading``, becomes one option per field."""
    own = inspect.signature(command).parameters.values()
    named = inspect.Parameter.KEYWORD_ONLY
    groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}
    options = [
        inspect.Parameter(f.name, named, default=f.default, annotation=f.type)
        for kind in groups.values()
        for f in fields(kind)
    ]
    others = [p.replace(kind=named) for p in own if p.name not in groups]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        made = {
            name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        command(**made, **values)

    run.__signature__ = inspect.Signature([*others, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*others, *options]}
    return run


def check_controls(
    reading: Reading, models: Iterable[Model], parameters: Iterable[Mapping[str, Any]]
) -> None:
    """Refuse covariates and neutral ground if none of the models, with its parameters, would use them."""
    chosen = list(zip(models, parameters, strict=True))
    controls = any(model.controls for model, _ in chosen)
    if reading.control is not None and not (controls or any(values.get("margin") for _, values in chosen)):
        raise ValueError(
            "--control is for bradley-terry, and for elo with --set margin=NAME; the models chosen here "
            "would not use it"
        )
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

        for name in reading.said():
            if name not in ROW_OPTIONS:
                option = name.replace("_", "-")
                raise ValueError(
                    f"--{option} is for comparisons; this model learns from rows with --label and --query"
                )
        if reading.skip_invalid:
            raise ValueError("--skip-invalid is for comparisons; this model learns from labelled rows")
        label = reading.label if outcome else False
        return read_rows(
            files,
            label=label,
            query=reading.query,
            features=reading.feature,
            where=reading.where,
            encoding=reading.encoding,
            sheet=reading.sheet,
        )
    options = reading.options()
    if not outcome:
        if reading.drop_ties:
            raise ValueError("--drop-ties needs outcomes, and rows to predict have none")
        unneeded = ("outcome_format", "wins", "ties", "count", "weight", "group")
        options |= {"outcome": False, **dict.fromkeys(unneeded)}
        if not (timed or reading.since):
            options |= {"time": None, "dates": None}
    options |= {"items": reading.items, "item_key": reading.item_key, "features": reading.feature}
    options |= {"counted": counted, "progress": progress}
    if data is Data.pairs and reading.items is None:  # names of the sides are not features
        options |= {"left": None, "right": None} if reading.feature else {"features": True}
    c = read_with_hints(files, reading, options)
    if data is Data.items and reading.items is None:
        check_names(c)
    return c


def check_names(c: "Comparisons") -> None:
    """Items need names: otherwise each row has two items of its own, and there is nothing to rank."""
    if c.features is not None:
        raise ValueError(
            "this file describes its two sides by features and names no items to rank; learn what makes one "
            "side better with 'podium fit FILE --model svm-compare --save model.skops'"
        )


def read_with_hints(files: list[str], reading: FeatureReading, options: dict[str, Any]) -> "Comparisons":
    """Read comparisons; an error says what to do about rankings, and about columns of text among features."""
    from podium.comparisons.messages import InputError, extended
    from podium.reading.comparisons import read_comparisons
    from podium.reading.files import open_table
    from podium.reading.rankings.recognise import holds_rankings

    opened = open_table(files, reading.encoding, reading.sheet)
    try:
        return read_comparisons(opened, **options)
    except ValueError as error:
        if not reading.left and holds_rankings(opened):
            raise ValueError(
                "this file holds rankings; use 'podium rank FILE', or podium.PlackettLuce in Python"
            ) from None
        wanted = isinstance(error, InputError) and error.facts.get("wanted")
        if reading.items and not reading.feature and wanted == "a number":
            raise extended(error, "choose the features of the items with --feature") from None
        raise
