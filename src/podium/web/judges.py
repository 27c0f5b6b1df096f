"""The judges of a model as a table and as a sentence."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from podium.comparisons.summary import counted
from podium.web.table import names, numbers, sortable_table, texts
from podium.web.text import name, shown

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {
    "votes": "votes",
    "agreement": "agree",
    "kappa": "κ",
    "kappa_people": "κ with people",
    "ties": "ties",
    "left": "left",
    "flips": "flips",
    "log_loss": "log loss",
    "chance": "chance",
    "p_value": "p",
}
LOSSES = ("log_loss", "chance", "kappa", "kappa_people")
WHY = {"verdict": "verdict", "reason": "flagged because"}  # the last column; `podium judges` has verdicts


def in_order(judges: "pd.DataFrame") -> "pd.DataFrame":
    """The most surprising judges first, which are the flagged ones, then those with the most votes."""
    return judges.sort_values(["p_value", "votes"], ascending=[True, False], kind="stable", ignore_index=True)


def columns_of(judges: "pd.DataFrame") -> dict[str, str]:
    """The columns to show, with their titles."""
    return {name: title for name, title in COLUMNS.items() if name in judges}


def agreement_text(judges: "pd.DataFrame") -> str:
    """How many judges there are, how many are flagged, Krippendorff's α, and what is not tested."""
    flagged = int(judges["flagged"].sum())
    alpha = judges.attrs["krippendorff_alpha"]
    known = f"; Krippendorff's α of the votes on each pair: {alpha:.3f}" if np.isfinite(alpha) else ""
    note = f"; {judges.attrs['note']}" if "note" in judges.attrs else ""
    return f"{counted(len(judges), 'judge')}, {flagged:,} flagged{known}{note}"


def number(name: str, value: float) -> str:
    """A number of a column as text."""
    if np.isnan(value):
        return "–"
    if name == "p_value":
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    return f"{value:.6g}" if name == "votes" else f"{value:.3f}" if name in LOSSES else f"{100 * value:.0f} %"


def _cell(name: str, value: float) -> str:
    return shown(number(name, value))


def judges_section(judges: "pd.DataFrame") -> str:
    """The section of a report."""
    listed, why = in_order(judges), next(key for key in WHY if key in judges)
    columns = [
        names("judge", map(name, listed["judge"])),
        texts(WHY[why], map(shown, listed[why]), "ascending"),
        *(numbers(title, listed[key], partial(_cell, key)) for key, title in columns_of(judges).items()),
    ]
    said = (
        f"{agreement_text(judges)}. Each judge is compared with the model of all the others: the shares of "
        "votes for the side that the others favour, of ties, and of votes for the left side; the log loss of "
        "the votes, and the log loss of chance. p is the chance of so much surprise from an honest judge, "
        "adjusted for the number of judges and tests; the most surprising judges come first."
    )
    by = list(columns_of(judges)).index("p_value") + 2
    return f"<p>{shown(said)}</p>{sortable_table('Judges', columns, by=by)}"
