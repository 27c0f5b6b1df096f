"""The folder of real data: ``data_home``, else the variable ``PODIUM_DATA``, else ``~/podium_data``."""

import os
from pathlib import Path

Home = str | Path | None


def get_data_home(data_home: Home = None) -> Path:
    """The folder in which ``fetch_*`` look for their files."""
    return Path(data_home or os.environ.get("PODIUM_DATA") or "~/podium_data").expanduser()


def find_file(name: str, data_home: Home) -> Path:
    """The path of a file in the folder, which has to be there."""
    path = get_data_home(data_home) / name
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no '{path}'; podium does not download it: put the file there, or name the folder that "
            "holds it with data_home= or PODIUM_DATA"
        )
    return path
