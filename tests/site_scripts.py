"""The scripts in docs/.site, which is no package."""

import importlib.util
from pathlib import Path
from typing import Any

SITE = Path(__file__).parents[1] / "docs" / ".site"


def site_script(name: str) -> Any:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, SITE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
