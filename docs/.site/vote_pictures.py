"""Photograph the vote page for the documentation; `make vote-pictures` runs this. It needs Chromium.

The demo of `podium vote` is served and opened in Chromium: the page with a pair on a phone, and the live
board on a laptop.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep
from typing import Any
from urllib.request import urlopen

from photographs import open_browser, photograph

PORT = 8437
ADDRESS = f"http://127.0.0.1:{PORT}"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 620}, "has_touch": True, "is_mobile": True}
LAPTOP: dict[str, Any] = {"viewport": {"width": 940, "height": 620}}
PATIENCE = 30  # seconds until the server must answer


@contextmanager
def served_demo() -> Iterator[None]:
    """Run `podium vote --demo` until the pictures are taken."""
    command = [sys.executable, "-m", "podium", "vote", "--demo", "--port", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            _wait_until_it_answers()
            yield
        finally:
            server.terminate()


def _wait_until_it_answers() -> None:
    for _ in range(10 * PATIENCE):
        try:
            with urlopen(f"{ADDRESS}/health", timeout=PATIENCE):
                return
        except OSError:
            sleep(0.1)
    raise TimeoutError(f"{ADDRESS} did not answer within {PATIENCE} s")


def main() -> None:
    """Take all pictures."""
    with served_demo(), open_browser() as browser:
        photograph(browser, ADDRESS, "vote_page", **PHONE)
        photograph(browser, f"{ADDRESS}/board", "vote_board", **LAPTOP)


if __name__ == "__main__":
    main()
