"""Save fitted models with skops, never pickle, so that a file holds only data and cannot run code.

A file is a zip archive of what `skops <https://skops.readthedocs.io>`_ writes, plus ``podium.json``, which
says which version of podium wrote it and what the model expects. It keeps what predictions and intervals
need. It leaves out the rows that the model was fitted to, and everything about the solver except the
solution and its certificate.

Types are checked before any object is created; `trusted_types` lists the safe ones. `load` accepts others,
such as the trees of scikit-learn, only if the caller trusts the file.
"""

import copy
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.arrays.devices.boundary import from_device
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.saving.trusted_types import PEERS, foreign_types, is_ours, is_trusted, type_name
from podium.version import __version__
from podium.writing.atomic import checked_path, write_whole

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult

SUFFIX = ".skops"
ABOUT = "podium.json"
FORMAT = 5  # goes up whenever the fitted attributes of a model change their meaning
ROUTING = "_metadata_request"  # of `set_fit_request`: no prediction needs it, and it refers to itself
OURS = ("podium", "podium-format", "class")  # the keys of podium.json that podium itself writes


def save(model: Any, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Save a fitted model of podium to a ``.skops`` file. The file is written completely or not at all.

    Parameters
    ----------
    model : estimator
        A fitted model of podium, or a pipeline of scikit-learn whose last step is one.
    path : str or path
        The file, which must end in ``.skops``.
    about : dict, default=None
        Anything else that a reader should know; it must be valid JSON and must not use the keys "podium" and
        "class". ``podium.saving.about`` reads it without loading the model.

    See Also
    --------
    load : load a saved model

    Examples
    --------
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
    [last] = [step for _, step in getattr(model, "steps", [("", model)])[-1:]]
    if not is_ours(type_name(last)):
        where = " at the end of a Pipeline" if last is not model else ""
        raise ValueError(f"podium saves only its own models, not {type(last).__name__}{where}")
    try:
        content = skops.dumps(_lean(model), compression=zipfile.ZIP_DEFLATED)
    except TypeError as error:
        raise ValueError(f"this {type(model).__name__} cannot be saved: {_first_line(error)}") from None
    held = foreign_types(skops.get_untrusted_types(data=content))
    if foreign := [name for name in held if not name.startswith(PEERS)]:
        raise ValueError(
            f"this {type(model).__name__} contains '{foreign[0]}', which cannot be saved; use a model "
            "without it"
        )
    write_whole(path, _with_member(content, said))


def _said(model: Any, about: Mapping[str, Any] | None) -> str:
    """The content of podium.json."""
    if about is not None and not isinstance(about, Mapping):
        raise ValueError(f"about must be a dict, not {type(about).__name__}")
    if taken := [name for name in OURS if name in (about or {})]:
        raise ValueError(f"about has the key '{taken[0]}', which podium uses itself; rename it")
    own = {"podium": __version__, "podium-format": FORMAT, "class": type(model).__name__}
    said = {**own, **(about or {})}
    try:
        return json.dumps(said, ensure_ascii=False, indent=1)
    except (TypeError, ValueError) as error:
        raise ValueError(f"about cannot be written as JSON: {_first_line(error)}") from None


def check_target(path: str | os.PathLike[str]) -> Path:
    """Check that a model can be saved at this path."""
    if Path(path).suffix.lower() != SUFFIX:
        raise ValueError(f"a model is saved as {SUFFIX}, but '{path}' has another ending; rename it")
    _skops()
    return checked_path(path, [SUFFIX])


# ------------------------------------------------------------------------------------ what is kept


def _lean(value: Any) -> Any:
    """A copy of a model, or of a part of it, without anything that is not saved, at any depth."""
    from podium.numerics.result import SolverResult

    if isinstance(value, Comparisons | Rankings):
        return None
    if isinstance(value, SolverResult):
        return _lean_result(value)
    value = from_device(value)  # a file should also load where there is no such device
    if type(value) in (list, tuple):
        return type(value)(_lean(part) for part in value)
    if type(value) is dict:
        return {key: _lean(part) for key, part in value.items()}
    if is_trusted(type_name(value)) and hasattr(value, "__dict__"):
        twin, kept = copy.copy(value), vars(value)
        if is_dataclass(value) and not hasattr(value, "get_params"):  # cached values are computed again
            kept = {field.name: getattr(value, field.name) for field in fields(value)}
        twin.__dict__.clear()
        twin.__dict__.update({name: _lean(part) for name, part in kept.items() if name != ROUTING})
        return twin
    return value


def _lean_result(result: "SolverResult") -> "SolverResult":
    """The solution and its certificate; the objective becomes a number instead of a function."""
    small = {
        name: fact for name, fact in result.details.items() if isinstance(fact, str | int | float | np.number)
    }
    kept = replace(result, objective_of=None, details=small)  # type: ignore[arg-type]
    kept.__dict__["objective"] = float(result.objective)  # the value of the cached property
    return kept


# ------------------------------------------------------------------------------------ load


def load(path: str | os.PathLike[str], trusted: Iterable[str] = ()) -> Any:
    """Load a model that `save` wrote.

    The file must come from the same minor version of podium: 0.1.0 reads files of 0.1.7, but not of 0.2.0.
    It may contain numbers, text, and types of podium and scikit-learn that are known to be safe.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : iterable of str, default=()
        Names of other types to accept, such as a tree of scikit-learn. Use it only if you trust the source of
        the file.

    Returns
    -------
    estimator
        The fitted model.

    See Also
    --------
    save : save a fitted model

    Examples
    --------
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
    """Turn any error in reading a damaged file into a ValueError with this sentence."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        reason = _first_line(error) or type(error).__name__
        if "pickle" in reason:  # NumPy advises to load such an array unsafely
            reason = "an array in it does not begin as arrays do"
        raise ValueError(f"{sentence}: {reason}") from None


def _refusal(path: Any, names: list[str]) -> str:
    worst = next((name for name in names if not name.startswith(PEERS)), None)
    why = f"'{path}' holds the type '{worst or names[0]}', which podium does not trust; "
    return why + (
        "it is refused" if worst else f"if you trust the source of the file, load it with trusted={names}"
    )


def about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the description of a saved model without loading the model.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    dict
        The version of podium that wrote the file ("podium"), the class of the model ("class"), and what was
        given as ``about`` to `save`.
    """
    return {name: fact for name, fact in _facts(_content(path), path).items() if name != "podium-format"}


def _facts(content: bytes, path: Any) -> dict[str, Any]:
    foreign = f"'{path}' is not a model saved by podium, or it is incomplete"
    with _damage(foreign):
        file = zipfile.ZipFile(io.BytesIO(content))
    with file, _damage(f"'{path}' is damaged"):
        members = {name: file.read(name) for name in file.namelist()}  # reading checks every checksum
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
        raise ValueError(f"'{path}' is a directory; give the path of a saved model") from None


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ImportError("saved models need skops: pip install 'podium-learn[save]'") from None
    return skops.io


def _check_version(facts: dict[str, Any], path: Any) -> None:
    written, ours = facts["podium"], __version__
    if written.split(".")[:2] != ours.split(".")[:2]:
        raise ValueError(
            f"'{path}' was saved by podium {written}, but this is podium {ours}, which reads only files of "
            f"{'.'.join(ours.split('.')[:2])}; fit the model again"
        )
    if facts.get("podium-format", 1) != FORMAT:
        raise ValueError(
            f"'{path}' was saved by an earlier development version of podium {ours}, whose models have other "
            "attributes; fit the model again"
        )


def _with_member(content: bytes, said: str) -> bytes:
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(ABOUT, said)
    return buffer.getvalue()


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
