"""A saved model together with files that are read as the model's own file was."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from podium.cli.options.reading import check_controls, read
from podium.cli.options.registry import ALL, Data, find_fitted, find_model
from podium.options import FeatureReading

LAST = "last"  # of --since: the latest time that a model has seen


class Opened(NamedTuple):
    model: Any
    kind: Data
    data: Any


def saved_facts(path: Path) -> dict[str, Any]:
    """What `podium fit` wrote beside the model, or would have if Python saved it."""
    from podium.saving.files import about, load

    said = about(path)
    known = str(said.get("data")) in Data.__members__ and {"items", "features"} <= said.keys()
    if known and isinstance(said.get("reading"), dict):
        return said
    if facts := _facts_of(load(path)):
        return said | facts
    raise ValueError(f"'{path}' was not saved by 'podium fit', so how to read files for it is not known")


def _facts_of(model: Any) -> dict[str, Any]:
    """The facts that a model itself knows: its kind, and the names of its features and covariates."""
    last = getattr(model, "steps", [("", model)])[-1][1]
    inner = getattr(last, "estimator_", last) if type(last).__name__ == "CalibratedComparer" else last
    name = next((one.name for one in ALL if one.path.endswith(f":{type(inner).__name__}")), None)
    if name is None:
        return {}
    reading: dict[str, Any] = {}
    if (kind := find_fitted(name).data) is not Data.items:
        names = getattr(model if last is not model else inner, "feature_names_in_", None)
        reading["features"] = None if names is None else list(names)
    elif names := getattr(inner, "covariate_names_", ()):
        reading["covariates"] = list(names)
    return {"model": name, "data": kind.name, "reading": reading, "features": None, "items": False}


def open_saved(
    path: Path,
    files: list[str],
    reading: FeatureReading,
    *,
    outcome: bool,
    may_be_empty: bool = False,
    said: dict[str, Any] | None = None,
) -> Opened:
    """Load a model that `podium fit` saved, and read files for it; ``--since last`` may leave no rows.

    ``said`` are its facts, if they have been read.
    """
    from podium.saving.files import load

    said = said or saved_facts(path)
    kind = Data[said["data"]]
    model = load(path)
    if said["items"] and reading.items is None:
        raise ValueError("this model was fitted with a table of items; give one for this file with --items")
    _check_controls(reading, said, model)
    reading = _with_known_grounds(files, reading.over(said["reading"]), said["reading"])
    if not outcome and getattr(model, "margin", None):  # only games that were played have a margin
        reading = replace(reading, covariates=None)
    if said["features"] and kind is not Data.items:
        reading = replace(reading, features=said["features"])
    if reading.since == LAST and kind is not Data.rows:
        data = _read_later(files, reading, kind, said, outcome)
        if not len(data) and not may_be_empty:
            raise ValueError(f"no row is later than {said['last']}, up to which the model has seen rows")
        return Opened(model, kind, data)
    moves = hasattr(getattr(model, "estimator_", model), "time_")
    if moves and not outcome and not _has_column(files, reading, "time", said["reading"]):
        reading = replace(reading, time=None)  # the model then predicts at the last time that it has seen
    data = read(files, reading, kind, outcome=outcome, timed=moves)
    return Opened(model, kind, _as_fitted(model, data) if kind is Data.rows else data)


def _with_known_grounds(files: list[str], reading: FeatureReading, saved: dict[str, Any]) -> FeatureReading:
    """Without the model's own columns of neutral ground and kinds of judges if the files lack them."""
    for option, why in (
        ("neutral", "of neutral ground, so the left side is at home in every row"),
        ("judge_kind", "of the kind of judge, so votes on the scale of the board are predicted"),
    ):
        name, none = getattr(reading, option), dict[str, Any]({option: None})
        if name is not None and not _has_column(files, reading, option, saved):
            warnings.warn(f"there is no column '{name}' {why}", stacklevel=1)
            reading = replace(reading, **none)
    return reading


def _has_column(files: list[str], reading: FeatureReading, option: str, saved: dict[str, Any]) -> bool:
    """Whether an option names another column than the saved one, or the files have that column."""
    from podium.reading.files import open_table

    name = getattr(reading, option)
    header = open_table(files, reading.encoding, reading.sheet or None).header
    return name != saved.get(option) or name in header


def _check_controls(reading: FeatureReading, said: dict[str, Any], model: Any) -> None:
    """Refuse covariates that the model was not fitted with, and neutral ground if it has no order effect."""
    if reading.covariates is not None and not {"covariates", "control"} & said["reading"].keys():
        raise ValueError(
            "this model was fitted without covariates; leave out --control, or fit again with it"
        )
    own = getattr(model, "estimator", model)  # of a calibrated model
    check_controls(reading, [find_model(said["model"])], [own.get_params()])


def _read_later(
    files: list[str], reading: FeatureReading, kind: Data, said: dict[str, Any], outcome: bool
) -> Any:
    """The rows that are later than the latest one that the model has seen; perhaps none."""
    if (last := said.get("last")) is None:
        raise ValueError(
            "--since last needs a model that was fitted with times; fit it with --time, or give a date"
        )
    data: Any = read(files, replace(reading, since=None), kind, outcome=outcome, timed=True)
    later, same, _ = rows_after(data, last)
    if same > (seen := said.get("rows_at_last", 0)):
        warnings.warn(
            f"{same:,} rows from {last}, the latest time that the model has seen, are left out, although it "
            f"has learned from only {seen:,} of that time; give the new ones in a file of their own, without "
            "--since last",
            stacklevel=1,
        )
    return later


def rows_after(data: Any, last: Any) -> tuple[Any, int, int]:
    """The rows after the latest time that a model has seen; how many are of that time, how many before."""
    from podium.reading.selection import rows_since, with_left_out

    try:
        later, words = rows_since(data, last, strictly=True)
        from_last_on, _ = rows_since(data, last)
    except ValueError:
        raise ValueError(
            f"the model has seen times up to {last}, but the times of these rows are of another kind; name "
            "their column with --time"
        ) from None
    same, before = len(from_last_on) - len(later), len(data) - len(from_last_on)
    return with_left_out(later, words), same, before


def _as_fitted(model: Any, rows: Any) -> Any:
    """Labels as the model has them: '7' is a number in a file of numbers, and text beside other text.

    A pipeline that was fitted to a frame gets one.
    """
    from scipy.sparse import issparse

    from podium.comparisons.labels import find_labels

    names = getattr(model, "feature_names_in_", ()) if hasattr(model, "steps") else ()
    if len(names) == rows.features.shape[1] and not issparse(rows.features):
        import pandas as pd

        rows = replace(rows, features=pd.DataFrame(rows.features, columns=names))
    if rows.label is None or not hasattr(model, "classes_"):
        return rows
    place = find_labels(model.classes_, rows.label)
    label = model.classes_.take(place) if (place >= 0).all() else rows.label.astype(object)
    label[place >= 0] = model.classes_[place[place >= 0]]
    return replace(rows, label=label)
