"""The files of a command: checked before the work, and written last, each whole or not at all."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options.reading import option
from podium.cli.options.registry import imported
from podium.cli.output.errors import WRITTEN
from podium.cli.output.screen import plain
from podium.options import MOVING, PAIRS, SKILLS, Said

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.web.page import Page

PICTURES, TABLES = "podium.writing.atomic:PICTURES", "podium.writing.frames:WRITERS"
ENDINGS = {  # of each kind of file: where to import them from if there is such a file
    "board": ["podium.leaderboard.leaderboard:WRITERS"],
    "counts": ["podium.cli.output.outputs:PARQUET"],
    "history": [PICTURES, TABLES],
    "options": ["podium.cli.output.outputs:TOML"],
    "page": ["podium.web.page:PAGES"],
    "picture": [PICTURES],
    "summary": ["podium.skill.summary:WRITERS"],
    "table": [TABLES],
}
TOML, PARQUET = (".toml",), (".parquet",)
VERBS = {"page": "reported in", "summary": "summarised in"}  # of files that are neither saved nor drawn
PRINT = "-"  # the value of --summary that prints


class Outputs:
    """The files that a command is asked for, by their kinds: their paths and, later, what writes them.

    A wrong ending is refused before the work starts. So is a path that would overwrite an input or another
    output, however it is spelled or linked. Inputs that are strings may be patterns.
    """

    def __init__(self, inputs: Iterable[str | Path | None], **targets: Path | None) -> None:
        from podium.writing.atomic import checked_path

        self.paths = {kind: path for kind, path in targets.items() if path is not None}
        self.waiting: dict[str, Callable[[Path], Any]] = {}
        for kind, path in self.paths.items():
            if kind in ENDINGS:  # that of a model has been checked
                checked_path(path, [ending for where in ENDINGS[kind] for ending in imported(where)])
        _check_apart(inputs, self.paths.values())

    def add(self, kind: str, write: Callable[[Path], Any]) -> None:
        """What writes a file, if it is wanted. It has everything it needs: only the disk can make it fail."""
        if kind in self.paths:
            self.waiting[kind] = write

    def add_table(self, frame: "pd.DataFrame", kind: str = "table") -> None:
        """A file that is written from a frame."""
        from podium.writing.frames import write_frame

        self.add(kind, partial(write_frame, frame))

    def draws(self, kind: str) -> bool:
        """Whether a file of a kind is a picture."""
        from podium.writing.atomic import PICTURES

        return kind in self.paths and self.paths[kind].suffix.lower() in PICTURES

    def write(self, screen: "Console") -> None:
        """Write all of them, and say so for each."""
        for kind, write in self.waiting.items():
            path = self.paths[kind]
            write(path)
            WRITTEN.append(path)
            word = VERBS.get(kind, "drew" if self.draws(kind) else "saved")
            screen.print(plain(f"{word} {path}"))


def _check_apart(inputs: Iterable[str | Path | None], outputs: Iterable[Path]) -> None:
    """Refuse outputs that would overwrite an input or each other."""
    from podium.reading.sources.paths import paths_of

    given = [source for source in inputs if source is not None]
    read = [path for source in given for path in ([source] if isinstance(source, Path) else paths_of(source))]
    wanted: list[Path] = []
    for output in outputs:
        if any(_same_file(output, path) for path in read):
            raise ValueError(f"'{output}' would be written over a file that is read; choose another name")
        if any(_same_file(output, other) for other in wanted):
            raise ValueError(f"'{output}' is the place of two outputs; choose another name for one of them")
        wanted.append(output)


def _same_file(one: Path, other: Path) -> bool:
    """Whether writing to one changes the other; pipes and devices do not count."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


# ------------------------------------------------------------------------------------ options


@dataclass(frozen=True, kw_only=True)
class ReportOptions(Said):
    """Whether there is a report, and the words at its top."""

    report: Annotated[Path | None, option("Save a report for the browser: .html.")] = None
    title: Annotated[str | None, option("Title of the report; by default the file's name.", seldom=True)] = (
        None
    )
    description: Annotated[
        str | None,
        option("Text under the title of the report; an empty line begins a new paragraph.", seldom=True),
    ] = None

    def __post_init__(self) -> None:
        """Refuse words for a report that is not wanted."""
        for name in ("title", "description"):
            if self.report is None and getattr(self, name) is not None:
                raise ValueError(f"--{name} is for the report; add --report FILE.html")

    def add(self, outputs: Outputs, page: "Page") -> None:
        """Write the page with the others, under the title that was asked for."""
        page = replace(page, title=self.title or page.title, description=self.description or "")
        outputs.add("page", page.save)


@dataclass(frozen=True, kw_only=True)
class Targets(ReportOptions):
    """The files that 'podium rank' writes."""

    out: Annotated[Path | None, option("Save the leaderboard: .csv, .json, .parquet or .md.")] = None
    plot: Annotated[Path | None, option("Save a picture of it: .png or .svg.")] = None
    summary: Annotated[
        str | None,
        option("Print all estimates with tests and likelihood, or save: .tex, .md, .csv.", metavar="[FILE]"),
        SKILLS,
    ] = None
    judges_out: Annotated[
        Path | None, option("Save the table of judges: .csv, .json or .parquet.", seldom=True), PAIRS
    ] = None
    history: Annotated[
        Path | None,
        option(
            "With --dynamic: save the scores through time, as a picture (.png, .svg) or a table (.csv, "
            ".json, .parquet).",
            seldom=True,
        ),
        MOVING,
    ] = None

    def outputs(self, files: list[str]) -> Outputs:
        """The files, checked before the work starts."""
        return Outputs(
            files,
            board=self.out,
            picture=self.plot,
            page=self.report,
            summary=None if self.summary in (None, PRINT) else Path(self.summary),
            table=self.judges_out,
            history=self.history,
        )
