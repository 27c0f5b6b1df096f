"""``--report``: collects what a page of `podium.web` shows."""

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.cli.options.splits import make_splits
from podium.cli.output.screen import busy
from podium.numerics.progress import Progress
from podium.options import Reading

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.cli.output.board import Results
    from podium.cli.output.standings import Standings
    from podium.comparisons.rankings import Rankings
    from podium.comparisons.table import Comparisons
    from podium.evaluation.intervals import Score
    from podium.evaluation.scoring import Predicted
    from podium.leaderboard.calibration import Calibration
    from podium.web.page import Page

FEWEST = 40  # rows for a calibration curve


def board_page(
    screen: "Console",
    files: list[str],
    reading: Reading,
    c: "Comparisons | Rankings",
    model: Any,
    found: "Results",
    said: Iterable[warnings.WarningMessage],
) -> "Page":
    """The page of a leaderboard, its fitted model and whatever else was computed."""
    from podium.comparisons.table import Comparisons
    from podium.web import Report
    from podium.web.head_to_head import MOST_LISTED, HeadToHead
    from podium.web.report import page_of

    calibration = None
    if isinstance(c, Comparisons):
        with busy(screen, "checking predictions", "parts") as progress:
            calibration = _calibration(model, c, reading, progress)
    return page_of(
        Report(
            title=_title(files),
            model=_in_one_line(model),
            comparisons=c,
            board=found.board,
            head_to_head=HeadToHead.of(model, c, found.board, found.at, MOST_LISTED),
            calibration=calibration,
            boards=found.boards,
            judges=found.judges,
            history=found.history,
            drawn=found.drawn,
            compared=found.compared,
            fragile=found.fragile,
            **_circumstances(found.board.notes, said),
        )
    )


def scores_page(
    files: list[str],
    model: Any,
    data: Any,
    predicted: "Predicted | None",
    scores: "list[Score]",
    level: float,
    notes: Sequence[str],
    said: Iterable[warnings.WarningMessage],
) -> "Page":
    """The page of the scores of a saved model."""
    import numpy as np

    from podium.leaderboard.calibration import Calibration
    from podium.web.calibration import calibration_section
    from podium.web.scores import scores_table

    sections = {"Scores": _paragraphs(notes) + scores_table(scores)}
    if predicted is not None and predicted.probability is not None:
        how = "Predictions of these rows."
        curves = Calibration.of(np.asarray(data.outcome), predicted.probability, data.mass, how)
        sections["Calibration"] = calibration_section(curves)
    facts = f"{len(data):,} rows, {100 * level:g} % intervals"
    return _page(files, facts, sections | {"Data": _data(data)}, said, model)


def standings_page(
    files: list[str], data: Any, found: "Standings", said: Iterable[warnings.WarningMessage]
) -> "Page":
    """The page of models side by side."""
    from podium.cli.output.standings import JOINTLY
    from podium.web.scores import behind_table, standings_table

    table = standings_table(found.models, found.names, found.seconds)
    sections = {"Scores": _paragraphs(found.notes) + table}
    if found.contested:
        text = f"How much worse each is than the best. The intervals {JOINTLY}."
        sections["Behind the best"] = _paragraphs([text]) + behind_table(found.models, found.names)
    failures = [f"{name}: {failure}" for name, failure in found.failures.items()]
    facts = f"{len(found.models):,} models, {len(data):,} rows, {100 * found.level:g} % intervals"
    return _page(files, facts, sections | {"Data": _data(data)}, said, notes=failures)


def frames_page(
    files: list[str], facts: str, frames: Mapping[str, "pd.DataFrame"], model: Any, said: Any = ()
) -> "Page":
    """A page with a table for each frame."""
    from podium.web.table import frame_table

    sections = {title: frame_table(title, frame) for title, frame in frames.items()}
    return _page(files, facts, sections, said, model)


def judges_page(
    files: list[str], c: "Comparisons", judges: "pd.DataFrame", said: Iterable[warnings.WarningMessage]
) -> "Page":
    """The page of 'podium judges'."""
    from podium.web.judges import judges_section

    sections = {"Judges": judges_section(judges), "Data": _data(c)}
    return _page(files, f"{len(judges):,} judges, {len(c):,} votes", sections, said)


