"""The files of a command: checked before the work, and written last, each whole or not at all."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.cli.options.registry import imported
from podium.cli.output.errors import WRITTEN
from podium.cli.output.screen import plain

if TYPE_CHECKING:
    from rich.console import Console

PICTURES, TABLES = "podium.writing.atomic:PICTURES", "podium.writing.frames:WRITERS"
ENDINGS = {  # of each kind of file: where to import them from if there is such a file
    "board": ["podium.leaderboard.leaderboard:WRITERS"],
    "history": [PICTURES, TABLES],
    "page": ["podium.web.page:PAGES"],
    "picture": [PICTURES],
    "summary": ["podium.skill.summary:WRITERS"],
    "table": [TABLES],
}


class Outputs:
    """The files that a command is asked for, by their kinds: their paths and, later, what writes them.

    A wrong ending is refused before the work starts. So is a path that would overwrite an input or another
    output, however it is spelled or linked. Inputs that are strings may be patterns.
    """

    def __init__(self, inputs: Iterable[str | Path | None], **targets: Path | None) -> None:
        from podium.writing.atomic import checked_path

        self.paths = {kind: path for kind, path in targets.items() if path is not None}
        self.waiting: list[tuple[str, Path, Callable[[Path], Any]]] = []
        for kind, path in self.paths.items():
            if kind in ENDINGS:  # that of a model has been checked
                checked_path(path, [ending for where in ENDINGS[kind] for ending in imported(where)])
        check_apart(inputs, self.paths.values())

    def add(self, word: str, kind: str, write: Callable[[Path], Any]) -> None:
        """What writes a file, if it is wanted. It has everything it needs: only the disk can make it fail."""
        if kind in self.paths:
            self.waiting.append((word, self.paths[kind], write))

    def write(self, screen: "Console") -> None:
        """Write all of them, and say so for each."""
        for word, path, write in self.waiting:
            write(path)
            WRITTEN.append(path)
            screen.print(plain(f"{word} {path}"))


def check_apart(inputs: Iterable[str | Path | None], outputs: Iterable[Path]) -> None:
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
