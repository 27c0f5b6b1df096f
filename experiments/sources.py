"""The state of the code that computed a cell: a short hash of the sources that its numbers depend on."""

import hashlib
import re
from pathlib import Path

import podium

HERE = Path(__file__).parent
PODIUM = Path(podium.__file__).parent
# These files store and show numbers, but do not compute any.
MACHINERY = {"cells", "experiment", "numbers", "page", "papers", "run", "sources"}
HELPERS = re.compile(r"^from experiments\.(\w+) import", re.MULTILINE)


def state_of(name: str) -> str:
    """Eight hexadecimal digits; they change with podium, the experiment's file, or a file that it imports."""
    digest = hashlib.blake2b(digest_size=4)
    for folder, files in ((PODIUM, PODIUM.rglob("*.py")), (HERE, own_files(name))):
        for path in sorted(files):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def own_files(name: str) -> set[Path]:
    """The file of the experiment and the files of this folder that it imports."""
    path = HERE / f"{name}.py"
    helpers = set(HELPERS.findall(path.read_text(encoding="utf-8"))) - MACHINERY
    return {path}.union(*(own_files(helper) for helper in helpers))
