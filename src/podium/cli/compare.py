"""podium compare: several models on one file, judged on rows that they have not seen."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from podium.cli.errors import WRONG_INPUT, sentences
from podium.cli.evaluate import explain_auc, number
from podium.cli.fit import Calibrate, Settings, Tune, describe, fit_to, prepared
from podium.cli.parameters import parse_settings
from podium.cli.reading import FeatureReading, Files, read, reads
from podium.cli.registry import MODELS, Data, Model, find_model
from podium.cli.screen import busy, console, plain, table
from podium.cli.splits import known_rows, make_splits

if TYPE_CHECKING:
    from rich.console import Console

SHORT = 3.0  # seconds
SHOWN = ("log loss", "error", "AUC", "swapped pairs")
UNASKED = ("bradley-terry", "elo", "glicko", "svm-compare", "svm-rank", "linear-compare")


@dataclass
class Tally:
    """The scores and times of a model, one for each part that was held out."""

    scores: dict[str, list[float]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    failure: str | None = None

    def add(self, scores: dict[str, float], seconds: float) -> None:
        for name, value in scores.items():
            self.scores.setdefault(name, []).append(value)
        self.seconds.append(seconds)

    def mean(self, name: str) -> float:
        return float(np.mean(self.scores[name])) if name in self.scores and not self.failure else np.nan

    @property
    def typical_seconds(self) -> float:
        """The median of the parts."""
        return float(np.median(self.seconds)) if self.seconds and not self.failure else np.nan


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
    out: Annotated[Path | None, typer.Option(help="Save the table: .csv, .json or .parquet.")] = None,
) -> None:
    """Compare models on rows that they have not seen.

    With --time they learn from the earlier rows and are tested on the later ones, else each of --folds parts
    is held out in turn (whole groups with --group). --set MODEL.NAME=VALUE is for one model, --set NAME=VALUE
    for all that have it. Seconds are those of a fit. Log loss is infinite for a model that gives ties no
    probability where there are some; --calibrate gives every model probabilities.
    """
    from podium.frames import check_target

    screen = console()
    with sentences():
        if out is not None:
            check_target(out)
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
        _show(screen, tallies)
        screen.print(plain(f"{describe(data)}; {how}"))
        explain_auc(screen, data)
        if any(np.isinf(tally.mean("log loss")) for tally in tallies.values()):
            screen.print("log loss is infinite where a tie had no chance; --calibrate gives it one")
        if left_out:
            screen.print(
                f"{left_out:,} of them left out of the tests: an item of theirs was not learned from"
            )
        for name, tally in tallies.items():
            if tally.failure:
                screen.print(f"[yellow]{plain(f'{name}: {tally.failure}')}[/]")
        if out is not None:
            _save(tallies, out)
            screen.print(plain(f"saved {out}"))


# ------------------------------------------------------------------------------------ data


def _read(files: list[str], reading: FeatureReading, chosen: list[Model]) -> tuple[Any, list[Model]]:
    """The data that all models can learn from, and the models, if none were asked for."""
    kinds = {one.data for one in chosen}
    if not chosen:
        if reading.label is not None:
            raise ValueError("name the models of labelled rows to compare with --model")
        from podium.reading import read_comparisons

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
        tally.add(_scores(estimator, model, test), seconds)
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


def _scores(estimator: Any, model: Model, test: Any) -> dict[str, float]:
    from podium.evaluation import judge_comparisons, judge_rows, predict_comparisons

    if model.data is Data.rows:
        judged = judge_rows(estimator, test.features, test.label, test.query)
    else:
        judged = judge_comparisons(test, predict_comparisons(estimator, test))
    rows = np.arange(judged.n_rows)
    return {name: judged.scores[name](rows) for name in SHOWN if name in judged.scores}


# ------------------------------------------------------------------------------------ the table


def _columns(tallies: dict[str, Tally]) -> list[str]:
    return [name for name in SHOWN if any(name in tally.scores for tally in tallies.values())]


def _show(screen: "Console", tallies: dict[str, Tally]) -> None:
    if all(tally.failure for tally in tallies.values()):
        raise ValueError("; ".join(f"{name}: {tally.failure}" for name, tally in tallies.items()))
    names = _columns(tallies)
    shown = table(["model", *names, "seconds"], left=("model",))
    for name, tally in tallies.items():
        seconds = "–" if np.isnan(tally.typical_seconds) else f"{tally.typical_seconds:.2g}"
        shown.add_row(name, *(number(tally.mean(score)) for score in names), seconds)
    screen.print(shown)


def _save(tallies: dict[str, Tally], out: Path) -> None:
    import pandas as pd

    from podium.frames import write_frame

    rows = [
        {"model": name} | {s: tally.mean(s) for s in _columns(tallies)} | {"seconds": tally.typical_seconds}
        for name, tally in tallies.items()
    ]
    write_frame(pd.DataFrame(rows), out)
