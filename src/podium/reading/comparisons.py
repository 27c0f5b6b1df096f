"""Files, frames and relations become Comparisons, without a loop over rows: DuckDB, Arrow, narwhals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.labels import encode
from podium.comparisons.outcomes import OutcomeFormat, SideLabels, checked_probabilities, read_outcomes
from podium.comparisons.sides import encode_sides
from podium.comparisons.summary import LEFT_IS_BETTER, Columns
from podium.comparisons.table import Comparisons
from podium.reading.casts import feature_matrix, numbers, times, trimmed, truths
from podium.reading.counted import how_to_count, load, merged, observations, reasons_for_rows, without_time
from podium.reading.counts import with_counts
from podium.reading.covariates import covariates_given, differences
from podium.reading.dates import ORDERS, DateOrder
from podium.reading.files import Opened, counted_from, open_table
from podium.reading.header import SideColumns, check_choice, find_columns, name_given, names_given
from podium.reading.item_features import with_item_features
from podium.reading.rows import Form, both_sides, side_labels, sift
from podium.reading.scores import pairs_repeat, signs_of_scores
from podium.reading.selection import Selection
from podium.reading.skipped import Sieve, rows_that_can_be_read
from podium.reading.sources.counting import Progress
from podium.reading.sources.databases import Database
from podium.reading.sources.preflib import PreflibFiles


def read_comparisons(
    source: Any,
    *,
    left: SideColumns | None = None,
    right: SideColumns | None = None,
    outcome: str | tuple[str, str] | Literal[False] | None = None,
    outcome_format: OutcomeFormat | None = None,
    wins: str | tuple[str, str] | None = None,
    ties: str | None = None,
    count: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    category: str | None = None,
    covariates: Sequence[str] | Mapping[str, str | tuple[str, str] | None] | None = None,
    neutral: str | None = None,
    team_separator: str | None = None,
    items: Any = None,
    item_key: str | None = None,
    features: Sequence[str] | Literal[True] | None = None,
    bad_rows: Literal["error", "skip"] = "error",
    dates: DateOrder | None = None,
    where: str | None = None,
    since: Any = None,
    dedup: str | Sequence[str] | None = None,
    drop_ties: bool = False,
    encoding: str = "utf-8",
    sheet: str | None = None,
    counted: bool | None = None,
    memory: str | int | None = None,
    progress: Progress | None = None,
) -> Comparisons:
    """Read comparisons from a file, a frame or a relation.

    Parameters
    ----------
    source
        A CSV, TSV, JSON, JSON lines, Parquet or Excel file (``.gz``, ``.zst`` and ``.zip`` too), a folder, a
        pattern such as ``"games/*.csv"``, a list of files; a SQLite file, or the address of a database such
        as ``"postgresql://user:password@host/name"``; a pandas, polars or Arrow table; a DuckDB relation; a
        `pyarrow.dataset`.
    left, right
        The columns of the two sides, several for a team. A field of a nested column has a dotted name:
        ``"conversation.model_a"``. Guessed from the header when only one reading is
        possible: white/black, model_a/model_b, home/away, player1/player2, winner/loser and their like.
    outcome
        The column of the outcome; a pair of columns with the scores of the two sides; ``False`` if there is
        none. Guessed like the sides.
    outcome_format
        ``"score"`` of the left side (1, 0.5, 0) or of both sides, left first (1-0, 3:1, 6-4 3-6 7-5);
        ``"sign"`` (-1 the left side is better, 1 the right); ``"winner"`` (a word for the side, or its
        label); ``"probability"`` that the left side is better, between 0 and 1: each row becomes two weighted
        rows, see `Comparisons.with_probability`. ``None`` recognises what is unambiguous, which a probability
        never is.
    wins, ties
        For tables in which a row is a pair: the two columns that count how often each side won, and the
        column that counts their ties. One column of ``wins`` counts how often the left side won. Columns such
        as win1/win2, home_wins/away_wins and win/loss are recognised if there is no outcome.
    count, weight, group, time
        The columns of counts (how many equal observations a row stands for), of weights (how important a row
        is), of groups (judge, prompt, season) and of time. Columns of just these names are used without being
        asked for. Time is a number, a date with or without a time of day, a season (2008/09, read as 2008),
        or seconds or milliseconds since 1970.
    category
        The column of a category (language, task), for `BradleyTerry.leaderboard` by category.
    covariates
        What else differs between the two sides (length of the answers, price). ``["length"]`` finds the
        columns of the two sides, such as length_a and length_b, or takes a single column called length as the
        difference, right minus left. A mapping names the columns, left first:
        ``{"length": ("chars_a", "chars_b")}``, or ``{"length": "more_chars"}`` for the difference; None finds
        the columns.
    neutral
        The column that says which rows are on neutral ground, where no side has the advantage of its place:
        true/false, yes/no, 1/0, neutral/home and their like.
    team_separator
        What stands between the members of a team in one cell, such as ``"/"``.
    items, item_key
        A table of items with their features, in any form that ``source`` may have, and its key column.
    features
        The columns to use as features, by default all: of ``items``, or x of ``left_x`` and ``right_x`` in
        a file whose sides have no names. ``True`` reads a file whose sides have names and such columns by the
        columns. Names (``left_id``, ``right_name``) are features only if they are listed here.
    bad_rows
        What to do about rows that cannot be read: blank cells, byes, unfinished games (``*``), an item
        against itself, unknown words, weights that are not numbers. ``"error"`` names the first one;
        ``"skip"`` leaves them out, with a warning that says how many and why. ``skipped`` of the result has
        them all. If more than half of the rows are bad, it is an error in any case. Only ``"skip"`` takes an
        opponent called BYE, - or ? for nobody; otherwise these are names.
    dates
        The order of day, month and year in dates such as 03/04/2022: ``"dmy"``, ``"mdy"`` or ``"ymd"``. It is
        needed only if no row of the column tells. ``since`` is read in the same way.
    where
        A condition in DuckDB's SQL that rows have to meet, such as ``"turn = 1 and language <> 'de'"``. It
        may name any column. A column of a text file is compared as numbers if all its cells are numbers.
    since
        A date or a number: only rows of this ``time`` or later are read.
    dedup
        Columns that tell repeated rows: of rows that agree in all of them, the first one stays. ``"left"``,
        ``"right"``, ``"outcome"``, ``"group"``, ``"time"`` and ``"category"`` stand for the columns that
        are used as such. Rows that do not meet ``where``, or are skipped, do not count.
    drop_ties
        Leave out comparisons without a difference.
    encoding
        Of text and JSON files.
    sheet
        The sheet of a workbook, or table of a database, if it has several.
    counted
        Whether equal rows are counted where the data are, so that only distinct rows come into memory: by
        DuckDB for files, by the engine of a lazy frame. The result is that of `Comparisons.aggregate` by
        group and category, in the order of the items. ``None`` counts lazy frames, and files that would take
        more than ``memory``, unless ``time=``, ``since=``, ``dedup=``, ``items=`` or features need the rows.
        A column of time that is not asked for is then not used.
    memory
        A file that would take more is counted, and DuckDB keeps to this limit and spills to disk. A size such
        as ``"4GB"``; by default half of the memory that DuckDB finds.
    progress
        A function that is told how many per cent of the rows are counted, of 100.

    Returns
    -------
    Comparisons
        Its ``columns`` say what each column was used for. Labels of text files are text, even if they look
        like numbers; models find the text ``'7'`` by the integer 7 and the other way round.

    Raises
    ------
    ValueError
        In one sentence that names the column, row or item at fault.

    Notes
    -----
    Rows in error messages are counted after ``where`` and ``dedup``; ``skipped``, and what a message says of
    ``bad_rows``, counts the lines of the file.

    Examples
    --------
    >>> import pandas as pd, podium
    >>> games = pd.DataFrame({"white": ["ann", "bob"], "black": ["bob", "cat"], "result": ["1-0", "1/2-1/2"]})
    >>> podium.read_comparisons(games)
    <Comparisons: 2 comparisons of 3 items, 1 tie (50.0 %), connected>
    >>> print(podium.read_comparisons(games.assign(site="Rome")).columns)
    white and black (sides), result (outcome); not used: site
    """
    plan = plan_of(locals())
    opened, chosen, columns = plan.opened, plan.chosen, plan.columns
    reasons = reasons_for_rows(plan.given, columns, chosen, items)
    counting = how_to_count(opened, counted, memory, progress, reasons)
    if counting is not None:
        columns = without_time(columns)
    form = plan.form(columns)
    table = load(opened, chosen.columns(opened.header, columns), counting)
    if table.num_rows == 0:
        what = "an empty table" if isinstance(opened, Database) else "a header"
        raise ValueError(f"there are no rows to read, only {what}")
    rows = chosen.rows_of(table, opened.header)
    first = counted_from(opened) if counting is None else ("distinct row", 1)
    sieve = Sieve(table if rows is None else table.take(rows), *first, rows)
    c = rows_that_can_be_read(
        sieve,
        lambda table: chosen.once(table, columns, partial(comparisons_of, form=form)),
        partial(sift, form=form),
        skip=bad_rows == "skip",
        check="left=, right= and outcome=",
    )
    if items is not None:
        c = with_item_features(c, items, item_key, None if features is True else features, encoding)
    c = chosen.of_comparisons(c)
    return c if counting is None else merged(c)


# ------------------------------------------------------------------------------------ what was asked for


class Plan(NamedTuple):
    """The table that was opened, the columns that were named and found, and the rows that are wanted."""

    opened: Opened
    given: Columns
    columns: Columns
    chosen: Selection
    options: Mapping[str, Any]

    def form(self, columns: Columns) -> Form:
        """How to read the rows by these columns."""
        options = self.options
        separator, dates = options["team_separator"], options["dates"]
        form = Form(columns, options["outcome_format"], separator, dates, self.opened.is_text)
        _check_form(form, options["items"])
        return form


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Check the arguments of `read_comparisons` and find the columns."""
    items, features, outcome, dates = (options[name] for name in ("items", "features", "outcome", "dates"))
    single = ("ties", "count", "weight", "group", "time", "category", "neutral")
    named: dict[str, Any] = {name: name_given(options[name], name) for name in single}
    given = Columns(
        left=names_given(options["left"], "left"),
        right=names_given(options["right"], "right"),
        outcome=names_given(outcome, "outcome", most=2) or None,
        wins=names_given(options["wins"], "wins", most=2),
        covariates=covariates_given(options["covariates"]),
        features=() if features is True or items is not None else names_given(features, "features"),
        **named,
    )
    if items is None and options["item_key"] is not None:
        raise ValueError("item_key= is the key of a table of items; give that with items=")
    check_choice(options["bad_rows"], "bad_rows", ("error", "skip"))
    check_choice(dates, "dates", (None, *ORDERS))
    where, since, dedup, drop_ties = (options[name] for name in ("where", "since", "dedup", "drop_ties"))
    chosen = Selection.of(where, since, dedup, drop_ties, dates)
    opened = open_table(options["source"], options["encoding"], options["sheet"])
    if isinstance(opened, PreflibFiles):
        raise ValueError(
            f"'{opened.files[0]}' has rankings; podium.read_rankings reads it, and to_comparisons() of the "
            "result makes pairs"
        )
    described = features is True and items is None
    columns = find_columns(opened.header, given, outcome_exists=outcome is not False, described=described)
    return Plan(opened, given, columns, chosen, dict(options))


