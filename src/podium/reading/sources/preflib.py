"""PrefLib's files of orders: .soc, .soi, .toc and .toi, of 2022 and before.

Their rows are a count and an order such as ``1,2,{3,4}``, in which braces hold a tie.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import pyarrow as pa

from podium.comparisons.messages import quoted
from podium.reading.sources.counting import Counting
from podium.reading.sources.encodings import blocks, checked_encoding
from podium.reading.sources.opened import Opened
from podium.reading.sources.paths import File

BETTER, TIED = "\x1d", "\x1e"  # between names, which may have any printable character
ALTERNATIVE = re.compile(r"#\s*ALTERNATIVE NAME (\d+):\s*(.*)")
ROW = re.compile(r"(\d+(?:\.\d+)?)\s*[:,]\s*(.*)")
PLACE = re.compile(r"\{([^{}]*)\}|([^{},]+)")
ORDER = re.compile(r"(?:\{[^{},]+(?:,[^{},]+)*\}|[^{},]+)(?:,(?:\{[^{},]+(?:,[^{},]+)*\}|[^{},]+))*")


@dataclass(frozen=True)
class PreflibFiles(Opened):
    """One file of orders as a table of counts and rankings."""

    files: Sequence[File]
    encoding: str
    is_text: ClassVar[bool] = True

    @cached_property
    def _content(self) -> tuple[int, list[tuple[str, str]]]:
        """The number of the first row's line, and the rows."""
        if len(self.files) > 1:
            raise ValueError(f"'{self.files[1]}' may number its items differently; read one file at a time")
        [file] = self.files
        lines = "".join(blocks(file, checked_encoding(self.encoding, file))).splitlines()
        names, first = _names(lines, file)
        rows = enumerate(lines[first - 1 :], start=first)
        return first, [_row(line, names, f"line {at:,} of '{file}'") for at, line in rows if line.strip()]

    @property
    def header(self) -> list[str]:
        return ["count", "ranking"]

    def counted_from(self) -> tuple[str, int]:
        return "line", self._content[0]

    def load(self, columns: Sequence[str], counting: Counting | None = None) -> pa.Table:
        count, ranking = zip(*self._content[1], strict=True) if self._content[1] else ((), ())
        return pa.table(
            {"count": pa.array(count, pa.large_string()), "ranking": pa.array(ranking, pa.large_string())}
        )


def _names(lines: Sequence[str], file: File) -> tuple[dict[str, str], int]:
    """The name of each number, and the line of the first row."""
    above = 0
    if lines and lines[0].startswith("#"):
        while above < len(lines) and (lines[above].startswith("#") or not lines[above].strip()):
            above += 1
        pairs: Iterator[tuple[str, ...]] = (
            found.groups() for line in lines[:above] if (found := ALTERNATIVE.match(line))
        )
    else:  # the number of items, a line for each of them, and a line of totals
        size = int(lines[0]) if lines and lines[0].strip().isdecimal() else -1
        above = size + 2
        pairs = (tuple(line.split(",", 1)) for line in lines[1 : size + 1] if "," in line)
    named = [(number.strip(), name.strip()) for number, name in pairs]
    names = dict(named)
    if not names or above > len(lines):
        raise ValueError(f"'{file}' does not name its alternatives as PrefLib's files do")
    if len(set(names.values())) < len(names):
        twice = next(name for name in names.values() if list(names.values()).count(name) > 1)
        raise ValueError(f"'{file}' has two alternatives called {quoted(twice)}; rename one of them")
    if reused := [number for number, name in named if names[number] != name]:
        raise ValueError(f"'{file}' gives number {reused[0]} to two alternatives; number each differently")
    return names, above + 1


def _row(line: str, names: dict[str, str], where: str) -> tuple[str, str]:
    """The count, and the names of the order."""
    found = ROW.fullmatch(line.strip())
    order = "" if found is None else re.sub(r"\s", "", found[2])
    if found is None or not ORDER.fullmatch(order):
        raise ValueError(f"{where} has {quoted(line)}, which is no count and order such as '3: 1,{{2,4}},5'")
    places = [(tie or one).split(",") for tie, one in PLACE.findall(order)]
    if unknown := [number for place in places for number in place if number not in names]:
        raise ValueError(f"{where} has {quoted(unknown[0])}, and no alternative has this number")
    return found[1], BETTER.join(TIED.join(names[number] for number in place) for place in places)
