"""podium fit: fit a model to a file and save it for other commands."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options.chunks import Streamed, follow, streams
from podium.cli.options.option import option
from podium.cli.options.parameters import parse_settings
from podium.cli.options.reading import Files, check_controls, read, reads
from podium.cli.options.registry import FITTED, Data, Model, find_fitted, fit_to
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import busy, console, plain
from podium.options import FeatureReading

if TYPE_CHECKING:
    from rich.console import Console

PANEL = "Model"
Settings = Annotated[
    list[str] | None,
    option(
        "Parameter of the model, such as C=10; 'podium models NAME' lists them.",
        "--set",
        metavar="NAME=VALUE",
        panel=PANEL,
    ),
]
Tune = Annotated[
    bool,
    option(
        "First choose the parameters: C and gamma on held-out rows; those of rating systems, such as k, "
        "by predicting every row from earlier ones.",
        "--tune",
        panel=PANEL,
    ),
]
Calibrate = Annotated[
    bool,
    option(
        "Add probabilities of all three outcomes, learned on five held-out folds.", "--calibrate", panel=PANEL
    ),
]


@reads
def fit(
    files: Files,
    reading: FeatureReading,
    save: Annotated[Path, option("Where to save the fitted model: a .skops file.")],
    model: Annotated[str, option(f"One of {', '.join(FITTED)}.", panel=PANEL)],
    settings: Settings = None,
    tune: Tune = False,
    calibrate: Calibrate = False,
) -> None:
    """Fit a model to a file and save it."""
    from podium.saving.files import check_target

    screen = console()
    with sentences():
        chosen = find_fitted(model)
        outputs = Outputs([*files, reading.items], model=check_target(save))
        parameters = parse_settings(settings or [], [chosen])[chosen.name]
        check_controls(reading, [chosen], [parameters])
        if not (tune or calibrate) and streams(chosen, files, reading):
            estimator = chosen.make(parameters)
            with busy(screen, f"fitting {chosen.name} chunk by chunk", "rows") as progress:
                data = follow(estimator, files, reading, progress)
        else:
            recipe = Recipe(chosen, parameters, tune, calibrate)
            estimator, data = _fit_at_once(screen, files, reading, recipe)
        screen.print(plain(f"columns: {data.columns}"))
        screen.print(plain(f"fitted {chosen.name} to {describe(data)}"))
        outputs.add("saved", "model", partial(_save, estimator, chosen, reading, data))
        outputs.write(screen)


@dataclass(frozen=True)
class Recipe:
    """How a model is made: its parameters, and whether it is tuned and calibrated."""

    model: Model
    parameters: dict[str, Any]
    tune: bool
    calibrate: bool

    def estimator(self, screen: "Console", data: Any) -> tuple[Any, str]:
        """The estimator to fit, tuned on the data and calibrated if asked for, and what the search found."""
        estimator, note = self.model.make(self.parameters), ""
        if self.calibrate and self.model.data is Data.rows:
            raise ValueError(
                f"--calibrate is for comparisons, and {self.model.name} learns from labelled rows"
            )
        if self.tune:
            from podium.cli.options.tuning import tune

            with busy(screen, f"tuning {self.model.name}", "settings") as progress:
                estimator, note = tune(self.model, estimator, data, progress, self.parameters)
        if self.calibrate:
            from podium.comparers.calibrated import CalibratedComparer

            estimator = CalibratedComparer(estimator)
        return estimator, note


def _fit_at_once(
    screen: "Console", files: list[str], reading: FeatureReading, recipe: Recipe
) -> tuple[Any, Any]:
    """The fitted model, and the data it was fitted to."""
    name = recipe.model.name
    with busy(screen, "reading", "rows") as progress:
        counted = None if name == "bradley-terry" else False  # the others need rows, or their order
        data = read(files, reading, recipe.model.data, counted=counted, progress=progress)
    estimator, note = recipe.estimator(screen, data)
    if note:
        screen.print(plain(note))
    with busy(screen, f"fitting {name}"):
        fit_to(estimator, data)
    return estimator, data


def describe(data: Any) -> str:
    from podium.comparisons.summary import counted
    from podium.comparisons.table import Comparisons

    if isinstance(data, Comparisons):
        return repr(data).removeprefix("<Comparisons: ").removesuffix(">")
    if isinstance(data, Streamed):
        return f"{len(data):,} comparisons, read chunk by chunk"
    return f"{counted(len(data), 'row')} with {counted(data.features.shape[1], 'feature')}"


def _save(estimator: Any, model: Model, reading: FeatureReading, data: Any, path: Path) -> None:
    from podium.saving.files import save

    names = getattr(data, "feature_names", None)
    about = {
        "model": model.name,
        "data": model.data.name,
        "reading": reading.remembered(),
        "features": None if names is None or model.data is Data.items else list(names),
        "items": reading.items is not None,
        "rows": len(data),
        **time_seen(data),
    }
    save(estimator, path, about)


def time_seen(data: Any) -> dict[str, Any]:
    """The latest time of the rows and how many have it: what 'podium update --since last' goes on from."""
    from podium.reading.selection import shown_time

    time = getattr(data, "time", None)
    if time is None or not len(time):
        return {"last": None}
    return {"last": shown_time(time.max()), "rows_at_last": int((time == time.max()).sum())}
