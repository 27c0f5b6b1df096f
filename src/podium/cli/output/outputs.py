"""The files of a command: written last of all, when nothing is left to compute, each whole or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.cli.output.screen import plain

if TYPE_CHECKING:
    from rich.console import Console

WRITTEN: list[Path] = []  # by this run of a command, for the sentence that ends one that is interrupted


class Outputs:
    """Files to come: a word for what is done, the path, and what writes to it."""

    def __init__(self) -> None:
        self.waiting: list[tuple[str, Path, Callable[[Path], Any]]] = []

    def add(self, word: str, path: Path, write: Callable[[Path], Any]) -> None:
        """``write`` has everything at hand, so that it can only fail by the disk."""
        self.waiting.append((word, path, write))

    def write(self, screen: "Console") -> None:
        """All of them, and say so of each."""
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
