"""The files that a path, a pattern, a folder, a zip archive or a list of them names."""

import glob
import os
import re
import shutil
import tempfile
import weakref
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from podium.comparisons.messages import listed

PARQUET, JSON, WORKBOOK, SVMLIGHT, TEXT = "Parquet", "JSON", "workbook", "svmlight", "text"
PREFLIB, DATABASE, ARRAY = "PrefLib", "database", "array"
KIND_OF = {
    **dict.fromkeys((".parquet", ".pq"), PARQUET),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), JSON),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), WORKBOOK),
    **dict.fromkeys((".svmlight", ".svm", ".libsvm", ".letor"), SVMLIGHT),
    **dict.fromkeys((".soc", ".soi", ".toc", ".toi"), PREFLIB),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), DATABASE),
    ".npy": ARRAY,
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ""), TEXT),
}
ANY_TEXT = {".txt", ".dat", ".data", ""}  # endings that say nothing: a table, svmlight, or a file to read
# A folder has these by the way:
ASIDE = {ending for ending, kind in KIND_OF.items() if kind in (DATABASE, ARRAY)}
PACKED = {".gz": "gzip", ".zst": "zstd"}
READ = ".csv, .tsv, .txt, .json, .jsonl, .parquet, .xlsx, .svmlight, .soc, .gz, .zst, .zip, .npy and .db"
ADDRESS = re.compile(r"[a-z][\w+.-]+://", re.IGNORECASE)  # a drive such as C:// has one letter
SQLITE = re.compile(r"sqlite(?:\+pysqlite)?:///([^?]+).*", re.IGNORECASE)


class Folder:
    """A temporary folder that is deleted when it is no longer needed."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="podium-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True)
class File:
    """A file to read: where its bytes are, and the name that messages give it."""

    path: Path
    name: str
    ending: str  # .csv of games.csv.gz
    packed: str | None = None  # how it is compressed
    within: Folder | None = None  # where it was unpacked to, which lives as long as the file is needed

    @property
    def kind(self) -> str:
        return KIND_OF[self.ending]

    def __str__(self) -> str:
        return self.name


def is_path(source: Any) -> bool:
    """Whether the source is a path, a pattern, an address or a list of them."""
    parts = source if isinstance(source, list | tuple) else [source]
    return bool(parts) and all(isinstance(part, str | Path) for part in parts)


def address_of(source: Any) -> str | None:
    """The database address that the source is, None if it names files; an error if it is both."""
    parts = source if isinstance(source, list | tuple) else [source]
    found = [part for part in parts if is_address(part)]
    if found and len(parts) > 1:
        raise ValueError(f"'{without_password(found[0])}' is a database, which is read on its own")
    return found[0] if found else None


def is_address(source: Any) -> bool:
    """Whether this is an address such as postgresql://host/name, and no path."""
    return isinstance(source, str) and ADDRESS.match(source) is not None


def without_password(text: str) -> str:
    """Text as messages and reports show it: the password of an address is hidden.

    >>> without_password("postgresql://ann:secret@host/votes?sslpassword=secret")
    'postgresql://ann:***@host/votes?sslpassword=***'
    """
    if not ADDRESS.search(text):
        return text
    hidden = re.sub(r"(://[^:/?@]*):.*@", r"\1:***@", text)
    return re.sub(r"([?&][^=&]*password=)[^&]*", r"\1***", hidden, flags=re.IGNORECASE)


def files_of(source: Any) -> list[File]:
    """All files that a source names; the members of zip archives are unpacked."""
    paths = paths_of(source)
    real = Counter(map(os.path.realpath, paths))
    if twice := [path for path in paths if real[os.path.realpath(path)] > 1]:
        raise ValueError(f"'{twice[0]}' is named twice; name each file once")
    files: list[File] = []
    for path in paths:
        is_zip = path.suffix.lower() == ".zip"
        files += _members(path) if is_zip else [_file(path, str(path))]
    return files


# ------------------------------------------------------------------------------------ paths


