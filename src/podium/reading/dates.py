"""Dates, seasons and moments as people write them.

A column is read in one way: as numbers, as seasons (2008/09), as months (2022-09), or as dates with or
without a time zone. The way that fits most rows is taken; rows that it does not fit are left for the caller.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.labels import dictionary_encode
from podium.comparisons.messages import InputError, first_true, quoted
from podium.comparisons.outcomes import Votes
from podium.options import DateOrder
from podium.reading.numbers import spelled_numbers

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
UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Cells(NamedTuple):
    """The values of a column, the rows that have none, what should be there, and how it was read."""

    values: NDArray[Any]
    bad: Mask
    wanted: str
    how: str = ""


def as_moments(values: NDArray[Any], known: Mask) -> tuple[NDArray[Any], str]:
    """Numbers that are all seconds (or their parts) since 1970, or all dates like 20220905, as moments.

    >>> as_moments(np.array([1662336000, 1662422400]), np.array([True, True]))
    (array(['2022-09-05T00:00:00', '2022-09-06T00:00:00'], dtype='datetime64[s]'), 'seconds since 1970')
    >>> as_moments(np.array([2021, 2022]), np.array([True, True]))
    (array([2021, 2022]), '')
    """
    if values.dtype.kind not in "iuf" or not known.any():
        return values, ""
    lowest, highest = values[known].min(), values[known].max()
    for power, (unit, name) in enumerate(UNITS.items()):
        if EPOCH[0] * 1000**power <= lowest and highest <= EPOCH[1] * 1000**power:
            finer = list(UNITS)[min(power + 2, 3)] if (values[known] % 1).any() else unit
            scaled = np.where(known, values, 0) * 1000 ** (list(UNITS).index(finer) - power)
            whole = scaled if finer == unit else np.rint(scaled)  # 1.001 s is 1000.9999999999999 ms
            return whole.astype(np.int64).view(f"datetime64[{finer}]"), f"{name} since 1970"
    if lowest >= 1800_01_01 and highest <= 2199_12_31 and not (values[known] % 1).any():
        digits = np.where(known, values, lowest).astype(np.int64)
        days, valid = _days(digits // 10_000, digits // 100 % 100, digits % 100)
        if valid.all():
            return days.astype("datetime64[s]"), "dates like 20220905"
    return values, ""


class Column(NamedTuple):
    """A column of text by its distinct cells: which of them each row has (-1 for none), and how often."""

    name: str
    cells: pa.Array
    codes: NDArray[np.int32]
    rows: Ints


class Way(NamedTuple):
    """One way to read all cells: their values, which cells it can read, and what kind of value they are."""

    values: NDArray[Any]
    known: Mask
    wanted: str
    how: str = ""


def spelled_times(
    column: pa.ChunkedArray, name: str, order: DateOrder | None, votes: Votes | None = None
) -> Cells:
    """A column of text, read in the way that fits most rows; if two fit as many, the first row decides.

    ``votes`` is how many rows each row counts for in this, by default 1.
    """
    cells, codes = dictionary_encode(column)
    votes = np.ones(len(codes), dtype=np.int64) if votes is None else votes
    rows = np.bincount(codes[codes >= 0], votes[codes >= 0], len(cells)).astype(np.int64)
    first = codes[codes >= 0][:1]
    ways = _ways(Column(name, cells, codes, rows), order)
    best = max(_until_all_fit(ways), key=lambda way: (rows[way.known].sum(), way.known[first].any()))
    if not best.known.any():
        nothing = np.zeros(len(codes)), np.ones(len(codes), dtype=bool)
        return Cells(*nothing, "a number or a date")
    bad = (codes < 0) | ~best.known[codes]
    like = "" if best.wanted == "a number" else f" like {quoted(column[first_true(~bad)].as_py())}"
    return Cells(best.values[codes], bad, best.wanted + like, best.how)


def _until_all_fit(ways: Iterator[Way]) -> Iterator[Way]:
    """The ways up to the first that can read all cells: no later one can fit better."""
    for way in ways:
        yield way
        if way.known.all():
            return


def _ways(column: Column, order: DateOrder | None) -> Iterator[Way]:
    cells = column.cells
    years = _groups(cells, YEAR_AND_MORE)
    year, more = _ints(years["year"]), _ints(years["more"])
    digits = pc.utf8_length(years["more"]).to_numpy(zero_copy_only=False)
    follows = (year >= 0) & (more == (year + 1) % 10 ** digits.astype(np.int64))
    yield Way(year, follows, "a season", "seasons")
    months, exist = _days(year, more, np.ones_like(year))
    yield Way(months.astype("datetime64[s]"), exist & (digits <= 2), "a month", "months")
    moments, exist, zoned, how = _dates(column, order)
    for zone in (False, True):
        yield Way(moments, exist & (zoned == zone), "a date", how)
    try:
        numbers = spelled_numbers(pa.chunked_array([cells]), column.name)
    except ValueError:  # 12,345 is ambiguous, so this is not a column of numbers
        return
    yield Way(numbers, np.isfinite(numbers), "a number")


# ------------------------------------------------------------------------------------ dates


class Parts(NamedTuple):
    """Years, months and days of the cells (-1 for none), and what they say of the time of day."""

    year: Ints
    month: Ints
    day: Ints
    clock: dict[str, pa.Array]


def _dates(column: Column, order: DateOrder | None) -> tuple[NDArray[Any], Mask, Mask, str]:
    """Moments, which of them are valid, which of them have a time zone, and the order of day and month."""
    parts, how = _in_numbers(column, order)
    for pattern in (DAY_MONTH, MONTH_DAY):
        parts = _with_month_names(parts, column.cells, pattern)
    century = np.where(parts.year < 69, 2000, 1900)
    year = np.where((parts.year >= 0) & (parts.year < 100), parts.year + century, parts.year)
    days, on_calendar = _days(year, parts.month, parts.day)
    seconds, on_clock = _clock(parts.clock)
    zone = parts.clock["zone"]
    moments: NDArray[Any] = days.astype("datetime64[us]") + seconds - _offset(zone)
    if not (moments.view(np.int64) % 1_000_000).any():
        moments = moments.astype("datetime64[s]")
    return moments, on_calendar & on_clock, np.asarray(pc.not_equal(zone, "")), how


def _in_numbers(column: Column, order: DateOrder | None) -> tuple[Parts, str]:
    """2022-09-05, 05.09.2022, 9/5/22; and which comes first, if that needs saying."""
    found = _groups(column.cells, IN_NUMBERS)
    one, two, three = (_ints(found[part]) for part in ("one", "two", "three"))
    iso = pc.equal(pc.utf8_length(found["one"]), 4).to_numpy(zero_copy_only=False)
    dotted = pc.equal(found["mark"], ".").to_numpy(zero_copy_only=False)
    open_ones = (one >= 0) & ~iso
    how = ""
    if open_ones.any():
        order = order or _order(column, one, two, open_ones, dotted)
        how = "" if dotted[open_ones].all() and order == "dmy" else ORDERS[order]
    first = iso | (open_ones & (order == "ymd"))
    swapped = ~first & (order == "mdy")
    year, day = np.where(first, one, three), np.where(first, three, np.where(swapped, two, one))
    return Parts(year, np.where(swapped, one, two), day, {part: found[part] for part in CLOCK_PARTS}), how


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


def _order(column: Column, one: Ints, two: Ints, open_ones: Mask, dotted: Mask) -> DateOrder:
    """Which number is the day: one above 12 tells for the whole column. Dots stand for day first."""
    day_first = column.rows[open_ones & (one > 12) & (two <= 12)].sum()
    month_first = column.rows[open_ones & (two > 12) & (one <= 12)].sum()
    if day_first or month_first:
        return "dmy" if day_first >= month_first else "mdy"
    unclear = open_ones & ~dotted & (one != two)
    if not unclear.any():
        return "dmy"
    row = first_true((column.codes >= 0) & unclear[column.codes])
    cell = quoted(column.cells[int(column.codes[row])].as_py())
    raise InputError(
        f"column '{column.name}' has {cell} at {{@row}}, and no row tells whether the day or the "
        "month comes first; say it with {@dates}'dmy' or {@dates}'mdy'",
        column=column.name,
        row=row,
    )


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
