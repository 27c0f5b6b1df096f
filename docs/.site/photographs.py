"""Photographs of pages, in light and in dark colours. They need Chromium, which CHROMIUM may name."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).parents[1] / "assets"


@contextmanager
def open_browser() -> Iterator[Any]:
    """Chromium, until the pictures are taken."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if chromium is None:
        sys.exit("there is no Chromium; name one in CHROMIUM")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium)
        yield browser
        browser.close()


def photograph(browser: Any, address: str, name: str, **device: Any) -> None:
    """Save what is visible of a page: ``name.png`` for light pages, ``name-dark.png`` for dark ones."""
    for scheme, ending in (("light", ""), ("dark", "-dark")):
        visit = browser.new_context(color_scheme=scheme, reduced_motion="reduce", **device)
        page = visit.new_page()
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=ASSETS / f"{name}{ending}.png")
        visit.close()
