"""Every tutorial runs, and prints and draws what it shows."""

import importlib
import re
from pathlib import Path

import pytest

from tests.pictures import difference

TUTORIALS = importlib.import_module("tutorials")


@pytest.mark.parametrize("page", TUTORIALS.pages(), ids=lambda page: page.stem)
def test_it_prints_and_draws_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """If a picture changed on purpose, run ``make tutorials``."""
    if re.search("fetch_|get_data_home", page.read_text(encoding="utf-8")):
        request.getfixturevalue("real_data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", TUTORIALS.COLUMNS)
    TUTORIALS.run(page)
    for name in TUTORIALS.pictures(page):
        assert difference(tmp_path / name, page.parent / name) < 1e-3, name


@pytest.mark.parametrize("page", TUTORIALS.pages(), ids=lambda page: page.stem)
def test_its_pictures_are_small_and_have_a_dark_variant(page: Path) -> None:
    for name in map(Path, TUTORIALS.pictures(page)):
        for variant in (name.name, f"{name.stem}-dark{name.suffix}"):
            assert (page.parent / variant).stat().st_size < 400_000


def test_a_page_that_shows_something_else_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "```pycon\n>>> a = 1\n```\n\n```pycon\n>>> a + 1\n2\n```\n\n```console\n$ echo two\ntwo\n```\n"
    )
    TUTORIALS.run(page)
    for wrong in (">>> 1 + 1\n3\n", ">>> undefined\n"):
        page.write_text(f"```pycon\n{wrong}```\n")
        with pytest.raises(AssertionError):
            TUTORIALS.run(page)
    page.write_text("```console\n$ echo two\nthree\n```\n")
    with pytest.raises(AssertionError, match="prints\ntwo"):
        TUTORIALS.run(page)
