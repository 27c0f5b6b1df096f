"""podium update: a saved model goes on with new rows."""

import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.fit import describe, time_seen
from podium.cli.options.reading import Files, option, reads
from podium.cli.options.registry import Data, find_model
from podium.cli.options.saved import Opened, open_saved, rows_after, saved_facts
from podium.cli.output.board import rows_shown, show_board
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import busy, console, plain
from podium.cli.predict import Saved
from podium.cli.rank import Top
from podium.options import FeatureReading

if TYPE_CHECKING:
    from rich.console import Console

WRAPPED = {  # classes around a model: what to call them, and the option that makes them
    "CalibratedComparer": ("calibrated ", " --calibrate"),
    "Pipeline": ("a pipeline around ", " --standardize"),
}


@reads
def update(
    model: Saved,
    files: Files,
    reading: FeatureReading,
    save: Annotated[Path, option("Where to save the updated model; this may be MODEL itself.")],
    top: Top = None,
) -> None:
    """Go on with a saved model: let it learn from new rows, and save it.

    This is for models that learn from a stream: elo, glicko, online-svm-rank, online-svc and linear-compare.
    Items that the model has not seen start as newcomers do. The files are read as those of 'podium fit' were.

    --since last leaves out the rows that are not later than the latest row the model has seen, so that a
    nightly run over a growing folder learns from every row once. It needs a column of time.
    """
    from podium.saving.files import check_target
    from podium.saving.files import save as write

    screen = console()
    with sentences():
        outputs = Outputs([*files, reading.items], model=check_target(save))
        facts = saved_facts(model)
        _check_streams(facts, files, save)
        with busy(screen, "reading"):
            opened = open_saved(model, files, reading, outcome=True, may_be_empty=True, said=facts)
        screen.print(plain(f"columns: {opened.data.columns}"))
        if len(opened.data):
            _check_later(opened, facts)
            with busy(screen, "learning"):
                newcomers = _learn(opened)
            _show(screen, opened, newcomers, top)
        else:
            screen.print(plain(f"nothing new since {facts['last']}; the model stays as it is"))
        about = {name: fact for name, fact in facts.items() if name not in ("podium", "class")}
        about["rows"] = int(facts.get("rows", 0)) + len(opened.data)
        about |= _time_seen(opened.data, facts)
        outputs.add("model", partial(write, opened.model, about=about))
        outputs.write(screen)


def _check_streams(facts: dict[str, Any], files: list[str], save: Path) -> None:
    kind = find_model(facts["model"]).load()
    what, option = WRAPPED.get(facts["class"], ("", ""))
    if not what and (hasattr(kind, "update") or hasattr(kind, "partial_fit")):
        return
    from podium.reading.sources.paths import without_password

    name = f"{what}{facts['model']}"
    new = " ".join(map(without_password, files))
    again = f"podium fit OLD {new} --model {facts['model']}{option} --save {save}"
    raise ValueError(f"{name} cannot go on from a saved model; fit it to all data again: '{again}'")


def _check_later(opened: Opened, facts: dict[str, Any]) -> None:
    """Rows that are not later than the latest one seen may have been learned from already."""
    last, data = facts.get("last"), opened.data
    if last is None:
        return
    if getattr(data, "time", None) is None:
        raise ValueError(
            f"the model has seen rows up to {last}, but these rows have no time, so it may have learned from "
            "them already; name their column with --time"
        )
    _, same, earlier = rows_after(data, last)
    if earlier:
        raise ValueError(
            f"{earlier:,} of {len(data):,} rows are from before {last}, and the model has seen rows up to "
            "then; leave them out with --since last"
        )
    if same:
        warnings.warn(
            f"{same:,} rows are from {last}, the latest time that the model has seen; if it has "
            "learned from them already, leave them out with --since last",
            stacklevel=1,
        )


def _time_seen(data: Any, facts: dict[str, Any]) -> dict[str, Any]:
    """The latest time after the update, and how many rows the model has seen of it."""
    new = time_seen(data)
    if new["last"] is None:
        return {}
    if new["last"] == facts.get("last"):
        new["rows_at_last"] += facts.get("rows_at_last", 0)
    return new


def _learn(opened: Opened) -> Any:
    """Learn from the rows; the items that are new to a rating system."""
    from podium.comparisons.labels import find_labels

    model, data = opened.model, opened.data
    if opened.kind is Data.rows:
        model.partial_fit(data.features, data.label)
        return []
    if not hasattr(model, "update"):
        model.partial_fit(data)
        return []
    new = data.items[(find_labels(model.items_, data.items) < 0) & data.appears]
    model.update(data)
    return new


def _show(screen: "Console", opened: Opened, newcomers: Any, top: int | None) -> None:
    from podium.comparisons.messages import names_of

    model, data = opened.model, opened.data
    if hasattr(model, "rating_"):
        board = model.leaderboard()
        show_board(screen, data, board, rows_shown(board, top))
    else:
        screen.print(plain(f"learned from {describe(data)}"))
    if len(newcomers):
        noun = "newcomer" if len(newcomers) == 1 else "newcomers"
        screen.print(plain(f"{len(newcomers):,} {noun} started at {model.start:g}: {names_of(newcomers)}"))
