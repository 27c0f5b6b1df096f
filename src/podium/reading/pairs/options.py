"""What was said of comparisons: check it, open the source, find the columns."""

from collections.abc import Callable
from typing import Any

from podium.comparisons.messages import InputError
from podium.comparisons.summary import Columns
from podium.options import FeatureReading
from podium.reading.covariates import covariates_given
from podium.reading.dates import ORDERS
from podium.reading.files import open_table
from podium.reading.formats import Formats, Whole
from podium.reading.header import check_choice, find_columns, lone_scores, name_given, names_given
from podium.reading.plan import Plan
from podium.reading.selection import Selection
from podium.reading.sources.preflib import PreflibFiles


def plan_of(source: Any, given: FeatureReading) -> Plan[Columns]:
    """Check the arguments, open the source and find the columns."""
    named = _named(given)
    if given.items is None and given.item_key is not None:
        raise InputError("{@item_key} is the key of a table of items; give that with {@items}")
    check_choice(given.bad_rows, "bad_rows", ("error", "skip"))
    check_choice(given.dates, "dates", (None, *ORDERS))
    chosen = Selection.of(given.where, given.since, given.dedup, given.drop_ties, given.dates)
    opened = open_table(source, given.encoding, given.sheet)
    if isinstance(opened, PreflibFiles):
        raise ValueError(
            f"'{opened.files[0]}' has rankings; podium.read_rankings reads it, and to_comparisons() of "
            "the result makes pairs"
        )
    described = given.features is True and given.items is None
    outcome_exists = given.outcome is not False
    columns = find_columns(opened.header, named, outcome_exists=outcome_exists, described=described)
    return Plan(opened, columns, chosen, skip=given.bad_rows == "skip")


def _named(given: FeatureReading) -> Columns:
    """The columns that the arguments name."""
    features = None if given.features is True or given.items is not None else given.features
    return Columns(
        left=names_given(given.left, "left"),
        right=names_given(given.right, "right"),
        outcome=names_given(given.outcome, "outcome", most=2) or None,
        wins=names_given(given.wins, "wins", most=2),
        ties=name_given(given.ties, "ties"),
        count=name_given(given.count, "count"),
        weight=name_given(given.weight, "weight"),
        group=name_given(given.group, "group"),
        time=name_given(given.time, "time"),
        category=name_given(given.category, "category"),
        covariates=covariates_given(given.covariates),
        neutral=name_given(given.neutral, "neutral"),
        features=names_given(features, "features"),
    )


def need_every_row(given: FeatureReading, columns: Columns) -> dict[str, bool]:
    """Which arguments, or columns in their place, need every row as it is."""
    return {
        "{@time}": given.time is not None,
        "{@features}": bool(columns.features),
        "{@items}": given.items is not None,
        "{@wins}": bool(columns.wins),
    }


def formats_for(given: FeatureReading, plan: Plan[Columns]) -> Callable[[Whole, bool], Formats]:
    """How to read the rows; options that do not apply to the columns are refused."""
    columns = plan.columns
    if columns.features and (given.items is not None or given.team_separator is not None):
        raise InputError(
            "a file of left_* and right_* features names no items; drop {@items} and {@team_separator}"
        )
    if columns.wins and given.outcome_format is not None:
        raise InputError(
            f"{' and '.join(columns.wins)} count wins, which have no {{@outcome_format}}; drop it, or "
            "name the column of the outcome with {@outcome}"
        )
    plan.check_dates(given.dates)
    guessed = given.outcome is None and given.outcome_format is None
    score_guessed = guessed and columns.outcome in lone_scores(plan.opened.header, Columns())
    return lambda whole, skip: Formats(
        whole, given, columns, skip=skip, text=plan.opened.is_text, score_guessed=score_guessed
    )
