"""Tables of items, and tables of answers: one row per answer, or one column per model."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    return _Table(path, kind).read()


class _Table:
    """A table of items or of answers; ``columns`` has the names of its columns by their plain spelling."""

    def __init__(self, path: Path, kind: Kind | None) -> None:
        self.path = path
        self.kind = kind
        self.opened = open_table(path)
        self.columns = {name.strip().casefold(): name for name in self.opened.header}

    def read(self) -> Placed:
        header, columns = self.opened.header, self.columns
        if "prompt" not in columns:
            return self._items()
        if nested := [name for name in header if name.casefold().startswith(NESTED)]:
            return self._wide(nested)
        model, answer = self._first(MODEL), self._only(ANSWER)
        if model and answer:
            return self._long(model, answer)
        if model or answer:
            has, lacks = ("models", "answers") if model else ("answers", "models")
            found = columns[model or answer or ""]
            raise ValueError(
                f"'{self.path}' has {has} in its column '{found}' but no column of {lacks}; name that column "
                f"'{lacks[:-1]}', or rename '{found}' if there is one column per model"
            )
        return self._wide([name for key, name in columns.items() if key not in ("prompt", *ROW_NUMBERS)])

    # -------------------------------------------------------------------------------- layouts

    def _items(self) -> Placed:
        """One row per item; an item without content is shown as its name."""
        columns = self.columns
        name, content = self._first(ITEM), self._only(CONTENT)
        if name is None:
            raise ValueError(
                f"'{self.path}' has no column of names; name one of its columns {listed(self.opened.header)} "
                "'name', or add a column 'prompt' if it has answers"
            )
        if content is None and self.kind == "image":
            raise ValueError(f"'{self.path}' has no column 'image' with the paths of the images; add one")
        extra = [key for key in ("language", "description") if key in columns]
        for where, (item, text, *more) in self._rows(columns[key] for key in (name, content or name, *extra)):
            about = {
                key: checked_text(cell, f"column '{columns[key]}' in {where}")
                for key, cell in zip(extra, more, strict=True)
                if cell.strip()
            }
            kind = self._kind(content or "text", CONTENT)
            item = checked_name(item, f"the name in {where}")
            place = f"column '{columns[content or name]}' in {where}"
            yield where, self._shown(item, text, kind, place, **about)

    def _long(self, model: str, answer: str) -> Placed:
        """One row per prompt and model."""
        names = [self.columns[key] for key in ("prompt", model, answer)]
        kind = self._kind(answer, ANSWER)
        for where, (prompt, item, text) in self._rows(names):
            item = checked_name(item, f"column '{names[1]}' in {where}")
            prompt = checked_text(prompt, f"the prompt in {where}")
            yield where, self._shown(item, text, kind, f"column '{names[2]}' in {where}", prompt)

    def _wide(self, models: Sequence[str]) -> Placed:
        """One row per prompt, one column per model; an empty cell means that the model has no answer."""
        empty = 0
        for where, (prompt, *answers) in self._rows([self.columns["prompt"], *models]):
            prompt = checked_text(prompt, f"the prompt in {where}")
            for column, answer in zip(models, answers, strict=True):
                if not answer.strip():
                    empty += 1
                    continue
                nested = column.casefold().startswith(NESTED)
                model = checked_name(column.partition(".")[2] if nested else column, "the name of a model")
                place = f"column '{column}' in {where}"
                yield place, self._shown(model, answer, self.kind or "markdown", place, prompt)
        if empty:
            warnings.warn(
                f"{counted(empty, 'cell')} without an answer in '{self.path}'; they are left out",
                stacklevel=2,
            )

    # -------------------------------------------------------------------------------- parts

    def _rows(self, used: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The rows with the cells of some columns; a warning names the other columns."""
        used = list(used)
        if unused := [name for name in self.opened.header if name not in used]:
            warnings.warn(f"{counted(len(unused), 'column')} not shown: {listed(unused)}", stacklevel=3)
        yield from rows(self.opened, used)

    def _first(self, names: Sequence[str]) -> str | None:
        return next((name for name in names if name in self.columns), None)

    def _only(self, kinds: Mapping[str, Kind]) -> str | None:
        """The one column with content, if there is any."""
        found = [name for name in kinds if name in self.columns]
        if len(found) > 1:
            one, other = (self.columns[name] for name in found[:2])
            raise ValueError(
                f"the columns '{one}' and '{other}' could both be what is shown; remove or rename one of them"
            )
        return found[0] if found else None

    def _kind(self, column: str, kinds: Mapping[str, Kind]) -> Kind:
        return "image" if column == "image" else self.kind or kinds[column]

    def _shown(
        self,
        item: str,
        text: str,
        kind: Kind,
        where: str,
        prompt: str = "",
        language: str = "",
        description: str = "",
    ) -> Shown:
        """A cell as a thing to show: a text, or the path of an image."""
        text = checked_text(text, where)
        if kind == "image":
            return Shown(item, kind, description, prompt, _image(self.path.parent, text.strip(), where))
        return Shown(item, kind, text, prompt, language=language if kind == "code" else "")


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
    if not os.path.isfile(path):  # noqa: PTH113 (Path.is_file fails if the name is too long)
        raise ValueError(f"{where} names a file that does not exist: {quoted(cell)}; correct the path")
    return checked_image(read_at_most(path, MOST_IMAGE), path.suffix.lower(), f"{where}, {quoted(cell)},")
