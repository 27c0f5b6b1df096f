"""How an option is declared, beside the type of a parameter or of a field."""

from typing import Any

import typer

MOST_REPLICATES = 100_000  # of a bootstrap: more take memory and add nothing


def option(help: str, *flag: str, panel: str | None = None, seldom: bool = False, **more: Any) -> Any:
    """An option of a command; ``--help`` leaves those that are ``seldom`` needed to ``--help-all``."""
    return typer.Option(*flag, help=help, rich_help_panel=panel, hidden=seldom, **more)
