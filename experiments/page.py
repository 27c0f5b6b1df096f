"""The page of the papers: each experiment writes its section, and the sections make up the page."""

from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from experiments.experiment import Experiment, Report
from experiments.numbers import from_csv, to_csv
from experiments.papers import PAPERS
from podium.writing.atomic import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEAD = """# The papers, computed again

We recomputed every table and figure with results in the five papers behind podium. For each paper this page
says where to find it, why our numbers differ from its numbers, and what we got, next to the paper's numbers
if it prints any. Errors in the papers themselves are on the page of [errata](errata.md).

The numbers, pictures and sentences are written by `make papers`. The settings are in `experiments/`, one file
per table or figure.

The last line of each section says how many cells were computed (a cell is one run with one setting), how long
that took, and by which version and commit of the code. A commit is the last one that changed podium or the
experiment. Where it was not recorded, the line names the commit with which the numbers were stored. Today's
code may differ, and give slightly different numbers.
"""


@dataclass(frozen=True)
class Result:
    """A finished experiment and its results, read from its CSV file."""

    experiment: Experiment
    report: Report
    frame: pd.DataFrame
    quick: bool

    @classmethod
    def of(cls, experiment: Experiment, csv: bytes | Path, quick: bool) -> "Result":
        frame = from_csv(csv if isinstance(csv, Path) else BytesIO(csv))
        return cls(experiment, experiment.report(frame), frame, quick)

    @property
    def cost(self) -> str:
        """How many cells were computed, in what time, by which code, and what is missing."""
        seconds = float(self.frame["seconds"].sum())
        spent = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
        run = "quick run, " if self.quick else ""
        left_out = len(self.experiment.cells(self.quick)) - len(self.frame)
        without = f"; {left_out:,} more were left out because their data were missing" if left_out else ""
        return f"{run}{len(self.frame):,} cells, {spent} of one core; {states(self.frame)}{without}"


def states(frame: pd.DataFrame) -> str:
    """The states of the code that computed the cells, and how many cells each of them computed."""
    count = Counter(frame["state"]).most_common()
    if len(count) == 1:
        return f"by {count[0][0]}"
    return "; ".join(f"{n:,} by {state}" for state, n in count)


def write_result(
    experiment: Experiment, frame: pd.DataFrame, quick: bool, results: Path, docs: Path
) -> Result:
    """Write the cells as CSV, the picture, and the section of the page; each completely or not at all."""
    name, csv = experiment.name, to_csv(frame)
    result = Result.of(experiment, csv, quick)
    results.mkdir(parents=True, exist_ok=True)
    (docs / "papers").mkdir(parents=True, exist_ok=True)
    write_whole(results / f"{name}.csv", csv)
    if result.report.figure is not None:
        write_whole(docs / "papers" / f"{name}.png", png(result.report.figure))
    write_whole(results / f"{name}.md", part_of(result).encode())
    return result


def png(figure: "Figure") -> bytes:
    content = BytesIO()
    figure.savefig(content, format="png", dpi=80, bbox_inches="tight")
    return content.getvalue()


def part_of(result: Result) -> str:
    """The section of the page for one experiment."""
    name = result.experiment.name
    lines = [f"### {result.experiment.title}", "", result.report.sentence, ""]
    if result.report.figure is not None:
        lines += [f"![{result.experiment.title}](papers/{name}.png)", ""]
    if result.report.table is not None:
        lines += [markdown(result.report.table), ""]
    lines += [f"*`python -m experiments.{name}`: {result.cost}.*", ""]
    return "\n".join(lines)


def markdown(table: pd.DataFrame) -> str:
    """A frame of text as a Markdown table; the experiments format their numbers themselves."""
    rows = [[str(name) for name in table.columns], ["---"] * table.shape[1]]
    rows += [[str(value) for value in row] for row in table.itertuples(index=False)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write_page(known: list[Experiment], docs: Path) -> Path:
    """Join the sections of all experiments that have been run, under the headings of their papers."""
    results = docs.parent / "experiments" / "results"
    lines, about = [HEAD], {paper.heading: paper.lines for paper in PAPERS}
    for paper in dict.fromkeys(experiment.paper for experiment in known):
        parts = [results / f"{experiment.name}.md" for experiment in known if experiment.paper == paper]
        found = [part.read_text(encoding="utf-8") for part in parts if part.exists()]
        if found:
            lines += [f"## {paper}", "", *about.get(paper, []), *found]
    docs.mkdir(parents=True, exist_ok=True)
    page = docs / "papers.md"
    write_whole(page, "\n".join(lines).encode())
    return page
