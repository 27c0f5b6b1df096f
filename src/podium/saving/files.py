"""Fitted models as files: skops, never pickle, so that a file holds data and cannot run anything.

A file is a zip of what `skops <https://skops.readthedocs.io>`_ writes and ``podium.json``, which says which
podium wrote it and what the model expects. It keeps what predictions and intervals need. It leaves out the
rows that a model was fitted to, and of a solver's run all but its solution and certificate.

Types are checked before anything is made of them; `trusted_types` says which are taken. Others, such as the
trees of scikit-learn, `load` takes only from those who say that they trust the file.
"""

import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from podium.saving.lean import lean
from podium.saving.trusted_types import PEERS, foreign_types, is_ours, type_name
from podium.writing.atomic import checked_path, write_whole

SUFFIX = ".skops"
ABOUT = "podium.json"
FORMAT = 2  # goes up whenever the fitted attributes of a model change their meaning
OURS = ("podium", "podium-format", "class")  # what every file says of itself


def save(model: Any, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model of podium to a ``.skops`` file, whole or not at all.

    ``about`` is what else a reader should know, in terms of JSON and under names other than "podium" and
    "class"; `podium.saving.about` reads it without the model.

    >>> import podium, tempfile, pathlib
    >>> games = podium.datasets.load_chess_club()
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chess.skops"
    >>> podium.save(podium.BradleyTerry().fit(games), path)
    >>> podium.load(path).predict_proba(games[:1]).round(2)
    array([[0.5 , 0.28, 0.22]])
    """
    skops = _skops()
    path = check_target(path)
    said = _said(model, about)
    if not is_ours(type_name(model)):
        raise ValueError(f"podium saves its own models, and {type(model).__name__} is none of them")
    try:
        content = skops.dumps(lean(model), compression=zipfile.ZIP_DEFLATED)
    except TypeError as error:
        raise ValueError(f"this {type(model).__name__} cannot be saved: {_first_line(error)}") from None
    held = foreign_types(skops.get_untrusted_types(data=content))
    if foreign := [name for name in held if not name.startswith(PEERS)]:
        raise ValueError(
            f"this {type(model).__name__} holds '{foreign[0]}', which a file of podium cannot hold; use a "
            "model without it"
        )
    write_whole(path, _with_member(content, said))


def _said(model: Any, about: Mapping[str, Any] | None) -> str:
    """What the file says of itself, as JSON."""
    if about is not None and not isinstance(about, Mapping):
        raise ValueError(f"about= takes a dict, not {type(about).__name__}")
    if taken := [name for name in OURS if name in (about or {})]:
        raise ValueError(f"about= has '{taken[0]}', which podium itself says of every file; rename it")
    own = {"podium": _version(), "podium-format": FORMAT, "class": type(model).__name__}
    said = {**own, **(about or {})}
    try:
        return json.dumps(said, ensure_ascii=False, indent=1)
    except (TypeError, ValueError) as error:
        raise ValueError(f"about= has what JSON cannot hold: {_first_line(error)}") from None


def check_target(path: str | os.PathLike[str]) -> Path:
    """The path, if a model can be saved there."""
    if Path(path).suffix.lower() != SUFFIX:
        raise ValueError(f"a model is saved as {SUFFIX}, and '{path}' ends otherwise; choose such a name")
    _skops()
    return checked_path(path, [SUFFIX])


def load(path: str | os.PathLike[str], trusted: Iterable[str] = ()) -> Any:
    """Read a model that `save` wrote.

    The file has to come from the same minor version of podium (0.1.0 reads 0.1.7, not 0.2.0), and may hold
    numbers, text, and types of podium and scikit-learn that are known to be safe. Others, such as a tree of
    scikit-learn, are refused by name; if you trust who made the file, name them in ``trusted``.

    >>> import podium, tempfile, pathlib
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "trees.skops"
    >>> trees = podium.CodedClassifier(DecisionTreeClassifier()).fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    >>> podium.save(trees, path)
    >>> podium.load(path, trusted=["sklearn.tree._tree.Tree"]).predict([[2.1]])
    array(['b'], dtype='<U1')
    """
    skops = _skops()
    content = _content(path)
    _check_version(_facts(content, path), path)
    with _damage(f"'{path}' is damaged"):
        held = skops.get_untrusted_types(data=content)
    if foreign := {*foreign_types(held)} - {name for name in trusted if name.startswith(PEERS)}:
        raise ValueError(_refusal(path, sorted(foreign)))
    with _damage(f"'{path}' is damaged"):
        return skops.loads(content, trusted=held)


@contextmanager
def _damage(sentence: str) -> Iterator[None]:
    """Whatever a reader stumbles over in a file that is not as it was written is this sentence."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(f"{sentence}: {_first_line(error) or type(error).__name__}") from None


def _refusal(path: Any, names: list[str]) -> str:
    worst = next((name for name in names if not name.startswith(PEERS)), None)
    why = f"'{path}' holds the type '{worst or names[0]}', which podium does not trust; "
    return why + (
        "it is refused" if worst else f"if you trust who made the file, load it with trusted={names}"
    )


def about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a saved file says of itself: the version that wrote it, the class of the model, and ``about``."""
    return {name: fact for name, fact in _facts(_content(path), path).items() if name != "podium-format"}


def _facts(content: bytes, path: Any) -> dict[str, Any]:
    foreign = f"'{path}' is no model that podium saved, or was cut off"
    with _damage(foreign):
        file = zipfile.ZipFile(io.BytesIO(content))
    with file, _damage(f"'{path}' is damaged"):
        members = {name: file.read(name) for name in file.namelist()}  # which checks every checksum
    with _damage(foreign):
        said = json.loads(members[ABOUT])
    if not isinstance(said, dict) or not isinstance(said.get("podium"), str):
        raise ValueError(foreign)
    return said


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file '{path}'") from None
    except IsADirectoryError:
        raise ValueError(f"'{path}' is a directory; name a saved model") from None


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ImportError("saved models need skops: pip install 'podium-learn[save]'") from None
    return skops.io


def _version() -> str:
    from podium.version import __version__

    return __version__


def _check_version(facts: dict[str, Any], path: Any) -> None:
    written, ours = facts["podium"], _version()
    if written.split(".")[:2] != ours.split(".")[:2]:
        raise ValueError(
            f"'{path}' was saved by podium {written} and this is {ours}, which reads files of "
            f"{'.'.join(ours.split('.')[:2])} only; fit the model again"
        )
    if facts.get("podium-format", 1) != FORMAT:
        raise ValueError(
            f"'{path}' was saved by an earlier state of podium {ours}, whose models have other attributes; "
            "fit the model again"
        )


def _with_member(content: bytes, said: str) -> bytes:
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(ABOUT, said)
    return buffer.getvalue()


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
