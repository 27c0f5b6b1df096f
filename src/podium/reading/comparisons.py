"""Files, frames and relations become Comparisons, without a loop over rows: DuckDB, Arrow, narwhals."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from podium.comparisons.arrays import row_arrays
from podium.comparisons.labels import factorize, is_text
from podium.comparisons.messages import NAMED, InputError, quoted
from podium.comparisons.summary import CHANCE, Columns
from podium.comparisons.table import Comparisons
from podium.options import CovariateNames, DateOrder, FeatureReading, GroupColumns, OutcomeFormat, SideColumns
from podium.reading import header
from podium.reading.decisions import ComparisonFormats, ComparisonPlan, InMemory
from podium.reading.features import with_item_features
from podium.reading.formats import trimmed
from podium.reading.plan import Plan, open_for
from podium.reading.rows import comparisons_of, sift
from podium.reading.selection import in_time, without_ties
from podium.reading.sources.counting import ROWS, Progress
from podium.reading.sources.preflib import PreflibFiles
from podium.reading.sources.with_counts import COUNT

UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}


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
    group: GroupColumns | None = None,
    time: str | None = None,
    category: str | None = None,
    judge_kind: str | None = None,
    covariates: CovariateNames | None = None,
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
    both_bad: Literal["tie", "drop"] = "tie",
    encoding: str = "utf-8",
    sheet: str | Sequence[str] | None = None,
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
        as ``"postgresql://user:password@host/name"``; a pandas, polars or Arrow table; a DuckDB relation or a
        lazy frame of polars, Ibis, Dask or Spark; a `pyarrow.dataset`.
    left, right
        The columns of the two sides, several for a team. A field of a nested column has a dotted name:
        ``"conversation.model_a"``. Guessed from the header if only one reading is possible: white/black,
        model_a/model_b, home/away, player1/player2, winner/loser and the like.
    outcome
        The column of the outcome; a pair of columns with the scores of the two sides; ``False`` if there is
        none. Guessed like the sides. A column called score is taken if its cells are scores of both sides.
    outcome_format
        ``"score"`` of the left side (1, 0.5, 0) or of both sides, left first (1-0, 3:1, 6-4 3-6 7-5);
        ``"sign"`` (-1 the left side is better, 1 the right); ``"winner"`` (a word for the side, or its
        label); ``"grades"``, by how much a side is better (whole numbers, below 0 if the left side is better,
        or words such as "much better" of the left side, "B is slightly better", "about the same"), see
        `Comparisons`; ``"probability"`` that the left side is better, between 0 and 1: each row becomes two
        weighted rows, see `Comparisons.with_probability`. ``None`` recognises what is unambiguous, which
        grades and probabilities never are.
    wins, ties
        For tables with one row per pair: the two columns that count how often each side won, and the column
        that counts their ties. One column of ``wins`` counts how often the left side won. Columns such
        as win1/win2, home_wins/away_wins and win/loss are recognised if there is no outcome.
    count, weight, group, time
        The columns of counts (how many equal observations a row stands for), of weights (how important a row
        is), of groups (judge, prompt, season) and of time. Columns with exactly these names are used even if
        you do not name them. ``["judge", "prompt"]`` reads several groups, and a mapping names them:
        ``{"judge": "worker", "prompt": "question"}``. Judges are the group called "judge", or else the first.
        Time is a number, a date with or without a time of day, a season (2008/09, read
        as 2008), or seconds or milliseconds since 1970.
    category
        The column of a category (language, task), for `BradleyTerry.leaderboard` by category.
    judge_kind
        The column of the kind of judge (human, ai).
    covariates
        What else differs between the two sides (length of the answers, price). ``["length"]`` finds the
        columns of the two sides, such as length_a and length_b, or takes a single column called length as the
        difference, right minus left. A mapping names the columns, left first:
        ``{"length": ("chars_a", "chars_b")}``, or ``{"length": "more_chars"}`` for the difference; None finds
        the columns.
    neutral
        The column that says which rows are on neutral ground, where neither side has a home advantage:
        true/false, yes/no, 1/0, neutral/home and the like.
    team_separator
        The text between the members of a team in one cell, such as ``"/"``.
    items, item_key
        A table of items with their features, in any form that ``source`` may have, and its key column.
    features
        The columns to use as features, by default all: of ``items``, or x of ``left_x`` and ``right_x`` in
        a file whose sides have no names. ``True`` reads such columns even if the sides have names. Names
        (``left_id``, ``right_name``) are features only if they are listed here.
    bad_rows
        What to do about rows that cannot be read: blank cells, byes, unfinished games (``*``), an item
        against itself, unknown words, weights that are not numbers. ``"error"`` names the first one;
        ``"skip"`` leaves them out, with a warning that says how many and why. ``skipped`` of the result has
        them all. More than half of bad rows are always an error. Only ``"skip"`` takes an opponent called
        BYE, - or ? for nobody; otherwise these are names.
    dates
        The order of day, month and year in dates such as 03/04/2022: ``"dmy"``, ``"mdy"`` or ``"ymd"``. Only
        needed if no row of the column settles it. ``since`` is read in the same way.
    where
        A condition in DuckDB's SQL that rows must meet, such as ``"turn = 1 and language <> 'de'"``. It
        may name any column. A column of a text file is compared as numbers if all its cells are numbers.
    since
        A date or a number: only rows of this ``time`` or later are read.
    dedup
        Columns that identify repeated rows: of rows that agree in all of them, only the first is kept.
        ``"left"``, ``"right"``, ``"outcome"``, ``"group"``, ``"time"``, ``"category"`` and
        ``"judge_kind"`` stand for the columns that are used as such. Rows that do not meet ``where``, or are
        skipped, do not count.
    drop_ties
        Leave out comparisons without a difference.
    both_bad
        Whether votes that both sides are bad (``"both bad"``, ``"tie (both bad)"``) count as ties, or are
        left out. ``columns`` of the result says how many there are.
    encoding
        The encoding of text and JSON files.
    sheet
        The sheet of a workbook, or table of a database, if it has several. A list of sheets with the same
        header is read as one table; ``"*"`` is every sheet that is neither hidden nor empty.
    counted
        Whether equal rows are counted where the data are, so that only distinct rows come into memory: by
        DuckDB for files, by the engine of a lazy frame. The result is that of `Comparisons.aggregate` by
        group and category, in the order of the items. ``None`` counts lazy frames, and files that would take
        more than ``memory``, unless ``time=``, ``since=``, ``dedup=``, ``items=``, ``wins=`` or features need
        the rows. A column of time that you did not name is then not used.
    memory
        The limit, such as ``"4GB"``. Files that would take more are counted, and DuckDB spills to disk to
        stay below it. By default half of the memory that DuckDB finds.
    progress
        A function that is called as ``progress(done, total)`` while DuckDB counts the rows of files, from
        another thread. ``total`` is the number of rows; for text and JSON files it is an estimate. Counting
        takes several passes over the rows, so ``done`` is the share of the work that is done, times
        ``total``.

    Returns
    -------
    Comparisons
        Its ``columns`` say what each column was used for. Labels of text files are text, even if they look
        like numbers; models find the text ``'7'`` by the integer 7 and the other way round.

    Raises
    ------
    ValueError
        In one sentence that names the column, row or item at fault.

    See Also
    --------
    Comparisons : a table of comparisons
    read_chunks : read comparisons in order of time, chunk by chunk
    read_rankings : read rankings and choices
    read_rows : read rows with labels

    Notes
    -----
    Rows in error messages are counted after ``where`` and ``dedup``; ``skipped``, and messages that speak of
    lines, count the lines of the file.

    Examples
    --------
    >>> import pandas as pd, podium
    >>> games = pd.DataFrame({"white": ["ann", "bob"], "black": ["bob", "cat"], "result": ["1-0", "1/2-1/2"]})
    >>> podium.read_comparisons(games)
    <Comparisons: 2 comparisons of 3 items, 1 tie (50.0 %), connected>
    >>> print(podium.read_comparisons(games.assign(site="Rome")).columns)
    white and black (sides), result (outcome); not used: site
    """
    given = FeatureReading.of_arguments(locals())
    return comparisons_from(source, given, counted, progress)


