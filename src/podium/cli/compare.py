"""podium compare: several models on one file, tested on rows that they have not seen."""

import re
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.evaluate import Level, Seed, explain_auc, explain_infinity
from podium.cli.fit import describe
from podium.cli.options.parameters import parse_settings
from podium.cli.options.reading import (
    MOST_REPLICATES,
    Files,
    check_controls,
    option,
    read,
    read_with_hints,
    reads,
)
from podium.cli.options.recipe import Calibrate, Recipe, Settings, Tune
from podium.cli.options.registry import FITTED, MODELS, Data, Model, find_fitted, fit_to
from podium.cli.options.skill import joined, timed
from podium.cli.options.splits import known_rows, make_splits, make_walk
from podium.cli.output.errors import WRONG_INPUT, in_options, located, sentences
from podium.cli.output.outputs import Outputs, ReportOptions
from podium.cli.output.report import standings_page
from podium.cli.output.screen import busy, console, plain
from podium.cli.output.standings import Standings, frame_of, show_standings
from podium.options import FeatureReading

if TYPE_CHECKING:
    from rich.console import Console

    from podium.evaluation.judging import Judged
    from podium.numerics.progress import Progress

SHORT = 3.0  # seconds
HELD_OUT = ("log loss", "error", "AUC", "swapped pairs")  # the scores of held-out rows
TIMED = "dynamic-bradley-terry"  # needs times
# The models that are compared by default: without close relatives, such as glicko2 of glicko.
UNASKED = ("bradley-terry", TIMED, "elo", "glicko", "svm-compare", "svm-rank", "linear-compare")


@dataclass
class Tally:
    """The scores of a model on the held-out parts, and the seconds of each fit.

    ``follows`` says whether it also learned from the rows of a block; ``estimated`` are its parameters, and
    ``remarks`` say how rows with unknown items were predicted.
    """

    judged: "list[Judged]" = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failure: str | None = None
    follows: bool = False
    estimated: str = ""
    remarks: list[str] = field(default_factory=list)


@reads
def compare(
    files: Files,
    reading: FeatureReading,
    page: ReportOptions,
    model: Annotated[
        list[str] | None,
        option(
            f"Model to compare, of {', '.join(FITTED)}. Repeat for several; by default the main ones "
            "that fit the file. NAME:C=1 and NAME:C=10 are two settings of one model."
        ),
    ] = None,
    settings: Settings = None,
    tune: Tune = False,
    calibrate: Calibrate = False,
    folds: Annotated[
        int | None,
        option("Parts that are held out in turn, or blocks of --rolling; 5 by default.", min=2),
    ] = None,
    rolling: Annotated[
        bool,
        option(
            "Predict every row from earlier ones, after the first part of --folds. Times are in --time, "
            "or in a column such as date or season.",
            "--rolling",
        ),
    ] = False,
    test_share: Annotated[float, option("With --time, the share of the rows to test on.")] = 0.25,
    level: Level = 0.95,
    bootstrap: Annotated[
        int,
        option("Bootstrap replicates for the intervals; 0 for no intervals.", min=0, max=MOST_REPLICATES),
    ] = 500,
    seed: Seed = 0,
    out: Annotated[Path | None, option("Save the table: .csv, .json or .parquet.")] = None,
) -> None:
    """Compare models on rows that they have not seen.

    With --time they learn from the earlier rows and are tested on the later ones. With --rolling they walk
    forward: they are fitted again for each block, to everything strictly earlier, and models that follow
    time, such as elo, also learn row by row. Otherwise each of --folds parts is held out in turn (whole
    groups with --group). --set MODEL.NAME=VALUE is for one model, --set NAME=VALUE
    for all models that have the parameter. Seconds are those of one fit.

    Below each score is its interval. A second table shows how much worse each model is than the best one.
    Its intervals hold for all pairs of models at once, although the best model was picked by the same rows:
    a difference whose interval excludes 0 is more than chance. Those of --rolling resample whole blocks of
    time. The intervals do not cover what other training rows would change.

    If the file has ties, the log loss of a model that gives them probability 0 is infinite; --calibrate gives
    every model probabilities.
    """
    from podium.evaluation.intervals import check_level
    from podium.reading.files import open_table

    screen = console()
    with sentences() as said:
        outputs = Outputs([*files, reading.items], table=out, page=page.report)
        check_level(level)
        chosen = {name: find_fitted(name.partition(":")[0]) for name in model or []}
        with busy(screen, "reading"):
            if rolling and all(one.data is not Data.rows for one in chosen.values()):
                reading = timed(reading, open_table(files, reading.encoding, reading.sheet).header)
            data, chosen = _read(files, reading, chosen)
        parameters = _parameters(settings or [], chosen)
        check_controls(reading, chosen.values(), parameters.values())
        recipes = {
            name: Recipe(one, parameters[name], tune and bool(one.tuned), calibrate)
            for name, one in chosen.items()
        }
        if rolling:
            how, first, count = make_walk(data, reading, folds)
            tallies = {}
            with busy(screen, "walking forward", "models") as progress:
                for name, recipe in recipes.items():
                    tallies[name] = _walk(screen, recipe, data, first, count)
                    progress(len(tallies), len(recipes))
            remarks = _remarks(tallies, bootstrap)
        else:
            how, count, splits = make_splits(data, reading, folds, test_share)
            tallies, left_out = _tallies(screen, recipes, splits, count)
            remarks = _left_out(left_out)
        with busy(screen, "resampling", "resamples") as progress:
            found = _standings(tallies, level, bootstrap, seed, progress)
        scores = {name: standing.scores.values() for name, standing in found.models.items()}
        infinite = explain_infinity(scores, data, "--calibrate")
        if "score loss" in found.names:
            infinite.append("score loss: the log loss of expected scores, in which a tie counts ½")
        areas = explain_auc(data) if "AUC" in found.names else []
        found = replace(found, notes=(f"{describe(data)}; {how}", *areas, *remarks, *infinite))
        screen.print(plain(f"columns: {data.columns}"))
        show_standings(screen, found)
        outputs.add_table(frame_of(found))
        if page.report is not None:
            page.add(outputs, standings_page(files, data, found, said))
        outputs.write(screen)