def _page(
    files: list[str], facts: str, sections: dict[str, str], said: Any, model: Any = None, notes: Any = ()
) -> "Page":
    from podium.web.page import Page

    how = {"models": () if model is None else (_in_one_line(model),), **_circumstances(notes, said)}
    return Page(title=_title(files), facts=facts, sections=sections, **how)


def _circumstances(notes: Iterable[str], said: Iterable[warnings.WarningMessage]) -> dict[str, Any]:
    """The warnings, each once, and when and by which command the page was made."""
    from podium.reading.sources.paths import without_password

    sentences = dict.fromkeys([*notes, *(str(warning.message) for warning in said)])
    return {
        "warnings": tuple(sentences),
        "command": ("podium", *map(without_password, sys.argv[1:])),
        "made": datetime.now().astimezone(),
    }


def _paragraphs(sentences: Iterable[str]) -> str:
    from podium.web.text import shown

    return "".join(f"<p>{shown(sentence)}</p>" for sentence in sentences)


def _data(data: Any) -> str:
    import numpy as np

    from podium.comparisons.table import Comparisons
    from podium.web.page import facts_list
    from podium.web.report import data_section

    if isinstance(data, Comparisons):
        return data_section(data)
    facts = {"rows": f"{len(data):,}", "features": f"{data.features.shape[1]:,}"}
    if data.query is not None:
        facts["queries"] = f"{len(np.unique(data.query)):,}"
    return facts_list(facts)


def _in_one_line(model: Any) -> str:
    return " ".join(repr(model).split())


def _title(files: list[str]) -> str:
    from podium.reading.sources.paths import without_password

    first = Path(without_password(files[0]).partition("?")[0]).name
    return first if len(files) == 1 else f"{first} and {len(files) - 1:,} more"


# ------------------------------------------------------------------------------------ unseen rows


def _calibration(
    model: Any, c: "Comparisons", reading: Reading, progress: Progress = lambda done, total: None
) -> "Calibration | str":
    """Of predictions for rows that the model had not seen; a sentence if there are too few."""
    import numpy as np

    from podium.leaderboard.calibration import Calibration

    if getattr(model, "ties", None) == "ignore":
        c = c[np.asarray(c.outcome) != 0]
    if len(c) < FEWEST:
        return f"There are too few comparisons to say: {len(c):,}, where {FEWEST} are the least."
    try:
        if hasattr(model, "before"):
            how = "Each row after the first fifth is predicted from earlier ones only."
            parts = _ahead(model, c)
        else:
            how, parts = _held_out(model, c, reading, progress)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit to all rows has warned already
            outcome, probability, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    except ValueError as error:
        return f"Parts of these comparisons cannot be predicted from the others: {error}."
    if not len(outcome):
        return "No part of these comparisons can be predicted from the others: they share no items."
    return Calibration.of(outcome, probability, weight, how)


def _held_out(
    model: Any, c: "Comparisons", reading: Reading, progress: Progress
) -> tuple[str, Iterator[tuple[Any, ...]]]:
    """Rows of one part predicted by the model fitted to the others."""
    import numpy as np
    from sklearn.base import clone

    from podium.evaluation.scoring import predict_comparisons

    how, count, splits = make_splits(c, reading, None, 0.25)

    def parts() -> Iterator[tuple[Any, ...]]:
        for done, (train, test) in enumerate(splits, 1):
            found = predict_comparisons(clone(model).fit(train), test)
            progress(done, count)
            rows = test[found.known]
            yield rows.outcome, np.asarray(found.probability)[found.known], rows.mass

    return f"Predictions of rows that the model had not seen ({how}).", parts()


def _ahead(model: Any, c: "Comparisons") -> Iterator[tuple[Any, ...]]:
    """Fit the model to the first fifth of the rows; it predicts each of the others before it happens."""
    import numpy as np
    from sklearn.base import clone

    from podium.numerics.time_blocks import time_blocks

    blocks = time_blocks(c.time, len(c), 4)
    if not blocks:
        raise ValueError("they all have the same time")
    games = c[np.concatenate([block for _, block in blocks])]
    yield games.outcome, clone(model).fit(c[blocks[0][0]]).before(games), games.mass
