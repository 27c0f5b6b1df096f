"""Run the scripts of the gallery; `make gallery` draws their pictures and stores what they print.

Each script draws one picture, named after it. It runs twice: for light pages and, as ``board-dark.png``, for
dark ones. style_control.py and sushi.py need the data in PODIUM_DATA.
"""

import contextlib
import io
import runpy
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs" / "gallery"
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def run(script: Path) -> str:
    """Run a script in the current folder, and return what it prints."""
    import matplotlib as mpl

    with contextlib.redirect_stdout(io.StringIO()) as printed, mpl.rc_context():
        runpy.run_path(str(script), run_name="__main__")
    return printed.getvalue()


def draw(script: Path) -> None:
    """Run a script in light and in dark colours, and keep its picture and what it prints."""
    from podium.plot import dark_mode

    for ending, mode in (("", contextlib.nullcontext()), ("-dark", dark_mode())):
        with TemporaryDirectory() as folder, contextlib.chdir(folder), mode:
            (GALLERY / f"{script.stem}.txt").write_text(run(script), encoding="utf-8")
            shutil.copy(f"{script.stem}.png", GALLERY / f"{script.stem}{ending}.png")


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    for one in SCRIPTS:
        if not wanted or one.stem in wanted:
            print(one.stem, flush=True)
            draw(one)
