"""Fitted models as files: skops, never pickle, so that a file holds data and cannot run anything.

A file is a zip of what `skops <https://skops.readthedocs.io>`_ writes and ``podium.json``, which says which
podium wrote it and what the model expects. It keeps what predictions and intervals need. It leaves out the
rows that a model was fitted to, and of a solver's run all but its solution and certificate.

Types are checked before anything is made of them: those of podium, and of scikit-learn estimators, splitters
and kernels, which are Python objects that hold numbers. Numbers are taken at their word: a file that somebody
tampered with cannot run code, but it can predict nonsense. That is why the trees of scikit-learn are not
among these types. They follow the numbers in a file through memory without looking, and wrong ones can crash
the process: `load` takes them only from those who say that they trust the file.
"""

import copy
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.atomic import checked_path, write_whole

if TYPE_CHECKING:
    from podium.solvers.result import SolverResult

SUFFIX = ".skops"
ABOUT = "podium.json"
HOMES = ("podium.kernels", "podium.models.", "podium.ratings.", "podium.solvers.")
PEERS = ("numpy.", "scipy.", "sklearn.")  # whose types a file may hold
SPARSE = ("scipy.sparse._csr.csr_array",)  # kept by skops as plain arrays
# Classes of scikit-learn whose instances, and those of their subclasses in it, are made without running
# anything; what they hold is checked like everything else.
PLAIN = {
    "sklearn.base.BaseEstimator",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.gaussian_process.kernels.Kernel",
    "sklearn.model_selection._split.BaseCrossValidator",
    "sklearn.model_selection._split.BaseShuffleSplit",
    "sklearn.neural_network._stochastic_optimizers.BaseOptimizer",
}
DAMAGE = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, json.JSONDecodeError, UnicodeDecodeError)


def save(model: Any, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model of podium to a ``.skops`` file, whole or not at all.

    ``about`` is what else a reader should know, in terms of JSON; `about` reads it without the model.

    >>> import podium, tempfile, pathlib
    >>> games = podium.datasets.load_chess_club()
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chess.skops"
    >>> podium.save(podium.BradleyTerry().fit(games), path)
    >>> podium.load(path).predict_proba(games[:1]).round(2)
    array([[0.5 , 0.28, 0.22]])
    """
    skops = _skops()
    path = check_target(path)
    if not _is_ours(_name(model)):
        raise ValueError(f"podium saves its own models, and {type(model).__name__} is none of them")
    try:
        content = skops.dumps(_mapped(model, _lean), compression=zipfile.ZIP_DEFLATED)
    except TypeError as error:
        raise ValueError(f"this {type(model).__name__} cannot be saved: {_first_line(error)}") from None
    if foreign := [name for name in _foreign_types(content) if not name.startswith(PEERS)]:
        raise ValueError(
            f"this {type(model).__name__} holds '{foreign[0]}', which a file of podium cannot hold; use a "
            "model without it"
        )
    write_whole(
        path, _with_member(content, {"podium": _version(), "class": type(model).__name__, **(about or {})})
    )


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
    _check_version(about(path)["podium"], path)
    try:
        foreign = {*_foreign_types(content)} - {name for name in trusted if name.startswith(PEERS)}
        if foreign:
            raise ValueError(_refusal(path, sorted(foreign)))
        return skops.loads(content, trusted=skops.get_untrusted_types(data=content))
    except (*DAMAGE, TypeError, AttributeError, ImportError) as error:
        raise ValueError(f"'{path}' is damaged: {_first_line(error)}") from None


def _refusal(path: Any, names: list[str]) -> str:
    worst = next((name for name in names if not name.startswith(PEERS)), None)
    why = f"'{path}' holds the type '{worst or names[0]}', which podium does not trust; "
    return why + (
        "it is refused" if worst else f"if you trust who made the file, load it with trusted={names}"
    )


def about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a saved file says of itself: the version that wrote it, the class of the model, and ``about``."""
    try:
        with zipfile.ZipFile(io.BytesIO(_content(path))) as file:
            said = json.loads(file.read(ABOUT))
    except DAMAGE:
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("podium"), str):
        raise ValueError(f"'{path}' is no model that podium saved, or was cut off")
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
        raise ImportError("saved models need skops: pip install 'podium[save]'") from None
    return skops.io


def _version() -> str:
    from podium import __version__

    return __version__


def _check_version(written: str, path: Any) -> None:
    ours = _version()
    if written.split(".")[:2] != ours.split(".")[:2]:
        raise ValueError(
            f"'{path}' was saved by podium {written} and this is {ours}, which reads files of "
            f"{'.'.join(ours.split('.')[:2])} only; fit the model again"
        )


def _with_member(content: bytes, said: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(ABOUT, json.dumps(said, ensure_ascii=False, indent=1))
    return buffer.getvalue()


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


# ------------------------------------------------------------------------------------ what is kept


def _lean(value: Any) -> Any:
    """No rows, and not the insides of a solver."""
    from podium.comparisons import Comparisons
    from podium.solvers.result import SolverResult

    if isinstance(value, Comparisons):
        return None
    return _lean_result(value) if isinstance(value, SolverResult) else value


def _lean_result(result: "SolverResult") -> "SolverResult":
    """The solution and its certificate; the objective is a number, no longer a function."""
    small = {
        name: fact for name, fact in result.details.items() if isinstance(fact, str | int | float | np.number)
    }
    lean = replace(result, objective_of=None, details=small)  # type: ignore[arg-type]
    lean.__dict__["objective"] = float(result.objective)  # what the cached property would find
    return lean


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of a model in which every part is changed, however deep it is."""
    if (changed := change(value)) is not value:
        return changed
    if type(value) in (list, tuple):
        return type(value)(_mapped(part, change) for part in value)
    if type(value) is dict:
        return {key: _mapped(part, change) for key, part in value.items()}
    if _is_trusted(_name(value)) and hasattr(value, "__dict__"):
        twin = copy.copy(value)
        twin.__dict__.update({name: _mapped(part, change) for name, part in vars(value).items()})
        return twin
    return value


# ------------------------------------------------------------------------------------ what is trusted


def _foreign_types(content: bytes) -> list[str]:
    return [
        name
        for name in _skops().get_untrusted_types(data=content)
        if name not in SPARSE and not _is_trusted(name)
    ]


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _is_trusted(name: str) -> bool:
    return _is_ours(name) or _is_plain(name)


def _is_ours(name: str) -> bool:
    """Whether a name is that of an estimator or a record that podium itself defines."""
    from sklearn.base import BaseEstimator

    found = _defined(name, HOMES)
    if found is None:
        return False
    return issubclass(found, BaseEstimator) or is_dataclass(found) or hasattr(found, "_fields")


def _is_plain(name: str) -> bool:
    """Whether a name is that of an estimator of scikit-learn, or of a plain object that one has."""
    found = _defined(name, ("sklearn.",))
    return found is not None and any(
        f"{base.__module__}.{base.__qualname__}" in PLAIN for base in found.__mro__
    )


def _defined(name: str, homes: tuple[str, ...]) -> type | None:
    """The class of this name, if one of these modules defines it; no test is imported to find out."""
    home, _, short = name.rpartition(".")
    if not f"{home}.".startswith(homes) or "__" in home or "test" in home:
        return None
    try:
        found = getattr(import_module(home), short, None)
    except ImportError:
        return None
    return found if isinstance(found, type) and found.__module__ == home else None
