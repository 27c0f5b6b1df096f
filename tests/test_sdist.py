"""The source archive has all that its tests need and nothing that was built; the wheel is complete.

`make release` checks the archives that it makes in the same way, and takes its notes from the changelog.
"""

import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

import podium
from tools import release

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive, which the build back end makes without the network."""
    sdist = pytest.importorskip("hatchling.builders.sdist")
    (made,) = sdist.SdistBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("sdist")))
    return Path(made)


@pytest.fixture(scope="module")
def archived(archive: Path) -> set[str]:
    """The paths in the archive."""
    with tarfile.open(archive) as opened:
        return {name.partition("/")[2] for name in opened.getnames()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    builder = pytest.importorskip("hatchling.builders.wheel")
    folder = str(tmp_path_factory.mktemp("wheel"))
    (made,) = builder.WheelBuilder(str(ROOT)).build(directory=folder, versions=["standard"])
    return Path(made)


def test_it_has_what_the_repository_has(archived: set[str]) -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no repository")
    command = ["git", "ls-files", "-z"]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    files = {path for path in tracked if (ROOT / path).is_file()}
    assert {path for path in files if not path.startswith(release.OF_THE_REPOSITORY)} <= archived


def test_it_has_nothing_that_was_made_or_fetched(archived: set[str]) -> None:
    assert not {path for path in archived if path.startswith(("build/", "site/", "dist/", ".venv/", "data/"))}
    assert not {path for path in archived if path.endswith((".pyc", ".gz", ".zip"))}


def test_an_archive_with_a_file_too_many_or_too_few_fails(archive: Path, archived: set[str]) -> None:
    release.check_archive(archive, files := archived - {"PKG-INFO"})
    with pytest.raises(release.Failure, match=r"lacks 1 of the files, such as 'tests/gone\.csv'$"):
        release.check_archive(archive, files | {"tests/gone.csv"})
    with pytest.raises(release.Failure, match=r"do not belong there \(1: 'README\.md'\)$"):
        release.check_archive(archive, files - {"README.md"})


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    """Data sets, templates, styles and scripts too."""
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    templates = "src/podium/vote/pages/"
    assert {f"{templates}templates/index.html", f"{templates}static/htmx.min.js"} <= files
    release.check_wheel(wheel, files)


def test_a_wheel_with_a_file_too_many_or_too_few_fails(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        files = {f"src/{name}" for name in opened.namelist() if name.startswith("podium/")}
    release.check_wheel(wheel, files)
    with pytest.raises(release.Failure, match=r"lacks 1 of the files, such as 'podium/gone\.csv'$"):
        release.check_wheel(wheel, files | {"src/podium/gone.csv"})
    longer = Path(shutil.copy(wheel, tmp_path))
    with zipfile.ZipFile(longer, "a") as opened:
        opened.writestr("tests/votes.csv", "winner,loser")
    with pytest.raises(release.Failure, match=r"do not belong there \(1: 'tests/votes\.csv'\)$"):
        release.check_wheel(longer, files)


def test_the_notes_of_this_version_are_in_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert release.notes(changelog, podium.__version__).startswith("### Changed\n")
    assert release.notes("## 2.0\n\nNew.\n\n## 1.0\n\nFirst.\n", "1.0") == "First.\n"
    for without in ("## 1.0.1\n\nFixed.\n", "## 1.0\n\n## 0.9\n\nFirst.\n", "", "### 1.0\nNo section.\n"):
        with pytest.raises(release.Failure, match=r"says nothing about 1\.0; give it a section '## 1\.0'"):
            release.notes(without, "1.0")


def test_a_step_that_fails_ends_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "LOG", tmp_path / "release.log")
    with pytest.raises(release.Failure, match=r"^could not look; release\.log says why$"):
        release.run("look", "ls", "nowhere")
    assert "nowhere" in (tmp_path / "release.log").read_text()
    with pytest.raises(release.Failure, match="in a clone"):
        release.tracked()
