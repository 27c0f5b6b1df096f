"""podium models: the models and their parameters."""

import inspect
from typing import Annotated

import typer

from podium.cli.options.parameters import REQUIRED, parameters_of
from podium.cli.options.registry import ALL, Data, find_model
from podium.cli.output.errors import sentences
from podium.cli.output.screen import console, plain
from podium.cli.output.tables import Column, show_table


def models(
    name: Annotated[str | None, typer.Argument(help="A model, to see its parameters.")] = None,
) -> None:
    """List the models, or the parameters of one for --set."""
    screen = console()
    with sentences():
        if name is None:
            for data in Data:
                if some := [model for model in ALL if model.data is data]:
                    names = Column(f"for {data}", [model.name for model in some], "text")
                    show_table(screen, [names, Column("", [model.summary for model in some], "text")])
            return
        model = find_model(name)
        parameters = parameters_of(model).values()
        cells = {
            "parameter": [parameter.name for parameter in parameters],
            "takes": [parameter.wanted for parameter in parameters],
            "default": ["" if p.default is REQUIRED else str(p.default) for p in parameters],
        }
        show_table(screen, [Column(title, column, "text") for title, column in cells.items()])
        text = inspect.getdoc(model.load()) or ""
        screen.print(plain(text.partition("\n>>>")[0].strip()))