def paths_of(source: Any) -> list[Path]:
    """The paths that a source names, archives as they are; an error for whatever else it names.

    The address of a server names no path, that of a SQLite file does.
    """
    if isinstance(source, list | tuple):
        return [path for part in source for path in paths_of(part)]
    if is_address(source):
        return [Path(file[1])] if (file := SQLITE.fullmatch(source)) else []
    path = Path(source)
    if path.is_dir():
        return _data_files(path)
    if path.is_file():
        return [path]
    if path.exists():
        raise ValueError(
            f"'{path}' is a pipe or a device, which cannot be read twice; save it to a file first"
        )
    if path.is_symlink():
        raise FileNotFoundError(f"'{path}' is a link that leads to no file")
    matched = glob.glob(str(source), recursive=True)
    if not matched:
        raise FileNotFoundError(f"there is no file '{source}'")
    if not (found := [path for path in map(Path, sorted(matched)) if path.is_file() and not _is_lock(path)]):
        raise FileNotFoundError(f"there is no file among what '{source}' matches, such as '{matched[0]}'")
    return found


def _data_files(folder: Path) -> list[Path]:
    """The tables in a folder and its subfolders."""
    inside = sorted(path for path in folder.rglob("*") if path.is_file())
    found = _tables(inside, [path.relative_to(folder) for path in inside])
    if not found:
        raise FileNotFoundError(f"there is no table in the folder '{folder}'; podium reads {READ}")
    return found


def _tables(files: Iterable[Any], names: Iterable[PurePath]) -> list[Any]:
    """The files whose ending says that they are tables; if there are none, those that may be tables.

    Hidden files and those that begin with an underscore are the bookkeeping of other programs, and so are
    most databases: Windows leaves a Thumbs.db in every folder of pictures. Arrays lie beside tables.
    """
    shown = [
        (file, name)
        for file, name in zip(files, names, strict=True)
        if not _is_lock(name) and not any(part.startswith((".", "_")) for part in name.parts)
    ]
    for endings in ({*KIND_OF, ".zip"} - ANY_TEXT - ASIDE, ANY_TEXT - {""}):
        if found := [file for file, name in shown if _ending(name)[0] in endings]:
            return found
    return []


def _is_lock(name: PurePath) -> bool:
    """Whether this is what Excel puts beside a workbook while it is open: ``~$games.xlsx``."""
    return name.name.startswith("~$")


def _ending(name: PurePath) -> tuple[str, str | None]:
    """The ending that tells the format, and the compression: .csv and gzip of games.csv.gz."""
    packed = PACKED.get(name.suffix.lower())
    return (PurePath(name.stem) if packed else name).suffix.lower(), packed


def _file(path: Path, name: str, within: Folder | None = None) -> File:
    ending, packed = _ending(path)
    if ending not in KIND_OF:
        raise ValueError(f"'{name}' ends in '{ending}'; podium reads {READ}")
    if packed and KIND_OF[ending] in (PARQUET, WORKBOOK):
        raise ValueError(f"'{name}' is compressed twice; unpack it first, to a file that ends in '{ending}'")
    if packed and ending in ASIDE:
        raise ValueError(f"'{name}' is a compressed {KIND_OF[ending]}; unpack it first")
    return File(path, name, ending, packed, within)


# ------------------------------------------------------------------------------------ archives


def _members(archive: Path) -> list[File]:
    """The tables in a zip archive, unpacked."""
    folder = Folder()
    try:
        with zipfile.ZipFile(archive) as opened:
            inside = [member for member in opened.infolist() if not member.is_dir()]
            names = [PurePath(member.filename) for member in inside]
            if not (found := _tables(inside, names)):
                has = listed(map(str, names)) or "nothing"
                raise ValueError(f"'{archive}' has no table in it, but {has}; podium reads {READ}")
            return [
                _file(Path(opened.extract(each, folder.path)), f"{archive}/{each.filename}", folder)
                for each in found
            ]
    except (zipfile.BadZipFile, EOFError, zlib.error):
        raise ValueError(f"'{archive}' is not a whole zip archive; it may be damaged or cut off") from None
    except (RuntimeError, NotImplementedError):
        raise ValueError(f"'{archive}' is encrypted, or packed in an unusual way; unpack it first") from None
