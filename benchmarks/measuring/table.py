"""The table of all measurements: its rows, its file, and how its numbers are written."""

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from podium.writing.atomic import write_whole

MISSED = "does not reach"  # how the note of a row begins that ended too early
RESULTS = Path(__file__).parents[1] / "results"
TABLE, FULL_TABLE = RESULTS / "benchmarks.csv", RESULTS / "full.csv"


@dataclass(frozen=True)
class Row:
    """One contestant on one case. What was not measured is nan.

    A row without ``seconds`` was stopped after ``limit`` seconds, or failed, as ``note`` says. ``memory`` is
    the growth of the peak during the run, in MiB. ``version`` is that of the contestant's own package.
    """

    script: str
    case: str
    who: str
    reference: str = ""
    seconds: float = math.nan
    limit: float = math.nan
    gap: float = math.nan
    gradient: float = math.nan
    error: float = math.nan
    memory: float = math.nan
    note: str = ""
    date: str = ""
    processors: int = 0
    python: str = ""
    numpy: str = ""
    version: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.script, self.case, self.who

    @property
    def name(self) -> str:
        return f"{self.script.removesuffix('.py')}, {self.case}, {self.who}"

    @property
    def is_podium(self) -> bool:
        return self.who.startswith("podium")

    @property
    def ended(self) -> bool:
        """Whether it came to an end, as good as the case asks for."""
        return not math.isnan(self.seconds) and not self.note.startswith(MISSED)

    @property
    def outcome(self) -> str:
        """The seconds, or why there are none."""
        if self.ended:
            return seconds_text(self.seconds)
        return self.note or (f"> {self.limit:g} s" if self.limit > 0 else "not measured")


class Results:
    """The rows of a table, by script, case and contestant, in the order of the file."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = {row.key: row for row in rows}

    @classmethod
    def read(cls, path: Path) -> "Results":
        return cls.from_text(path.read_text(encoding="utf-8"))

    @classmethod
    def from_text(cls, text: str) -> "Results":
        numbers = {field.name for field in fields(Row) if field.type is float}
        rows = []
        for cells in csv.DictReader(io.StringIO(text)):
            read = {name: float(cell or "nan") if name in numbers else cell for name, cell in cells.items()}
            rows.append(Row(**read))  # type: ignore[arg-type]
        return cls(replace(row, processors=int(row.processors)) for row in rows)

    def to_text(self) -> str:
        out = io.StringIO()
        writer = csv.DictWriter(out, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for row in self.rows.values():
            writer.writerow({name: cell_text(value) for name, value in asdict(row).items()})
        return out.getvalue()

    def write(self, path: Path) -> None:
        """Replace the file, whole or not at all."""
        path.parent.mkdir(exist_ok=True)
        write_whole(path, self.to_text().encode())

    def with_scripts_of(self, new: "Results") -> "Results":
        """All rows of the scripts in ``new``, and these rows of the others, in alphabetical order."""
        measured = {row.script for row in new.rows.values()}
        kept = [row for row in self.rows.values() if row.script not in measured]
        return Results(sorted([*kept, *new.rows.values()], key=lambda row: row.script))

    def reference_of(self, row: Row) -> Row | None:
        """The row that this one is compared with over time, if it has one that ended."""
        found = self.rows.get((row.script, row.case, row.reference))
        return found if found is not None and found.ended else None


def cell_text(value: str | float) -> str:
    if not isinstance(value, float):
        return str(value)
    return "" if math.isnan(value) else f"{value:.4g}"


def digits(value: float, significant: int = 2) -> str:
    """The number with so many significant digits, as many zeros as that takes, and commas from 1,000 on."""
    if value == 0:
        return "0"
    places = significant - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):,.{max(places, 0)}f}"


def seconds_text(seconds: float) -> str:
    """0.00123 → 1.2 ms, 0.0567 → 0.057 s, 12.34 → 12 s."""
    return f"{digits(1000 * seconds)} ms" if seconds < 0.01 else f"{digits(seconds)} s"


def memory_text(mebibytes: float) -> str:
    return "–" if math.isnan(mebibytes) else f"{mebibytes:,.0f} MiB"


def ratio_text(row: Row, base: Row) -> str:
    """How many times as long the row took as the base; a lower bound if it was stopped, "–" if unknown."""
    if not base.ended or not (row.ended or row.limit > 0):
        return "–"
    return f"{'' if row.ended else '> '}{digits((row.seconds if row.ended else row.limit) / base.seconds)}×"
