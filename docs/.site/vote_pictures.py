"""Photograph the vote page for the documentation; `make vote-pictures` runs this. It needs Chromium.

The demo of `podium vote` is served and opened in Chromium: the page with a pair on a phone, and the live
board on a laptop. Each picture is taken twice: ``vote_page.png`` for light pages, ``vote_page-dark.png`` for
dark ones. They go to docs/assets.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any
from urllib.request import urlopen

ASSETS = Path(__file__).parents[1] / "assets"
PORT = 8437
ADDRESS = f"http://127.0.0.1:{PORT}"
PHONE = {"viewport": {"width": 390, "height": 620}, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 940, "height": 620}}
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


def photograph(browser: Any, path: str, name: str, device: dict[str, Any]) -> None:
    """Save what is visible of a page, in light and in dark colours."""
    for scheme, ending in (("light", ""), ("dark", "-dark")):
        visit = browser.new_context(color_scheme=scheme, reduced_motion="reduce", **device)
        page = visit.new_page()
        page.goto(f"{ADDRESS}{path}")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=ASSETS / f"{name}{ending}.png")
        visit.close()


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if chromium is None:
        sys.exit("there is no Chromium; name one in CHROMIUM")
    with served_demo(), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium)
        photograph(browser, "/", "vote_page", PHONE)
        photograph(browser, "/board", "vote_board", LAPTOP)
        browser.close()


if __name__ == "__main__":
    main()
