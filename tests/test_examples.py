"""The scripts of the gallery run, draw the picture that the page shows, and print what it shows."""

import runpy
from pathlib import Path

import pytest

from tests.pictures import difference

ROOT = Path(__file__).parent.parent
GALLERY = ROOT / "docs" / "gallery"
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_draws_and_prints_what_the_gallery_shows(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == (GALLERY / f"{script.stem}.txt").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == [f"{script.stem}.png"]
    shown = GALLERY / f"{script.stem}.png"
    assert difference(tmp_path / shown.name, shown) < 1e-3, "make gallery draws it again"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_is_short_and_in_the_gallery(script: Path) -> None:
    assert len(script.read_text(encoding="utf-8").splitlines()) < 60
    page = (GALLERY / "index.md").read_text(encoding="utf-8")
    for part in (f"({script.stem}.png)", f"docs/gallery/{script.stem}.txt", f"examples/{script.stem}.py"):
        assert part in page
    assert (GALLERY / f"{script.stem}.png").stat().st_size < 400_000


def test_nothing_is_left_of_a_script_that_is_gone() -> None:
    stems = {script.stem for script in SCRIPTS}
    assert {path.stem for path in GALLERY.iterdir()} == stems | {"index"}
