"""podium fit: fit a model to a file and save it for other commands."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options.parameters import parse_settings
from podium.cli.options.reading import Files, check_controls, check_names, option, read, reads
from podium.cli.options.recipe import Making, Recipe
from podium.cli.options.registry import FITTED, Data, Model, find_fitted, fit_to
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import busy, console, plain
from podium.numerics.progress import Progress
from podium.options import MODEL, RATINGS, FeatureReading

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from podium.comparisons.summary import Columns
    from podium.comparisons.table import Comparisons


@reads
def fit(
    files: Files,
    reading: FeatureReading,
    making: Making,
    save: Annotated[Path, option("Where to save the fitted model: a .skops file.")],
    model: Annotated[str, option(f"One of {', '.join(FITTED)}.", panel=MODEL)],
) -> None:
    """Fit a model to a file and save it."""
    from podium.saving.files import check_target

    screen = console()
    with sentences():
        chosen = find_fitted(model)
        outputs = Outputs([*files, reading.items], model=check_target(save))
        parameters = parse_settings(making.settings or [], [chosen])[chosen.name]
        check_controls(reading, [chosen], [parameters])
        making.check([chosen])
        if making.metric and not making.tune:
            raise ValueError("--metric says what --tune chooses by; add --tune")
        if not (making.tune or making.calibrate) and _streams(chosen, files, reading):
            estimator = chosen.make(parameters)
            with busy(screen, f"fitting {chosen.name} chunk by chunk", "rows") as progress:
                data = _follow(estimator, files, reading, progress)
        else:
            estimator, data = _fit_at_once(screen, files, reading, Recipe(chosen, parameters, making))
        screen.print(plain(f"columns: {data.columns}"))
        screen.print(plain(f"fitted {chosen.name} to {describe(data)}"))
        outputs.add("model", partial(_save, estimator, chosen, reading, data))
        outputs.write(screen)


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

    names: Any = None
    if model.data is not Data.items and getattr(
        data, "feature_names", None
    ):  # of columns: a list has several
        names = [*(data.columns.features or getattr(data.columns, "item_features", ()))]
    about = {
        "model": model.name,
        "data": model.data.name,
        "reading": reading.remembered(),
        "features": names,
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


# ------------------------------------------------------------------------------------ chunk by chunk


@dataclass
class Streamed:
    """What is left of comparisons that were read chunk by chunk: how many, and the times of the latest."""

    columns: "Columns | None" = None
    time: "NDArray[Any] | None" = None
    rows: int = 0

    def __len__(self) -> int:
        return self.rows

    def noting(self, chunks: "Iterator[Comparisons]") -> "Iterator[Comparisons]":
        """The chunks as they are, each noted as it passes."""
        import numpy as np

        for c in chunks:
            check_names(c)
            self.columns, self.rows = c.columns, self.rows + len(c)
            if c.time is not None and len(c):
                time = c.time if self.time is None else np.concatenate([self.time, c.time])
                self.time = time[time == time[-1]]
            yield c


def _streams(model: Model, files: list[str], reading: FeatureReading) -> bool:
    """Whether the model follows games in order and the files are larger than a share of the memory."""
    from podium.reading.counting import bytes_of, is_past_memory
    from podium.reading.files import open_table

    needs_all = reading.items or reading.dedup or reading.wins
    if model.name not in RATINGS or needs_all:
        return False
    limit = None if reading.memory is None else bytes_of(reading.memory)
    return is_past_memory(open_table(files, reading.encoding, reading.sheet), limit)


def _follow(estimator: Any, files: list[str], reading: FeatureReading, progress: Progress) -> Streamed:
    """Fit a rating system to the files chunk by chunk."""
    from podium.reading.chunks import chunks_from

    seen = Streamed()
    estimator.fit(seen.noting(chunks_from(files, reading, progress=progress)))
    return seen
