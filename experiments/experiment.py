"""What a table or figure of a paper is here: cells to compute, and how to report them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = dict[str, Any]  # the keyword arguments of one computation: plain numbers and words, seeds included


@dataclass(frozen=True)
class Report:
    """What the page shows of an experiment."""

    sentence: (
        str  # whether we agree with the paper, and if not why: made from the numbers, not written before
    )
    table: pd.DataFrame | None = None
    figure: "Figure | None" = None


@dataclass(frozen=True)
class Experiment:
    """One table or figure: `compute(**cell)` gives the numbers of a cell, `report` reads those of all.

    Its frame has a column for everything in a cell, one for each number that `compute` gave, `seconds`,
    `warnings`, and the `state` of the code.
    """

    name: str  # of the module, the cache, the picture
    paper: str  # the heading under which the page shows it
    title: str
    cells: Callable[[bool], list[Cell]]  # of the full run, or with True of the quick one
    compute: Callable[..., dict[str, float]]
    report: Callable[[pd.DataFrame], Report]
    needs: Callable[[Cell], str | None] = lambda cell: None  # the folder of PODIUM_DATA that a cell reads

    def possible_cells(self, quick: bool) -> list[Cell]:
        """The cells whose data are there: simulations always are."""
        return [cell for cell in self.cells(quick) if has_data(self.needs(cell))]

    def missing_data(self, quick: bool) -> str:
        """The folders that are not there, in words; nothing if all are."""
        folders = dict.fromkeys(self.needs(cell) for cell in self.cells(quick))
        return ", ".join(folder for folder in folders if folder is not None and not has_data(folder))


def has_data(folder: str | None) -> bool:
    root = os.environ.get("PODIUM_DATA")
    return folder is None or (root is not None and (Path(root) / folder).is_dir())
