"""podium models: the models and their parameters."""

import inspect
from typing import Annotated

import typer

from podium.cli.options.parameters import REQUIRED, parameters_of
from podium.cli.options.registry import ALL, Data, find_model
from podium.cli.output.errors import sentences
from podium.cli.output.screen import console, plain, table


def models(
    name: Annotated[str | None, typer.Argument(help="A model, to see its parameters.")] = None,
) -> None:
    """List the models, or the parameters of one for --set."""
    screen = console()
    with sentences():
        if name is None:
            for data in Data:
                if some := [model for model in ALL if model.data is data]:
                    shown = table([f"for {data}", ""], left=(f"for {data}", ""))
                    for model in some:
                        shown.add_row(model.name, plain(model.summary))
                    screen.print(shown)
            return
        model = find_model(name)
        shown = table(["parameter", "takes", "default"], left=("parameter", "takes", "default"))
        for parameter in parameters_of(model).values():
            default = "" if parameter.default is REQUIRED else str(parameter.default)
            shown.add_row(parameter.name, plain(parameter.wanted), plain(default))
        screen.print(shown)
        text = inspect.getdoc(model.load()) or ""
        screen.print(plain(text.partition("\n>>>")[0].strip()))
