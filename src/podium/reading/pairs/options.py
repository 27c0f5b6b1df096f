"""The arguments of `read_comparisons` and `read_chunks`: check them, open the source, find the columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import OutcomeFormat
from podium.comparisons.summary import Columns
from podium.reading.covariates import covariates_given
from podium.reading.dates import ORDERS, DateOrder
from podium.reading.files import open_table
from podium.reading.header import (
    SideColumns,
    check_choice,
    find_columns,
    lone_scores,
    name_given,
    names_given,
)
from podium.reading.plan import Plan
from podium.reading.rows import Form
from podium.reading.selection import Selection
from podium.reading.sources.preflib import PreflibFiles


@dataclass(frozen=True, kw_only=True)
class Options:
    """The arguments of `read_comparisons` that say what to read, with its names and defaults."""

    left: SideColumns | None = None
    right: SideColumns | None = None
    outcome: str | tuple[str, str] | Literal[False] | None = None
    outcome_format: OutcomeFormat | None = None
    wins: str | tuple[str, str] | None = None
    ties: str | None = None
    count: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    category: str | None = None
    covariates: Sequence[str] | Mapping[str, str | tuple[str, str] | None] | None = None
    neutral: str | None = None
    team_separator: str | None = None
    items: Any = None
    item_key: str | None = None
    features: Sequence[str] | Literal[True] | None = None
    bad_rows: Literal["error", "skip"] = "error"
    dates: DateOrder | None = None
    where: str | None = None
    since: Any = None
    dedup: str | Sequence[str] | None = None
    drop_ties: bool = False
    encoding: str = "utf-8"
    sheet: str | None = None

    def plan(self, source: Any) -> Plan[Columns]:
        """Check the arguments, open the source and find the columns."""
        named = self._named()
        if self.items is None and self.item_key is not None:
            raise InputError("{@item_key} is the key of a table of items; give that with {@items}")
        check_choice(self.bad_rows, "bad_rows", ("error", "skip"))
        check_choice(self.dates, "dates", (None, *ORDERS))
        chosen = Selection.of(self.where, self.since, self.dedup, self.drop_ties, self.dates)
        opened = open_table(source, self.encoding, self.sheet)
        if isinstance(opened, PreflibFiles):
            raise ValueError(
                f"'{opened.files[0]}' has rankings; podium.read_rankings reads it, and to_comparisons() of "
                "the result makes pairs"
            )
        described = self.features is True and self.items is None
        outcome_exists = self.outcome is not False
        columns = find_columns(opened.header, named, outcome_exists=outcome_exists, described=described)
        return Plan(opened, columns, chosen, skip=self.bad_rows == "skip")

    def _named(self) -> Columns:
        """The columns that the arguments name."""
        features = None if self.features is True or self.items is not None else self.features
        return Columns(
            left=names_given(self.left, "left"),
            right=names_given(self.right, "right"),
            outcome=names_given(self.outcome, "outcome", most=2) or None,
            wins=names_given(self.wins, "wins", most=2),
            ties=name_given(self.ties, "ties"),
            count=name_given(self.count, "count"),
            weight=name_given(self.weight, "weight"),
            group=name_given(self.group, "group"),
            time=name_given(self.time, "time"),
            category=name_given(self.category, "category"),
            covariates=covariates_given(self.covariates),
            neutral=name_given(self.neutral, "neutral"),
            features=names_given(features, "features"),
        )

    def need_every_row(self, columns: Columns) -> dict[str, bool]:
        """Which arguments, or columns in their place, need every row as it is."""
        return {
            "{@time}": self.time is not None,
            "{@features}": bool(columns.features),
            "{@items}": self.items is not None,
            "{@wins}": bool(columns.wins),
        }

    def form(self, plan: Plan[Columns]) -> Form:
        """How to read the rows; options that do not apply to the columns are refused."""
        columns = plan.columns
        if columns.features and (self.items is not None or self.team_separator is not None):
            raise InputError(
                "a file of left_* and right_* features names no items; drop {@items} and {@team_separator}"
            )
        if columns.wins and self.outcome_format is not None:
            raise InputError(
                f"{' and '.join(columns.wins)} count wins, which have no {{@outcome_format}}; drop it, or "
                "name the column of the outcome with {@outcome}"
            )
        plan.check_dates(self.dates)
        form = Form(columns, self.outcome_format, self.team_separator, self.dates, plan.opened.is_text)
        if self.outcome is None and self.outcome_format is None:
            form = replace(form, score_guessed=columns.outcome in lone_scores(plan.opened.header, Columns()))
        return form
