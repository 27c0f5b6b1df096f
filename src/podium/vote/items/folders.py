"""Folders: one file per item, or one folder per model with one file per prompt."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from podium.comparisons.messages import listed
from podium.comparisons.summary import counted
from podium.reading.files import open_table
from podium.vote.items.checks import MOST_TEXT, checked_text, decoded
from podium.vote.items.files import SHOWS, Placed, is_inside, kind_of, read_at_most, shown_file
from podium.vote.items.tables import rows
from podium.vote.nouns import Kind

PROMPTS = "prompts"
OF_THE_SYSTEM = {".DS_Store", "Thumbs.db", "desktop.ini"}  # nobody has put these there


def read_folder(folder: Path, kind: Kind | None) -> Placed:
    """Each file as an item; with two folders or more, each folder as a model."""
    paths = sorted(folder.iterdir())
    inside = [path for path in paths if is_inside(folder, path) and not path.name.startswith(".")]
    prompts = [path for path in inside if path.stem == PROMPTS]
    models = [path for path in inside if path.is_dir() and path not in prompts]
    if len(models) < 2:
        return _items(folder, paths, kind)
    _warn_of([path for path in paths if path not in (*models, *prompts)], folder)
    return _answers(folder, models, _prompts(folder, prompts), kind)


def _items(folder: Path, paths: Iterable[Path], kind: Kind | None) -> Placed:
    files = _files(folder, paths, kind)
    stems = Counter(path.stem for path, _ in files)
    for path, its_kind in files:
        name = path.name if stems[path.stem] > 1 else path.stem
        yield f"'{path}'", shown_file(path, its_kind, item=name)


def _answers(folder: Path, models: Iterable[Path], prompts: Mapping[str, str], kind: Kind | None) -> Placed:
    for model in models:
        for path, its_kind in _files(folder, sorted(model.iterdir()), kind):
            prompt = prompts.get(path.stem, path.stem)
            yield f"'{path}'", shown_file(path, its_kind, item=model.name, prompt=prompt)


def _files(folder: Path, paths: Iterable[Path], kind: Kind | None) -> list[tuple[Path, Kind]]:
    """The files that can be shown, each with its kind; a warning names the others."""
    files: list[tuple[Path, Kind]] = []
    left_out = []
    for path in paths:
        its_kind = kind_of(path.name) if path.is_file() and is_inside(folder, path) else None
        if its_kind is None or (kind == "image" and its_kind != "image"):
            left_out.append(path)
        else:
            files.append((path, its_kind if its_kind == "image" else kind or its_kind))
    _warn_of(left_out, folder)
    return files


def _prompts(folder: Path, paths: Iterable[Path]) -> dict[str, str]:
    """The texts of prompts by their names, from a folder of texts or a table."""
    prompts: dict[str, str] = {}
    for path in paths:
        if path.is_dir():
            for file, _ in _files(folder, sorted(path.iterdir()), "text"):
                prompts[file.stem] = decoded(read_at_most(file, MOST_TEXT), f"'{file}'").strip()
        else:
            for where, (name, text) in rows(open_table(path), ("name", "prompt")):
                prompts[name] = checked_text(text, f"the prompt in {where} of '{path}'")
    return prompts


def _warn_of(left_out: Iterable[Path], folder: Path) -> None:
    left_out = [path for path in left_out if path.name not in OF_THE_SYSTEM]
    if left_out:
        names = listed(path.relative_to(folder) for path in left_out)
        message = f"left out {counted(len(left_out), 'file')} of '{folder}': {names}; {SHOWS}"
        warnings.warn(message, stacklevel=2)
