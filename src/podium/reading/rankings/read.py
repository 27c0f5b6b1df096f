"""Files and frames become Rankings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from podium.comparisons.labels import dictionary_encode, encode
from podium.comparisons.messages import first_true, row_name
from podium.comparisons.rankings.checks import ranking_name
from podium.comparisons.rankings.levels import bytes_of_rankings
from podium.comparisons.rankings.nested import Flat, flat_columns, offsets
from podium.comparisons.rankings.table import Rankings
from podium.reading.casts import numbers, times, trimmed
from podium.reading.counted import how_to_count, load, observations
from podium.reading.dates import ORDERS, DateOrder
from podium.reading.files import counted_from, open_table
from podium.reading.header import check_choice, name_given, names_given
from podium.reading.rankings import layouts
from podium.reading.rankings.columns import KINDS, Kind, RankingColumns, find_columns
from podium.reading.rankings.places import long
from podium.reading.rows import sift_described
from podium.reading.selection import Selection
from podium.reading.skipped import Sieve, rows_that_can_be_read
from podium.reading.sources import preflib
from podium.reading.sources.counting import Progress


def read_rankings(
    source: Any,
    *,
    kind: Kind | None = None,
    ranks: Sequence[str] | None = None,
    ballot: str | Sequence[str] | None = None,
    item: str | None = None,
    place: str | None = None,
    dnf: Literal["last", "drop"] = "last",
    ranking: str | None = None,
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
    sheet: str | None = None,
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
    chosen, alternatives
        Choices: the column of the chosen item; the column of everything there was to choose from, or several
        columns (alt1, alt2, ...). The chosen item is among them.
    separator
        Choices: what stands between alternatives in one cell. Recognised if only one of ; | , / occurs.
    higher_is_better
        Scores: False if the lowest score is the best.
    count, weight, group, time
        The columns of counts (how many equal rankings a row stands for), weights, groups (judge, season) and
        times. Columns of just these names are used without being asked for. In a long table all rows of a
        ranking have the same values.
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
    given = RankingColumns(
        kind=kind or "",
        ranks=names_given(ranks, "ranks"),
        ballot=names_given(ballot, "ballot"),
        item=name_given(item, "item"),
        place=name_given(place, "place"),
        ranking=name_given(ranking, "ranking"),
        chosen=name_given(chosen, "chosen"),
        alternatives=names_given(alternatives, "alternatives"),
        count=name_given(count, "count"),
        weight=name_given(weight, "weight"),
        group=name_given(group, "group"),
        time=name_given(time, "time"),
    )
    check_choice(kind, "kind", (None, *KINDS))
    check_choice(dnf, "dnf", ("last", "drop"))
    check_choice(bad_rows, "bad_rows", ("error", "skip"))
    check_choice(dates, "dates", (None, *ORDERS))
    chosen_rows = Selection.of(where, since, dedup, False, dates)
    opened = open_table(source, encoding, sheet)
    columns = find_columns(opened.header, given)
    counting = how_to_count(opened, counted, memory, progress, _reasons_for_rows(given, columns, chosen_rows))
    if counting is not None and columns.time is not None:
        columns = replace(columns, time=None, unused=(*columns.unused, columns.time))
    form = Form(columns, dnf, separator, higher_is_better, dates, opened)
    form.check()
    table = load(opened, chosen_rows.columns(opened.header, columns), counting)
    if table.num_rows == 0:
        raise ValueError("there are no rows to read, only a header")
    rows = chosen_rows.rows_of(table, opened.header)
    first = counted_from(opened) if counting is None else ("distinct row", 1)
    sieve = Sieve(table if rows is None else table.take(rows), *first, rows)
    r = rows_that_can_be_read(
        sieve,
        lambda table: chosen_rows.once(table, columns, partial(_rankings, form=form)),
        partial(_sift, form=form),
        skip=bad_rows == "skip",
        check="kind= and the names of the columns",
    )
    return chosen_rows.in_time(r) if counting is None else _merged(r)


def _reasons_for_rows(given: RankingColumns, columns: RankingColumns, chosen: Selection) -> list[str]:
    """What needs every row as it is."""
    needs = {
        "kind='long'": columns.kind == "long",
        "time=": given.time is not None,
        "since=": chosen.since is not None,
        "dedup=": bool(chosen.dedup),
    }
    return [name for name, is_needed in needs.items() if is_needed]


def _merged(r: Rankings) -> Rankings:
    """Merge rankings that mean the same, and sort them, since they were counted in any order."""
    r = r.aggregate(by_group=True)
    place = pc.rank(bytes_of_rankings(r.indptr, r._canonical(), r.level), tiebreaker="dense").to_numpy()
    group = np.zeros(len(r)) if r.group is None else r.group
    return r[np.lexsort((r.weight, group, place))]


@dataclass(frozen=True)
class Form:
    """How the rows of a table are to be read."""

    columns: RankingColumns
    dnf: str
    separator: str | None
    higher_is_better: bool
    dates: DateOrder | None
    opened: Any

    def check(self) -> None:
        """Refuse options that do not apply to this kind of table."""
        kind = self.columns.kind
        for argument, is_given, wanted in (
            ("dnf='drop'", self.dnf == "drop", "long"),
            ("separator=", self.separator is not None, "choices"),
            ("higher_is_better=False", not self.higher_is_better, "scores"),
        ):
            if is_given and kind != wanted:
                raise ValueError(f"{argument} is for tables of kind='{wanted}', and this one is '{kind}'")
        if self.dates is not None and self.columns.time is None:
            raise ValueError(
                "dates= says how times are written, and none are read; name their column with time="
            )

    def parse(self, table: pa.Table) -> layouts.Parsed:
        columns = self.columns
        if columns.kind == "wide":
            return layouts.wide(table, columns.ranks)
        if columns.kind == "scores":
            return layouts.scores(table, columns.ranks, self.higher_is_better)
        if columns.kind == "choices":
            return layouts.choices(table, str(columns.chosen), columns.alternatives, self.separator)
        if columns.kind == "long":
            return long(table, columns.ballot, str(columns.item), str(columns.place), self.dnf)
        marks = (preflib.BETTER, preflib.TIED) if isinstance(self.opened, preflib.PreflibFiles) else ()
        return layouts.text(table, str(columns.ranking), *marks)


def _rankings(table: pa.Table, form: Form) -> Rankings:
    """All rows of a table; an error names the first that cannot be read."""
    columns, parsed = form.columns, form.parse(table)
    if (fault := layouts.first_fault(parsed, table)) is not None:
        raise ValueError(f"{row_name(fault[0])} has {fault[1]}")
    if not len(parsed.sizes):
        raise ValueError("no item has a place, so nothing is ranked")
    text = form.opened.is_text
    if parsed.chosen is not None:
        flat = flat_columns(parsed.chosen, parsed.labels, parsed.sizes, text=text)
    else:
        items, (entries,) = encode([parsed.labels], ["rankings"], text=text)
        flat = Flat(items, offsets(parsed.sizes), entries, parsed.level)
    _check_alike(table, columns, parsed)
    table = table.take(pa.array(parsed.row_of_ranking))
    time = None if columns.time is None else times(table, columns.time, form.dates)
    r = Rankings.from_codes(
        *flat,
        None if columns.weight is None else numbers(table, columns.weight),
        count=observations(table, columns.count),
        time=None if time is None else time.values,
        rest=parsed.rest,
    )
    if columns.group is not None:
        groups, [codes] = encode([trimmed(table[columns.group])], [columns.group])
        r = replace(r, group=codes, groups=groups)
    time_as = "time" if time is None or not time.how else f"time, {time.how}"
    return replace(r, columns=replace(columns, time_as=time_as, place_as=parsed.place_as))


def _check_alike(table: pa.Table, columns: RankingColumns, parsed: layouts.Parsed) -> None:
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


def _sift(sieve: Sieve, form: Form) -> None:
    """Leave out all rows that cannot be read; a column that is wrong as a whole is still an error."""
    _drop(sieve, form.parse(sieve.table).faults)
    parsed = form.parse(sieve.table)
    _drop(sieve, _faults_of_items(parsed, sieve.table.num_rows, form.opened.is_text))
    sift_described(sieve, form.columns, form.dates)


def _drop(sieve: Sieve, faults: Sequence[layouts.Fault]) -> None:
    gone = np.zeros(sieve.table.num_rows, dtype=bool)
    for rows, reason, column in faults:
        sieve.drop(rows[~gone], reason, column)
        gone |= rows


def _faults_of_items(parsed: layouts.Parsed, n_rows: int, text: bool) -> list[layouts.Fault]:
    """Rows that have an item twice, or chose what was not there."""
    labels = [parsed.labels] if parsed.chosen is None else [parsed.labels, parsed.chosen]
    items, codes = encode(labels, ["items", "chosen"][: len(labels)], text=text)
    ranking = np.repeat(np.arange(len(parsed.sizes)), parsed.sizes)
    order = np.lexsort((parsed.row_of_entry, codes[0], ranking))
    key = (ranking * len(items) + codes[0])[order]
    repeated = parsed.row_of_entry[order[1:][key[1:] == key[:-1]]]
    faults = [layouts.Fault(np.bincount(repeated, minlength=n_rows) > 0, "an item twice")]
    if parsed.chosen is not None:
        found = np.bincount(ranking[codes[0] == codes[1][ranking]], minlength=len(parsed.sizes))
        faults.append(layouts.Fault(found == 0, "a chosen item that is not among its alternatives"))
    return faults
