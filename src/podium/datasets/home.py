"""The folder of real data: ``data_home``, else the variable ``PODIUM_DATA``, else ``~/podium_data``."""

import os
from pathlib import Path

Home = str | Path | None


def get_data_home(data_home: Home = None) -> Path:
    """The folder in which ``fetch_*`` look for their files.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder; by default ``$PODIUM_DATA``, or ``~/podium_data`` if it is not set.

    Returns
    -------
    pathlib.Path
    """
    return Path(data_home or os.environ.get("PODIUM_DATA") or "~/podium_data").expanduser()


def find_file(name: str, data_home: Home) -> Path:
    """The path of a file in the folder; an error if it is not there."""
    path = get_data_home(data_home) / name
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no '{path}', and podium does not download it; put the file there, or set data_home= "
            "or PODIUM_DATA to its folder"
        )
    return path
