"""The files of a command: written last, when everything is computed, each whole or not at all."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.cli.output.screen import plain

if TYPE_CHECKING:
    from rich.console import Console

WRITTEN: list[Path] = []  # by this run of a command, for the sentence that ends one that is interrupted


def check_apart(inputs: Iterable[str | Path | None], *outputs: Path | None) -> None:
    """Refuse outputs that would overwrite an input or each other, however their paths are spelled or linked.

    Inputs that are strings may be patterns.
    """
    from podium.reading.sources.paths import paths_of

    given = [source for source in inputs if source is not None]
    read = [path for source in given for path in ([source] if isinstance(source, Path) else paths_of(source))]
    wanted = [path for path in outputs if path is not None]
    for number, output in enumerate(wanted):
        if any(_same_file(output, path) for path in read):
            raise ValueError(f"'{output}' would be written over a file that is read; choose another name")
        if any(_same_file(output, other) for other in wanted[:number]):
            raise ValueError(f"'{output}' is the place of two outputs; choose another name for one of them")


def _same_file(one: Path, other: Path) -> bool:
    """Whether writing to one changes the other; pipes and devices do not count."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


class Outputs:
    """Files to write: a verb, the path, and the function that writes it."""

    def __init__(self) -> None:
        self.waiting: list[tuple[str, Path, Callable[[Path], Any]]] = []

    def add(self, word: str, path: Path, write: Callable[[Path], Any]) -> None:
        """``write`` has everything it needs, so only the disk can make it fail."""
        self.waiting.append((word, path, write))

    def write(self, screen: "Console") -> None:
        """Write all of them, and say so for each."""
        for word, path, write in self.waiting:
            write(path)
            WRITTEN.append(path)
            screen.print(plain(f"{word} {path}"))


def interrupted() -> str:
    """The sentence after Ctrl-C: which files there are."""
    if not WRITTEN:
        return "interrupted; nothing was written"
    names = " and ".join(f"'{path}'" for path in WRITTEN)
    return f"interrupted; {names} {'was' if len(WRITTEN) == 1 else 'were'} written before"
