"""What a user waits for before anything is computed: imports, the command, the first fit.

    python benchmarks/startup.py [--case PATTERN] [--full]

Every run starts a new Python process, whose whole life is timed. The reference is a process that imports
numpy alone. Compiled code is in the cache, as from the second use on: the best of several runs counts.
"""

import os
import subprocess
import sys

from measuring.cases import Case, Contestant
from measuring.turns import main

FIRST_FIT = """
from podium import BradleyTerry, datasets, read_comparisons
print(BradleyTerry().fit(read_comparisons(datasets.shipped_file("chess_club.csv"))).log_skill_)
"""


def python(*arguments: str) -> None:
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=settings)


def chess_club() -> str:
    from podium.datasets import shipped_file

    return str(shipped_file("chess_club.csv"))


def rank(path: str) -> None:
    python("-m", "podium", "rank", path)


def run(*arguments: str) -> Contestant:
    return Contestant(lambda _: python(*arguments))


NUMPY = {"numpy alone": Contestant(lambda _: python("-c", "import numpy"), "numpy")}
PODIUM = {
    "podium --help": run("-m", "podium", "--help"),
    "import podium": run("-c", "import podium"),
    "the first fit": run("-c", FIRST_FIT),
    "podium rank, the chess club": Contestant(rank),
}


def case(name: str, podium: Contestant) -> Case:
    return Case(name, chess_club, {"podium": podium} | NUMPY, reference="numpy alone")


if __name__ == "__main__":
    main([case(name, podium) for name, podium in PODIUM.items()])
