"""podium compare: several models on one file, judged on rows that they have not seen."""

import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from podium.cli.evaluate import MOST_REPLICATES, Level, ReportPage, Seed, explain_auc
from podium.cli.fit import Calibrate, Settings, Tune, describe, prepared
from podium.cli.options.parameters import parse_settings
from podium.cli.options.reading import FeatureReading, Files, read, reads
from podium.cli.options.registry import MODELS, Data, Model, find_model, fit_to
from podium.cli.options.splits import known_rows, make_splits
from podium.cli.output.errors import WRONG_INPUT, sentences
from podium.cli.output.outputs import Outputs, check_apart
from podium.cli.output.report import check_report, standings_page
from podium.cli.output.screen import busy, console
from podium.cli.output.standings import SHOWN, Standings, save_standings, show_standings

if TYPE_CHECKING:
    from rich.console import Console

    from podium.evaluation.judging import Judged

SHORT = 3.0  # seconds
UNASKED = ("bradley-terry", "elo", "glicko", "svm-compare", "svm-rank", "linear-compare")


@dataclass
class Tally:
    """How a model did on the parts that were held out, and the seconds that each fit took."""

    judged: "list[Judged]" = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failure: str | None = None


@reads
def compare(
    files: Files,
    reading: FeatureReading,
    model: Annotated[
        list[str] | None,
        typer.Option(help=f"Once for each, of {', '.join(MODELS)}; by default what fits the file."),
    ] = None,
    settings: Settings = None,
    tune: Tune = False,
    calibrate: Calibrate = False,
    folds: Annotated[
        int | None, typer.Option(min=2, help="Parts that are held out in turn; 5 by default.")
    ] = None,
    test_share: Annotated[
        float, typer.Option(help="Share of the latest rows to test on, with --time.")
    ] = 0.25,
    level: Level = 0.95,
    bootstrap: Annotated[
        int,
        typer.Option(
            min=0, max=MOST_REPLICATES, help="Replicates for the intervals; 0 for none, which is faster."
        ),
    ] = 500,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Save the table: .csv, .json or .parquet.")] = None,
    report: ReportPage = None,
) -> None:
    """Compare models on rows that they have not seen.

    With --time they learn from the earlier rows and are tested on the later ones, else each of --folds parts
    is held out in turn (whole groups with --group). --set MODEL.NAME=VALUE is for one model, --set NAME=VALUE
    for all that have it. Seconds are those of a fit.

    Below each score is its interval. A second table has the differences to the best model, from the same
    resamples of the rows that were tested: one whose interval has no 0 is more than chance. What other rows
    to learn from would change is not in the intervals.

    Log loss is infinite for a model that gives ties no probability where there are some; --calibrate gives
    every model probabilities.
    """
    from podium.evaluation.intervals import check_level
    from podium.writing.frames import check_target

    screen = console()
    with sentences() as said:
        if out is not None:
            check_target(out)
        check_report(report)
        check_apart([*files, reading.items], out, report)
        check_level(level)
        chosen = [find_model(name) for name in dict.fromkeys(model or [])]
        with busy(screen, "reading"):
            data, chosen = _read(files, reading, chosen)
        parameters = parse_settings(settings or [], chosen)
        how, splits = make_splits(data, reading, folds, test_share)
        tallies: dict[str, Tally] = {one.name: Tally() for one in chosen}
        left_out = 0
        for train, every in splits:
            test = known_rows(chosen, train, every)
            left_out += len(every) - len(test)
            for one in chosen:
                estimator = one.make(parameters[one.name])
                _run(screen, one, estimator, train, test, tallies[one.name], tune=tune, calibrate=calibrate)
        with busy(screen, "resampling"):
            found = _standings(tallies, level, bootstrap, seed)
        notes = (f"{describe(data)}; {how}", *explain_auc(data), *_remarks(found, left_out))
        found = replace(found, notes=notes)
        show_standings(screen, found)
        outputs = Outputs()
        if out is not None:
            outputs.add("saved", out, partial(save_standings, found))
        if report is not None:
            outputs.add("reported in", report, standings_page(files, data, found, said).save)
        outputs.write(screen)


