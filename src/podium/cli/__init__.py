"""The command line: what `podium` does in a terminal. It reads, calls a model and shows the result.

There is one file per command. `options/` is what several commands can be told, `output/` what they show.
Nothing heavy is imported before a command runs.
"""

import inspect
import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from podium.cli import compare, count, evaluate, fit, models, predict, rank, school, simulate, update, vote
from podium.cli import judges as jury
from podium.cli import next as next_votes
from podium.cli.command import Command, with_files
from podium.cli.output.errors import INTERRUPTS, PlainGroup, complain, lost_output, steady_streams

app = typer.Typer(
    name="podium",
    help="Learn from comparisons: who is better, or is there no difference?",
    cls=PlainGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from podium.version import __version__

        typer.echo(f"podium {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def _flowing(command: Callable[..., None]) -> str:
    """The docstring of a command, its paragraphs as wide as the terminal."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


for _command in (
    with_files(rank.rank),
    with_files(count.count),
    with_files(next_votes.next),
    vote.vote,
    with_files(fit.fit),
    with_files(update.update),
    with_files(predict.predict),
    with_files(predict.score),
    with_files(jury.judges),
    with_files(simulate.simulate),
    with_files(school.school),
    with_files(evaluate.evaluate),
    with_files(compare.compare),
    models.models,
    rank.demo,
):
    app.command(cls=Command, help=_flowing(_command))(_command)


def main() -> None:
    """Run the command line in a process of its own."""
    INTERRUPTS.watch()
    if os.environ.get("COLUMNS") == "0":  # no window has this width, and nothing would be printed in it
        del os.environ["COLUMNS"]
    steady_streams()
    try:
        app()
    except SystemExit as end:
        if not end.code and (reason := lost_output()):
            sys.exit(complain(f"what was printed is lost: {reason}"))
        raise
