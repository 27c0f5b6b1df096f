"""podium models: the models, their parameters, and the options that each takes."""

import inspect
from dataclasses import fields
from typing import Annotated, Any

import typer

from podium.cli.options.parameters import REQUIRED, parameters_of
from podium.cli.options.registry import ALL, Data, Model, find_model
from podium.cli.options.skill import SkillOptions
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Targets
from podium.cli.output.screen import Column, console, plain, show_table
from podium.options import EVERY, Reading, flag_of, takers_of


def models(
    name: Annotated[str | None, typer.Argument(help="A model, to see its parameters.")] = None,
) -> None:
    """List the models, or what one takes: parameters for --set, and options of podium rank."""
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
        if taken := _options_of(model):
            names = Column("option of podium rank", list(taken), "text")
            show_table(screen, [names, Column("", list(taken.values()), "text")])
        text = inspect.getdoc(model.load()) or ""
        screen.print(plain(text.partition("\n>>>")[0].strip()))


def _options_of(model: Model) -> dict[str, str]:
    """The options of 'podium rank' that this model takes and some others do not, with their help."""
    declared: list[Any] = [*fields(SkillOptions), *fields(Targets), *fields(Reading)]
    taken = [one for one in declared if model.name in takers_of(one) and takers_of(one) != EVERY]
    return {flag_of(one): one.type.__metadata__[0].help for one in taken}
