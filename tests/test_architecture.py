"""No import cycles, no crowded folders, and an architecture page that agrees with the code."""

import importlib
import re
import sys
from collections.abc import Callable
from graphlib import TopologicalSorter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import podium as pod

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "podium"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
HOUSE = importlib.import_module("house")  # the script behind `make house`
CROWDED = 24  # modules, besides __init__


def test_the_picture_is_drawn_from_the_imports() -> None:
    """If this fails, run ``make house`` to draw it again."""
    assert HOUSE.PICTURE.read_text(encoding="utf-8") == HOUSE.drawing(HOUSE.LIGHT)
    assert HOUSE.DARK_PICTURE.read_text(encoding="utf-8") == HOUSE.drawing(HOUSE.DARK)


def test_no_import_goes_in_a_circle() -> None:
    graph = HOUSE.module_graph()
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    order = list(TopologicalSorter(imports).static_order())  # raises an error that names a cycle
    assert graph.modules <= set(order)


def test_no_folder_is_crowded() -> None:
    for folder in [SOURCE, *(path for path in SOURCE.rglob("*") if path.is_dir())]:
        modules = [path for path in folder.glob("*.py") if path.stem != "__init__"]
        assert len(modules) <= CROWDED, folder


def test_test_folders_mirror_the_source_folders() -> None:
    rooms = {path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py")}
    elsewhere = set(map(Path, ("browser", "devices", "experiments", "frozen", "oracles", "simulated")))
    mirrored = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    assert mirrored - elsewhere <= rooms


# ------------------------------------------------------------------------------------ walks


def files_walked(walk: Callable[[], Any]) -> list[str]:
    """The files of podium whose functions are called, in the order of their first call."""
    entered: dict[str, None] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and frame.f_code.co_name != "<module>" and path.is_relative_to(SOURCE):
            entered[path.relative_to(SOURCE).as_posix()] = None

    walk()  # run once first, to exclude imports and compilation
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        walk()
    finally:
        sys.setprofile(before)
    return [name for name in entered if name != "__init__.py"]


def row_to_board() -> None:
    games = pod.read_comparisons(SOURCE / "datasets" / "data" / "chess_club.csv")
    repr(pod.BradleyTerry().fit(games).leaderboard())


TRAIN = pod.datasets.make_norm_comparisons(100, random_state=0)


def pair_to_prediction() -> None:
    pod.SVMCompare().fit(TRAIN).predict(TRAIN[:1])


@pytest.mark.parametrize(
    ("heading", "walk", "most"),
    [
        ("From a row of a file to the board", row_to_board, 20),
        ("From a pair to a prediction", pair_to_prediction, 13),
    ],
)
def test_the_page_lists_exactly_the_files_that_are_called(
    heading: str, walk: Callable[[], None], most: int
) -> None:
    part = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    told = re.findall(r"`([\w/]+\.py)`", part)
    assert len(told) == len(set(told))
    assert set(told) == set(files_walked(walk))
    stations = re.findall(r"(?m)^\| \d+ \| `([\w/]+\.py)`", part)
    assert len(stations) <= most
