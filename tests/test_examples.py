"""Every gallery script runs, and draws and prints what the gallery page shows."""

import importlib
import runpy
from pathlib import Path

import matplotlib
import pytest

from tests.pictures import difference

ROOT = Path(__file__).parent.parent
GALLERY = ROOT / "docs" / "gallery"
PRINTED = importlib.import_module("printed").Printed()
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_draws_and_prints_what_the_gallery_shows(
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    if "fetch_" in script.read_text(encoding="utf-8"):
        request.getfixturevalue("real_data")
    monkeypatch.chdir(tmp_path)
    with matplotlib.rc_context():  # scripts set the style of their own figures
        runpy.run_path(str(script), run_name="__main__")
    text = (GALLERY / f"{script.stem}.txt").read_text(encoding="utf-8")
    printed = capsys.readouterr().out
    assert PRINTED.check_output(text, printed, 0), printed
    assert [path.name for path in tmp_path.iterdir()] == [f"{script.stem}.png"]
    shown = GALLERY / f"{script.stem}.png"
    assert difference(tmp_path / shown.name, shown) < 1e-3, "run `make gallery` to draw it again"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_is_short_and_the_gallery_includes_its_code(script: Path) -> None:
    assert len(script.read_text(encoding="utf-8").splitlines()) < 60
    page = (GALLERY / "index.md").read_text(encoding="utf-8")
    included = [
        f"{{literalinclude}} {path}\n" for path in (f"{script.stem}.txt", f"../../examples/{script.name}")
    ]
    for part in (f"({script.stem}.png)", *included):
        assert part in page
    for name in (f"{script.stem}.png", f"{script.stem}-dark.png"):
        assert (GALLERY / name).stat().st_size < 400_000


def test_the_gallery_has_no_files_of_deleted_scripts() -> None:
    stems = {script.stem for script in SCRIPTS}
    assert {path.stem.removesuffix("-dark") for path in GALLERY.iterdir()} == stems | {"index"}