def _tallies(
    screen: Any, recipes: dict[str, Recipe], splits: Any, n_splits: int
) -> tuple[dict[str, Tally], int]:
    """The scores of each model on every split, and how many rows could not be tested."""
    tallies, left_out = {name: Tally() for name in recipes}, 0
    models = [recipe.model for recipe in recipes.values()]
    with busy(screen, "testing on held-out rows", "fits") as progress:
        for fold, (train, every) in enumerate(splits):
            test = known_rows(models, train, every)
            left_out += len(every) - len(test)
            if not len(test):
                continue
            for place, (name, recipe) in enumerate(recipes.items(), 1):
                with located(f"fold {fold + 1}"):
                    _run(screen, recipe, train, test, tallies[name])
                progress(fold * len(recipes) + place, n_splits * len(recipes))
    if not any(tally.judged or tally.failure for tally in tallies.values()):
        raise ValueError("no row to test on has only items that were learned from; use fewer folds")
    return tallies, left_out


def _remarks(tallies: dict[str, Tally], bootstrap: int) -> list[str]:
    """What models learned within a block and estimated, how strangers were predicted, what was resampled."""
    following = [name for name, tally in tallies.items() if tally.follows]
    strangers = [remark for tally in tallies.values() for remark in tally.remarks]
    blocks = {part.n_rows for tally in tallies.values() for part in tally.judged}
    notes = []
    if following:
        notes.append(f"{joined(following)} also learned from each row of a block once it was predicted")
    notes += [f"{name} estimated {tally.estimated}" for name, tally in tallies.items() if tally.estimated]
    notes += dict.fromkeys(strangers)
    if blocks and bootstrap:
        notes.append(f"the intervals resample {max(blocks)} blocks of time")
    return notes


def _parameters(settings: list[str], chosen: dict[str, Model]) -> dict[str, dict[str, Any]]:
    """The parameters of each model: those of --set, and over them those in its own name."""
    shared = parse_settings(settings, chosen.values())
    own = {name: re.split(r",(?=\s*\w+=)", name.partition(":")[2]) if ":" in name else [] for name in chosen}
    return {
        name: shared[one.name] | parse_settings(own[name], [one])[one.name] for name, one in chosen.items()
    }


