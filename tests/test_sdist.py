"""The source archive has all that its tests need and nothing that was built; the wheel is complete."""

import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OF_THE_REPOSITORY = (".ci/", ".editorconfig", ".pre-commit-config.yaml")  # no test reads them


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The paths in the archive, which the build back end lists without the network."""
    sdist = pytest.importorskip("hatchling.builders.sdist")
    (made,) = sdist.SdistBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("sdist")))
    with tarfile.open(made) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_it_has_what_the_repository_has(archived: set[str]) -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no repository")
    command = ["git", "ls-files", "-z"]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    files = {path for path in tracked if (ROOT / path).is_file() and not path.startswith(OF_THE_REPOSITORY)}
    assert files <= archived


def test_it_has_nothing_that_was_made_or_fetched(archived: set[str]) -> None:
    assert not {path for path in archived if path.startswith(("build/", "site/", "dist/", ".venv/", "data/"))}
    assert not {path for path in archived if path.endswith((".pyc", ".gz", ".zip"))}


def test_the_wheel_has_every_file_of_the_package(tmp_path: Path) -> None:
    """Data sets, templates, styles and scripts too."""
    wheel = pytest.importorskip("hatchling.builders.wheel")
    (made,) = wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(made) as archive:
        packed = set(archive.namelist())
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    assert (
        {"podium/vote/pages/templates/index.html", "podium/vote/pages/static/htmx.min.js"} <= files <= packed
    )
