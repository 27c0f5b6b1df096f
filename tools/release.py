"""Build a release into dist/, and check it as those who install it will meet it; `make release` runs this.

The source archive holds what is tracked, and the wheel holds the package. The wheel is then installed without
extras into an empty environment, where the demo and README's examples run. A step that fails ends in one
sentence; what the tools printed is in build/release.log.
"""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
DIST, LOG = ROOT / "dist", ROOT / "build" / "release.log"
OF_THE_REPOSITORY = (".ci/", ".editorconfig", ".pre-commit-config.yaml")  # no test reads them
README_EXAMPLES = """
import doctest, pathlib, sys, podium
where = pathlib.Path(podium.__file__)
if not where.is_relative_to(sys.prefix):
    sys.exit(f"podium comes from {where}, not from the wheel")
flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
failed, tried = doctest.testfile(sys.argv[1], module_relative=False, optionflags=flags)
print(f"{tried - failed} of {tried} examples of README pass with {where}")
sys.exit(failed > 0 or tried == 0)
"""


class Failure(Exception):
    """A sentence that says what is wrong with the release."""


def release() -> None:
    """Leave an archive, a wheel and the notes in dist/."""
    version = runpy.run_path(str(ROOT / "src/podium/version.py"))["__version__"]
    files, text = tracked(), notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    shutil.rmtree(DIST, ignore_errors=True)
    LOG.unlink(missing_ok=True)
    module = (sys.executable, "-m")
    run("build the archive and the wheel", *module, "build", "--outdir", DIST, ROOT)
    archive, wheel = only(f"podium_learn-{version}.tar.gz"), only(f"podium_learn-{version}-*.whl")
    run("check what the package index will show", *module, "twine", "check", "--strict", archive, wheel)
    check_archive(archive, files)
    check_wheel(wheel, files)
    with TemporaryDirectory() as folder:
        try_wheel(wheel, Path(folder).resolve())
    (DIST / "NOTES.md").write_text(text, encoding="utf-8")
    print(f"podium {version} is in dist/: {archive.name}, {wheel.name} and NOTES.md")


def tracked() -> set[str]:
    """The files of the last commit, which must be what is here."""
    if not (ROOT / ".git").exists():
        raise Failure("a release is made in a clone of the repository, and this is none")
    if changed := _git("status", "--porcelain").splitlines():
        raise Failure(f"'{changed[0][3:]}' is not committed, and a release is made of what is; commit first")
    return set(_git("ls-files", "-z").split("\0")) - {""}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def notes(changelog: str, version: str) -> str:
    """The changelog's section of a version, without its heading, which may have a date."""
    for section in re.split("^## ", changelog, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        if heading.split(" ")[0] == version and text.strip():
            return text.strip() + "\n"
    raise Failure(f"CHANGELOG.md says nothing about {version}; give it a section '## {version}'")


def run(purpose: str, *command: str | Path, cwd: Path = ROOT) -> str:
    """Run a step and return what it printed, which also goes to the log.

    It sees no other podium than the installed one, and installs the versions that are tested.
    """
    print(f"release: {purpose}", flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PIP_CONSTRAINT"] = str(ROOT / "constraints.txt")
    pipe, same = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(command, cwd=cwd, env=environment, stdout=pipe, stderr=same, text=True, check=False)
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"# {purpose}\n{done.stdout}\n")
    if done.returncode:
        raise Failure(f"could not {purpose}; {LOG.relative_to(ROOT)} says why")
    return done.stdout


def only(pattern: str) -> Path:
    """The file of this name in dist/."""
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise Failure(f"the build left {len(found)} files '{pattern}' in dist/ instead of one")
    return found[0]


def check_archive(archive: Path, files: Iterable[str]) -> None:
    """It has every tracked file, so that its tests can run, and nothing that was made or fetched."""
    with tarfile.open(archive) as opened:
        packed = {name.partition("/")[2] for name in opened.getnames()}
    wanted = {name for name in files if not name.startswith(OF_THE_REPOSITORY)}
    _compare(archive, packed - {"PKG-INFO"}, wanted)


def check_wheel(wheel: Path, files: Iterable[str]) -> None:
    """It has every file of the package, data sets, templates and styles too, and nothing else."""
    with zipfile.ZipFile(wheel) as opened:
        packed = {name for name in opened.namelist() if ".dist-info/" not in name}
    _compare(wheel, packed, {name.removeprefix("src/") for name in files if name.startswith("src/podium/")})


def _compare(built: Path, packed: set[str], wanted: set[str]) -> None:
    if missing := sorted(wanted - packed):
        raise Failure(f"{built.name} lacks {len(missing):,} of the files, such as '{missing[0]}'")
    if strange := sorted(packed - wanted):
        raise Failure(f"{built.name} has files that do not belong there ({len(strange):,}: '{strange[0]}')")


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install the wheel and what it needs, and use it in an empty folder."""
    python = folder / "environment" / "bin" / "python"
    empty = folder / "empty"
    empty.mkdir()
    run("make an empty environment", sys.executable, "-m", "venv", folder / "environment")
    run("install the wheel without extras", python, "-m", "pip", "install", wheel, cwd=empty)
    run("run podium demo", python.with_name("podium"), "demo", cwd=empty)
    if [path.name for path in empty.iterdir()] != ["podium-demo.html"]:
        raise Failure("without matplotlib, podium demo must write podium-demo.html and nothing else")
    said = run("run README's examples", python, "-I", "-c", README_EXAMPLES, ROOT / "README.md", cwd=empty)
    print(said.strip().splitlines()[-1])


if __name__ == "__main__":
    try:
        release()
    except Failure as failure:
        print(f"release: {failure}", file=sys.stderr)
        sys.exit(2)
