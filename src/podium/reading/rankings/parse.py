"""The rows of a table as Rankings; an error names the first that cannot be read."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from podium.comparisons.flat_rankings import Flat, flat_columns, offsets, ranking_name
from podium.comparisons.labels import dictionary_encode, encode
from podium.comparisons.messages import InputError, first_true
from podium.comparisons.rankings import Rankings
from podium.options import RankingReading
from podium.reading.formats.cells import trimmed
from podium.reading.formats.dates import decide_times, time_cells, times
from podium.reading.formats.numbers import cells_with_commas, decide_numbers, numbers
from podium.reading.merging import observations
from podium.reading.pairs.rows import sift_described
from podium.reading.plan import Plan
from podium.reading.rankings import layouts
from podium.reading.rankings.columns import RankingColumns
from podium.reading.rankings.places import long
from podium.reading.skipped import Sieve
from podium.reading.sources import preflib

RankingPlan = Plan[RankingReading, RankingColumns]


def check_applies(plan: RankingPlan) -> None:
    """Refuse options that do not apply to this kind of table."""
    kind = plan.columns.kind
    for argument, is_given, wanted in (
        ("{@dnf}'drop'", plan.given.dnf == "drop", "long"),
        ("{@separator}", plan.given.separator is not None, "choices"),
        ("{@higher_is_better=False}", not plan.given.higher_is_better, "scores"),
    ):
        if is_given and kind != wanted:
            raise InputError(f"{argument} is for tables of {{@kind}}'{wanted}', and this one is '{kind}'")


def _parsed(table: pa.Table, plan: RankingPlan) -> layouts.Parsed:
    columns = plan.columns
    if columns.kind == "wide":
        return layouts.wide(table, columns.ranks)
    if columns.kind == "scores":
        return layouts.scores(table, columns.ranks, plan.given.higher_is_better)
    if columns.kind == "choices":
        return layouts.choices(table, str(columns.chosen), columns.alternatives, plan.given.separator)
    if columns.kind == "long":
        return long(table, columns.ballot, str(columns.item), str(columns.place), plan.given.dnf)
    marks = (preflib.BETTER, preflib.TIED) if isinstance(plan.opened, preflib.PreflibFiles) else ()
    return layouts.text(table, str(columns.ranking), *marks)


def rankings_of(table: pa.Table, plan: RankingPlan) -> Rankings:
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
    time, time_as = None, "time"
    if columns.time is not None:
        time, found = times(table, columns.time, plan.given.dates)
        time_as = f"time, {found.how}" if found.how else "time"
    r = Rankings.from_codes(
        *flat,
        None if columns.weight is None else numbers(table, columns.weight),
        count=observations(table, None if columns.count is None else numbers(table, columns.count)),
        time=time,
        rest=parsed.rest,
    )
    if columns.group is not None:
        groups, [codes] = encode([trimmed(table[columns.group])], [columns.group])
        r = replace(r, group=codes, groups=groups)
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


def sift(sieve: Sieve, plan: RankingPlan) -> None:
    """Leave out all rows that cannot be read; a column that is wrong as a whole is still an error."""
    _drop(sieve, _parsed(sieve.table, plan).faults)
    parsed = _parsed(sieve.table, plan)
    _drop(sieve, _faults_of_items(parsed, sieve.table.num_rows, plan.opened.is_text))
    table, columns = sieve.table, plan.columns
    sift_described(
        sieve,
        columns,
        lambda name: decide_numbers(name, cells_with_commas(table[name])),
        lambda: decide_times(str(columns.time), time_cells(table[str(columns.time)]), plan.given.dates),
    )


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
