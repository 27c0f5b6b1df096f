"""Photograph a report on 60 invented models for README; `make report-picture` runs this with Chromium.

The report is made as a user would make it: from a file of votes, with ``podium rank --report``.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from photographs import open_browser, photograph

from podium.datasets import make_games

FAMILIES = ("Aurora", "Basalt", "Cedar", "Dunlin", "Ember", "Fjord", "Garnet", "Heron", "Indigo", "Juniper")
SIZES = ("mini", "7B", "7B Instruct", "32B Instruct", "70B Instruct", "405B Instruct (thinking)")
SIZE = {"width": 1200, "height": 860}
TITLE = "Which answer is better?"
DESCRIPTION = "Visitors saw two anonymous answers to their own question and chose the better one."


def write_votes(path: Path) -> None:
    """Votes on all models of all families; larger models are better."""
    rng = np.random.default_rng(7)
    quality = np.add.outer(rng.normal(0, 0.35, len(FAMILIES)), np.linspace(-1, 1.2, len(SIZES))).ravel()
    votes, _ = make_games(n_games=25_000, log_skill=quality, tie_rate=0.4, random_state=7)
    names = np.array([f"{family} {size}" for family in FAMILIES for size in SIZES])
    frame = votes.to_frame()
    for side in ("left", "right"):
        frame[side] = names[frame[side].astype(int)]
    frame.to_csv(path, index=False)


def main() -> None:
    """Write report.png and report-dark.png."""
    with TemporaryDirectory() as folder, open_browser() as browser:
        write_votes(Path(folder) / "votes.csv")
        command = [sys.executable, "-m", "podium", "rank", "votes.csv", "--report", "report.html"]
        words = ["--title", TITLE, "--description", DESCRIPTION]
        subprocess.run([*command, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        photograph(browser, (Path(folder) / "report.html").as_uri(), "report", viewport=SIZE)


if __name__ == "__main__":
    main()
