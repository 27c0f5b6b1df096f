"""``--set NAME=VALUE``: the parameters of a model, taken from its signature."""

import inspect
import json
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from podium.cli.options.registry import Model
from podium.cli.output.errors import did_you_mean

REQUIRED = inspect.Parameter.empty
WORDS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Parameter:
    """The words and types that a parameter takes."""

    name: str
    words: tuple[Any, ...]
    kinds: tuple[Any, ...]
    default: Any

    @property
    def wanted(self) -> str:
        """The values that it takes, in words."""
        names = {float: "a number", int: "a whole number", bool: "true or false", None: "none", str: "a word"}
        said = [names[kind] for kind in (bool, int, float, str) if kind in self.kinds]
        if dict in self.kinds:
            said.append("an object in JSON")
        if Any in self.kinds:
            said.append("a value in JSON")
        said += [repr(word) for word in self.words]
        if type(None) in self.kinds:
            said.append("none")
        return " or ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)

    def parse(self, text: str) -> Any:
        """The value that a text spells."""
        if text in self.words:
            return text
        if type(None) in self.kinds and text.casefold() == "none":
            return None
        for kind, reader in READERS:
            if kind in self.kinds:
                try:
                    return reader(text)
                except (ValueError, KeyError):
                    continue
        raise ValueError(f"--set {self.name} takes {self.wanted}, not '{text}'")


def _object(text: str) -> dict[Any, Any]:
    """Keys in JSON are text; those that look like integers become integers."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(text)
    return {int(key) if key.lstrip("-").isdigit() else key: value for key, value in found.items()}


READERS: tuple[tuple[Any, Callable[[str], Any]], ...] = (
    (bool, lambda text: WORDS[text.casefold()]),
    (int, int),
    (float, float),
    (dict, _object),
    (Any, json.loads),
    (str, str),
)


def parameters_of(model: Model) -> dict[str, Parameter]:
    """The parameters that can be set on a command line: no functions, and not what is ``given``."""
    signature = inspect.signature(model.load().__init__)
    found = {}
    for name, parameter in list(signature.parameters.items())[1:]:
        words, kinds = _allowed(parameter.annotation)
        if name not in model.given and (words or kinds):
            found[name] = Parameter(name, words, kinds, parameter.default)
    return found


def _allowed(annotation: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The words and types of an annotation, without what cannot be typed on a command line."""
    if annotation in (REQUIRED, Any):
        return (), (Any,)
    origin = get_origin(annotation)
    if origin is Literal:
        return get_args(annotation), ()
    if origin in (Union, types.UnionType):
        parts = [_allowed(part) for part in get_args(annotation)]
        return tuple(w for words, _ in parts for w in words), tuple(k for _, kinds in parts for k in kinds)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return (), (dict,)
    return (), (annotation,) if annotation in (bool, int, float, str, type(None)) else ()


def parse_settings(settings: Iterable[str], models: Iterable[Model]) -> dict[str, dict[str, Any]]:
    """For each model its parameters out of ``NAME=VALUE`` and ``MODEL.NAME=VALUE``.

    Without a model, a parameter is meant for all that have it; it is an error if none does.
    """
    known = {model.name: parameters_of(model) for model in models}
    chosen: dict[str, dict[str, Any]] = {name: {} for name in known}
    given: set[str] = set()
    for setting in settings:
        target, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--set takes NAME=VALUE, such as C=10, not '{setting}'")
        only, _, name = target.strip().rpartition(".")
        if only and only not in known:
            raise ValueError(f"--set {setting}: '{only}' is none of the models here, {', '.join(known)}")
        takers = [model for model in known if name in known[model] and only in ("", model)]
        if not takers:
            raise ValueError(_no_parameter(name, {m: p for m, p in known.items() if only in ("", m)}))
        if target.strip() in given:
            raise ValueError(f"--set {target.strip()} is given twice; give it once")
        given.add(target.strip())
        for model in takers:
            chosen[model][name] = known[model][name].parse(text.strip())
    return chosen


def _no_parameter(name: str, known: Mapping[str, Mapping[str, Parameter]]) -> str:
    every = list(dict.fromkeys(p for parameters in known.values() for p in parameters))
    have = f"{' and '.join(known)} {'has' if len(known) == 1 else 'have'}"
    return f"{have} no parameter '{name}' among {', '.join(every)}{did_you_mean(name, every)}"
