"""podium simulate: play the rest of a league or a cup many times."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from podium.cli.options.reading import Files, option, reads
from podium.cli.options.saved import open_saved
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs, ReportOptions
from podium.cli.output.screen import Column, busy, console, plain, show_table
from podium.cli.predict import Out, Saved
from podium.options import FeatureReading

READ = (
    "All chances are in per cent. Shift is how far a game moves the chances of the title; the item gains or "
    "loses most, and if left, if tie, if right are its chances of the title after each result of the game."
)


@reads
def simulate(
    model: Saved,
    files: Files,
    reading: FeatureReading,
    report: ReportOptions,
    cup: Annotated[bool, option("Who loses is out, or points decide (default).", "--cup/--league")] = False,
    played: Annotated[list[str] | None, option("A file of results that count; repeat it for more.")] = None,
    points: Annotated[list[float] | None, option("Of a win, a tie and a loss, one by one: 3, 1, 0.")] = None,
    n: Annotated[int, option("The number of seasons or cups to play.", "-n", min=1)] = 10_000,
    seed: Annotated[int | None, option("Random seed.", min=0)] = None,
    out: Out = None,
    plot: Annotated[Path | None, option("Save a picture of the chances: .png or .svg.")] = None,
) -> None:
    """Play the rest of a league or a cup many times, with skills drawn from a saved model.

    The files have the games to come and need no outcomes. Results (--played) count as they are. In a league,
    points decide, then the games among the equal ones, then wins, then lots. In a cup, the files are the
    first round, the winners of neighbouring rows meet next, and the last one of an odd round has a bye.
    """
    from podium.cli.output.report import frames_page
    from podium.simulation.season import simulate

    screen, results = console(), played or []
    with sentences():
        outputs = Outputs([model, *files, *results], table=out, picture=plot, page=report.report)
        with busy(screen, "reading"):
            opened = open_saved(model, files, reading, outcome=False)
            known = open_saved(model, results, reading, outcome=True).data if results else None
        with busy(screen, "playing"):
            how: Any = {"rules": "cup" if cup else "league", "points": tuple(points or (3, 1, 0)), "n": n}
            found = simulate(opened.model, opened.data, played=known, random_state=seed, **how)
        screen.print(plain(f"columns: {opened.data.columns}"))
        (_, names), *others = found.cells().items()
        show_table(screen, [Column("item", names, "name"), *(Column(*column) for column in others)])
        screen.print(plain(f"{found.facts}; chances in %"))
        outputs.add_table(found.to_frame())
        if plot is not None:
            from podium.plot import PlacesDisplay

            outputs.add("picture", PlacesDisplay.from_simulation(found).save)
        if report.report is not None:
            report.add(outputs, frames_page(files, f"{found.facts}. {READ}", _frames(found), opened.model))
        outputs.write(screen)


def _frames(found: Any) -> dict[str, Any]:
    """The tables of the page: the chances, and the games that decide most."""
    chances = replace(found, chances=(100 * found.chances).round(1)).to_frame()
    games = found.decisive.assign(**(100 * found.decisive.select_dtypes("number")).round(1))
    return {"Chances": chances, "Decisive games": games.rename(columns=lambda name: name.replace("_", " "))}
