"""Write files completely or not at all, so that nobody ever reads half a file."""

import os
import secrets
import shutil
from collections.abc import Collection
from pathlib import Path

PICTURES = (".png", ".svg")  # the endings of files that matplotlib draws


def checked_path(path: str | os.PathLike[str], suffixes: Collection[str]) -> Path:
    """Check that the suffix is allowed and that a file can be written there; links are followed."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        *most, last = suffixes
        if not most:
            raise ValueError(f"'{path}' does not end in {last}; rename it")
        raise ValueError(f"'{path}' ends in none of {', '.join(most)} and {last}; choose one of them")
    target = _followed(path)
    if not target.parent.is_dir():
        named = target if path.is_symlink() else path
        raise ValueError(f"there is no folder '{named.parent}' for the file '{named.name}'; make it first")
    if path.is_dir():
        raise ValueError(f"'{path}' is a directory; name a file")
    places = [target] if target.exists() else []
    if target.is_file() or not target.exists():  # otherwise it is a pipe or a device
        places.append(target.parent)
    for place in places:
        if not os.access(place, os.W_OK):
            raise ValueError(f"'{path}' cannot be written: there is no permission to write to '{place}'")
    return path


def _followed(path: Path) -> Path:
    """The file that would be written, after following links."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise ValueError(f"'{path}' is a link that leads back to itself; choose another name")
    return target


def write_whole(path: Path, content: bytes) -> None:
    """Replace the file by ``content`` in one step; if that fails, nothing changes and nothing is left behind.

    An existing file keeps its permissions, and a link its target. Pipes and devices cannot be replaced, so
    they are written to directly.
    """
    target = _followed(path)
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    temporary = target.with_name(f".podium-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:  # its message would name the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
