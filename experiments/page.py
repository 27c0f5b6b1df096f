"""The page of the papers: a part for every experiment, written when it ends, put together at the end."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from experiments.experiment import Experiment, Report

HEAD = """# The papers, computed again

Every table and figure of the five papers behind podium, computed with podium. The numbers, the pictures and
the sentences on this page are made by `make papers`; the settings are in one file each under `experiments/`.
What is wrong in the papers themselves is on the page of [errata](errata.md).
"""


@dataclass(frozen=True)
class Result:
    """An experiment that ran, with what it found."""

    experiment: Experiment
    report: Report
    frame: pd.DataFrame
    quick: bool

    @property
    def cost(self) -> str:
        seconds = float(self.frame["seconds"].sum())
        spent = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
        return f"{'quick run, ' if self.quick else ''}{len(self.frame):,} cells, {spent} of one core"


def write_result(result: Result, results: Path, docs: Path) -> None:
    """Its cells as a CSV file, its picture, and its part of the page."""
    name = result.experiment.name
    results.mkdir(parents=True, exist_ok=True)
    (docs / "papers").mkdir(parents=True, exist_ok=True)
    result.frame.drop(columns=["seconds"]).round(6).to_csv(results / f"{name}.csv", index=False)
    if result.report.figure is not None:
        result.report.figure.savefig(docs / "papers" / f"{name}.png", dpi=80, bbox_inches="tight")
    (results / f"{name}.md").write_text(part_of(result), encoding="utf-8")


def part_of(result: Result) -> str:
    """The part of the page that shows one experiment."""
    name = result.experiment.name
    lines = [f"### {result.experiment.title}", "", result.report.sentence, ""]
    if result.report.figure is not None:
        lines += [f"![{result.experiment.title}](papers/{name}.png)", ""]
    if result.report.table is not None:
        lines += [markdown(result.report.table), ""]
    lines += [f"*`python -m experiments.{name}`: {result.cost}.*", ""]
    return "\n".join(lines)


def markdown(table: pd.DataFrame) -> str:
    """A frame of words as a Markdown table: numbers are formatted by whoever knows what they are."""
    rows = [[str(name) for name in table.columns], ["---"] * table.shape[1]]
    rows += [[str(value) for value in row] for row in table.itertuples(index=False)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write_page(known: list[Experiment], docs: Path) -> Path:
    """Put together the parts of all experiments that ever ended here, under the headings of their papers."""
    results = docs.parent / "experiments" / "results"
    lines = [HEAD]
    for paper in dict.fromkeys(experiment.paper for experiment in known):
        parts = [results / f"{experiment.name}.md" for experiment in known if experiment.paper == paper]
        found = [part.read_text(encoding="utf-8") for part in parts if part.exists()]
        if found:
            lines += [f"## {paper}", "", *found]
    docs.mkdir(parents=True, exist_ok=True)
    page = docs / "papers.md"
    page.write_text("\n".join(lines), encoding="utf-8")
    return page