def comparisons_from(
    source: Any,
    given: FeatureReading,
    counted: bool | None = None,
    progress: Progress | None = None,
    parse: Callable[[pa.Table, ComparisonFormats], Comparisons] = comparisons_of,
) -> Comparisons:
    """As `read_comparisons`, from what was said; ``parse`` makes comparisons of the rows that are wanted."""
    plan = plan_of(source, given)
    need_every_row = {
        "{@time}": given.time is not None,
        "{@features}": bool(plan.columns.features),
        "{@items}": given.items is not None,
        "{@wins}": bool(plan.columns.wins),
    }
    plan = plan.counted(counted, progress, need_every_row)
    check_applies(plan)
    c = plan.read(
        parse,
        sift,
        lambda table, skip: ComparisonFormats(InMemory(table), plan, skip),
        "{@left}, {@right} and {@outcome}",
    )
    if given.items is not None:
        features = None if given.features is True else given.features
        c = with_item_features(c, given.items, given.item_key, features, given.encoding)
    c = in_time(c, given)
    c = without_ties(c) if given.drop_ties else c
    _warn_of_namesakes(c)
    return c if plan.counting is None else _merged(c)


def counts_from(
    source: Any, given: FeatureReading, progress: Progress | None = None
) -> tuple[Comparisons, pa.Table]:
    """Comparisons, and the distinct rows of the source as they are spelled there, with a column of counts.

    A column that says how pairs were chosen stays, but without its numbers: they would keep rows apart.
    """
    tables: list[pa.Table] = []

    def parse(table: pa.Table, form: ComparisonFormats) -> Comparisons:
        tables.append(_with_counts(table, form))
        return comparisons_of(table, form)

    c = comparisons_from(source, given, True, progress, parse)
    if c.columns is not None and CHANCE in c.columns.unused:
        return c, tables[0].append_column(CHANCE, pa.nulls(tables[0].num_rows, pa.float64()))
    return c, tables[0]


