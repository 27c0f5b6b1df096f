"""podium compare: several models on one file, tested on rows that they have not seen."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
from podium.cli.options.recipe import Making, Recipe, places_of
from podium.cli.options.registry import FITTED, MODELS, Data, Model, find_fitted, fit_to
from podium.cli.options.skill import joined, timed
from podium.cli.options.splits import known_rows, make_splits, make_walk
from podium.cli.output.errors import WRONG_INPUT, in_options, located, sentences
from podium.cli.output.outputs import Outputs, ReportOptions
from podium.cli.output.report import standings_page
from podium.cli.output.screen import busy, console, plain
from podium.cli.output.standings import Standings, frame_of, show_standings
from podium.numerics.progress import Progress
from podium.options import FeatureReading

if TYPE_CHECKING:
    from rich.console import Console

    from podium.evaluation.forecasts import Forecasts
    from podium.evaluation.scoring import Judged

SHORT = 3.0  # seconds
HELD_OUT = ("log loss", "error", "AUC", "swapped pairs", "NDCG")  # the scores of held-out rows
TIMED = "dynamic-bradley-terry"  # needs times
# The models that are compared by default: without close relatives, such as glicko2 of glicko.
UNASKED = ("bradley-terry", TIMED, "elo", "glicko", "svm-compare", "svm-rank", "linear-compare")


@reads
def compare(
    files: Files,
    reading: FeatureReading,
    making: Making,
    page: ReportOptions,
    model: Annotated[
        list[str] | None,
        option(
            f"Model to compare, of {', '.join(FITTED)}. Repeat for several; by default the main ones "
            "that fit the file. NAME:C=1 and NAME:C=10 are two settings of one model."
        ),
    ] = None,
    folds: Annotated[
        int | None, option("Parts that are held out in turn, or blocks of --rolling; 5 by default.", min=2)
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
        int, option("Bootstrap replicates for the intervals; 0 for no intervals.", min=0, max=MOST_REPLICATES)
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
        parameters = _parameters(making.settings or [], chosen)
        check_controls(reading, chosen.values(), parameters.values())
        making.check(chosen.values())
        places_of(making.metric, data)
        tuned = {name: replace(making, tune=making.tune and bool(one.tuned)) for name, one in chosen.items()}
        trials = {
            name: Trial(Recipe(one, parameters[name], tuned[name]), screen) for name, one in chosen.items()
        }
        if rolling:
            how, first, refits = make_walk(data, reading, folds)
            remarks = _walk(screen, trials, data, first, refits, bootstrap > 0)
        else:
            how, count, splits = make_splits(data, reading, folds, test_share)
            remarks = _hold_out(screen, trials, splits, count)
        with busy(screen, "resampling", "resamples") as progress:
            found = _standings(trials, level, bootstrap, seed, progress)
        found = replace(found, notes=(f"{describe(data)}; {how}", *_notes(found, data, remarks)))
        screen.print(plain(f"columns: {data.columns}"))
        show_standings(screen, found)
        outputs.add_table(frame_of(found))
        if page.report is not None:
            page.add(outputs, standings_page(files, data, found, said))
        outputs.write(screen)


def _parameters(settings: list[str], chosen: dict[str, Model]) -> dict[str, dict[str, Any]]:
    """The parameters of each model: those of --set, and over them those in its own name."""
    shared = parse_settings(settings, chosen.values())
    own = {name: re.split(r",(?=\s*\w+=)", name.partition(":")[2]) if ":" in name else [] for name in chosen}
    return {
        name: shared[one.name] | parse_settings(own[name], [one])[one.name] for name, one in chosen.items()
    }


def _standings(
    trials: "dict[str, Trial]", level: float, bootstrap: int, seed: int, progress: Progress
) -> Standings:
    """The models that could be fitted, side by side; an error if there are none."""
    import numpy as np

    from podium.evaluation.intervals import side_by_side

    failures = {name: trial.failure for name, trial in trials.items() if trial.failure}
    fitted = {name: trial for name, trial in trials.items() if name not in failures}
    if not fitted:
        raise ValueError("; ".join(f"{name}: {failure}" for name, failure in failures.items()))
    judged = {name: trial.judged for name, trial in fitted.items()}
    models = side_by_side(judged, level, bootstrap, seed, progress)
    seconds = {name: float(np.median(trial.seconds)) for name, trial in fitted.items()}
    return Standings(models, seconds, failures, (), level)


def _notes(found: Standings, data: Any, remarks: list[str]) -> list[str]:
    """What to know of the scores, around the remarks on how the models were tested."""
    scores = {name: standing.scores.values() for name, standing in found.models.items()}
    infinite = explain_infinity(scores, data, "--calibrate")
    if "score loss" in found.names:
        infinite.append("score loss: the log loss of expected scores, in which a tie counts ½")
    return [*(explain_auc(data) if "AUC" in found.names else []), *remarks, *infinite]


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


# ------------------------------------------------------------------------------------ tests


@dataclass
class Trial:
    """A model on trial: its scores on the held-out parts and the seconds of each fit, or why it failed.

    The others go on without a model that cannot be fitted.
    """

    recipe: Recipe
    screen: "Console"
    judged: "list[Judged]" = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failure: str | None = None
    forecasts: "Forecasts | None" = None  # of --rolling

    def fit(self, train: Any) -> Any:
        """Fit and note the seconds; a short first fit is timed again, as it also loads code."""
        from sklearn.base import clone

        estimator, _ = self.recipe.estimator(self.screen, train)
        seconds = _seconds_to_fit(estimator, train)
        if not self.seconds and seconds < SHORT:
            seconds = _seconds_to_fit(clone(estimator), train)
        self.seconds.append(seconds)
        return estimator

    def hold_out(self, train: Any, test: Any) -> None:
        """Learn from one part and be tested on another."""
        with self._failing():
            with busy(self.screen, f"fitting {self.recipe.model.name}"):
                estimator = self.fit(train)
            self.judged.append(_judged(estimator, self.recipe, test))

    def walk(self, data: Any, first: int, refits: int) -> None:
        """Walk forward through the data."""
        from podium.evaluation.forecasts import forecast

        name = self.recipe.model.name
        with self._failing(), busy(self.screen, name, "fits") as progress:
            follows = hasattr(self.recipe.model.load(), "before") and not self.recipe.making.calibrate
            self.forecasts = forecast(self.fit, data, first, refits, follows=follows, progress=progress)
            self.judged = [self.forecasts.judged]

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except WRONG_INPUT as error:
            self.failure = in_options(error)


def _hold_out(
    screen: "Console", trials: dict[str, Trial], splits: Iterator[tuple[Any, Any]], count: int
) -> list[str]:
    """Test every model on each held-out part; returns how many rows could not be tested."""
    models, left_out = [trial.recipe.model for trial in trials.values()], 0
    with busy(screen, "testing on held-out rows", "fits") as progress:
        for fold, (train, every) in enumerate(splits):
            test = known_rows(models, train, every)
            left_out += len(every) - len(test)
            if not len(test):
                continue
            for place, trial in enumerate(trials.values(), 1):
                if not trial.failure:
                    with located(f"fold {fold + 1}"):
                        trial.hold_out(train, test)
                progress(fold * len(trials) + place, count * len(trials))
    if not any(trial.judged or trial.failure for trial in trials.values()):
        raise ValueError("no row to test on has only items that were learned from; use fewer folds")
    if not left_out:
        return []
    return [f"{left_out:,} of them left out of the tests: an item in them was not learned from"]


def _walk(
    screen: "Console", trials: dict[str, Trial], data: Any, first: int, refits: int, resampled: bool
) -> list[str]:
    """Walk forward with every model; returns what they learned on the way, and what is resampled."""
    with busy(screen, "walking forward", "models") as progress:
        for done, trial in enumerate(trials.values(), 1):
            trial.walk(data, first, refits)
            progress(done, len(trials))
    walked = {name: trial.forecasts for name, trial in trials.items() if trial.forecasts is not None}
    notes = []
    if following := [name for name, found in walked.items() if found.follows]:
        notes.append(f"{joined(following)} also learned from each row of a block once it was predicted")
    notes += [f"{name} estimated {found.estimated}" for name, found in walked.items() if found.estimated]
    notes += dict.fromkeys(remark for found in walked.values() for remark in found.remarks)
    if walked and resampled:
        blocks = max(found.judged.n_rows for found in walked.values())
        notes.append(f"the intervals resample {blocks} blocks of time")
    return notes


def _seconds_to_fit(estimator: Any, train: Any) -> float:
    start = time.perf_counter()
    fit_to(estimator, train)
    return time.perf_counter() - start


def _judged(estimator: Any, recipe: Recipe, test: Any) -> "Judged":
    from podium.evaluation.scoring import judge_comparisons, judge_rows, predict_comparisons

    if recipe.model.data is Data.rows:
        k = places_of(recipe.making.metric, test)
        judged = judge_rows(estimator, test.features, test.label, test.query, k)
    else:
        judged = judge_comparisons(test, predict_comparisons(estimator, test))
    kept = {name: score for name, score in judged.scores.items() if name.partition("@")[0] in HELD_OUT}
    return replace(judged, scores=kept)
