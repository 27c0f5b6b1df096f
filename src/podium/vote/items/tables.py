"""Tables of items, and tables of answers: one row per answer, or one column per model."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from podium.comparisons.messages import listed, quoted, row_name
from podium.comparisons.summary import counted
from podium.reading.files import open_table
from podium.reading.sources.opened import Opened
from podium.vote.items.checks import MOST_IMAGE, TYPES, checked_image, checked_name, checked_text
from podium.vote.items.files import Placed, is_inside, read_at_most
from podium.vote.nouns import Kind, Shown

ITEM = ("name", "item", "title", "id")
CONTENT: dict[str, Kind] = {"text": "text", "markdown": "markdown", "code": "code", "image": "image"}
MODEL = ("model", "system", "item", "name")
ANSWER: dict[str, Kind] = {
    **dict.fromkeys(("answer", "response", "output", "completion"), "markdown"),
    **CONTENT,
    "text": "markdown",
}
NESTED = ("answers.", "responses.", "outputs.", "completions.", "models.")
ROW_NUMBERS = ("id", "index", "column 1", "unnamed: 0")  # columns that spreadsheets and pandas add


def read_table(path: Path, kind: Kind | None) -> Placed:
    """The items of a table, or the answers in it, each with its row."""
    opened = open_table(path)
    columns = {name.strip().casefold(): name for name in opened.header}
    if "prompt" not in columns:
        return _items(opened, columns, path, kind)
    if nested := [name for name in opened.header if name.casefold().startswith(NESTED)]:
        return _wide(opened, columns, nested, path, kind)
    model, answer = _first(columns, MODEL), _only(columns, ANSWER)
    if model and answer:
        return _long(opened, columns, (model, answer), path, kind)
    if model or answer:
        has, lacks = ("models", "answers") if model else ("answers", "models")
        found = columns[model or answer or ""]
        raise ValueError(
            f"'{path}' has {has} in its column '{found}' but no column of {lacks}; name that column "
            f"'{lacks[:-1]}', or rename '{found}' if there is one column per model"
        )
    models = [name for key, name in columns.items() if key not in ("prompt", *ROW_NUMBERS)]
    return _wide(opened, columns, models, path, kind)


def rows(opened: Opened, columns: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The cells of some columns as text, row by row, each row with its number; empty cells are ""."""
    if missing := [name for name in columns if name not in opened.header]:
        raise ValueError(f"there is no column '{missing[0]}'; the columns are {listed(opened.header)}")
    table = opened.load(list(dict.fromkeys(columns)))
    for number, cells in enumerate(zip(*(table[name].to_pylist() for name in columns), strict=True)):
        for name, cell in zip(columns, cells, strict=True):
            if isinstance(cell, list | dict | bytes):
                raise ValueError(f"column '{name}' has {quoted(cell)} in {row_name(number)}; it must be text")
        yield row_name(number), tuple("" if cell is None else str(cell) for cell in cells)


# ------------------------------------------------------------------------------------ layouts


def _items(opened: Opened, columns: Mapping[str, str], path: Path, kind: Kind | None) -> Placed:
    """One row per item; an item without content is shown as its name."""
    name, content = _first(columns, ITEM), _only(columns, CONTENT)
    if name is None:
        raise ValueError(
            f"'{path}' has no column of names; name one of its columns {listed(opened.header)} 'name', or "
            "add a column 'prompt' if it has answers"
        )
    if content is None and kind == "image":
        raise ValueError(f"'{path}' has no column 'image' with the paths of the images; add one")
    extra = [key for key in ("language", "description") if key in columns]
    keys = [name, content or name, *extra]
    _warn_of_unused(opened, [columns[key] for key in keys])
    for where, (item, text, *more) in rows(opened, [columns[key] for key in keys]):
        about = {
            key: checked_text(cell, f"column '{columns[key]}' in {where}")
            for key, cell in zip(extra, more, strict=True)
            if cell.strip()
        }
        shown = _shown(
            checked_name(item, f"the name in {where}"),
            text,
            _kind(content or "text", CONTENT, kind),
            path.parent,
            f"column '{columns[content or name]}' in {where}",
            **about,
        )
        yield where, shown


