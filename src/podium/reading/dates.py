"""Dates, seasons and moments as people write them.

A column is read in one way: as numbers, as seasons (2008/09), as months (2022-09), or as dates with or
without a time zone. The way that fits most rows is taken; rows that it does not fit are left for the caller.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Index
from podium.comparisons.labels import Distinct, dictionary_encode, is_text
from podium.comparisons.messages import InputError, quoted
from podium.options import DateOrder
from podium.reading.formats import Column, Mask, Numbers, as_first, complete, decide_numbers, trimmed

ORDERS: dict[str, str] = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()

CLOCK = (
    r"(?:(?:T|[ ,]+)(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?(?::(?P<second>\d{2}(?:[.,]\d+)?))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)? ?(?P<zone>Z|UTC|GMT|[-+]\d{2}:?\d{2})?$"
)
CLOCK_PARTS = ("hour", "minute", "second", "half", "zone")
WEEKDAY = r"^(?:[A-Za-z]{2,9}\.?,? )?"
IN_NUMBERS = WEEKDAY + r"(?P<one>\d{1,4})(?P<mark>[./-]) ?(?P<two>\d{1,2})[./-] ?(?P<three>\d{1,4})" + CLOCK
DAY_MONTH = WEEKDAY + r"(?P<day>\d{1,2})\.?[ -](?P<month>[A-Za-z]{3,9})\.?,?[ -](?P<year>\d{4}|\d{2})" + CLOCK
MONTH_DAY = (
    WEEKDAY + r"(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})" + CLOCK
)
LETTERS = "[A-Za-z]{3}"  # of every month
YEAR_AND_MORE = r"^(?P<year>\d{4}) ?[-/–] ?(?P<more>\d{4}|\d{1,2})$"  # seasons and months

EPOCH = (480_000_000, 4_100_000_000)  # seconds since 1970: from 1985 to 2099
DIGITS = (1800_01_01, 2199_12_31)  # of dates like 20220905
UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
SAMPLE = 10_000  # rows that show whether the cells of a column repeat
NUMBERS = (pa.int64(), pa.float64())
# In UTC, 10:00Z is 12:00+02:00.
MOMENTS = [pa.timestamp(unit, zone) for zone in (None, "UTC") for unit in ("s", "us", "ns")]
Ints = NDArray[np.int64]
Values = tuple[NDArray[Any], Mask]  # of cells, and which cells can be read


@dataclass(frozen=True)
class Times:
    """How a column of times is read: in one ``way``, and numbers perhaps as moments, by their unit."""

    name: str
    way: "Way"
    wanted: str
    how: str = ""
    unit: "Unit | None" = None

    def apply(self, column: pa.ChunkedArray) -> Column:
        """The time of each row."""
        cells, codes = _cells_and_codes(trimmed(column))
        values, known = self.way.read(cells)
        values = np.append(values, np.zeros(1, values.dtype))[codes]  # the last for an empty cell
        known = np.append(known, False)[codes]
        return Column(values if self.unit is None else self.unit.moments(values, known), ~known)


def decide_times(name: str, found: Distinct, order: DateOrder | None) -> Times:
    """How to read a column of times, from its distinct cells.

    Text is read in the way that fits most rows; if two fit as many, the first row decides.
    """
    found = found._replace(cells=trimmed(pa.chunked_array([found.cells])).combine_chunks())
    filled = found.only(np.asarray(found.cells.is_valid()))
    tried = list(_until_all_fit(name, filled, order))
    first = filled.first_row == filled.first_row.min(initial=0)
    way, values, known = max(tried, key=lambda each: (filled.rows[each[2]].sum(), each[2][first].any()))
    wanted = way.wanted if known.any() else "a number or a date"
    if wanted not in ("a number", "a number or a date"):
        wanted += f" like {quoted(filled.first(known)[0])}"
    unit = unit_of(values, known)
    return Times(name, way, wanted, way.how or (unit.how if unit else ""), unit)


def times(table: pa.Table, name: str, order: DateOrder | None = None) -> tuple[NDArray[Any], Times]:
    """A column of numbers or moments, none of them missing, and how it was read."""
    form = decide_times(name, time_cells(table[name]), order)
    return complete(table[name], form), form


def time_cells(column: pa.ChunkedArray, rows: Index | None = None) -> Distinct:
    """The cells of a column in memory that decide how times are read."""
    cells, codes = _cells_and_codes(column)
    return Distinct.of_codes(cells, codes, rows)


def _cells_and_codes(column: pa.ChunkedArray) -> tuple[pa.Array, Codes]:
    """Distinct cells, and which of them each row has; or all cells, if they are no text or few repeat.

    A row without a cell has -1.
    """
    is_dictionary = pa.types.is_dictionary(column.type)
    repeats = is_dictionary or len(column.slice(0, SAMPLE).unique()) < SAMPLE / 2
    if not repeats or not (is_dictionary or is_text(column.type)):
        return column.combine_chunks(), np.arange(len(column), dtype=np.int32)
    return dictionary_encode(column)


# ------------------------------------------------------------------------------------ moments


class Unit(NamedTuple):
    """What numbers are that can only be moments: a unit since 1970, and a finer one for fractions; or digits.

    >>> unit_of(np.array([1662336000, 1662422400]), np.array([True, True])).how
    'seconds since 1970'
    >>> unit_of(np.array([20220905, 20220906]), np.array([True, True])).how
    'dates like 20220905'
    >>> unit_of(np.array([2021, 2022]), np.array([True, True]))
    """

    unit: str
    finer: str
    how: str

    def moments(self, values: NDArray[Any], known: Mask) -> NDArray[Any]:
        """Numbers as moments."""
        if not self.unit:
            digits = np.where(known, values, 1800_01_01).astype(np.int64)
            days = _days(digits // 10_000, digits // 100 % 100, digits % 100)[0]
            return np.asarray(days.astype("datetime64[s]"))
        power = list(UNITS).index(self.finer) - list(UNITS).index(self.unit)
        scaled = np.where(known, values, 0) * 1000**power
        whole = scaled if not power else np.rint(scaled)  # 1.001 s is 1000.9999999999999 ms
        return np.asarray(whole.astype(np.int64).view(f"datetime64[{self.finer}]"))


def unit_of(values: NDArray[Any], known: Mask) -> Unit | None:
    """The unit of numbers that are all seconds (or their parts) since 1970, or all dates like 20220905."""
    if values.dtype.kind not in "iuf" or not known.any():
        return None
    values = values[known]
    lowest, highest, fractions = values.min(), values.max(), bool((values % 1).any())
    for power, (unit, name) in enumerate(UNITS.items()):
        if EPOCH[0] * 1000**power <= lowest and highest <= EPOCH[1] * 1000**power:
            finer = list(UNITS)[min(power + 2, 3)] if fractions else unit
            return Unit(unit, finer, f"{name} since 1970")
    if lowest >= DIGITS[0] and highest <= DIGITS[1] and not fractions:
        digits = values.astype(np.int64)
        if _days(digits // 10_000, digits // 100 % 100, digits % 100)[1].all():
            return Unit("", "s", "dates like 20220905")
    return None


# ------------------------------------------------------------------------------------ ways to read text


class Way(NamedTuple):
    """One way to read cells of text: what they mean, what they should be, and what needs to be said of it."""

    read: Callable[[pa.Array], Values]
    wanted: str
    how: str = ""


def _unchanged(cells: pa.Array) -> Values:
    """What is no text."""
    values, known = np.asarray(cells.to_numpy(zero_copy_only=False)), np.asarray(cells.is_valid())
    if values.dtype.kind in "iufM":
        known = known & np.isfinite(values)
    return values, known


def _plain(cells: pa.Array, kind: pa.DataType) -> Values:
    """What Arrow casts as it is."""
    cast = as_first(_dashed(cells) if kind in MOMENTS else cells, [kind])
    return (
        (np.full(len(cells), np.nan), np.zeros(len(cells), dtype=bool)) if cast is None else _unchanged(cast)
    )


def _seasons(cells: pa.Array) -> Values:
    year, more, digits = _year_and_more(cells)
    return year, (year >= 0) & (more == (year + 1) % 10**digits)


def _months(cells: pa.Array) -> Values:
    year, more, digits = _year_and_more(cells)
    months, exist = _days(year, more, np.ones_like(year))
    return months.astype("datetime64[s]"), exist & (digits <= 2)


def _numbers(cells: pa.Array, form: Numbers) -> Values:
    values = form.spelled(cells)
    return values, np.isfinite(values)


def _until_all_fit(
    name: str, found: Distinct, order: DateOrder | None
) -> Iterator[tuple[Way, NDArray[Any], Mask]]:
    """The ways, and what they read, up to the first that can read all cells: no later one can fit better."""
    if not is_text(found.cells.type):
        yield Way(_unchanged, "a number or a date"), *_unchanged(found.cells)
        return
    number = as_first(found.cells, NUMBERS)
    plain = as_first(_dashed(found.cells), MOMENTS) if number is None else number
    if plain is not None:
        wanted = "a date" if number is None else "a number"
        yield Way(partial(_plain, kind=plain.type), wanted), *_unchanged(plain)
        return
    for way in _ways(name, found, order):
        values, known = way.read(found.cells)
        yield way, values, known
        if known.all():
            return


def _ways(name: str, found: Distinct, order: DateOrder | None) -> Iterator[Way]:
    yield Way(_seasons, "a season", "seasons")
    yield Way(_months, "a month", "months")
    order, how = _order(name, found, order)
    for zoned in (False, True):
        yield Way(partial(_dates, order=order, zoned=zoned), "a date", how)
    with suppress(ValueError):  # 12,345 is ambiguous, so this is not a column of numbers
        commas = np.asarray(pc.match_substring(found.cells, ","))
        form = decide_numbers(name, found.only(commas))
        yield Way(partial(_numbers, form=form), form.wanted)


def _dashed(cells: pa.Array) -> pa.Array:
    """2022-09-05 of 2022.09.05 and 2022/09/05."""
    if not pc.any(pc.is_in(pc.utf8_slice_codeunits(cells, 4, 5), pa.array([".", "/"], cells.type))).as_py():
        return cells  # quicker than to look for parts
    return pc.replace_substring_regex(cells, r"^(\d{4})[./](\d{2})[./](\d{2})", r"\1-\2-\3")


def _year_and_more(cells: pa.Array) -> tuple[Ints, Ints, Ints]:
    """A year, what follows it (-1 for none), and the number of its digits."""
    parts = _groups(cells, YEAR_AND_MORE)
    digits = pc.utf8_length(parts["more"]).to_numpy(zero_copy_only=False).astype(np.int64)
    return _ints(parts["year"]), _ints(parts["more"]), digits


# ------------------------------------------------------------------------------------ dates


class Parts(NamedTuple):
    """Years, months and days of the cells (-1 for none), and what they say of the time of day."""

    year: Ints
    month: Ints
    day: Ints
    clock: dict[str, pa.Array]


def _dates(cells: pa.Array, order: DateOrder, zoned: bool) -> Values:
    """Dates in numbers and words, all with a time zone or all without; ``order`` is that of 03/04/2022."""
    parts = _in_numbers(cells, order)
    for pattern in (DAY_MONTH, MONTH_DAY):
        parts = _with_month_names(parts, cells, pattern)
    century = np.where(parts.year < 69, 2000, 1900)
    year = np.where((parts.year >= 0) & (parts.year < 100), parts.year + century, parts.year)
    days, on_calendar = _days(year, parts.month, parts.day)
    seconds, on_clock = _clock(parts.clock)
    zone = parts.clock["zone"]
    moments: NDArray[Any] = days.astype("datetime64[us]") + seconds - _offset(zone)
    if not (moments.view(np.int64) % 1_000_000).any():
        moments = moments.astype("datetime64[s]")
    return moments, on_calendar & on_clock & (np.asarray(pc.not_equal(zone, "")) == zoned)


def _in_numbers(cells: pa.Array, order: DateOrder) -> Parts:
    """2022-09-05, 05.09.2022, 9/5/22."""
    found = _groups(cells, IN_NUMBERS)
    one, two, three = (_ints(found[part]) for part in ("one", "two", "three"))
    iso = pc.equal(pc.utf8_length(found["one"]), 4).to_numpy(zero_copy_only=False)
    first = iso | ((one >= 0) & (order == "ymd"))
    swapped = ~first & (order == "mdy")
    year, day = np.where(first, one, three), np.where(first, three, np.where(swapped, two, one))
    return Parts(year, np.where(swapped, one, two), day, {part: found[part] for part in CLOCK_PARTS})


def _with_month_names(parts: Parts, cells: pa.Array, pattern: str) -> Parts:
    """5 Sep 2022, September 5, 2022."""
    if not pc.any(pc.match_substring_regex(cells, LETTERS)).as_py():  # quicker than to look for parts
        return parts
    found = _groups(cells, pattern)
    word = pc.utf8_slice_codeunits(pc.utf8_lower(found["month"]), 0, 3)
    month = pc.index_in(word, pa.array(MONTHS, word.type)).fill_null(-1).to_numpy(zero_copy_only=False) + 1
    named = month > 0
    return Parts(
        np.where(named, _ints(found["year"]), parts.year),
        np.where(named, month, parts.month),
        np.where(named, _ints(found["day"]), parts.day),
        {part: pc.if_else(pa.array(named), found[part], parts.clock[part]) for part in CLOCK_PARTS},
    )


def _order(name: str, found: Distinct, order: DateOrder | None) -> tuple[DateOrder, str]:
    """Which number is the day, and what to say of it: one above 12 tells for the whole column.

    Dots stand for day first.
    """
    parts = _groups(found.cells, IN_NUMBERS)
    one, two = _ints(parts["one"]), _ints(parts["two"])
    is_open = (one >= 0) & ~pc.equal(pc.utf8_length(parts["one"]), 4).to_numpy(zero_copy_only=False)
    dotted = pc.equal(parts["mark"], ".").to_numpy(zero_copy_only=False)
    if not is_open.any():
        return order or "dmy", ""
    if order is None:
        day_first = found.rows[is_open & (one > 12) & (two <= 12)].sum()
        month_first = found.rows[is_open & (two > 12) & (one <= 12)].sum()
        unclear = is_open & ~dotted & (one != two)
        if not (day_first or month_first) and unclear.any():
            cell, row = found.first(unclear)
            raise InputError(
                f"column '{name}' has {quoted(cell)} at {{@row}}, and no row tells whether the day or the "
                "month comes first; say it with {@dates}'dmy' or {@dates}'mdy'",
                column=name,
                row=row,
            )
        order = "dmy" if day_first >= month_first else "mdy"
    return order, "" if dotted[is_open].all() and order == "dmy" else ORDERS[order]


def _days(year: Ints, month: Ints, day: Ints) -> tuple[NDArray[np.datetime64], Mask]:
    """Days, and whether each exists in the calendar."""
    possible = (year >= 0) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    months = np.where(possible, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + np.where(possible, day - 1, 0)
    return days, possible & (days.astype("datetime64[M]") == months)


def _clock(parts: dict[str, pa.Array]) -> tuple[NDArray[np.timedelta64], Mask]:
    """The time of day, midnight if none is given, and whether it is valid."""
    hour, minute = (np.maximum(_ints(parts[part]), 0) for part in ("hour", "minute"))
    text = pc.replace_substring(parts["second"], ",", ".")
    second = pc.if_else(pc.equal(text, ""), "0", text).cast(pa.float64()).to_numpy(zero_copy_only=False)
    half = np.asarray(pc.utf8_lower(parts["half"]))
    hour = np.where(half == "", hour, hour % 12 + 12 * (half == "p"))
    seconds = hour * 3600 + minute * 60
    moment = seconds.astype("timedelta64[s]") + np.round(second * 1e6).astype("timedelta64[us]")
    return moment, (hour < 24) & (minute < 60) & (second < 60)


def _offset(zones: pa.Array) -> NDArray[np.timedelta64]:
    """How far each zone is ahead of UTC."""
    parts = _groups(zones, r"^(?P<sign>[-+])(?P<hours>\d{2}):?(?P<minutes>\d{2})$")
    ahead = np.maximum(_ints(parts["hours"]), 0) * 60 + np.maximum(_ints(parts["minutes"]), 0)
    sign = np.where(np.asarray(pc.equal(parts["sign"], "-")), -1, 1)
    return np.asarray((sign * ahead).astype("timedelta64[m]"))


# ------------------------------------------------------------------------------------ parts of cells


def _groups(cells: pa.Array, pattern: str) -> dict[str, pa.Array]:
    """The named parts of each cell, empty where the cell does not match."""
    found = pc.extract_regex(cells, pattern)
    names = [found.type.field(k).name for k in range(found.type.num_fields)]
    return {part: pc.struct_field(found, part).fill_null("") for part in names}


def _ints(text: pa.Array) -> Ints:
    """Whole numbers; -1 where there is none."""
    filled = pc.if_else(pc.match_substring_regex(text, r"^\d+$"), text, "-1")
    return np.asarray(filled.cast(pa.int64()))
