"""stdout and stderr whose failures do not keep a command from writing its files."""

import errno
import io
import os
import sys
from pathlib import Path
from typing import Any


class SteadyStream:
    """A stream that falls silent once it cannot be written to, and keeps the reason."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except OSError as error:
            self._fall_silent(error)
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._fall_silent(error)

    def _fall_silent(self, error: OSError) -> None:
        """Redirect the stream to nowhere, so that what is left in the buffer does not fail at exit."""
        self.failure = error
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), self._stream.fileno())


def steady_streams() -> None:
    """Make sure that a closed pipe or an odd character never ends a command.

    Characters that a terminal cannot print are replaced.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell: >&-
            stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  it stays open
        elif name == "stdout" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
        setattr(sys, name, SteadyStream(stream))


def lost_output() -> str | None:
    """Why stdout failed; None if its reader just closed it early, as `head` does."""
    sys.stdout.flush()
    failure = getattr(sys.stdout, "failure", None)
    return None if failure is None or failure.errno == errno.EPIPE else str(failure.strerror).lower()