def _long(
    opened: Opened, columns: Mapping[str, str], keys: tuple[str, str], path: Path, kind: Kind | None
) -> Placed:
    """One row per prompt and model."""
    names = [columns[key] for key in ("prompt", *keys)]
    _warn_of_unused(opened, names)
    for where, (prompt, model, answer) in rows(opened, names):
        shown = _shown(
            checked_name(model, f"column '{names[1]}' in {where}"),
            answer,
            _kind(keys[1], ANSWER, kind),
            path.parent,
            f"column '{names[2]}' in {where}",
            prompt=checked_text(prompt, f"the prompt in {where}"),
        )
        yield where, shown


def _wide(
    opened: Opened, columns: Mapping[str, str], models: Sequence[str], path: Path, kind: Kind | None
) -> Placed:
    """One row per prompt, one column per model; an empty cell means that the model has no answer."""
    _warn_of_unused(opened, [columns["prompt"], *models])
    empty = 0
    for where, (prompt, *answers) in rows(opened, [columns["prompt"], *models]):
        text = checked_text(prompt, f"the prompt in {where}")
        for column, answer in zip(models, answers, strict=True):
            if not answer.strip():
                empty += 1
                continue
            nested = column.casefold().startswith(NESTED)
            model = checked_name(column.partition(".")[2] if nested else column, "the name of a model")
            place = f"column '{column}' in {where}"
            yield place, _shown(model, answer, kind or "markdown", path.parent, place, prompt=text)
    if empty:
        warnings.warn(
            f"{counted(empty, 'cell')} without an answer in '{path}'; they are left out", stacklevel=2
        )


# ------------------------------------------------------------------------------------ parts


def _first(columns: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)


def _only(columns: Mapping[str, str], kinds: Mapping[str, Kind]) -> str | None:
    """The one column with content, if there is any."""
    found = [name for name in kinds if name in columns]
    if len(found) > 1:
        raise ValueError(
            f"the columns '{columns[found[0]]}' and '{columns[found[1]]}' could both be what is shown; "
            "remove or rename one of them"
        )
    return found[0] if found else None


def _kind(column: str, kinds: Mapping[str, Kind], given: Kind | None) -> Kind:
    return "image" if column == "image" else given or kinds[column]


def _shown(
    item: str,
    text: str,
    kind: Kind,
    folder: Path,
    where: str,
    prompt: str = "",
    language: str = "",
    description: str = "",
) -> Shown:
    """A cell as a thing to show: a text, or the path of an image."""
    text = checked_text(text, where)
    if kind == "image":
        return Shown(item, kind, description, prompt, _image(folder, text.strip(), where))
    return Shown(item, kind, text, prompt, language=language if kind == "code" else "")


def _image(folder: Path, cell: str, where: str) -> bytes:
    """The image at a path within the folder of the table, so that no table can publish other files."""
    path = folder / cell
    if "://" in cell or cell.lower().startswith("data:"):
        raise ValueError(
            f"{where} is a URL, {quoted(cell)}; download the image to the table's folder and name its path"
        )
    if PurePosixPath(cell).is_absolute() or PureWindowsPath(cell).drive or not is_inside(folder, path):
        raise ValueError(
            f"{where} leads out of the table's folder: {quoted(cell)}; put the image into that folder"
        )
    if path.suffix.lower() not in TYPES:
        raise ValueError(
            f"{where} is not the path of an image: {quoted(cell)}; podium shows {', '.join(TYPES)}"
        )
    if not _is_file(path):
        raise ValueError(f"{where} names a file that does not exist: {quoted(cell)}; correct the path")
    return checked_image(read_at_most(path, MOST_IMAGE), path.suffix.lower(), f"{where}, {quoted(cell)},")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long
        return False


def _warn_of_unused(opened: Opened, used: Sequence[str]) -> None:
    if unused := [name for name in opened.header if name not in used]:
        warnings.warn(f"{counted(len(unused), 'column')} not shown: {listed(unused)}", stacklevel=2)
