"""Reports opened in Chromium by `make test-browser`; skipped without Chromium or Playwright."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from podium.web import page_of
from tests.web.reports import odd_comparisons, report_on

# The browser itself must not make requests either.
QUIET = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
Opener = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if path is None:
        pytest.skip("there is no Chromium; name one in CHROMIUM")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page full of names that could break it."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    page_of(report_on(odd_comparisons(), warnings=("mind the gap",))).save(path)
    return path


@pytest.fixture
def opened(browser: Any) -> Opener:
    """Open a file; at the end there must be no console messages and no requests."""

    @contextmanager
    def open_page(path: Path, width: int = 1100, scheme: str = "light") -> Iterator[Any]:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
        )
        page = context.new_page()
        complaints: list[str] = []
        requests: list[str] = []
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(path.as_uri())
        yield page
        context.close()
        assert not complaints
        assert [url for url in requests if not url.startswith("data:")] == [path.as_uri()]

    return open_page
