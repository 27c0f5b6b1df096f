"""podium predict: what a saved model says of every row of a file."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from podium.cli.options.reading import FeatureReading, Files, reads
from podium.cli.options.registry import Data
from podium.cli.options.saved import Opened, open_saved
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs, check_apart
from podium.cli.output.screen import busy, console, plain

if TYPE_CHECKING:
    import pandas as pd

Saved = Annotated[Path, typer.Argument(help="A model that 'podium fit' saved.")]
WORDS = np.array(["left", "tie", "right"], dtype=object)  # of -1, 0 and 1; podium rank reads them back


@reads
def predict(
    model: Saved,
    files: Files,
    reading: FeatureReading,
    out: Annotated[Path, typer.Option(help="Where the predictions go: .csv, .json or .parquet.")],
) -> None:
    """Predict every row of a file by a saved model. The file needs no outcomes.

    Columns: the two sides if they have names; predicted (left, tie or right is better), decision (above 0 if
    right is better), and of models with probabilities p_left, p_tie, p_right and the expected score of left,
    p_left + p_tie / 2. Cells are empty where the model knows nothing: an item that it has not seen.
    """
    from podium.writing.frames import check_target, write_frame

    screen = console()
    with sentences():
        check_target(out)
        check_apart([model, *files, reading.items], out)
        with busy(screen, "reading"):
            opened = open_saved(model, files, reading, outcome=False)
        with busy(screen, "predicting"):
            frame = predictions_of(opened)
        counts = frame["predicted"].value_counts(sort=False)
        said = (
            ", ".join(f"{n:,} {word}" for word, n in counts.items()) if len(counts) <= 10 else "a score each"
        )
        screen.print(plain(f"columns: {opened.data.columns}"))
        screen.print(plain(f"predicted {len(frame):,} row{'s' * (len(frame) != 1)} ({said})"))
        outputs = Outputs()
        outputs.add("saved", out, partial(write_frame, frame))
        outputs.write(screen)


def predictions_of(opened: Opened) -> "pd.DataFrame":
    """A frame with a row for each row of the file."""
    import pandas as pd

    model, data = opened.model, opened.data
    if opened.kind is Data.rows:
        return _of_rows(model, data)
    import warnings

    from podium.evaluation.judging import predict_comparisons

    found = predict_comparisons(model, data)
    columns: dict[str, Any] = {}
    if data.features is None or (len(data.items) and data.items.dtype == object):
        sides = data.to_frame()
        columns = {"left": sides["left"], "right": sides["right"]}
    said = WORDS[found.outcome.astype(np.intp) + 1]
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


def _of_rows(model: Any, data: Any) -> "pd.DataFrame":
    import pandas as pd

    columns: dict[str, Any] = {"predicted": model.predict(data.features)}
    decide = getattr(model, "projection", getattr(model, "decision_function", None))
    if decide is not None:
        decision = np.asarray(decide(data.features))
        if decision.ndim == 1:
            columns["decision"] = decision
    if hasattr(model, "predict_proba"):
        table = model.predict_proba(data.features)
        columns |= {f"p_{label}": table[:, k] for k, label in enumerate(model.classes_.tolist())}
    return pd.DataFrame(columns)
