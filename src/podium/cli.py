"""The command line: what `podium` does in a terminal. It reads and shows; it computes nothing itself."""

from typing import Annotated

import typer

app = typer.Typer(
    name="podium",
    help="Learn from comparisons: who is better, or is there no difference?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from podium import __version__

        typer.echo(f"podium {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def demo() -> None:
    """Read a data set that comes with podium and show what is in it."""
    from rich.console import Console
    from rich.table import Table

    from podium.datasets import load_chess_club
    from podium.summary import Summary

    table = Table(title="A chess club, five seasons", show_header=False)
    for name, value in Summary.of(load_chess_club()).rows().items():
        table.add_row(name, value)
    Console().print(table)


def main() -> None:
    """Run the command line."""
    app()
