"""Run the tutorials from top to bottom, as a reader would; `make tutorials` draws their pictures again.

A page has Python sessions (``>>>``) and ``console`` blocks (``$``). They share one folder, which is empty at
first, and one set of variables. What a page prints must be what it shows, and it must draw the pictures that
it shows. Each picture is drawn twice: ``board.png`` for light pages and ``board-dark.png`` for dark ones.
"""

import contextlib
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from printed import Printed

FOLDER = Path(__file__).parents[1] / "tutorials"
BLOCK = re.compile(r"^```(?P<kind>python|pycon|console)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\((?P<name>[\w-]+\.(?:png|svg))\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
COLUMNS = "100"  # the width of the terminal


def pages() -> list[Path]:
    """The tutorials, without the page that lists them."""
    return sorted(path for path in FOLDER.glob("*.md") if path.stem != "index")


def pictures(page: Path) -> list[str]:
    """The names of the pictures that a page shows."""
    return PICTURE.findall(page.read_text(encoding="utf-8"))


def run(page: Path) -> None:
    """Run a page in the current folder; an AssertionError says what a block printed instead."""
    import matplotlib as mpl

    text = page.read_text(encoding="utf-8")
    variables: dict[str, Any] = {"__name__": "__main__"}
    with mpl.rc_context():
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            if block["kind"] == "console":
                for part in ("\n" + block["text"]).split("\n$ ")[1:]:
                    _run_command(part, f"{page.name}, line {line}")
            else:
                _run_session(block["text"], variables, page, line)


def _run_session(text: str, variables: dict[str, Any], page: Path, line: int) -> None:
    session = doctest.DocTestParser().get_doctest(text, variables, page.name, str(page), line)
    runner, said = doctest.DocTestRunner(Printed(), optionflags=FLAGS), []
    if runner.run(session, out=said.append, clear_globs=False).failed:
        raise AssertionError("".join(said))
    variables.update(session.globs)


def _run_command(part: str, where: str) -> None:
    """Run one command of a console block: podium in this process, everything else in a shell."""
    command, _, expected = part.partition("\n")
    if command.startswith("podium "):
        from typer.testing import CliRunner

        from podium.cli import app

        os.environ["COLUMNS"] = COLUMNS
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        code, printed = result.exit_code, result.output
    else:
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60
        )
        code, printed = done.returncode, done.stdout + done.stderr
    if code or not Printed().check_output(expected, printed, FLAGS):
        raise AssertionError(f"{where}: {command}\nends with code {code} and prints\n{printed}")


def draw(page: Path) -> None:
    """Run a page in an empty folder, in light and in dark colours, and keep its pictures."""
    from podium.plot import dark_mode

    for ending, mode in (("", contextlib.nullcontext()), ("-dark", dark_mode())):
        with TemporaryDirectory() as folder, contextlib.chdir(folder), mode:
            run(page)
            for name in map(Path, pictures(page)):
                shutil.copy(name, FOLDER / f"{name.stem}{ending}{name.suffix}")


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    for one in pages():
        if not wanted or one.stem in wanted:
            print(one.stem, flush=True)
            draw(one)
