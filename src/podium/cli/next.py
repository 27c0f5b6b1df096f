"""podium next: the pairs to vote on next."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options.reading import Files, option, reads
from podium.cli.options.recipe import Settings
from podium.cli.options.skill import check_taken, make_estimator, model_for, read_for
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import Column, busy, console, names_in, plain, show_table
from podium.options import MODEL, RATINGS, ModelOptions, RankingReading, Reading, SkillModel

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

SHOWN = 50
VERSUS = re.compile(" vs ")


@reads
def next(
    files: Files,
    reading: Reading,
    ranking: RankingReading,
    only: ModelOptions,
    model: Annotated[
        SkillModel | None,
        option(
            "bradley-terry (the default), plackett-luce (for rankings) or dynamic-bradley-terry.", panel=MODEL
        ),
    ] = None,
    settings: Settings = None,
    n: Annotated[int, option("The number of pairs.", "-n", min=1)] = 10,
    goal: Annotated[
        str,
        option(
            "What the votes are for: the order of all items, the best item, the K best, or which of two "
            "items is better.",
            metavar="ranking|best|top-K|'A vs B'",
        ),
    ] = "ranking",
    candidates: Annotated[
        str | None,
        option(
            "Items to choose from: a .txt file with one per line, or a table with a column item, or "
            "left and right for pairs. New items need --prior normal.",
            metavar="PATH",
        ),
    ] = None,
    explore: Annotated[float, option("Probability of a pair drawn at random instead.", min=0, max=1)] = 0.1,
    seed: Annotated[
        int | None, option("Random seed of exploration, equal gains, left and right.", min=0)
    ] = None,
    out: Annotated[Path | None, option("Save the pairs: .csv, .json or .parquet.")] = None,
    plot: Annotated[Path | None, option("Save a picture of the gains: .png or .svg.")] = None,
) -> None:
    """Choose the pairs to vote on next: those whose votes are expected to help most.

    The file is read as 'podium rank' reads it. Each pair is chosen as if the pairs before it had been voted
    on, and no pair comes twice. A share of the pairs (--explore) is drawn at random. Left and right are in
    random order. Keep the probabilities: they say how each pair came to be shown.
    """
    from podium.reading.files import open_table

    screen = console()
    with sentences():
        outputs = Outputs([*files, candidates], table=out, picture=plot)
        with busy(screen, "reading"):
            opened = open_table(files, reading.encoding, reading.sheet or None)
            model = _with_errors(model_for(opened, reading, ranking, model))
            check_taken(model, only)
            estimator = make_estimator(model, settings or [], only)
            c = read_for(opened, reading, ranking, model, estimator)
            labels = {str(label): label for label in c.items.tolist()}
            chosen = None if candidates is None else read_candidates(candidates, labels)
        with busy(screen, "fitting"):
            estimator.fit(c)
        known = labels | _new_items(chosen, labels, estimator)
        with busy(screen, "choosing"):
            aim = goal_of(goal, known)
            pairs = estimator.next_pairs(n, aim, candidates=chosen, explore=explore, random_state=seed)
        screen.print(plain(f"columns: {c.columns}"))
        _show(screen, pairs, goal)
        if chosen is None and aim != "ranking" and not estimator.fit_.component.any():
            screen.print(plain(_needed(estimator, aim)))
        outputs.add_table(pairs)
        if plot is not None:
            from podium.plot import GainDisplay

            outputs.add("picture", GainDisplay.from_frame(pairs).save)
        outputs.write(screen)


def _with_errors(model: SkillModel) -> SkillModel:
    if model in RATINGS:
        raise ValueError(
            f"{model} does not know how its ratings err together; use bradley-terry, plackett-luce or "
            "dynamic-bradley-terry"
        )
    return model


def _new_items(chosen: list[Any] | None, labels: dict[str, Any], estimator: Any) -> dict[str, Any]:
    """The candidates that are not in the file, by name; an error if the model expects nothing of them."""
    import numpy as np

    from podium.comparisons.messages import names_of

    items = [item for one in chosen or [] for item in (one if isinstance(one, tuple) else [one])]
    new = {str(item): item for item in items if str(item) not in labels}
    if new and not estimator.fit_.prior_scale > 0:
        names = names_of(np.array(list(new)))
        raise ValueError(f"not in the comparisons: {names}; new items in --candidates need --prior normal")
    return new


def goal_of(text: str, labels: Mapping[str, Any]) -> Any:
    """``--goal`` as `next_pairs` takes it. The names of the items say where "A vs B" is split.

    >>> goal_of("top-5", {})
    'top-5'
    >>> goal_of("Queen vs King vs Ace, 2nd", {"Queen vs King": "Queen vs King", "Ace, 2nd": "Ace, 2nd"})
    ('Queen vs King', 'Ace, 2nd')
    """
    if text in ("ranking", "best") or re.fullmatch(r"top-\d+", text):
        return text
    splits = [(text[: at.start()].strip(), text[at.end() :].strip()) for at in VERSUS.finditer(text)]
    found = [(labels[a], labels[b]) for a, b in splits if a in labels and b in labels]
    if len(found) != 1:
        why = "could be two pairs" if found else "names no two items"
        raise ValueError(
            f"--goal is ranking, best, top-K such as top-5, or two items as 'A vs B'; '{text}' {why}"
        )
    return found[0]


def read_candidates(source: str, labels: Mapping[str, Any]) -> list[Any]:
    """The items of a text file or a table, or the pairs of a table; known names become their labels."""
    if Path(source).suffix.lower() == ".txt":
        lines = Path(source).read_text(encoding="utf-8").splitlines()
        return [labels.get(name, name) for line in lines if (name := line.strip())]
    from podium.reading.files import open_table
    from podium.reading.sources.paths import without_password

    opened = open_table(source)
    source = without_password(source)
    columns = opened.load(_columns(opened.header, source))
    for name, column in zip(columns.column_names, columns.columns, strict=True):
        if column.null_count:
            raise ValueError(
                f"column '{name}' of '{source}' has empty cells; fill them or leave out their rows"
            )
    names = [[str(cell).strip() for cell in column] for column in columns.to_pydict().values()]
    cells = [[labels.get(name, name) for name in column] for column in names]
    return cells[0] if len(cells) == 1 else list(zip(*cells, strict=True))


def _columns(header: list[str], source: str) -> list[str]:
    if {"left", "right"} <= set(header):
        return ["left", "right"]
    if "item" in header or len(header) == 1:
        return ["item" if "item" in header else header[0]]
    raise ValueError(
        f"'{source}' has no candidates; it needs a column 'item', or the columns 'left' and 'right' for pairs"
    )


def _show(screen: "Console", pairs: "pd.DataFrame", goal: str) -> None:
    """A table of the pairs, and what their gain is."""
    shown = pairs.head(SHOWN)
    sides = [Column(side, names_in(shown[side]), "name") for side in ("left", "right")]
    gain = Column("gain", [f"{gain:.3g}" for gain in shown["gain"]])
    probability = Column("probability", [f"{p:.3g}" for p in shown["probability"]], optional=True)
    show_table(screen, [*sides, gain, probability])
    if len(pairs) > SHOWN:
        screen.print(f"and {len(pairs) - SHOWN:,} more; --out saves all of them")
    what = "the variance of their difference" if " vs " in goal else "the expected size of wrong orders"
    number = f"{len(pairs):,} pair{'s' * (len(pairs) != 1)} for {goal}"
    screen.print(plain(f"{number}; gain: what a vote takes off {what}, after the votes above it"))


def _needed(estimator: Any, goal: Any) -> str:
    """How many votes are missing between the two items of the goal, or on both sides of its last place."""
    import numpy as np

    from podium.skill.votes_needed import pair_text

    if not isinstance(goal, tuple):
        last = 1 if goal == "best" else int(goal.removeprefix("top-"))
        best_first = np.argsort(-estimator.log_skill_, kind="stable")
        goal = estimator.items_[best_first[last - 1 : last + 1]]
    a, b = goal
    return pair_text(a, b, estimator.votes_needed(a, b), getattr(estimator, "judge_kind", None))