def _standings(
    tallies: dict[str, Tally], level: float, bootstrap: int, seed: int, progress: "Progress"
) -> Standings:
    """The models that could be fitted, side by side; an error if there are none."""
    import numpy as np

    from podium.evaluation.intervals import side_by_side

    failures = {name: tally.failure for name, tally in tallies.items() if tally.failure}
    fitted = {name: tally for name, tally in tallies.items() if name not in failures}
    if not fitted:
        raise ValueError("; ".join(f"{name}: {failure}" for name, failure in failures.items()))
    judged = {name: tally.judged for name, tally in fitted.items()}
    models = side_by_side(judged, level, bootstrap, seed, progress)
    seconds = {name: float(np.median(tally.seconds)) for name, tally in fitted.items()}
    return Standings(models, seconds, failures, (), level)


def _left_out(rows: int) -> list[str]:
    return [f"{rows:,} of them left out of the tests: an item in them was not learned from"] if rows else []


# ------------------------------------------------------------------------------------ data


def _read(
    files: list[str], reading: FeatureReading, chosen: dict[str, Model]
) -> tuple[Any, dict[str, Model]]:
    """The data that all models can learn from, and the models; by default those that suit the file."""
    kinds = {one.data for one in chosen.values()}
    if not chosen:
        if reading.label is not None:
            raise ValueError("name the models of labelled rows to compare with --model")
        data = read_with_hints(files, reading)
        kinds = {Data.pairs} if data.features is not None else {Data.items}
        kinds |= {Data.items} if reading.items is not None else set()
        suitable = [name for name in UNASKED if data.time is not None or name != TIMED]
        return data, {name: MODELS[name] for name in suitable if MODELS[name].data in kinds}
    if Data.rows in kinds and len(kinds) > 1:
        raise ValueError("models of labelled rows and of comparisons learn from different files")
    if kinds == {Data.items, Data.pairs} and reading.items is None:
        raise ValueError("models of items and of features are compared on a file with names and --items")
    kind = Data.rows if Data.rows in kinds else Data.pairs if Data.pairs in kinds else Data.items
    return read(files, reading, kind), chosen


# ------------------------------------------------------------------------------------ one model


def _run(screen: "Console", recipe: Recipe, train: Any, test: Any, tally: Tally) -> None:
    """Fit and test a model; if it cannot be fitted, keep the reason and go on with the others."""
    if tally.failure:
        return
    try:
        estimator, _ = recipe.estimator(screen, train)
        with busy(screen, f"fitting {recipe.model.name}"):
            seconds = _seconds_to_fit(estimator, train, again=not tally.seconds)
        tally.judged.append(_judged(estimator, recipe.model, test))
        tally.seconds.append(seconds)
    except WRONG_INPUT as error:
        tally.failure = in_options(error)


def _walk(screen: "Console", recipe: Recipe, data: Any, first: int, refits: int) -> Tally:
    """Walk forward with a model; if it cannot be fitted, keep the reason."""
    from podium.evaluation.forecasts import forecast

    tally = Tally()

    def fitted(train: Any) -> Any:
        estimator, _ = recipe.estimator(screen, train)
        tally.seconds.append(_seconds_to_fit(estimator, train, again=not tally.seconds))
        return estimator

    try:
        follows = hasattr(recipe.model.load(), "before") and not recipe.calibrate
        with busy(screen, recipe.model.name, "fits") as progress:
            found = forecast(fitted, data, first, refits, follows=follows, progress=progress)
    except WRONG_INPUT as error:
        return Tally(failure=in_options(error))
    return replace(
        tally, judged=[found.judged], follows=found.follows, estimated=found.estimated, remarks=found.remarks
    )


def _seconds_to_fit(estimator: Any, train: Any, *, again: bool) -> float:
    """Fit and return the seconds; a short fit is timed ``again``, as the first one also loads code."""
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
    return replace(judged, scores={name: judged.scores[name] for name in HELD_OUT if name in judged.scores})
