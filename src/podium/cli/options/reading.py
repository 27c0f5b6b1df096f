"""The options that say how a file is read, typed once for all commands that read one."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.options.registry import Data

if TYPE_CHECKING:
    from podium.comparisons.table import Comparisons
    from podium.reading.features import LabelledRows

PANEL = "Reading"


class OutcomeFormat(StrEnum):
    score = "score"
    sign = "sign"
    winner = "winner"
    probability = "probability"


class DateOrder(StrEnum):
    dmy = "dmy"
    mdy = "mdy"
    ymd = "ymd"


def _option(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel=PANEL)


Files = Annotated[list[str], typer.Argument(help="CSV, TSV or Parquet files (.gz too), or patterns of them.")]


OF_ONE_FILE = ("items", "encoding", "skip_invalid")
ROW_OPTIONS = ("feature", "label", "query")  # of labelled rows


@dataclass(frozen=True)
class Reading:
    """How comparisons are read; what is not given is guessed from the header."""

    left: Annotated[list[str] | None, _option("Column of the left side; twice for teams.")] = None
    right: Annotated[list[str] | None, _option("Column of the right side.")] = None
    outcome: Annotated[list[str] | None, _option("Column of the outcome; twice for two scores.")] = None
    outcome_format: Annotated[OutcomeFormat | None, _option("If it is ambiguous.")] = None
    weight: Annotated[str | None, _option("Column of weights.")] = None
    group: Annotated[str | None, _option("Column of the judge, prompt or season.")] = None
    time: Annotated[str | None, _option("Column of time.")] = None
    team_separator: Annotated[str | None, _option("Between team members in one cell.")] = None
    dates: Annotated[DateOrder | None, _option("Order of day, month and year, if no date tells.")] = None
    encoding: Annotated[str, _option("Of text files.")] = "utf-8"
    skip_invalid: Annotated[
        bool,
        typer.Option(
            "--skip-invalid", help="Leave out rows that cannot be read, and say which.", rich_help_panel=PANEL
        ),
    ] = False

    def options(self) -> dict[str, Any]:
        """As `podium.read_comparisons` takes them."""
        named = {field.name: getattr(self, field.name) or None for field in fields(Reading)}
        named["bad_rows"] = "skip" if named.pop("skip_invalid") else "error"
        words = {name: str(named[name]) for name in ("outcome_format", "dates") if named[name] is not None}
        return named | words


@dataclass(frozen=True)
class FeatureReading(Reading):
    """And how features and labels are."""

    items: Annotated[str | None, _option("Table of items with their features.")] = None
    item_key: Annotated[str | None, _option("Its column with the names.")] = None
    feature: Annotated[
        list[str] | None, _option("Feature to use, once for each; x of left_x and right_x. All by default.")
    ] = None
    label: Annotated[str | None, _option("Column of the label, for models of labelled rows.")] = None
    query: Annotated[str | None, _option("Column of the query within which such rows are ranked.")] = None

    def given(self) -> dict[str, Any]:
        """What was said on the command line, in terms of JSON; not what is about one file only."""
        said = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in OF_ONE_FILE}
        return {name: value for name, value in said.items() if value is not None}

    def over(self, saved: Mapping[str, Any]) -> "FeatureReading":
        """With what was saved, where nothing else is said now."""
        said = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{n: v for n, v in saved.items() if n in said and said[n] is None})


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters of a dataclass (as ``reading`` is) are an option for each of its fields."""
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


def read(
    files: list[str], reading: FeatureReading, data: Data, *, outcome: bool = True
) -> "Comparisons | LabelledRows":
    """The data of a kind; without outcomes and labels, and what goes with them, if nobody needs them."""
    if data is Data.rows:
        from podium.reading.features import read_rows

        for name in reading.given():
            if name not in ROW_OPTIONS:
                option = name.replace("_", "-")
                raise ValueError(
                    f"--{option} is for comparisons; this model learns from rows with --label and --query"
                )
        if reading.skip_invalid:
            raise ValueError("--skip-invalid is for comparisons; this model learns from labelled rows")
        label = reading.label if outcome else False
        return read_rows(
            files, label=label, query=reading.query, features=reading.feature, encoding=reading.encoding
        )
    from podium.reading.comparisons import read_comparisons

    options = reading.options()
    if not outcome:
        options |= {"outcome": False, "outcome_format": None, "weight": None, "group": None, "time": None}
    options |= {"items": reading.items, "item_key": reading.item_key, "features": reading.feature}
    if (
        data is Data.pairs and reading.items is None
    ):  # then names of the sides are no features, and that is all
        options |= {"left": None, "right": None} if reading.feature else {"features": True}
    c = _with_hint(reading, lambda: read_comparisons(files, **options))
    if data is Data.items and reading.items is None:
        check_names(c)
    return c


def check_names(c: "Comparisons") -> None:
    """Without names every row has two items of its own, of which nothing can be learned but that row."""
    if c.features is not None:
        raise ValueError(
            "this file describes its two sides by features and names no items to rank; learn what makes one "
            "side better with 'podium fit FILE --model svm-compare --save model.skops'"
        )


def _with_hint(reading: FeatureReading, reader: "Callable[[], Comparisons]") -> "Comparisons":
    """Tables of items mostly have words in them too, which are no features."""
    try:
        return reader()
    except ValueError as error:
        if reading.items and not reading.feature and "where a number should be" in str(error):
            raise ValueError(f"{error}; choose the features of the items with --feature") from None
        raise