def _standings(tallies: dict[str, Tally], level: float, bootstrap: int, seed: int) -> Standings:
    """Those that could be fitted side by side; an error if there are none."""
    from podium.evaluation.intervals import side_by_side

    failures = {name: tally.failure for name, tally in tallies.items() if tally.failure}
    fitted = {name: tally for name, tally in tallies.items() if name not in failures}
    if not fitted:
        raise ValueError("; ".join(f"{name}: {failure}" for name, failure in failures.items()))
    models = side_by_side({name: tally.judged for name, tally in fitted.items()}, level, bootstrap, seed)
    seconds = {name: float(np.median(tally.seconds)) for name, tally in fitted.items()}
    return Standings(models, seconds, failures, (), level)


def _remarks(found: Standings, left_out: int) -> list[str]:
    remarks = []
    if any(np.isinf(score.value) for one in found.models.values() for score in one.scores.values()):
        remarks.append("log loss is infinite where a tie had no chance; --calibrate gives it one")
    if left_out:
        remarks.append(f"{left_out:,} of them left out of the tests: an item of theirs was not learned from")
    return remarks


# ------------------------------------------------------------------------------------ data


def _read(files: list[str], reading: FeatureReading, chosen: list[Model]) -> tuple[Any, list[Model]]:
    """The data that all models can learn from, and the models, if none were asked for."""
    kinds = {one.data for one in chosen}
    if not chosen:
        if reading.label is not None:
            raise ValueError("name the models of labelled rows to compare with --model")
        from podium.reading.comparisons import read_comparisons

        options = reading.options() | {"items": reading.items, "item_key": reading.item_key}
        data = read_comparisons(files, **options, features=reading.feature)
        kinds = {Data.pairs} if data.features is not None else {Data.items}
        kinds |= {Data.items} if reading.items is not None else set()
        return data, [MODELS[name] for name in UNASKED if MODELS[name].data in kinds]
    if Data.rows in kinds and len(kinds) > 1:
        raise ValueError("models of labelled rows and of comparisons learn from different files")
    if kinds == {Data.items, Data.pairs} and reading.items is None:
        raise ValueError("models of items and of features are compared on a file with names and --items")
    kind = Data.rows if Data.rows in kinds else Data.pairs if Data.pairs in kinds else Data.items
    return read(files, reading, kind), chosen


# ------------------------------------------------------------------------------------ one model


def _run(
    screen: "Console",
    model: Model,
    estimator: Any,
    train: Any,
    test: Any,
    tally: Tally,
    *,
    tune: bool,
    calibrate: bool,
) -> None:
    """Fit and judge a model; one that cannot be fitted says why, and the others go on."""
    if tally.failure:
        return
    try:
        estimator, _ = prepared(screen, model, estimator, train, tune and bool(model.tuned), calibrate)
        with busy(screen, f"fitting {model.name}"):
            seconds = _seconds_to_fit(estimator, train, again=not tally.seconds)
        tally.judged.append(_judged(estimator, model, test))
        tally.seconds.append(seconds)
    except WRONG_INPUT as error:
        tally.failure = str(error)


def _seconds_to_fit(estimator: Any, train: Any, *, again: bool) -> float:
    """Fit, and say how long it took; a short fit is done ``again``, as the first one loads what it needs."""
    from sklearn.base import clone

    start = time.perf_counter()
    fit_to(estimator, train)
    seconds = time.perf_counter() - start
    if again and seconds < SHORT:
        return _seconds_to_fit(clone(estimator), train, again=False)
    return seconds


def _judged(estimator: Any, model: Model, test: Any) -> "Judged":
    from podium.evaluation.judging import judge_comparisons, judge_rows, predict_comparisons

    if model.data is Data.rows:
        judged = judge_rows(estimator, test.features, test.label, test.query)
    else:
        judged = judge_comparisons(test, predict_comparisons(estimator, test))
    return replace(judged, scores={name: judged.scores[name] for name in SHOWN if name in judged.scores})
