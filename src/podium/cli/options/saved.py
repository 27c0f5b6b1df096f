"""A saved model together with a file read in the way that the model's own file was."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from podium.cli.options.reading import FeatureReading, read
from podium.cli.options.registry import Data


class Opened(NamedTuple):
    model: Any
    kind: Data
    data: Any


def open_saved(path: Path, files: list[str], reading: FeatureReading, *, outcome: bool) -> Opened:
    """Load a model that `podium fit` saved, and read files for it."""
    from podium.saving.files import about, load

    said = about(path)
    kind = Data.__members__.get(str(said.get("data")))
    if kind is None or not {"items", "features"} <= said.keys() or not isinstance(said.get("reading"), dict):
        raise ValueError(f"'{path}' was not saved by 'podium fit', so how to read files for it is not known")
    model = load(path)
    if said["items"] and reading.items is None:
        raise ValueError("this model was fitted with a table of items; give one for this file with --items")
    reading = reading.over(said["reading"])
    if said["features"] and kind is not Data.items:
        reading = replace(reading, feature=said["features"])
    data = read(files, reading, kind, outcome=outcome)
    return Opened(model, kind, _as_fitted(model, data) if kind is Data.rows else data)


def _as_fitted(model: Any, rows: Any) -> Any:
    """Labels as the model has them: '7' is a number in a file of numbers, and text beside other text."""
    from podium.comparisons.labels import find_labels

    if rows.label is None or not hasattr(model, "classes_"):
        return rows
    place = find_labels(model.classes_, rows.label)
    label = model.classes_.take(place) if (place >= 0).all() else rows.label.astype(object)
    label[place >= 0] = model.classes_[place[place >= 0]]
    return replace(rows, label=label)
