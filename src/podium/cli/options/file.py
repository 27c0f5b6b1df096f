"""Options in a file of TOML. Its keys are the names of options without their dashes."""

import json
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any


def words_of(path: str, options: Mapping[str, Any], said: Collection[Any], command: str) -> list[str]:
    """What the file says as words of a command line, without the options that are ``said`` there.

    ``options`` has the options that ``command`` takes, by their keys.
    """
    words: list[str] = []
    for key, value in _content(path).items():
        if key not in options:
            close = get_close_matches(key, options, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise ValueError(f"'{path}' has the key '{key}', which is no option of '{command}'{hint}")
        if options[key] not in said:
            words += _words(path, key, options[key], value)
    return words


def _content(path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"'{path}' is not TOML: {error}") from None


def _words(path: str, key: str, option: Any, value: Any) -> list[str]:
    """An option and its value; with a list of values the option is repeated."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise ValueError(f"'{path}': '{key}' is true or false, not {value!r}")
        flags: list[str] = option.opts if value else option.secondary_opts
        return flags[:1]
    values = value if isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, bool | list | dict):
            raise ValueError(f"'{path}': '{key}' takes text or a number, not {value!r}")
    return [word for one in values for word in (option.opts[0], str(one))]


def as_toml(values: Iterable[tuple[str, Any]]) -> str:
    """The file with these keys and values.

    >>> print(as_toml([("left", ["home", "guest"]), ("level", 0.9), ("judges", True)]), end="")
    left = ["home", "guest"]
    level = 0.9
    judges = true
    """
    return "".join(f"{key} = {_text(value)}\n" for key, value in values)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
