"""Read what is to be voted on, from a folder, a table or a list of names.

A folder has one file per item, or one folder per model with one file per prompt.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from podium.comparisons.messages import listed, quoted
from podium.comparisons.summary import counted
from podium.reading.files import open_table
from podium.vote.items.checks import MOST_TEXT, checked_name, checked_text, decoded
from podium.vote.items.files import SHOWS, Placed, is_inside, kind_of, read_at_most, shown_file
from podium.vote.items.tables import read_table, rows
from podium.vote.nouns import Kind, Shown

PROMPTS = "prompts"
OF_THE_SYSTEM = {".DS_Store", "Thumbs.db", "desktop.ini"}  # nobody has put these there


def read_items(source: str | Path, kind: Kind | None = None) -> list[Shown]:
    """Read the things to vote on.

    Parameters
    ----------
    source : path
        One of

        - a folder of files, one per item: text (``.txt``), Markdown (``.md``), images, and code;
        - a folder of folders, one per model, with one file per prompt. The files ``gpt/haiku.txt`` and
          ``llama/haiku.txt`` answer the prompt "haiku". If there is a file ``prompts/haiku.txt``, or a row
          ``haiku`` in ``prompts.csv`` (columns ``name`` and ``prompt``), its text is the prompt;
        - a ``.txt`` file with one name per line;
        - a table (CSV, TSV, JSON, JSONL, Parquet, xlsx) of items: a column ``name``, ``item``, ``title`` or
          ``id``, and one of ``text``, ``markdown``, ``code`` (optionally with ``language``) and ``image`` (a
          path within the folder of the table, optionally with ``description``). Without any of these, the
          name is shown;
        - a table of answers with the columns ``prompt``, ``model`` and ``answer``, or with ``prompt`` and one
          column per model. JSON may have the answers in an object, ``{"prompt": …, "answers": {model: …}}``.
    kind : {"text", "markdown", "code", "image"}, optional
        How texts are shown. By default files and columns tell by their names, and answers are Markdown. In
        tables, ``"image"`` means that the texts are paths of images.

    Returns
    -------
    list of Shown
        One entry per item, or per item and prompt.

    Raises
    ------
    ValueError
        If a file, row or column cannot be used, an item appears twice, or there are fewer than two items.
    """
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder '{path}'")
    if path.is_dir():
        placed = _folder(path, kind)
    else:
        placed = _lines(path, kind) if path.suffix.lower() == ".txt" else read_table(path, kind)
    found = _each_once(placed)
    if len({shown.item for shown in found}) < 2:
        has = f"only {quoted(found[0].item)}" if found else "none"
        raise ValueError(f"a vote needs at least two items, and '{path}' has {has}")
    _warn_of_lone_answers(found)
    return found


def _lines(path: Path, kind: Kind | None) -> Placed:
    """The lines of a text file, each a name that is shown as it is."""
    if kind == "image":
        raise ValueError(f"'{path}' has names only; list images in a table with the columns name and image")
    lines = decoded(read_at_most(path, MOST_TEXT), f"'{path}'").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            name = checked_name(line, f"line {number:,}")
            yield f"line {number:,}", Shown(name, kind or "text", name)


def _each_once(placed: Placed) -> list[Shown]:
    """Everything that was read; an error if an item has two answers to one prompt."""
    found: dict[tuple[str, str], tuple[str, Shown]] = {}
    for where, shown in placed:
        key = shown.item, shown.prompt
        if key in found:
            again = " for the same prompt" if shown.prompt else ""
            raise ValueError(
                f"{where} has the item {quoted(shown.item)} again{again}, after {found[key][0]}; "
                "remove or rename one of them"
            )
        found[key] = where, shown
    return [shown for _, shown in found.values()]


def _warn_of_lone_answers(found: list[Shown]) -> None:
    """Say which prompts can never be shown, because there are no two answers to them."""
    answers = Counter(shown.prompt for shown in found)
    if alone := [prompt for prompt, number in answers.items() if number == 1]:
        warnings.warn(
            f"{counted(len(alone), 'prompt')} with a single answer will not be shown: {listed(alone)}",
            stacklevel=3,
        )


# ------------------------------------------------------------------------------------ folders


def _folder(folder: Path, kind: Kind | None) -> Placed:
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