def _with_counts(table: pa.Table, form: ComparisonFormats) -> pa.Table:
    """Distinct rows, their number under the name of the column of counts."""
    name = form.plan.columns.count
    if form.plan.opened.is_text:  # elsewhere, blanks around a name belong to it
        table = pa.table({column: trimmed(table[column]) for column in table.column_names})
    if name is None:
        return table.rename_columns({ROWS: COUNT})
    keys, count = table.drop([name, ROWS]), form.numbers(table, name) * table[ROWS].to_numpy()
    count = count.astype(np.int64) if (count % 1 == 0).all() else count
    rows = keys.append_column(name, pa.array(count)).group_by(keys.column_names)
    return rows.aggregate([(name, "sum")]).rename_columns([*keys.column_names, name])


def as_comparisons(source: Any) -> Any:
    """Comparisons as they are, and arrays, which models refuse themselves; everything else is read."""
    as_it_is = isinstance(source, Comparisons | np.ndarray | list) or source is None
    return source if as_it_is else read_comparisons(source)


def _warn_of_namesakes(c: Comparisons) -> None:
    """List names that differ only in case, umlauts or accents, unless such items met: then they are two."""
    names = pa.array(c.items)
    if c.teams is not None or not is_text(names.type):
        return
    names = pc.utf8_lower(pc.utf8_normalize(names, "NFC"))
    for umlaut, letters in UMLAUTS.items():
        names = pc.replace_substring(names, umlaut, letters)
    first, key = factorize(pc.replace_substring_regex(pc.utf8_normalize(names, "NFKD"), r"\p{Mn}", ""))
    if len(first) == len(names):
        return
    met = set(zip(c.left.tolist(), c.right.tolist(), strict=True))
    pairs = [(one, k) for k, one in enumerate(first[key].tolist()) if one != k]
    if alike := [pair for pair in pairs if not {pair, pair[::-1]} & met]:
        shown = ", ".join(f"{quoted(c.items[one])} and {quoted(c.items[k])}" for one, k in alike[:NAMED])
        more = f" and {len(alike) - NAMED:,} more pairs" if len(alike) > NAMED else ""
        what = f"{shown}{more} look alike and never met; if they are one, spell them alike"
        warnings.warn(what, stacklevel=4)


def _merged(c: Comparisons) -> Comparisons:
    """Sort rows that were counted in any order, and merge those that mean the same."""
    if not len(c):
        return c
    keys = [array for name, array in row_arrays(c).items() if name != "count"]
    columns = [column for array in keys for column in np.atleast_2d(array.T)]
    order = np.lexsort(columns[::-1])
    sorted_columns = (column[order] for column in columns)
    repeats = np.logical_and.reduce([column[1:] == column[:-1] for column in sorted_columns]).any()
    return c[order].aggregate(by_group=True, by_category=True) if repeats else c[order]


# ------------------------------------------------------------------------------------ what is read, and how


def plan_of(source: Any, given: FeatureReading) -> ComparisonPlan:
    """Check the arguments, open the source and find the columns."""
    named = _named(given)
    if given.items is None and given.item_key is not None:
        raise InputError("{@item_key} is the key of a table of items; give that with {@items}")
    opened = open_for(source, given)
    if isinstance(opened, PreflibFiles):
        raise ValueError(
            f"'{opened.files[0]}' has rankings; podium.read_rankings reads it, and to_comparisons() of "
            "the result makes pairs"
        )
    described = given.features is True and given.items is None
    outcome_exists = given.outcome is not False
    columns = header.find_columns(opened.header, named, outcome_exists=outcome_exists, described=described)
    return Plan(opened, given, columns)


def _named(given: FeatureReading) -> Columns:
    """The columns that the arguments name."""
    single = ("ties", "count", "weight", "time", "category", "judge_kind", "neutral")
    named: dict[str, Any] = {name: header.name_given(getattr(given, name), name) for name in single}
    named |= header.groups_given(given.group)
    features = None if given.features is True or given.items is not None else given.features
    return Columns(
        left=header.names_given(given.left, "left"),
        right=header.names_given(given.right, "right"),
        outcome=header.names_given(given.outcome, "outcome", most=2) or None,
        wins=header.names_given(given.wins, "wins", most=2),
        covariates=header.covariates_given(given.covariates),
        features=header.names_given(features, "features"),
        **named,
    )


def check_applies(plan: ComparisonPlan) -> None:
    """Refuse options that do not apply to the columns."""
    given, columns = plan.given, plan.columns
    if columns.features and (given.items is not None or given.team_separator is not None):
        raise InputError(
            "a file of left_* and right_* features names no items; drop {@items} and {@team_separator}"
        )
    header.check_choice(given.both_bad, "both_bad", ("tie", "drop"))
    if columns.wins and given.outcome_format is not None:
        raise InputError(
            f"{' and '.join(columns.wins)} count wins, which have no {{@outcome_format}}; drop it, or "
            "name the column of the outcome with {@outcome}"
        )
    plan.check_dates()
