"""podium evaluate: how good a saved model is on a file that it has not seen."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options.reading import MOST_REPLICATES, Files, option, reads
from podium.cli.options.recipe import Metric, places_of
from podium.cli.options.saved import open_saved
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs, ReportOptions
from podium.cli.output.report import scores_page
from podium.cli.output.screen import Column, busy, console, plain, show_table
from podium.cli.predict import Saved
from podium.options import FeatureReading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podium.evaluation.intervals import Score

AUC_OF_TIES = "AUC: ties are the negatives, and a wrong side is missed, so that guessing has about 0.25"
Level = Annotated[float, option("Confidence level of the intervals.", seldom=True)]
Seed = Annotated[int, option("Random seed of the bootstrap.", min=0, seldom=True)]


@reads
def evaluate(
    model: Saved,
    files: Files,
    reading: FeatureReading,
    page: ReportOptions,
    level: Level = 0.95,
    bootstrap: Annotated[
        int, option("Bootstrap replicates for the intervals.", min=10, max=MOST_REPLICATES)
    ] = 500,
    seed: Seed = 0,
    metric: Metric = None,
    out: Annotated[Path | None, option("Save the scores: .csv, .json or .parquet.")] = None,
) -> None:
    """Score the predictions of a saved model on a file with outcomes, with intervals.

    Log loss and calibration need probabilities ('podium fit --calibrate'). Error and accuracy have exact
    binomial intervals. All other intervals, and all intervals of files with weights or groups, come from a
    bootstrap over rows or groups. The calibration error is above 0 by chance alone, so it has a basic
    bootstrap interval, which begins at 0 unless the error is larger than chance explains. With ties, AUC is
    that of the SVMcompare paper, at most the share of signs that are right; without ties it is the usual AUC.
    """
    import pandas as pd

    from podium.evaluation.intervals import check_level, with_intervals
    from podium.evaluation.scoring import judge
    from podium.reading.sources.paths import without_password

    screen = console()
    with sentences() as said:
        outputs = Outputs([model, *files, reading.items], table=out, page=page.report)
        check_level(level)
        with busy(screen, "reading"):
            opened = open_saved(model, files, reading, outcome=True)
        with busy(screen, "scoring"):
            verdict = judge(opened.model, opened.data, places_of(metric, opened.data))
        with busy(screen, "resampling", "resamples") as progress:
            scores = with_intervals(verdict.judged, level, bootstrap, seed, progress)
        screen.print(plain(f"columns: {opened.data.columns}"))
        _show(screen, scores, level)
        screen.print(plain(f"{len(verdict.data):,} rows of {', '.join(map(without_password, files))}"))
        name = type(opened.model).__name__
        infinite = explain_infinity({name: scores}, verdict.data, "podium fit --calibrate")
        notes = [*explain_auc(verdict.data), *infinite]
        for note in notes:
            screen.print(plain(note))
        outputs.add_table(pd.DataFrame(scores, columns=["score", "value", "low", "high", "interval"]))
        if page.report is not None:
            about = (files, opened.model, verdict.data, verdict.predicted)
            page.add(outputs, scores_page(*about, scores, level, notes, said))
        outputs.write(screen)


def explain_auc(data: Any) -> list[str]:
    """A note on AUC, which with ties is not the usual one."""
    return [AUC_OF_TIES] if _has_ties(data) else []


def explain_infinity(models: "Mapping[str, Iterable[Score]]", data: Any, remedy: str) -> list[str]:
    """Which models have an infinite log loss, why, and what to do about it."""
    names = [name for name, scores in models.items() if any(math.isinf(score.value) for score in scores)]
    why = "something that occurs has probability 0"
    if _has_ties(data):
        why = f"ties have probability 0; {remedy} gives them one"
    return [f"log loss of {' and '.join(names)} is infinite: {why}"] if names else []


def _has_ties(data: Any) -> bool:
    outcome = getattr(data, "outcome", None)
    return outcome is not None and bool((outcome == 0).any())


def _show(screen: Any, scores: "list[Score]", level: float) -> None:
    from podium.web.scores import interval, number

    columns = [
        Column("score", [score.name for score in scores], "text"),
        Column("value", [number(score.value) for score in scores]),
        Column(f"{100 * level:g} % interval", [interval(score, "–") or "–" for score in scores]),
        Column("by", [score.interval for score in scores], "text", optional=True),
    ]
    show_table(screen, columns)
