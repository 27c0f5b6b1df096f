"""podium evaluate: how good a saved model is on a file that it has not seen."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from podium.cli.errors import sentences
from podium.cli.predict import Saved
from podium.cli.reading import FeatureReading, Files, reads
from podium.cli.registry import Data
from podium.cli.saved import open_saved
from podium.cli.screen import busy, console, plain, table

if TYPE_CHECKING:
    from podium.evaluation import Judged, Score


@reads
def evaluate(
    model: Saved,
    files: Files,
    reading: FeatureReading,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    bootstrap: Annotated[int, typer.Option(min=10, help="Replicates for the intervals.")] = 500,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Save the scores: .csv, .json or .parquet.")] = None,
) -> None:
    """Score the predictions of a saved model on a file with outcomes, with intervals.

    Log loss and calibration need probabilities ('podium fit --calibrate'). The interval of error and accuracy
    is the exact binomial one; others, and those of files with weights or groups, are of a bootstrap over
    rows, or over groups. AUC is that of the SVMcompare paper if there are ties, at most the share of signs
    that are right; without ties it is the usual one.
    """
    from podium.evaluation import with_intervals
    from podium.frames import check_target

    screen = console()
    with sentences():
        if out is not None:
            check_target(out)
        with busy(screen, "reading"):
            opened = open_saved(model, files, reading, outcome=True)
        with busy(screen, "scoring"):
            judged = judge(opened.model, opened.kind, opened.data)
            scores = with_intervals(judged, level, bootstrap, seed)
        _show(screen, scores, level)
        screen.print(plain(f"{judged.n_rows:,} rows of {', '.join(files)}"))
        explain_auc(screen, opened.data)
        if out is not None:
            _save(scores, out)
            screen.print(plain(f"saved {out}"))


def judge(model: Any, kind: Data, data: Any) -> "Judged":
    """The scores that fit the model; rows with items that it has not seen are left out, with a warning."""
    import warnings

    from podium.evaluation import judge_comparisons, judge_rows, predict_comparisons

    if kind is Data.rows:
        return judge_rows(model, data.features, data.label, data.query)
    found = predict_comparisons(model, data)
    if not found.known.any():
        raise ValueError("the model has seen none of these items, or never compared them")
    if lost := int((~found.known).sum()):
        text = f"{lost:,} of {len(data):,} rows are left out: the model cannot compare their items"
        warnings.warn(text, stacklevel=1)
        found = predict_comparisons(model, data := data[found.known])
    return judge_comparisons(data, found)


def explain_auc(screen: Any, data: Any) -> None:
    """With ties it is not the area that people know."""
    outcome = getattr(data, "outcome", None)
    if outcome is not None and (outcome == 0).any():
        screen.print(
            "AUC: ties are the negatives, and a wrong side is missed, so that guessing has about 0.25"
        )


def number(value: float) -> str:
    """A score for a table."""
    return "–" if np.isnan(value) else "∞" if np.isinf(value) else f"{value:.4f}"


def _show(screen: Any, scores: "list[Score]", level: float) -> None:
    shown = table(["score", "value", f"{100 * level:g} % interval", "by"], left=("score", "by"))
    for score in scores:
        interval = "–" if np.isnan(score.low) else f"{number(score.low)}–{number(score.high)}"
        shown.add_row(score.name, number(score.value), interval, score.interval)
    screen.print(shown)


def _save(scores: "list[Score]", out: Path) -> None:
    import pandas as pd

    from podium.frames import write_frame

    write_frame(pd.DataFrame(scores, columns=["score", "value", "low", "high", "interval"]), out)