def as_comparisons(c: Any) -> Any:
    """Comparisons as they are, and arrays, which models refuse themselves; everything else is read."""
    return c if isinstance(c, Comparisons | np.ndarray | list) or c is None else read_comparisons(c)


def _check_form(form: Form, items: Any) -> None:
    """Refuse options that do not apply to these columns."""
    columns = form.columns
    if columns.features and (items is not None or form.team_separator is not None):
        raise ValueError(
            "a file of left_* and right_* features names no items; drop items= and team_separator="
        )
    if columns.wins and form.outcome_format is not None:
        raise ValueError(
            f"{' and '.join(columns.wins)} count wins, which have no outcome_format=; drop it, or name the "
            "column of the outcome with outcome="
        )
    if form.dates is not None and columns.time is None:
        raise ValueError("dates= says how times are written, and none are read; name their column with time=")


# ------------------------------------------------------------------------------------ rows as comparisons


def comparisons_of(table: pa.Table, form: Form) -> Comparisons:
    """All rows of a table but its witnesses; an error names the first that cannot be read."""
    columns = form.columns
    votes = form.votes(table)
    time = None if columns.time is None else times(table, columns.time, form.dates, votes)
    options: dict[str, Any] = {
        "count": observations(table, columns.count),
        "weight": None if columns.weight is None else numbers(table, columns.weight),
        "time": None if time is None else time.values,
        "covariates": differences(table, columns.covariates),
        "neutral": None if columns.neutral is None else truths(table, columns.neutral),
    }
    if columns.features:
        left, right = (feature_matrix(table, columns.feature_columns(side)) for side in ("left", "right"))
        outcome = _outcomes(table, form, None)
        c = Comparisons.from_features(left, right, outcome.signs, feature_names=columns.features, **options)
    else:
        coded = encode_sides(*both_sides(table, form), text=form.text)
        outcome = _outcomes(table, form, side_labels(table, form, coded))
        options |= {"teams": coded.teams}
        c = Comparisons.from_codes(
            coded.items, coded.left, coded.right, outcome.signs, named=not columns.wins, **options
        )
    for name, labels in (("group", "groups"), ("category", "categories")):
        if (column := getattr(columns, name)) is not None:
            distinct, [codes] = encode([trimmed(table[column])], [column])
            labelled: dict[str, Any] = {name: codes, labels: distinct}
            c = replace(c, **labelled)
    if columns.wins:
        c = with_counts(c, table, columns)
    if form.witnesses:
        c = c[form.witnesses :]
    if outcome.probability is not None:
        c = c.with_probability(outcome.probability[form.witnesses :])
    time_as = "time" if time is None or not time.how else f"time, {time.how}"
    return replace(c, columns=replace(columns, outcome_as=outcome.how, time_as=time_as))


class Outcome(NamedTuple):
    """Who was better, for sure or with a probability, and what the column holds."""

    signs: NDArray[np.int8] | None = None
    how: str = "outcome"
    probability: NDArray[np.float64] | None = None


def _outcomes(table: pa.Table, form: Form, labels: SideLabels | None) -> Outcome:
    names, outcome_format = form.columns.outcome, form.outcome_format
    if names is None:
        return Outcome()
    if names == LEFT_IS_BETTER:
        return Outcome(np.full(table.num_rows, -1, dtype=np.int8))
    if len(names) == 2:
        left, right = (numbers(table, name, (pa.int64(), pa.float64())) for name in names)
        repeats = partial(pairs_repeat, labels)
        return Outcome(signs_of_scores((left, right), names, outcome_format, form.columns.unused, repeats))
    if outcome_format == "probability":
        probability = checked_probabilities(numbers(table, names[0]), names[0])
        return Outcome(how="probability that the left side is better", probability=probability)
    return Outcome(*read_outcomes(table[names[0]], outcome_format, names[0], form.side_names, labels))
