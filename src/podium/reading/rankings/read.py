"""Files and frames become Rankings."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from podium.comparisons.flat_rankings import Flat, bytes_of_rankings, flat_columns, offsets, ranking_name
from podium.comparisons.labels import dictionary_encode, encode
from podium.comparisons.messages import InputError, first_true
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.options import DateOrder, RankingKind, RankingReading
from podium.reading.decisions import Formats, InMemory
from podium.reading.formats import trimmed
from podium.reading.header import check_choice, name_given, names_given
from podium.reading.plan import Plan, open_for
from podium.reading.rankings import layouts
from podium.reading.rankings.columns import KINDS, RankingColumns, find_columns
from podium.reading.rankings.layouts import Fault, Parsed
from podium.reading.rows import described, sift_described, with_groups
from podium.reading.selection import in_time
from podium.reading.skipped import Sieve
from podium.reading.sources import preflib
from podium.reading.sources.counting import Progress

RankingPlan = Plan[RankingReading, RankingColumns]


def read_rankings(
    source: Any,
    *,
    kind: RankingKind | None = None,
    ranks: Sequence[str] | None = None,
    ballot: str | Sequence[str] | None = None,
    item: str | None = None,
    place: str | None = None,
    dnf: Literal["last", "drop"] = "last",
    ranking: str | None = None,
    unranked: Literal["absent", "last"] = "absent",
    chosen: str | None = None,
    alternatives: str | Sequence[str] | None = None,
    separator: str | None = None,
    higher_is_better: bool = True,
    count: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    bad_rows: Literal["error", "skip"] = "error",
    dates: DateOrder | None = None,
    where: str | None = None,
    since: Any = None,
    dedup: str | Sequence[str] | None = None,
    encoding: str = "utf-8",
    sheet: str | Sequence[str] | None = None,
    counted: bool | None = None,
    memory: str | int | None = None,
    progress: Progress | None = None,
) -> Rankings:
    """Read rankings or choices from a file, a frame or a relation.

    Parameters
    ----------
    source
        Anything that `read_comparisons` reads, or a file of PrefLib (.soc, .soi, .toc, .toi).
    kind
        How the table is laid out. ``"wide"``: one row per ranking, one column per rank (rank1, rank2, ...;
        1st, 2nd, ...). ``"long"``: one row per ranking and item, with the place of the item. ``"text"``: one
        column of text such as ``a > b = c > d``. ``"choices"``: a column of the chosen item, and its
        alternatives. ``"scores"``: one row per ranking, one column of numbers per item. None recognises all
        but scores by the header if only one of them fits.
    ranks
        Wide: the columns of the ranks, best first; blank cells make a ranking shorter. Scores: the columns of
        the items, by default all that are not used otherwise; a blank cell is an absent item, equal scores
        are a tie.
    ballot, item, place
        Long: the columns of the ranking (race, ballot, voter, ...), of the item (driver, candidate, ...) and
        of its place. ``ballot=["season", "race"]`` if it takes several columns to identify a ranking. Rows
        may be in any order. Equal places are a tie.
    dnf
        Long: what to do with items whose place is blank or says DNF, DNS, DSQ, retired, or the like.
        ``"last"``: they are an unordered rest behind all items with a place. ``"drop"``: they were not there.
        ``columns`` of the result says how many there are.
    ranking
        Text: the column of the rankings.
    unranked
        What a ranking says about items that it does not name. ``"absent"``: nothing, they were not there.
        ``"last"``: everybody could rank all items, so they are behind those that it names, in no order; see
        `Rankings.with_rest`. ``columns`` of the result says how many rankings this concerns, unless
        the table is long.
    chosen, alternatives
        Choices: the column of the chosen item; the column of everything there was to choose from, or several
        columns (alt1, alt2, ...). The chosen item is among them.
    separator
        Choices: the text between alternatives in one cell. Recognised if only one of ; | , / occurs.
    higher_is_better
        Scores: False if the lowest score is the best.
    count, weight, group, time
        The columns of counts (how many equal rankings a row stands for), weights, groups (judge, season) and
        times. Columns with exactly these names are used even if you do not name them. In a long table all
        rows of a ranking have the same values.
    bad_rows
        What to do about rows that cannot be read: ``"error"`` names the first one, ``"skip"`` leaves them
        out with a warning. ``skipped`` of the result has them all.
    dates, where, since, dedup, encoding, sheet
        As in `read_comparisons`. ``dedup`` also knows ``"ballot"`` and ``"item"``.
    counted, memory, progress
        As in `read_comparisons`: equal rows, here equal rankings, are counted where the data are. This does
        not help long tables, in which a row is one item of one ranking, so they are always loaded. The result
        is that of `Rankings.aggregate` by group, in an order of its own.

    Returns
    -------
    Rankings
        Its ``columns`` say what each column was used for. Labels of text files are text, even if they look
        like numbers.

    Raises
    ------
    ValueError
        In one sentence that names the column, row or item at fault.

    See Also
    --------
    Rankings : rankings and choices among several items
    PlackettLuce : skills from rankings and choices
    read_comparisons : read comparisons from files, frames and databases

    Examples
    --------
    >>> import pandas as pd, podium
    >>> race = {"race": [1, 1, 1], "driver": ["ann", "bob", "cat"], "place": ["2", "1", "DNF"]}
    >>> r = podium.read_rankings(pd.DataFrame(race))
    >>> r.to_lists()
    [['bob', 'ann', 'cat']]
    >>> print(r.columns)
    race (ballot), driver (item), place (place; 1 without a place (DNF): behind all others, in no order)
    >>> podium.read_rankings(pd.DataFrame({"vote": ["a > b = c", "c > a"], "count": [3, 5]}))
    <Rankings: 2 rankings of 3 items, 1 with ties, connected, count 8>
    """
    given = RankingReading.of_arguments(locals())
    return rankings_from(source, given, counted, progress)


def rankings_from(
    source: Any, given: RankingReading, counted: bool | None = None, progress: Progress | None = None
) -> Rankings:
    """As `read_rankings`, from what was said."""
    named = _named(given)
    check_choice(given.kind, "kind", (None, *KINDS))
    check_choice(given.dnf, "dnf", ("last", "drop"))
    check_choice(given.unranked, "unranked", ("absent", "last"))
    opened = open_for(source, given)
    plan = Plan(opened, given, find_columns(opened.header, named))
    need_every_row = {"{@kind}'long'": plan.columns.kind == "long", "{@time}": given.time is not None}
    plan = plan.counted(counted, progress, need_every_row)
    _check_applies(plan)
    plan.check_dates()
    r = plan.read(_rankings_of, _sift, lambda table, skip: plan, "{@kind} and the names of the columns")
    r = in_time(r, given) if plan.counting is None else _merged(r)
    r = _told_of_short_ones(r, given.unranked)
    return r.with_rest() if given.unranked == "last" else r


def _merged(r: Rankings) -> Rankings:
    """Merge rankings that mean the same, and sort them, since they were counted in any order."""
    r = r.aggregate(by_group=True)
    place = pc.rank(bytes_of_rankings(r.indptr, r._canonical(), r.level), tiebreaker="dense").to_numpy()
    group = np.zeros(len(r)) if r.group is None else r.group
    return r[np.lexsort((r.weight, group, place))]


def _named(given: RankingReading) -> RankingColumns:
    """The columns that the arguments name."""
    several = ("ranks", "ballot", "alternatives")
    single = ("item", "place", "ranking", "chosen", "count", "weight", "group", "time")
    named: dict[str, Any] = {name: names_given(getattr(given, name), name) for name in several}
    named |= {name: name_given(getattr(given, name), name) for name in single}
    return RankingColumns(kind=given.kind or "", **named)


def _told_of_short_ones(r: Rankings, unranked: str) -> Rankings:
    """Let the columns say what becomes of items that rankings do not name."""
    short = r.count[r.sizes < r.appears.sum()].sum()
    if r.columns.kind not in ("wide", "text", "scores") or not short:
        return r
    done = "behind the others, in no order" if unranked == "last" else "taken as absent"
    text = f"{short:,.0f} of {r.count.sum():,.0f} rankings leave items out: {done}"
    return replace(r, columns=replace(r.columns, unnamed=text))


def as_rankings(source: Any) -> Any:
    """Rankings as they are, and what models refuse themselves; everything else is read."""
    as_it_is = isinstance(source, Rankings | Comparisons | np.ndarray | list) or source is None
    return source if as_it_is else read_rankings(source)


def _check_applies(plan: RankingPlan) -> None:
    """Refuse options that do not apply to this kind of table."""
    kind = plan.columns.kind
    for argument, is_given, wanted in (
        ("{@dnf}'drop'", plan.given.dnf == "drop", "long"),
        ("{@separator}", plan.given.separator is not None, "choices"),
        ("{@higher_is_better=False}", not plan.given.higher_is_better, "scores"),
    ):
        if is_given and kind != wanted:
            raise InputError(f"{argument} is for tables of {{@kind}}'{wanted}', and this one is '{kind}'")


# ------------------------------------------------------------------------------------ the rows


def _parsed(table: pa.Table, plan: RankingPlan) -> Parsed:
    columns = plan.columns
    if columns.kind == "wide":
        return layouts.wide(table, columns.ranks)
    if columns.kind == "scores":
        return layouts.scores(table, columns.ranks, plan.given.higher_is_better)
    if columns.kind == "choices":
        return layouts.choices(table, str(columns.chosen), columns.alternatives, plan.given.separator)
    if columns.kind == "long":
        return layouts.long(table, columns.ballot, str(columns.item), str(columns.place), plan.given.dnf)
    marks = (preflib.BETTER, preflib.TIED) if isinstance(plan.opened, preflib.PreflibFiles) else ()
    return layouts.text(table, str(columns.ranking), *marks)


def _rankings_of(table: pa.Table, plan: RankingPlan) -> Rankings:
    """All rows of a table; an error names the first that cannot be read."""
    columns, parsed = plan.columns, _parsed(table, plan)
    if (fault := layouts.first_fault(parsed, table)) is not None:
        raise InputError(f"{{@row}} has {fault[1]}", row=fault[0])
    if not len(parsed.sizes):
        raise ValueError("no item has a place, so nothing is ranked")
    text = plan.opened.is_text
    if parsed.chosen is not None:
        flat = flat_columns(parsed.chosen, parsed.labels, parsed.sizes, text=text)
    else:
        items, (entries,) = encode([parsed.labels], ["rankings"], text=text)
        flat = Flat(items, offsets(parsed.sizes), entries, parsed.level)
    _check_alike(table, columns, parsed)
    table = table.take(pa.array(parsed.row_of_ranking))
    form = Formats(InMemory(table), plan)
    r = Rankings.from_codes(*flat, rest=parsed.rest, **described(table, form))
    columns = replace(columns, time_as=form.time_as, place_as=parsed.place_as)
    return replace(with_groups(r, table, columns), columns=columns)


def _check_alike(table: pa.Table, columns: RankingColumns, parsed: Parsed) -> None:
    """Refuse rankings whose rows differ in what describes the whole ranking."""
    if columns.kind != "long":
        return
    first = np.repeat(parsed.row_of_ranking, parsed.sizes)
    for name in filter(None, (columns.count, columns.weight, columns.group, columns.time)):
        codes = dictionary_encode(trimmed(table[name]))[1]
        if (differs := codes[parsed.row_of_entry] != codes[first]).any():
            at = np.searchsorted(offsets(parsed.sizes), first_true(differs), side="right") - 1
            raise ValueError(f"column '{name}' has different values in the rows of {ranking_name(at)}")


# ------------------------------------------------------------------------------------ bad rows


def _sift(sieve: Sieve, plan: RankingPlan) -> None:
    """Leave out all rows that cannot be read; a column that is wrong as a whole is still an error."""
    _drop(sieve, _parsed(sieve.table, plan).faults)
    parsed = _parsed(sieve.table, plan)
    _drop(sieve, _faults_of_items(parsed, sieve.table.num_rows, plan.opened.is_text))
    sift_described(sieve, Formats(InMemory(sieve.table), plan))


def _drop(sieve: Sieve, faults: Sequence[Fault]) -> None:
    gone = np.zeros(sieve.table.num_rows, dtype=bool)
    for rows, reason, column in faults:
        sieve.drop(rows[~gone], reason, column)
        gone |= rows


def _faults_of_items(parsed: Parsed, n_rows: int, text: bool) -> list[Fault]:
    """Rows that have an item twice, or chose what was not there."""
    labels = [parsed.labels] if parsed.chosen is None else [parsed.labels, parsed.chosen]
    items, codes = encode(labels, ["items", "chosen"][: len(labels)], text=text)
    ranking = np.repeat(np.arange(len(parsed.sizes)), parsed.sizes)
    order = np.lexsort((parsed.row_of_entry, codes[0], ranking))
    key = (ranking * len(items) + codes[0])[order]
    repeated = parsed.row_of_entry[order[1:][key[1:] == key[:-1]]]
    faults = [Fault(np.bincount(repeated, minlength=n_rows) > 0, "an item twice")]
    if parsed.chosen is not None:
        found = np.bincount(ranking[codes[0] == codes[1][ranking]], minlength=len(parsed.sizes))
        faults.append(Fault(found == 0, "a chosen item that is not among its alternatives"))
    return faults
