"""The state of the code that computed a cell: the version of podium, and the commit of the sources."""

import re
import subprocess
from pathlib import Path

import podium

HERE = Path(__file__).parent
PODIUM = Path(podium.__file__).parent
# These files store and show numbers, but do not compute any.
MACHINERY = {"cells", "experiment", "numbers", "page", "papers", "run", "sources"}
HELPERS = re.compile(r"^from experiments\.(\w+) import", re.MULTILINE)
UNKNOWN, CHANGED = " at an unknown commit", " with later changes"


def state_of(name: str) -> str:
    """The version of podium, and the last commit that changed what the numbers of an experiment depend on.

    These are the sources of podium, the experiment's file, and the files of this folder that it imports.
    Other commits do not change the state.
    """
    sources = [f"{PODIUM}/*.py", *map(str, sorted(own_files(name)))]
    commit = git("log", "-1", "--format=%h", "--abbrev=7", "--", *sources)
    if not commit:
        return f"podium {podium.__version__}{UNKNOWN}"
    changes = git("status", "--porcelain", "--", *sources)
    return f"podium {podium.__version__} at {commit}{CHANGED if changes else ''}"


def is_exact(state: str) -> bool:
    """Whether code of the same state is the same code."""
    return not state.endswith((UNKNOWN, CHANGED))


def git(*arguments: str) -> str:
    """What git prints; nothing if there is no git, or if the sources are not in a repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def own_files(name: str) -> set[Path]:
    """The file of the experiment and the files of this folder that it imports."""
    path = HERE / f"{name}.py"
    helpers = set(HELPERS.findall(path.read_text(encoding="utf-8"))) - MACHINERY
    return {path}.union(*(own_files(helper) for helper in helpers))
