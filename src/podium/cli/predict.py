"""podium predict and score: what a saved model says of every row of a file, and of every single item."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from podium.cli.options.reading import Files, option, read, reads
from podium.cli.options.registry import Data
from podium.cli.options.saved import Opened, open_saved, saved_facts
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import Column, busy, console, names_in, plain, show_table
from podium.options import FeatureReading

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

Saved = Annotated[Path, typer.Argument(help="A model that 'podium fit' saved.")]
Out = Annotated[Path | None, option("Save the table: .csv, .json or .parquet. Without it, print it.")]
WORDS = ("left", "tie", "right")  # of -1, 0 and 1; podium rank reads them back
FIRST = ("left", "right", "predicted")  # columns that every terminal shows
SHOWN = 50
Unseen = Literal["empty", "error", "skip", "average"]


@reads
def predict(
    model: Saved,
    files: Files,
    reading: FeatureReading,
    out: Out = None,
    unseen: Annotated[
        Unseen,
        option(
            "Rows with an item that the model has not seen: leave their cells empty, stop with an "
            "error, skip them, or take the item for an average one."
        ),
    ] = "empty",
) -> None:
    """Predict every row of a file with a saved model. The file needs no outcomes.

    Columns: the two sides if they have names; predicted (left, tie or right is better), decision (above 0 if
    right is better), and of models with probabilities p_left, p_tie, p_right and the expected score of left,
    p_left + p_tie / 2. Labelled rows begin with their query and the columns that are no features. Without
    --out a terminal shows a table, and a pipe gets all rows as CSV. For Elo and Glicko an average item is one
    with the rating that newcomers start with.
    """
    screen = console()
    piped = out is None and not screen.is_terminal
    notes = console(stderr=True) if piped else screen
    with sentences():
        outputs = Outputs([model, *files, reading.items], table=out)
        with busy(screen, "reading"):
            opened = _with_seen_rows(open_saved(model, files, reading, outcome=False), unseen, notes)
        with busy(screen, "predicting"):
            frame = predictions_of(opened, average=unseen == "average")
            if opened.kind is Data.rows:
                frame = _with_own_columns(frame, files, reading, opened.data)
        notes.print(plain(f"columns: {opened.data.columns}"))
        if (last := getattr(opened.model, "time_", None)) is not None and opened.data.time is None:
            from podium.leaderboard.history import time_text

            notes.print(f"no times are given, so these are chances at the last one, {time_text(last)}")
        if out is None:
            _print(screen, frame, as_csv=piped)
        counts = frame["predicted"].value_counts(sort=False)
        labels = opened.kind is not Data.rows or hasattr(opened.model, "classes_")
        each = ", ".join(f"{n:,} {word}" for word, n in counts.items())
        said = each if labels and len(counts) <= 10 else "a score each"
        notes.print(plain(f"predicted {len(frame):,} row{'s' * (len(frame) != 1)} ({said})"))
        outputs.add_table(frame)
        outputs.write(screen)


def _with_seen_rows(opened: Opened, unseen: Unseen, notes: "Console") -> Opened:
    """All rows, unless some have items that the model has not seen and these were not to be predicted."""
    from podium.comparisons.labels import find_labels
    from podium.comparisons.messages import names_of
    from podium.evaluation.scoring import seen

    rates = hasattr(opened.model, "rating_")  # everybody, newcomers too
    if opened.kind is Data.rows or (unseen in ("empty", "average") and not rates):
        return opened
    c, known = opened.data, seen(opened.model, opened.data)
    if known.all():
        return opened
    items = getattr(opened.model, "estimator_", opened.model).items_
    names = names_of(c.items[(find_labels(items, c.items) < 0) & c.appears])
    if unseen in ("empty", "average"):
        notes.print(plain(f"the model has not seen {names}: predicted as for a newcomer"))
        return opened
    if unseen == "error":
        raise ValueError(f"the model has not seen {names}; --unseen skip leaves out their rows")
    if not known.any():
        raise ValueError(f"every row has an item that the model has not seen, such as {names}")
    notes.print(plain(f"skipped {int((~known).sum()):,} of {len(c):,} rows: the model has not seen {names}"))
    return opened._replace(data=c[known])


def _print(screen: "Console", frame: "pd.DataFrame", *, as_csv: bool) -> None:
    """All rows as CSV, or the first ones as a table."""
    from podium.writing.frames import as_csv as csv_of

    if as_csv:
        typer.echo(csv_of(frame).decode().replace("\r\n", "\n"), nl=False)
        return
    show_table(screen, [_column(str(name), frame[name].head(SHOWN)) for name in frame])
    if len(frame) > SHOWN:
        screen.print(f"and {len(frame) - SHOWN:,} more; --out saves all of them")


def _column(title: str, values: "pd.Series[Any]") -> Column:
    cells = ["" if value is None or value != value else value for value in values]
    if values.dtype.kind == "f":
        return Column(title, [f"{cell:.3f}" if cell != "" else "" for cell in cells], optional=True)
    return Column(title, names_in(cells), "name", optional=title not in FIRST)


def predictions_of(opened: Opened, *, average: bool = False) -> "pd.DataFrame":
    """A frame with one row for each row of the file."""
    import numpy as np
    import pandas as pd

    model, data = opened.model, opened.data
    if opened.kind is Data.rows:
        return _of_rows(model, data)
    import warnings

    from podium.evaluation.scoring import predict_comparisons

    found = predict_comparisons(model, data, average=average)
    columns: dict[str, Any] = {}
    if data.features is None or (len(data.items) and data.items.dtype == object):
        sides = data.to_frame()
        columns = {"left": sides["left"], "right": sides["right"]}
    said = np.array(WORDS, dtype=object)[found.outcome.astype(np.intp) + 1]
    said[~found.known] = None
    columns |= {"predicted": said, "decision": found.decision}
    if found.probability is not None:
        p = found.probability
        columns |= {"p_left": p[:, 0], "p_tie": p[:, 1], "p_right": p[:, 2]}
        columns["expected_left"] = p[:, 0] + p[:, 1] / 2
    if lost := int((~found.known).sum()):
        row = int(np.argmin(found.known))
        sides = data[row : row + 1].to_frame()
        warnings.warn(
            f"{lost:,} of {len(data):,} rows have items that the model cannot compare, the first of them "
            f"{sides['left'].iloc[0]!r} and {sides['right'].iloc[0]!r} in row {row + 1} (counting from 1)",
            stacklevel=1,
        )
    return pd.DataFrame(columns)


def _with_own_columns(
    frame: "pd.DataFrame", files: list[str], reading: FeatureReading, rows: Any
) -> "pd.DataFrame":
    """First what identifies a row: its query, and the columns of the file that the model does not use."""
    import pandas as pd

    from podium.reading.files import open_table
    from podium.reading.selection import named_in, rows_where

    own: dict[str, Any] = {}
    if rows.query is not None:
        own[rows.columns.query] = rows.queries[rows.query]
    if unused := [name for name in rows.columns.unused if name not in frame]:
        opened = open_table(files, reading.encoding, reading.sheet)
        needed = named_in(reading.where, opened.header)
        table = opened.load(list(dict.fromkeys([*unused, *needed])))
        if reading.where is not None:
            table = table.take(rows_where(table, reading.where, opened.header))
        own |= {name: table[name].to_pandas() for name in unused}
    return pd.concat([pd.DataFrame(own, index=frame.index), frame], axis=1)


def _of_rows(model: Any, data: Any) -> "pd.DataFrame":
    import numpy as np
    import pandas as pd

    from podium.evaluation.scoring import without_steps

    model, X = without_steps(model, data.features)
    predicted = np.asarray(model.predict(X))
    columns: dict[str, Any] = {"predicted": predicted}
    decide = getattr(model, "projection", getattr(model, "decision_function", None))
    if decide is not None:
        decision = np.asarray(decide(X))
        if decision.ndim == 1 and not np.array_equal(decision, predicted):  # a ranker predicts its decision
            columns["decision"] = decision
    if hasattr(model, "predict_proba"):
        table = model.predict_proba(X)
        columns |= {f"p_{label}": table[:, k] for k, label in enumerate(model.classes_.tolist())}
    return pd.DataFrame(columns)


# ------------------------------------------------------------------------------------ single items


@reads
def score(model: Saved, files: Files, reading: FeatureReading, out: Out = None) -> None:
    """Score every item of a file with a saved model: the higher, the better.

    The file has one row per item, with the features that the model compares: x, if it was fitted to left_x
    and right_x. The items may be new. Only differences of scores have a meaning. Columns: those of the file
    that are no features, then score.
    """
    import pandas as pd

    from podium.evaluation.scoring import ranking_scores

    screen = console()
    piped = out is None and not screen.is_terminal
    notes = console(stderr=True) if piped else screen
    with sentences():
        outputs = Outputs([model, *files], table=out)
        with busy(screen, "reading"):
            opened = _open(model, files, reading)
        with busy(screen, "scoring"):
            frame = pd.DataFrame({"score": ranking_scores(opened.model, opened.data.features)})
            frame = _with_own_columns(frame, files, reading, opened.data)
        notes.print(plain(f"columns: {opened.data.columns}"))
        if out is None:
            _print(screen, frame, as_csv=piped)
        notes.print(plain(f"scored {len(frame):,} item{'s' * (len(frame) != 1)}"))
        outputs.add_table(frame)
        outputs.write(screen)


def _open(path: Path, files: list[str], reading: FeatureReading) -> Opened:
    """The model, and the items as rows with its features."""
    from podium.saving.files import load

    said = saved_facts(path)
    if (kind := Data[said["data"]]) is Data.rows:
        return open_saved(path, files, reading, outcome=False, said=said)
    if kind is Data.items:
        raise ValueError(f"{said['model']} scores only items that it has seen; 'podium rank' shows them")
    features = reading.features or said["features"] or said["reading"].get("features")
    items = read(files, replace(reading, features=features), Data.rows, outcome=False)
    return Opened(load(path), kind, items)
