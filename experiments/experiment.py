"""An experiment recomputes one table or figure of a paper: the cells to compute and how to report them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = dict[str, Any]  # the keyword arguments of one computation: numbers and strings, including the seed


@dataclass(frozen=True)
class Report:
    """What the page shows for an experiment."""

    sentence: str  # whether we agree with the paper, and if not why; computed from the numbers
    table: pd.DataFrame | None = None
    figure: "Figure | None" = None


@dataclass(frozen=True)
class Experiment:
    """One table or figure. `compute(**cell)` returns the numbers of a cell; `report` summarises all cells.

    The frame that `report` receives has one row per cell. Its columns are the arguments of the cell, the
    numbers that `compute` returned, `seconds`, `warnings`, and the `state` of the code.
    """

    name: str  # also the name of the module, the cache and the picture
    paper: str  # its heading on the page
    title: str
    cells: Callable[[bool], list[Cell]]  # all cells; with True, only those of a quick run
    compute: Callable[..., dict[str, float]]
    report: Callable[[pd.DataFrame], Report]
    needs: Callable[[Cell], str | None] = lambda cell: None  # the folder in PODIUM_DATA that a cell reads
    packages: tuple[str, ...] = ()  # what `compute` imports and only the extra `papers` installs

    def possible_cells(self, quick: bool) -> list[Cell]:
        """The cells whose data are available; simulations always are."""
        return [cell for cell in self.cells(quick) if has_data(self.needs(cell))]

    def missing_data(self, quick: bool) -> str:
        """The missing folders, separated by commas; empty if none is missing."""
        folders = dict.fromkeys(self.needs(cell) for cell in self.cells(quick))
        return ", ".join(folder for folder in folders if folder is not None and not has_data(folder))

    def missing_packages(self) -> str:
        """The packages that are not installed, separated by commas; empty if none is missing."""
        return ", ".join(package for package in self.packages if find_spec(package) is None)


def has_data(folder: str | None) -> bool:
    root = os.environ.get("PODIUM_DATA")
    return folder is None or (root is not None and (Path(root) / folder).is_dir())
